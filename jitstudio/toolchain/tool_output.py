"""The output of every tool: a report, and the text of native code on stdout and stderr.

The parent gives the child two files as its file descriptors 1 and 2 and keeps them open, so that
the text survives the child. The child reads back what a stage has added.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.plan import Search
from jitstudio.core.result import Crash, HostCodeAside, Phase, Resources, Supplied
from jitstudio.core.tools import Tool


class ToolMissing(RuntimeError):
    """A tool is not on this machine; the message names the remedy."""

    def __init__(self, tool: Tool, reason: str) -> None:
        super().__init__(reason)
        self.tool = tool


@dataclass
class Report:
    """The results of a job; filled in during the run.

    Attributes:
        ok: Whether the tool was satisfied.
        ms: Milliseconds inside native calls.
        log: Its information log.
        error_log: Its error log.
        code: The code that it has made, by its kind.
        captured: The kernels that a script has made, each packed.
        diagnostics: What it says by itself, where its log is not read for that.
        notes: Sentences for the end of the log.
        tile_kernels: The lowered names of the kernels that are in Tile IR only.
        lowered: Pairs of name expression and lowered name.
        refused: The wrong name expressions, with what is wrong.
        crash: How a tool that is a program of its own died.
        spills: The spills by lowered name, where the log is without them; a kernel without any may
            be missing. None where the log has them.
        options: The options really sent, where they are more than those of the job.
        phases: What the time was spent on, where the tool says.
        supplied: What its modules lack and the copies have that the tool got.
        host_code: See `core.result.StageResult`.
        stand_ins, copies, instances, header_folders: See `core.result.StageResult`.
        find_searches: Gives the `searches`, which only who keeps the result asks for.
        began_ns: See `core.plan.JobDependencies`.
    """

    ok: bool = False
    ms: float = 0.0
    log: str = ""
    error_log: str = ""
    code: dict[CodeKind, bytes] = field(default_factory=dict)
    captured: list[bytes] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tile_kernels: tuple[str, ...] = ()
    lowered: list[tuple[str, str]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    crash: Crash | None = None
    spills: dict[str, Resources] | None = None
    options: tuple[str, ...] | None = None
    phases: tuple[Phase, ...] = ()
    supplied: tuple[Supplied, ...] = ()
    host_code: tuple[HostCodeAside, ...] = ()
    stand_ins: tuple[str, ...] = ()
    copies: tuple[Header, ...] = ()
    instances: tuple[str, ...] = ()
    header_folders: tuple[str, ...] = ()
    find_searches: Callable[[], tuple[Search, ...] | None] = tuple
    began_ns: int = field(default_factory=time.time_ns)

    @cached_property
    def searches(self) -> tuple[Search, ...] | None:
        """See `core.plan.JobDependencies`."""
        return self.find_searches()

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Counts the time of the block as spent in native calls."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.ms += (time.perf_counter() - start) * 1000

    def ended(self, tool: Tool, status: int, errors: str, file_name: str) -> None:
        """Takes note that a program has ended with a status other than 0."""
        self.error_log = errors or f"{tool.value} ended with exit status {status}."
        if status < 0:
            name = signal.Signals(-status).name
            message = f"{tool.value} crashed on {file_name} ({name}). The file may be damaged."
            self.crash = Crash(tool, name, message)


def text_of(log: bytes | bytearray) -> str:
    """Returns a native log as text: without NULs and trailing blanks, whatever bytes are echoed."""
    return bytes(log).replace(b"\0", b"").rstrip(b" \n").decode("utf-8", "replace")


STDOUT, STDERR = 1, 2
_MOST = 1 << 20


class Capture:
    """Reads the text added to file descriptors 1 and 2, which must be readable files."""

    def __init__(self) -> None:
        _unbuffer_c_streams()

    def mark(self) -> tuple[int, int]:
        """Returns the ends of both files."""
        return os.fstat(STDOUT).st_size, os.fstat(STDERR).st_size

    def since(self, mark: tuple[int, int]) -> tuple[str, str]:
        """Returns the text added to both since then, at most the last mebibyte of each."""
        sys.stdout.flush()
        sys.stderr.flush()
        return read_from(STDOUT, mark[0]), read_from(STDERR, mark[1])


def read_from(descriptor: int, start: int) -> str:
    """Returns the text of an open file from `start` on, at most the last mebibyte."""
    end = os.fstat(descriptor).st_size
    if start == end:
        return ""
    start = max(start, end - _MOST)
    return os.pread(descriptor, end - start, start).decode("utf-8", "replace").rstrip()


def _unbuffer_c_streams() -> None:
    """Unbuffers C's streams: a crash would take along the text collected for a file."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    unbuffered = 2  # _IONBF of glibc and musl
    for name in ("stdout", "stderr"):
        stream = ctypes.c_void_p.in_dll(libc, name)
        libc.setvbuf(stream, None, unbuffered, 0)
