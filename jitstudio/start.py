"""Opens the window, or builds in the terminal instead. Imports little: every start waits."""

from __future__ import annotations

import builtins
import gc
import os
from collections.abc import Sequence
from pathlib import Path

from jitstudio.display import check_window


def open_window(files: Sequence[str]) -> int:
    """Opens the window on these files, or on the last session and returns the exit status."""
    if files and not os.path.exists(files[0]) and not Path(files[0]).suffix:
        # A word without an ending was meant as a command.
        from jitstudio.cli.main import refuse

        return refuse(files[0])
    check = check_window()
    if check.problem:
        from jitstudio.cli.main import build_in_terminal

        return build_in_terminal(check, files)
    # All that is loaded now stays: looking through it for garbage only makes the start longer.
    gc.disable()
    _import_as_python_does()
    # Only here, where Qt's libraries are known to be present.
    from jitstudio.gui.window.application import run

    return run(files)


def _import_as_python_does() -> None:
    """Takes PySide's part in each import away: it reads the source of all modules, and keeps it.

    So it finds out whether a module uses `__feature__`, other names for Qt's methods; none does.
    """
    import PySide6.QtCore  # noqa: F401

    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
