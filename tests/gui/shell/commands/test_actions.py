"""The actions of a window: each command is carried out by somebody, and by one only."""

from collections import Counter

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from jitstudio.gui.shell.commands.actions import ACTIONS, Actions
from jitstudio.gui.shell.commands.shortcuts import Shortcuts, can_change
from jitstudio.gui.shell.commands.spec import LAYOUT, MENUS, SUBMENUS, KeyScope
from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.window.pane_maker import COMMANDS, LATE
from jitstudio.system.paths import resource


def test_every_command_of_a_whole_window_does_something(driver):
    assert driver.window.frame.actions.unbound
    assert driver.builder.state.documents is driver.window.user_state.documents
    actions = driver.window.frame.actions
    assert actions.unbound == {*COMMANDS}
    for folder in LATE:
        late = actions.unbound
        driver.builder.panes.install(folder)
        assert late - actions.unbound == {c for c, of in COMMANDS.items() if of == folder}, folder
    assert actions.unbound == frozenset()


def test_no_command_is_bound_twice(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window)
    actions.bind({"buildAction": window.close})
    with pytest.raises(ValueError, match="buildAction"):
        actions.bind({"buildAction": window.close})


def test_a_switch_calls_with_its_state_and_others_when_triggered(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    actions, called = Actions(window), []
    actions.bind({"cacheAction": called.append, "buildAction": lambda: called.append("build")})
    actions["cacheAction"].trigger()
    actions["buildAction"].trigger()
    assert called == [True, "build"]


def test_keys_changed_while_stepping_leave_no_command_without_its_keys(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window)

    def keys(name):
        return [shortcut.toString() for shortcut in actions[name].shortcuts()]

    assert keys("fullScreenAction") == ["F11"]
    actions.set_stepping(True)
    assert (keys("stepInstructionAction"), keys("fullScreenAction")) == (["F11"], [])

    actions.set_keys("stepInstructionAction", ("Ctrl+B",))
    assert (keys("stepInstructionAction"), keys("fullScreenAction")) == (["Ctrl+B"], ["F11"])
    # A key has an owner at a time: Qt carries out neither of two.
    shared = [spec.id for spec in ACTIONS if "Ctrl+B" in keys(spec.id)]
    assert shared == ["stepInstructionAction"]

    actions.set_stepping(False)
    assert keys("stepInstructionAction") == []
    for spec in ACTIONS:
        if spec.where is not KeyScope.STEPPING:
            assert keys(spec.id) == [QKeySequence(key).toString() for key in spec.keys], spec.id


# ---- The table of commands


def test_no_two_commands_share_a_key():
    keys = Counter(
        (QKeySequence(key).toString(), spec.where is KeyScope.STEPPING)
        for spec in ACTIONS
        for key in spec.keys
    )
    assert [key for key, count in keys.items() if count > 1] == []


def test_rows_are_complete():
    for spec in ACTIONS:
        assert spec.menu in (*MENUS, *SUBMENUS), spec
        assert spec.id.endswith("Action"), spec
        assert all(not QKeySequence(key).isEmpty() for key in spec.keys), spec
        assert not spec.icon or resource(f"icons/{spec.icon}.svg").is_file(), spec


def test_no_two_commands_of_a_menu_share_a_mnemonic():
    for menu in (*MENUS, *SUBMENUS):
        letters = [
            spec.text[spec.text.index("&") + 1].lower()
            for spec in ACTIONS
            if spec.menu == menu and "&" in spec.text
        ]
        assert [k for k, n in Counter(letters).items() if n > 1] == [], menu


def test_layouts_are_called_like_no_menu_and_no_pane():
    layouts = {spec.text.replace("&", "") for spec in ACTIONS if spec.menu == LAYOUT}
    taken = {title.replace("&", "") for title in (*MENUS, *SUBMENUS)}
    assert layouts & (taken | {pane.title for pane in PANES}) == set()


# ---- Which keys commands have: the table's, or the user's


@pytest.fixture
def made(qapp, tmp_path):
    """Makes the shortcuts of a start of the program, over settings that stay."""
    windows = []

    def make():
        window = QWidget()
        windows.append(window)
        store = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
        actions = Actions(window)
        return Shortcuts(actions, Preferences(store)), actions

    return make


def keys(actions, name):
    return [key.toString() for key in actions[name].shortcuts()]


def all_keys(actions):
    return [key.toString() for spec in ACTIONS for key in actions[spec.id].shortcuts()]


def test_a_key_is_taken_from_the_command_that_had_it_and_kept(made):
    shortcuts, actions = made()
    assert shortcuts.conflict("pinBaselineAction", "Ctrl+Alt+Y") is None
    conflict = shortcuts.conflict("pinBaselineAction", "Ctrl+B")
    assert not conflict.is_final
    assert conflict.message == "Ctrl+B is the key of 'Build', which would lose it."
    shortcuts.set_keys("pinBaselineAction", ["Ctrl+B", "Ctrl+Alt+Y"])
    # As at the next start, and one after it.
    for _, actions in (made(), made()):
        assert keys(actions, "pinBaselineAction") == ["Ctrl+B", "Ctrl+Alt+Y"]
        assert keys(actions, "buildAction") == ["Ctrl+Shift+B", "F7"]
        assert actions["buildAction"].toolTip() == "Build now (Ctrl+Shift+B)"
        assert len(all_keys(actions)) == len(set(all_keys(actions)))
    shortcuts, actions = made()
    assert not shortcuts.is_default("pinBaselineAction")
    assert not shortcuts.is_default("buildAction")
    # Taken back by the one that had it, and all as it was.
    shortcuts.set_keys("buildAction", ["Ctrl+B"])
    assert keys(actions, "pinBaselineAction") == ["Ctrl+Alt+Y"]
    shortcuts.set_keys("buildAction", [])
    assert keys(made()[1], "buildAction") == []
    shortcuts.reset("buildAction")
    assert keys(actions, "buildAction") == ["Ctrl+B", "Ctrl+Shift+B", "F7"]
    shortcuts.reset_all()
    assert all(map(shortcuts.is_default, (spec.id for spec in ACTIONS)))
    assert keys(made()[1], "pinBaselineAction") == ["Ctrl+Alt+B"]


@pytest.mark.parametrize("key", ["A", "Shift+A", "Tab", "Return", "Ctrl+C", "Ctrl+Left", "Del"])
def test_what_types_moves_or_copies_is_no_key_of_a_command(made, key):
    shortcuts, actions = made()
    assert shortcuts.conflict("buildAction", key).is_final
    with pytest.raises(ValueError, match=r"alone is for typing|has its own use"):
        shortcuts.set_keys("buildAction", [key])
    assert keys(actions, "buildAction") == ["Ctrl+B", "Ctrl+Shift+B", "F7"]
    assert not can_change("copyAction")


def test_settings_that_make_no_sense_are_passed_over(made, tmp_path):
    store = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
    for name, value in {
        "goneAction": "Ctrl+J",
        "copyAction": "Ctrl+J",
        "buildAction": ["Ctrl+,", "Ctrl+J"],
        "quitAction": "\0nonsense",
    }.items():
        store.setValue(f"shortcuts/{name}", value)
    store.sync()
    shortcuts, actions = made()
    assert keys(actions, "copyAction") == ["Ctrl+C"]
    assert QKeySequence("Ctrl+J").toString() not in keys(actions, "quitAction")
    shortcuts.reset_all()
    assert shortcuts.is_default("quitAction")
