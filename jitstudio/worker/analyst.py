"""Reads machine code, in a process that may do nothing else: neither builds nor window wait."""

from __future__ import annotations

from jitstudio.analysis.model import Disassembly
from jitstudio.analysis.request import AnalysisRequest, Unreadable
from jitstudio.core.result import Outcome
from jitstudio.worker.flights import Ending
from jitstudio.worker.host import Death, WorkerHost
from jitstudio.worker.limits import default_memory_limit
from jitstudio.worker.messages import Call
from jitstudio.worker.obituary import cause_of_death
from jitstudio.worker.turns import Turns

PROGRAM = "jitstudio.worker.analyst_child"
"""The program that reads."""

DEFAULT_TIMEOUT = 120.0
"""Seconds an analysis may take unless the caller says otherwise."""


class Analyst:
    """Reads cubins, one after another.

    Calls block; make them from a thread that may wait. `cancel` and `close` are safe from any
    other thread. Whatever happens to the process is told in words, and the next call works.

    Args:
        memory_limit: Bytes the process may take at most, 0 for any number, None for the default.
    """

    def __init__(self, memory_limit: int | None = None) -> None:
        limit = default_memory_limit() if memory_limit is None else memory_limit
        self._host = WorkerHost(limit, PROGRAM)
        self._turns = Turns()

    @property
    def pid(self) -> int | None:
        """Process id of the child, or None where none is running."""
        return self._host.pid

    def analyse(
        self, request: AnalysisRequest, *, ticket: int = 0, timeout: float = DEFAULT_TIMEOUT
    ) -> Disassembly | Unreadable:
        """Read the machine code of a cubin.

        Args:
            request: Which.
            ticket: The number by which `cancel` knows it.
            timeout: Seconds after which it is ended.

        Raises:
            WorkerError: The process could not be started, or a bug of jitstudio's own broke it.
        """
        with self._turns.take(ticket, timeout) as flights:
            flight = flights.begin(self._host)
            if flight is None:
                return _ended(flights.ending, request.name, timeout)
            told = self._host.ask(Call(flight, request), lambda event: None)
            flights.end(flight)
            if not isinstance(told, Death):
                answer: Disassembly | Unreadable = told.answer
                return answer
            if told.killed:
                return _ended(flights.ending, request.name, timeout)
            _, what = cause_of_death(told.status, told.stderr)
            return Unreadable(f"The process that reads {request.name} {what}", Outcome.CRASHED)

    def cancel(self, ticket: int) -> None:
        """End the analysis with this ticket; one yet to come ends at once."""
        self._turns.cancel(ticket)

    def close(self) -> None:
        """Kill the process for good. An analysis in progress ends as cancelled."""
        with self._turns.closing():
            self._host.close()


def _ended(ending: Ending | None, name: str, timeout: float) -> Unreadable:
    if ending is not Ending.TIME_LIMIT:
        return Unreadable(f"Reading the machine code of {name} was cancelled.", Outcome.CANCELLED)
    return Unreadable(
        f"Reading the machine code of {name} was stopped after {timeout:g} s, its time limit. "
        "Build fewer kernels at once.",
        Outcome.TIMED_OUT,
    )
