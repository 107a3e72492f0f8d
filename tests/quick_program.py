"""The program in a process of its own, whose workers start as those of tests do (see `workers`).

    python3 -m tests.quick_program FOLDER WORDS…

FOLDER is for the readings of machine code. Without a target it builds for `QUICK_ARCH`, as the
fixture `run` does. What is tested is the conversation with the program: how it starts its workers
is tested elsewhere, and would take most of the time.
"""

import sys
from pathlib import Path
from unittest.mock import patch

from jitstudio.cli.main import main
from jitstudio.commands import module_request
from tests.support import QUICK_ARCH
from tests.workers import QuickWorkers

if __name__ == "__main__":
    workers = QuickWorkers(Path(sys.argv[1]))
    workers.begin()
    try:
        # It fails where no such name is there to be patched.
        with patch.object(module_request, "DEFAULT_ARCH", QUICK_ARCH):
            status = main(sys.argv[2:])
    finally:
        workers.close()
    sys.exit(status)
