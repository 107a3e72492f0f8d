"""The loop of a worker process, for any kind of work.

Reads calls from the pipe on file descriptor 0 and answers on a private copy of 1. Descriptors 1
and 2 themselves belong to native code: 2 is a file of the parent's, which survives a crash; 1 is
made a file here.
"""

from __future__ import annotations

import os
import queue
import tempfile
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from jitstudio.worker.limits import (
    EXIT_OUT_OF_MEMORY,
    adopt_orphans,
    bury_orphans,
    die_first,
)
from jitstudio.worker.protocol import (
    Call,
    Done,
    EventMessage,
    InternalError,
    Outdated,
    Reply,
    Wire,
    WorkerProgram,
)
from jitstudio.worker.sandbox.seal import ProgramNeeds, is_current, seal
from jitstudio.worker.scratch import empty_own

_STDOUT = 1

Tell = Callable[[Any], None]
"""Sends what happens in the middle of a call."""


@dataclass(frozen=True)
class CallResult:
    """The result of a call.

    Attributes:
        value, chores, spent: The fields of `Done`.
        last_events: To be sent with the answer.
    """

    value: Any = None
    chores: bool = False
    spent: bool = False
    last_events: Sequence[Any] = ()


Work = Callable[[Any, Tell], CallResult]
"""Carries out a request."""


def take_wire() -> Wire:
    """Keeps the pipe for ourselves, so that nothing native code prints can spoil an answer."""
    answers = os.fdopen(os.dup(_STDOUT), "wb")
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), _STDOUT)
    calls = os.fdopen(os.dup(0), "rb")
    # Nothing in this process may wait for input that will never come.
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return Wire(calls, answers)


def serve(wire: Wire, program: WorkerProgram, work: Work, role: ProgramNeeds) -> None:
    """Serves calls of this program until the parent is gone.

    Until the first one no text of a user is here. It says what the process may reach; the process
    is sealed before a thread is started, so that all will be inside.
    """
    die_first()
    adopt_orphans()
    calls: queue.SimpleQueue[Call[Any]] = queue.SimpleQueue()
    first = _received(wire, program)
    try:
        seal(first.access, role)
    except Exception:
        service = program.service(first.request)
        broke = InternalError(first.ticket, traceback.format_exc())
        wire.send(service.replies.dump(broke), largest=service.largest)
        os._exit(1)
    calls.put(first)
    threading.Thread(target=_listen, args=(wire, program, calls), daemon=True).start()
    while True:
        try:
            _carry_out(calls.get(), wire, program, work)
            bury_orphans()
        except MemoryError:
            os._exit(EXIT_OUT_OF_MEMORY)


def _carry_out(call: Call[Any], wire: Wire, program: WorkerProgram, work: Work) -> None:
    service = program.service(call.request)

    def send(*replies: Reply) -> None:
        wire.send(*map(service.replies.dump, replies), largest=service.largest)

    if not is_current():
        send(Outdated(call.ticket))
        return
    try:
        answer = work(call.request, lambda event: send(EventMessage(call.ticket, event)))
        last = (EventMessage(call.ticket, event) for event in answer.last_events)
        send(*last, Done(call.ticket, answer.value, answer.chores, answer.spent))
    except MemoryError:
        raise
    except Exception:
        send(InternalError(call.ticket, traceback.format_exc()))


def _listen(wire: Wire, program: WorkerProgram, calls: queue.SimpleQueue[Call[Any]]) -> None:
    """Notices at once when the parent is gone, even in the middle of a native call."""
    while True:
        calls.put(_received(wire, program))


def _received(wire: Wire, program: WorkerProgram) -> Call[Any]:
    """Returns the next call; the process ends where there will be none."""
    try:
        call: Call[Any] = program.calls.load(wire.receive())
    except EOFError:
        # A parent that was killed removes nothing.
        empty_own()
        os._exit(0)
    except MemoryError:
        # The parent waits for an answer to a call that does not fit.
        os._exit(EXIT_OUT_OF_MEMORY)
    return call
