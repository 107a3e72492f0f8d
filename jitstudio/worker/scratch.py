"""Temporary folders that belong to one process: private, and gone soon after it is.

Each is named by the process that made it, so that the next program knows what was left behind by
one that was killed.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

_NAME = "jitstudio-{kind}-{owner}-"
_NAMES = re.compile(r"jitstudio-[a-z]+-(\d+)-\w+")


def make(kind: str) -> Path:
    """Returns a new folder that nobody else can enter.

    Args:
        kind: What it is for, in lower-case letters.

    Raises:
        OSError: It cannot be made.
    """
    _remove_orphans(tempfile.gettempdir())
    return Path(tempfile.mkdtemp(prefix=_NAME.format(kind=kind, owner=os.getpid())))


def remove(folder: Path) -> None:
    """Removes one with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)


def empty(folder: Path) -> None:
    """Removes what lies in one, where the folder itself cannot be."""
    try:
        found = list(os.scandir(folder))
    except OSError:
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            Path(entry.path).unlink(missing_ok=True)


@cache
def _remove_orphans(folder: str) -> None:
    """Removes, once, what was left by programs that were killed: buffers can be large."""
    for entry in os.scandir(folder):
        named = _NAMES.fullmatch(entry.name)
        if named is not None and not _runs(int(named[1])):
            shutil.rmtree(entry.path, ignore_errors=True)


def _runs(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # there, signal 0 is no question
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # somebody else's
    return True
