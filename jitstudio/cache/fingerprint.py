"""The key of a job in the store: a hash of everything that its result depends on."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from jitstudio import __version__
from jitstudio.cache.headers import HeaderScanner, Unknowable
from jitstudio.core.job import Job
from jitstudio.core.tools import Tool, ToolFile

# Options, without their dashes, by which a tool writes files or tells times: what it did is more
# than what comes back from it.
_WITH_EFFECTS = (
    "time",
    "fdevice-time-trace",
    "pch",
    "create-pch",
    "use-pch",
    "dump",
    "keep",
    "no-cache",
)

_ROOTS = ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX")
_SEARCHED = ("PATH", "LD_LIBRARY_PATH")
_SYSTEM_PLACES = ("/usr/local/cuda", "/usr/local", "/opt/cuda", "/etc/ld.so.cache")


class Fingerprinter:
    """Takes fingerprints of jobs; remembers headers from one to the next."""

    def __init__(self) -> None:
        self._headers = HeaderScanner()

    def fingerprint(self, job: Job) -> bytes | None:
        """A hash of all that the job's result depends on but the tool itself.

        None if that cannot be told, or if the tool does more than give a result.
        """
        if job.tool is Tool.CUOBJDUMP:
            # What it finds may be assembled by nvJitLink, of which the key knows nothing.
            return None
        if any(option.lstrip("-").startswith(_WITH_EFFECTS) for option in job.options):
            return None
        try:
            around = _around(job, self._headers) if job.tool is Tool.NVRTC else ()
        except Unknowable:
            return None
        return _hash((job, around))


def key(fingerprint: bytes, file: ToolFile) -> bytes:
    """The key of what a tool, loaded from this file, makes of a job."""
    return _hash((__version__, file, fingerprint))


def surroundings(tool: Tool) -> bytes:
    """A hash of all that decides where a tool is found: a package installed later changes it."""
    places = [*sys.path, *_SYSTEM_PLACES, *(os.environ.get(name, "") for name in _ROOTS)]
    changed = tuple((place, _changed(place)) for place in places if place)
    variables = tuple(os.environ.get(name) for name in (*_ROOTS, *_SEARCHED))
    return _hash((__version__, tool, sys.executable, variables, changed))


def _changed(place: str) -> int | None:
    try:
        return os.stat(place).st_mtime_ns
    except OSError:
        return None


def _around(job: Job, headers: HeaderScanner) -> tuple[Any, ...]:
    # Line tables hold the working directory, and folders may be relative to it.
    return (os.getcwd(), *headers.reach(job))


def _hash(value: Any) -> bytes:
    digest = hashlib.sha256()
    _feed(digest, value)
    return digest.digest()


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
