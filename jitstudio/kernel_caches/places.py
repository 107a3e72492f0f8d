"""The caches of compilers and packages, and their folders."""

from __future__ import annotations

import getpass
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

_XLA_DUMP = re.compile(r"--xla_dump_to=(\S+)")

Environment = Mapping[str, str]


class KernelCache(NamedTuple):
    """The cache of a compiler or package.

    Attributes:
        name: The word for the cache on the command line.
        title: The name to show a person.
        folder: Returns the folder, with these variables of the environment; None where there is
            none by default.
    """

    name: str
    title: str
    folder: Callable[[Environment], Path | None]


def _at(*places: tuple[str, str]) -> Callable[[Environment], Path | None]:
    """Returns a search for the first variable that is set, and for the folder below its value."""

    def folder(environment: Environment) -> Path | None:
        for variable, below in places:
            value = environment.get(variable)
            if value:
                return Path(value).expanduser() / below
        return None

    return folder


def _inductor(environment: Environment) -> Path | None:
    try:
        user = re.sub(r'[\\/:*?"<>|]', "_", getpass.getuser())
    except (OSError, KeyError):  # nobody knows this user
        return _at(("TORCHINDUCTOR_CACHE_DIR", ""))(environment)
    default = Path(tempfile.gettempdir(), f"torchinductor_{user}")
    return _at(("TORCHINDUCTOR_CACHE_DIR", ""))(environment) or default


def _xla(environment: Environment) -> Path | None:
    match = _XLA_DUMP.search(environment.get("XLA_FLAGS", ""))
    return Path(match[1]) if match else None


CACHES = (
    KernelCache(
        "triton",
        "Triton",
        _at(("TRITON_CACHE_DIR", ""), ("TRITON_HOME", ".triton/cache"), ("HOME", ".triton/cache")),
    ),
    KernelCache("inductor", "TorchInductor", _inductor),
    KernelCache("cupy", "CuPy", _at(("CUPY_CACHE_DIR", ""), ("HOME", ".cupy/kernel_cache"))),
    KernelCache("numba", "Numba", _at(("NUMBA_CACHE_DIR", ""))),
    KernelCache(
        "cutile",
        "cuTile",
        _at(
            ("CUDA_TILE_CACHE_DIR", ""),
            ("XDG_CACHE_HOME", "cutile-python"),
            ("HOME", ".cache/cutile-python"),
        ),
    ),
    KernelCache(
        "warp",
        "Warp",
        _at(("WARP_CACHE_PATH", ""), ("XDG_CACHE_HOME", "warp"), ("HOME", ".cache/warp")),
    ),
    KernelCache("cuda", "CUDA", _at(("CUDA_CACHE_PATH", ""), ("HOME", ".nv/ComputeCache"))),
    KernelCache("xla", "XLA", _xla),
)


def caches_here(environment: Environment = os.environ) -> tuple[tuple[KernelCache, Path], ...]:
    """Returns the caches that exist on this machine, with their folders."""
    places = ((cache, cache.folder(environment)) for cache in CACHES)
    return tuple((cache, path) for cache, path in places if path is not None and path.is_dir())


def cache_named(name: str) -> KernelCache | None:
    """Returns the cache with this word, or None."""
    return next((cache for cache in CACHES if cache.name == name), None)
