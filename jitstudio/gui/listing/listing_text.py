"""The text of a listing: lines, tokens, and the cell of each character.

Pure but for the protocol of the lexer: no widget, no paint. Lines and columns count from 0; a
column is a character, a cell is one place of the fixed-width grid.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from pygments.token import Name, Text

from jitstudio.gui.code.languages import CodeLexer
from jitstudio.gui.kit.theme import TokenType
from jitstudio.listing.sass import (
    ADDRESS,
    TAB,
    TIGHT_TAB,
    NameInPlace,
    TextExtent,
    char_cells,
    code_end,
    widest_line,
)

LONG_LINE = 5000
"""A longer line is lexed in pieces and has one cell for each character."""

Run = tuple[int, int, TokenType]
"""First column, number of columns, type."""

NAME_IN_PLACE: TokenType = Name.Variable.Instance
"""The type of a part that is drawn as a name."""

ADDRESS_GAP = 1
"""Cells between an address and its instruction."""

# How far back to look for the start of a block comment. Farther costs more than it is worth.
_LOOK_BACK = 100
_MOST_CACHED = 4000
_PIECE = 1024


class ListingText:
    """Lines that are lexed when they become visible.

    Attributes:
        lines: The shown lines.
        lexer: Finds the tokens; None for plain text.
        stand_ins: Lines as the lexer shall see them; see `listing.kernel_names.DemangledListing`.
        tab: The cells between tab stops.
        measured: How much room it takes with the usual ones.
        first_number: The number of the first line in the margin, as a text may be part of a file.
        names: What is drawn in place of parts of lines, in their order.
    """

    def __init__(
        self,
        lines: Sequence[str] = ("",),
        lexer: CodeLexer | None = None,
        stand_ins: Mapping[int, str] = MappingProxyType({}),
        extent: TextExtent | None = None,
        first_number: int = 1,
        names: Mapping[int, Sequence[NameInPlace]] = MappingProxyType({}),
    ) -> None:
        self.first_number = first_number
        self.lines = lines if len(lines) else ("",)
        self.lexer = lexer
        self.stand_ins = stand_ins
        self.names = names
        self._tokens: dict[tuple[int, int], list[Run]] = {}
        self._states: dict[int, int] = {}
        self.tab = TAB
        self.measured = extent or TextExtent(widest_line(self.lines))

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def extent(self) -> TextExtent:
        """How much room it takes as it is shown."""
        tight = self.measured.tight
        return self.measured if self.tab == TAB or tight is None else tight

    def fit(self, cells: float) -> None:
        """Sets the tab stops closer where an instruction is longer than so many cells."""
        is_tight = self.measured.tight is not None and self.measured.code > cells
        self.tab = TIGHT_TAB if is_tight else TAB

    def tokens(self, line: int, first: int = 0, last: int = LONG_LINE) -> list[Run]:
        """Returns the tokens of a line, or of the part between two columns if the line is long."""
        text = self.lines[line]
        if self.lexer is None:
            return [(first, last - first, Text)]
        if len(text) > LONG_LINE:
            return self._long_line_tokens(text, line, first, last)
        key = (line, 0)
        runs = self._tokens.get(key)
        if runs is None:
            self._forget()
            code = self.stand_ins.get(line, text)
            runs, state = self.lexer.lex_line(code, self._state_before(line))
            if line in self.names:
                runs = _with_names(runs, self.names[line])
            self._tokens[key], self._states[line] = runs, state
        return runs

    def _state_before(self, line: int) -> int:
        """Returns the state at the start of a line; a guess where a comment began far above."""
        assert self.lexer is not None
        start = line
        while start > 0 and line - start < _LOOK_BACK and start - 1 not in self._states:
            start -= 1
        state = self._states.get(start - 1, 0)
        for number in range(start, line):
            text = self.lines[number]
            if len(text) <= LONG_LINE:
                state = self.lexer.lex_line(self.stand_ins.get(number, text), state)[1]
            self._states[number] = state
        return state

    def _long_line_tokens(self, text: str, line: int, first: int, last: int) -> list[Run]:
        assert self.lexer is not None
        runs: list[Run] = []
        for piece in range(first // _PIECE, last // _PIECE + 1):
            key = (line, piece + 1)
            if key not in self._tokens:
                self._forget()
                start = piece * _PIECE
                tokens, _ = self.lexer.lex_line(text[start : start + _PIECE], 0)
                self._tokens[key] = [(start + at, length, token) for at, length, token in tokens]
            runs += self._tokens[key]
        return runs

    def _forget(self) -> None:
        if len(self._tokens) > _MOST_CACHED:
            self._tokens.clear()
        if len(self._states) > 10 * _MOST_CACHED:
            self._states.clear()

    def lead(self, line: int) -> int:
        """Returns the number of columns of a line in the column of addresses."""
        address = self._address(line)
        return address.end() if address else 0

    def digits(self, line: int) -> tuple[int, int]:
        """Returns the columns of the digits of an address, from the first to behind the last."""
        address = self._address(line)
        return address.span(1) if address and address[1] else (0, 0)

    def _address(self, line: int) -> re.Match[str] | None:
        return ADDRESS.match(self.lines[line]) if self.extent.digits else None

    def is_simple(self, line: int) -> bool:
        """Returns whether every character takes a single cell, so that column equals cell."""
        text = self.lines[line]
        if len(text) > LONG_LINE:
            return True
        is_plain = text.isascii() and "\t" not in text and not self.lead(line)
        return is_plain and line not in self.names

    def cells(self, line: int) -> list[int]:
        """Returns the cell of each column of a line that is not simple, and of the line end.

        Those of an address are negative: its digits end `ADDRESS_GAP` in front of the text, and the
        signs of the comment that it is in take no room. Those behind a name are spread over it.
        """
        text, lead = self.lines[line], self.lead(line)
        first, end = self.digits(line)
        cells = [min(max(first, at), end) - end - ADDRESS_GAP for at in range(lead)]
        cells.append(0)
        for name in self.names.get(line, ()):
            _append_cells(cells, text[len(cells) - 1 : name.start], self.tab)
            start, wide = cells[-1], name.end - name.start
            spread = sum(map(char_cells, name.text))
            cells += (start + at * spread // wide for at in range(1, wide + 1))
        _append_cells(cells, text[len(cells) - 1 :], self.tab)
        return cells

    def name_at(self, line: int, column: int) -> NameInPlace | None:
        """Returns the name that is drawn in place of a column, or None."""
        names = self.names.get(line, ())
        return next((name for name in names if name.start <= column < name.end), None)

    def outside_names(self, line: int, column: int, forward: bool) -> int:
        """Returns a column; within a name, the edge of the name behind or before."""
        name = self.name_at(line, column)
        if name is None or column == name.start:
            return column
        return name.end if forward else name.start

    def pieces(self, line: int, span: tuple[int, int]) -> Iterator[tuple[int, str]]:
        """Yields the drawn pieces of a part of a line: column, and text from there on."""
        text, at = self.lines[line], span[0]
        for name in self.names.get(line, ()):
            if at <= name.start < span[1]:
                yield at, text[at : name.start]
                yield name.start, name.text
                at = name.end
        yield at, text[at : span[1]]

    def cell(self, line: int, column: int) -> int:
        """Returns the cell that a column begins at."""
        return column if self.is_simple(line) else self.cells(line)[column]

    def column(self, line: int, cell: float) -> int:
        """Returns the column nearest to a place on the grid."""
        length = len(self.lines[line])
        if self.is_simple(line):
            return min(length, max(0, round(cell)))
        cells = self.cells(line)
        right = min(length, bisect_right(cells, cell))
        left = max(0, right - 1)
        return left if cell - cells[left] <= cells[right] - cell else right

    def gap(self, line: int, cell: float) -> int:
        """Returns the column nearest to a place on the grid that is not within a name."""
        column = self.column(line, cell)
        if (name := self.name_at(line, column)) is None:
            return column
        cells = self.cells(line)
        is_left = cell - cells[name.start] <= cells[name.end] - cell
        return name.start if is_left else name.end

    def cut(self, line: int, right: float) -> int | None:
        """Returns the column where a line that is too long for the view has to end, or None.

        Returns:
            None where all of it is left of that cell, but for a semicolon behind it.
        """
        text, edge = self.lines[line], int(right)
        if self.is_simple(line):
            return max(0, edge - 1) if code_end(text) > edge else None
        cells = self.cells(line)
        if cells[code_end(text)] <= edge:
            return None
        column = self.outside_names(line, bisect_right(cells, edge - 1) - 1, forward=False)
        return max(self.lead(line), column)

    def width(self, line: int) -> int:
        """Returns how many cells a line takes."""
        return self.cell(line, len(self.lines[line]))


def _append_cells(cells: list[int], text: str, tab: int) -> None:
    """Adds the cell behind each character of a text to the cells in front."""
    cell = cells[-1]
    for char in text:
        cell += tab - cell % tab if char == "\t" else char_cells(char)
        cells.append(cell)


def _with_names(runs: Sequence[Run], names: Sequence[NameInPlace]) -> list[Run]:
    """Returns tokens with a token for each name, in place of the named text."""
    others: list[Run] = []
    for start, length, token in runs:
        at, end = start, start + length
        for name in names:
            if name.end <= at or name.start >= end:
                continue
            if at < name.start:
                others.append((at, name.start - at, token))
            at = name.end
        if at < end:
            others.append((at, end - at, token))
    return sorted([*others, *((n.start, n.end - n.start, NAME_IN_PLACE) for n in names)])
