"""Whether two runs of a launch agree: a GPU and the simulator, or two builds of the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from jitstudio.core.diagnostics import Diagnostic, Fix, FixKind, Severity
from jitstudio.core.launch.advice import advice
from jitstudio.core.launch.request import Expectation, LaunchRequest
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    LaunchOutcome,
    LaunchResult,
    RunComparison,
    written_at,
)
from jitstudio.core.launch.types import Array, NumberKind, Scalar, Struct, Type

WITHOUT_FMA = "--fmad=false"
"""The option of NVRTC with which products and sums are rounded each by itself."""
COMPARED = (LaunchOutcome.RAN, LaunchOutcome.WRONG)
"""How runs end that leave buffers to be compared."""
OTHER = "other"
"""What a comparison calls the content of the buffer after the other run."""


def expectation_of(buffer: BufferResult) -> Expectation:
    """Returns the expectation that a buffer is as another run has left the buffer."""
    return Expectation(buffer.name, OTHER)


def agreed(
    result: LaunchResult, other: LaunchResult, checks: Iterable[CheckResult], build: str
) -> LaunchResult:
    """Returns a result with the comparison to another run of the launch, also as diagnostics.

    Args:
        result: The run.
        other: The other one.
        checks: Of each buffer that both have kept; what was got is that of the run.
        build: The options of the other build, in words; empty for the same build elsewhere.
    """
    own, who = (result.device or "this run"), (other.device or "the other run")
    if build:
        own, who = "this build", f"that {build}"
    comparison = RunComparison(who, other.outcome, tuple(checks))
    lines = {b.name: b.writers for run in (other, result) for b in run.buffers if b.writers}
    causes = advice("contraction" if WITHOUT_FMA in build.split() else "two-runs")
    wrong = [*_endings(other, who), *_differences(comparison, own, lines, causes)]
    notes = [] if wrong else [_agreement(comparison, own)]
    outcome = result.outcome
    if wrong and outcome is LaunchOutcome.RAN:
        outcome = LaunchOutcome.WRONG
    diagnostics = (*result.diagnostics, *wrong, *notes)
    return replace(result, outcome=outcome, diagnostics=diagnostics, comparison=comparison)


def _endings(other: LaunchResult, who: str) -> Iterator[Diagnostic]:
    if not other.ok:
        yield _diagnostic(Severity.ERROR, f"{who}: {other.reason}")


def _differences(
    comparison: RunComparison, own: str, lines: dict[str, tuple[tuple[str, int], ...]], causes: str
) -> Iterator[Diagnostic]:
    for check in comparison.buffers:
        if check.ok:
            continue
        file, line, where = written_at(lines.get(check.buffer, ()))
        if check.problem:
            yield _diagnostic(Severity.ERROR, f"'{check.buffer}' is not compared: {check.problem}")
            continue
        first = check.mismatches[0]
        at = ", ".join(map(str, first.index))
        words = (
            f"{check.wrong:,} of {check.count:,} elements of '{check.buffer}' differ. "
            f"{check.buffer}[{at}] is {first.got} ({own}) and {first.expected} ({comparison.who})"
        )
        yield Diagnostic(Severity.ERROR, file, line, None, f"{words}{where}.", explanation=causes)


def _agreement(comparison: RunComparison, own: str) -> Diagnostic:
    if not comparison.buffers:
        words = f"Nothing was compared with {comparison.who}: there is no output of all blocks."
        return _diagnostic(Severity.WARNING, words)
    names = ", ".join(f"'{check.buffer}'" for check in comparison.buffers)
    return _diagnostic(Severity.INFO, f"{own} and {comparison.who} agree in {names}.")


def may_be_contraction(request: LaunchRequest, result: LaunchResult) -> bool:
    """Returns whether floats are wrong that may have been rounded once in place of twice."""
    compared = result.comparison.buffers if result.comparison else ()
    wrong = {check.buffer for check in (*result.checks, *compared) if check.wrong}
    return any(b.name in wrong and _has_floats(b.element) for b in request.buffers)


def _has_floats(kind: Type) -> bool:
    match kind:
        case Scalar():
            return kind.kind is NumberKind.FLOATING
        case Array(element=element):
            return _has_floats(element)
        case Struct(fields=fields):
            return any(_has_floats(field.type) for field in fields)
    return False


def with_contraction(result: LaunchResult, without: LaunchResult | None) -> LaunchResult:
    """Returns a result that went wrong in floats with the part that contraction has in that.

    Args:
        result: The result.
        without: The same of a build with `WITHOUT_FMA`; None where nobody has tried.
    """
    fix = Fix(f"Build with {WITHOUT_FMA}", FixKind.ADD_OPTION, WITHOUT_FMA)
    if without is None:
        words = f"The difference may be due to contraction. {WITHOUT_FMA} tells."
        note = replace(_diagnostic(Severity.INFO, words, advice("contraction")), fix=fix)
    elif without.outcome not in COMPARED:
        note = _diagnostic(Severity.INFO, f"The build with {WITHOUT_FMA} could not be compared.")
    else:
        before, after = _wrong(result), _wrong(without)
        if not after:
            words = f"With {WITHOUT_FMA} nothing differs: the difference is due to contraction."
            note = replace(_diagnostic(Severity.INFO, words, advice("contraction")), fix=fix)
        else:
            words = (
                f"Contraction is not all of it: with {WITHOUT_FMA} {after:,} elements differ, "
                f"without {before:,}."
            )
            note = _diagnostic(Severity.INFO, words)
    comparison = result.comparison
    if comparison is not None and without is not None and without.outcome in COMPARED:
        comparison = replace(comparison, differs_without_fma=bool(_wrong(without)))
    return replace(result, diagnostics=(*result.diagnostics, note), comparison=comparison)


def _wrong(result: LaunchResult) -> int:
    compared = result.comparison.buffers if result.comparison else ()
    return sum(check.wrong + bool(check.problem) for check in (*result.checks, *compared))


def _diagnostic(severity: Severity, words: str, explanation: str = "") -> Diagnostic:
    return Diagnostic(severity, "", None, None, words, explanation=explanation)
