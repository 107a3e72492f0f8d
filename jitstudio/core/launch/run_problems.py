"""Problems of a launch that has run, for the list of all problems: faults, races, failed checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.device import SIMULATED_DEVICE
from jitstudio.core.launch.result import CheckResult, LaunchOutcome, LaunchResult, written_at

# Nothing has run, and the form says why.
_NOT_RUN = frozenset({LaunchOutcome.REFUSED, LaunchOutcome.MISSING, LaunchOutcome.CANCELLED})


@dataclass(frozen=True)
class RunProblem(Diagnostic):
    """A problem that was seen while a kernel ran.

    Attributes:
        is_simulated: Whether the simulator ran the kernel.
    """

    is_simulated: bool = False


def run_problems(result: LaunchResult) -> tuple[RunProblem, ...]:
    """Returns the errors and warnings of a launch, and the checks that failed."""
    if result.outcome in _NOT_RUN:
        return ()
    is_simulated = result.device == SIMULATED_DEVICE.name
    return tuple(
        RunProblem(**{f.name: getattr(d, f.name) for f in fields(d)}, is_simulated=is_simulated)
        for d in (*_failed_checks(result), *result.diagnostics)
        if d.severity is not Severity.INFO
    )


def _failed_checks(result: LaunchResult) -> Iterator[Diagnostic]:
    writers = {buffer.name: buffer.writers for buffer in result.buffers}
    for check in result.checks:
        if not check.ok:
            file, line, where = written_at(writers.get(check.buffer, ()))
            message = f"{check.verdict.rstrip('.')}{where}."
            yield Diagnostic(
                Severity.ERROR, file, line, None, message, explanation=_expected(check)
            )


def _expected(check: CheckResult) -> str:
    lines = (f"Expected is {check.target} = {check.expression}.", *check.differences)
    return "\n".join(lines)
