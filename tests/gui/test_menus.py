"""The menus of the window, and the palette and the keys that lead to the same commands."""

from collections import Counter

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QListView, QMenu

from jitstudio.gui.commands.table import ACTIONS
from jitstudio.gui.editor.key_table import KEYS
from jitstudio.gui.models.palette import ENTRY_ROLE
from jitstudio.gui.widgets.palette import Palette
from tests.gui.driver import pause

# What an editor does by itself with these keys is just what the command does.
SAME_IN_EDITORS = {"undoAction", "redoAction"}


def menus(driver) -> list[QMenu]:
    """The menus of the menu bar, with those inside them."""
    found, bars = [], [driver.window.menuBar()]
    while bars:
        inner = [action.menu() for action in bars.pop().actions() if action.menu()]
        found += inner
        bars += inner
    return found


def commands(driver) -> list[QAction]:
    return [
        action
        for menu in menus(driver)
        for action in menu.actions()
        if action.menu() is None and not action.isSeparator()
    ]


def mnemonic(text: str) -> str:
    plain = text.replace("&&", "")
    return plain[plain.index("&") + 1].lower() if "&" in plain else ""


def swallows(widget, keys: QKeySequence) -> bool:
    """Whether a widget keeps a key for itself before the command with that key sees it."""
    event = QKeyEvent(QEvent.Type.ShortcutOverride, keys[0].key(), keys[0].keyboardModifiers())
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def test_all_commands_can_be_seen_named_and_typed(started):
    driver = started
    for menu in (*menus(driver), driver.window.menuBar()):
        letters = Counter(filter(None, (mnemonic(a.text()) for a in menu.actions())))
        assert [letter for letter, count in letters.items() if count > 1] == [], menu.title()
    listed = commands(driver)
    assert {spec.id for spec in ACTIONS} <= {action.objectName() for action in listed}
    assert [a.objectName() for a in listed if not a.text() or not a.toolTip()] == []

    driver.trigger("paletteAction")
    rows = driver.find(QListView, "commandPaletteList").model()
    offered = [rows.index(row, 0).data(ENTRY_ROLE).payload for row in range(rows.rowCount())]
    assert Counter(map(id, offered)) == Counter(map(id, listed))
    driver.press(Qt.Key.Key_Escape)


def test_no_view_keeps_a_key_of_a_command_for_itself(started):
    views = {
        "editor": started.editor,
        "ptx": started.listing("ptxView"),
        "problems": started.panes.problems.table,
    }
    kept = {
        (name, spec.id, key)
        for name, view in views.items()
        for spec in ACTIONS
        for key in spec.keys
        if swallows(view, QKeySequence(key))
        and not (name == "editor" and spec.id in SAME_IN_EDITORS)
    }
    assert kept == set()


def test_no_key_of_the_editor_is_one_of_a_command():
    taken = {QKeySequence(key).toString() for spec in ACTIONS for key in spec.keys}
    own = {QKeySequence(int(modifiers.value) | int(key)).toString() for key, modifiers in KEYS}
    assert own & taken == set()


def test_the_palette_runs_commands_and_puts_the_last_ones_first(started):
    driver = started
    palette = driver.find(Palette, "commandPalette")
    field = driver.find(QLineEdit, "commandPaletteField")
    rows = driver.find(QListView, "commandPaletteList").model()
    driver.editor.setFocus()
    driver.press(
        Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert palette.isVisible()
    driver.type("theme dark", field)
    driver.press(Qt.Key.Key_Return)
    assert driver.keeper.theme.dark
    assert QApplication.focusWidget() is driver.editor
    driver.trigger("paletteAction")
    assert rows.index(0, 0).data() == "Dark"
    driver.type("saxpy", field)
    driver.next_result(lambda: driver.press(Qt.Key.Key_Return))
    assert "saxpy" in driver.document.name
    driver.trigger("paletteAction")
    driver.type("stop", field)
    pause(0)
    stop = rows.index(0, 0).data(ENTRY_ROLE)
    assert (stop.title, stop.enabled) == ("Stop", False)
    driver.press(Qt.Key.Key_Return)
    assert palette.isVisible()
