"""What was found in all texts, as a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from jitstudio.gui.kit.presentation import ModelIndex, TableColumn
from jitstudio.gui.kit.rows_model import RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

MARKED_ROLE = Qt.ItemDataRole.UserRole + 50
"""Which columns of the text were found."""


@dataclass(frozen=True)
class SearchHit:
    """A place where something was found.

    Attributes:
        place: What leads to the text.
        title: What the text is called.
        line: From 0.
        span: Its columns, in characters from 0.
        shown: The line, or what is around the place in a long one.
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
    """One row a hit, in the order in which they were found."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent)

    def add(self, hits: Iterable[SearchHit]) -> None:
        """Shows these below the others."""
        added = tuple(hits)
        self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(added) - 1)
        self._rows += added
        self.endInsertRows()

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns what the columns say, and what of the text was found."""
        if index.isValid() and role == MARKED_ROLE:
            return self._rows[index.row()].marked
        if index.isValid() and index.column() == 0 and role == Qt.ItemDataRole.DisplayRole:
            # As it is, with the blanks that it begins with.
            return self._rows[index.row()].shown
        return super().data(index, role)
