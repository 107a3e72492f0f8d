"""Reads `.loc` and `.file` of PTX: the source line of each PTX line, and the calls in between."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from jitstudio.analysis.sass.model import InlineChain, SourceLocation
from jitstudio.core.line_table_paths import plain_path
from jitstudio.listing.functions import Function, ptx_functions
from jitstudio.listing.lines import NOWHERE
from jitstudio.ptx.scanner import NAME, bare_ptx, integer_of
from jitstudio.ptx.skimming import FunctionText, Place, file_names, function_texts, items, place_of

# NVVM writes this header, too, but has a single line for an `asm`.
_OF_LLVM, _HEAD = "LLVM NVPTX Back-End", 10
_ASSEMBLY = re.compile(r"^[ \t]*+// (begin|end) inline asm\b", re.MULTILINE)
_STRINGS = re.compile(r"\.section\s++\.debug_str\b\s*+\{?(?P<strings>[^{}]*+)")
_STRING_PART = re.compile(
    rf"(?<![\w$%])(?P<label>{NAME})\s*+:|\.b8\s++(?P<bytes>\d\w*+(?>\s*+,\s*+\d\w*+)*+)"
)
# Directives begin with a dot.
_IS_INSTRUCTION = re.compile(r"[@a-z]")

_Frames = tuple[tuple[int, int], ...]
"""The line itself and the calls through which it was inlined, each with the number of the file."""


@dataclass(frozen=True, eq=False)
class PtxLines:
    """The places of the lines of a PTX text, which count from 1.

    Attributes:
        count: The number of lines.
        functions: The functions defined here; their lines count from 0.
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
        """Returns the place of an instruction; empty for other lines, and where no `.loc` says."""
        place = self.place_id(line)
        return () if place == NOWHERE else self.places[place]

    def place_id(self, line: int) -> int:
        """Returns the index of the place of a line, or `NOWHERE`."""
        return self._place_ids[line - 1] if 0 < line <= self.count else NOWHERE

    @cached_property
    def place_ids(self) -> NDArray[np.int32]:
        """The index of the places of each line, from line 0 on, or `NOWHERE`."""
        of_lines = np.frombuffer(self._place_ids, np.int32)
        return np.concatenate((np.array([NOWHERE], np.int32), of_lines))

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """The first line of the instruction on each line, from line 0 on, or the line."""
        starts = np.arange(self.count + 1, dtype=np.int32)
        for whole in self._long.values():
            starts[whole.start : whole.stop] = whole.start
        return starts

    def statement(self, line: int) -> range:
        """Returns the lines of the instruction on a line; other lines represent themselves."""
        return self._long.get(line) or range(line, line + 1)


def read_ptx_lines(lines: Sequence[str], only: Collection[str] = ()) -> PtxLines:
    """Reads a PTX text; of a broken or truncated text the readable part.

    Args:
        lines: The text.
        only: The functions whose lines are wanted; empty for all.
    """
    text = "\n".join(lines)
    bare = bare_ptx(text)
    reader = _Reader(len(lines), any(_OF_LLVM in line for line in islice(lines, _HEAD)))
    texts = tuple(function_texts(bare))
    wanted = (f for f in texts if f.body >= 0 and (not only or f.name in only))
    reader.read_code(text, bare, wanted)
    # Files and strings follow behind the code that refers to them.
    reader.files = {n: plain_path(name) for n, name in file_names(text, bare).items()}
    reader.read_strings(bare)
    return reader.result(tuple(f for f in ptx_functions(bare, texts) if f.is_defined))


@dataclass
class _Code:
    """The state of reading within a function.

    Attributes:
        recent: The calls known for each location when it was met last.
        place: The place that holds now.
        is_in_assembly: Whether inline assembly is being read.
        has_place: Whether the inline assembly has had its `.loc`.
    """

    recent: dict[Place, _Frames] = field(default_factory=dict)
    place: int = NOWHERE
    is_in_assembly: bool = False
    has_place: bool = False


@dataclass
class _Reader:
    """Reads the functions of a text in order, then the files and strings."""

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

    def read_code(self, text: str, bare: str, functions: Iterable[FunctionText]) -> None:
        """Takes in the functions.

        Args:
            text: The PTX, whose comments say where inline assembly is.
            bare: The same with its comments hidden.
            functions: Those to take in, which have bodies.
        """
        line = at = 0
        for function in functions:
            line += bare.count("\n", at, function.body)
            at = function.body
            self._read_function(text, bare, function, line)

    def _read_function(self, text: str, bare: str, function: FunctionText, line: int) -> None:
        code, at = _Code(), function.body
        marks = _ASSEMBLY.finditer(text, at, function.end) if self.is_of_llvm else iter(())
        assembly = [(mark.start(1), mark[1] == "begin") for mark in marks][::-1]
        for item in items(bare, at + 1, function.end):
            kind = str(item.lastgroup)
            start, end = item.span(kind)
            while assembly and assembly[-1][0] < start:
                code.is_in_assembly, code.has_place = assembly.pop()[1], False
            if kind == "loc":
                self._take_loc(item, code)
            elif kind == "statement" and _IS_INSTRUCTION.match(bare, start):
                line += bare.count("\n", at, start)
                last = line + bare.count("\n", start, end)
                at = start
                if last == line:
                    if self.place_ids[line] == NOWHERE:
                        self.place_ids[line] = code.place
                else:
                    self._take_long(line, last, code.place)

    def _take_loc(self, loc: re.Match[str], code: _Code) -> None:
        if code.has_place:
            self.is_recounted = True
            return
        code.has_place = code.is_in_assembly
        here, call = place_of(loc["place"]), place_of(loc["call"])
        if here is None:
            return
        frames: _Frames = (here[:2],)
        if call is not None:
            # The chain continues with the chain of the call when that was met last.
            frames += code.recent.get(call, (call[:2],))
            self.labels[frames] = (loc["callee"], integer_of(loc["offset"] or "0"))
        code.recent[here] = frames
        code.place = self.known.setdefault(frames, len(self.known))

    def _take_long(self, start: int, last: int, place: int) -> None:
        whole = range(start + 1, last + 2)
        self.long.update(dict.fromkeys(whole, whole))
        for at in range(start, last + 1):
            if self.place_ids[at] == NOWHERE:
                self.place_ids[at] = place

    def read_strings(self, bare: str) -> None:
        """Takes in the names of functions that were inlined."""
        for section in _STRINGS.finditer(bare):
            label = ""
            for part in _STRING_PART.finditer(section["strings"]):
                if part["label"]:
                    label = part["label"]
                elif label:
                    self.strings.setdefault(label, bytearray()).extend(_bytes(part["bytes"]))

    def result(self, defined: tuple[Function, ...]) -> PtxLines:
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
        """Returns the places of frames; none with an unknown part, as half a chain misleads.

        Line 0 represents code that the compiler added.
        """
        if any(number not in self.files or not line for number, line in frames):
            return ()
        return tuple(SourceLocation(self.files[number], line) for number, line in frames)

    def _string(self, label: str, offset: int) -> str:
        text, _, _ = bytes(self.strings.get(label, b"")[offset:]).partition(b"\0")
        return text.decode("utf-8", "replace")


def _bytes(text: str) -> Iterable[int]:
    for word in text.split(","):
        try:
            yield integer_of(word.strip()) & 0xFF
        except ValueError:
            return
