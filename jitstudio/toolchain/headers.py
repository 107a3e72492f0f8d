"""The headers that NVRTC reads: NVIDIA's own, the places searched, and allowed includes.

From 13.3 on NVRTC brings NVIDIA's headers along and unpacks them by itself, so that `cuda_fp16.h`
and CUB need no setting; before that they are those of the wheels or of a CUDA toolkit.

With `-Xcudafe --trace_includes` the front end lists every file that it opens. All names in those
texts, looked for in all folders, are every place that it may have looked at. A file that it opened
and that is not among them shows that the texts were misread: then nothing is known.

The includes of a build that nobody has vouched for are kept inside its folders. Where the kernel
can confine a process, it does so and NVRTC finds no other file. Elsewhere, and to say why, the
names in the texts are looked at before the compile, and after it the files that NVRTC has opened:
a macro may name one that no text shows.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from errno import EIO
from functools import cache, lru_cache
from pathlib import Path, PurePath
from typing import Any

from cuda.bindings import nvrtc
from cuda.pathfinder import find_nvidia_header_directory

from jitstudio.core.bounds.folders import remove_tree, temporary_folder, walk
from jitstudio.core.code import split_variant
from jitstudio.core.disk import (
    TICK_NS,
    FileContentCache,
    UnreadableFile,
    places,
    status_of,
    working_folder,
)
from jitstudio.core.line_table_paths import BUILT_IN_HEADER
from jitstudio.core.options import OptionEffect, is_within, lies_in, read, shown
from jitstudio.core.plan import HOW_TO_TRUST, NOT_TRUSTED, Job, Search
from jitstudio.listing.includes import Includes, includes
from jitstudio.system.paths import (
    UNPACKED_HEADERS,
    cache_folder,
    fallback_folder,
    resource,
    usual_cache_folder,
)
from jitstudio.system.private import make_private
from jitstudio.toolchain import locate
from jitstudio.toolchain.own_texts import (
    include_folders,
    option_values,
    own_texts,
    place_of,
    texts_in_memory,
)

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include\b", re.MULTILINE)
# As NVRTC's own headers have it, and no host's of Linux.
_WIDER = re.compile(rb"\btypedef\s+unsigned\s+long\s+long(?:\s+int)?\s+uint64_t\b")
# `#include <curand_kernel.h>`
_CURAND = re.compile(rb"#[ \t]*include[ \t]*[<\"]curand_")
# `#include <cupy/complex.cuh>`
_CUPY = re.compile(rb"#[ \t]*include[ \t]*[<\"]cupy/")
# `cub/device/device_reduce.cuh` starts kernels of its own; `cub/block/` is for device code.
_CUB_FOR_HOSTS = re.compile(r"cub/(?:device/\w++|util_allocator)\.cuh")
# `thrust/device_vector.h` is host code, `thrust/complex.h` is for both.
_THRUST_FOR_HOSTS = re.compile(
    r"thrust/(?!(?:complex|functional|pair|random|tuple|version|zip_function)\.h)\w++\.h"
)
# NVRTC User Guide, "Supported Compile Options".
_FORCED = ("--pre-include", "-include")
_BUNDLED = "--use-bundled-headers"
_OURS = ("-use-bundled-headers", _BUNDLED)
_MARKER = "cuda_fp16.h"
# What stands in for no single header.
_OWN = "jitstudio/"
_MOST_OWN = 500
_ALONE = ("--define-macro=JITSTUDIO_ALONE",)
_UNPACKING = "unpacking-"
# What NVRTC adds to the headers: their version, and a file to lock.
_OF_NVRTC = ".nvrtc_"
# Of ours beside it: the folders of headers as they were when all headers were there.
_RECORD = f"{_OF_NVRTC}folders"
_ABANDONED = 3600.0
"""Seconds after which unpacking counts as given up."""


def header_options(job: Job, version: str) -> tuple[str, ...]:
    """Returns options to send behind the user's, whose folders are so searched first."""
    includes = any(option.startswith(_FORCED) for option in job.options)
    if not includes and not any(_INCLUDE.search(text) for text in texts_in_memory(job)):
        return ()
    own = any(option.startswith(_OURS) for option in job.options)
    # Where a real header is, in whichever folder, it is taken.
    last: tuple[str, ...] = ()
    if not job.keep_host_code:
        more = (*library_folders(job), *_cupy_folders(job), stand_in_folder())
        last = tuple(f"--include-path={at}" for at in more)
        last += _ALONE if _are_alone(job) else ()
    return (*(() if own else _options(version)), *last)


def header_folders(version: str) -> tuple[str, ...]:
    """Returns the folders that `header_options` lets NVRTC search."""
    named = [option.partition("=")[2] for option in _options(version)]
    below = [os.path.join(folder, "cccl") for folder in named]
    more = (folder for folder in below if folder not in named and os.path.isdir(folder))
    return (*named, *more, stand_in_folder())


def _are_alone(job: Job) -> bool:
    """Returns whether a compile includes nothing but stand-ins, so that none need fit others.

    Headers of the author's own, in memory and on disk, include nothing else either.
    """
    folders = tuple(include_folders(job))
    in_memory = {header.name for header in job.headers}
    beside = os.path.dirname(split_variant(job.name)[0])
    waiting = [(beside, includes(text)) for text in texts_in_memory(job)]
    if any(_WIDER.search(text) for text in texts_in_memory(job)):
        return False
    seen: set[str] = set()
    while waiting and len(seen) < _MOST_OWN:
        at, scan = waiting.pop()
        if scan.computed:
            return False
        for name in scan.names - in_memory:
            places = (os.path.join(folder, name) for folder in (at, *folders))
            own = next((place for place in places if status_of(place)), None)
            if own is None and not os.path.isfile(os.path.join(stand_in_folder(), name)):
                return False
            # Headers that include each other by `../` have a further name at each turn.
            own = place_of(own) if own is not None else None
            if own is not None and own not in seen:
                seen.add(own)
                try:
                    status = status_of(own)
                    path = os.path.join(working_folder(), own)
                    if status and _WIDER_FOUND.of(path, status):
                        return False
                    waiting += _scan(own, set())
                except (UnreadableFile, OSError):
                    return False
    return os.name == "posix" and not waiting


def library_folders(job: Job) -> tuple[str, ...]:
    """Returns the folders of NVIDIA's libraries with device code that a compile includes."""
    if job.keep_host_code or not any(map(_CURAND.search, own_texts(job))):
        return ()
    folder = _curand()
    return (folder,) if folder else ()


@cache
def _curand() -> str:
    header = locate.file_of("include/curand_kernel.h")
    return os.path.dirname(header) if header else ""


def _cupy_folders(job: Job) -> tuple[str, ...]:
    """Returns the folder of CuPy's headers, if a compile includes any and CuPy is installed here.

    A Python file has its own CuPy, which names the folder itself.
    """
    if any(_CUPY.search(text) for text in texts_in_memory(job)):
        for site in sys.path:
            folder = os.path.join(site, "cupy", "_core", "include")
            if os.path.isdir(os.path.join(folder, "cupy")):
                return (folder,)
    return ()


@cache
def stand_in_folder() -> str:
    """Returns the folder of jitstudio's own headers, for headers of the host that are not found."""
    return str(resource("host_headers"))


def stand_in_of(name: str) -> str:
    """Returns the header of jitstudio that can take the place of `name`; empty without any.

    Thrust's containers and algorithms, and CUB's for whole devices, are host code. What device code
    has of these libraries takes their place, as `thrust::tuple` may come by a header of a vector.
    """
    if _CUB_FOR_HOSTS.fullmatch(name):
        return "cub/cub.cuh"
    if _THRUST_FOR_HOSTS.fullmatch(name):
        return "jitstudio/thrust.h"
    # Neither a whole path nor one that leads upwards is a name of theirs.
    path = os.path.normpath(os.path.join(stand_in_folder(), name))
    return name if is_within(path, stand_in_folder()) and os.path.isfile(path) else ""


def stand_ins(opened: Iterable[str]) -> tuple[str, ...]:
    """Returns the headers of jitstudio that were opened, as they are included."""
    folder = f"{stand_in_folder()}/"
    names = {name.removeprefix(folder) for name in opened if name.startswith(folder)}
    return tuple(sorted(name for name in names if not name.startswith(_OWN)))


def header_problem(version: str) -> str:
    """Returns why NVIDIA's headers are not here; empty where they are."""
    if (other := locate.other()) and other.header_problem:
        return other.header_problem
    try:
        _unpacked(version)
    except OSError as error:
        return f"NVRTC's own headers could not be unpacked: {error.strerror}: '{error.filename}'."
    return ""


def _options(version: str) -> tuple[str, ...]:
    with contextlib.suppress(OSError):
        if folder := _unpacked(version):
            return (f"{_BUNDLED}={folder}",)
    return tuple(f"--include-path={folder}" for folder in _installed())


@cache
def _unpacked(version: str) -> str:
    """Returns the folder of the headers that NVRTC brings along; empty without any.

    Raises:
        OSError: They cannot be unpacked anywhere.
    """
    info = _bundled()
    if info is None:
        return ""
    # Other headers than these may come with the same version.
    name = f"{UNPACKED_HEADERS}{version}-{info.uncompressedSize}"
    places = (cache_folder(), usual_cache_folder())
    present = [place for place in places if os.path.lexists(place / name)]
    for place in (*present, cache_folder()):
        with suppress(OSError):
            return _install(place / name, info.uncompressedSize)
    return _install(fallback_folder() / name, info.uncompressedSize)


def _bundled() -> Any:
    """Returns NVRTC's facts on the headers that come along; None where none do."""
    try:
        status, info, *_ = nvrtc.nvrtcGetBundledHeadersInfo()
    except (AttributeError, RuntimeError, TypeError):
        # This NVRTC or this binding is older than 13.3; that of 13.3.1 has the function broken.
        return None
    return info if status == nvrtc.nvrtcResult.NVRTC_SUCCESS and info.available else None


def _install(folder: Path, size: int) -> str:
    """Unpacks the headers, unless they are there in full; safe among several processes.

    A folder for temporary files has cleaners, which remove file after file by age.

    They are unpacked next to the folder, which appears once it is whole: a process that is killed
    meanwhile leaves no half of it.

    Raises:
        OSError: There is no room, or another user could change what is unpacked.
    """
    make_private(folder.parent)
    if not _is_recorded(folder) and not _records(folder, size):
        with temporary_folder(_UNPACKING, folder.parent) as fresh:
            whole = fresh / folder.name
            whole.mkdir(mode=0o700)
            status, *_ = nvrtc.nvrtcInstallBundledHeaders(os.fsencode(whole), 0)
            if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
                raise OSError(EIO, "the folder may be full", str(folder))
            with contextlib.suppress(OSError):  # what is left of one
                folder.rename(fresh / "left")
            with contextlib.suppress(OSError):  # another process was quicker
                whole.rename(folder)
        _records(folder, size)
        # What changes about when a compile begins makes its result unfit to be kept.
        time.sleep(2 * TICK_NS / 1e9)
        _remove_leftovers(folder.parent)
    make_private(folder)
    return str(folder)


def _is_recorded(folder: Path) -> bool:
    """Returns whether no file has come or gone since all were there.

    Looking at the folders takes a thirtieth of what looking at all files takes.
    """
    try:
        record = (folder / _RECORD).read_text("utf-8")
        names = [line.partition("\t")[0] for line in record.splitlines()]
        return bool(names) and record == _stamps(folder, names)
    except (OSError, UnicodeError):
        return False


def _records(folder: Path, size: int) -> bool:
    """Returns whether all headers are there, and keeps a record of their folders if so."""
    stamps = ""
    with contextlib.suppress(OSError):
        # Made first: that changes the folder.
        (folder / _RECORD).touch()
        stamps = _stamps(folder, [os.path.relpath(inner, folder) for inner, _ in walk(folder)])
    if _size(folder) < size:
        return False
    with contextlib.suppress(OSError):
        (folder / _RECORD).write_text(stamps, "utf-8")
    return True


def _stamps(folder: Path, names: Iterable[str]) -> str:
    """Returns a line for each folder inside: cleaners set the time of a change back, not ctime."""
    stats = ((name, os.stat(os.path.join(folder, name))) for name in names)
    return "".join(f"{name}\t{s.st_ino} {s.st_mtime_ns} {s.st_ctime_ns}\n" for name, s in stats)


def _size(folder: Path) -> int:
    files = (
        os.path.join(inner, name)
        for inner, names in walk(folder)
        for name in names
        if not name.startswith(_OF_NVRTC)
    )
    try:
        return sum(map(os.path.getsize, files))
    except OSError:
        return 0  # another process removes it


def _remove_leftovers(folder: Path) -> None:
    """Removes the unpacked files of killed processes; a live process is done within seconds."""
    for leftover in folder.glob(f"{_UNPACKING}*"):
        with contextlib.suppress(OSError):
            if time.time() - leftover.lstat().st_mtime > _ABANDONED:
                remove_tree(leftover)


def _installed() -> Iterator[str]:
    """Yields the folders of the wheels or the toolkit: C headers, and CCCL beside or below."""
    if other := locate.other():
        # Those of another version would not fit, see `cuda_fp16.h`: "NV_IS_DEVICE is undefined".
        yield from other.headers
        return
    cudart = find_nvidia_header_directory("cudart")
    cccl = find_nvidia_header_directory("cccl")
    if cudart and (Path(cudart) / _MARKER).is_file():
        yield cudart
    if cccl:
        yield cccl


_FOLDER, _FORCES = "-I", "--pre-include"
# No files: texts of NVRTC's own, without any of which a list of opened files is none.
_MADE_UP = {BUILT_IN_HEADER, "__nv_name_map"}
# Where tile functions are compiled, unless there is a file of this name.
_IN_NVRTC = "cuda_tile.h"
_READINGS: FileContentCache[Includes] = FileContentCache(includes)
_WIDER_FOUND: FileContentCache[bool] = FileContentCache(lambda text: bool(_WIDER.search(text)))


class _Trace:
    """The list of files that NVRTC opens, in a file apart from all that NVRTC prints."""

    def __init__(self) -> None:
        self._descriptor = os.memfd_create("jitstudio") if hasattr(os, "memfd_create") else -1
        self._options: tuple[str, ...] | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The options to send, without effect on results; empty if NVRTC cannot write the list."""
        if self._options is None:
            self._options = self._found_options()
        return self._options

    def _found_options(self) -> tuple[str, ...]:
        file = f"/proc/self/fd/{self._descriptor}"
        try:
            os.close(os.open(file, os.O_WRONLY))
        except OSError:
            return ()
        # Options of EDG's front end, which -Xcudafe hands through.
        return ("-Xcudafe", "--trace_includes", "-Xcudafe", f"--error_output={file}")

    def begin(self) -> None:
        """Forgets the files opened until now."""
        if self._descriptor >= 0:
            os.ftruncate(self._descriptor, 0)

    def opened(self) -> frozenset[str] | None:
        """Returns the files opened since, as NVRTC writes them; None without a list."""
        if self._descriptor < 0:
            return None
        size = os.fstat(self._descriptor).st_size
        # Blanks before a name say how deep it was included.
        lines = os.fsdecode(os.pread(self._descriptor, size, 0)).splitlines()
        names = {line.lstrip(" ") for line in lines}
        return frozenset(names - _MADE_UP) if names & _MADE_UP else None


TRACE = _Trace()
"""That of this process: NVRTC compiles one program at a time."""


def searches_of(
    job: Job,
    options: Iterable[str],
    folders: Iterable[str],
    opened: Iterable[str] | None,
    system: Sequence[str] = (),
) -> tuple[Search, ...] | None:
    """Returns all places where a file was looked for on behalf of a job; None if unknown.

    Args:
        job: The job.
        options: All that was sent.
        folders: Where NVIDIA's own headers lie.
        opened: What NVRTC opened, as it writes it.
        system: The folders of headers that are installed with the compiler. Where a macro in them
            names a file, it is one of those that were opened; a macro that asks for one is known
            by its name, see `includes`.
    """
    if opened is None or not (here := working_folder()):
        return None
    words = tuple(options)
    options_read = [
        (option.spec.flags, option.value or "") for option in read(words) if option.spec
    ]
    forced = [value for flags, value in options_read if _FORCES in flags]
    own = [value.removeprefix("=") for flags, value in options_read if _FOLDER in flags]
    source, _, _ = split_variant(job.name)
    texts = [(source, text) for _, text in job.inputs]
    texts += [(header.name, header.content) for header in job.headers]
    scans = [(str(PurePath(name).parent), includes(text)) for name, text in texts]
    scans.append(("", includes(" ".join((*words, *job.name_expressions)).encode(errors="replace"))))
    in_memory = {header.name for header in job.headers}
    try:
        opened_scans = [pair for name in opened for pair in _scan(name, in_memory)]
        asking = {at for at, scan in opened_scans if scan.computed or scan.parts}
        theirs = {at for at in asking if lies_in(system, at)}
        scans += [
            (at, replace(scan, computed=False, parts=False) if at in theirs else scan)
            for at, scan in opened_scans
        ]
    except (UnreadableFile, OSError):
        return None
    if system:
        scans.append(("", Includes(frozenset(_names_in(system, opened)), frozenset(), False)))
    everywhere = [
        os.path.join(here, at) for at in ("", str(PurePath(source).parent), *own, *folders)
    ]
    searches = tuple(_searches(here, scans, everywhere, forced))
    files = {os.path.join(here, name) for name in opened if status_of(name)}
    # Nearly all are written as they were looked for.
    others = set(map(_plain, files.difference(places(searches))))
    is_known = not others or others.issubset(map(_plain, places(searches)))
    return searches if _all_known(scans) and is_known else None


def _all_known(scans: list[tuple[str, Includes]]) -> bool:
    pasted = any(scan.pastes for _, scan in scans) and any(scan.parts for _, scan in scans)
    return not pasted and not any(scan.computed or scan.clock for _, scan in scans)


def _names_in(folders: Iterable[str], opened: Iterable[str]) -> Iterator[str]:
    """Yields the names by which files that were opened are found in these folders."""
    for folder in folders:
        yield from (_name_below(folder, name) for name in opened if is_within(name, folder))


# A header of CUB has eight hundred of them, at each build.
@lru_cache(4096)
def _name_below(folder: str, name: str) -> str:
    return os.path.relpath(name, folder)


def _scan(name: str, in_memory: set[str]) -> Iterator[tuple[str, Includes]]:
    """Yields the folder and the includes of an opened file; nothing for a header in memory."""
    status = status_of(name)
    if status is None and (name in in_memory or name == _IN_NVRTC):
        return
    if status is None:
        raise FileNotFoundError(name)
    yield os.path.dirname(name), _READINGS.of(os.path.join(working_folder(), name), status)


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
    """Returns a path without the parts that make no difference, whatever is a link."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "/".join(parts)


_LARGEST = 16 << 20


@dataclass(frozen=True)
class _Text:
    """A text that includes others, and its folder."""

    name: str
    folder: str
    names: frozenset[str]
    quoted: frozenset[str] = frozenset()


def stray_include(job: Job, toolchain: Sequence[str]) -> str:
    """Returns why a module may not be compiled: an include from elsewhere; empty if allowed.

    Args:
        job: A compile of CUDA C++.
        toolchain: The folders of the tools' own headers.
    """
    if job.confined_to is None:
        return ""
    searched = list(include_folders(job))
    inside = frozenset(header.name for header in job.headers)
    waiting, seen = list(_texts(job)), set[str]()
    while waiting:
        text = waiting.pop()
        for name in sorted(text.names - inside):
            places = (text.folder, os.path.dirname(job.name), *searched)
            for folder in ("",) if os.path.isabs(name) else places:
                path = os.path.join(folder, name)
                if not os.path.exists(path) or os.path.isdir(path):
                    continue
                if lies_in(job.confined_to, path):
                    real = os.path.realpath(path)
                    if real not in seen:
                        seen.add(real)
                        waiting.append(_file(real))
                    break
                if lies_in(toolchain, path):
                    break
                if os.path.isabs(name) or ".." in Path(name).parts or _opens(path):
                    return _refusal(text.name, name, os.path.realpath(path))
    return ""


def stray_file(job: Job, opened: Iterable[str], toolchain: Sequence[str]) -> str:
    """Returns why a result is not to be used: a file read elsewhere; empty if allowed.

    Args:
        job: A compile of CUDA C++.
        opened: The files that NVRTC has opened.
        toolchain: The folders of the tools' own headers.
    """
    if job.confined_to is None:
        return ""
    allowed = (*job.confined_to, *toolchain)
    inside = {job.name, *(header.name for header in job.headers)}
    for name in sorted({*opened} - inside):
        if os.path.exists(name) and not lies_in(allowed, name):
            return _refusal(job.name, name, os.path.realpath(name))
    return ""


def replaced_header(job: Job, opened: Iterable[str], toolchain: Sequence[str]) -> str:
    """Returns why a header of jitstudio stood in for the author's own; empty if none did.

    What cannot be opened, NVRTC takes for missing and searches on: a `unistd.h` beside the module
    without a right to read it, or a link that leads out of a project's folder.

    Args:
        job: A compile of CUDA C++.
        opened: The files that NVRTC has opened.
        toolchain: The folders of the tools' own headers.
    """
    served = frozenset(stand_ins(opened))
    texts = [*_texts(job)] if served else []
    texts += [_file(name) for name in opened if served and not lies_in(toolchain, name)]
    for text in texts:
        for name in sorted(text.names & served):
            beside = (text.folder,) if name in text.quoted else ()
            for path in (os.path.join(at, name) for at in (*beside, *include_folders(job))):
                if os.path.isfile(path) and not _opens(path):
                    real = os.path.realpath(path)
                    if job.confined_to is not None and not lies_in(job.confined_to, real):
                        return _refusal(text.name, name, real)
                    return (
                        f"'{shown(text.name)}' includes '{shown(name)}', and '{shown(path)}' "
                        "cannot be read. Change the rights of this file, or include another one."
                    )
    return ""


def _refusal(text: str, name: str, real: str) -> str:
    which = "" if real == name else f"which is '{shown(real)}', "
    includes_it = f"'{shown(text)}' includes '{shown(name)}'"
    return f"{NOT_TRUSTED} {includes_it}, {which}outside the project's folder. {HOW_TO_TRUST}"


def line_directive(name: str) -> bytes:
    """Returns a line after which a text counts as the file `name`, from line 1 on."""
    escaped = re.sub(r"[\r\n]", "_", name).replace("\\", "\\\\").replace('"', '\\"')
    return os.fsencode(f'#line 1 "{escaped}"\n')


def _texts(job: Job) -> Iterator[_Text]:
    forced = frozenset(option_values(job, OptionEffect.INCLUDES))
    yield _Text("--pre-include", "", forced)
    beside = os.path.dirname(job.name)
    expressions = "\n".join(job.name_expressions).encode()
    for content in (*(content for _, content in job.inputs), expressions):
        yield _text(job.name, beside, content)
    for header in job.headers:
        yield _text(header.name, os.path.dirname(header.name), header.content)


def _text(name: str, folder: str, content: bytes) -> _Text:
    reading = includes(content)
    return _Text(name, folder, reading.names, reading.quoted)


def _file(path: str) -> _Text:
    """Returns a file of the project; empty if unreadable, of which NVRTC will complain."""
    content = b""
    if os.path.isfile(path):
        with suppress(OSError), open(path, "rb") as file:
            content = file.read(_LARGEST)
    return _text(path, os.path.dirname(path), content)


def _opens(path: str) -> bool:
    """Returns whether the file can be read: NVRTC takes a file that Linux denies for missing."""
    try:
        os.close(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)))
    except OSError:
        return False
    return True
