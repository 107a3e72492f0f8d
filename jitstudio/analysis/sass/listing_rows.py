"""Which instruction a line of a SASS text is, and on which line an instruction stands."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from jitstudio.analysis.sass.model import NOWHERE, Disassembly, SassFunction

_SECTION = re.compile(r"\s*+\.section\s++\.text\.(\S+?),")
_ADDRESS = re.compile(r"\s*+/\*([0-9a-f]{4,})\*/\s")


@dataclass(frozen=True, slots=True)
class Spot:
    """An instruction of a function."""

    function: SassFunction
    index: int


class ListingRows:
    """Ties the lines of a text, counted from 0, to the instructions that were read elsewhere.

    Args:
        lines: What `nvdisasm -c` printed.
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

    def spot(self, line: int) -> Spot | None:
        """The instruction on a line, or None."""
        found = self._at_line[line] if 0 <= line < len(self._at_line) else NOWHERE
        if found == NOWHERE:
            return None
        at = bisect_right(self._starts, found) - 1
        return Spot(self._functions[at], found - self._starts[at])

    def line(self, function: SassFunction, index: int) -> int:
        """The line of an instruction, or `NOWHERE`."""
        at = self._functions.index(function)
        return self._line_of[self._starts[at] + index]

    def lines(self, function: SassFunction) -> Sequence[int]:
        """The line of each instruction of a function; `NOWHERE` where there is none."""
        start = self._starts[self._functions.index(function)]
        return self._line_of[start : start + len(function)]

    def _read(self, lines: Sequence[str]) -> None:
        by_name = {function.name: n for n, function in enumerate(self._functions)}
        number = NOWHERE
        for line, text in enumerate(lines):
            if "/*" not in text:
                if section := _SECTION.match(text):
                    number = by_name.get(section[1], NOWHERE)
            elif number != NOWHERE and (found := _ADDRESS.match(text)):
                index = self._functions[number].index_of(int(found[1], 16))
                if index != NOWHERE:
                    self._at_line[line] = self._starts[number] + index
                    self._line_of[self._starts[number] + index] = line
