"""Which files a job needs, so that the process that does it can reach no others."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from jitstudio.core.job import Job
from jitstudio.core.launch.request import Buffer, FillKind
from jitstudio.core.options import Effect, find, read
from jitstudio.core.tools import Tool
from jitstudio.worker.sandbox.access import Access, Need, folder_or_file, holds_home
from jitstudio.worker.sandbox.header_scan import HeaderScan, Unknowable

_FOLDER = "/"
_WRITERS = {"--time": "", "--fdevice-time-trace": ".json", "--use-bundled-headers": _FOLDER}
"""NVRTC's options that name what it writes, and what it adds to the name."""


def need_of(job: Job, headers: HeaderScan) -> Need:
    """What a job must be able to reach, and may.

    A job that is confined may read its folders, though it need not read anything. Another one has
    what its text includes and its options name; where that cannot be told, every file.

    Args:
        job: The job.
        headers: Finds what it includes.

    Raises:
        HeaderRefused: It includes what no compiler may be given.
    """
    gpu = job.tool is Tool.DRIVER
    readable: tuple[str, ...] | None
    try:
        readable = tuple(dict.fromkeys(_roots(job, headers)))
    except Unknowable:
        readable = None
    if job.confined_to is None:
        return Need(Access(readable, tuple(_outputs(job)), gpu))
    ours = job.confined_to
    most = Access(tuple(_inside(ours, readable or ())), gpu=gpu, confined_to=ours)
    least = Access(readable, gpu=gpu, confined_to=ours)
    # What it would read beyond its folders is refused: that is the point.
    return Need(least if most.covers(least) else most, most)


def _inside(folders: Iterable[str], found: Iterable[str]) -> Iterator[str]:
    """What a confined job may read: its folders; of one that holds the home, what it includes."""
    for folder in map(os.path.realpath, folders):
        if not holds_home(folder):
            yield folder
            continue
        for path in found:
            inner = os.path.relpath(path, folder)
            if not any(part.startswith(".") for part in inner.split(os.sep)):
                yield path


def need_of_buffers(
    buffers: Iterable[Buffer],
    folder: Path,
    *writable: Path,
    confined_to: tuple[str, ...] | None = None,
) -> Need:
    """What a calculation must be able to reach.

    Args:
        buffers: Those whose files it reads.
        folder: The folder of the launch.
        writable: Where it writes.
        confined_to: See `BuildRequest`: that of the build whose code is launched.
    """
    fills = (buffer.fill for buffer in buffers if buffer.fill.kind is FillKind.FILE)
    files = (
        fill.text if os.path.exists(fill.text) else fill.text.rpartition("::")[0] for fill in fills
    )
    readable = dict.fromkeys(folder_or_file(file) for file in files if file)
    written = tuple(map(os.path.realpath, writable))
    readable_too = (os.path.realpath(folder), *readable)
    return Need(Access(readable_too, written, confined_to=confined_to))


def _roots(job: Job, headers: HeaderScan) -> Iterator[str]:
    named = tuple(_named(job.options))
    paths = named
    if job.tool is Tool.NVRTC:
        folders = [path for path in named if os.path.isdir(path)]
        rows = ((given.spec, given.value) for given in read(job.options))
        forced = [value for row, value in rows if row and value and row.effect is Effect.INCLUDES]
        paths = (*named, *headers.files(job, folders, forced))
    for path in paths:
        if not os.path.isdir(path):
            yield folder_or_file(path)
        elif not holds_home(path):
            yield os.path.realpath(path)


def _outputs(job: Job) -> Iterator[str]:
    """What options tell the tool to write. It is made here: only what is there can be allowed."""
    for option in job.options:
        row, value = find(option)
        added = _WRITERS.get(row.spellings.get(job.tool, "")) if row else None
        if added is None or not value or value == "-":
            continue
        path = Path(value + added)
        with contextlib.suppress(OSError):  # the tool tells in its own words
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
