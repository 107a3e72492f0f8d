"""The services of a window for all features."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QMainWindow, QToolBar

from jitstudio.gui.kit.theme import ThemeKeeper
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.commands.shortcuts import Shortcuts
from jitstudio.gui.shell.context_menus import ContextMenus
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.shell.menus import MenuBar
from jitstudio.gui.shell.notice_bar import NoticeBar
from jitstudio.gui.shell.stale_marks import StaleMarks
from jitstudio.gui.shell.status_line import StatusLine


@dataclass(frozen=True)
class Shell:
    """The parts of a window that belong to no feature.

    Attributes:
        window: The parent of dialogs.
        actions: All commands; a feature binds its own.
        shortcuts: Their keys.
        menus: The menu bar.
        toolbar: The line of buttons.
        themes: Chooses the theme.
        notices: Messages that stay until the user has dealt with them.
        status: The status bar, for messages that go by themselves.
        layout: The panes: filled, brought to the front, maximised.
        context_menus: Adds commands to the menus of views.
        stale_marks: Marks panes whose content is older than the text.
    """

    window: QMainWindow
    actions: Actions
    shortcuts: Shortcuts
    menus: MenuBar
    toolbar: QToolBar
    themes: ThemeKeeper
    notices: NoticeBar
    status: StatusLine
    layout: LayoutManager
    context_menus: ContextMenus
    stale_marks: StaleMarks
