"""A source of the kernels as mutation_operators.py reads it: comments, texts and what is not compiled blanked out, then a scan of brackets.

This is no parser.  What it takes for something else becomes a mutant that does not compile, of which there are few.
"""
import os
import re
from collections import defaultdict

ROOT = "src/kernels"
# as rules.mk defines them for the emulator; SPTRSV_LOCKSTEP and SPTRSV_WARP have their values there too
DEFINED = {"SPTRSV_HAVE_CUDA", "SPTRSV_LOCKSTEP", "SPTRSV_WARP", "__GNUC__", "__linux__"}
VALUES = {"CUDART_VERSION": 13000, "CUSPARSE_VERSION": 12600}
CLOSING = {"(": ")", "[": "]", "{": "}"}
NO_CALLS = {"if", "for", "while", "switch", "return", "sizeof", "decltype", "defined", "catch", "alignas"}
NO_TYPES = {"return", "delete", "goto", "break", "continue", "else", "case", "throw", "using", "typedef", "operator"}
# a type and a first declarator: const T<V> *const name
DECLARATION = re.compile(r"(?P<type>(?:(?:const|static|constexpr|volatile|mutable|struct|unsigned|long|__shared__) +)*[A-Za-z_][\w:]*"
                         r"(?:<[^;=(){}]*>)?)(?P<declarator>[ *&]+(?:const +|__restrict__ +)*\w+) *(?=[=,;\[({:)]|$)")
DECLARATOR = re.compile(r"\s*(?P<declarator>[ *&]*(?:const +|__restrict__ +)*\w+) *(?=[=,;\[({:)]|$)")


def matching(code, start):
    """The position of the bracket that closes the one at start"""
    depth = 0
    for k in range(start, len(code)):
        depth += (code[k] in "([{") - (code[k] in ")]}")
        if not depth:
            return k
    raise ValueError("a bracket is not closed")


def split_arguments(code, start, end, separator):
    """Ranges between the separators that are in no brackets"""
    parts, depth = [start], 0
    for k in range(start, end):
        depth += (code[k] in "([{") - (code[k] in ")]}")
        if code[k] == separator and not depth:
            parts += [k, k + 1]
    parts.append(end)
    return list(zip(parts[::2], parts[1::2]))


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def holds(condition):
    """Whether the emulator's build compiles what is behind this #if"""
    words = re.sub(r"defined\((\w+)\)", lambda m: str(m.group(1) in DEFINED), condition)
    words = words.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    return bool(eval(words, {"__builtins__": {}, **VALUES}))  # only of this project's own conditions


def compiled(code):
    """The code without preprocessor lines and without the branches that are not compiled"""
    lines, branches, directive = [], [], False  # branches: [compiled, one before was]
    for line in code.split("\n"):
        started = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if started and not directive:
            word, rest = started.groups()
            if word in ("if", "ifdef", "ifndef"):
                condition = rest if word == "if" else f"{'!' * (word == 'ifndef')}defined({rest.strip()})"
                branches.append([all(b[0] for b in branches) and holds(condition)] * 2)
            elif word in ("elif", "else"):
                now = not branches[-1][1] and (word == "else" or holds(rest))
                branches[-1] = [now, now or branches[-1][1]]
            elif word == "endif":
                branches.pop()
        directive = bool(started) or directive
        lines.append(blank(line) if directive or not all(b[0] for b in branches) else line)
        directive = directive and line.endswith("\\")  # goes on
    return "\n".join(lines)


class Source:
    def __init__(self, file):
        self.file, self.known_members = file, {}
        with open(os.path.join(ROOT, file), encoding="utf-8") as stream:
            self.text = stream.read()
        literals = r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
        code = compiled(re.sub(literals, lambda m: blank(m.group()), self.text, flags=re.S))
        self.code = re.sub(r"\bstatic_assert\([^;]*;", lambda m: blank(m.group()), code)
        self.bodies, self.constants, self.structures, self.found = [], [], [], []
        self.scan()
        for start, end, header in self.bodies:
            if re.search(r"describe\w*\(", header, re.I):  # text for people
                self.code = self.code[:start + 1] + blank(self.code[start + 1:end]) + self.code[end:]
        self.found = [s for s in self.found if self.code[slice(*s)].strip()]
        self.names()

    def kind(self, at, stack):
        """Of the brace there: of a namespace or structure, of code, or of values"""
        before = self.code[:at].rstrip()
        word = re.search(r"\w*$", before).group()
        inside = any(k == "block" for k, *_ in stack)
        if before[-1:] in ("=", ",", "(") or (stack and stack[-1][0] == "values") or word == "return":
            return "values"
        if before[-1:] in (")", "]", ";", "}", "{", ":") and inside or before[-1:] in (")", "]") or word in ("else", "do", "const"):
            return "block"
        return "values" if inside and word else "scope"

    def scan(self):
        stack, start = [], 0  # brackets that are open; the start of the statement
        for k, c in enumerate(self.code):
            if c in "([":
                stack.append((c, k, start))
            elif c == "{":
                kind = self.kind(k, stack)
                if kind == "block" and not any(s[0] == "block" for s in stack):
                    self.bodies.append([k, None, self.code[start:k]])
                if kind == "scope" and re.search(r"\b(struct|class|union)\b[^;]*$", self.code[start:k]):
                    self.structures.append(k)
                stack.append((kind, k, start))
                if kind != "values":
                    start = k + 1
            elif c in ")]}":
                kind, _, before = stack.pop()
                if kind == "block" and not any(s[0] == "block" for s in stack):
                    self.bodies[-1][1] = k
                if kind in ("block", "scope"):
                    start = before if stack and stack[-1][0] in ("(", "[", "values") else k + 1
            elif c == ";" and (not stack or stack[-1][0] in ("block", "scope")):
                self.statement(start, k + 1, any(s[0] == "block" for s in stack))
                start = k + 1

    def statement(self, start, end, inside):
        if not inside:
            if re.match(r"\s*(?:static +)?constexpr\b", self.code[start:end]):
                self.constants.append((start, end))
            return
        while True:  # behind what decides whether it runs
            start = self.skip_space(start, end)
            header = re.match(r"(?:if|for|while|switch) (?:constexpr )?\(", self.code[start:end])
            word = re.match(r"(?:else|do)\b|(?:case [^;?]*?|default):(?!:)", self.code[start:end])
            if not header and not word:
                break
            start = matching(self.code, start + header.end() - 1) + 1 if header else start + word.end()
        if self.code[start:end] != ";" and not self.code.startswith("using ", start):
            self.found.append((start, end))

    def skip_space(self, start, end):
        return start + re.match(r"\s*", self.code[start:end]).end()

    def in_body(self, at):
        return any(start < at < end for start, end, _ in self.bodies)

    def in_constant(self, at):
        return any(start <= at < end for start, end in self.constants)

    def statements(self):
        return self.found

    def for_headers(self):
        for match in re.finditer(r"\bfor \(", self.code):
            if self.in_body(match.start()):
                yield match.end(), matching(self.code, match.end() - 1)

    def calls(self):
        """Range of the function's name and of each argument"""
        for match in re.finditer(r"\b([A-Za-z_]\w*)(?:<[\w ,:*]*>)?\(", self.code):
            if match.group(1) not in NO_CALLS and self.in_body(match.start()):
                end = matching(self.code, match.end() - 1)
                if self.code[match.end():end].strip():
                    yield match.span(1), split_arguments(self.code, match.end(), end, ",")

    def operand_before(self, at):
        """The start of the condition of the ?: there"""
        k, depth = at, 0
        while k:
            c = self.code[k - 1]
            depth += (c in ")]}") - (c in "([{")
            assigns = c == "=" and self.code[k - 2] not in "=!<>" and self.code[k] != "="
            label = c == ":" and ":" not in (self.code[k - 2], self.code[k])
            if depth < 0 or not depth and (c in ",;?" or assigns or label):
                break
            k -= 1
        return k + re.match(r"\s*(?:return\b\s*)?", self.code[k:at]).end()

    def operand_behind(self, at, stops):
        """The end of the operand that begins there: a bracket that closes, or what `stops` matches outside of brackets and inner ?:"""
        depth, questions, stop = 0, 0, re.compile(stops)
        for k in range(at, len(self.code)):
            depth += (self.code[k] in "([{") - (self.code[k] in ")]}")
            if depth < 0:
                return k
            if depth:
                continue
            if questions and self.code.startswith(" : ", k):
                questions -= 1
            elif stop.match(self.code, k):
                return k
            questions += self.code.startswith(" ? ", k)
        return len(self.code)

    # ------------------------------------------------------- declarations ----------------------------------------------------------------
    def declared(self, start, end):
        """Names declared by the text there, as (position, name, type); empty for anything else"""
        found = DECLARATION.match(self.code, start, end)
        if not found or re.match(r"\w+", found["type"]).group() in NO_TYPES:
            return []
        base, names = re.sub(r"\b(const|static|constexpr|volatile|mutable)\b|\s+", " ", found["type"]).strip(), []
        for first, last in split_arguments(self.code, found.start("declarator"), end, ","):
            one = DECLARATOR.match(self.code, first, last)
            if one:
                name = re.search(r"\w+$", one["declarator"]).group()
                array = "[]" * (self.code[one.end():one.end() + 1] == "[")
                names.append((one.end("declarator") - len(name), name, base + "*" * one["declarator"].count("*") + array))
        return names

    def declares(self, start):
        return any(start == s for s in self.declarations)

    def is_declarator(self, at):
        return at in self.declarators

    def names(self):
        """What is declared in each function, and where"""
        self.variables, self.declarations, self.declarators = [], set(), set()
        for start, end, header in self.bodies:
            names, at = [], start - len(header)
            parameters = re.search(r"\w+\(", header)
            if parameters:
                first = at + parameters.end()
                for part in split_arguments(self.code, first, matching(self.code, first - 1), ","):
                    names += self.declared(self.skip_space(*part), part[1])
            ranges = [s for s in self.found if start < s[0] < end] + [h for h in self.for_headers() if start < h[0] < end]
            for first, last in ranges:
                last = split_arguments(self.code, first, last, ";")[0][1]
                made = self.declared(first, last)
                names += made
                self.declarations |= {first} if made else set()
            self.declarators |= {position + len(name) for position, name, _ in names}
            self.variables.append((start, end, names))

    def members(self):
        """member -> others of its structure that have its type"""
        same = defaultdict(set)
        for start in self.structures:
            by_type = defaultdict(list)
            for first, last in split_arguments(self.code, start + 1, matching(self.code, start), ";"):
                first = self.skip_space(first, last)
                for _, name, kind in self.declared(first, last) if "(" not in self.code[first:last] else []:
                    by_type[kind].append(name)
            for names in by_type.values():
                for name in names:
                    same[name] |= set(names) - {name}
        return same

    def other_names(self):
        for start, end, names in self.variables:
            made = {position for position, _, _ in names}
            kinds = {name: kind for _, name, kind in names}
            for match in re.finditer(r"(?<![\w.>:])[A-Za-z_]\w*\b(?!\()", self.code[start:end]):
                at, name = start + match.start(), match.group()
                if name in kinds and at not in made:
                    for position, other, kind in names:
                        if other != name and kind == kinds[name] and position < at:
                            yield at, at + len(name), other
            for match in re.finditer(r"(?<=[\w\])])(?:\.|->)(\w+)\b(?!\()", self.code[start:end]):
                for other in self.known_members.get(match.group(1), ()):
                    yield start + match.start(1), start + match.end(1), other

    # ------------------------------------------------------- lines -----------------------------------------------------------------------
    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def lines_around(self, start, end):
        """Lines of the statement, or part of one, around the change"""
        first = max(self.code.rfind(c, 0, start) for c in ";{}") + 1
        first = self.skip_space(first, start)
        last = min((k for k in (self.code.find(c, max(start, end - 1)) for c in ";{}") if k >= 0), default=len(self.code))
        return range(self.line(first), self.line(last) + 1)
