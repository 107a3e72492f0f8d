"""The worker process: the only place where native compilers are loaded.

Reads calls from the pipe on file descriptor 0 and answers on a private copy of 1. Descriptors 1
and 2 themselves belong to native code: 2 is a file of the parent's, which survives a crash; 1 is
made a file here.
"""

from __future__ import annotations

import os
import queue
import sys
import tempfile
import threading
import traceback

from jitstudio.core.job import Job
from jitstudio.core.request import ProbeRequest
from jitstudio.toolchain import locate
from jitstudio.toolchain.capture import STDOUT, Capture
from jitstudio.toolchain.identity import identity
from jitstudio.toolchain.precompile import PRECOMPILED
from jitstudio.toolchain.probe import probe
from jitstudio.toolchain.runner import run
from jitstudio.worker.limits import EXIT_OUT_OF_MEMORY, limit_memory
from jitstudio.worker.messages import Broke, Call, Done, Precompile, Reply, Told
from jitstudio.worker.wire import Wire


def main(memory_limit: int) -> None:
    """Serve calls until the parent is gone."""
    wire = _take_wire()
    limit_memory(memory_limit)
    locate.announce_toolkit()
    capture = Capture()
    calls: queue.SimpleQueue[Call] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(wire, calls), daemon=True).start()
    while True:
        try:
            wire.send(_serve(calls.get(), wire, capture))
        except MemoryError:
            os._exit(EXIT_OUT_OF_MEMORY)


def _serve(call: Call, wire: Wire, capture: Capture) -> Reply:
    try:
        match call.request:
            case Job() as job:
                run(job, lambda event: wire.send(Told(call.ticket, event)), capture)
                return Done(call.ticket, identity(job.tool), PRECOMPILED.waiting)
            case Precompile():
                while PRECOMPILED.waiting:
                    PRECOMPILED.make_next()
                return Done(call.ticket)
            case ProbeRequest() as wanted:
                return Done(call.ticket, probe(wanted))
    except MemoryError:
        raise
    except Exception:
        return Broke(call.ticket, traceback.format_exc())


def _take_wire() -> Wire:
    """Keep the pipe for ourselves, so that nothing native code prints can spoil an answer."""
    answers = os.fdopen(os.dup(STDOUT), "wb")
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), STDOUT)
    calls = os.fdopen(os.dup(0), "rb")
    # Nothing in this process may wait for input that will never come.
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return Wire(calls, answers)


def _listen(wire: Wire, calls: queue.SimpleQueue[Call]) -> None:
    """Notice at once when the parent is gone, even in the middle of a native call."""
    while True:
        try:
            calls.put(wire.receive())
        except EOFError:
            os._exit(0)
        except MemoryError:
            # The parent waits for an answer to a call that does not fit.
            os._exit(EXIT_OUT_OF_MEMORY)


if __name__ == "__main__":
    main(int(sys.argv[1]))
