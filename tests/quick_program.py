"""The program in a process of its own, whose workers start as those of tests do (see `workers`).

    python3 -m tests.quick_program FOLDER WORDS…

FOLDER is for the readings of machine code. Without a target it builds for `QUICK_ARCH`, as the
fixture `run` does. What is tested is the conversation with the program: how it starts its workers
is tested elsewhere, and would take most of the time.
"""

import sys
from pathlib import Path

from jitstudio.cli.main import main
from jitstudio.commands import request
from tests.support import QUICK_ARCH
from tests.workers import QuickWorkers

if __name__ == "__main__":
    workers = QuickWorkers(Path(sys.argv[1]))
    workers.begin()
    request.DEFAULT_ARCH = QUICK_ARCH
    try:
        status = main(sys.argv[2:])
    finally:
        workers.close()
    sys.exit(status)
