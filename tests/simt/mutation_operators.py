"""Mutants of the kernels by operators: small changes of the source, each of a kind that people make.

A change that can only make code slower, such as a stronger order or a wider scope, is left out: no test could see it.
"""
import re
from collections import defaultdict
from typing import NamedTuple

from mutation_source import Source, matching, split_arguments


class Mutant(NamedTuple):
    file: str  # below src/kernels
    operator: str
    start: int
    end: int
    text: str  # in place of the characters from start to end

    def source(self, text):
        """The file after the change"""
        return text[:self.start] + self.text + text[self.end:]


# ------------------------------------------------------- words in place of others --------------------------------------------------------
def words(table):
    """An operator that replaces words in function bodies: pairs of a regular expression and what its first group becomes"""
    def operator(source):
        for pattern, replacement in table:
            for match in re.finditer(pattern, source.code):
                if source.in_body(match.start(1)):
                    yield match.start(1), match.end(1), match.expand(replacement)
    return operator


def swapped(*pairs):
    """Binary operators, which have a space on both sides in these sources"""
    return [(rf" ({re.escape(a)}) ", b) for pair in pairs for a, b in (pair, pair[::-1])]


BOUND = swapped(("<", "<="), (">", ">="))
LOGIC = swapped(("&&", "||"))
ARITHMETIC = swapped(("+", "-"), ("*", "/"), ("<<", ">>"), ("&", "|"), ("+=", "-="), ("*=", "/=")) + [
    (r" (%) ", "/"), (r"(\+\+)", "--"), (r"(?<!-)(--)", "++"), (r"\b(min)\(", "max"), (r"\b(max)\(", "min"), (r"\batomic(Max)\(", "Min")]
# smaller and larger by one
CONSTANT = [(r"(?<![\w.])(true)\b", "false"), (r"(?<![\w.])(false)\b", "true")]


def constants(source):
    yield from words(CONSTANT)(source)
    for match in re.finditer(r"(?<![\w.])(\d+)(?=u?l{0,2}\b|\.\d)", source.code):
        if not source.in_body(match.start()) and not source.in_constant(match.start()):
            continue
        number = int(match.group(1))
        for other in (number + 1, number - 1):
            if other >= 0:
                yield match.start(), match.end(), str(other)


# ------------------------------------------------------- conditions ----------------------------------------------------------------------
def conditions(source):
    for match in re.finditer(r"\b(?:if|while) (?:constexpr )?\(", source.code):
        if source.in_body(match.start()):
            start, end = match.end(), matching(source.code, match.end() - 1)
            yield start, end, f"!({source.text[start:end]})"
    for start, end in source.for_headers():
        clauses = split_arguments(source.code, start, end, ";")
        if len(clauses) == 3 and source.text[slice(*clauses[1])].strip():
            first, last = clauses[1]
            yield first, last, f" !({source.text[first:last].strip()})"
    for match in re.finditer(r" \? ", source.code):
        if source.in_body(match.start()):
            start = source.operand_before(match.start())
            yield start, match.start(), f"!({source.text[start:match.start()]})"
    yield from words(swapped(("==", "!=")) + [(r"(?<=[( ])(!)(?=[\w(*])", "")])(source)


def operands(source):
    """One side of && or || alone, and one branch of ?: whatever the condition"""
    for match in re.finditer(r" (&&|\|\|) ", source.code):
        if source.in_body(match.start()):
            start, end = source.operand_before(match.start()), source.operand_behind(match.end(), r" (&&|\|\||\?|:) |[,;]")
            yield start, match.end(), ""
            yield match.start(), end, ""
    for match in re.finditer(r" \? ", source.code):
        colon = source.operand_behind(match.end(), " : |;")
        if source.in_body(match.start()) and source.code[colon:colon + 3] == " : ":
            start, end = source.operand_before(match.start()), source.operand_behind(colon + 3, " : |[,;]")
            yield start, end, source.text[match.end():colon]
            yield start, end, source.text[colon + 3:end]


# ------------------------------------------------------- off by one ----------------------------------------------------------------------
def steps(source):
    """Starts and strides of loops, and indices"""
    for start, end in source.for_headers():
        clauses = split_arguments(source.code, start, end, ";")
        if len(clauses) != 3:
            continue
        for first, last in split_arguments(source.code, *clauses[0], ","):
            equals = re.match(r"[^=]*[^=<>!+*/-]=(?!=)\s*", source.code[first:last])
            if equals:
                yield first + equals.end(), last, f"({source.text[first + equals.end():last].strip()}) + 1"
        for first, last in split_arguments(source.code, *clauses[2], ","):
            stride = re.match(r"[^=]*\+= ", source.code[first:last])
            if stride:
                for one in (" + 1", " - 1"):
                    yield first + stride.end(), last, source.text[first + stride.end():last].strip() + one
            elif source.code[first:last].strip().endswith("++"):
                yield first, last, " " + source.text[first:last].strip()[:-2] + " += 2"
    for match in re.finditer(r"(?<=[\w\])])\[", source.code):
        if source.in_body(match.start()) and not source.is_declarator(match.start()):
            end = matching(source.code, match.start())
            for one in (" + 1", " - 1"):
                yield end, end, one


# ------------------------------------------------------- calls ---------------------------------------------------------------------------
def arguments(source):
    """Neighbouring arguments of a call swapped"""
    for _, parts in source.calls():
        for (a, b), (c, d) in zip(parts, parts[1:]):
            first, second = source.text[a:b].strip(), source.text[c:d].strip()
            if first and second and first != second:
                yield source.skip_space(a, b), d, f"{second}, {first}"


def streams(source):
    null = "nullptr" if source.file.endswith((".cu", ".cuh")) else "NULL"
    for _, parts in source.calls():
        for start, end in parts:
            if re.fullmatch(r"stream|in|in\[q\]|side|\w+[.>]+(side|stream)(\[\w+\])?", source.text[start:end].strip()):
                yield source.skip_space(start, end), end, null


def calls_as(table):
    """An operator that writes calls in another way: the function, the number of arguments, and the new text with {0}, {1}, …"""
    def operator(source):
        for name, parts in source.calls():
            texts = [source.text[a:b].strip() for a, b in parts]
            for function, count, new in table:
                if source.text[name[0]:name[1]] == function and len(parts) == count:
                    yield name[0], parts[-1][1] + 1, new.format(*texts)
    return operator


ORDER = [("load_acquire", 1, "load_relaxed({0})"), ("load_acquire_block", 1, "load_relaxed({0})"),
         ("subtract_release", 2, "(void)atomicSub({0}, (unsigned)({1}))"),
         ("subtract_release_block", 2, "(void)atomicSub({0}, (unsigned)({1}))"),
         ("await_zero", 2, "await_nothing([&] {{ return load_relaxed({0}); }}, {1})")]
SCOPE = [("load_acquire", 1, "load_acquire_block({0})"), ("subtract_release", 2, "subtract_release_block({0}, {1})"),
         ("await_zero", 2, "await_nothing([&] {{ return load_acquire_block({0}); }}, {1})")]
PLAIN = [("load_relaxed", 1, "(*({0}))"), ("poll", 1, "Unknown<V>::of(*({0}))"), ("store_relaxed", 2, "(void)(*({0}) = ({1}))"),
         ("publish", 2, "(void)(*({0}) = ({1}))")]
FETCH = "[&] {{ auto *p_ = {0}; auto old_ = *p_; *p_ = %s; return old_; }}()"
ATOMIC = [("atomicAdd", 2, FETCH % "old_ + ({1})"), ("atomicSub", 2, FETCH % "old_ - ({1})"),
          ("atomicMax", 2, FETCH % "max(old_, {1})"), ("add_relaxed", 2, "(void)(*({0}) += ({1}))"),
          ("subtract_release", 2, "(void)(*({0}) -= ({1}))"), ("subtract_release_block", 2, "(void)(*({0}) -= ({1}))")]


# ------------------------------------------------------- statements ----------------------------------------------------------------------
BARRIER = r"__sync(threads|warp)\("
SYNC = r"cuda(\w*Synchronize|StreamWaitEvent|EventRecord)\("


def statements(source):
    for start, end in source.statements():
        text = source.code[start:end]
        if not re.search(f"{BARRIER}|{SYNC}", text) and not re.match(r"return\b.*\w", text, re.S) and not source.declares(start):
            yield start, end, ";"


def statements_with(call):
    def operator(source):
        for start, end in source.statements():
            if re.search(call, source.code[start:end]):
                yield start, end, ";"
    return operator


# ------------------------------------------------------- buffers -------------------------------------------------------------------------
def buffers(source):
    """The other half of a double buffer, another variable of the function, another member of the structure: of the same type"""
    yield from words([(r"(?<!1 - )(?<![\w.])((?:\w+\.)?parity)\b(?! =)", r"(1 - \1)"), (r"(1 - )(?:\w+\.)?parity\b", "")])(source)
    for start, end, other in source.other_names():
        yield start, end, other


OPERATORS = {
    "order": calls_as(ORDER),
    "scope": calls_as(SCOPE),
    "plain": calls_as(PLAIN),
    "atomic": calls_as(ATOMIC),
    "barrier": statements_with(BARRIER),
    "sync": statements_with(SYNC),
    "stream": streams,
    "buffer": buffers,
    "arguments": arguments,
    "bound": words(BOUND),
    "step": steps,
    "condition": conditions,
    "logic": words(LOGIC),
    "operand": operands,
    "arithmetic": words(ARITHMETIC),
    "constant": constants,
    "statement": statements,
}
# what each does, for the report
MEANING = {
    "order": "acquire or release made relaxed",
    "scope": "scope of the GPU narrowed to the block",
    "plain": "relaxed load or store made plain",
    "atomic": "atomic operation made a load and a store",
    "barrier": "`__syncthreads()` or `__syncwarp()` dropped",
    "sync": "synchronization with a stream or event dropped",
    "stream": "legacy stream in place of the given one",
    "buffer": "another half, variable or member of the same type",
    "arguments": "two neighbouring arguments swapped",
    "bound": "`<` and `<=` swapped, `>` and `>=`",
    "step": "index, start or stride of a loop off by one",
    "condition": "condition negated",
    "logic": r"`&&` and `\|\|` swapped",
    "operand": r"an operand of `&&` or `\|\|` dropped, or one branch of `?:` taken",
    "arithmetic": "arithmetic operator replaced by its opposite",
    "constant": "constant larger or smaller by one",
    "statement": "statement dropped",
}


def mutants(files):
    """operator -> mutants of these files, in a fixed order; and the sources"""
    sources, members = {file: Source(file) for file in files}, defaultdict(set)
    for source in sources.values():
        for member, others in source.members().items():
            members[member] |= others
    for source in sources.values():
        source.known_members = members
    found = {}
    for name, operator in OPERATORS.items():
        found[name] = sorted({Mutant(s.file, name, *site) for s in sources.values() for site in operator(s)})
    return found, sources
