"""PySide6 6.12 ends the process on Python 3.11 after some thousand calls that return nothing."""

import subprocess
import sys

CALLS = """
from PySide6.QtCore import QObject
thing = QObject()
for _ in range(20_000):
    thing.setObjectName("x")
print("alive")
"""


def test_many_calls_that_return_nothing_do_not_end_the_program():
    done = subprocess.run(
        [sys.executable, "-c", CALLS], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr
