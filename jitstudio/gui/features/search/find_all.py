"""Searches many texts in the background, text by text; the hits are a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal, Slot

from jitstudio.gui.code.code_view import Span
from jitstudio.gui.code.search import Matcher, SearchedText, TooComplex
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.kit.presentation import ModelIndex, TableColumn
from jitstudio.gui.kit.tables import RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

MARKED_ROLE = Qt.ItemDataRole.UserRole + 50
"""Which columns of the text were found."""


@dataclass(frozen=True)
class SearchHit:
    """A place where something was found.

    Attributes:
        place: The place for going to the text.
        title: The title of the text.
        line: From 0.
        span: Its columns, in characters from 0.
        shown: The line, or the part around the place in a long line.
        marked: Where in `shown` it is.
        whole: The whole line, to know it again after an edit.
    """

    place: object
    title: str
    line: int
    span: tuple[int, int]
    shown: str
    marked: tuple[int, int]
    whole: str


_COLUMNS: tuple[TableColumn[SearchHit], ...] = (
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Text"), lambda hit: hit.shown),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Where"), lambda hit: hit.title),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Line"), lambda hit: f"{hit.line + 1:,}", number=True),
)


class HitsModel(RowsModel[SearchHit]):
    """The hits of a search, a row per hit, in the order of the search."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent)

    def add(self, hits: Iterable[SearchHit]) -> None:
        """Adds hits below the others."""
        added = tuple(hits)
        self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(added) - 1)
        self._rows += added
        self.endInsertRows()

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns the texts of the columns, and the marked parts of the text."""
        if index.isValid() and role == MARKED_ROLE:
            return self._rows[index.row()].marked
        if index.isValid() and index.column() == 0 and role == Qt.ItemDataRole.DisplayRole:
            # As it is, with the blanks that it begins with.
            return self._rows[index.row()].shown
        return super().data(index, role)


MOST_HITS = 10_000
"""Of all texts together: more is not read, and a table of them is there at once."""

# What is shown of a line: some of it before what was found, and some behind.
_BEFORE, _LONGEST = 60, 300


@dataclass(frozen=True)
class _Found:
    hits: tuple[SearchHit, ...]
    skipped: int


class SearchAll(QObject):
    """Searches texts for a query at a time; a newer query replaces the running one.

    Attributes:
        count: How many hits there are so far.
        texts: In how many texts.
        skipped: Lines that the expression was too complex for.
        is_capped: Whether there may be more hits than were kept.

    Signals:
        found: Hits in one text.
        ended: There are no more texts to search.
        failed: Why a text could not be searched.
    """

    found = Signal(tuple)
    ended = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background(self)
        self._background.done.connect(self._on_done)
        self._background.failed.connect(self._on_failed)
        self._waiting: list[SearchedText] = []
        self._matcher: Matcher | None = None
        self._reset()

    def _reset(self) -> None:
        self.count = self.texts = self.skipped = 0
        self.is_capped = False

    @property
    def is_busy(self) -> bool:
        """Whether texts are still being searched."""
        return self._background.is_busy or bool(self._waiting)

    def start(self, matcher: Matcher, texts: Sequence[SearchedText]) -> None:
        """Searches texts, in their order."""
        self._background.stop()
        self._reset()
        self._matcher, self._waiting = matcher, list(texts)
        self._go_on()

    def stop(self) -> None:
        """Stops searching; the hits stay."""
        self._background.stop()
        self._waiting = []

    def _go_on(self) -> None:
        if self._matcher is None or not self._waiting or self.count >= MOST_HITS:
            self.is_capped = self.count >= MOST_HITS
            self._waiting = []
            self.ended.emit()
            return
        text, room = self._waiting.pop(0), MOST_HITS - self.count
        self._background.start(partial(_search, self._matcher, text, room))

    @Slot(object)
    def _on_done(self, hits_of_text: _Found) -> None:
        self.skipped += hits_of_text.skipped
        self.count += len(hits_of_text.hits)
        self.texts += bool(hits_of_text.hits)
        if hits_of_text.hits:
            self.found.emit(hits_of_text.hits)
        self._go_on()

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        self._waiting = []
        self.failed.emit(problem)


def _search(matcher: Matcher, text: SearchedText, room: int, stop: Event) -> _Found:
    hits: list[SearchHit] = []
    skipped = 0
    for number, line in enumerate(Paced(text.lines(), stop)):
        try:
            spans = matcher.spans(line)
        except TooComplex:
            skipped += 1
            continue
        for span in spans:
            hits.append(_hit(text, number, line, span))
            if len(hits) >= room:
                return _Found(tuple(hits), skipped)
    return _Found(tuple(hits), skipped)


def _hit(text: SearchedText, number: int, line: str, span: Span) -> SearchHit:
    indent = len(line) - len(line.lstrip())
    start = min(indent, span[0])
    if span[0] - start > _LONGEST - _BEFORE:
        start = span[0] - _BEFORE
    shown = line[start : start + _LONGEST].replace("\t", " ")
    before = "…" if start > indent else ""
    first = span[0] - start + len(before)
    marked = (first, min(first + span[1] - span[0], len(shown) + len(before)))
    return SearchHit(text.place, text.title, number, span, before + shown, marked, line)
