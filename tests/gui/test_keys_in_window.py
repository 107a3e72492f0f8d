"""The list of keys in a window: all are in it, and those of commands can be changed there."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QTreeWidget,
)

from jitstudio.gui.features.help.shortcuts import ShortcutsDialog
from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.state.settings_table import BY_KEY

_CTRL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_keys_are_listed_changed_and_given_back(started):
    driver, editor = started, started.editor
    driver.state.settings.auto_build = False
    driver.trigger("shortcutsAction")
    dialog = driver.find(ShortcutsDialog, "shortcutsDialog")
    table = dialog.findChild(QTreeWidget, "shortcutsTable")
    field = dialog.findChild(QKeySequenceEdit, "shortcutField")
    note = dialog.findChild(QLabel, "shortcutNote")
    search = dialog.findChild(QLineEdit, "shortcutsFilter")

    def rows():
        items = (table.topLevelItem(place) for place in range(table.topLevelItemCount()))
        return [item for item in items if not item.isHidden()]

    def press(name):
        QTest.mouseClick(dialog.findChild(QPushButton, name), Qt.MouseButton.LeftButton)

    def enabled(name):
        return dialog.findChild(QPushButton, name).isEnabled()

    # Each command is there, and what is none: Tab, the wheel, the keys of tables.
    texts = [item.text(0) for item in rows()]
    assert len(texts) > len(ACTIONS) + 20
    assert {"Build", "Duplicate lines", "Copy"} <= set(texts)
    # Panes that nobody has opened have keys, too.
    started.wait(lambda: "Copy whole log" in [item.text(0) for item in rows()])
    assert any("Shift+Tab" in item.text(1) for item in rows())
    assert "Ctrl+wheel" in [item.text(1) for item in rows()]
    # Each way to another caret that a desktop may take for itself has a second one.
    keys = [item.text(1) for item in rows()]
    assert any("Ctrl+Alt+Up" in key and "Ctrl+Shift+Up" in key for key in keys)
    assert any("Alt+click" in key and "Ctrl+Alt+click" in key for key in keys)
    search.setText("preferences")
    assert [item.text(0) for item in rows()] == ["Settings"]

    # A key of another command is told, and taken from it.
    search.setText("delete lines")
    table.setCurrentItem(rows()[0])
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A)
    assert note.text().startswith("A alone ")
    assert not enabled("useShortcut")
    field.clear()
    QTest.keyClick(field, Qt.Key.Key_M, _CTRL)
    assert note.text().startswith("Ctrl+M ")
    assert "'Maximise pane'" in note.text()
    press("useShortcut")
    assert rows()[0].text(1) == "Ctrl+M"
    assert rows()[0].font(1).bold()
    # The field is left by Tab: who works without a mouse is not caught in it.
    field.setFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert not field.hasFocus()
    dialog.close()

    # Hints and tool tips tell the keys as they are now.
    driver.trigger("optionsAction")
    maximise = driver.find(QToolButton, "maximiseButton")
    assert maximise.toolTip() == "Let this pane fill the window"
    assert COMMAND_KEYS.words("maximiseAction") == "View > Maximise pane"
    COMMAND_KEYS.learn("completeAction", "Edit > Complete", ["Alt+Space"])
    sentence = BY_KEY["editor.completion"].explanation
    assert sentence == "Offers words after three letters. To ask for them at any time: Alt+Space."

    driver.window.activateWindow()
    driver.wait(driver.window.isActiveWindow)
    editor.setFocus()
    editor.setPlainText("one\ntwo\nthree\n")
    driver.press(Qt.Key.Key_Down, _CTRL | _SHIFT)
    assert editor.carets.count == 2
    editor.carets.clear()

    # It does what it was given for, and the old key nothing any more.
    driver.window.activateWindow()
    driver.wait(driver.window.isActiveWindow)
    editor.setFocus()
    editor.setPlainText("one\ntwo\nthree\n")
    editor.go_to(2)
    driver.press(Qt.Key.Key_M, _CTRL)
    assert editor.toPlainText() == "one\nthree\n"
    assert driver.shell.layout.alone is None
    driver.press(Qt.Key.Key_K, _CTRL | _SHIFT)
    assert editor.toPlainText() == "one\nthree\n"
    assert driver.state.preferences.shortcuts == {"deleteLinesAction": ("Ctrl+M",)}

    driver.trigger("shortcutsAction")
    dialog = driver.window.findChildren(ShortcutsDialog)[-1]
    press("resetAllShortcuts")
    assert driver.window.frame.actions["maximiseAction"].shortcut() == QKeySequence("Ctrl+M")
    dialog.close()
    driver.window.activateWindow()
    driver.wait(driver.window.isActiveWindow)
    editor.setFocus()
    driver.press(Qt.Key.Key_K, _CTRL | _SHIFT)
    assert editor.toPlainText() == "one\n"
