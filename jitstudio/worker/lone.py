"""A worker process on its own: it takes one kind of request, one after another."""

from __future__ import annotations

from typing import Any

from jitstudio.worker.calls import Ending
from jitstudio.worker.host import Death, WorkerHost
from jitstudio.worker.limits import default_memory_limit
from jitstudio.worker.messages import Program
from jitstudio.worker.sandbox.access import Need
from jitstudio.worker.turns import Turns


class LoneWorker:
    """What all have in common who do their work in one process.

    Calls block; make them from a thread that may wait. `close`, and `cancel` where there is one,
    are safe from any other thread. Whatever happens to the process is told in words, and the next
    call works.

    Args:
        program: What the process runs.
        memory_limit: Bytes the process may take at most, 0 for any number, None for the default.
    """

    def __init__(self, program: Program, memory_limit: int | None) -> None:
        limit = default_memory_limit() if memory_limit is None else memory_limit
        self._host = WorkerHost(limit, program)
        self._turns = Turns()

    @property
    def pid(self) -> int | None:
        """Process id of the child, or None where none is running."""
        return self._host.pid

    def close(self) -> None:
        """Kill the process for good. A call in progress ends as cancelled."""
        with self._turns.closing():
            self._host.close()

    def _ask(self, request: object, ticket: int, timeout: float, need: Need) -> Any:
        """The answer of the process; why it was killed before it gave one; or its own `Death`."""
        with self._turns.take(ticket, timeout) as flights:
            answer = flights.ask(self._host, request, need=need)
            if isinstance(answer, Death) and answer.killed:
                return flights.ending or Ending.CANCEL
            return answer
