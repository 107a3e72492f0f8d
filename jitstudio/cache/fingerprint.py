"""Keys: hashes of everything that a result depends on."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from jitstudio import __version__
from jitstudio.core.tools import Tool

_ROOTS = ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX")
_BELOW = ("", "bin", "lib", "lib64", "nvvm", "nvvm/lib64")
_SEARCHED = ("PATH", "LD_LIBRARY_PATH")
_SYSTEM_PLACES = ("/usr/local/cuda", "/usr/local", "/opt/cuda", "/etc/ld.so.cache")


def fingerprint(*values: Any) -> bytes:
    """A hash of values of the core, and of the version of this program."""
    digest = hashlib.sha256()
    _feed(digest, (__version__, *values))
    return digest.digest()


def surroundings(tool: Tool) -> bytes:
    """A hash of all that decides where a tool is found: a package installed later changes it."""
    roots = [os.environ.get(name, "") for name in _ROOTS]
    places = [*sys.path, *_SYSTEM_PLACES]
    places += [os.path.join(root, below) for root in roots if root for below in _BELOW]
    for name in _SEARCHED:
        places += os.environ.get(name, "").split(os.pathsep)
    changed = tuple((place, _changed(place)) for place in places if place)
    variables = tuple(os.environ.get(name) for name in (*_ROOTS, *_SEARCHED))
    return fingerprint(tool, sys.executable, variables, changed)


def _changed(place: str) -> tuple[int, int] | None:
    try:
        found = os.stat(place)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _feed(digest: Any, value: Any) -> None:
    """Hash any value of the core, each with its type and length so that no two look the same.

    All fields are taken, so that one added to a job later is never forgotten.
    """
    if is_dataclass(value):
        value = (type(value).__name__, *(getattr(value, field.name) for field in fields(value)))
    if isinstance(value, tuple):
        digest.update(b"(%d" % len(value))
        for item in value:
            _feed(digest, item)
        return
    if isinstance(value, Enum):
        value = f"{type(value).__name__}.{value.name}"
    data = value if isinstance(value, bytes) else _as_bytes(value)
    digest.update(b"%s%d:" % (type(value).__name__.encode(), len(data)))
    digest.update(data)


def _as_bytes(value: str | int | None) -> bytes:
    if value is None or isinstance(value, str | int):
        return str(value).encode("utf-8", "surrogateescape")
    raise TypeError(f"{type(value).__name__} has no fingerprint")
