import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMainWindow

from jitstudio.gui.commands.actions import Actions
from jitstudio.gui.presenters.palette import PalettePresenter
from jitstudio.gui.state.preferences import Preferences


@pytest.fixture
def window(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    return window


def test_a_menu_may_be_made_anew_while_the_palette_is_up(window, tmp_path):
    preferences = Preferences(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    actions = Actions(window)
    menu, chosen = window.menuBar().addMenu("Recent"), []
    menu.addAction("a.cu", lambda: chosen.append("a"))
    PalettePresenter(preferences, actions, window)
    field = window.findChild(QLineEdit, "commandPaletteField")
    for is_made_anew, wanted in ((False, ["a"]), (True, ["a"])):
        actions["paletteAction"].trigger()
        if is_made_anew:
            menu.clear()
            menu.addAction("b.cu", lambda: chosen.append("b"))
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert chosen == wanted
