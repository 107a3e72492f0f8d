"""How much memory and disk a worker may take, so that nothing it runs can starve the machine."""

from __future__ import annotations

import os
import sys

if sys.platform == "linux":
    import resource

EXIT_OUT_OF_MEMORY = 77
"""Exit status of a child that ran out of memory in Python code."""

_SHARE = 0.75


def default_memory_limit() -> int:
    """Three quarters of the machine's memory in bytes, or 0 (no limit) where that is unknown."""
    return share_of_memory(_SHARE)


def share_of_memory(share: float) -> int:
    """So much of the machine's memory in bytes, or 0 (no limit) where that is unknown."""
    try:
        return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * share)
    except (AttributeError, ValueError, OSError):
        return 0


def limit_memory(size: int) -> None:
    """Limit this process to `size` bytes of data; 0 for no limit. Linux only."""
    if size <= 0 or sys.platform != "linux":
        return
    # Not RLIMIT_AS: a GPU driver reserves far more address space than memory.
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most != resource.RLIM_INFINITY:
        size = min(size, most)
    resource.setrlimit(resource.RLIMIT_DATA, (size, most))


def limit_files(size: int) -> None:
    """Limit the files that this process writes to so many bytes each. Linux only."""
    if sys.platform != "linux":
        return
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    if most != resource.RLIM_INFINITY:
        size = min(size, most)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
