"""Events of a launch and the result; failures are values, never exceptions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from statistics import median, quantiles

from jitstudio.core.diagnostics import Diagnostic, FixKind, Severity
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import Direction, Expectation, ParameterSlot
from jitstudio.core.launch.simulation import Simulation
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
    def differences(self) -> tuple[str, ...]:
        """The first of the elements that are wrong, with the expected content."""
        return tuple(
            f"{self.buffer}[{', '.join(map(str, wrong.index))}] is {wrong.got}, "
            f"expected {wrong.expected}"
            for wrong in self.mismatches
        )

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
    def gpu_problem(self) -> str:
        """The sentence that says why no GPU here runs the code; empty where one does."""
        if self.outcome is LaunchOutcome.MISSING:
            return "There is no GPU to launch it on."
        others = (d for d in self.diagnostics if d.fix and d.fix.kind is FixKind.SET_ARCH)
        return next((d.message for d in others), "")

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


def written_at(writers: Sequence[tuple[str, int]]) -> tuple[str, int | None, str]:
    """Returns the only place that writes to a buffer, if any, and a clause that names the lines."""
    file, line = writers[0] if len(writers) == 1 else ("", None)
    numbers = " and ".join(str(number) for _, number in writers[:3])
    return file, line, f"; it is written at line {numbers}" if writers else ""


def unchecked(expectation: Expectation, why: str) -> CheckResult:
    """Returns the check of an expectation that could not be compared."""
    return CheckResult(
        expectation.buffer, expectation.expression, ok=False, problem=why, part=expectation.part
    )
