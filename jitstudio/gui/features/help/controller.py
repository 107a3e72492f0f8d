"""The commands of the Help menu."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWhatsThis, QWidget

from jitstudio.gui.context import Context
from jitstudio.gui.features.help.shortcuts import KeyList, KeystrokeCommands
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.parts import topic_of
from jitstudio.gui.shell.navigation import HelpPlace
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.toolchain import Toolchain
from jitstudio.help.manual import INDEX, pages
from jitstudio.help.topics import find_topic


def explain_parts(window: QWidget) -> None:
    """Gives What's This an answer for all present widgets of a window."""
    for widget in window.findChildren(QWidget):
        if not widget.whatsThis():
            widget.setWhatsThis(_help_text(widget))


def _help_text(widget: QWidget) -> str:
    """Returns the most that a part says of itself."""
    said = (
        widget.accessibleDescription(),
        widget.toolTip(),
        widget.placeholderText() if isinstance(widget, QLineEdit) else "",
        widget.accessibleName(),
        widget.text().replace("&", "") if isinstance(widget, QAbstractButton) else "",
    )
    return next(filter(None, said), "")


class HelpCommands(QObject):
    """Shows help on the window, the program, the keys and the tools."""

    def __init__(
        self,
        toolchain: Toolchain,
        launches: LaunchController,
        shell: Shell,
    ) -> None:
        super().__init__(shell.window)
        actions = shell.actions
        self._toolchain = toolchain
        self._launches = launches
        self._actions = actions
        self._window = shell.window
        self._help: Any = None
        self._versions = Background(self)
        self._versions.done.connect(self._on_versions_known)
        actions.bind(
            {
                "helpAction": self._on_help,
                "whatsThisAction": self._on_whats_this,
                "toolchainAction": self._on_toolchain,
                "aboutAction": self._on_about,
            }
        )

    @Slot()
    def _on_help(self) -> None:
        name = topic_of(QApplication.focusWidget() or self._window.focusWidget())
        # Once the window has its size, a section is where it stays.
        self._help_window.show_topic((name and find_topic(name)) or pages()[INDEX])

    def go_to(self, place: HelpPlace) -> None:
        """Shows the best topic for a text, and lists the others."""
        self._help_window.search_for(place.text)

    @property
    def _help_window(self) -> Any:
        """The window of the help, in front."""
        if self._help is None:
            from jitstudio.gui.features.help.window import HelpWindow

            self._help = HelpWindow(self._command_text, self._window)
            self._help.action_requested.connect(self._on_action_requested)
        self._help.show()
        self._help.raise_()
        self._help.activateWindow()
        return self._help

    def _command_text(self, name: str) -> str:
        """Returns a command as a link, with keys."""
        action = self._actions[name]
        text = action.text().replace("&", "").rstrip("…")
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        return f"[{text}](action:{name}){f' ({keys})' if keys else ''}"

    @Slot(str)
    def _on_action_requested(self, name: str) -> None:
        self._window.activateWindow()
        self._actions[name].trigger()

    @Slot()
    def _on_whats_this(self) -> None:
        explain_parts(self._window)
        QWhatsThis.enterWhatsThisMode()

    @Slot()
    def _on_toolchain(self) -> None:
        from jitstudio.gui.features.help.dialogs import ToolchainDialog

        open_dialog(ToolchainDialog(self._toolchain.info, self._window))

    @Slot()
    def _on_about(self) -> None:
        # Not in the thread: the module has widgets.
        from jitstudio.gui.features.help.dialogs import versions

        info, devices = self._toolchain.info, self._launches.devices
        self._versions.start(lambda _stop: versions(info, devices))

    @Slot(object)
    def _on_versions_known(self, versions: tuple[tuple[str, str], ...]) -> None:
        from jitstudio.gui.features.help.dialogs import AboutDialog

        open_dialog(AboutDialog(versions, self._window))


def install(context: Context) -> None:
    """Carries out the Help menu."""
    state, shell = context.state, context.shell
    commands = HelpCommands(state.toolchain, state.launches, shell)
    context.navigator.lead(HelpPlace, commands.go_to)
    KeystrokeCommands(context.editors, shell.actions, shell.shortcuts, shell.window)
    KeyList(shell.actions, shell.shortcuts, shell.layout, shell.window)
