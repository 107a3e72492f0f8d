"""Applies settings: passes preferences to each part, and follows changes of preferences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.context import Context
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.fonts import LETTERS
from jitstudio.gui.kit.theme import ThemeMode
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.shell.navigation import SettingPlace
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import SettingValue
from jitstudio.gui.state.toolchain import OtherToolchains


def install(context: Context) -> None:
    """Carries settings to the parts that depend on settings."""
    state, shell = context.state, context.shell
    controller = PreferencesController(
        state.build_controller,
        (state.service, state.side_service),
        state.launch_specs,
        state.preferences,
        state.other_toolchains,
        shell,
    )
    context.navigator.lead(SettingPlace, lambda place: controller.show_setting(place.key))


class PreferencesController(QObject):
    """Applies settings, and shows the dialog that changes settings."""

    def __init__(
        self,
        build_controller: BuildController,
        services: tuple[BuildService, ...],
        launch_specs: LaunchSpecs,
        preferences: Preferences,
        toolchains: OtherToolchains,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        actions = shell.actions
        keeper = shell.themes
        self._preferences = preferences
        self._toolchains = toolchains
        self._actions = actions
        self._window = shell.window
        self._dialog: Any = None

        def each(apply: Callable[[BuildService], None]) -> None:
            for service in services:
                apply(service)

        self._carriers: dict[str, Callable[[SettingValue], None]] = {
            "appearance.theme": lambda value: keeper.set_mode(ThemeMode(value)),
            "appearance.font_family": lambda value: LETTERS.set_family(str(value)),
            "build.pause": lambda value: build_controller.set_pause(int(value)),
            "build.time_limit": lambda value: each(lambda s: s.set_time_limit(float(value))),
            "build.cache_size": lambda value: each(lambda s: s.set_cache_size(int(value) << 20)),
            "build.memory": lambda value: each(lambda s: s.set_memory_share(float(value))),
            "launch.time_limit": lambda value: launch_specs.set_time_limit(float(value)),
        }
        for key in self._carriers.keys() - {"appearance.theme"}:
            self._on_changed(key)
        preferences.changed.connect(self._on_changed)
        actions.bind({"settingsAction": self._on_settings})

    @Slot(str)
    def _on_changed(self, key: str) -> None:
        if key in self._carriers:
            self._carriers[key](self._preferences.value(key))

    def show_setting(self, key: str) -> None:
        """Shows the dialog with the keyboard in a setting."""
        self._on_settings()
        self._dialog.go_to(key)

    @Slot()
    def _on_settings(self) -> None:
        if self._dialog is None:
            from jitstudio.gui.features.settings.dialog import SettingsDialog

            self._dialog = dialog = SettingsDialog(
                self._preferences,
                self._actions["emptyCacheAction"],
                (self._toolchains, Dialogs(self._window).folder_of_compilers),
                self._window,
            )
            dialog.reset_all_requested.connect(self._preferences.reset_all)
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
