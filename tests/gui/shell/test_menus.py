"""The menus of the window, and the palette and the keys that lead to the same commands."""

from collections import Counter

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QSpinBox,
)

from jitstudio.gui.editor.keys import KEYS
from jitstudio.gui.features.settings.dialog import SettingsDialog
from jitstudio.gui.kit.theme import current_theme
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.shell.commands.shortcuts import plain_text
from jitstudio.gui.shell.commands.spec import FILE, KeyScope
from jitstudio.gui.shell.palette.model import ENTRY_ROLE, PaletteEntry
from jitstudio.gui.shell.palette.view import Palette
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


@pytest.mark.usefixtures("driver")
def test_all_commands_can_be_seen_named_and_typed(started):
    driver = started
    for menu in (*menus(driver), driver.window.menuBar()):
        letters = Counter(filter(None, (mnemonic(a.text()) for a in menu.actions())))
        assert [letter for letter, count in letters.items() if count > 1] == [], menu.title()
    # The letters of menus are no part of a pane's: Alt and the letter would do neither.
    taken = {mnemonic(a.text()) for a in driver.window.menuBar().actions()}
    labels = [label for label in driver.window.findChildren(QLabel) if label.buddy() is not None]
    parts = [*labels, *driver.window.findChildren(QAbstractButton)]
    assert [part.text() for part in parts if mnemonic(part.text()) in taken] == []
    listed = commands(driver)
    assert {spec.id for spec in ACTIONS} <= {action.objectName() for action in listed}
    assert [a.objectName() for a in listed if not a.text() or not a.toolTip()] == []
    # All of them are in the palette; the switches of panes there lead to the panes.
    offered = {entry.title for entry in found(driver, "")}
    assert {
        plain_text(a.text()) for a in listed if not a.objectName().startswith("focus")
    } <= offered


def test_file_has_four_ways_to_save(started):
    titles = [plain_text(action.text()) for action in started.shell.menus[FILE].actions()]
    saving = [title for title in titles if "ave" in title or "xport" in title]
    assert saving == ["Save", "Save as", "Save project", "Export"]


def found(driver, query: str) -> list[PaletteEntry]:
    """What the palette offers for these letters."""
    driver.trigger("paletteAction")
    driver.find(QLineEdit, "commandPaletteField").setText(query)
    rows = driver.find(QListView, "commandPaletteList").model()
    entries = [rows.index(row, 0).data(ENTRY_ROLE) for row in range(rows.rowCount())]
    driver.find(Palette, "commandPalette").dismiss()
    return entries


def choose(driver, query: str) -> None:
    """Type into the palette, and take what is first."""
    driver.trigger("paletteAction")
    driver.find(QLineEdit, "commandPaletteField").setText(query)
    QTest.keyClick(driver.find(QLineEdit, "commandPaletteField"), Qt.Key.Key_Return)


def test_the_name_of_a_pane_leads_to_it_whatever_was_chosen_before(started):
    driver, panes = started, started
    # Layouts of similar names, chosen last.
    for name in ("launching", "comparing"):
        choose(driver, f"view layout {name}")
    for place, dock in enumerate(panes.shell.layout.docks):
        dock.setVisible(place % 2 == 0)
        choose(driver, dock.title)
        assert dock.is_in_front, dock.title
        assert dock.isAncestorOf(QApplication.focusWidget()), dock.title
    choose(driver, "close the pane graph")
    assert panes.shell.layout.dock_of(panes.pane("graph")).isHidden()
    choose(driver, "editor")
    assert driver.editor.hasFocus()


# What users of other programs type, and what they mean.
SYNONYMS = {
    "demangle": "Demangled names",
    "preferences": "Settings",
    "font": "Size of code",
    "export as": "Script, program, HTML or PDF",
    "save results": "All results to a folder",
    "occupancy": "Report",
    "copy": "Copy as Markdown",
    "full screen": "Maximise pane",
    "diff": "Compare",
    "error": "Problems",
    "autosave": "Keep unsaved text after",
}


def test_the_palette_knows_other_words_and_all_that_can_be_gone_to(started, tmp_path):
    driver, state = started, started.state
    for query, title in SYNONYMS.items():
        assert title in [entry.title for entry in found(driver, query)], query
    # Tabs, kernels, targets and settings.
    first = driver.document
    driver.trigger("newPtxAction")
    choose(driver, first.name)
    assert driver.document is first
    choose(driver, "build for sm_90")
    assert state.settings.arch.sm == "sm_90"
    driver.settle()
    choose(driver, "kernel vector_add")
    assert driver.listing("sassView").hasFocus()
    choose(driver, "tab width")
    dialog = driver.find(SettingsDialog, "settingsDialog")
    assert dialog.focusWidget() is driver.find(QSpinBox, "editor.tab_width")
    # The search of the settings knows the same words.
    for query, key in {
        "demangle": "listings.demangle",
        "font": "appearance.font_size",
        "autosave": "session.autosave_seconds",
    }.items():
        driver.find(QLineEdit, "settingsSearch").setText(query)
        assert key in dialog.shown
    dialog.close()

    # A menu may be made anew while the palette is up.
    recent = driver.find(QMenu, "recentMenu")
    recent.addAction("gone.cu", lambda: driver.files.open_paths([tmp_path / "gone.cu"]))
    driver.trigger("paletteAction")
    driver.find(QLineEdit, "commandPaletteField").setText("gone.cu")
    recent.clear()
    QTest.keyClick(driver.find(QLineEdit, "commandPaletteField"), Qt.Key.Key_Return)
    assert driver.shell.notices.text == ""


def test_no_view_keeps_a_key_of_a_command_for_itself(started):
    views = {
        "editor": started.editor,
        "ptx": started.listing("ptxView"),
        "problems": started.pane("problems").table,
    }
    kept = {
        (name, spec.id, key)
        for name, view in views.items()
        for spec in ACTIONS
        for key in spec.keys
        if spec.where is KeyScope.WINDOW
        and swallows(view, QKeySequence(key))
        and not (name == "editor" and spec.id in SAME_IN_EDITORS)
    }
    assert kept == set()


def test_the_keys_of_editors_are_those_that_are_listed():
    def taken(*where):
        listed = (key for spec in ACTIONS if spec.where in where for key in spec.keys)
        return {QKeySequence(key).toString() for key in listed}

    own = {QKeySequence(int(modifiers.value) | int(key)).toString() for key, modifiers in KEYS}
    assert own & taken(KeyScope.WINDOW, KeyScope.TEXT) == set()
    assert taken(KeyScope.EDITOR) - own == {"Ctrl+Space"}


def test_what_editors_know_by_their_keys_can_be_chosen(started):
    driver, editor = started, started.editor
    driver.state.settings.auto_build = False
    editor.setPlainText("one\ntwo\n")
    editor.go_to(1)
    choose(driver, "duplicate")
    assert editor.toPlainText() == "one\none\ntwo\n"
    for action in ("moveLinesDownAction", "deleteLinesAction", "indentAction"):
        driver.trigger(action)
    assert editor.toPlainText() == "one\n    two\n"
    # Where the keyboard is in a listing, no key edits what is out of sight; the menu does.
    driver.shell.layout.bring_up(driver.listing("sassView"))
    driver.press(
        Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert editor.toPlainText() == "one\n    two\n"
    choose(driver, "unindent")
    assert editor.toPlainText() == "one\ntwo\n"
    # Copying is of what has the keyboard.
    for view, text in ((driver.listing("sassView"), ".target\tsm_"), (editor, "one\ntwo\n")):
        view.setFocus()
        driver.trigger("selectAllAction")
        driver.trigger("copyAction")
        assert text in QApplication.clipboard().text()
    driver.trigger("cutAction")
    assert editor.toPlainText() == ""
    driver.trigger("pasteAction")
    assert editor.toPlainText() == "one\ntwo\n"


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
    assert current_theme().dark
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
