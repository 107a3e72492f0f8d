"""What a launch came to. Whatever went wrong is a value here, never an exception."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import chain
from statistics import median, quantiles

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.request import Direction
from jitstudio.core.launch.signature import Slot
from jitstudio.core.launch.types import Type
from jitstudio.core.severity import Severity


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
"""How each outcome is told."""


@dataclass(frozen=True)
class Timing:
    """Times of the timed launches, in milliseconds, in order; there is at least one.

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
        """The one in the middle."""
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
    """What the driver says about a loaded kernel.

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
        suggested_occupancy: What that occupancy is; None like `active_blocks`.
    """

    registers: int
    shared_bytes: int
    local_bytes: int
    constant_bytes: int
    max_threads: int
    binary_version: int
    ptx_version: int
    slots: tuple[Slot, ...]
    active_blocks: int | None = None
    occupancy: float | None = None
    suggested_block: int | None = None
    suggested_occupancy: float | None = None


@dataclass(frozen=True)
class Stray:
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
        element: What one element is.
        length: Elements.
        direction: What the kernel does with it.
        path: An .npy file with its content; empty where it was not kept. A vector or array has
            its lanes as a second axis, a struct its fields as a structured type.
        unwritten: Elements of an output that were never written; None where nobody looked.
        first_unwritten: Index of the first of them.
        strays: Writes out of bounds.
    """

    name: str
    element: Type
    length: int
    direction: Direction
    path: str = ""
    unwritten: int | None = None
    first_unwritten: int | None = None
    strays: tuple[Stray, ...] = ()


@dataclass(frozen=True)
class Mismatch:
    """One element that is not as expected; the index counts elements, then lanes."""

    index: tuple[int, ...]
    got: str
    expected: str


@dataclass(frozen=True)
class CheckResult:
    """A comparison of a buffer with what was expected.

    Attributes:
        buffer: Its name.
        expression: What was expected.
        ok: Whether all elements are within the tolerance.
        count: Elements compared.
        wrong: Elements that differ by more than the tolerance.
        largest_absolute: Largest difference of all; NaN where one is no number.
        largest_relative: Largest difference over the expected magnitude.
        mismatches: The first of those that are wrong.
        problem: Why it could not be compared, a sentence; empty where it was.
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

    @property
    def verdict(self) -> str:
        """What came of it: a sentence."""
        if self.problem:
            return f"'{self.buffer}' could not be checked: {self.problem.rstrip('.')}."
        if self.ok:
            return f"All {self.count:,} elements of '{self.buffer}' are as expected."
        return f"{self.wrong:,} of {self.count:,} elements of '{self.buffer}' are wrong."


@dataclass(frozen=True)
class Finding:
    """What compute-sanitizer found.

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
    """The same kernel out of other code: the build's cubin beside what the driver made of PTX."""

    facts: KernelFacts
    timing: Timing | None


@dataclass(frozen=True)
class LaunchResult:
    """All that came of a launch, complete or not.

    Attributes:
        outcome: How it ended.
        kernel: Its name to show.
        device: The GPU's name; empty where none was reached.
        facts: What the driver says about the kernel.
        timing: Of the timed launches, or None.
        buffers: In order of the parameters, after the first launch.
        checks: One per expectation.
        console: What the kernel printed, and the words of failed asserts.
        jit_log: What the driver's compiler said, where it was used.
        findings: What compute-sanitizer found.
        diagnostics: Errors and warnings, with their explanations.
        moved_bytes: Bytes of all inputs and outputs, once each; the base of the bandwidth.
        start_ms: From the request to the first launch.
        total_ms: From the request to the result.
        counterpart: What the build's own cubin gives, where the driver's compiler was used.
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
    findings: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    moved_bytes: int = 0
    start_ms: float | None = None
    total_ms: float = 0.0
    counterpart: Counterpart | None = None

    @property
    def ok(self) -> bool:
        """Whether it ran and every check passed."""
        return self.outcome is LaunchOutcome.RAN

    @property
    def bandwidth(self) -> float | None:
        """Bytes per second: inputs and outputs once each, over the median time."""
        if self.timing is None or not self.timing.median:
            return None
        return self.moved_bytes / (self.timing.median / 1000)

    @property
    def reason(self) -> str:
        """How it ended, with the first error if there is one: a sentence."""
        ending = LAUNCH_ENDINGS[self.outcome]
        errors = (d.message for d in self.diagnostics if d.severity is Severity.ERROR)
        failed = (check.verdict for check in self.checks if not check.ok)
        first = next(chain(errors, failed), "")
        return f"{ending}: {first.rstrip('.')}." if first else f"{ending}."
