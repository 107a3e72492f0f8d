"""What native code writes to stdout and stderr, per stage.

The parent gives the child two files as its file descriptors 1 and 2 and keeps them open, so that
the text survives the child. The child reads back what a stage has added.
"""

from __future__ import annotations

import ctypes
import os
import sys

STDOUT, STDERR = 1, 2
_MOST = 1 << 20


class Capture:
    """Reads what was added to file descriptors 1 and 2, which must be readable files."""

    def __init__(self) -> None:
        _unbuffer_c_streams()

    def mark(self) -> tuple[int, int]:
        """Returns where both are now."""
        return os.fstat(STDOUT).st_size, os.fstat(STDERR).st_size

    def since(self, mark: tuple[int, int]) -> tuple[str, str]:
        """Returns what was added to both since then, at most the last mebibyte of each."""
        sys.stdout.flush()
        sys.stderr.flush()
        return read_from(STDOUT, mark[0]), read_from(STDERR, mark[1])


def read_from(descriptor: int, start: int) -> str:
    """Returns the text of an open file from `start` on, at most its last mebibyte."""
    end = os.fstat(descriptor).st_size
    if start == end:
        return ""
    start = max(start, end - _MOST)
    return os.pread(descriptor, end - start, start).decode("utf-8", "replace").rstrip()


def _unbuffer_c_streams() -> None:
    """C's stdout collects its text when it is a file; a crash would take that along."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    unbuffered = 2  # _IONBF of glibc and musl
    for name in ("stdout", "stderr"):
        stream = ctypes.c_void_p.in_dll(libc, name)
        libc.setvbuf(stream, None, unbuffered, 0)
