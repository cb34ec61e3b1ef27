#!/usr/bin/env python3
"""Writes the manual pages of all public names into a folder, one page for each:  make man

The pages of petscsyncfree.h are comments of PETSc's form, /*@ @*/ and /*MC M*/, in src/pc.  Those of the other headers are the comments
before a declaration, or after it in its line.  A public name without a comment is an error.
"""
import glob
import re
import sys

PETSC, KERNELS = "petscsyncfree.h", ("sptrsv.h", "sptrsv_options.h", "sptrsv_study.h")
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
            for name, after in re.findall(r"(\w+)\s*=[^,/]*,?\s*/\*(.*?)\*/", match["constants"]):
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


def linked(text, names):
    """Public names in a text become links, in code spans and outside of them"""
    def link(word):
        return re.sub(rf"\b({'|'.join(names)})\b(\(\))?", lambda m: f"[`{m[0]}`]({m[1]}.md)", word)

    def span(word):
        return link(word.strip("`")) if word.strip("`()") in names else word
    return "".join(span(word) if word.startswith("`") else link(word) for word in re.split(r"(`[^`\n]*`)", text))


def markdown(text, names):
    """Sections, lists and paragraphs of a comment"""
    out, listed, fenced = [], False, False
    text = re.sub(r"\.seealso:\s*(?:\[\]\(\w+\),\s*)?", "See also:\n", text)
    text = re.sub(r"(?<!\n)\n(\s*Errors:)", r"\n\n\1", text)
    for line in text.splitlines():
        if line.strip() in (".vb", ".ve") or fenced:
            fenced = line.strip() != ".ve"
            out.append("```" if line.strip() in (".vb", ".ve") else line.strip())
            continue
        item = re.match(r"(?:[+.-] |\s{5})(\S.*?)\s+- (.*)", line)
        section = re.match(r"\s*([A-Z][A-Za-z ]*):$", line)
        indented = re.match(r"\s{5}\S", line)
        if section:
            out += [f"## {section[1]}", ""]
        elif item:
            out.append(f"- `{item[1]}`: {linked(item[2], names)}")
        elif indented and not listed: # a table or a drawing
            out.append(line[1:])
        else:
            out.append(("  " if listed and line.strip() else "") + linked(line.strip(), names))
        listed = bool(line.strip()) and (bool(item) or listed)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip() + "\n"


def write(folder, name, text):
    with open(f"{folder}/{name}.md", "w", encoding="utf-8") as file:
        file.write(text)


def main(folder):
    pages = {PETSC: list(petsc_pages())}
    for header in KERNELS: # a name that is declared twice, for NVIDIA's and AMD's GPUs, has the page of the last declaration
        pages[header] = list({page.name: page for page in kernel_pages(header)}.values())
    check(page for of_header in pages.values() for page in of_header)
    names = sorted((page.name for of_header in pages.values() for page in of_header), key=len, reverse=True)
    index = ["# Manual pages", "`make man` writes these pages from the comments in `include/` and `src/pc/`; do not edit them."]
    for header, of_header in pages.items():
        opening = re.match(BLOCK, read(f"include/{header}"), re.S)[1]
        opening = re.sub(rf"^\s*{header} - ", "", opening)
        index += ["", f"## {header}", markdown(opening, names), "| name | |", "|---|---|"]
        for page in of_header:
            others = [name for name in names if name != page.name]
            index.append(f"| [`{page.name}`]({page.name}.md) | {page.summary} |")
            write(folder, page.name, f"# {page.name}\n{linked(page.summary, others)}\n\n```c\n#include <{header}>\n{page.code}\n```\n\n"
                  + (markdown(page.body, others) + "\n" if page.body else "")
                  + f"[All manual pages](README.md), from [{page.source}](../../{page.source})\n")
    write(folder, "README", "\n".join(index) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
