"""The parts of a window that are there from the first moment on: editors, notices, empty docks.

The window comes up in two stages: `WindowBuilder` makes the rest once the texts are painted. So
little is imported here, and the values of this stage are named tuples where they can be: a frozen
dataclass takes six times as long to define.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.kit.fonts import LETTERS
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.shell.commands.shortcuts import Shortcuts
from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.shell.menus import MenuBar, make_toolbar
from jitstudio.gui.shell.notice_bar import NoticeBar
from jitstudio.gui.shell.pane_registry import DOCKS
from jitstudio.gui.state.user_state import UserState

_SIZE = QSize(1440, 900)
_SCREEN_SHARE = 0.95


class WindowFrame:
    """The parts of a window that are made before the window is shown; few, and quick to make.

    Attributes:
        actions: All commands; a command that nobody carries out yet waits until somebody does.
        shortcuts: Their keys.
        menus: The menu bar.
        toolbar: The line of buttons.
        notices: Messages that stay until the user has dealt with them.
        editors: The tabs with the texts.
        centre: The middle of the window: the editors below the notice.
        layout: The docks around them.
    """

    def __init__(self, window: QMainWindow, user_state: UserState) -> None:
        self.actions = Actions(window)
        self.shortcuts = Shortcuts(self.actions, user_state.preferences)
        self.menus = MenuBar(window, self.actions)
        self.toolbar = make_toolbar(window, self.actions)
        LETTERS.set_family(user_state.preferences.font_family)
        self.notices = NoticeBar()
        self.editors = EditorTabs(user_state.documents)
        self.editors.set_font_size(user_state.preferences.font_size)
        self.centre = QWidget()
        column = QVBoxLayout(self.centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notices)
        column.addWidget(self.editors, 1)
        window.resize(_SIZE.boundedTo(window.screen().availableSize() * _SCREEN_SHARE))
        translate = QCoreApplication.translate
        docks = {
            pane.name: PaneDock(pane.name, translate("Panes", pane.title), window) for pane in DOCKS
        }
        self.layout = LayoutManager(window, self.centre, docks, user_state.preferences)
