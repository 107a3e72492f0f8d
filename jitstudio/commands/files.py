"""Files and folders that a command is to read and to write."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from errno import EACCES
from pathlib import Path
from typing import Literal

from jitstudio.command_options.values import UsageError
from jitstudio.core.options import lies_in
from jitstudio.core.plain_files import read_file

_NAMED = 10


def in_folder(folder: Path, name: str, *, trust: bool = False) -> str:
    """Returns the path of a file that another person has named, from that person's folder on.

    Raises:
        UsageError: It leads out of the folder, and the person is not trusted.
    """
    path = str(folder / name)
    if not trust and not lies_in((str(folder),), path):
        raise UsageError(
            f"'{name}' lies outside the folder '{folder}'. Move the file there, or begin in a "
            "folder that has both."
        )
    return path


def read(path: str) -> bytes:
    """Returns the content of a file.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return read_file(Path(path))
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}.") from None


def read_text(path: str) -> str:
    """Returns a file as text; bytes that are no UTF-8 show as replacement characters.

    Raises:
        UsageError: It cannot be read.
    """
    return read(path).decode("utf-8", "replace")


def made_folder(text: str | None, flag: str) -> Path | None:
    """Returns the folder, made before the work so that a wrong path costs no time.

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
    """Opens a file to be written: an opener that fails for a pipe without a reader.

    Raises:
        OSError: There is no reader, or another reason.
    """
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    os.set_blocking(descriptor, True)
    return descriptor


def write_named(path: Path, content: bytes, flag: str, mode: Literal["wb", "ab"] = "wb") -> None:
    """Writes a file that this flag, key or variable has named, or appends to the file.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        with open(path, mode, opener=without_waiting) as file:
            file.write(content)
    except OSError as error:
        raise unwritable(path, error, flag) from None


def unwritable(path: Path, error: OSError, flag: str) -> UsageError:
    """Returns why this file or folder, which this flag has named, cannot be written."""
    return UsageError(
        f"'{path}' cannot be written: {error.strerror or error}. Choose another place with {flag}."
    )


def write_new(contents: Sequence[tuple[Path, bytes]], folder: Path) -> None:
    """Writes all of these new files below a folder, or none.

    Raises:
        UsageError: Some of them exist, or one cannot be written.
    """
    existing = [path for path, _ in contents if os.path.lexists(path)]
    if existing:
        names = ", ".join(f"'{path.relative_to(folder)}'" for path in existing[:_NAMED])
        more = f" and {len(existing) - _NAMED:,} more" if len(existing) > _NAMED else ""
        raise UsageError(
            f"Nothing was written: {names}{more} would be replaced in '{folder}'. Choose another "
            "folder with -o, or move these files away."
        )
    parents = dict.fromkeys(parent for path, _ in contents for parent in path.parents)
    absent = [parent for parent in parents if not os.path.exists(parent)]
    written: list[Path] = []
    for path, content in contents:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # "x" also refuses a file that somebody has written since the check.
            with open(path, "xb") as file:
                written.append(path)
                file.write(content)
        except OSError as error:
            _remove(written, absent)
            raise unwritable(path, error, "-o") from None


def _remove(files: list[Path], folders: list[Path]) -> None:
    """Removes files and folders that have just been made, as far as that is possible."""
    with suppress(OSError):
        for file in files:
            file.unlink()
        for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
            if folder.exists():
                folder.rmdir()
