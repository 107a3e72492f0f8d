"""Installs the help, the list of keys and the dialogs about tools and versions."""

from __future__ import annotations

from jitstudio.gui.context import Context
from jitstudio.gui.features.help.commands import HelpCommands
from jitstudio.gui.features.help.key_list import KeyList
from jitstudio.gui.features.help.keystrokes import KeystrokeCommands


def install(context: Context) -> None:
    """Carries out the Help menu."""
    state, shell = context.state, context.shell
    HelpCommands(state.toolchain, state.launches, shell)
    KeystrokeCommands(context.editors, shell.actions, shell.shortcuts, shell.window)
    KeyList(shell.actions, shell.shortcuts, shell.window)
