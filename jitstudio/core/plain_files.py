"""Reads plain files of bounded size: files that fill the memory or keep us waiting are refused.

A pipe has its reader wait for a writer, a device may give bytes without end, and a sparse file of a
terabyte takes no room on the disk. Whatever reads a file that a person, a project or an option
names reads it by `read_file`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

LARGEST = 256 * 2**20
"""Bytes of the largest file that is read; archives of device code have up to some 200 MiB."""

_OTHERS = (
    (stat.S_ISDIR, errno.EISDIR, "it is a folder"),
    (stat.S_ISFIFO, errno.EINVAL, "it is a pipe and no ordinary file"),
    (stat.S_ISSOCK, errno.EINVAL, "it is a socket and no ordinary file"),
    (lambda _: True, errno.EINVAL, "it is a device and no ordinary file"),
)
# It neither waits for a writer, nor takes a terminal for the program's own.
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
# The kernel makes up the files below /proc as they are read, and gives them no size.
_PIECE = 1 << 16


def read_file(path: Path | str, limit: int = LARGEST) -> bytes:
    """Returns the bytes of a plain file, links followed.

    Returns:
        At most `limit` bytes.

    Raises:
        OSError: It is no plain file, is larger, or cannot be read. Its `strerror` says why, as the
            end of a sentence: f"'{path}' cannot be read: {error.strerror}." Its class is that of
            the system's error, such as `FileNotFoundError`.
    """
    try:
        with open_file(path, limit) as file:
            pieces, left = [], limit
            size = min(os.fstat(file.fileno()).st_size, limit)
            while piece := file.read(max(size, _PIECE)):
                pieces.append(piece)
                left, size = left - len(piece), size - len(piece)
                if left < 0:
                    raise _too_large(path, limit)
    except MemoryError:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM), str(path)) from None
    return b"".join(pieces)


@contextmanager
def open_file(path: Path | str, limit: int = LARGEST) -> Iterator[FileIO]:
    """Opens a plain file to be read, for the block; errors are those of `read_file`."""
    try:
        # Not after it is open only: a device may act on being opened.
        _check(path, os.stat(path), limit)
        descriptor = os.open(path, _FLAGS)
    except ValueError:
        raise OSError(errno.EINVAL, "no file can have such a name", str(path)) from None
    with FileIO(descriptor) as file:
        _check(path, os.fstat(descriptor), limit)
        yield file


def _check(path: Path | str, status: os.stat_result, limit: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        number, reason = next(why for is_such, *why in _OTHERS if is_such(status.st_mode))
        raise OSError(number, reason, str(path))
    if status.st_size > limit:
        raise _too_large(path, limit)


def _too_large(path: Path | str, limit: int) -> OSError:
    return OSError(errno.EFBIG, f"it is larger than the {limit >> 20} MiB that are read", str(path))
