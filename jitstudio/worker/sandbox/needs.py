"""The files that a job needs, so that the process can reach no others.

For a CUDA C++ module `HeaderScan` finds what it may include before it is compiled. Every folder is
searched for every name, so that a file may be found that the compiler would not take; one that it
would take is never missed, as it could not be read later.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from jitstudio.core.options import OptionEffect, find, is_within, read
from jitstudio.core.options.time_trace import TIME_TRACE, TRACE_ENDING
from jitstudio.core.plain_files import LARGEST, read_file
from jitstudio.core.plan import Job
from jitstudio.core.tools import CUDA_COMPILERS, Tool
from jitstudio.listing.includes import Includes, includes, may_include
from jitstudio.worker.sandbox import system_paths
from jitstudio.worker.sandbox.access import Need, SandboxAccess, folder_or_file, holds_home

_MOST_REMEMBERED = 20_000
_MOST_PLACES = 100_000
# What is larger is nothing that anybody has written, and takes long to look through.
_LARGEST = 64 << 20
_Stamp = tuple[int, int, int, int]


class Unknowable(Exception):
    """The includes of a module cannot be known: a macro names a file, or a file cannot be read."""


class HeaderRefused(Exception):
    """A compiler would wait for a header for ever, or fill the memory; the message says why."""


class HeaderScan:
    """Finds headers, and remembers the includes of unchanged headers."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Stamp, Includes]] = {}

    def files(self, job: Job, searched: Sequence[str], forced: Sequence[str]) -> tuple[str, ...]:
        """Returns the real paths that the compile may read, but for files of a toolkit.

        Args:
            job: The compile.
            searched: The folders that its options name.
            forced: The files that its options include.

        Raises:
            Unknowable: See the class.
            HeaderRefused: See the class.
        """
        texts = [content for _, content in job.inputs] + [h.content for h in job.headers]
        folders = ["", *searched]
        folders += [os.path.dirname(name) for name in (job.name, *(h.name for h in job.headers))]
        folders = [folder for folder in dict.fromkeys(folders) if not _in_toolkit(folder)]
        names = {name for text in texts for name in _names(text)}
        if len(names) * len(folders) > _MOST_PLACES:
            raise Unknowable("there are too many places to look at")
        waiting = [(name, at) for name in names for at in folders]
        waiting += [(path, "") for path in forced]
        paths: dict[str, None] = {}
        looked = 0
        while waiting:
            looked += 1
            if looked + len(waiting) > _MOST_PLACES:
                raise Unknowable("there are too many places to look at")
            name, folder = waiting.pop()
            path = os.path.join(folder, name)
            real = os.path.realpath(path)
            if real in paths or not _may_be_included(real):
                continue
            paths[real] = None
            for inner in self._names_in(real):
                waiting += [(inner, at) for at in (os.path.dirname(path), *folders)]
        return tuple(paths)

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
            if error.errno == errno.EFBIG and os.path.getsize(path) <= LARGEST:
                raise Unknowable(str(error)) from error  # data, for `#embed`
            raise HeaderRefused(f"'{path}' cannot be included: {error.strerror}.") from error
        return _certain(known[1])


def _may_be_included(path: str) -> bool:
    """Returns whether a compiler would open the file as a text; no compiler may open a device."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)


def _names(text: bytes) -> Iterable[str]:
    return _certain(includes(text)) if may_include(text) else ()


def _certain(scan: Includes) -> Iterable[str]:
    if scan.computed:
        raise Unknowable("a macro names the file to include")
    return scan.names


@cache
def _in_toolkit(folder: str) -> bool:
    """Returns whether a folder is of a CUDA toolkit or NVIDIA's wheels, which workers read.

    A folder of links, as Spack and conda make them, is searched like any other: what they lead to
    may lie elsewhere.
    """
    if not folder:
        return False
    real = os.path.realpath(folder)
    if not any(_is_toolkit(at) for at in (Path(real), *Path(real).parents)):
        return False
    roots = tuple(map(os.path.realpath, system_paths.toolchain(())))
    paths = (real, *map(os.path.realpath, _links_in(real)))
    return all(any(is_within(path, root) for root in roots) for path in paths)


def _links_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.is_symlink()]
    except OSError:
        return []


def _is_toolkit(folder: Path) -> bool:
    if folder.name == "nvidia":
        return folder.parent.name in ("site-packages", "dist-packages")
    return (folder / "bin" / "nvcc").exists() and (folder / "nvvm").is_dir()


_FOLDER = "/"
_WRITERS = {"--time": "", TIME_TRACE.flag: TRACE_ENDING, "--use-bundled-headers": _FOLDER}
"""NVRTC's options that name what it writes, and what it adds to the name."""


def need_of(job: Job, headers: HeaderScan) -> Need:
    """Returns the files that a job must be able to reach, and the most that a job may.

    A job that is confined may read its folders, though it need not read anything. Another one has
    what its text includes and its options name; where that cannot be known, every file.

    Args:
        job: The job.
        headers: Finds what it includes.

    Raises:
        HeaderRefused: It includes what no compiler may be given.
    """
    if job.tool is Tool.PYTHON:
        return _need_of_script(job)
    gpu = job.tool is Tool.DRIVER
    readable: tuple[str, ...] | None
    try:
        readable = tuple(dict.fromkeys(_roots(job, headers)))
    except Unknowable:
        readable = None
    if job.confined_to is None:
        by_nvcc = job.tool is Tool.NVCC
        written = tuple(_outputs(job))
        return Need(
            SandboxAccess(readable, written, gpu, host_compiler=by_nvcc, toolchain=job.toolchain)
        )
    ours = job.confined_to
    least = SandboxAccess(readable, gpu=gpu, confined_to=ours, toolchain=job.toolchain)
    most = replace(least, readable=tuple(_inside(ours, readable or ())))
    # What it would read beyond its folders is refused: that is the point.
    return Need(least if most.covers(least) else most, most)


def _need_of_script(job: Job) -> Need:
    """Returns the need of a script: the interpreter, and the folder of imported modules."""
    folder = os.path.realpath(job.folder) if job.folder else ""
    readable: tuple[str, ...] = (folder,) if folder else ()
    if folder and holds_home(folder):
        readable = tuple(sorted(map(str, Path(folder).glob("*.py"))))
    access = SandboxAccess(readable, python=job.python or sys.executable)
    return Need(access, access)


def _inside(folders: Iterable[str], included: Iterable[str]) -> Iterator[str]:
    """Yields the paths of a confined job: folders, or the includes of a folder with the home."""
    for folder in map(os.path.realpath, folders):
        if not holds_home(folder):
            yield folder
            continue
        for path in included:
            inner = os.path.relpath(path, folder)
            if not any(part.startswith(".") for part in inner.split(os.sep)):
                yield path


def _roots(job: Job, headers: HeaderScan) -> Iterator[str]:
    named = tuple(_named(job.options))
    paths = named
    if job.tool in CUDA_COMPILERS:
        folders = [path for path in named if os.path.isdir(path)]
        rows = ((option.spec, option.value) for option in read(job.options))
        forced = [
            value for row, value in rows if row and value and row.effect is OptionEffect.INCLUDES
        ]
        paths = (*named, *headers.files(job, folders, forced))
    for path in paths:
        if not os.path.isdir(path):
            yield folder_or_file(path)
        elif not holds_home(path):
            yield os.path.realpath(path)


def _outputs(job: Job) -> Iterator[str]:
    """Yields the files that a tool is to write, made here: only existing files can be allowed."""
    for option in job.options:
        row, value = find(option)
        added = _WRITERS.get(row.spellings.get(job.tool, "")) if row else None
        if added is None or not value or value == "-":
            continue
        path = Path(value + added)
        with contextlib.suppress(OSError):  # the tool reports it itself
            if added == _FOLDER:
                path.mkdir(parents=True, exist_ok=True)
            else:
                path.touch()
            yield os.path.realpath(path)


def _named(options: tuple[str, ...]) -> Iterator[str]:
    """Files and folders in the options: `-Ix`, `-I x`, `--flag=x`, `-Xptxas=--flag=x`."""
    for option in options:
        _, _, value = option.partition("=")
        words = (
            option,
            option.removeprefix("-I").removeprefix("="),
            value,
            value.partition("=")[2],
        )
        yield from (word for word in dict.fromkeys(words) if word and os.path.exists(word))
