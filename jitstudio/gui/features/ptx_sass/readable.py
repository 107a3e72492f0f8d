"""SASS with names in place of places in constant banks, or as printed by nvdisasm."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.listing.listing_area import NO_NAMES
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.constant_namings import ConstantNamings
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import RAW_SASS
from jitstudio.listing.lines import LineClass

_LABELS = frozenset({LineClass.LABEL})


class ReadableController(QObject):
    """Draws names in the pane of SASS, unless the text is wanted as printed."""

    def __init__(
        self,
        disassembly: CurrentDisassembly,
        constants: ConstantNamings,
        preferences: Preferences,
        pane: OutputPane,
        shell: Shell,
    ) -> None:
        super().__init__(pane)
        self._constants, self._preferences, self._pane = constants, preferences, pane
        self._notices = shell.notices
        self._action = shell.actions["rawSassAction"]
        self._action.setChecked(self._is_raw)
        constants.known.connect(self._update)
        constants.failed.connect(self._on_failed)
        disassembly.changed.connect(self._update)
        preferences.changed.connect(self._on_preference_changed)
        shell.actions.bind({"rawSassAction": self._on_raw})
        Visibility(pane, self, self._on_visibility_changed)

    @property
    def _is_raw(self) -> bool:
        return bool(self._preferences.value(RAW_SASS))

    @Slot()
    def _update(self) -> None:
        view, shown = self._pane.code_view, self._pane.listing
        if self._is_raw:
            view.show_names(NO_NAMES)
        elif self._pane.isVisible():
            self._constants.want()
            named = self._constants.listing
            if named is not None and named.inspection.listing is shown:
                view.show_names(named.names, named.extent)

    @Slot(str)
    def _on_failed(self, reason: str) -> None:
        message = self.tr("SASS is shown as printed, as its names cannot be read: {reason}")
        self._notices.show_message(message.format(reason=reason))

    @Slot(bool)
    def _on_visibility_changed(self, visible: bool) -> None:
        if visible:
            self._update()

    @Slot(bool)
    def _on_raw(self, on: bool) -> None:
        self._preferences.set_value(RAW_SASS, on)

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key == RAW_SASS:
            self._action.setChecked(self._is_raw)
            visibility = self._pane.code_view.visibility
            others = visibility.filters - _LABELS
            visibility.set_filters(others if self._is_raw else others | _LABELS)
            self._update()
