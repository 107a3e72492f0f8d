"""Reads `.loc` and `.file` of PTX: where each of its lines comes from, and through which calls."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from jitstudio.analysis.sass.model import InlineChain, SourceLocation
from jitstudio.core.code import CodeKind
from jitstudio.core.line_table_paths import plain_path
from jitstudio.listing.functions import Function, functions
from jitstudio.listing.lines import NOWHERE

# `.loc 2 5 5, function_name $L__info_string0, inlined_at 1 14 9`
_LOC = re.compile(
    r"\s*+\.loc\s++(\d+)\s++(\d+)\s++(\d+)"
    r"(?:\s*+,\s*+function_name\s++([\w$.%]++)(?:\s*+\+\s*+(\d+))?"
    r"\s*+,\s*+inlined_at\s++(\d+)\s++(\d+)\s++(\d+))?"
)
_FILE = re.compile(r'\s*+\.file\s++(\d+)\s++"([^"]*)"')
# NVVM, too, but it has one line for an `asm`.
_OF_LLVM, _HEAD = "LLVM NVPTX Back-End", 10
_ASSEMBLY = re.compile(r"\s*+// (begin|end) inline asm\b")
_SECTION = re.compile(r"\s*+\.section\s++(\.\w++)")
_STRINGS = ".debug_str"
_LABEL = re.compile(r"\s*+([\w$.%]++):\s*\Z")
_BYTES = re.compile(r"\s*+\.b8\s++([\dA-Fa-fx,\s]++)\Z")
_COMMENT = re.compile(r"//.*|/\*(?>.*?\*/)|/\*.*")
# Labels, braces and a predicate may come in front of an opcode, which begins with a small letter.
_STATEMENT = re.compile(r"\s*+(?:(?:[\w$.%]++\s*+:(?!:)|\{)\s*+)*+(?:@!?[\w$%]++\s*+)?[a-z]")

_At = tuple[int, int, int]
"""A file by its number, line and column, as `.loc` tells them."""
_Frames = tuple[tuple[int, int], ...]
"""The line itself and the calls that it was inlined through, by the number of their file."""


@dataclass(frozen=True, eq=False)
class PtxLines:
    """What a PTX text says about its lines, which count from 1.

    Attributes:
        count: How many lines there are.
        functions: Those that are defined here; their lines count from 0.
        places: The different places.
        callees: The lowered name of the function that inlined code is of, by its places; as each
            rest of a chain is a place of its own, those of its callers too.
        is_recounted: Whether lines of inline assembly were counted as lines of the source, as LLVM
            does in Triton 3.9: each further line of an `asm` has a `.loc` of its own, one line
            further down in the file. Here all of an `asm` has the place of its statement; a cubin
            that was made of this text has the wrong lines.
    """

    count: int
    functions: tuple[Function, ...]
    places: tuple[InlineChain, ...]
    callees: Mapping[InlineChain, str]
    is_recounted: bool
    _place_ids: array[int]
    _long: Mapping[int, range]

    def places_of(self, line: int) -> InlineChain:
        """Where an instruction comes from; empty for other lines, and where no `.loc` says."""
        place = self.place_id(line)
        return () if place == NOWHERE else self.places[place]

    def place_id(self, line: int) -> int:
        """Returns the index of its places, or `NOWHERE`."""
        return self._place_ids[line - 1] if 0 < line <= self.count else NOWHERE

    @cached_property
    def place_ids(self) -> NDArray[np.int32]:
        """For each line, from line 0 on, the index of its places, or `NOWHERE`."""
        of_lines = np.frombuffer(self._place_ids, np.int32)
        return np.concatenate((np.array([NOWHERE], np.int32), of_lines))

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """For each line, from line 0 on, the first line of its instruction, or itself."""
        found = np.arange(self.count + 1, dtype=np.int32)
        for whole in self._long.values():
            found[whole.start : whole.stop] = whole.start
        return found

    def statement(self, line: int) -> range:
        """The lines of the instruction that a line is of; other lines represent themselves."""
        return self._long.get(line) or range(line, line + 1)


def read_ptx_lines(lines: Sequence[str]) -> PtxLines:
    """Reads a PTX text; of a broken or truncated one what can be made out."""
    defined = tuple(f for f in functions(CodeKind.PTX, lines) if f.is_defined)
    is_of_llvm = any(_OF_LLVM in line for line in islice(lines, _HEAD))
    reader = _Reader(len(lines), is_of_llvm)
    reader.read_code(lines, defined)
    # Files and strings follow behind the code that refers to them.
    reader.read_tables(lines)
    return reader.found(defined)


@dataclass
class _Code:
    """How far a function has been read.

    Attributes:
        recent: What was known of each location when it was met last.
        place: The one that holds now.
        start: The line where an instruction begins that has not ended.
        in_comment: Whether a comment is open.
        in_assembly: Whether this is inline assembly, and whether that has said its place.
    """

    recent: dict[_At, _Frames] = field(default_factory=dict)
    place: int = NOWHERE
    start: int | None = None
    in_comment: bool = False
    in_assembly: tuple[bool, bool] = (False, False)


@dataclass
class _Reader:
    """Takes in the functions one by one, then all that is not in them."""

    count: int
    is_of_llvm: bool
    is_recounted: bool = False
    place_ids: array[int] = field(init=False)
    long: dict[int, range] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
    strings: dict[str, bytearray] = field(default_factory=dict)
    # The different places, each with where the name of its function is.
    known: dict[_Frames, int] = field(default_factory=dict)
    labels: dict[_Frames, tuple[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.place_ids = array("i", (NOWHERE,)) * self.count

    def read_code(self, lines: Sequence[str], defined: Sequence[Function]) -> None:
        ahead = iter(defined)
        function = next(ahead, None)
        code = _Code()
        for at, line in enumerate(lines):
            if function is not None and at >= function.end:
                function, code = next(ahead, None), _Code()
            if function is not None and at >= function.line:
                self._read_line(at, line, code)

    def _read_line(self, at: int, line: str, code: _Code) -> None:
        if code.start is None and (loc := _LOC.match(line)):
            is_inside, has_place = code.in_assembly
            if has_place:
                self.is_recounted = True
            else:
                code.place = self._take_loc(loc, code.recent)
                code.in_assembly = (is_inside, is_inside)
            return
        if self.is_of_llvm and (mark := _ASSEMBLY.match(line)):
            code.in_assembly = (mark[1] == "begin", False)
        text, code.in_comment = _without_comments(line, code.in_comment)
        if code.start is None and _STATEMENT.match(text):
            code.start = at
        if code.start is not None:
            self.place_ids[at] = code.place
            if ";" in text:
                self._end_statement(code.start, at)
                code.start = None

    def _take_loc(self, loc: re.Match[str], recent: dict[_At, _Frames]) -> int:
        file, line, column, label, offset, *call = loc.groups()
        frames: _Frames = ((int(file), int(line)),)
        if label is not None:
            caller, caller_line, caller_column = map(int, call)
            # The chain goes on with whatever was known of the call when it was met last.
            outer = recent.get((caller, caller_line, caller_column), ((caller, caller_line),))
            frames += outer
            self.labels[frames] = (label, int(offset or 0))
        recent[(int(file), int(line), int(column))] = frames
        return self.known.setdefault(frames, len(self.known))

    def _end_statement(self, start: int, last: int) -> None:
        if last > start:
            whole = range(start + 1, last + 2)
            self.long.update(dict.fromkeys(whole, whole))

    def read_tables(self, lines: Iterable[str]) -> None:
        section = label = ""
        for line in lines:
            if "." not in line and ":" not in line:
                continue
            if file := _FILE.match(line):
                self.files[int(file[1])] = plain_path(file[2])
            elif found := _SECTION.match(line):
                section = found[1]
            elif section == _STRINGS and (named := _LABEL.match(line)):
                label = named[1]
            elif section == _STRINGS and label and (data := _BYTES.match(line)):
                self.strings.setdefault(label, bytearray()).extend(_bytes(data[1]))

    def found(self, defined: tuple[Function, ...]) -> PtxLines:
        places = {frames: self._places(frames) for frames in self.known}
        callees = {
            places[frames]: name
            for frames, label in self.labels.items()
            if frames in places and (name := self._string(*label))
        }
        return PtxLines(
            self.count,
            defined,
            tuple(places.values()),
            callees,
            self.is_recounted,
            self.place_ids,
            self.long,
        )

    def _places(self, frames: _Frames) -> InlineChain:
        """Nothing at all where a part is not known: half a chain would be misleading.

        Line 0 represents code that the compiler brought along.
        """
        if any(number not in self.files or not line for number, line in frames):
            return ()
        return tuple(SourceLocation(self.files[number], line) for number, line in frames)

    def _string(self, label: str, offset: int) -> str:
        text, _, _ = bytes(self.strings.get(label, b"")[offset:]).partition(b"\0")
        return text.decode("utf-8", "replace")


def _without_comments(line: str, in_comment: bool) -> tuple[str, bool]:
    """Returns a line of code without its comments, and whether one is open at its end."""
    if in_comment:
        _, end, line = line.partition("*/")
        if not end:
            return "", True
    if "/" not in line:
        return line, False
    is_open = any(
        c[0].startswith("/*") and not c[0].endswith("*/") for c in _COMMENT.finditer(line)
    )
    return _COMMENT.sub(" ", line), is_open


def _bytes(text: str) -> Iterable[int]:
    for word in text.split(","):
        try:
            yield int(word, 0) & 0xFF
        except ValueError:
            return
