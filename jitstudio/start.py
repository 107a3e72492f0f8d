"""Opens the window, or has the terminal stand in for it. Imports little: every start waits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jitstudio.core.code import kind_of
from jitstudio.display import check_window


def open_window(files: Sequence[str]) -> int:
    """Open the window on these files, or on the last session; the exit status."""
    if files and not Path(files[0]).exists() and kind_of(files[0]) is None:
        # A word without an ending was meant as a command.
        from jitstudio.cli.windowless import refuse

        return refuse(files[0])
    check = check_window()
    if check.problem:
        from jitstudio.cli.windowless import build_in_terminal

        return build_in_terminal(check, files)
    # Only here, where Qt's libraries are known to be present.
    from jitstudio.gui.app import run

    return run(files)
