"""Forbidden actions of threads, and the sentences about them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.model import Fault, FaultKind, Layout, ThreadPlace, Threads


class ThreadFault(Exception):
    """A forbidden action of a thread, which ends the launch.

    Attributes:
        kind: The kind of fault.
        thread: The first thread at fault.
        message: Its action, in words that go on after "Thread … of block …".
        count: The number of threads at fault.
    """

    def __init__(self, kind: FaultKind, thread: int, message: str, count: int = 1) -> None:
        super().__init__(message)
        self.kind, self.thread, self.message, self.count = kind, thread, message, count


class UnsupportedInstruction(Exception):
    """An instruction that cannot be simulated; the message says why, and a remedy."""


def refuse_where(
    wrong: NDArray[np.bool_], threads: Threads, kind: FaultKind, message: Callable[[int], str]
) -> None:
    """Ends the launch where a rule is broken by some threads.

    Args:
        wrong: Which of the threads do.
        threads: Their numbers.
        kind: The kind of fault.
        message: Returns the action of the thread with an index, as in `ThreadFault`.

    Raises:
        ThreadFault: If there are any.
    """
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ThreadFault(kind, int(threads[first]), message(first), int(np.count_nonzero(wrong)))


def fault_of(
    layout: Layout,
    instruction: PtxInstruction,
    kind: FaultKind,
    thread: int,
    message: str,
    count: int,
    fatal: bool,
    step: int,
) -> Fault:
    """Returns a fault with a sentence about thread, block and line."""
    place = layout.place(instruction, thread, step)
    more = f" {count - 1:,} more threads do so in the same step." if count > 1 else ""
    return Fault(
        kind,
        f"Thread {place.thread} of block {place.block} {message}, at {line_of(place)}.{more}",
        place,
        None,
        count,
        fatal,
    )


def line_of(place: ThreadPlace) -> str:
    """Returns the lines of source and PTX at which a thread is, for messages."""
    line = f"line {place.ptx_line} of the PTX"
    if not place.line:
        return line
    return f"{file_name(place.file)}:{place.line} ({line})"


def file_name(path: str) -> str:
    """Returns the last part of a path of any system."""
    return path.replace("\\", "/").rpartition("/")[2]
