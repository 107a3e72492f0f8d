"""What tables have in common whose columns are titles and nothing more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QAbstractTableModel, Qt

from jitstudio.gui.kit.presentation import ModelIndex, title_of


class TitledModel(QAbstractTableModel):
    """Returns the titles, and what is written into their columns; subclasses give the cells."""

    _titles: Sequence[str] = ()
    _help: Mapping[int, str] = MappingProxyType({})

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        """Returns one for each title."""
        return 0 if parent is not None and parent.isValid() else len(self._titles)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Returns the titles of the columns."""
        return title_of(self._titles, section, orientation, role, self._help)
