"""The actions of a window: each command is carried out by somebody, and by one only."""

import pytest
from PySide6.QtWidgets import QWidget

from jitstudio.gui.shell.commands.actions import Actions


def test_every_command_of_a_whole_window_does_something(driver):
    assert driver.window.frame.actions.unbound
    assert driver.builder.state.documents is driver.window.user_state.documents
    assert driver.window.frame.actions.unbound == frozenset()


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
