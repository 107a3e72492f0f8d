"""Events of a launch and the result; failures are values, never exceptions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from statistics import median, quantiles

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import Direction, Expectation, LaunchRequest, ParameterSlot
from jitstudio.core.launch.simulation import Fault, Race, Simulation
from jitstudio.core.launch.spec import RunSettings
from jitstudio.core.launch.types import Type


class LaunchOutcome(Enum):
    """How a launch ended.

    `WRONG`: it ran, but a check failed or it wrote out of bounds. `REFUSED`: it makes no sense, so
    nothing was run. `MISSING`: there is no driver or no GPU.
    """

    RAN = "ran"
    WRONG = "wrong"
    FAILED = "failed"
    REFUSED = "refused"
    MISSING = "missing"
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"
    CANCELLED = "cancelled"


LAUNCH_ENDINGS = {
    LaunchOutcome.RAN: "Ran",
    LaunchOutcome.WRONG: "Ran, but something is wrong",
    LaunchOutcome.FAILED: "Launch failed",
    LaunchOutcome.REFUSED: "This cannot be launched",
    LaunchOutcome.MISSING: "There is no GPU to launch on",
    LaunchOutcome.CRASHED: "The launch process died",
    LaunchOutcome.TIMED_OUT: "Launch stopped at its time limit",
    LaunchOutcome.CANCELLED: "Launch cancelled",
}
"""How each outcome is reported."""


@dataclass(frozen=True)
class Timing:
    """Times of the timed launches, in milliseconds, in order, and at least a single time.

    Attributes:
        samples: Measured with CUDA events around each launch.
    """

    samples: tuple[float, ...]

    @property
    def minimum(self) -> float:
        """The shortest."""
        return min(self.samples)

    @property
    def maximum(self) -> float:
        """The longest."""
        return max(self.samples)

    @property
    def median(self) -> float:
        """The middle of the times."""
        return median(self.samples)

    @property
    def quartiles(self) -> tuple[float, float]:
        """A quarter of the times is at most the first, three quarters at most the second."""
        if len(self.samples) == 1:
            return self.samples[0], self.samples[0]
        first, _, third = quantiles(self.samples, n=4, method="inclusive")
        return first, third


@dataclass(frozen=True)
class KernelFacts:
    """The driver's facts about a loaded kernel.

    Attributes:
        registers: 32-bit registers per thread.
        shared_bytes: Static shared memory per block.
        local_bytes: Local memory per thread.
        constant_bytes: Constant memory.
        max_threads: Most threads a block may have.
        binary_version: Ten times the compute capability of the machine code.
        ptx_version: The same of the PTX it came from.
        slots: Where each parameter lies.
        active_blocks: Blocks of the asked-for configuration resident on one multiprocessor;
            None where it was not found out.
        occupancy: Resident warps over the most there can be, from 0 to 1.
        suggested_block: Threads per block with the highest occupancy; None like `active_blocks`.
        suggested_occupancy: The occupancy with that block; None like `active_blocks`.
    """

    registers: int
    shared_bytes: int
    local_bytes: int
    constant_bytes: int
    max_threads: int
    binary_version: int
    ptx_version: int
    slots: tuple[ParameterSlot, ...]
    active_blocks: int | None = None
    occupancy: float | None = None
    suggested_block: int | None = None
    suggested_occupancy: float | None = None


@dataclass(frozen=True)
class OutOfBoundsWrite:
    """A write out of bounds, found in a guard zone.

    Attributes:
        before: Whether it is in front of the buffer rather than behind it.
        distance: Bytes from the buffer's edge to the nearest changed byte; 0 touches it.
        count: Changed bytes.
    """

    before: bool
    distance: int
    count: int


@dataclass(frozen=True)
class BufferResult:
    """A buffer after the first launch.

    Attributes:
        name: The parameter's.
        element: The type of an element.
        length: Elements.
        direction: Whether the kernel reads or writes the buffer.
        path: An .npy file with its content; empty where it was not kept. A vector or array has
            its lanes as a second axis, a struct its fields as a structured type.
        unwritten: Elements of an output that were never written; None where nobody looked.
        first_unwritten: Index of the first of them.
        strays: Writes out of bounds.
        shape: Width, height and depth of a texture or surface, x going fastest; empty for what has
            an address.
        writers: Files and lines of the source that have written to it, as the simulator has seen.
    """

    name: str
    element: Type
    length: int
    direction: Direction
    path: str = ""
    unwritten: int | None = None
    first_unwritten: int | None = None
    strays: tuple[OutOfBoundsWrite, ...] = ()
    shape: tuple[int, ...] = ()
    writers: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Mismatch:
    """An element that is not as expected; the index counts elements, then lanes."""

    index: tuple[int, ...]
    got: str
    expected: str


@dataclass(frozen=True)
class CheckResult:
    """A comparison of a buffer with the expectation.

    Attributes:
        buffer: The name of the buffer.
        expression: The expected content.
        ok: Whether all elements are within the tolerance.
        count: Elements compared.
        wrong: Elements that differ by more than the tolerance.
        largest_absolute: Largest difference of all; NaN where one is no number.
        largest_relative: Largest difference over the expected magnitude.
        mismatches: The first of those that are wrong.
        problem: Why it could not be compared, a sentence; empty where it was.
        nans: Elements for which NaN is expected, and which are NaN.
        part: Which of its elements were compared: see `Expectation`.
        left_out: How many were not.
    """

    buffer: str
    expression: str
    ok: bool
    count: int = 0
    wrong: int = 0
    largest_absolute: float = 0.0
    largest_relative: float = 0.0
    mismatches: tuple[Mismatch, ...] = ()
    problem: str = ""
    nans: int = 0
    part: str = ""
    left_out: int = 0

    @property
    def target(self) -> str:
        """The buffer or the part that was compared, such as ``out[1:-1]``."""
        return self.buffer + self.part

    @property
    def verdict(self) -> str:
        """The outcome of the check: a sentence."""
        if self.problem:
            return f"'{self.target}' could not be checked: {self.problem.rstrip('.')}."
        others = f"; {self.left_out:,} others were not compared" if self.left_out else ""
        if self.ok:
            nans = f", {self.nans:,} of them NaN" if self.nans else ""
            said = f"All {self.count:,} elements of '{self.target}' are as expected{nans}"
        else:
            said = f"{self.wrong:,} of {self.count:,} elements of '{self.target}' are wrong"
        return f"{said}{others}."


@dataclass(frozen=True)
class RunComparison:
    """Another run of the same launch: on a GPU, in the simulator, or of another build.

    Attributes:
        who: The device of the other run, or the options of the other build.
        outcome: The ending of the other run.
        buffers: Each output against that of the other run, which is what was expected.
        differs_without_fma: Whether anything still differs with ``--fmad=false``; None where nobody
            has tried.
    """

    who: str
    outcome: LaunchOutcome
    buffers: tuple[CheckResult, ...] = ()
    differs_without_fma: bool | None = None


@dataclass(frozen=True)
class SanitizerFinding:
    """A finding of compute-sanitizer.

    Attributes:
        message: In its words.
        kernel: Where it happened.
        file, line: Of the source; empty and None where the code has no line table.
        count: How often the same was found.
    """

    message: str
    kernel: str = ""
    file: str = ""
    line: int | None = None
    count: int = 1


@dataclass(frozen=True)
class Counterpart:
    """The same kernel out of other code: the build's cubin beside the driver's, made of PTX."""

    facts: KernelFacts
    timing: Timing | None


@dataclass(frozen=True)
class LaunchResult:
    """All that came of a launch, complete or not.

    Attributes:
        outcome: How it ended.
        kernel: Its name to show.
        device: The GPU's name; empty where none was reached.
        facts: The driver's facts about the kernel.
        timing: Of the timed launches, or None.
        buffers: In order of the parameters, after the first launch.
        checks: One per expectation.
        console: The text that the kernel printed, and the words of failed asserts.
        jit_log: The log of the driver's compiler, where used.
        findings: The findings of compute-sanitizer.
        diagnostics: Errors and warnings, with their explanations.
        moved_bytes: Bytes of all inputs and outputs, once each; the base of the bandwidth.
        start_ms: From the request to the first launch.
        total_ms: From the request to the result.
        counterpart: The result of the build's own cubin, where the driver's compiler was used.
        simulation: The simulator's counts and findings; None where a GPU was used.
        comparison: The comparison to another run; None where there was none.
        begins: The parts taken from the host code, assumed and unknown, in sentences.
    """

    outcome: LaunchOutcome
    kernel: str
    device: str = ""
    facts: KernelFacts | None = None
    timing: Timing | None = None
    buffers: tuple[BufferResult, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    console: str = ""
    jit_log: str = ""
    findings: tuple[SanitizerFinding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    moved_bytes: int = 0
    start_ms: float | None = None
    total_ms: float = 0.0
    counterpart: Counterpart | None = None
    simulation: Simulation | None = None
    comparison: RunComparison | None = None
    begins: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the launch ran and every check passed."""
        return self.outcome is LaunchOutcome.RAN

    @property
    def bandwidth(self) -> float | None:
        """Bytes per second: inputs and outputs once each, over the median time."""
        if self.timing is None or not self.timing.median:
            return None
        return self.moved_bytes / (self.timing.median / 1000)

    @property
    def reason(self) -> str:
        """The ending, with the first error if there is any: a sentence."""
        ending = LAUNCH_ENDINGS[self.outcome]
        errors = (d.message for d in self.diagnostics if d.severity is Severity.ERROR)
        failed = (check.verdict for check in self.checks if not check.ok)
        first = next(chain(errors, failed), "")
        return f"{ending}: {first.rstrip('.')}." if first else f"{ending}."


@dataclass(frozen=True)
class LaunchProgress:
    """The present activity, such as ``filling buffers``."""

    doing: str


@dataclass(frozen=True)
class ConsoleText:
    """Text that the kernel has printed since the last time."""

    text: str


@dataclass(frozen=True)
class SimulationForecast:
    """A simulation that will take long.

    Attributes:
        seconds: How long it will take, as a run of some of its blocks lets expect.
        fewer: So many blocks take about 10 seconds.
        blocks: How many there are.
        passed: Seconds of it after which this is known; 0 before it begins.
        limit: Seconds after which it is ended.
    """

    seconds: float
    fewer: int
    blocks: int
    passed: float = 0.0
    limit: float = math.inf

    @property
    def words(self) -> str:
        """The time to expect, and the settings that would take less: a sentence."""
        if math.isinf(self.seconds):
            return "A few blocks alone take seconds to simulate, so this will take long."
        known = f"After {self.passed:.0f} s: the" if self.passed else "The"
        ends = f", and its time limit is {self.limit:g} s" if self.seconds > self.limit else ""
        return (
            f"{known} simulation will take about {self.seconds:,.0f} s in all{ends}; "
            f"{self.fewer:,} of {self.blocks:,} blocks take about 10 s."
        )


LaunchEvent = LaunchProgress | ConsoleText | SimulationForecast


# `k.cu:7: void k(int *): block: [0,0,0], thread: [3,0,0] Assertion `x > 0` failed.`
_ASSERTION = re.compile(
    r"^(?P<file>[^:\n]*+(?>:(?!\d+: )[^:\n]*+)*+):(?P<line>\d{1,9}+): "
    r"(?P<function>[^:\n]*+(?>:(?! block: \[)[^:\n]*+)*+): block: \[(?P<block>[\d,]++)\], "
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
_ON_GPU = {
    "warmup": "warm-up launches",
    "repeats": "timed launches",
    "flush_l2": "flushing the L2 cache",
    "guards": "guard zones",
    "sanitizer": "compute-sanitizer",
}
_SIMULATED = {"blocks": "a number of blocks", "seed": "a seed", "seeds": "several orders"}
_ON_GPU_ADVICE = (
    "The simulator has no times and no caches, and sees every access out of bounds, every race and "
    "every read of what was never written by itself."
)
_COMPARED_ADVICE = (
    "Both are made of the same source: one by the compiler inside the driver of this machine, one "
    "by the toolkit. Build with the driver's JIT as the assembler to see its SASS."
)
_OTHER_SEED = " Simulate with another seed to see another order."
_RACE_ADVICE = (
    "What the thread reads, or which value stays, depends on which of the two comes first. Put a "
    "__syncthreads() between the two lines, __syncwarp() within a warp, or use an atomic."
    + _OTHER_SEED
)
_LINE_RACE_ADVICE = (
    "What the thread reads, or which value stays, depends on which of the two comes first. One "
    "line holds both: use an atomic or, where a loop brings the line around again, put a "
    "__syncthreads() into the loop." + _OTHER_SEED
)
_BLOCKS_RACE_ADVICE = (
    "What the thread reads, or which value stays, depends on which of the two comes first. No "
    "__syncthreads() orders threads of different blocks: use an atomic, give each block a place "
    "of its own, or do the second access in another launch." + _OTHER_SEED
)
_ORDER_ADVICE = (
    "On a GPU blocks and warps have no order, so no result should depend on one: look for races, "
    "and for values that atomics hand out. Sums of floats by atomics differ in their last bits."
)
_OTHER_ORDER_ADVICE = (
    "It happens in some orders of blocks and warps only, and a GPU may take any of them. Simulate "
    "with such a seed to step to it."
)
_SAME_VALUE_ADVICE = "Whichever thread comes last, the value that stays is the same."
_HEAP_ADVICE = "It stays taken for later launches of the program, which may be meant."
_FINDING_ADVICE = "compute-sanitizer found this while the kernel ran."
_NO_LINE = " Build with -lineinfo to learn the line."


def judged(request: LaunchRequest, result: LaunchResult) -> LaunchResult:
    """Returns the result with an outcome that tells of faults, and a diagnostic for each fault.

    A check speaks for itself: `CheckResult.verdict`.
    """
    asserts = tuple(_assertions(result.console))
    wrong = [d for buffer in result.buffers for d in _strays(buffer)]
    wrong += [_found(finding) for finding in result.findings]
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


def unlaunched(
    kernel: str, outcome: LaunchOutcome, problems: Iterable[SpecProblem]
) -> LaunchResult:
    """Returns the result of a launch that was never sent to a GPU, because of these problems."""
    return LaunchResult(outcome, kernel, diagnostics=tuple(map(diagnostic_of, problems)))


def diagnostic_of(problem: SpecProblem) -> Diagnostic:
    """Returns a problem of a typed text, as a diagnostic."""
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
    """Returns the check of an expectation that could not be compared."""
    return CheckResult(
        expectation.buffer, expectation.expression, ok=False, problem=why, part=expectation.part
    )


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
            explanation="An assert ends the kernel for all threads. What it guards against has "
            "happened: look at the values that the condition reads.",
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
    yield Diagnostic(Severity.INFO, "", None, None, words, explanation=_COMPARED_ADVICE)


def _found(finding: SanitizerFinding) -> Diagnostic:
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


def _simulated(request: LaunchRequest, result: LaunchResult) -> Iterator[Diagnostic]:
    """Yields the simulator's findings, and the assumptions of the result."""
    simulation = result.simulation
    assert simulation is not None
    for fault in simulation.faults:
        advice = _OTHER_ORDER_ADVICE if fault.seeds else ""
        yield _found_by_simulator(fault, Severity.ERROR, explanation=advice)
    for race in simulation.races:
        severity = Severity.INFO if race.same_value else Severity.ERROR
        in_block = race.first.block == race.second.block
        places = {(place.file, place.line) for place in (race.first, race.second)}
        is_one_line = bool(race.first.line) and len(places) == 1
        near = _LINE_RACE_ADVICE if is_one_line else _RACE_ADVICE
        advice = near if in_block else _BLOCKS_RACE_ADVICE
        advice = _SAME_VALUE_ADVICE if race.same_value else advice
        advice += f" {_OTHER_ORDER_ADVICE}" if race.seeds else ""
        times = f" ({race.count:,} times)" if race.count > 1 else ""
        yield _found_by_simulator(race, severity, times, advice)
    for difference in simulation.differences:
        words, advice = difference.message, _ORDER_ADVICE
        yield Diagnostic(Severity.WARNING, "", None, None, words, explanation=advice)
    if request.seeds > 1:
        yield from _compared_orders(request, simulation)
    if simulation.inexact_functions:
        words = f"A GPU may give other values: {', '.join(simulation.inexact_functions)}."
        yield Diagnostic(Severity.INFO, "", None, None, words)
    for left in simulation.heap_left:
        yield Diagnostic(Severity.INFO, "", None, None, left, explanation=_HEAP_ADVICE)
    if result.outcome is LaunchOutcome.RAN and simulation.is_partial:
        words = f"{simulation.blocks:,} of {simulation.of_blocks:,} blocks were simulated."
        advice = "Counts are theirs, and nothing was compared with what was expected."
        severity = Severity.WARNING if request.expectations else Severity.INFO
        yield Diagnostic(severity, "", None, None, words, explanation=advice)


def _without_meaning(request: LaunchRequest) -> Iterator[Diagnostic]:
    """Yields the requested settings that mean nothing where the kernel has run."""
    simulated = request.is_simulated
    words = _ON_GPU if simulated else _SIMULATED
    asked = [
        text for name, text in words.items() if getattr(request, name) != getattr(RunSettings, name)
    ]
    if asked:
        where = "in the simulator" if simulated else "on a GPU, but in the simulator only"
        message = f"This has no meaning {where}: {', '.join(asked)}."
        advice = _ON_GPU_ADVICE if simulated else ""
        yield Diagnostic(Severity.INFO, "", None, None, message, explanation=advice)


def _compared_orders(request: LaunchRequest, simulation: Simulation) -> Iterator[Diagnostic]:
    """Yields which orders of blocks and warps were compared, and whether they agree."""
    first, last = simulation.seed, max(simulation.compared, default=simulation.seed)
    has_ended = any(fault.fatal and fault.seeds for fault in simulation.faults)
    if simulation.compared and not simulation.differences and not has_ended:
        words = (
            f"All buffers are the same in {last - first + 1} orders, of seeds {first} to {last}."
        )
        yield Diagnostic(Severity.INFO, "", None, None, words)
    if len(simulation.compared) < request.seeds - 1:
        of = f"{len(simulation.compared) + 1:,} of {request.seeds:,} orders were simulated"
        words = f"{of}: a run that does not end well, or the time limit, ends the comparison."
        yield Diagnostic(Severity.INFO, "", None, None, words)


def _found_by_simulator(
    fault: Fault | Race, severity: Severity, times: str = "", explanation: str = ""
) -> Diagnostic:
    place = fault.place
    file, line = (place.file, place.line or None) if place else ("", None)
    words = fault.message.rstrip(".") + times + "."
    return Diagnostic(severity, file, line, None, words, explanation=explanation)


def _strays(buffer: BufferResult) -> Iterator[Diagnostic]:
    for stray in buffer.strays:
        message = f"The kernel wrote out of bounds: {_place(buffer, stray)}."
        yield Diagnostic(Severity.ERROR, "", None, None, message, explanation=_STRAY_ADVICE)


def _place(buffer: BufferResult, stray: OutOfBoundsWrite) -> str:
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
