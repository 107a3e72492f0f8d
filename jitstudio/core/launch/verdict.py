"""Reads what a launch has left behind: failed asserts, stray writes, gaps, failed checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.request import Expectation, LaunchRequest
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    Finding,
    LaunchOutcome,
    LaunchResult,
    Stray,
)

# `k.cu:7: void k(int *): block: [0,0,0], thread: [3,0,0] Assertion `x > 0` failed.`
_ASSERTION = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+): (?P<function>.*): block: \[(?P<block>[\d,]+)\], "
    r"thread: \[(?P<thread>[\d,]+)\] Assertion `(?P<condition>.*)` failed\.?$",
    re.MULTILINE,
)
_STRAY_ADVICE = (
    "It could have been another buffer's memory. Check the bound (if (i < n)) against the grid and "
    "the length of the buffer; memcheck tells the line."
)


def judged(request: LaunchRequest, result: LaunchResult) -> LaunchResult:
    """The result with a diagnostic for all that is wrong, and an outcome that says so."""
    told = [*_assertions(result.console)]
    wrong = [d for buffer in result.buffers for d in _strays(buffer)]
    wrong += [d for check in result.checks for d in _failed(check)]
    wrong += [_found(finding) for finding in result.findings]
    gaps = [d for buffer in result.buffers for d in _gaps(buffer)]
    outcome = result.outcome
    if outcome is LaunchOutcome.RAN and wrong:
        outcome = LaunchOutcome.WRONG
    diagnostics = (*told, *result.diagnostics, *wrong, *gaps)
    return replace(result, outcome=outcome, kernel=request.title, diagnostics=diagnostics)


def unchecked(expectation: Expectation, why: str) -> CheckResult:
    """The check of an expectation that could not be compared."""
    return CheckResult(expectation.buffer, expectation.expression, ok=False, problem=why)


def _assertions(console: str) -> Iterator[Diagnostic]:
    """One error per line of source: every thread that fails says the same."""
    seen: dict[tuple[str, str], list[re.Match[str]]] = {}
    for match in _ASSERTION.finditer(console):
        seen.setdefault((match["file"], match["line"]), []).append(match)
    for (file, line), matches in seen.items():
        first = matches[0]
        others = f" and {len(matches) - 1} more threads" if len(matches) > 1 else ""
        yield Diagnostic(
            Severity.ERROR,
            file,
            int(line),
            None,
            f"Assertion `{first['condition']}` failed in {first['function']}, thread "
            f"({first['thread']}) of block ({first['block']}){others}.",
            explanation="An assert ends the kernel for all threads. What it guards against has "
            "happened: look at the values that the condition reads.",
        )


def _found(finding: Finding) -> Diagnostic:
    times = f" ({finding.count:,} times)" if finding.count > 1 else ""
    where = f" in {finding.kernel}" if finding.kernel else ""
    return Diagnostic(
        Severity.ERROR, finding.file, finding.line, None, f"{finding.message}{where}{times}."
    )


def _strays(buffer: BufferResult) -> Iterator[Diagnostic]:
    for stray in buffer.strays:
        message = f"The kernel wrote out of bounds: {_place(buffer, stray)}."
        yield Diagnostic(Severity.ERROR, "", None, None, message, explanation=_STRAY_ADVICE)


def _place(buffer: BufferResult, stray: Stray) -> str:
    side = "in front of" if stray.before else "behind"
    size = buffer.element.size
    steps = stray.distance // size
    index = -1 - steps if stray.before else buffer.length + steps
    apart = f"{stray.distance:,} bytes " if stray.distance else ""
    return f"{stray.count:,} bytes {apart}{side} '{buffer.name}' (element {index:,})"


def _gaps(buffer: BufferResult) -> Iterator[Diagnostic]:
    if not buffer.unwritten:
        return
    few = buffer.unwritten == buffer.length
    which = "No element" if few else f"{buffer.unwritten:,} of {buffer.length:,} elements"
    never = (
        "was ever written"
        if few
        else f"were never written, the first at {buffer.first_unwritten:,}"
    )
    message = f"{which} of '{buffer.name}' {never}."
    advice = (
        "Does the grid cover the buffer? If the kernel leaves parts of it alone on purpose, or "
        "reads it, mark it inout."
    )
    yield Diagnostic(Severity.WARNING, "", None, None, message, explanation=advice)


def _failed(check: CheckResult) -> Iterator[Diagnostic]:
    if check.ok:
        return
    if check.problem:
        message = f"'{check.buffer}' could not be checked: {check.problem.rstrip('.')}."
    else:
        first = check.mismatches[0] if check.mismatches else None
        where = ""
        if first is not None:
            index = ", ".join(f"{i:,}" for i in first.index)
            where = f"; the first at {index}: {first.got}, expected {first.expected}"
        message = (
            f"{check.wrong:,} of {check.count:,} elements of '{check.buffer}' are not as expected"
            f"{where}."
        )
    advice = (
        "Is the expectation right, and are the tolerances wide enough for the type? Floating-point "
        "sums in another order differ in their last digits."
    )
    yield Diagnostic(
        Severity.ERROR, "", None, None, message, explanation="" if check.problem else advice
    )
