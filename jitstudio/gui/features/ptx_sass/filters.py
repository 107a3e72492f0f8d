"""Remembers which lines are left out of PTX and SASS."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.preferences import Preferences


class FiltersController(QObject):
    """Sets the filters of the listings as they were left, and keeps each change."""

    def __init__(
        self,
        listings: Mapping[CodeKind, OutputPane],
        preferences: Preferences,
        shell: Shell,
    ) -> None:
        super().__init__(shell.status)
        self._preferences = preferences
        self._outputs = listings
        for kind, pane in listings.items():
            pane.code_view.visibility.set_filters(preferences.filters(kind.value))
            pane.code_view.visibility.filters_changed.connect(self._on_filters_changed)

    @Slot()
    def _on_filters_changed(self) -> None:
        for kind, pane in self._outputs.items():
            self._preferences.set_filters(kind.value, pane.code_view.visibility.filters)
