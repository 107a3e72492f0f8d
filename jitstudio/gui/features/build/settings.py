"""Keeps the build bar, the switches of the Build menu and the settings in step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.gui.features.build.bar import BuildBar
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_settings import BuildSettings, Switch
from jitstudio.gui.state.documents import Documents

_SWITCHES = {
    "cacheAction": Switch.CACHE,
    "precompileAction": Switch.PRECOMPILE,
    "libdeviceAction": Switch.LIBDEVICE,
    "joinIrAction": Switch.JOIN_IR,
    "driverJitAction": Switch.DRIVER_JIT,
}


class SettingsController(QObject):
    """Shows what a build is done with, and takes over what the user chooses."""

    def __init__(
        self,
        settings: BuildSettings,
        documents: Documents,
        bar: BuildBar,
        shell: Shell,
    ) -> None:
        super().__init__(bar)
        actions = shell.actions
        self._settings = settings
        self._documents = documents
        self._actions = actions
        self._settings = settings
        status = shell.status
        bar.set_form_action(actions["optionsAction"])
        settings.arch_changed.connect(bar.set_arch)
        settings.arch_changed.connect(status.show_target)
        settings.options_changed.connect(bar.set_options)
        settings.auto_build_changed.connect(actions["autoBuildAction"].setChecked)
        settings.switches_changed.connect(self._on_switches_changed)
        documents.current_changed.connect(self._on_library_changed)
        bar.set_arch(settings.arch)
        bar.set_options(settings.options)
        status.show_target(settings.arch)
        actions["autoBuildAction"].setChecked(settings.auto_build)
        self._on_switches_changed(settings.switches)
        self._on_library_changed()
        bar.arch_chosen.connect(self._on_arch_chosen)
        bar.options_edited.connect(self._on_options_edited)
        bar.options_finished.connect(self._on_options_finished)
        bar.refused.connect(shell.notices.tell)
        actions.bind(dict.fromkeys(_SWITCHES, self._on_switch_toggled))
        actions.bind(
            {
                "autoBuildAction": self._on_auto_build_toggled,
                "libraryAction": self._on_library_toggled,
            }
        )

    @Slot(Arch)
    def _on_arch_chosen(self, arch: Arch) -> None:
        self._settings.arch = arch

    @Slot(str, bool)
    def _on_options_edited(self, options: str, is_half_typed: bool) -> None:
        self._settings.is_drafting = is_half_typed
        self._settings.options = options

    @Slot()
    def _on_options_finished(self) -> None:
        self._settings.is_drafting = False

    @Slot(bool)
    def _on_auto_build_toggled(self, on: bool) -> None:
        self._settings.auto_build = on

    @Slot(bool)
    def _on_switch_toggled(self, on: bool) -> None:
        self._settings.turn(_SWITCHES[self.sender().objectName()], on)

    @Slot(frozenset)
    def _on_switches_changed(self, switches: frozenset[Switch]) -> None:
        for name, switch in _SWITCHES.items():
            self._actions[name].setChecked(switch in switches)

    @Slot(bool)
    def _on_library_toggled(self, on: bool) -> None:
        if self._documents.current is not None:
            self._documents.current.is_library = on

    @Slot()
    def _on_library_changed(self) -> None:
        current = self._documents.current
        action = self._actions["libraryAction"]
        action.setEnabled(current is not None and current.kind is CodeKind.LLVM_IR)
        action.setChecked(current is not None and current.is_library)
