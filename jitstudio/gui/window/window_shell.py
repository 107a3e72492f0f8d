"""What stands in a window from the first moment on: editors, notices, and docks to be filled."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.shell.notice_bar import NoticeBar
from jitstudio.gui.state.user_state import UserState

_SIZE = QSize(1440, 900)
_SCREEN_SHARE = 0.95
_TITLES = {
    "ptx": QT_TRANSLATE_NOOP("WindowShell", "PTX"),
    "sass": QT_TRANSLATE_NOOP("WindowShell", "SASS"),
    "report": QT_TRANSLATE_NOOP("WindowShell", "Report"),
    "graph": QT_TRANSLATE_NOOP("WindowShell", "Graph"),
    "compare": QT_TRANSLATE_NOOP("WindowShell", "Compare"),
    "kernels": QT_TRANSLATE_NOOP("WindowShell", "Kernels"),
    "names": QT_TRANSLATE_NOOP("WindowShell", "Lowered names"),
    "link": QT_TRANSLATE_NOOP("WindowShell", "Link"),
    "launch": QT_TRANSLATE_NOOP("WindowShell", "Launch"),
    "pipeline": QT_TRANSLATE_NOOP("WindowShell", "Pipeline"),
    "problems": QT_TRANSLATE_NOOP("WindowShell", "Problems"),
    "log": QT_TRANSLATE_NOOP("WindowShell", "Log"),
    "search": QT_TRANSLATE_NOOP("WindowShell", "Find in all"),
    "options": QT_TRANSLATE_NOOP("WindowShell", "Options"),
}


class WindowShell:
    """The parts of a window that are made before it is shown; few, and quick to make.

    Attributes:
        notice: What went wrong outside a build.
        tabs: The editors.
        centre: The middle of the window: the editors below the notice.
        docks: The places of all other panes, by name.
        stage: Where all of them stand.
    """

    def __init__(self, window: QMainWindow, user_state: UserState, theme: Theme) -> None:
        self.notice = NoticeBar(theme)
        self.tabs = EditorTabs(user_state.documents, theme)
        self.tabs.set_font_size(user_state.preferences.font_size)
        self.centre = QWidget()
        column = QVBoxLayout(self.centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notice)
        column.addWidget(self.tabs, 1)
        window.resize(_SIZE.boundedTo(window.screen().availableSize() * _SCREEN_SHARE))
        translate = QCoreApplication.translate
        self.docks = {
            name: PaneDock(name, translate("WindowShell", title), window, theme)
            for name, title in _TITLES.items()
        }
        self.stage = LayoutManager(window, self.centre, self.docks, user_state.preferences)
