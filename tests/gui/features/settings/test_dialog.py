import sys

import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSpinBox,
    QToolButton,
)

from jitstudio.core.toolchain_folders import AddedToolchains
from jitstudio.gui.features.settings.dialog import SettingsDialog
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import INTERPRETER, SETTINGS
from jitstudio.gui.state.toolchain import OtherToolchains

BROWSE = f"{INTERPRETER}Browse"


@pytest.fixture
def preferences(tmp_path):
    return Preferences(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def dialog(qtbot, preferences, tmp_path):
    kept = AddedToolchains(tmp_path / "toolchains.json")
    toolchains = OtherToolchains(BuildSettings(preferences), added=kept)
    given = [tmp_path]
    dialog = SettingsDialog(preferences, QAction("&Empty the cache"), (toolchains, given.pop))
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def part(dialog, kind, name):
    found = dialog.findChild(kind, name)
    assert found is not None, name
    return found


def test_it_has_a_control_with_a_name_and_a_sentence_for_each_setting(dialog):
    assert dialog.shown == [setting.key for setting in SETTINGS]
    for setting in SETTINGS:
        control = dialog.findChild(object, setting.key)
        assert control.accessibleName() == setting.title
        assert control.whatsThis() == setting.explanation


def test_what_is_chosen_holds_at_once_and_can_be_taken_back(dialog, preferences):
    pause = part(dialog, QSpinBox, "build.pause")
    back = part(dialog, QToolButton, "build.pauseReset")
    assert not back.isVisible()
    pause.setFocus()
    pause.selectAll()
    QTest.keyClicks(pause, "900")
    QTest.keyClick(pause, Qt.Key.Key_Tab)
    assert preferences.value("build.pause") == 900
    assert back.isVisible()
    back.click()
    assert preferences.value("build.pause") == pause.value() == 350
    assert not back.isVisible()


def test_it_follows_what_others_change(dialog, preferences):
    preferences.set_value("build.cache", False)
    preferences.set_value("appearance.theme", "dark")
    assert not part(dialog, QCheckBox, "build.cache").isChecked()
    assert part(dialog, QComboBox, "appearance.theme").currentText() == "Dark"


def test_the_search_leaves_what_has_all_words_with_its_heading(dialog):
    search = part(dialog, QLineEdit, "settingsSearch")
    QTest.keyClicks(search, "TIME limit")
    assert dialog.shown == ["build.time_limit", "launch.time_limit"]
    assert not part(dialog, QPushButton, "emptyCacheButton").isVisible()
    search.setText("cache")
    assert dialog.shown == ["build.cache", "build.cache_size"]
    assert part(dialog, QPushButton, "emptyCacheButton").isVisible()
    search.setText("memory next start")
    assert dialog.shown == ["build.memory"]
    assert not part(dialog, QPushButton, "emptyCacheButton").isVisible()
    # By other words too, as in the palette.
    search.setText("c++filt")
    assert dialog.shown == ["listings.demangle"]
    search.setText("xyzzy")
    assert dialog.shown == []
    assert "xyzzy" in part(dialog, object, "noSetting").text()


def test_enter_in_a_field_does_not_reset_or_close(dialog, preferences):
    preferences.set_value("editor.completion", False)
    search = part(dialog, QLineEdit, "settingsSearch")
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert preferences.value("editor.completion") is False


def test_the_wheel_scrolls_by_and_changes_only_what_has_the_keyboard(dialog, preferences):
    pause = part(dialog, QSpinBox, "build.pause")

    def turn():
        middle = QPointF(pause.rect().center())
        angle, none = QPoint(0, -120), Qt.KeyboardModifier.NoModifier
        wheel = QWheelEvent(
            middle,
            pause.mapToGlobal(middle),
            QPoint(),
            angle,
            Qt.MouseButton.NoButton,
            none,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(pause, wheel)
        return wheel.isAccepted()

    # What is not accepted goes on to the list.
    assert not turn()
    assert preferences.value("build.pause") == 350
    pause.setFocus()
    assert turn()
    assert preferences.value("build.pause") == 300


def test_folders_of_other_compilers_are_added_and_removed(dialog, qtbot, tmp_path):
    (tmp_path / "libnvrtc.so.13").touch()
    (tmp_path / "libnvrtc-builtins.so.13.0").touch()
    folders = part(dialog, QListWidget, "toolchains")
    remove = part(dialog, QPushButton, "removeToolchain")
    assert folders.isHidden()
    part(dialog, QPushButton, "addToolchain").click()
    qtbot.waitUntil(lambda: folders.count() == 1)
    assert folders.item(0).text() == f"13.0   {tmp_path}   NVRTC, no headers"
    assert "nvidia-cuda-runtime==13.0" in folders.item(0).toolTip()
    assert AddedToolchains(tmp_path / "toolchains.json").folders == (str(tmp_path),)
    assert not remove.isEnabled()
    folders.setCurrentRow(0)
    remove.click()
    qtbot.waitUntil(lambda: folders.count() == 0)
    assert AddedToolchains(tmp_path / "toolchains.json").folders == ()
    search = part(dialog, QLineEdit, "settingsSearch")
    search.setText("other versions nvjitlink")
    assert part(dialog, QPushButton, "addToolchain").isVisible()
    assert dialog.shown == []
    search.setText("theme")
    assert not part(dialog, QPushButton, "addToolchain").isVisible()


def test_a_path_has_a_line_of_its_own_and_a_dialog(dialog, preferences):
    edit, browse = part(dialog, QLineEdit, INTERPRETER), part(dialog, QPushButton, BROWSE)
    assert edit.placeholderText() == sys.executable
    assert edit.width() > 1.5 * part(dialog, QSpinBox, "launch.time_limit").width()
    browse.click()
    chooser = dialog.findChild(QFileDialog)
    chooser.fileSelected.emit("/usr/bin/python3")
    assert (preferences.value(INTERPRETER), edit.text()) == ("/usr/bin/python3",) * 2
    chooser.reject()
