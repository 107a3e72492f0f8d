"""Facts read off the text of nvdisasm, and the room of a text on a grid."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

from jitstudio.core.code import CodeKind

TAB = 8
"""Cells between tab stops: what nvdisasm and ptxas reckon with."""
TIGHT_TAB = 2
"""The same where instructions would be cut else."""
_NO_INSTRUCTION = ("\t.", "\t//")

_WIDE = ("W", "F")
_PIECE = 10_000


def char_cells(char: str) -> int:
    """Returns how many cells a character takes that is no tab."""
    if char.isascii():
        return 1
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def widest_line(lines: Sequence[str]) -> int:
    """Returns the cells of the longest line, or a few more; 300,000 lines take some 30 ms."""
    # In pieces, so that other threads get a turn in between.
    pieces = (lines[at : at + _PIECE] for at in range(0, len(lines), _PIECE))
    return max(map(_widest, pieces), default=0)


def _widest(lines: Sequence[str]) -> int:
    # Nothing in Python is called for each line here: there are hundreds of thousands.
    widest = max(map(len, map(str.expandtabs, lines)))
    if "".join(lines).isascii():
        return widest
    # No character takes more cells than bytes of UTF-8.
    special = (line.expandtabs() for line in lines if not line.isascii())
    others = (len(line.encode("utf-8", "replace")) for line in special)
    return max(widest, max(others, default=0))


# `        /*0010*/                   S2R R0, SR_TID.X ;`: the address, then the instruction.

ADDRESS = re.compile(r" *+/\*([0-9a-f]{4,})\*/ | {9}(?= *+/\* 0x)")
"""In front of an instruction, as `tightened` leaves it, or of the rest of its encoding."""

# As nvdisasm prints it: the opcode is in column 35, its predicate right in front of it.
_RAW = re.compile(r" {8}/\*([0-9a-f]{4,})\*/ {4,}+(?>(@!?\w++) ++)?+(?=\S)")
_RAW_COLUMN = 35
_ENCODING = re.compile(r" +(?=/\* 0x)")
_HEADING = re.compile(r"//-++ (\S++)\s++-++$")
_TARGET = re.compile(r"`\([^()]*+\)")
_TARGET_SIGN = "`("
_SHORT_TARGET = "`(.L_x_12)"


def tightened(lines: Sequence[str]) -> tuple[str, ...]:
    """Returns the lines of a listing without the blanks that nothing is ever printed in.

    The address begins the line, opcodes are in one column behind the longest predicate, and
    encodings stay as far behind them as they were. Headings lose most of their dashes.
    """
    matches = [_RAW.match(line) for line in lines]
    room = max((len(match[2]) + 1 for match in matches if match and match[2]), default=0)
    moved = _RAW_COLUMN - len("/*0000*/ ") - room
    return tuple(
        f"/*{match[1]}*/ {match[2] or '':>{max(0, room - 1)}}{' ' if room else ''}"
        f"{line[match.end() :]}"
        if match
        else _without_room(line, moved)
        for line, match in zip(lines, matches, strict=True)
    )


def _without_room(line: str, moved: int) -> str:
    if line.startswith("//-"):
        return _HEADING.sub(r"//---- \1 ----", line)
    rest = _ENCODING.match(line)
    return line[moved:] if rest and rest.end() > moved else line


class NameInPlace(NamedTuple):
    """A name that is drawn in place of a part of an unchanged line.

    Attributes:
        start: The first column of the part.
        end: The column behind its last.
        text: The name.
    """

    start: int
    end: int
    text: str


def with_names(line: str, names: Sequence[NameInPlace]) -> str:
    """Returns a line as drawn with names, which are in order."""
    for name in reversed(names):
        line = f"{line[: name.start]}{name.text}{line[name.end :]}"
    return line


OUTLIERS = 0.03
"""The part of all instructions that may be longer than usual; one, at least, of four or more."""


def code_end(line: str) -> int:
    """Returns where the code of an instruction ends: a semicolon behind says nothing."""
    return len(line.rstrip(" ;"))


@dataclass(frozen=True)
class TextExtent:
    """How much room a text takes, in cells.

    Attributes:
        widest: The longest line takes so much, or a few more.
        digits: Of the longest address; 0 where there are none.
        code: The longest instruction behind its address, without the semicolon at its end. A
            function that it calls by name counts as a short label: names are of any length.
        usual: The same of all instructions but the few longest: see `OUTLIERS`.
        tight: Of PTX, the same with tab stops of `TIGHT_TAB` cells.
    """

    widest: int
    digits: int = 0
    code: int = 0
    usual: int = 0
    tight: TextExtent | None = None

    def widened(self, cells: int) -> TextExtent:
        """Returns the same for a text whose longest line takes so much, or more."""
        tight = self.tight.widened(cells) if self.tight is not None else None
        return replace(self, widest=max(self.widest, cells), tight=tight)

    @classmethod
    def of(cls, lines: Sequence[str], kind: CodeKind | None) -> TextExtent:
        """Measures a text; only SASS has addresses. Takes half a second for 300,000 lines."""
        if kind is CodeKind.PTX:
            wide, tight = (cls._of_ptx(lines, tab) for tab in (TAB, TIGHT_TAB))
            return replace(wide, tight=tight)
        if kind is not CodeKind.SASS:
            return cls(widest_line(lines))
        digits, lengths = 0, Counter[int]()
        for line in lines:
            if "/*" in line and (address := ADDRESS.match(line)) and address[1]:
                digits = max(digits, len(address[1]))
                shown = _TARGET.sub(_SHORT_TARGET, line) if _TARGET_SIGN in line else line
                lengths[code_end(shown) - address.end()] += 1
        if not lengths:
            return cls(widest_line(lines))
        return cls(widest_line(lines), digits, max(lengths), _usual(lengths))

    @classmethod
    def _of_ptx(cls, lines: Sequence[str], tab: int) -> TextExtent:
        widest, lengths = 0, Counter[int]()
        for line in lines:
            # Instructions are behind a tab; directives, such as parameters, are of any length.
            if line.startswith("\t") and not line.startswith(_NO_INSTRUCTION):
                lengths[code_end(line.expandtabs(tab))] += 1
            elif "\t" in line:
                widest = max(widest, len(line.expandtabs(tab)))
        longest = max(lengths, default=0)
        widest = max(widest, longest + len(" ;"), widest_line(lines) if tab == TAB else 0)
        return cls(widest, 0, longest, _usual(lengths) if lengths else 0)


def _usual(lengths: Counter[int]) -> int:
    """Returns the longest of all lengths but the few of outliers."""
    above = min(ceil(OUTLIERS * lengths.total()), lengths.total() // 4)
    for usual in sorted(lengths, reverse=True):
        above -= lengths[usual]
        if above < 0:
            return usual
    return 0
