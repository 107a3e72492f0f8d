"""Reads the listing of `nvdisasm -c -gi -gp -hex`: instructions, encodings and lines."""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from jitstudio.analysis.sass.model import (
    Disassembly,
    FunctionPart,
    InlineChain,
    Label,
    LiveRegisters,
    SassFunction,
    SourceLocation,
)
from jitstudio.core.line_table_paths import plain_path
from jitstudio.listing.lines import NOWHERE

CODE_OPTIONS = ("-c", "-gi", "-gp", "-hex")
"""Options with which nvdisasm prints the listing that `read_code` takes."""

# `        /*0010*/              @P0 EXIT ;      /* 0x000000000000094d */`
_INSTRUCTION = re.compile(
    r"\s++/\*([0-9a-f]{4,})\*/\s++(?:\{\s*+)?(@!?\w++)?\s*+([A-Z][\w.]*+)\s*+([^;]*+);"
    r"(?>[^;/]*+/\* 0x([0-9a-f]{16}) \*/)?+"
)
# The higher half of the encoding is alone below the instruction.
_MORE_ENCODING = re.compile(r"\s++/\* 0x([0-9a-f]{16}) \*/\s*\Z")
# A name may hold quotation marks: the first with a line number behind ends the name.
_PLACE = r'"([^"]*+(?>"(?!, line \d)[^"]*+)*+)", line (\d{1,9}+)'
_LINE = re.compile(rf"\s*+//## File {_PLACE}(?> inlined at {_PLACE})?+\s*+\Z")
_LABEL = re.compile(r"(\S+):\s*\Z")
_SECTION = re.compile(r"\s*+\.section\s++(\S+?),")
_TYPE = re.compile(r"\s*+\.type\s++(\S+?),@function")
_KERNEL = re.compile(r'\s*+\.other\s++(\S+?),@"[^"]*\bSTO_CUDA_ENTRY\b')
_TARGET = re.compile(r"\s*+\.target\s++(\w+)")
_TEXT = ".text."
_PTX = ".nv_debug_ptx_txt"
_HALVES = 2
"""Numbers of 64 bits that an encoding is printed as."""
# Routines that ptxas adds have no lines; the table lets the line before run on.
_OWN_ROUTINE = "$__internal_"


def read_code(text: str) -> Disassembly:
    """Returns the functions of a listing; of a broken or truncated listing the readable ones."""
    reader = _Reader()
    reader.read(text.splitlines())
    return Disassembly(reader.target, tuple(reader.functions))


@dataclass
class _Section:
    """The function that is being read."""

    name: str
    addresses: array[int] = field(default_factory=lambda: array("Q"))
    predicates: list[str] = field(default_factory=list)
    opcodes: list[str] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    halves: array[int] = field(default_factory=lambda: array("Q"))
    place_ids: array[int] = field(default_factory=lambda: array("i"))
    places: dict[InlineChain, int] = field(default_factory=dict)
    ptx_lines: array[int] = field(default_factory=lambda: array("i"))
    ptx_name: str = ""
    labels: list[Label] = field(default_factory=list)
    parts: list[FunctionPart] = field(default_factory=list)


class _PlaceLine(NamedTuple):
    """A line of the line table: a place of the source, or of the PTX of this name; or neither."""

    place: SourceLocation | None = None
    ptx: str = ""
    is_inlined: bool = False


def _place_line(line: str) -> _PlaceLine:
    match = _LINE.match(line)
    if match is None:
        return _PlaceLine()
    file, number, caller, _ = match.groups()
    is_ptx = file.startswith(_PTX)
    place = SourceLocation(plain_path(file), int(number))
    return _PlaceLine(place, file if is_ptx else "", caller is not None)


class _Reader:
    """Takes in a listing line by line."""

    def __init__(self) -> None:
        self.target = ""
        self.functions: list[SassFunction] = []
        self._section: _Section | None = None
        self._symbols: set[str] = set()
        self._kernels: set[str] = set()
        self._frames: list[SourceLocation] = []
        self._chain_goes_on = False
        self._place = NOWHERE
        self._ptx_line = 0
        self._spelt: dict[str, str] = {}
        self._place_lines: dict[str, _PlaceLine] = {}

    def read(self, lines: Iterable[str]) -> None:
        for line in lines:
            if "/*" in line:
                self._take_code(line)
            elif "//##" in line:
                self._take_place(line)
            elif line:
                self._take_rest(line)
        self._end_section()

    def _take_code(self, line: str) -> None:
        section, once = self._section, self._spelt.setdefault
        if section is None:
            return
        if match := _INSTRUCTION.match(line):
            address, predicate, opcode, operands, encoding = match.groups("")
            self._settle()
            section.addresses.append(int(address, 16))
            # Few texts are different: an object for each saves memory, also in the pipe.
            section.predicates.append(once(predicate, predicate))
            section.opcodes.append(once(opcode, opcode))
            # A table of targets has dozens of blanks in front.
            operands = " ".join(operands.split()) if "  " in operands else operands.rstrip()
            section.operands.append(once(operands, operands))
            section.place_ids.append(self._place)
            section.ptx_lines.append(self._ptx_line)
            if encoding:
                section.halves.extend((int(encoding, 16), 0))
        elif (more := _MORE_ENCODING.match(line)) and section.halves:
            section.halves[-1] = int(more[1], 16)

    def _take_place(self, line: str) -> None:
        # Most lines come again and again: each is read once.
        place_line = self._place_lines.get(line)
        if place_line is None:
            place_line = self._place_lines[line] = _place_line(line)
        if place_line.place is None:
            return
        if place_line.ptx:
            if self._section is not None:
                self._section.ptx_name = self._section.ptx_name or place_line.ptx
                same = place_line.ptx == self._section.ptx_name
                self._ptx_line = place_line.place.line if same else 0
        else:
            if not self._chain_goes_on:
                self._frames.clear()
            self._frames.append(place_line.place)
            # The caller has a line of its own below.
            self._chain_goes_on = place_line.is_inlined

    def _settle(self) -> None:
        """Takes the place lines above an instruction for the place of the code from there on."""
        if self._frames and self._section is not None:
            place_ids = self._section.places
            self._place = place_ids.setdefault(tuple(self._frames), len(place_ids))
            self._frames.clear()
        self._chain_goes_on = False

    def _take_rest(self, line: str) -> None:
        if typed := _TYPE.match(line):
            self._symbols.add(typed[1])
        elif entry := _KERNEL.match(line):
            self._kernels.add(entry[1])
        elif section := _SECTION.match(line):
            self._end_section()
            if section[1].startswith(_TEXT):
                self._section = _Section(section[1].removeprefix(_TEXT))
        elif label := _LABEL.match(line):
            self._take_label(label[1])
        elif not self.target and (target := _TARGET.match(line)):
            self.target = target[1]

    def _take_label(self, name: str) -> None:
        section = self._section
        if section is None or name.startswith(_TEXT):
            return
        at = len(section.opcodes)
        if name not in self._symbols:
            section.labels.append(Label(name, at))
            return
        section.parts.append(FunctionPart(name, at, at))
        if name.startswith(_OWN_ROUTINE):
            self._forget_place()

    def _forget_place(self) -> None:
        self._place, self._ptx_line = NOWHERE, 0
        self._frames.clear()
        self._chain_goes_on = False

    def _end_section(self) -> None:
        section = self._section
        self._section = None
        self._forget_place()
        if section is None:
            return
        count = len(section.opcodes)
        ends = [part.start for part in section.parts[1:]] + [count]
        whole = _HALVES * count == len(section.halves)
        if sys.byteorder == "big":
            section.halves.byteswap()
        self.functions.append(
            SassFunction(
                name=section.name,
                is_kernel=section.name in self._kernels,
                addresses=section.addresses,
                predicates=tuple(section.predicates),
                opcodes=tuple(section.opcodes),
                operands=tuple(section.operands),
                encodings=section.halves.tobytes() if whole else b"",
                place_ids=section.place_ids,
                places=tuple(section.places),
                ptx_lines=section.ptx_lines,
                ptx_name=section.ptx_name,
                labels=tuple(section.labels),
                parts=tuple(
                    part._replace(end=end) for part, end in zip(section.parts, ends, strict=False)
                ),
            )
        )


# ---- How many registers are alive at an instruction: nvdisasm -c -lrm count

LIVE_OPTIONS = ("-c", "-lrm", "count")
"""Options with which nvdisasm prints the table that `read_live` takes."""

# `// | GPR   | PRED   | UGPR   |`; the columns depend on the section.
_HEAD = re.compile(r".*// \|((?: [A-Z]+\s*+\|)+)\s*\Z")
# `        /*0010*/     S2R R0, SR_TID.X ;       // |   2   |        |   1    |`
_ROW = re.compile(r"\s++/\*([0-9a-f]{4,})\*/")
_TABLE = "// |"
_CELLS = re.compile(r"(?:\s*+\d*+\s*+\|)+\s*")
_DIFFERENT = 4096
_LEGEND = "// Legend:"
_COLUMNS = {name.upper(): at for at, name in enumerate(LiveRegisters._fields)}
_NONE = LiveRegisters(0, 0, 0, 0)

Counts = dict[int, LiveRegisters]
"""By the address of the instruction."""


def read_live(text: str) -> dict[str, Counts]:
    """Returns the live registers at each address of each section, by the name of the function.

    A table that breaks off before its legend is left out.
    """
    tables: dict[str, Counts] = {}
    counts: Counts = {}
    name = ""
    columns: tuple[int, ...] = ()
    for line in text.splitlines():
        code, _, cells = line.rpartition(_TABLE)
        if (row := _ROW.match(code)) and (alive := _alive(cells, columns)):
            counts[int(row[1], 16)] = alive
        elif section := _SECTION.match(line):
            columns = ()
            counts = {}
            name = section[1].removeprefix(_TEXT) if section[1].startswith(_TEXT) else ""
        elif name and counts and _LEGEND in line:
            tables[name] = counts
        elif not columns and (head := _HEAD.match(line)):
            names = [cell.strip() for cell in head[1].split("|") if cell.strip()]
            columns = tuple(_COLUMNS[name] for name in names if name in _COLUMNS)
    return tables


# Few are different.
@lru_cache(_DIFFERENT)
def _alive(cells: str, columns: tuple[int, ...]) -> LiveRegisters | None:
    """Returns the live registers in the cells of a row, or None for other text."""
    if not _CELLS.fullmatch(cells):
        return None
    values = list(_NONE)
    for at, cell in zip(columns, cells.split("|"), strict=False):
        if cell := cell.strip():
            values[at] = int(cell)
    return LiveRegisters(*values)


def with_live(code: Disassembly, live: dict[str, Counts]) -> Disassembly:
    """Returns the code with live registers; a function whose table breaks off stays without."""
    return replace(
        code,
        functions=tuple(
            _with_live(function, live.get(function.name, {})) for function in code.functions
        ),
    )


def _with_live(function: SassFunction, counts: Counts) -> SassFunction:
    if not counts:
        return function
    live = array("H")
    for address in function.addresses:
        # nvdisasm leaves out unreachable code: nothing is alive there.
        live.extend(counts.get(address, _NONE))
    return replace(function, live=live)


# ---- Which instruction a line of a text is

_CODE_SECTION = re.compile(r"\s*+\.section\s++\.text\.(\S+?),")
_LINE_ADDRESS = re.compile(r"\s*+/\*([0-9a-f]{4,})\*/\s")


@dataclass(frozen=True, slots=True)
class InstructionRef:
    """An instruction of a function."""

    function: SassFunction
    index: int


class ListingRows:
    """Ties the lines of a text, counted from 0, to the instructions that were read elsewhere.

    Args:
        lines: The listing of `nvdisasm -c`.
        code: The same code.
    """

    def __init__(self, lines: Sequence[str], code: Disassembly) -> None:
        self._functions = code.functions
        self._starts: list[int] = []
        total = 0
        for function in code.functions:
            self._starts.append(total)
            total += len(function)
        self._at_line = array("i", (NOWHERE,)) * len(lines)
        self._line_of = array("i", (NOWHERE,)) * total
        self._read(lines)

    def spot(self, line: int) -> InstructionRef | None:
        """Returns the instruction on a line, or None."""
        number = self._at_line[line] if 0 <= line < len(self._at_line) else NOWHERE
        if number == NOWHERE:
            return None
        at = bisect_right(self._starts, number) - 1
        return InstructionRef(self._functions[at], number - self._starts[at])

    def line(self, function: SassFunction, index: int) -> int:
        """Returns the line of an instruction, or `NOWHERE`."""
        at = self._functions.index(function)
        return self._line_of[self._starts[at] + index]

    def lines(self, function: SassFunction) -> Sequence[int]:
        """Returns the line of each instruction of a function; `NOWHERE` where there is none."""
        start = self._starts[self._functions.index(function)]
        return self._line_of[start : start + len(function)]

    def _read(self, lines: Sequence[str]) -> None:
        by_name = {function.name: n for n, function in enumerate(self._functions)}
        number = NOWHERE
        for line, text in enumerate(lines):
            if "/*" not in text:
                if section := _CODE_SECTION.match(text):
                    number = by_name.get(section[1], NOWHERE)
            elif number != NOWHERE and (address := _LINE_ADDRESS.match(text)):
                index = self._functions[number].index_of(int(address[1], 16))
                if index != NOWHERE:
                    self._at_line[line] = self._starts[number] + index
                    self._line_of[self._starts[number] + index] = line
