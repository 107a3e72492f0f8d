"""The threads of the library that multiplies matrices for NumPy."""

from __future__ import annotations

import contextlib
import ctypes
import os
from functools import cache
from pathlib import Path

_SETTERS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)
"""How the builds of OpenBLAS that NumPy comes with call it."""


@cache
def use_all_cores() -> None:
    """Let OpenBLAS use the cores of this process, where it was started with one. Linux only.

    Another library than OpenBLAS starts its threads by itself when it needs them.
    """
    with contextlib.suppress(OSError, AttributeError):
        cores = len(os.sched_getaffinity(0))
        for path in {line.split()[-1] for line in _mapped() if "openblas" in line}:
            library = ctypes.CDLL(path)
            for name in _SETTERS:
                if hasattr(library, name):
                    getattr(library, name)(cores)
                    return


def _mapped() -> list[str]:
    return Path("/proc/self/maps").read_text().splitlines()
