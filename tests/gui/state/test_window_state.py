"""What a window owns, without the window."""

import pytest
from PySide6.QtCore import QSettings

from jitstudio.gui.state.user_state import UserState
from jitstudio.gui.state.window_state import WindowState

PATIENCE = 60_000


@pytest.fixture
def state(qapp, tmp_path):
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    user_state = UserState(store, tmp_path / "sessions")
    state = WindowState(user_state)
    yield state
    state.close()


def test_who_asks_late_for_the_tools_is_told_and_kept_up_to_date(state, qtbot):
    qtbot.waitUntil(lambda: state.toolchain.info is not None, timeout=PATIENCE)
    told = []
    state.toolchain.follow(told.append)
    assert told == [state.toolchain.info]
    assert told[0].archs
    state.toolchain.probe()
    qtbot.waitUntil(lambda: len(told) == 2, timeout=PATIENCE)


def test_who_asks_early_for_the_tools_is_told_once(state, qtbot):
    told = []
    state.toolchain.follow(told.append)
    assert told == []
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    assert told == [state.toolchain.info]
