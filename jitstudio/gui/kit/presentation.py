"""The common base of table models of panels: roles, and text made fit for a cell.

Models name a mark ("error") and never a colour; the delegate of the table knows the theme.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, Qt

if TYPE_CHECKING:
    # The window comes up without any.
    from jitstudio.core.figures import KernelFigure

ModelIndex = QModelIndex | QPersistentModelIndex

SORT_ROLE = Qt.ItemDataRole.UserRole + 1
"""A number or a string to sort a column by."""
MARK_ROLE = Qt.ItemDataRole.UserRole + 2
"""The mark before the text, or None: both an icon and a field of `theme.MarkColors`."""
MUTED_ROLE = Qt.ItemDataRole.UserRole + 3
"""Whether the text is a hint rather than content."""

# What HTML would take for its own; Python's module for it knows two thousand names more.
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
# In 1,234,567 and not in (3, 4): a comma between groups of digits.
_GROUP = re.compile(r"(?<=\d),(?=\d{3}\b)")
_LONGEST_CELL = 500
_SHORT_LINE = 80
_LONGEST_TOOLTIP = 4000

_UNKNOWN = "\N{EN DASH}"
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"))
_FINE = 10.0
_SECOND = 1000.0
_MINUTE = 60.0
_Row = TypeVar("_Row")


class TableColumn(NamedTuple, Generic[_Row]):
    """A column of a table.

    Attributes:
        title: The text of the header; translated, or marked for it in the context "Columns".
        text: The cell's text.
        sort_key: The value to sort by; the text where not given.
        tooltip: The text that does not fit the cell; the cell's text where not given.
        number: Whether it is set against the right edge.
        mark: The mark before the text; none where not given.
    """

    title: str
    text: Callable[[_Row], str]
    sort_key: Callable[[_Row], str | int | float] | None = None
    tooltip: Callable[[_Row], str] | None = None
    number: bool = False
    mark: Callable[[_Row], str] | None = None

    def data(self, row: _Row, role: int) -> Any:
        """Returns the model's answers for the roles that every column has."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return one_line(self.text(row))
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip((self.tooltip or self.text)(row))
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment
            case _ if role == MARK_ROLE:
                return self.mark(row) if self.mark else None
            case _ if role == SORT_ROLE:
                return (self.sort_key or self.text)(row)
        return None

    def header(self, role: int) -> Any:
        """Returns the model's answers for the column's header."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.heading
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment
        return None

    def plain_text(self, row: _Row) -> str:
        """Returns the cell's text for a spreadsheet: a number as one, nothing for an unknown."""
        text = " ".join(self.text(row).split())
        return _GROUP.sub("", text).removeprefix(_UNKNOWN) if self.number else text

    @property
    def heading(self) -> str:
        """The title in the user's language."""
        return QCoreApplication.translate("Columns", self.title)

    @property
    def alignment(self) -> int:
        """Left or right; an int, as an alignment flag in a variant is not understood by Qt."""
        side = Qt.AlignmentFlag.AlignRight if self.number else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)


def figure_column(figure: KernelFigure, value: Callable[[_Row], int | None]) -> TableColumn[_Row]:
    """Returns the column of a figure of kernels; a dash where unknown, with the reason as tip."""

    def text(row: _Row) -> str:
        count = value(row)
        return _UNKNOWN if count is None else f"{count:,}"

    def meaning(row: _Row) -> str:
        means = QCoreApplication.translate("Figures", figure.meaning)
        if value(row) is None:
            message = QCoreApplication.translate("Kernels", "{meaning}: {why}")
            why = QCoreApplication.translate("Figures", figure.unknown)
            return message.format(meaning=f"{means[:1].upper()}{means[1:]}", why=why)
        message = QCoreApplication.translate("Kernels", "{count} {meaning}")
        return message.format(count=text(row), meaning=means)

    def sort_key(row: _Row) -> int:
        count = value(row)
        return -1 if count is None else count

    return TableColumn(figure.title, text, sort_key=sort_key, tooltip=meaning, number=True)


def title_of(
    titles: Sequence[str],
    section: int,
    orientation: Qt.Orientation,
    role: int,
    tips: Mapping[int, str] = MappingProxyType({}),
) -> Any:
    """Returns the header data of a model whose columns have only words.

    Titles and tips are translated, or marked for it in the context "Columns".
    """
    if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(titles):
        return None
    if role == Qt.ItemDataRole.ToolTipRole:
        tip = tips.get(section)
        return tip and QCoreApplication.translate("Columns", tip)
    return TableColumn(titles[section], str).header(role)


def one_line(text: str) -> str:
    """Returns the text as far as a row of a table can show."""
    first, newline, _rest = text.strip()[: _LONGEST_CELL + 1].partition("\n")
    return f"{first[:_LONGEST_CELL]} …" if newline or len(first) > _LONGEST_CELL else first


def plain_tooltip(text: str) -> str:
    """Returns a tooltip that wraps and shows `<float>` as is; Qt would take that for HTML."""
    if not text:
        return ""
    shown = text if len(text) <= _LONGEST_TOOLTIP else f"{text[:_LONGEST_TOOLTIP]} …"
    # Qt would break a short line in two, to keep the tooltip square.
    is_short = all(len(line) <= _SHORT_LINE for line in shown.split("\n"))
    spaces, escaped = "pre" if is_short else "pre-wrap", shown.translate(_ESCAPES)
    return f'<p style="white-space: {spaces}">{escaped}</p>'


def size_text(size: int) -> str:
    """Returns bytes with unit, like ``12.3 KB``."""
    for unit, name in _SIZES:
        # 999,950 bytes are 1.0 MB rather than 1000.0 KB.
        if round(size / unit * 1000, 1) >= 1000:
            return f"{size / unit:.1f} {name}"
    return f"{size} B"


def duration_text(ms: float) -> str:
    """Returns a time with unit, like ``0.012 ms``, ``34 ms``, ``1.2 s`` or ``2:05 min``."""
    if round(ms, 3) < 1:
        return f"{ms:.3f} ms"
    if round(ms) < _SECOND:
        return f"{ms:.1f} ms" if ms < _FINE else f"{ms:.0f} ms"
    seconds = ms / _SECOND
    if round(seconds, 1) < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), int(_MINUTE))
    return f"{minutes}:{rest:02} min"
