"""A window with a dock for each pane, all of them empty."""

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QMainWindow, QPlainTextEdit, QTextEdit

from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.shell.docking.layouts import LAYOUTS
from jitstudio.gui.state.preferences import Preferences
from tests.gui.driver import pause

NAMES = tuple(name for area in LAYOUTS[0].areas for group in area.groups for name in group)


class Scene:
    """What a test plays on."""

    def __init__(self, store):
        self.window = QMainWindow()
        # The screen of the offscreen platform is 800 pixels wide and high.
        self.window.resize(780, 700)
        self.centre = QTextEdit()
        self.docks = {name: PaneDock(name, name.title(), self.window) for name in NAMES}
        for name, dock in self.docks.items():
            dock.fill(QPlainTextEdit(name))
        self.preferences = Preferences(store)
        self.stage = LayoutManager(self.window, self.centre, self.docks, self.preferences)

    def show(self):
        self.window.show()
        self.window.activateWindow()
        self.stage.share_space()
        pause(20)
        return self

    def front(self):
        """The panes that can be seen."""
        return {name for name, dock in self.docks.items() if dock.is_in_front}

    def places(self):
        """Where everything that can be seen is."""
        return {name: self.docks[name].geometry().getRect() for name in self.front()}


@pytest.fixture
def make_scene(qtbot, tmp_path):
    """Another window, with the settings of the one before."""

    def make():
        store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        scene = Scene(store)
        qtbot.addWidget(scene.window)
        return scene

    return make


@pytest.fixture
def scene(make_scene):
    scene = make_scene()
    scene.stage.restore()
    return scene.show()
