"""The outcome of a launch and its diagnostics, by what was seen while it ran."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.advice import advice
from jitstudio.core.launch.request import LaunchRequest
from jitstudio.core.launch.result import (
    BufferResult,
    LaunchOutcome,
    LaunchResult,
    OutOfBoundsWrite,
    SanitizerFinding,
)
from jitstudio.core.launch.simulation import Fault, Race, Simulation
from jitstudio.core.launch.spec import RunSettings

# `k.cu:7: void k(int *): block: [0,0,0], thread: [3,0,0] Assertion `x > 0` failed.`
_ASSERTION = re.compile(
    r"^(?P<file>[^:\n]*+(?>:(?!\d+: )[^:\n]*+)*+):(?P<line>\d{1,9}+): "
    r"(?P<function>[^:\n]*+(?>:(?! block: \[)[^:\n]*+)*+): block: \[(?P<block>[\d,]++)\], "
    r"thread: \[(?P<thread>[\d,]++)\] Assertion `(?P<condition>.*)` failed\.?$",
    re.MULTILINE,
)
_ON_GPU = {
    "warmup": "warm-up launches",
    "repeats": "timed launches",
    "flush_l2": "flushing the L2 cache",
    "guards": "guard zones",
    "sanitizer": "compute-sanitizer",
}
_SIMULATED = {"blocks": "a number of blocks", "seed": "a seed", "seeds": "several orders"}


def judged(request: LaunchRequest, result: LaunchResult) -> LaunchResult:
    """Returns the result with an outcome that tells of faults, and a diagnostic for each fault.

    A check speaks for itself: `CheckResult.verdict`.
    """
    asserts = tuple(_assertions(result.console))
    wrong = [d for buffer in result.buffers for d in _strays(buffer)]
    wrong += [_diagnostic_of(finding) for finding in result.findings]
    simulated = tuple(_simulated(request, result)) if result.simulation else ()
    wrong += [d for d in simulated if d.severity is Severity.ERROR]
    gaps = [d for buffer in result.buffers for d in _gaps(buffer)]
    outcome = result.outcome
    if outcome is LaunchOutcome.RAN and (wrong or not all(c.ok for c in result.checks)):
        outcome = LaunchOutcome.WRONG
    compared = tuple(_compared(result))
    notes = [d for d in simulated if d.severity is not Severity.ERROR]
    notes += _without_meaning(request)
    diagnostics = (*asserts, *result.diagnostics, *wrong, *gaps, *compared, *notes)
    return replace(result, outcome=outcome, kernel=request.title, diagnostics=diagnostics)


def _assertions(console: str) -> Iterator[Diagnostic]:
    """Yields an error for each line of source: every thread that fails says the same."""
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
            explanation=advice("assertion"),
        )


def _compared(result: LaunchResult) -> Iterator[Diagnostic]:
    """Yields the driver's code against the build's own."""
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
    yield _note(Severity.INFO, words, "driver-jit")


def _diagnostic_of(finding: SanitizerFinding) -> Diagnostic:
    times = f" ({finding.count:,} times)" if finding.count > 1 else ""
    where = f" in {finding.kernel}" if finding.kernel else ""
    return Diagnostic(
        Severity.ERROR,
        finding.file,
        finding.line,
        None,
        f"{finding.message}{where}{times}.",
        explanation=advice("sanitizer", *(() if finding.line else ("no-line",))),
    )


def _simulated(request: LaunchRequest, result: LaunchResult) -> Iterator[Diagnostic]:
    """Yields the simulator's findings, and the assumptions of the result."""
    simulation = result.simulation
    assert simulation is not None
    for fault in simulation.faults:
        yield _found_by_simulator(fault, Severity.ERROR, "", *_in_some_orders(fault))
    for race in simulation.races:
        severity = Severity.INFO if race.same_value else Severity.ERROR
        times = f" ({race.count:,} times)" if race.count > 1 else ""
        cases = (_case(race), *_in_some_orders(race))
        yield _found_by_simulator(race, severity, times, *cases)
    for difference in simulation.differences:
        yield _note(Severity.WARNING, difference.message, "order")
    if request.seeds > 1:
        yield from _compared_orders(request, simulation)
    if simulation.inexact_functions:
        functions = ", ".join(simulation.inexact_functions)
        yield _note(Severity.INFO, f"A GPU may give other values: {functions}.")
    for left in simulation.heap_left:
        yield _note(Severity.INFO, left, "heap")
    if result.outcome is LaunchOutcome.RAN and simulation.is_partial:
        words = f"{simulation.blocks:,} of {simulation.of_blocks:,} blocks were simulated."
        severity = Severity.WARNING if request.expectations else Severity.INFO
        yield _note(severity, words, "some-blocks")


def _in_some_orders(fault: Fault | Race) -> tuple[str, ...]:
    return ("some-orders",) if fault.seeds else ()


def _case(race: Race) -> str:
    """Returns the case by which there is advice on a race."""
    if race.same_value:
        return "same-value"
    if race.first.block != race.second.block:
        return "race-of-blocks"
    places = {(place.file, place.line) for place in (race.first, race.second)}
    return "race-on-a-line" if race.first.line and len(places) == 1 else "race"


def _without_meaning(request: LaunchRequest) -> Iterator[Diagnostic]:
    """Yields the requested settings that mean nothing where the kernel has run."""
    words = _ON_GPU if request.is_simulated else _SIMULATED
    asked = [
        text for name, text in words.items() if getattr(request, name) != getattr(RunSettings, name)
    ]
    if asked and request.is_simulated:
        words_of_all = f"This has no meaning in the simulator: {', '.join(asked)}."
        yield _note(Severity.INFO, words_of_all, "no-times")
    elif asked:
        where = "on a GPU, but in the simulator only"
        yield _note(Severity.INFO, f"This has no meaning {where}: {', '.join(asked)}.")


def _compared_orders(request: LaunchRequest, simulation: Simulation) -> Iterator[Diagnostic]:
    """Yields which orders of blocks and warps were compared, and whether they agree."""
    first, last = simulation.seed, max(simulation.compared, default=simulation.seed)
    has_ended = any(fault.fatal and fault.seeds for fault in simulation.faults)
    if simulation.compared and not simulation.differences and not has_ended:
        words = (
            f"All buffers are the same in {last - first + 1} orders, of seeds {first} to {last}."
        )
        yield _note(Severity.INFO, words)
    if len(simulation.compared) < request.seeds - 1:
        of = f"{len(simulation.compared) + 1:,} of {request.seeds:,} orders were simulated"
        words = f"{of}: a run that does not end well, or the time limit, ends the comparison."
        yield _note(Severity.INFO, words)


def _found_by_simulator(
    fault: Fault | Race, severity: Severity, times: str, *cases: str
) -> Diagnostic:
    place = fault.place
    file, line = (place.file, place.line or None) if place else ("", None)
    words = fault.message.rstrip(".") + times + "."
    return Diagnostic(severity, file, line, None, words, explanation=advice(*cases))


def _note(severity: Severity, words: str, *cases: str) -> Diagnostic:
    """Returns a diagnostic about no line, with the advice for these cases."""
    return Diagnostic(severity, "", None, None, words, explanation=advice(*cases))


def _strays(buffer: BufferResult) -> Iterator[Diagnostic]:
    for stray in buffer.strays:
        message = f"The kernel wrote out of bounds: {_place(buffer, stray)}."
        yield _note(Severity.ERROR, message, "stray")


def _place(buffer: BufferResult, stray: OutOfBoundsWrite) -> str:
    side = "before" if stray.before else "after"
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
    yield _note(Severity.WARNING, words, "gap")
