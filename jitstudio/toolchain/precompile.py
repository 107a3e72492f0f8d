"""Precompiled headers of NVRTC, kept as long as this process lives.

Making one takes two or three times as long as the compile that it saves. So a build never makes
one: it notes what would have helped, and `make_next` makes it while nobody waits. It is of use in
this process only, and its file has no name, so nothing is left behind in the end.

It replaces the part of a module before the first header of the user's: those change with every
edit, NVIDIA's with the version only. NVRTC does not look whether a header has changed since it was
precompiled. So all that was searched to make one is looked at again before each use.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

from cuda.bindings import nvrtc

from jitstudio.core.bounds.folders import temporary_folder
from jitstudio.core.code import CodeKind, Header, split_variant
from jitstudio.core.disk import Disk
from jitstudio.core.plan import Job, Ref, Search
from jitstudio.core.tools import Tool
from jitstudio.toolchain.headers import TRACE, searches_of

WORTH_MS = 250.0
"""What the front end must take at least: below, reading a precompiled header saves little."""

_MOST_KEPT = 4
_HEAP_AT_FIRST = 512 << 20
_HEAP_AT_MOST = 4 << 30
# NVRTC asks for what this header needs, and has others in the same heap.
_HEADROOM = 2
_PARAGRAPH = re.compile(
    r'^(?:"[^"\n]*": (?:using|creating) precompiled header file "[^"\n]*"\n'
    r"|Warning #[^\s:]++: (?>[^\n]*?(?:precompiled header|PCH))[^\n]*+\n\n?"
    r'(?:Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"\n\n?)?)',
    re.MULTILINE,
)
_OK = nvrtc.nvrtcResult.NVRTC_SUCCESS
_EXHAUSTED = nvrtc.nvrtcResult.NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED


@dataclass(frozen=True)
class _Made:
    """A precompiled header.

    Attributes:
        descriptor: Its file, open.
        opened: The headers in it, as NVRTC writes their paths.
        searches: Where they were looked for.
        contents: What was there.
    """

    descriptor: int
    opened: frozenset[str]
    searches: tuple[Search, ...]
    contents: bytes

    @cached_property
    def file_names(self) -> frozenset[str]:
        """The last part of each name that was looked for."""
        return frozenset(PurePath(name).name for search in self.searches for name in search.names)


class Precompiled:
    """The precompiled headers of this process."""

    def __init__(self) -> None:
        self._disk = Disk()
        self._headers: dict[Prefix, _Made] = {}
        self._waiting: deque[Prefix] = deque()
        self._refused: set[Prefix] = set()
        self._heap = 0
        # Whether no header changed while the last one was made.
        self._settled = True

    @property
    def waiting(self) -> bool:
        """Whether any precompiled header is to be made."""
        return bool(self._waiting)

    def option(self, prefix: Prefix, headers: Iterable[Header] = ()) -> str:
        """Returns the option that uses the precompiled header of a prefix; empty without any yet.

        One whose headers have changed since is dropped.

        Args:
            prefix: The beginning of a module.
            headers: Those in memory, which take the place of any that have their names.
        """
        precompiled = self._headers.get(prefix)
        if precompiled is None or not precompiled.file_names.isdisjoint(
            PurePath(h.name).name for h in headers
        ):
            return ""
        sight = self._disk.look(precompiled.searches)
        if sight is None or sight.contents != precompiled.contents:
            self._drop(prefix)
            return ""
        return f"--use-pch=/proc/self/fd/{precompiled.descriptor}"

    def opened(self, prefix: Prefix) -> frozenset[str]:
        """Returns the headers in the precompiled header of a prefix, by NVRTC's paths."""
        return self._headers[prefix].opened

    def compiled(self, prefix: Prefix, front_end_ms: float) -> str:
        """Takes note of a compile without a precompiled header; returns a sentence for the log."""
        if front_end_ms < WORTH_MS:
            return ""
        if prefix in self._refused:
            return "No precompiled header: NVRTC could not make one for these includes."
        if prefix not in self._waiting:
            self._waiting.append(prefix)
        return "No precompiled header yet: one is made for the next build, once this one is done."

    def used(self, prefix: Prefix, log: str) -> str:
        """Takes note of a compile with a precompiled header; returns a sentence for the log."""
        if "using precompiled header file" in log:
            return "Precompiled header used."
        self._drop(prefix)
        return "Precompiled header not used: NVRTC did not find it fit."

    def make_next(self) -> None:
        """Makes the precompiled header that has waited longest. Takes seconds."""
        prefix = self._waiting.popleft()
        if len(self._headers) >= _MOST_KEPT:
            self._drop(next(iter(self._headers)))
        if not self._heap:
            self._reserve(_HEAP_AT_FIRST)
        needed = self._make(prefix)
        if self._heap < needed * _HEADROOM <= _HEAP_AT_MOST:
            # Another heap makes all that were made in the old one useless.
            for other in list(self._headers):
                self._drop(other)
            self._reserve(needed * _HEADROOM)
            self._make(prefix)
        if prefix not in self._headers and self._settled:
            self._refused.add(prefix)

    def _make(self, prefix: Prefix) -> int:
        """Makes a precompiled header; returns the bytes of heap that were missing."""
        with temporary_folder("jitstudio-") as folder:
            path = folder / "headers.pch"
            options = [*prefix.options, f"--create-pch={path}", *TRACE.options]
            sent = [option.encode("utf-8", "surrogateescape") for option in options]
            TRACE.begin()
            began = time.time_ns()
            name = f"{prefix.folder}/headers.cu".encode("utf-8", "surrogateescape")
            _, program = nvrtc.nvrtcCreateProgram(prefix.text + b"\n", name, 0, [], [])
            try:
                (status,) = nvrtc.nvrtcCompileProgram(program, len(sent), sent)
                (pch_status,) = nvrtc.nvrtcGetPCHCreateStatus(program)
                if pch_status == _EXHAUSTED:
                    return int(nvrtc.nvrtcGetPCHHeapSizeRequired(program)[1])
            finally:
                nvrtc.nvrtcDestroyProgram(program)
            if status == pch_status == _OK and path.is_file():
                self._keep(prefix, path, began)
        return 0

    def _keep(self, prefix: Prefix, path: Path, began: int) -> None:
        """Keeps a precompiled header, if the files behind are known for certain."""
        opened = TRACE.opened()
        if opened is None:
            return
        name = f"{prefix.folder}/headers.cu"
        job = Job(Tool.NVRTC, name, ((Ref(CodeKind.CUDA, name), prefix.text),), (), ())
        searches = searches_of(job, prefix.options, prefix.folders, opened, prefix.folders)
        sight = None if searches is None else self._disk.look(searches)
        self._settled = sight is None or sight.settled_before(began)
        if searches is not None and sight and self._settled:
            descriptor = os.open(path, os.O_RDONLY)
            self._headers[prefix] = _Made(descriptor, opened, searches, sight.contents)

    def _reserve(self, size: int) -> None:
        nvrtc.nvrtcSetPCHHeapSize(size)
        self._heap = size

    def _drop(self, prefix: Prefix) -> None:
        precompiled = self._headers.pop(prefix, None)
        if precompiled is not None:
            os.close(precompiled.descriptor)


def without_messages(log: str) -> str:
    """Returns a log without NVRTC's own words on precompiled headers."""
    return _PARAGRAPH.sub("", log)


PRECOMPILED = Precompiled()
"""Those of this process, which is the only one that can use them."""


# What may come before the first declaration; possessive, so that nothing is tried twice.
_PIECE = re.compile(
    rb"\s++|//[^\n]*+|/\*(?>[^*]|\*(?!/))*+\*/|(?P<directive>#(?>[^\\\n]|\\(?s:.))*+)", re.ASCII
)
_INCLUDE = re.compile(rb'#[ \t]*include[ \t]*[<"](?P<name>[^">\n]+)[">]')
# Their meaning may change with the user's files.
_UNSURE = re.compile(rb"#[ \t]*(?:include|include_next|import|embed)\b|__has_(?:include|embed)")
# What comes after the front end makes no difference to it.
_LATER = re.compile(r"(?:--ptxas-options|-Xptxas|--time|-time)\b")
# The front end does the same for sm_90 as for compute_90, so that both share a header.
_REAL = re.compile(r"^(-arch=|--gpu-architecture=)sm_")


@dataclass(frozen=True)
class Prefix:
    """The beginning of a module, up to the last of NVIDIA's headers, and the options.

    Attributes:
        text: The beginning.
        options: All that is sent, but what makes no difference to the front end.
        folder: The folder of the module, in which headers are looked for.
        folders: Where NVIDIA's own headers lie.
    """

    text: bytes
    options: tuple[str, ...]
    folder: str = "."
    folders: tuple[str, ...] = ()


def prefix_of(job: Job, options: Iterable[str], folders: tuple[str, ...]) -> Prefix | None:
    """Returns the part of a module that could be precompiled; None without any.

    Args:
        job: The module's compile.
        options: All that is sent.
        folders: Where NVIDIA's own headers lie.
    """
    ((_, text),) = job.inputs
    end = max(_ends(text, folders), default=0)
    if not end:
        return None
    relevant = tuple(_REAL.sub(r"\1compute_", o) for o in options if not _LATER.match(o))
    folder = str(PurePath(split_variant(job.name)[0]).parent)
    return Prefix(text[:end], relevant, folder, folders)


def _ends(text: bytes, folders: tuple[str, ...]) -> Iterator[int]:
    """Yields where each of NVIDIA's headers ends, up to the first header of others."""
    at = 0
    while piece := _PIECE.match(text, at):
        at = piece.end()
        directive = piece["directive"] or b""
        if include := _INCLUDE.match(directive):
            name = include["name"].decode("utf-8", "surrogateescape")
            if not any(os.path.isfile(os.path.join(folder, name)) for folder in folders):
                return
            yield at
        elif _UNSURE.search(directive):
            return
