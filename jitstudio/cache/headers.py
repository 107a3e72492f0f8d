"""Which files a CUDA C++ module can reach by `#include`, and what is in them.

Every folder is searched for every name, so a file may be found that the compiler would not take;
one that it would take is never missed. That errs on the side of compiling anew.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jitstudio.core.job import Job
from jitstudio.listing.includes import Includes, includes

_SETTLED_NS = 2_000_000_000
_MOST_REMEMBERED = 20_000


class Unknowable(Exception):
    """What the module includes cannot be told: a macro names it, or a file cannot be read."""


@dataclass(frozen=True)
class _Read:
    """A file as it was; `stamp` tells whether it still is."""

    stamp: tuple[int, int]
    digest: bytes
    includes: Includes


class HeaderScanner:
    """Finds headers, and remembers those that have not changed since."""

    def __init__(self) -> None:
        self._known: dict[str, _Read] = {}

    def reach(self, job: Job) -> tuple[tuple[str, bytes], ...]:
        """Path and digest of everything on disk that the compile may depend on.

        Raises:
            Unknowable: See the class.
        """
        texts = [content for _, content in job.inputs] + [h.content for h in job.headers]
        scans = [includes(text) for text in texts]
        values = list(_values(job.options))
        folders = [Path(value) for value in values if os.path.isdir(value)]
        names = (job.name, *(header.name for header in job.headers))
        beside = {Path(), *(Path(name).parent for name in names)}
        found = {str(folder): stamp for folder in folders if (stamp := _stamp(folder))}
        mine = [folder for folder in folders if str(folder) not in found]
        # An option may name a file to include; the others name none, which is found out soon.
        waiting = [(name, folder) for name in values for folder in (*beside, *mine)]
        waiting += [(name, folder) for scan in scans for name in _names(scan) for folder in beside]
        waiting += [(name, folder) for scan in scans for name in scan.names for folder in mine]
        while waiting:
            name, folder = waiting.pop()
            path = os.path.normpath(os.path.join(folder, name))
            if path in found or not os.path.isfile(path):
                continue
            read = self._read(path)
            found[path] = read.digest
            near = Path(path).parent
            waiting += [(n, at) for n in _names(read.includes) for at in (near, *beside, *mine)]
        return tuple(sorted(found.items()))

    def _read(self, path: str) -> _Read:
        try:
            status = os.stat(path)
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._known.get(path)
            # A file written a moment ago may be written again within the same tick of the clock.
            settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
            if known is not None and known.stamp == stamp and settled:
                return known
            content = Path(path).read_bytes()
        except OSError as error:
            raise Unknowable(str(error)) from error
        read = _Read(stamp, hashlib.sha256(content).digest(), includes(content))
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[path] = read
        return read


def _names(scan: Includes) -> Iterable[str]:
    if scan.computed:
        raise Unknowable("a macro names the file to include")
    return scan.names


def _values(options: tuple[str, ...]) -> Iterator[str]:
    """Whatever in the options may be a folder or a file: `-Ix`, `-I x`, `--flag=x`."""
    for option in options:
        yield option.removeprefix("-I").removeprefix("=")
        _, equals, value = option.partition("=")
        if equals and value:
            yield value


def _stamp(folder: Path) -> bytes:
    """What tells the version of a toolkit's folder; empty for a folder of the user's own.

    The hundreds of headers in there change with the version only, and are not read.
    """
    resolved = folder.resolve()
    root = _toolkit(resolved)
    if root is None:
        return b""
    below = [at for at in (resolved, *resolved.parents) if root in at.parents]
    marks = [at for at in (root / "version.json", root, *below) if at.exists()]
    return "\n".join(f"{at}:{at.stat().st_mtime_ns}" for at in marks).encode(
        "utf-8", "surrogateescape"
    )


@cache
def _toolkit(folder: Path) -> Path | None:
    """The root of the toolkit, or of NVIDIA's wheels, that the folder belongs to."""
    return next((at for at in (folder, *folder.parents) if _is_toolkit(at)), None)


def _is_toolkit(folder: Path) -> bool:
    if folder.name == "nvidia":
        return folder.parent.name in ("site-packages", "dist-packages")
    return (folder / "bin" / "nvcc").exists() and (folder / "nvvm").is_dir()
