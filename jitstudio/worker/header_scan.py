"""Which files a CUDA C++ module may include, found before it is compiled.

Every folder is searched for every name, so that a file may be found that the compiler would not
take; one that it would take is never missed, as it could not be read later.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jitstudio.core.job import Job
from jitstudio.core.plain_files import read_file
from jitstudio.listing.includes import Includes, includes

_MOST_REMEMBERED = 20_000
_LARGEST = 64 << 20
_Stamp = tuple[int, int, int, int]


class Unknowable(Exception):
    """What the module includes cannot be told: a macro names it, or a file cannot be read."""


class HeaderRefused(Exception):
    """A compiler would wait for a header for ever, or fill the memory with it; says why."""


class HeaderScan:
    """Finds headers, and remembers what is in those that have not changed since."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Stamp, Includes]] = {}

    def files(self, job: Job, named: Iterable[str]) -> tuple[str, ...]:
        """The real paths of all files that the compile may read, but for those of a toolkit.

        Args:
            job: The compile.
            named: The files and folders that its options name.

        Raises:
            Unknowable: See the class.
            HeaderRefused: See the class.
        """
        searched = [path for path in named if os.path.isdir(path)]
        forced = [path for path in named if not os.path.isdir(path)]
        texts = [content for _, content in job.inputs] + [h.content for h in job.headers]
        folders = ["", *searched]
        folders += [os.path.dirname(name) for name in (job.name, *(h.name for h in job.headers))]
        folders = [folder for folder in dict.fromkeys(folders) if not _in_toolkit(folder)]
        waiting = [(name, at) for text in texts for name in _names(text) for at in folders]
        waiting += [(path, "") for path in forced]
        found: dict[str, None] = {}
        while waiting:
            name, folder = waiting.pop()
            path = os.path.join(folder, name)
            real = os.path.realpath(path)
            if real in found or not os.path.exists(real) or os.path.isdir(real):
                continue
            found[real] = None
            for inner in self._names_in(real):
                waiting += [(inner, at) for at in (os.path.dirname(path), *folders)]
        return tuple(found)

    def _names_in(self, path: str) -> Iterable[str]:
        try:
            status = os.stat(path)
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            known = self._known.get(path)
            if known is None or known[0] != stamp:
                if len(self._known) >= _MOST_REMEMBERED:
                    self._known.clear()
                known = self._known[path] = stamp, includes(read_file(Path(path), _LARGEST))
        except (FileNotFoundError, PermissionError) as error:
            raise Unknowable(str(error)) from error
        except OSError as error:
            raise HeaderRefused(f"'{path}' cannot be included: {error.strerror}.") from error
        return _certain(known[1])


def _names(text: bytes) -> Iterable[str]:
    return _certain(includes(text))


def _certain(scan: Includes) -> Iterable[str]:
    if scan.computed:
        raise Unknowable("a macro names the file to include")
    return scan.names


@cache
def _in_toolkit(folder: str) -> bool:
    """Whether a folder belongs to a CUDA toolkit or to NVIDIA's wheels, which a worker may read."""
    if not folder:
        return False
    real = Path(os.path.realpath(folder))
    return any(_is_toolkit(at) for at in (real, *real.parents))


def _is_toolkit(folder: Path) -> bool:
    if folder.name == "nvidia":
        return folder.parent.name in ("site-packages", "dist-packages")
    return (folder / "bin" / "nvcc").exists() and (folder / "nvvm").is_dir()
