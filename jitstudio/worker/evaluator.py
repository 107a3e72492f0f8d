"""Fills buffers and checks results on the host, in a process that may do nothing more."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from jitstudio.core.launch.request import (
    Buffer,
    Calculation,
    CalculationRefused,
    CheckCalculation,
    EvaluationContext,
    Expectation,
    FillCalculation,
    FillKind,
    Number,
)
from jitstudio.core.launch.result import CheckResult, unchecked
from jitstudio.core.launch.types import Type
from jitstudio.worker.calls import Ending, SingleWorker
from jitstudio.worker.crash_report import OUT_OF_MEMORY, cause_of_death
from jitstudio.worker.host import ChildDeath
from jitstudio.worker.programs.launch import EVALUATING
from jitstudio.worker.sandbox.access import Need, SandboxAccess, folder_or_file

DEFAULT_TIMEOUT = 60.0
"""Seconds a calculation may take unless the caller says otherwise."""

# The system kills the process that takes the last of the memory.
_MEMORY_CAUSES = (OUT_OF_MEMORY, "SIGKILL")


class CalculationError(ValueError):
    """A buffer cannot be filled; the message is fit for a person."""


class HostEvaluator(SingleWorker):
    """Fills buffers from files and expressions, and checks results, in turn.

    Args:
        memory_limit: See `SingleWorker`. The process has less where the buffers are small.
    """

    def __init__(self, memory_limit: int | None = None) -> None:
        super().__init__(EVALUATING, memory_limit)
        self._tickets = itertools.count(1)
        self._latest = 0

    def fill(
        self,
        buffer: Buffer,
        values: Mapping[str, Number],
        others: Sequence[Buffer],
        prepared: Mapping[str, Path],
        path: Path,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        confined_to: tuple[str, ...] | None = None,
    ) -> None:
        """Writes the content of a buffer, which a file or an expression gives, to an .npy file.

        Args:
            buffer: The buffer to fill, and the fill.
            values: Scalars by name.
            others: Further buffers that the expression may refer to.
            prepared: The .npy files of those that `fill` has made.
            path: The file to write.
            timeout: Seconds after which it is ended.
            confined_to: See `BuildRequest`: that of the build whose code is launched.

        Raises:
            CalculationError: It cannot be filled.
            WorkerError: The process could not be started, or a bug of jitstudio's own broke it.
        """
        context = _context(values, others, prepared)
        need = _need_of_buffers(
            (buffer, *others), path.parent.parent, path.parent, confined_to=confined_to
        )
        answer = self._calculate(FillCalculation(buffer, str(path), context), timeout, need)
        if isinstance(answer, CalculationRefused):
            raise CalculationError(answer.message)

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
        integer_tolerance: int = 0,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        confined_to: tuple[str, ...] | None = None,
    ) -> CheckResult:
        """Compares the content that a kernel has written with the expectation.

        Args:
            expectation: Of which buffer, and what.
            element: The type of an element.
            length: How many there are.
            got: The .npy file with what was written.
            values: See `fill`.
            buffers: All buffers, as they were before the launch.
            prepared: See `fill`.
            relative: Tolerance, see `RunSettings`.
            absolute: The same.
            integer_tolerance: The same.
            timeout: Seconds after which it is ended.
            confined_to: See `fill`.

        Returns:
            What came of it, also where it could not be compared.

        Raises:
            WorkerError: See `fill`.
        """
        context = _context(values, buffers, prepared)
        calculation = CheckCalculation(
            expectation, element, length, str(got), relative, absolute, integer_tolerance, context
        )
        # Results lie in a folder of the one with what `fill` has written.
        need = _need_of_buffers(
            buffers, got.parent.parent.parent, read=(expectation.file,), confined_to=confined_to
        )
        answer = self._calculate(calculation, timeout, need)
        if isinstance(answer, CheckResult):
            return answer
        words = answer.message if answer else "There is no answer."
        return unchecked(expectation, words)

    def cancel(self) -> None:
        """Ends the calculation in progress, if there is any, by killing the process."""
        self._queue.cancel(self._latest)

    def _calculate(
        self, calculation: Calculation, timeout: float, need: Need
    ) -> CheckResult | CalculationRefused | None:
        self._latest = next(self._tickets)
        match self._ask(calculation, self._latest, timeout, need):
            case Ending.CANCEL:
                return CalculationRefused("The calculation was cancelled.")
            case Ending.TIME_LIMIT:
                return CalculationRefused(
                    f"The calculation was stopped after {timeout:g} s, its time limit. Make the "
                    "expression simpler or the buffers shorter."
                )
            case ChildDeath() as death:
                return CalculationRefused(_why_died(death))
            case told:
                answer: CheckResult | CalculationRefused | None = told
                return answer


def _context(
    values: Mapping[str, Number], buffers: Sequence[Buffer], prepared: Mapping[str, Path]
) -> EvaluationContext:
    paths = tuple((name, str(path)) for name, path in prepared.items())
    return EvaluationContext(tuple(values.items()), tuple(buffers), paths)


def _why_died(death: ChildDeath) -> str:
    name, what = cause_of_death(death)
    if name in _MEMORY_CAUSES:
        return "The calculation needed more memory than there is for it. Make the buffers shorter."
    return f"The calculation's process {what}"


def _need_of_buffers(
    buffers: Iterable[Buffer],
    folder: Path,
    *writable: Path,
    read: Iterable[str] = (),
    confined_to: tuple[str, ...] | None = None,
) -> Need:
    """Returns the files that a calculation must be able to reach.

    Args:
        buffers: The buffers whose files the calculation reads.
        folder: The folder of the launch.
        writable: Where it writes.
        read: Further files that it reads.
        confined_to: See `BuildRequest`: that of the build whose code is launched.
    """
    fills = (buffer.fill for buffer in buffers if buffer.fill.kind is FillKind.FILE)
    files = (
        fill.text if os.path.exists(fill.text) else fill.text.rpartition("::")[0] for fill in fills
    )
    readable = dict.fromkeys(folder_or_file(file) for file in (*files, *read) if file)
    written = tuple(map(os.path.realpath, writable))
    readable_too = (os.path.realpath(folder), *readable)
    return Need(SandboxAccess(readable_too, written, confined_to=confined_to))
