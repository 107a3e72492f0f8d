"""What somebody with nothing but a keyboard does on a first day, and after a kill.

`.ci/run` has `tests/onscreen.py` do the same on a real display, each time.
"""

import subprocess
import sys

import pytest
from PySide6.QtWidgets import QApplication

from jitstudio.gui.features.welcome.view import WelcomePage
from tests.gui.driver import pause
from tests.gui.keyboards import QtKeyboard
from tests.support import ROOT

# What the offscreen platform says of itself.
_HARMLESS = "This plugin does not support"


@pytest.mark.bench
def test_all_that_a_first_day_brings_goes_by_keyboard_and_outlives_a_kill(environment):
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "onscreen.py"],
        env=environment | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=1500,
    )
    told = [line for line in done.stderr.splitlines() if not line.startswith(_HARMLESS)]
    assert told == []
    assert done.returncode == 0
    assert done.stdout == "all is back, on offscreen\n"


def test_the_keyboard_is_never_lost(started):
    """After each of these it is where whoever pressed the keys looks for it."""
    window, panes, keyboard = started.window, started, QtKeyboard()
    window.activateWindow()

    def press(*keys):
        for key in keys:
            keyboard.press(key)
            pause(0)
        return QApplication.focusWidget()

    # Escape leads back to the text, from wherever nobody else has a use for it.
    for keys in ("Ctrl+2", "Ctrl+7", "Ctrl+6", "Ctrl+8", "Ctrl+Shift+O", "Alt+T", "Alt+O"):
        assert press(keys) is not started.editor
        assert press("Esc") is started.editor

    # What is begun from a pane can be written in at once, even where a pane had the window.
    press("Ctrl+3", "Ctrl+M", "Ctrl+N")
    assert QApplication.focusWidget() is started.editor
    assert started.document.name != "vector_add.cu"

    # Closing leads to the next text, and after the last one to the welcome page.
    assert press("Ctrl+W") is started.editor
    welcome = started.find(WelcomePage, "welcomePage")
    assert press("Ctrl+W") is welcome
    started.wait(lambda: welcome.is_filled)
    assert press("Tab").text() == "New CUDA C++ tab"
    assert press("Space") is started.editor

    # A message is among the panes; done with it, one is back in the text.
    panes.shell.notices.show_message("Read this.")
    assert panes.shell.notices.isAncestorOf(press("Shift+F6"))
    assert press("Space") is started.editor
    assert panes.shell.notices.text == ""
