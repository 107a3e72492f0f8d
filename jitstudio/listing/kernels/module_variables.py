"""The variables outside of functions in a PTX text or a cubin, and their use by kernels.

A kernel uses what its own instructions name, and what the functions name that it may call. Whether
it reads or writes a variable is followed as what happens behind a pointer: see `listing.ptx`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

from jitstudio.core.cubin import ElfSection, relocations, sections, variables
from jitstudio.core.launch.c_types import PTX_SCALARS
from jitstudio.core.launch.types import Array, Scalar, Type
from jitstudio.listing.ptx import OPERAND_NAME, Flow
from jitstudio.ptx.initialisers import Initialiser, initialiser
from jitstudio.ptx.opcodes import LOADS
from jitstudio.ptx.scanner import PtxToken, bare_ptx, integer_of, scan
from jitstudio.ptx.skimming import (
    VariableText,
    file_names,
    function_texts,
    instruction_at,
    items,
    opcode_of,
    place_of,
    variable_texts,
)
from jitstudio.ptx.tokens import PtxReadError, PtxTokens

_VECTORS = {".v2": 2, ".v4": 4, ".v8": 8}
_SPACES = {".const": "__constant__", ".global": "__device__"}


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
    """The use of a variable by a kernel.

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


class _OwnUse(NamedTuple):
    """Names in the instructions of a function: other functions, and variables with their use."""

    callees: frozenset[str]
    uses: dict[str, VariableUse]


@dataclass(frozen=True)
class PtxVariables:
    """The variables of a text.

    Attributes:
        variables: Those outside of functions, by name and in order.
        bodies: The instructions of each function.
        files: The source files by the numbers that line tables have for them.
    """

    variables: dict[str, CodeVariable] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
    _own: dict[str, _OwnUse] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, ptx: str) -> PtxVariables:
        """Returns the variables of a text of PTX; nothing is read where there are none."""
        ptx_variables = cls()
        if not any(space in ptx for space in _SPACES):
            return ptx_variables
        bare = bare_ptx(ptx)
        functions = list(function_texts(bare))
        for statement in variable_texts(bare, functions):
            ptx_variables.variables.update((v.name, v) for v in _variables(bare, statement))
        if ptx_variables.variables:
            ptx_variables.bodies.update(
                (f.name, bare[f.body : f.end]) for f in functions if f.body >= 0
            )
            paths = file_names(ptx, bare)
            ptx_variables.files.update(
                (number, PurePath(path).name) for number, path in paths.items()
            )
        return ptx_variables

    def used_by(self, kernel: str) -> dict[str, VariableUse]:
        """Returns the use of variables, by name, in a kernel and all that the kernel may call."""
        uses: dict[str, VariableUse] = {}
        seen, waiting = {kernel}, [kernel]
        while waiting:
            own = self._own_use(waiting.pop())
            new = own.callees - seen
            seen |= new
            waiting += sorted(new)
            for name, use in own.uses.items():
                uses[name] = uses.get(name, VariableUse()) | use
        return {name: uses[name] for name in self.variables if name in uses}

    def _own_use(self, function: str) -> _OwnUse:
        """Returns the use in a function itself, read once, however many kernels call there."""
        if function not in self._own:
            body = self.bodies.get(function, "")
            named = set(OPERAND_NAME.findall(body))
            touched = named & self.variables.keys()
            flow = Flow.of(body) if touched else Flow()
            uses = {name: self._use(flow, name, body) for name in touched}
            self._own[function] = _OwnUse(frozenset(named & self.bodies.keys()), uses)
        return self._own[function]

    def _use(self, flow: Flow, name: str, body: str) -> VariableUse:
        read, written, escapes = flow.effects_on(name)
        place = self._read_at(body, flow, name) if read else ""
        return VariableUse(read, written, escapes, place)

    def _read_at(self, body: str, flow: Flow, name: str) -> str:
        """Returns the place of the first instruction that reads a variable."""
        reached, place = flow.reached_from(name), None
        for item in items(body, 0, len(body)):
            if item.lastgroup == "loc":
                place = place_of(item["place"])
            elif item.lastgroup == "statement" and (
                instruction := instruction_at(item["statement"])
            ):
                is_load = opcode_of(instruction).partition(".")[0] in LOADS
                if is_load and not reached.isdisjoint(
                    OPERAND_NAME.findall(instruction["operands"])
                ):
                    file = self.files.get(place[0]) if place else None
                    return f"{file}:{place[1]}" if place and file else ""
        return ""


def _variables(bare: str, statement: VariableText) -> Iterator[CodeVariable]:
    """Yields the variables in constant or global memory that a statement declares."""
    head = bare[statement.start : statement.parts[0][0]]
    words = [token.text for token in scan(head, head)]
    space = next((_SPACES[word] for word in words if word in _SPACES), None)
    element = PTX_SCALARS.get(words[-1].removeprefix("."))
    if space is None or element is None:
        return
    vector = next((_VECTORS[word] for word in words if word in _VECTORS), 1)
    for name, at, (_, end) in zip(
        statement.names, statement.names_at, statement.parts, strict=True
    ):
        extents, _, values = bare[at + len(name) : end].partition("=")
        content = _content(values, element.size) if values else Initialiser()
        counted = len(content.data) // element.size if content else 0
        kind = _type(element, vector, list(scan(extents, extents)), counted)
        if kind is not None and kind.size:
            yield CodeVariable(
                name,
                "__managed__" if ".managed" in words else space,
                kind,
                _bytes(content, kind.size),
                bool(values),
                statement.linking != "extern",
            )


def _content(text: str, element: int) -> Initialiser | None:
    """Returns the content of an initialiser; None if unreadable."""
    try:
        tokens = PtxTokens(text)
        content = initialiser(tokens, element)
    except PtxReadError:
        return None
    return content if tokens.peek().kind == "end" else None


def _type(element: Scalar, vector: int, extents: Sequence[PtxToken], values: int) -> Type | None:
    """Returns the type of a variable; None where the extents are no numbers.

    Args:
        element: What one element is.
        vector: How many of them a vector has.
        extents: What is behind the name, such as ``[2][3]`` or ``[]``.
        values: How many its initialiser has, which is what the first extent follows from.
    """
    texts = [token.text for token in extents]
    counts: list[int | None] = []
    while texts:
        count = texts[1 : texts.index("]")] if "]" in texts else ["?"]
        if texts[0] != "[" or len(count) > 1:
            return None
        try:
            counts.append(integer_of(count[0]) if count else None)
        except ValueError:
            return None
        texts = texts[len(count) + 2 :]
    kind: Type = element
    for extent in reversed([*counts, *([vector] if vector > 1 else [])]):
        inner = max(1, kind.size // element.size)
        kind = Array(kind, -(-values // inner) if extent is None else extent)
    return kind


def _bytes(content: Initialiser | None, size: int) -> bytes:
    """Returns the bytes that a variable begins with; empty with addresses among them."""
    if content is None or content.addresses or len(content.data) > size:
        return b""
    return content.data.ljust(size, b"\0")


_BANKS = {
    ".nv.constant3": "__constant__",
    ".nv.global": "__device__",
    ".nv.global.init": "__device__",
}
_INITIALISED = (".nv.constant3", ".nv.global.init")
_MANAGED = 4
"""The bit of a symbol's `other` that marks managed memory, as nvcc and NVRTC write it."""


def cubin_variables(cubin: bytes) -> tuple[CodeVariable, ...]:
    """Returns the variables of a cubin without PTX, as so many bytes each."""
    all_sections = sections(cubin)
    table = next((section for section in all_sections if section.name == ".symtab"), None)
    if table is None or table.link >= len(all_sections):
        return ()
    code_variables, addresses = [], _addresses(all_sections)
    for symbol in variables(table, all_sections[table.link].content):
        bank = all_sections[symbol.section].name if symbol.section < len(all_sections) else ""
        if bank not in _BANKS or not symbol.size:
            continue
        place = range(symbol.offset, symbol.offset + symbol.size)
        content = all_sections[symbol.section].content[place.start : place.stop]
        space = "__managed__" if symbol.other & _MANAGED else _BANKS[bank]
        kind = Array(PTX_SCALARS["u8"], symbol.size)
        initial = content if len(content) == symbol.size else bytes(symbol.size)
        is_initialised = bank in _INITIALISED and any(content)
        if any(at in place for at in addresses.get(bank, ())):
            initial, is_initialised = b"", True
        code_variables.append(CodeVariable(symbol.name, space, kind, initial, is_initialised, True))
    return tuple(code_variables)


def _addresses(cubin: Iterable[ElfSection]) -> dict[str, list[int]]:
    """Returns where in each section the loader puts addresses, by the section's name."""
    places: dict[str, list[int]] = {}
    for section in cubin:
        kind, _, bank = section.name.removeprefix(".").partition(".")
        if kind in ("rel", "rela"):
            offsets = (row[0] for row in relocations(section, adds=kind == "rela"))
            places.setdefault(f".{bank}", []).extend(offsets)
    return places
