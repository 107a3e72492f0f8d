"""The variables outside of functions in a PTX text or a cubin, and what kernels do with them.

A kernel uses what its own instructions name, and what the functions name that it may call. Whether
it reads or writes a variable is followed as what happens behind a pointer: see `listing.ptx`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

from jitstudio.core.cubin import sections, variables
from jitstudio.core.launch.c_types import PTX_SCALARS
from jitstudio.core.launch.types import Array, Scalar, Type
from jitstudio.listing.ptx import Flow
from jitstudio.ptx.scanner import without_comments

# Not the `.global` of `ld.global`; that of `.visible.global` is one, too.
_DECLARED = re.compile(
    r"(?:(?<![\w$%.])|(?<=\.visible)|(?<=\.extern)|(?<=\.weak)|(?<=\.common))\.(?:const|global)\b"
)
_VARIABLE = re.compile(
    r"""\.(?P<space>const|global)\b\s*+
        (?P<attribute>(?:\.attribute\s*+\([^)]*+\)\s*+)?)
        (?:\.align\s*+(?P<align>\d++)\s*+)?
        (?P<vector>(?:\.v[248]\b\s*+)?)
        \.(?P<type>[a-z]\w*+)\s*+
        (?P<name>[A-Za-z_$%][\w$]*+)\s*+
        (?P<extents>(?:\[\s*+\d*+\s*+\]\s*+)*+)
        (?:=\s*+(?P<initial>.*))?""",
    re.VERBOSE | re.DOTALL,
)
_FUNCTION = re.compile(
    r"\.(?:entry|func)\b\s*+(?:\([^()]*+\)\s*+)?(?P<name>[A-Za-z_$%][\w$]*+)", re.DOTALL
)
_MARK = re.compile(r'[{};]|"[^"\n]*+"?')
_BRACE = re.compile(r'[{}]|"[^"\n]*+"?')
_NAME = re.compile(r"(?<![\w$%.])[A-Za-z_$%][\w$]*+")
_NUMBER = re.compile(
    r"\s*(?:(?P<bits>0[fFdD][0-9a-fA-F]+)|(?P<whole>[-+]?(?:0[xX][\da-fA-F]+|\d+)U?))\s*"
)
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"', re.MULTILINE)
_LOCATION = re.compile(r"\.loc\s+(\d+)\s+(\d+)")


@dataclass(frozen=True)
class CodeVariable:
    """A variable outside of functions.

    Attributes:
        name: The lowered name.
        space: The word of CUDA C++ for where it is.
        type: What the code says that it is: of a struct so many bytes.
        initial: What it holds as the module is loaded; empty where addresses are among it.
        is_initialised: Whether the code says what it holds.
        is_defined: Whether it is here; else another module has it.
    """

    name: str
    space: str
    type: Type
    initial: bytes
    is_initialised: bool
    is_defined: bool


@dataclass(frozen=True)
class VariableUse:
    """What a kernel does with a variable.

    Attributes:
        reads: Whether it is seen to be read.
        writes: Whether it is seen to be written.
        escapes: Whether its address goes to where nobody can follow.
        read_at: File and line of the first read, such as ``conv.cu:7``; empty where not known.
    """

    reads: bool = False
    writes: bool = False
    escapes: bool = False
    read_at: str = ""

    def __or__(self, other: VariableUse) -> VariableUse:
        return VariableUse(
            self.reads or other.reads,
            self.writes or other.writes,
            self.escapes or other.escapes,
            self.read_at or other.read_at,
        )


@dataclass(frozen=True)
class PtxVariables:
    """The variables of one text.

    Attributes:
        variables: Those outside of functions, by name and in order.
        bodies: The instructions of each function.
        files: The source files by the numbers that line tables have for them.
    """

    variables: dict[str, CodeVariable] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, ptx: str) -> PtxVariables:
        """Returns them for a text of PTX; nothing is read where it has none."""
        made = cls()
        if not _DECLARED.search(ptx):
            return made
        text = without_comments(ptx)
        for head, body in _statements(text):
            if body and (function := _FUNCTION.search(head)):
                made.bodies[function["name"]] = body
            elif variable := _variable(head, body):
                made.variables[variable.name] = variable
        made.files.update((number, PurePath(path).name) for number, path in _FILE.findall(text))
        return made

    def used_by(self, kernel: str) -> dict[str, VariableUse]:
        """Returns what a kernel and all that it may call do with variables, by their names."""
        found: dict[str, VariableUse] = {}
        seen, waiting = {kernel}, [kernel]
        while waiting:
            body = self.bodies.get(waiting.pop(), "")
            named = set(_NAME.findall(body))
            new = (named & self.bodies.keys()) - seen
            seen |= new
            waiting += new
            touched = [name for name in self.variables if name in named]
            flow = Flow.of(body) if touched else Flow()
            for name in touched:
                found[name] = found.get(name, VariableUse()) | self._use(flow, name, body)
        return {name: found[name] for name in self.variables if name in found}

    def _use(self, flow: Flow, name: str, body: str) -> VariableUse:
        read, written, escapes = flow.effects_on(name)
        place = self._read_at(body, flow, name) if read else ""
        return VariableUse(read, written, escapes, place)

    def _read_at(self, body: str, flow: Flow, name: str) -> str:
        """Returns the place of the first instruction that reads a variable."""
        reached, place = flow.reached_from(name), ""
        for statement in body.split(";"):
            for number, line in _LOCATION.findall(statement):
                place = f"{self.files[number]}:{line}" if number in self.files else ""
            loads = re.search(r"\b(?:ld|ldu|atom|tex)\b[^\[]*\[([^\]]*)\]", statement)
            if loads and not reached.isdisjoint(_NAME.findall(loads[1])):
                return place
        return ""


def _statements(text: str) -> Iterator[tuple[str, str]]:
    """Yields what is outside of functions: head and, without its braces, body; "" for none."""
    start = body = depth = at = 0
    while mark := (_BRACE if depth else _MARK).search(text, at):
        at = mark.end()
        match mark[0]:
            case "{":
                body = body if depth else at
                depth += 1
            case "}" if depth:
                depth -= 1
                if not depth:
                    yield text[start : body - 1], text[body : mark.start()]
                    start = at
            case ";":
                yield text[start : mark.start()], ""
                start = at


def _variable(head: str, body: str) -> CodeVariable | None:
    # What is in front has no semicolon: directives such as `.target`.
    start = _DECLARED.search(head)
    match = _VARIABLE.fullmatch(head, start.start()) if start else None
    element = PTX_SCALARS.get(match["type"]) if match else None
    if match is None or element is None:
        return None
    counts = [int(n or 0) for n in re.findall(r"\[\s*(\d*)\s*\]", match["extents"])]
    counts += [int(match["vector"].strip()[2:])] if match["vector"] else []
    kind: Type = element
    for count in reversed(counts):
        kind = Array(kind, count)
    if not kind.size:
        return None
    given = body or (match["initial"] or "").strip()
    if given.startswith("{"):
        given = given[1:-1]
    space = "__constant__" if match["space"] == "const" else "__device__"
    return CodeVariable(
        match["name"],
        "__managed__" if "managed" in match["attribute"] else space,
        kind,
        _bytes(given, element, kind.size) if given else bytes(kind.size),
        bool(given),
        not head[: match.start()].rstrip().endswith(".extern"),
    )


def _bytes(text: str, element: Scalar, size: int) -> bytes:
    """Returns what a variable is initialised with; empty for what is no number, as an address."""
    data = bytearray()
    for each in re.sub(r"[{}]", " ", text).split(","):
        number = _NUMBER.fullmatch(each)
        if number is None:
            return b""
        bits = number["bits"]
        value = int(bits[2:], 16) if bits else int(number["whole"].rstrip("U"), 0)
        if bits is None and element.dtype.startswith(("float", "bfloat")):
            return b""
        data += (value & (1 << 8 * element.size) - 1).to_bytes(element.size, "little")
    return bytes(data).ljust(size, b"\0") if len(data) <= size else b""


_BANKS = {
    ".nv.constant3": "__constant__",
    ".nv.global": "__device__",
    ".nv.global.init": "__device__",
}
_INITIALISED = (".nv.constant3", ".nv.global.init")
_MANAGED = 4
"""The bit of a symbol's `other` that marks managed memory, as nvcc and NVRTC write it."""


def cubin_variables(cubin: bytes) -> tuple[CodeVariable, ...]:
    """Returns the variables of a cubin that has no PTX beside it, as so many bytes each."""
    found = sections(cubin)
    table = next((section for section in found if section.name == ".symtab"), None)
    if table is None or table.link >= len(found):
        return ()
    made = []
    for symbol in variables(table, found[table.link].content):
        bank = found[symbol.section].name if symbol.section < len(found) else ""
        if bank not in _BANKS or not symbol.size:
            continue
        held = found[symbol.section].content[symbol.offset : symbol.offset + symbol.size]
        space = "__managed__" if symbol.other & _MANAGED else _BANKS[bank]
        kind = Array(PTX_SCALARS["u8"], symbol.size)
        initial = held if len(held) == symbol.size else bytes(symbol.size)
        is_known = bank in _INITIALISED and any(held)
        made.append(CodeVariable(symbol.name, space, kind, initial, is_known, True))
    return tuple(made)
