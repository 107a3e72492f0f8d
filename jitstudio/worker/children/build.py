"""The worker process of the build: the only place where native compilers are loaded."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from dataclasses import replace
from functools import partial

from jitstudio.core.events import Event, StageFinished
from jitstudio.core.options import leave_traces
from jitstudio.core.plan import Job
from jitstudio.core.request import DemangleRequest, ProbeRequest
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate, nvrtc
from jitstudio.toolchain.demangle import demangled
from jitstudio.toolchain.headers import header_folders
from jitstudio.toolchain.precompile import PRECOMPILED
from jitstudio.toolchain.runner import run
from jitstudio.toolchain.tool_output import Capture, ToolMissing
from jitstudio.worker.children.serving import CallResult, Tell, serve, take_wire
from jitstudio.worker.limits import limit_files, limit_memory, limit_processes
from jitstudio.worker.programs.build import BUILDING, Precompile
from jitstudio.worker.sandbox import seal, system_paths
from jitstudio.worker.sandbox.seal import ProgramNeeds


def main(memory_limit: int) -> None:
    """Serves calls until the parent is gone."""
    wire = take_wire()
    limit_memory(memory_limit)
    limit_processes()
    limit_files()
    _keep_memory()
    locate.announce_toolkit()
    serve(wire, BUILDING, partial(_work, Capture()), COMPILERS)


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_FREE = 64 << 20
"""Bytes at the end of the heap that a process keeps though it does not use them."""


def _keep_memory() -> None:
    """Lets this process keep some freed memory for the next call. Linux only.

    NVRTC frees all that it took, and glibc gives that back to the system, which clears each page
    anew for the next compile: a thirtieth of a small one's time.
    """
    if sys.platform == "linux":
        # mallopt(3); a C library without it has habits of its own.
        with contextlib.suppress(AttributeError):
            mallopt = ctypes.CDLL(None).mallopt
            mallopt(_M_TRIM_THRESHOLD, _KEPT_FREE)
            mallopt(_M_MMAP_THRESHOLD, _KEPT_FREE // 16)


def _unpacked() -> tuple[str, ...]:
    try:
        return header_folders(nvrtc.version())
    except ToolMissing:
        return ()


# What few processes need is loaded once it is needed.


def _host_compiler() -> tuple[str, ...]:
    from jitstudio.toolchain import nvcc  # noqa: PLC0415

    return nvcc.programs()


def _interpreter(python: str) -> tuple[str, ...]:
    from jitstudio.system.interpreters import InterpreterError, interpreter  # noqa: PLC0415

    try:
        return tuple(system_paths.interpreter(interpreter(python).places))
    except InterpreterError:
        return ()


def _programs() -> tuple[str, ...]:
    tools = (Tool.NVDISASM, Tool.CUOBJDUMP, Tool.NVCC, Tool.TILEIRDISASM, Tool.TILEIRAS)
    return (*locate.programs(*tools), *locate.beside_tileiras("ptxas"))


COMPILERS = ProgramNeeds(
    _programs,
    _unpacked,
    _host_compiler,
    _interpreter,
    locate.choose,
)
_Request = Job | ProbeRequest | DemangleRequest | Precompile


def _work(capture: Capture, request: _Request, tell: Tell) -> CallResult:
    match request:
        case Job() as job:
            # Goes along with the answer if there is nothing to find out between.
            last: list[Event] = []

            def hear(event: Event) -> None:
                if isinstance(event, StageFinished) and not job.cacheable:
                    last.append(event)
                else:
                    tell(event)

            basis = run(job, hear, capture)
            # What a script has started ends with this process.
            spent = job.tool is Tool.PYTHON or leave_traces(job.options)
            return CallResult(basis, PRECOMPILED.waiting, spent, last)
        case Precompile():
            while PRECOMPILED.waiting:
                PRECOMPILED.make_next()
            return CallResult()
        case ProbeRequest() as wanted:
            from jitstudio.toolchain.probe import probe  # noqa: PLC0415

            return CallResult(replace(probe(wanted), sandbox=seal.state()))
        case DemangleRequest(names):
            return CallResult(demangled(names))
