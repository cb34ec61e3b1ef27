#!/usr/bin/env python3
"""Writes the manual pages of all public names and headers into a folder, one page for each:  make man

The pages of petscsyncfree.h are comments of PETSc's form, /*@ @*/ and /*MC M*/, in src/pc.  Those of the other headers are the comments
before a declaration, or after it in its line.  A public name without a comment is an error.
"""
import glob
import os
import re
import sys
import textwrap

PETSC = "petscsyncfree.h"
BLOCK = r"/\*((?:(?!\*/).)*)\*/"
DECLARATION = re.compile(rf"""(?:^{BLOCK}\n)?^(?P<code>
    SPTRSV_API\ (?P<function>(?:(?!\)\;).)*?\))\; | typedef\ (?:enum|struct)\ (?:\w+\ )?\{{(?:[^\n]*|.*?\n)\}}\ (?P<type>\w+)\; |
    typedef\ struct\ \w+\s+\*(?P<handle>\w+)\; | enum\ \{{(?P<constants>[^}}]*)\}}\; | \#define\ (?P<macro>SYNCFREE_\w+)\s+\d+
    )[ ]*(?:/\*(?P<after>[^\n]*)\*/)?$""", re.S | re.M | re.X)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Page:
    """A name, the header to include, its declaration, and a comment without its frame"""

    def __init__(self, name, header, code, comment, source):
        self.name, self.header, self.code, self.source = name, header, code, source
        text = re.sub(rf"^\s*{name}\s+-\s+", "", comment or "")
        summary, self.body = re.split(r"\n\n|(?=\bErrors(?: are|:))|\Z", text, maxsplit=1)
        self.summary = " ".join(summary.split())
        if self.body and not self.summary.endswith("."):
            self.summary += "."


def check(pages):
    bare = [page for page in pages if not page.summary]
    for page in bare:
        print(f"{page.source}: {page.name} is public and has no manual page: write a comment for it", file=sys.stderr)
    if bare:
        sys.exit(1)


def kernel_pages(header):
    source = f"include/{header}"
    for match in DECLARATION.finditer(read(source)):
        comment = match[1] or match["after"]
        if match["constants"]:
            for name, after in re.findall(r"(\w+)\s*=[^/]*?,?\s*/\*(.*?)\*/", match["constants"]):
                yield Page(name, header, match["code"], after, source)
        elif match["function"]:
            name = re.search(r"(\w+)\(", match["function"])[1]
            yield Page(name, header, re.sub(r"\n\s+", " ", match["function"]) + ";", comment, source)
        else:
            yield Page(match["type"] or match["handle"] or match["macro"], header, match["code"], comment, source)


def petsc_pages():
    """In the order of the header; types and functions from src/pc, numbers of the version from the header itself"""
    found = {page.name: page for page in kernel_pages(PETSC)}
    for path in sorted(glob.glob("src/pc/*.c")):
        for comment, code in re.findall(r"/\*(?:@C?|MC)\n(.*?)\n(?:@|M)\*/\n+([^{;]*)", read(path), re.S):
            name = comment.split()[0]
            defined = re.search(rf"^#define {name} .*", read(f"include/{PETSC}"), re.M)
            found[name] = Page(name, PETSC, defined[0] if defined else code.strip() + ";", comment, path)
    names = re.findall(r"^#define\s+(\w+)|^PETSC_EXTERN PetscErrorCode (\w+)", read(f"include/{PETSC}"), re.M)
    for name in (a or b for a, b in names):
        yield found.get(name) or Page(name, PETSC, "", "", f"include/{PETSC}")


# What troff would take for a command, or print as a sign of its own
TROFF = str.maketrans({"\\": r"\e", "-": r"\-", "^": r"\(ha", "~": r"\(ti", "'": r"\(aq", "…": "..."})


def escaped(text):
    return re.sub(r"^\.", r"\\&.", text.translate(TROFF), flags=re.M)


def marked(text):
    """Prose, with code spans and names of the kernel library in bold"""
    return re.sub(r"`([^`]*)`|\b([sS]ptrsv[A-Z]\w*(?:\(\))?)", lambda m: rf"\fB{m[1] or m[2]}\fP", escaped(text))


def block(lines):
    """A paragraph, a list or a drawing, with or without the title of a section before it"""
    item = r"(?:[+.-] |\s{5})(\S.*?)\s+- (.*)"
    section = re.match(r"\s*([A-Z][A-Za-z ]*):$", lines[0])
    if section:
        return [f".SH {section[1].upper()}"] + (block(lines[1:]) if lines[1:] else [])
    if re.match(item, lines[0]):
        found = ((re.match(item, line), line) for line in lines)
        return [f".TP\n.B {escaped(m[1])}\n{marked(m[2])}" if m else marked(line.strip()) for m, line in found]
    if lines[0].startswith(" " * 5):
        return [".PP\n.RS 4\n.nf", *(escaped(line[5:]) for line in lines), ".fi\n.RE"]
    return [".PP", *(marked(line.strip()) for line in lines)]


def troff(text):
    """Sections, lists, drawings and paragraphs of a comment; what is in no section describes"""
    text = re.sub(r"^\.vb\n(.*?)^\.ve$", lambda m: re.sub("^ *", " " * 5, m[1], flags=re.M), text, flags=re.S | re.M)
    text = re.sub(r"\s+(Level|Errors):\s+", r"\n\n\1:\n", "\n\n" + text)
    lines = [line for part in re.split(r"\n\s*\n", text.strip("\n")) for line in block(part.rstrip().splitlines())]
    return "\n".join(([] if lines[0].startswith(".SH") else [".SH DESCRIPTION"]) + lines)


def references(text, names):
    """Names of PETSc's, and those that have a page here"""
    bare = re.findall(r"`(\w+)(?:\(\))?`", text)
    return ".SH SEE ALSO\n" + ",\n".join(f"\\fB{name}\\fP{'(3)' if name in names else ''}" for name in bare)


def synopsis(page):
    """The declaration; that of a function is cut between its arguments"""
    code = page.code
    if code.endswith(");"):
        code = textwrap.fill(re.sub("(?<!,) ", "\xa0", code), 78, subsequent_indent="    ").replace("\xa0", " ")
    return f".SH SYNOPSIS\n.nf\n#include <{page.header}>\n\n{escaped(code)}\n.fi"


def write(folder, name, summary, *parts):
    title = f'.TH {name} 3 "" "SyncFree {read("VERSION").strip()}" "SyncFree"\n.nh\n.ad l'
    with open(f"{folder}/{name}.3", "w", encoding="utf-8") as file:
        file.write("\n".join((title, f".SH NAME\n{name} \\- {marked(summary)}", *filter(None, parts))) + "\n")


def write_page(folder, page, names):
    body, _, others = page.body.partition(".seealso:")
    others = others or f"`{page.header[:-2]}`"
    write(folder, page.name, page.summary, synopsis(page), troff(body) if body.strip() else "",
          references(others, names))


def write_header(folder, header, pages):
    opening = re.sub(rf"^\s*{header} - ", "", re.match(BLOCK, read(f"include/{header}"), re.S)[1])
    summary, body = re.split(r"\n\n|\Z", opening.strip("\n"), maxsplit=1)
    listed = (f".TP\n\\fB{page.name}\\fP(3)\n{marked(page.summary)}" for page in pages)
    write(folder, header[:-2], " ".join(summary.split()), f".SH SYNOPSIS\n.nf\n#include <{header}>\n.fi",
          troff(body) if body.strip() else "", ".SH NAMES", *listed)


def main(folder):
    pages = {PETSC: list(petsc_pages())}
    for path in sorted(glob.glob("include/sptrsv*.h")): # a name that is declared for NVIDIA's and AMD's GPUs has the page of the last one
        header = os.path.basename(path)
        pages[header] = list({page.name: page for page in kernel_pages(header)}.values())
    check(page for of_header in pages.values() for page in of_header)
    names = {page.name for of_header in pages.values() for page in of_header} | {header[:-2] for header in pages}
    os.makedirs(folder, exist_ok=True)
    for header, of_header in pages.items():
        write_header(folder, header, of_header)
        for page in of_header:
            write_page(folder, page, names)


if __name__ == "__main__":
    main(sys.argv[1])
