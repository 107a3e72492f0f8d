"""Carries out a launch on a GPU, from the code to the figures, and reads the kernel's output.

Device printf reaches file descriptor 1 of the process and a failed assert descriptor 2, each when
the driver synchronises; both are files here, of which a thread reads what is new.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.request import Buffer, Direction, InspectRequest, LaunchRequest
from jitstudio.core.launch.result import (
    BufferResult,
    ConsoleText,
    Counterpart,
    KernelFacts,
    LaunchEvent,
    LaunchOutcome,
    LaunchProgress,
    LaunchResult,
)
from jitstudio.core.tools import Tool
from jitstudio.numerics.dtypes import NumericsError, new_buffer
from jitstudio.toolchain.driver import GpuError, why_unusable
from jitstudio.toolchain.gpu.buffers import POISONS, DeviceMemory, VariableSizeError
from jitstudio.toolchain.gpu.gpu_session import GpuSession, session
from jitstudio.toolchain.gpu.kernels import JitError, allow, facts_of, kernel_of, poisoned
from jitstudio.toolchain.gpu.launching import KernelLaunch, time_launches
from jitstudio.toolchain.tool_output import STDERR, STDOUT

Tell = Callable[[LaunchEvent], None]


@dataclass(frozen=True)
class LaunchRun:
    """The result of a launch, and whether this process can do no more."""

    result: LaunchResult
    spent: bool


class _Refused(RuntimeError):
    """The form does not fit the kernel."""


def launch(
    request: LaunchRequest,
    prepared: Mapping[str, Path],
    folder: Path,
    asked_at: float,
    tell: Tell,
) -> LaunchRun:
    """Launches a kernel, checks the buffers, and times the launch.

    Args:
        request: What to launch.
        prepared: Files with the content of those buffers that are filled by a file or expression.
        folder: Where the outputs go.
        asked_at: When the launch was asked for, by `time.monotonic`.
        tell: Receives what happens.
    """
    if problem := why_unusable():
        return LaunchRun(_unlaunched(request, LaunchOutcome.MISSING, problem), spent=False)
    outcome, spent = LaunchOutcome.RAN, False
    diagnostics: tuple[Diagnostic, ...] = ()
    with Console(lambda text: tell(ConsoleText(text))) as console:
        run = _Run(request, prepared, folder, asked_at, tell, console)
        try:
            run.carry_out()
        except (_Refused, VariableSizeError, NumericsError) as refused:
            outcome, diagnostics = LaunchOutcome.REFUSED, (_error(str(refused)),)
        except OSError as error:
            outcome, diagnostics = LaunchOutcome.FAILED, (_no_room(error, folder),)
        except GpuError as error:
            outcome, spent = LaunchOutcome.FAILED, error.error.fatal
            diagnostics = (diagnostic_of(error, request.title),)
            if isinstance(error, JitError):
                run.fields["jit_log"] = error.log
    fields = {**run.fields, "console": console.text, "diagnostics": diagnostics}
    return LaunchRun(LaunchResult(outcome, request.title, **fields), spent)


def inspect(request: InspectRequest) -> tuple[KernelFacts | Diagnostic, bool]:
    """Asks the driver about a kernel; the facts or why there are none, and whether we are spent."""
    if problem := why_unusable():
        return _error(problem), False
    try:
        opened = session(request.device)
        kernel = kernel_of(opened.library.load(request.code, request.code_kind), request.kernel)
        allow(kernel, request.config)
        return facts_of(kernel, opened.device, request.config), False
    except GpuError as error:
        return diagnostic_of(error, request.kernel), error.error.fatal


def diagnostic_of(error: GpuError, kernel: str) -> Diagnostic:
    """Returns the error as text, with the remedy."""
    cuda_error = error.error
    message = f"{kernel}: {cuda_error.meaning} ({cuda_error.name} while {error.doing})."
    return Diagnostic(
        Severity.ERROR, "", None, None, message, Tool.DRIVER, explanation=cuda_error.remedy
    )


class _Run:
    """A launch on its way.

    Attributes:
        fields: The fields of the result that are known by now.
    """

    def __init__(
        self,
        request: LaunchRequest,
        prepared: Mapping[str, Path],
        folder: Path,
        asked_at: float,
        tell: Tell,
        console: Console,
    ) -> None:
        self._request = request
        self._prepared = prepared
        self._folder = folder
        self._asked_at = asked_at
        self._report = tell
        self._console = console
        self.fields: dict[str, Any] = {
            "moved_bytes": sum(_moved(buffer) for buffer in request.buffers)
        }

    def carry_out(self) -> None:
        """Does the whole launch.

        Raises:
            GpuError: The driver or the kernel has failed.
            _Refused: The arguments do not fit the kernel.
        """
        request = self._request
        self._say("loading the code")
        opened = session(request.device)
        self.fields["device"] = opened.device.name
        loaded = opened.library.load(request.code, request.code_kind)
        self.fields["jit_log"] = loaded.jit_log
        kernel = kernel_of(loaded, request.kernel)
        allow(kernel, request.config)
        facts = facts_of(kernel, opened.device, request.config)
        self.fields["facts"] = facts
        _compare_layout(request, facts)
        self._say("filling the buffers")
        buffers = opened.buffers.prepare(request, self._prepared, loaded)
        start = KernelLaunch(request, kernel, buffers, opened.stream)
        self._first_launch(start, buffers)
        if any(buffer.strays for buffer in self.fields["buffers"]):
            opened.buffers.forget()
        self._say(f"timing {request.repeats} launches")
        self.fields["timing"] = self._time(opened, start, buffers)
        if request.counterpart:
            self.fields["counterpart"] = self._counterpart(opened, buffers)

    def _counterpart(
        self, opened: GpuSession, buffers: Mapping[str, DeviceMemory]
    ) -> Counterpart | None:
        """Returns the same launch of the build's cubin, done last; None if that fails."""
        self._say("timing the cubin of the build")
        try:
            return self._timed_counterpart(opened, buffers)
        except GpuError as error:
            if error.error.fatal:
                raise
            return None

    def _timed_counterpart(
        self, opened: GpuSession, buffers: Mapping[str, DeviceMemory]
    ) -> Counterpart:
        request = self._request
        loaded = opened.library.load(request.counterpart, CodeKind.CUBIN)
        kernel = kernel_of(loaded, request.kernel)
        allow(kernel, request.config)
        facts = facts_of(kernel, opened.device, request.config)
        addresses = {name: memory.argument for name, memory in buffers.items()}
        # This code has variables of its own.
        own = opened.buffers.variables(request, self._prepared, loaded, addresses)
        buffers = {**buffers, **own}
        start = KernelLaunch(request, kernel, buffers, opened.stream)
        return Counterpart(facts, self._time(opened, start, buffers))

    def _first_launch(self, start: KernelLaunch, buffers: Mapping[str, DeviceMemory]) -> None:
        poison = POISONS[0] if self._request.poison else None
        self._make_ready(buffers, poison)
        self._say("running the kernel")
        self.fields["start_ms"] = (time.monotonic() - self._asked_at) * 1000
        start.start()
        start.wait()
        self._console.mute()
        self._say("reading the outputs")
        strays = {name: memory.strays() for name, memory in buffers.items()}
        contents = {
            name: self._keep(memory) for name, memory in buffers.items() if _is_output(memory.spec)
        }
        unwritten = self._unwritten(start, buffers, contents) if self._request.poison else {}
        self.fields["buffers"] = tuple(
            BufferResult(
                name=spec.name,
                element=spec.element,
                length=spec.length,
                direction=spec.direction,
                path=str(self._path(spec.name)) if spec.name in contents else "",
                unwritten=None if spec.name not in unwritten else len(unwritten[spec.name]),
                first_unwritten=next(iter(unwritten.get(spec.name, np.empty(0)).tolist()), None),
                strays=strays.get(spec.name, ()),
                shape=spec.shape,
            )
            for spec in self._request.buffers
        )

    def _make_ready(self, buffers: Mapping[str, DeviceMemory], poison: int | None) -> None:
        for name, memory in buffers.items():
            memory.clear(poison, self._prepared.get(name))
            memory.guard()

    def _keep(self, memory: DeviceMemory) -> np.ndarray[Any, Any]:
        """Copies an output into a file; returns the bytes."""
        target = new_buffer(self._path(memory.spec.name), memory.spec.element, memory.spec.length)
        memory.copy_to(target)
        return target.reshape(-1).view(np.uint8)

    def _unwritten(
        self,
        start: KernelLaunch,
        buffers: Mapping[str, DeviceMemory],
        contents: Mapping[str, np.ndarray[Any, Any]],
    ) -> dict[str, np.ndarray[Any, Any]]:
        """Returns the indices of elements never written, of each pure output."""
        outputs = {
            n: memory for n, memory in buffers.items() if memory.spec.direction is Direction.OUT
        }
        suspects = {
            name: poisoned(contents[name], memory.spec.element.size, POISONS[0])
            for name, memory in outputs.items()
        }
        if not any(indices.size for indices in suspects.values()):
            return suspects
        # A kernel may well write what looks like poison: another poison decides.
        for memory in buffers.values():
            memory.restore()
        self._make_ready(buffers, POISONS[1])
        start.start()
        start.wait()
        return {
            name: np.intersect1d(suspects[name], _still(memory, POISONS[1]), assume_unique=True)
            for name, memory in outputs.items()
        }

    def _time(
        self, opened: GpuSession, start: KernelLaunch, buffers: Mapping[str, DeviceMemory]
    ) -> Any:
        changed = [b for b in buffers.values() if b.spec.direction is Direction.INOUT]

        def restore() -> None:
            for memory in changed:
                memory.restore()

        return time_launches(start, opened.device, opened.stream, self._request, restore)

    def _path(self, name: str) -> Path:
        """Returns the file of a buffer, by number: a source's name may be none for a file."""
        names = [buffer.name for buffer in self._request.buffers]
        return self._folder / f"{names.index(name)}.npy"

    def _say(self, doing: str) -> None:
        self._report(LaunchProgress(doing))


def _still(memory: DeviceMemory, poison: int) -> np.ndarray[Any, Any]:
    size = memory.spec.element.size
    indices = [first + poisoned(piece, size, poison) for first, piece in memory.pieces()]
    return np.concatenate(indices) if indices else np.empty(0, np.int64)


def _is_output(spec: Buffer) -> bool:
    return spec.direction is not Direction.IN


def _moved(spec: Buffer) -> int:
    """Returns bytes that a kernel must at least move for a buffer."""
    return spec.bytes * (2 if spec.direction is Direction.INOUT else 1)


def _compare_layout(request: LaunchRequest, facts: KernelFacts) -> None:
    """Checks the form's places of parameters: a kernel reads from where the driver says."""
    ours = [(a.offset, a.slot_bytes) for a in request.slots]
    theirs = [(slot.offset, slot.size) for slot in facts.slots]
    if ours != theirs:
        raise _Refused(
            f"The form does not fit the loaded kernel: it has parameters of {_sizes(ours)}, the "
            f"driver reports {_sizes(theirs)}. Build again and choose the kernel again."
        )


def _sizes(layout: list[tuple[int, int]]) -> str:
    return ", ".join(f"{size} bytes at {offset}" for offset, size in layout) or "none"


def _no_room(error: OSError, folder: Path) -> Diagnostic:
    message = f"The outputs cannot be kept in '{folder}': {error.strerror or error}."
    return replace(_error(message), explanation="Make room there, or set TMPDIR to another folder.")


def _unlaunched(request: LaunchRequest, outcome: LaunchOutcome, why: str) -> LaunchResult:
    return LaunchResult(outcome, request.title, diagnostics=(_error(why),))


def _error(message: str) -> Diagnostic:
    return Diagnostic(Severity.ERROR, "", None, None, message)


_GLANCE = 0.03
_MOST = 4 << 20
_DROPPED = "\n… the kernel has printed more than this console takes; the rest is left out.\n"


class Console:
    """Listens for as long as the block lasts.

    Args:
        on_text: Called with what is new, in a thread of its own.
    """

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._ended = threading.Event()
        self._muted = threading.Event()
        self._looking = threading.Lock()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._places = {descriptor: os.fstat(descriptor).st_size for descriptor in (STDOUT, STDERR)}
        self._parts: list[str] = []
        self._size = 0

    @property
    def text(self) -> str:
        """All that was printed; complete behind the block."""
        return "".join(self._parts)

    def mute(self) -> None:
        """Leaves out all output from now on: the same, launch after launch.

        What is written to stderr, as by a failed assert, is heard all the same.
        """
        self._look()
        self._muted.set()

    def __enter__(self) -> Console:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._look()

    def _listen(self) -> None:
        while not self._ended.wait(_GLANCE):
            self._look()

    def _look(self) -> None:
        with self._looking:
            for descriptor in self._places:
                self._look_at(descriptor)

    def _look_at(self, descriptor: int) -> None:
        place, end = self._places[descriptor], os.fstat(descriptor).st_size
        self._places[descriptor] = max(place, end)
        muted = descriptor == STDOUT and self._muted.is_set()
        if end > place and not muted and self._size <= _MOST:
            read = os.pread(descriptor, min(end - place, _MOST), place)
            self._size += end - place
            more = _DROPPED if self._size > _MOST else ""
            # A character cut in two by the glance shows as a mark; printf from devices is ASCII.
            self._report(read.decode("utf-8", "replace") + more)

    def _report(self, text: str) -> None:
        self._parts.append(text)
        self._on_text(text)
