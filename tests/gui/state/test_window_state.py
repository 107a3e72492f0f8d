"""What a window owns, without the window."""

import pytest
from PySide6.QtCore import QSettings

from jitstudio.gui.state.user_state import UserState
from jitstudio.gui.state.workspace import Workspace

PATIENCE = 60_000


@pytest.fixture
def workspace(qapp, tmp_path):
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    user_state = UserState(store, tmp_path / "sessions")
    workspace = Workspace(user_state)
    yield workspace
    workspace.close()


def test_who_asks_late_for_the_tools_is_told_and_kept_up_to_date(workspace, qtbot):
    qtbot.waitUntil(lambda: workspace.toolchain is not None, timeout=PATIENCE)
    told = []
    workspace.tell_toolchain(told.append)
    assert told == [workspace.toolchain]
    assert told[0].archs
    workspace.service.probe()
    qtbot.waitUntil(lambda: len(told) == 2, timeout=PATIENCE)


def test_who_asks_early_for_the_tools_is_told_once(workspace, qtbot):
    told = []
    workspace.tell_toolchain(told.append)
    assert told == []
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    assert told == [workspace.toolchain]
