"""Where NVRTC looked for files: which it opened it tells itself, the rest follows from the texts.

With `-Xcudafe --trace_includes` the front end lists every file that it opens. All names in those
texts, looked for in all folders, are every place that it may have looked at. A file that it opened
and that is not among them shows that the texts were misread: then nothing can be told.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from jitstudio.core.code import split_variant
from jitstudio.core.options import read
from jitstudio.core.plan import Job, Search
from jitstudio.disk import Readings, Unreadable, places, status_of, working_folder
from jitstudio.listing.includes import Includes, includes

_FOLDER, _FORCED = "-I", "--pre-include"
_MADE_UP = {"__nv_nvrtc_builtin_header.h", "__nv_name_map"}
_READINGS: Readings[Includes] = Readings(includes)


class _Trace:
    """The list of files that NVRTC opens, in a file of its own beside all that it prints."""

    def __init__(self) -> None:
        self._descriptor = os.memfd_create("jitstudio") if hasattr(os, "memfd_create") else -1

    @property
    def options(self) -> tuple[str, ...]:
        """What to send; it changes nothing of the result. Empty where NVRTC could not write it."""
        file = f"/proc/self/fd/{self._descriptor}"
        try:
            os.close(os.open(file, os.O_WRONLY))
        except OSError:
            return ()
        return ("-Xcudafe", "--trace_includes", "-Xcudafe", f"--error_output={file}")

    def begin(self) -> None:
        """Forget what was opened until now."""
        if self._descriptor >= 0:
            os.ftruncate(self._descriptor, 0)

    def opened(self) -> frozenset[str] | None:
        """What was opened since, as NVRTC writes it; None if it did not tell."""
        if self._descriptor < 0:
            return None
        size = os.fstat(self._descriptor).st_size
        # Blanks before a name tell how deep it was included.
        lines = os.fsdecode(os.pread(self._descriptor, size, 0)).splitlines()
        names = {line.lstrip(" ") for line in lines}
        return frozenset(names - _MADE_UP) if names & _MADE_UP else None


TRACE = _Trace()
"""That of this process: NVRTC compiles one program at a time."""


def searches_of(
    job: Job, options: Iterable[str], folders: Iterable[str], opened: Iterable[str] | None
) -> tuple[Search, ...] | None:
    """All places where a file was looked for on behalf of a job; None if they cannot be told.

    Args:
        job: The job.
        options: All that was sent.
        folders: Where NVIDIA's own headers lie.
        opened: What NVRTC opened, as it writes it.
    """
    if opened is None or not (here := working_folder()):
        return None
    words = tuple(options)
    given = [(option.spec.flags, option.value or "") for option in read(words) if option.spec]
    forced = [value for flags, value in given if _FORCED in flags]
    own = [value.removeprefix("=") for flags, value in given if _FOLDER in flags]
    source, _, _ = split_variant(job.name)
    texts = [(source, text) for _, text in job.inputs]
    texts += [(header.name, header.content) for header in job.headers]
    scans = [(str(PurePath(name).parent), includes(text)) for name, text in texts]
    scans.append(("", includes(" ".join((*words, *job.name_expressions)).encode(errors="replace"))))
    in_memory = {header.name for header in job.headers}
    try:
        scans += [scan for name in opened if (scan := _scan(name, in_memory))]
    except (Unreadable, OSError):
        return None
    everywhere = [
        os.path.join(here, at) for at in ("", str(PurePath(source).parent), *own, *folders)
    ]
    searches = tuple(_searches(here, scans, everywhere, forced))
    known = {_plain(path) for path in places(searches)}
    files = {_plain(os.path.join(here, name)) for name in opened if status_of(name)}
    return searches if _all_told(scans) and files <= known else None


def _all_told(scans: list[tuple[str, Includes]]) -> bool:
    pasted = any(scan.pastes for _, scan in scans) and any(scan.parts for _, scan in scans)
    return not pasted and not any(scan.computed or scan.clock for _, scan in scans)


def _scan(name: str, in_memory: set[str]) -> tuple[str, Includes] | None:
    """The folder of a file that was opened, and what is in it; None for one in memory."""
    status = status_of(name)
    if status is None and name in in_memory:
        return None
    if status is None:
        raise FileNotFoundError(name)
    return os.path.dirname(name), _READINGS.of(os.path.join(working_folder(), name), status)


def _searches(
    here: str, scans: list[tuple[str, Includes]], everywhere: list[str], forced: list[str]
) -> Iterator[Search]:
    names = {name for _, scan in scans for name in scan.names} | set(forced)
    if not names:
        return
    yield Search(tuple(dict.fromkeys(everywhere)), tuple(sorted(names)))
    beside: dict[str, set[str]] = {}
    for folder, scan in scans:
        beside.setdefault(os.path.join(here, folder), set()).update(scan.quoted)
    for folder, quoted in sorted(beside.items()):
        if quoted and folder not in everywhere:
            yield Search((folder,), tuple(sorted(quoted)))


def _plain(path: str) -> str:
    """A path without what makes no difference, whatever is a link."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "/".join(parts)
