"""The rows of a palette: what can be chosen, and what is left of it for the letters typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from PySide6.QtCore import QAbstractListModel, QObject, Qt
from PySide6.QtGui import QIcon

from jitstudio.gui.models.fuzzy import TIER, Ranking, Span
from jitstudio.gui.models.presentation import ModelIndex, plain_tooltip

ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
"""The `Entry` of a row."""
TITLE_SPANS_ROLE = Qt.ItemDataRole.UserRole + 2
"""Which letters of the title match what was typed."""
DETAIL_SPANS_ROLE = Qt.ItemDataRole.UserRole + 3
"""The same of the detail."""

# A word of the detail is worth more than some letters scattered over a title.
_PATH_HANDICAP = 3 * TIER


@dataclass(frozen=True)
class Entry:
    """One thing to choose.

    Attributes:
        title: What it is called.
        payload: What choosing it gives.
        detail: Where it is, such as `View, Theme`; it can be typed as well.
        keys: Its shortcut, as text.
        icon: What stands before the title.
        enabled: Whether it can be chosen now.
        tip: A sentence about it, or why it cannot be chosen.
    """

    title: str
    payload: object
    detail: str = ""
    keys: str = ""
    icon: QIcon | None = None
    enabled: bool = True
    tip: str = ""


@dataclass(frozen=True)
class _Found:
    entry: int
    by_title: bool


class PaletteModel(QAbstractListModel):
    """Shows the entries that match a query, the best first; without a query all, as given."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()
        self._titles = Ranking(())
        self._paths = Ranking(())
        self._query = ""
        self._rows: tuple[_Found, ...] = ()

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Offer other things, all of them at first."""
        self._entries = tuple(entries)
        self._titles = Ranking([entry.title for entry in entries])
        self._paths = Ranking([_path(entry) for entry in entries])
        self.set_query("")

    def set_query(self, query: str) -> None:
        """Show what matches by its title, or less well with its detail."""
        by_title = self._titles.find(query)
        rest = set(range(len(self._entries))).difference(match.row for match in by_title)
        by_path = self._paths.find(query, sorted(rest))
        scored = [(match.score, _Found(match.row, True)) for match in by_title]
        scored += [(match.score + _PATH_HANDICAP, _Found(match.row, False)) for match in by_path]
        scored.sort(key=itemgetter(0))
        self.beginResetModel()
        self._query = query
        self._rows = tuple(found for _, found in scored)
        self.endResetModel()

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """The number of entries that match."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The entry in the parts that a row draws and a screen reader reads."""
        if not index.isValid():
            return None
        found = self._rows[index.row()]
        entry = self._entries[found.entry]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.title
            case Qt.ItemDataRole.DecorationRole:
                return entry.icon
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(entry.tip)
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(filter(None, (entry.title, entry.detail, entry.keys)))
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return entry.tip
            case _ if role == ENTRY_ROLE:
                return entry
            case _ if role == TITLE_SPANS_ROLE:
                return self._spans(found)[0]
            case _ if role == DETAIL_SPANS_ROLE:
                return self._spans(found)[1]
        return None

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Disabled entries can be looked at: they say why they are disabled."""
        usual = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return usual if index.isValid() else Qt.ItemFlag.NoItemFlags

    def _spans(self, found: _Found) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        if found.by_title:
            return self._titles.spans(self._query, found.entry), ()
        spans = self._paths.spans(self._query, found.entry)
        title = len(self._entries[found.entry].detail) + 1
        return (
            tuple((max(a - title, 0), b - title) for a, b in spans if b > title),
            tuple((a, min(b, title - 1)) for a, b in spans if a < title - 1),
        )


def _path(entry: Entry) -> str:
    return f"{entry.detail} {entry.title}"
