import os
import sys

import pytest
from PySide6.QtCore import QObject
from shiboken6 import delete

from jitstudio.gui.kit.owned_process import OwnedProcess

_WAITS = "import sys, time; print('begun', flush=True); time.sleep(60)"
_SAVES = f"""import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(open('saved', 'w').close()))
{_WAITS}"""


@pytest.mark.parametrize(("program", "is_asked"), [(_WAITS, False), (_SAVES, True)])
def test_it_ends_with_its_owner_and_says_nothing(qtbot, tmp_path, program, is_asked):
    owner, told = QObject(), []
    process = OwnedProcess(owner, is_asked=is_asked)
    process.finished.connect(lambda: told.append("finished"))
    process.errorOccurred.connect(lambda: told.append("failed"))
    process.setWorkingDirectory(str(tmp_path))
    process.start(sys.executable, ["-c", program])
    qtbot.waitUntil(lambda: process.bytesAvailable() > 0)
    assert process.is_running
    pid = process.processId()
    delete(owner)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert (tmp_path / "saved").exists() is is_asked
    assert told == []


def test_what_a_killed_one_has_printed_is_not_the_whole(qtbot):
    owner = QObject()
    process = OwnedProcess(owner)
    process.start(sys.executable, ["-c", _WAITS])
    qtbot.waitUntil(lambda: process.bytesAvailable() > 0)
    with qtbot.waitSignal(process.finished):
        process.kill()
    assert process.output() == ""
