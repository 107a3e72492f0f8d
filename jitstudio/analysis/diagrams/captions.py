"""The texts in the blocks of a flow graph, and the room that they take."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.diagrams.flow_layout import Size
from jitstudio.analysis.sass.model import SassFunction

_MOST_ROWS = 14
_MOST_CELLS = 56
_CUT = "…"
_CODE = re.compile(r"\s*+(?!//|\.|[{}()]\s*+(?://.*)?\Z|[\w$%]++:\s*+\Z)\S")


@dataclass(frozen=True, slots=True)
class Caption:
    """The text of a block.

    Attributes:
        title: The name of the block.
        rows: The code; of long code the beginning, the number of rows left out, and the last row.
        count: The number of rows in full.
    """

    title: str
    rows: tuple[str, ...]
    count: int


@dataclass(frozen=True)
class TextMetrics:
    """The room that text takes.

    Attributes:
        width: The width of a letter.
        height: The height of a row.
        above: The distance from the top of a row to the baseline.
    """

    width: float
    height: float
    above: float

    @property
    def margin(self) -> float:
        """The distance between text and frame."""
        return self.width

    def size(self, caption: Caption) -> Size:
        """Returns the size of a block with this caption."""
        cells = max(map(len, (caption.title, *caption.rows)))
        rows = 1 + len(caption.rows)
        return Size((cells + 2) * self.width, rows * self.height + 2 * self.margin)

    def row_top(self, row: int) -> float:
        """Returns the distance of a row from the top of the block; row 0 is the title."""
        return row * self.height + self.margin * (0.5 if row == 0 else 1.5)


def sass_captions(
    graph: FlowGraph, function: SassFunction, spell: Callable[[str], str] = str
) -> tuple[Caption, ...]:
    """Returns the instructions of each block, without their addresses.

    Args:
        graph: The blocks.
        function: The code.
        spell: Returns a text with names as people write them.
    """
    return tuple(
        _caption(block.name, range(block.start, block.end), lambda at: function[at].text, spell)
        for block in graph.blocks
    )


def ptx_captions(
    graph: FlowGraph, lines: Sequence[str], spell: Callable[[str], str] = str
) -> tuple[Caption, ...]:
    """Returns the instructions of each block, without comments and declarations.

    Args:
        graph: The blocks.
        lines: The text.
        spell: Returns a text with names as people write them.
    """
    return tuple(
        _caption(
            block.name,
            [at for at in range(block.start, block.end) if _CODE.match(lines[at])],
            lambda at: lines[at].partition("//")[0],
            spell,
        )
        for block in graph.blocks
    )


def _caption(
    title: str, places: Sequence[int], text: Callable[[int], str], spell: Callable[[str], str]
) -> Caption:
    count = len(places)
    if count <= _MOST_ROWS:
        rows = [text(at) for at in places]
    else:
        left_out = count - _MOST_ROWS + 1
        rows = [text(at) for at in places[: _MOST_ROWS - 2]]
        # The target of a block is named in its last row.
        rows += [f"{_CUT} {left_out} more {_CUT}", text(places[-1])]
    title, *rows = (_short(spell(text_row)) for text_row in (title, *rows))
    return Caption(title, tuple(rows), count)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_CELLS else text[: _MOST_CELLS - 1] + _CUT
