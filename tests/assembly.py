"""Accesses to memory in nvcc's PTX and in hipcc's assembly, kernel by kernel, as short texts that tests can compare."""
import re
import struct
from collections import namedtuple

Line = namedtuple("Line", "text label target", defaults=("", "", ""))


def with_loops(lines):
    """The accesses' text, with { and } where a branch goes back."""
    position = {line.label: k for k, line in enumerate(lines) if line.label}
    back = [(position[line.target], k) for k, line in enumerate(lines) if position.get(line.target, k) < k]
    text = []
    for k, line in enumerate(lines):
        text += ["{"] * sum(begin == k for begin, _ in back) + [line.text] * bool(line.text) + ["}"] * sum(end == k for _, end in back)
    return text


def parts_of(params):
    """The parameters of a list; commas between template arguments do not part them"""
    return re.split(r",\s*(?![^<>]*>)", params) if params else []


def parameter_names(kernel_name, params):
    """What PTX calls the parameters of a kernel, and what its source does"""
    return {f"{kernel_name}_param_{k}": p.split()[-1].lstrip("*") for k, p in enumerate(parts_of(params))}


class Ptx:
    """A kernel of nvcc's.  An access is written as its instruction, the parameter from which its address comes, and its operands:
    numbers, parameters, or _ for anything computed.  Of the type of loads and stores only the width is kept."""

    ACCESS = re.compile(r"(ld|ldu|st|atom|red|membar|fence|bar|barrier|mbarrier|griddepcontrol|shfl|vote|cp)\.(?!param)")
    INSTRUCTION = re.compile(r"(?:@!?%\w+\s+)?([a-z][\w.]*)\s+(.*?)\s*;")
    PARAMETER = re.compile(r"\[(\w+_param_\d+)")

    def __init__(self, body, names):
        """names: of the parameters"""
        self.names = names
        self.asm = [line.strip() for line in re.findall(r"// begin inline asm\n(.*?)\s*// end inline asm", body, re.S)]
        parts = re.findall(r"[^;\n]*;|[^;\n]+", body)  # inline PTX can have several instructions in a line
        self.code = [m.groups() if m else (part.strip(), "") for part in parts for m in [self.INSTRUCTION.search(part)]]
        self.origin, self.exact = {}, {}
        size = -1
        while size != (size := sum(map(len, self.origin.values()))):  # until nothing new is known, for loops
            for name, operands in self.code:
                self.trace(name, operands)

    def trace(self, name, operands):
        """What the registers hold that an instruction writes: origins of addresses, and the exact value if it is a plain copy."""
        to, _, rest = operands.partition(",")
        if operands.startswith("{"):
            to, _, rest = operands.partition("}")
        found = self.PARAMETER.search(rest)
        if found:
            origins, exact = {self.names.get(found[1], found[1])}, self.names.get(found[1], found[1])
        elif self.ACCESS.match(name):
            origins, exact = set(), "_"
        else:
            sources = re.findall(r"%\w+|\b_Z\w+|\b(?:s|quads)\b", rest)
            origins = set().union(*(self.origin.get(s, {"shared"} if s[0] != "%" else set()) for s in sources))
            origins = {"generic"} if name.startswith("cvta.shared") else origins
            exact = self.value(rest) if name.startswith(("mov", "cvta.to")) else "_"
        for register in re.findall(r"%\w+", to):
            self.origin.setdefault(register, set()).update(origins)
            self.exact[register] = exact if self.exact.get(register, exact) == exact else "_"

    def value(self, operand):
        """A number, a parameter or _"""
        operand = operand.strip()
        if re.fullmatch(r"-?\d+", operand):
            return operand
        if re.fullmatch(r"0[df][0-9A-F]+", operand):
            return str(int(operand[2:], 16))
        return self.exact.get(operand, "_")

    def address(self, operands):
        """Where it comes from, and the offset"""
        inside = re.search(r"\[([^]+]+)(\+-?\d+)?\]", operands)
        if not inside:
            return []
        origin = "|".join(sorted(self.origin.get(inside[1], {"_" if inside[1][0] == "%" else "shared"})))
        return [(origin or "_") + (inside[2] or "")]

    def lines(self):
        for name, operands in self.code:
            if name.endswith(":"):
                yield Line(label=name[:-1])
            elif name.startswith("bra"):
                yield Line(target=operands)
            elif self.ACCESS.match(name):
                kind = name.split(".")[0]
                name = re.sub(r"\.[usf](\d+)$", r".b\1", name) if kind in ("ld", "st") else name
                values = operands.split(",")[1:] if kind not in ("ld", "bar") else []
                yield Line(" ".join([name, *self.address(operands), *(self.value(v) for v in values if "[" not in v)]))

    def accesses(self):
        return with_loops(list(self.lines()))


class Amd:
    """A kernel of hipcc's.  An access is written as its instruction, what it stores or adds if that is a number, and its bits for caches; a
    wait as the counters that it brings to zero.  "mask" is where lanes part."""

    ACCESS = re.compile(r"(global|flat|buffer|scratch|ds)_|s_(barrier|store|atomic|dcache)")

    def __init__(self, body):
        self.code = [line.split(";")[0].strip().partition(" ") for line in body.splitlines()]
        self.number = {}  # in vector registers

    def move(self, name, to, source):
        """Registers after an instruction."""
        for register in registers(to):
            self.number.pop(register, None)
        if name.startswith(("v_mov_b32", "v_bfrev_b32")) and not re.match("[vs]", source):
            number = struct.unpack("i", struct.pack("f", float(source)))[0] if "." in source else int(source, 0)
            self.number[registers(to)[0]] = int(f"{number & 0xffffffff:032b}"[::-1], 2) if "bfrev" in name else number

    def data(self, operands):
        """The last vector operand, if it is a number"""
        vectors = [o for o in operands if o[0] == "v"]
        words = [self.number.get(r) for r in registers(vectors[-1])] if vectors else [None]
        if None in words:
            return []
        return [str(words[0] if len(words) == 1 else sum((word & 0xffffffff) << 32 * k for k, word in enumerate(words)))]

    def lines(self):
        loaded, shared = set(), False
        for name, _, rest in self.code:
            operands = re.findall(r"[^\s,]+", rest)
            if name.endswith(":"):
                yield Line(label=name[:-1])
            elif re.match("s_c?branch", name):
                yield Line(target=rest)
            elif name == "s_waitcnt":
                counters = [c for c in ("vm", "lgkm") if c + "cnt(0)" in rest and (c == "vm" or shared)]  # lgkm: perhaps the arguments
                yield Line("wait " + " ".join(counters) if counters else "")
            elif name.startswith("s_and_saveexec"):
                yield Line("mask")
            elif name.startswith("s_load"):  # the kernel's arguments come from a register that was not loaded
                yield Line(name if operands[1] in loaded else "")
                loaded.update(f"s[{r}:{r + 1}]" for r in registers(operands[0]))
            elif self.ACCESS.match(name):
                shared = shared or name.startswith("ds_")
                written = self.data(operands) if operands and not re.match(r"\w+_(load|read)", name) else []
                yield Line(" ".join([name, *written, *(o for o in operands if o in ("glc", "slc", "sc0", "sc1", "nt"))]))
            if operands and not re.search("_store|_write", name):
                self.move(name, operands[0], operands[-1])

    def accesses(self):
        return with_loops(list(self.lines()))


def registers(operand):
    """The numbers in v7 or s[2:5]"""
    first, last = re.fullmatch(r"[avs]\[?(\d+)(?::(\d+)\])?|.*", operand).groups()
    return range(int(first), int(last or first) + 1) if first else []


def ptx_kernels(text):
    """Bodies of the kernels by name"""
    return {m[1]: m[2] for m in re.finditer(r"\.entry (\w+)\(.*?\n\{\n(.*?)\n\}", text, re.S)}


def amd_kernels(text):
    """Bodies of the kernels by name"""
    return {m[1]: m[2] for m in re.finditer(r"^(\w+):\s*; @\1\n(.*?)\.Lfunc_end", text, re.S | re.M)}
