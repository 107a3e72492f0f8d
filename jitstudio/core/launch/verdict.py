"""Reads what a launch has left behind: failed asserts, stray writes, gaps, findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import Expectation, LaunchRequest
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    Finding,
    LaunchOutcome,
    LaunchResult,
    Stray,
)
from jitstudio.core.severity import Severity

# `k.cu:7: void k(int *): block: [0,0,0], thread: [3,0,0] Assertion `x > 0` failed.`
_ASSERTION = re.compile(
    r"^(?P<file>[^:\n]*+(?::(?!\d+: )[^:\n]*+)*+):(?P<line>\d{1,9}+): "
    r"(?P<function>[^:\n]*+(?::(?! block: \[)[^:\n]*+)*+): block: \[(?P<block>[\d,]++)\], "
    r"thread: \[(?P<thread>[\d,]++)\] Assertion `(?P<condition>.*)` failed\.?$",
    re.MULTILINE,
)
_STRAY_ADVICE = (
    "It could have been another buffer's memory. Check the bound (if (i < n)) against the grid and "
    "the length of the buffer; memcheck tells the line."
)
_GAP_ADVICE = (
    "The output was filled with a pattern first, and these elements still hold it. Does the grid "
    "cover the buffer, and do all threads get as far as the write? If the kernel reads it, or "
    "leaves parts of it alone on purpose, mark it inout."
)
_COMPARED_ADVICE = (
    "Both are made of the same source: one by the compiler inside the driver of this machine, one "
    "by the toolkit. Build with the driver's JIT as the assembler to see its SASS."
)
_FINDING_ADVICE = "compute-sanitizer found this while the kernel ran."
_NO_LINE = " Build with -lineinfo to learn the line."


def judged(request: LaunchRequest, result: LaunchResult) -> LaunchResult:
    """The result with an outcome that says what is wrong, and a diagnostic for all of it.

    A check speaks for itself: `CheckResult.verdict`.
    """
    asserts = tuple(_assertions(result.console))
    wrong = [d for buffer in result.buffers for d in _strays(buffer)]
    wrong += [_found(finding) for finding in result.findings]
    gaps = [d for buffer in result.buffers for d in _gaps(buffer)]
    outcome = result.outcome
    if outcome is LaunchOutcome.RAN and (wrong or not all(c.ok for c in result.checks)):
        outcome = LaunchOutcome.WRONG
    compared = tuple(_compared(result))
    diagnostics = (*asserts, *result.diagnostics, *wrong, *gaps, *compared)
    return replace(result, outcome=outcome, kernel=request.title, diagnostics=diagnostics)


def unlaunched(
    kernel: str, outcome: LaunchOutcome, problems: Iterable[SpecProblem]
) -> LaunchResult:
    """The result of a launch that was never sent to a GPU, because of these problems."""
    return LaunchResult(outcome, kernel, diagnostics=tuple(map(told, problems)))


def told(problem: SpecProblem) -> Diagnostic:
    """A problem of what was typed, as a diagnostic."""
    return Diagnostic(
        problem.severity,
        "",
        None,
        None,
        problem.message,
        explanation=problem.remedy,
        fix=problem.fix,
    )


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


def _compared(result: LaunchResult) -> Iterator[Diagnostic]:
    """The driver's code beside the build's own."""
    other = result.counterpart
    if other is None or result.facts is None:
        return
    both = ((result.facts, result.timing), (other.facts, other.timing))
    driver, cubin = (
        f"{facts.registers} registers, {facts.local_bytes} bytes of local memory"
        + (f", {timing.median:.4g} ms" if timing else "")
        for facts, timing in both
    )
    words = f"The driver's compiler: {driver}. The cubin of the build: {cubin}."
    yield Diagnostic(Severity.INFO, "", None, None, words, explanation=_COMPARED_ADVICE)


def _found(finding: Finding) -> Diagnostic:
    times = f" ({finding.count:,} times)" if finding.count > 1 else ""
    where = f" in {finding.kernel}" if finding.kernel else ""
    return Diagnostic(
        Severity.ERROR,
        finding.file,
        finding.line,
        None,
        f"{finding.message}{where}{times}.",
        explanation=_FINDING_ADVICE + ("" if finding.line else _NO_LINE),
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
    where = f"{_bytes(stray.distance)} {side}" if stray.distance else f"right {side}"
    return f"{_bytes(stray.count)}, {where} '{buffer.name}' (element {index:,})"


def _bytes(count: int) -> str:
    return f"{count:,} byte{'' if count == 1 else 's'}"


def _gaps(buffer: BufferResult) -> Iterator[Diagnostic]:
    if not buffer.unwritten:
        return
    if buffer.unwritten == buffer.length:
        words = f"No element of '{buffer.name}' was ever written."
    else:
        verb = "was" if buffer.unwritten == 1 else "were"
        words = (
            f"{buffer.unwritten:,} of {buffer.length:,} elements of '{buffer.name}' {verb} never "
            f"written, the first at {buffer.first_unwritten:,}."
        )
    yield Diagnostic(Severity.WARNING, "", None, None, words, explanation=_GAP_ADVICE)
