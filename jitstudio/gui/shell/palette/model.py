"""The rows of a palette: entries to choose, and the matches of the typed letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from PySide6.QtCore import QAbstractListModel, QObject, Qt
from PySide6.QtGui import QIcon

from jitstudio.gui.kit.fuzzy import TIER, Ranking, Span
from jitstudio.gui.kit.presentation import ModelIndex, plain_tooltip

ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
"""The `PaletteEntry` of a row."""
TITLE_SPANS_ROLE = Qt.ItemDataRole.UserRole + 2
"""The letters of the title that match the typed letters."""
DETAIL_SPANS_ROLE = Qt.ItemDataRole.UserRole + 3
"""The same of the detail."""
DETAIL_ROLE = Qt.ItemDataRole.UserRole + 4
"""Where it is, and the other name that was typed, if it was found by that."""

# A word of another name is worth more than letters within the words of a title, and a word of the
# detail more than some letters scattered over a title.
_OTHER_NAME_HANDICAP = 2 * TIER
_PATH_HANDICAP = 3 * TIER
# What other names are matched by: words that begin so.
_LEAST_OF_OTHER_NAMES = 3 * TIER
_BETWEEN_NAMES = ","
_BEFORE_NAME = " \N{MIDDLE DOT} "


@dataclass(frozen=True)
class PaletteEntry:
    """An entry to choose.

    Attributes:
        title: The title.
        payload: The value that choosing the entry gives.
        detail: Where it is, such as `View, Theme`; it can be typed as well.
        keys: Its shortcut, as text.
        icon: The icon before the title.
        enabled: Whether it can be chosen now.
        tip: A sentence about it, or why it cannot be chosen.
        also: Other names that it is found by, separated by commas.
        is_place: Whether it comes before all others whose title is the same.
    """

    title: str
    payload: object
    detail: str = ""
    keys: str = ""
    icon: QIcon | None = None
    enabled: bool = True
    tip: str = ""
    also: str = ""
    is_place: bool = False


class _By(Enum):
    """The part of an entry that matches a query."""

    TITLE = auto()
    OTHER_NAME = auto()
    PATH = auto()
    QUERY = auto()


@dataclass(frozen=True)
class _Found:
    score: int
    entry: int
    by: _By


class PaletteModel(QAbstractListModel):
    """Shows the entries that match a query, the best first; without a query all, as given.

    Args:
        last: Makes the last entry of a query, which is there whatever else matches.
        parent: Owns the model.
    """

    def __init__(
        self,
        parent: QObject | None = None,
        last: Callable[[str], PaletteEntry] | None = None,
    ) -> None:
        super().__init__(parent)
        self._last = last
        self._entries: tuple[PaletteEntry, ...] = ()
        self._titles = Ranking(())
        self._others = Ranking(())
        self._paths = Ranking(())
        self._query = ""
        self._rows: tuple[_Found, ...] = ()

    def set_entries(self, entries: Sequence[PaletteEntry]) -> None:
        """Offers other entries, all of them at first."""
        self._entries = tuple(entries)
        self._titles = Ranking([entry.title for entry in entries])
        self._others = Ranking([entry.also for entry in entries])
        self._paths = Ranking([_path(entry) for entry in entries])
        self.set_query("")

    def set_query(self, query: str) -> None:
        """Shows entries that match by title, or less well by synonym or detail."""
        self.beginResetModel()
        self._query = query
        self._rows = tuple(sorted(self._find(query), key=self._rank))
        if self._last is not None and query.strip():
            self._rows += (_Found(0, -1, _By.QUERY),)
        self.endResetModel()

    def _find(self, query: str) -> Iterable[_Found]:
        """Returns the best match of each entry."""
        best = {m.row: _Found(m.score, m.row, _By.TITLE) for m in self._titles.find(query)}
        rest = [row for row in range(len(self._entries)) if row not in best]
        for match in self._paths.find(query, rest):
            score = match.score + _PATH_HANDICAP
            best[match.row] = _Found(score, match.row, _By.PATH)
        for match in self._others.find(query):
            other = _Found(match.score + _OTHER_NAME_HANDICAP, match.row, _By.OTHER_NAME)
            before = best.get(match.row)
            is_better = before is None or other.score < before.score
            if match.score < _LEAST_OF_OTHER_NAMES and is_better:
                best[match.row] = other
        return best.values()

    def _rank(self, match: _Found) -> tuple[int, bool]:
        """Returns the sort key of a match; Python keeps the order of equals."""
        entry = self._entries[match.entry]
        is_named = entry.is_place and entry.title.casefold() == self._query.strip().casefold()
        return match.score, not is_named

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of entries that match."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns the entry in the parts that a row draws and a screen reader reads."""
        if not index.isValid():
            return None
        match_ = self._rows[index.row()]
        entry = self._entry(match_)
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
                return self._spans(match_)[0]
            case _ if role == DETAIL_ROLE:
                return self._detail(match_)[0]
            case _ if role == DETAIL_SPANS_ROLE:
                return self._detail(match_)[1]
        return None

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Disabled entries can be looked at: they say why they are disabled."""
        usual = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return usual if index.isValid() else Qt.ItemFlag.NoItemFlags

    def _entry(self, match: _Found) -> PaletteEntry:
        if match.by is _By.QUERY and self._last is not None:
            return self._last(self._query.strip())
        return self._entries[match.entry]

    def _detail(self, match: _Found) -> tuple[str, tuple[Span, ...]]:
        """Returns the text behind the title, and the matching letters."""
        entry = self._entry(match)
        if match.by is not _By.OTHER_NAME:
            return entry.detail, self._spans(match)[1]
        spans = self._others.spans(self._query, match.entry)
        begin = entry.also.rfind(_BETWEEN_NAMES, 0, spans[0][0]) + 1
        end = entry.also.find(_BETWEEN_NAMES, spans[-1][1])
        name = entry.also[begin : end if end >= 0 else None]
        shift = len(entry.detail) + len(_BEFORE_NAME) - begin - (len(name) - len(name.lstrip()))
        shown = f"{entry.detail}{_BEFORE_NAME}{name.strip()}"
        return shown, tuple((a + shift, b + shift) for a, b in spans)

    def _spans(self, match: _Found) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        if match.by is _By.TITLE:
            return self._titles.spans(self._query, match.entry), ()
        if match.by in (_By.OTHER_NAME, _By.QUERY):
            return (), ()
        spans = self._paths.spans(self._query, match.entry)
        title = len(self._entries[match.entry].detail) + 1
        return (
            tuple((max(a - title, 0), b - title) for a, b in spans if b > title),
            tuple((a, min(b, title - 1)) for a, b in spans if a < title - 1),
        )


def _path(entry: PaletteEntry) -> str:
    return f"{entry.detail} {entry.title}"
