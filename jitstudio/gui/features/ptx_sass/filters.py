"""Remembers which lines are left out of PTX and SASS."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.window.panes import Panes


class FiltersController(QObject):
    """Sets the filters of the listings as they were left, and keeps each change."""

    def __init__(self, preferences: Preferences, panes: Panes) -> None:
        super().__init__(panes.status)
        self._preferences = preferences
        self._outputs = panes.outputs
        for kind, pane in panes.outputs.items():
            pane.code_view.shown.set_filters(preferences.filters(kind.value))
            pane.code_view.shown.filters_changed.connect(self._on_filters_changed)

    @Slot()
    def _on_filters_changed(self) -> None:
        for kind, pane in self._outputs.items():
            self._preferences.set_filters(kind.value, pane.code_view.shown.filters)
