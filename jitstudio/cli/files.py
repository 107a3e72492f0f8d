"""Files and folders that a command writes, and words for those that it cannot."""

from __future__ import annotations

import os
from errno import EACCES
from pathlib import Path

from jitstudio.cli.request import UsageError


def made_folder(text: str | None, flag: str) -> Path | None:
    """The folder, made before the work so that a wrong one costs no time.

    Raises:
        UsageError: It cannot be made or written into.
    """
    if text is None:
        return None
    folder = Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error, flag) from None
    if not os.access(folder, os.W_OK):
        raise unwritable(folder, PermissionError(EACCES, os.strerror(EACCES)), flag)
    return folder


def without_waiting(path: str, flags: int) -> int:
    """Open a file to be written: an opener that fails for a pipe which nobody reads.

    Raises:
        OSError: There is no reader, or another reason.
    """
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    os.set_blocking(descriptor, True)
    return descriptor


def unwritable(path: Path, error: OSError, flag: str) -> UsageError:
    """Why this file or folder, which this flag has named, cannot be written."""
    return UsageError(
        f"'{path}' cannot be written: {error.strerror or error}. Choose another place with {flag}."
    )
