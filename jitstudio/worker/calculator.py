"""Calculates on the host for launches, in a process that may do nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

from jitstudio.core.launch.calculation import (
    Calculation,
    CheckCalculation,
    FillCalculation,
    Number,
    Refusal,
    Surroundings,
)
from jitstudio.core.launch.request import Buffer, Expectation
from jitstudio.core.launch.result import CheckResult
from jitstudio.core.launch.types import Type
from jitstudio.worker.flights import Ending
from jitstudio.worker.host import Death, WorkerHost
from jitstudio.worker.limits import default_memory_limit
from jitstudio.worker.messages import Call
from jitstudio.worker.obituary import OUT_OF_MEMORY, cause_of_death
from jitstudio.worker.turns import Turns

PROGRAM = "jitstudio.worker.calculator_child"
"""The program that calculates."""

DEFAULT_TIMEOUT = 60.0
"""Seconds a calculation may take unless the caller says otherwise."""

# The system kills whoever takes the last of the memory.
_MEMORY_CAUSES = (OUT_OF_MEMORY, "SIGKILL")


class CalculationError(ValueError):
    """A buffer cannot be filled; the message is fit for a person."""


class Calculator:
    """Fills buffers from files and expressions, and checks results, one after another.

    Calls block; make them from a thread that may wait. `cancel` and `close` are safe from any
    other thread. Whatever happens to the process is told in words, and the next call works.

    Args:
        memory_limit: Bytes the process may take at most, 0 for any number, None for the default.
            It has less where the buffers are small.
    """

    def __init__(self, memory_limit: int | None = None) -> None:
        limit = default_memory_limit() if memory_limit is None else memory_limit
        self._host = WorkerHost(limit, PROGRAM)
        self._turns = Turns()
        self._tickets = itertools.count(1)
        self._latest = 0

    @property
    def pid(self) -> int | None:
        """Process id of the child, or None where none is running."""
        return self._host.pid

    def fill(
        self,
        buffer: Buffer,
        values: Mapping[str, Number],
        others: Sequence[Buffer],
        prepared: Mapping[str, Path],
        path: Path,
        *,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        """Write the content of a buffer, which a file or an expression gives, to an .npy file.

        Args:
            buffer: What to fill, and how.
            values: Scalars by name.
            others: Further buffers that the expression may refer to.
            prepared: The .npy files of those that `fill` has made.
            path: The file to write.
            timeout: Seconds after which it is ended.

        Raises:
            CalculationError: It cannot be filled.
            WorkerError: The process could not be started, or a bug of jitstudio's own broke it.
        """
        surroundings = _surroundings(values, others, prepared)
        answer = self._ask(FillCalculation(buffer, str(path), surroundings), timeout)
        if isinstance(answer, Refusal):
            raise CalculationError(answer.words)

    def check(
        self,
        expectation: Expectation,
        element: Type,
        length: int,
        got: Path,
        values: Mapping[str, Number],
        buffers: Sequence[Buffer],
        prepared: Mapping[str, Path],
        relative: float,
        absolute: float,
        *,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> CheckResult:
        """Compare what a kernel has written with what was expected.

        Args:
            expectation: Of which buffer, and what.
            element: What one element is.
            length: How many there are.
            got: The .npy file with what was written.
            values: See `fill`.
            buffers: All buffers, as they were before the launch.
            prepared: See `fill`.
            relative: Tolerance, as `numpy.isclose` takes it.
            absolute: The same.
            timeout: Seconds after which it is ended.

        Returns:
            What came of it, also where it could not be compared.

        Raises:
            WorkerError: See `fill`.
        """
        surroundings = _surroundings(values, buffers, prepared)
        calculation = CheckCalculation(
            expectation, element, length, str(got), relative, absolute, surroundings
        )
        answer = self._ask(calculation, timeout)
        if isinstance(answer, CheckResult):
            return answer
        words = answer.words if answer else "There is no answer."
        return CheckResult(expectation.buffer, expectation.expression, ok=False, problem=words)

    def cancel(self) -> None:
        """End the calculation in progress, if there is one, by killing its process."""
        self._turns.cancel(self._latest)

    def close(self) -> None:
        """Kill the process for good. A calculation in progress ends as cancelled."""
        with self._turns.closing():
            self._host.close()

    def _ask(self, calculation: Calculation, timeout: float) -> CheckResult | Refusal | None:
        self._latest = next(self._tickets)
        with self._turns.take(self._latest, timeout) as flights:
            ticket = flights.begin(self._host)
            if ticket is None:
                return Refusal(_why_ended(flights.ending, timeout))
            told = self._host.ask(Call(ticket, calculation), lambda event: None)
            flights.end(ticket)
            if not isinstance(told, Death):
                answer: CheckResult | Refusal | None = told.answer
                return answer
            if told.killed:
                return Refusal(_why_ended(flights.ending, timeout))
            return Refusal(_why_died(told))


def _surroundings(
    values: Mapping[str, Number], buffers: Sequence[Buffer], prepared: Mapping[str, Path]
) -> Surroundings:
    paths = tuple((name, str(path)) for name, path in prepared.items())
    return Surroundings(tuple(values.items()), tuple(buffers), paths)


def _why_ended(ending: Ending | None, timeout: float) -> str:
    if ending is Ending.TIME_LIMIT:
        return (
            f"The calculation was stopped after {timeout:g} s, its time limit. Make the expression "
            "simpler or the buffers shorter."
        )
    return "The calculation was cancelled."


def _why_died(death: Death) -> str:
    name, what = cause_of_death(death.status, death.stderr)
    if name in _MEMORY_CAUSES:
        return "The calculation needed more memory than there is for it. Make the buffers shorter."
    return f"The calculation's process {what}"
