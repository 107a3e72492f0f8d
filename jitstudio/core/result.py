"""The result of a build: stages, outputs of each, and the ending.

A failed compile, a crash and a time-out are values here, never exceptions: all results are shown
the same way.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import PurePath

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind, Header, split_variant
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.tools import Tool


class Outcome(Enum):
    """How a build ended. `REFUSED`: the request itself makes no sense, so no tool was run."""

    BUILT = "built"
    FAILED = "failed"
    REFUSED = "refused"
    MISSING = "missing"
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"
    CANCELLED = "cancelled"


ENDINGS = {
    Outcome.BUILT: "Built",
    Outcome.FAILED: "Build failed",
    Outcome.REFUSED: "This cannot be built",
    Outcome.MISSING: "A tool is missing",
    Outcome.CRASHED: "A compiler crashed",
    Outcome.TIMED_OUT: "Build stopped at its time limit",
    Outcome.CANCELLED: "Build cancelled",
}
"""How each outcome is reported."""


@dataclass(frozen=True)
class Crash:
    """The end of a worker process that did not end by itself.

    Attributes:
        tool: The tool that was running, or None between two stages.
        signal: Such as ``SIGILL``, ``out of memory``, ``time limit`` or ``exit 3``.
        message: What happened, why, and what to do.
    """

    tool: Tool | None
    signal: str
    message: str


@dataclass(frozen=True)
class Phase:
    """A part of a tool's work, as the tool itself timed the part, in milliseconds."""

    name: str
    ms: float


MARK = "byte-order mark"
"""What some editors write before a text, and no compiler reads."""


@dataclass(frozen=True)
class Supplied:
    """A line that a module lacks and the copy for the tool has; the user's text stays.

    Attributes:
        module: The module.
        what: Such as ``target triple`` or ``.version``.
        value: The value in the copy; empty for a line that was left out.
        instead_of: The value in the module; empty where there is none.
    """

    module: str
    what: str
    value: str
    instead_of: str = ""

    def sentence(self, tool: Tool) -> str:
        """Returns the addition as a line of the log of the tool's stage."""
        if not self.value:
            return f"{self.module} begins with a {self.what}: the copy for {tool.value} does not."
        says = f"says {self.what} {self.instead_of}" if self.instead_of else f"has no {self.what}"
        return f"{self.module} {says}: the copy for {tool.value} says {self.value}."


@dataclass(frozen=True)
class HostCodeAside:
    """The parts of a text that the compiler did not get, as these are for the host only.

    Attributes:
        name: The module or header.
        ranges: The first and the last line of each part, from 1.
        doubts: Lines that could not be judged, each with the reason.
    """

    name: str
    ranges: tuple[tuple[int, int], ...]
    doubts: tuple[tuple[int, str], ...] = ()

    @property
    def lines(self) -> int:
        """The number of lines."""
        return sum(last - first + 1 for first, last in self.ranges)

    def line_numbers(self) -> Iterator[int]:
        """Yields each of the lines."""
        for first, last in self.ranges:
            yield from range(first, last + 1)


@dataclass(frozen=True)
class StageResult:
    """A run of a tool.

    Attributes:
        tool: The tool.
        version: The version of the tool, such as ``13.4``.
        source: The module that the tool worked on, or `core.code.LINKED`.
        options: The options really sent, in order.
        ok: Whether the tool was satisfied.
        ms: Milliseconds inside the native calls.
        log: The text of the tool's information log.
        error_log: The text of the error log, or of the only log where the tool failed.
        stdout: The text that native code wrote to file descriptor 1 meanwhile.
        stderr: The text that native code wrote to file descriptor 2 meanwhile.
        crash: How the process died in this stage, or None.
        cached: Whether the tool did not run, as the cache had the output.
        phases: The parts of the time, where the tool says.
        supplied: What its modules lack and their copies have; the log says so, too.
        host_code: The host code that was set aside, by text.
        stand_ins: The host's headers that were served by jitstudio's own, as they are included.
        copies: The texts that the tool got in place of those of the build, modules and headers, by
            their names; empty where it got them as they are.
        instances: Name expressions that it was given besides those of the build, as host code
            launches them.
        header_folders: Where the headers lie that were installed with the compiler.
    """

    tool: Tool
    version: str
    source: str
    options: tuple[str, ...]
    ok: bool
    ms: float
    log: str = ""
    error_log: str = ""
    stdout: str = ""
    stderr: str = ""
    crash: Crash | None = None
    cached: bool = False
    phases: tuple[Phase, ...] = ()
    supplied: tuple[Supplied, ...] = ()
    host_code: tuple[HostCodeAside, ...] = ()
    stand_ins: tuple[str, ...] = ()
    copies: tuple[Header, ...] = ()
    instances: tuple[str, ...] = ()
    header_folders: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoweredName:
    """A name expression with the lowered name by NVRTC.

    Attributes:
        source: The module it was given for.
        expression: As the user wrote it.
        lowered: The name in the PTX; empty where there is none.
        demangled: The lowered name in C++.
        error: Why the expression was refused; empty where it was not, or where the source has
            errors of its own, so that nobody knows.
    """

    source: str
    expression: str
    lowered: str
    demangled: str
    error: str = ""


@dataclass(frozen=True)
class Resources:
    """The needs of a kernel of a multiprocessor; None where no tool has said.

    Attributes:
        registers: 32-bit registers per thread.
        spill_stores: Bytes per thread written to local memory for want of registers.
        spill_loads: Bytes per thread read back from there.
        stack_bytes: Stack frame per thread.
        shared_bytes: Static shared memory per block.
        constant_bytes: Constant bank of the kernel, its parameters included.
        local_bytes: Local memory per thread.
        barriers: Named barriers per block.
        max_threads: Most threads a block may have, from `__launch_bounds__` or `.maxntid`.
    """

    registers: int | None = None
    spill_stores: int | None = None
    spill_loads: int | None = None
    stack_bytes: int | None = None
    shared_bytes: int | None = None
    constant_bytes: int | None = None
    local_bytes: int | None = None
    barriers: int | None = None
    max_threads: int | None = None


ABI_TAG = re.compile(r"\[abi:\w+\]")
"""A part of a demangled name that people can do without: Numba's names have a hash there."""


@dataclass(frozen=True)
class Kernel:
    """A kernel of the result.

    Attributes:
        module: The module it is in, or `core.code.LINKED`.
        name: Its lowered name.
        demangled: Its name in C++.
        resources: The needs of the kernel; None where there is no machine code.
    """

    module: str
    name: str
    demangled: str
    resources: Resources | None = None


def told_apart(
    kernels: Iterable[Kernel], name_of: Callable[[Kernel], str]
) -> dict[tuple[str, str], str]:
    """Returns the name to show for each kernel, by module and lowered name.

    Args:
        kernels: All there are.
        name_of: The name of one. Where kernels of several modules have it, the module is named,
            too: ``add[BLOCK=256]`` if it is called so, else ``add (a.cu)``.
    """
    kernels = tuple(kernels)
    modules: defaultdict[str, set[str]] = defaultdict(set)
    for kernel in kernels:
        modules[name_of(kernel)].add(split_variant(kernel.module)[0])
    return {
        (kernel.module, kernel.name): name
        if len(modules[name := name_of(kernel)]) == 1
        else _with_module(name, split_variant(kernel.module)[0])
        for kernel in kernels
    }


def _with_module(name: str, module: str) -> str:
    return module if module.startswith(name) else f"{name} ({module})"


@dataclass(frozen=True)
class BuildResult:
    """All that came of a build, complete or not.

    Attributes:
        outcome: How it ended.
        arch: The target architecture.
        stages: The tools that ran, in order, with the one that crashed last.
        artifacts: The outputs that were asked for and could be made.
        lowered_names: In the order of the name expressions.
        kernels: Of the PTX, or of the SASS where there is no PTX.
        diagnostics: Errors and warnings, in the order they were reported.
        crash: How the worker died, or None.
        total_ms: From request to result as the parent saw it.
    """

    outcome: Outcome
    arch: Arch
    stages: tuple[StageResult, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    lowered_names: tuple[LoweredName, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    crash: Crash | None = None
    total_ms: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether everything asked for was built."""
        return self.outcome is Outcome.BUILT

    @cached_property
    def kernel_titles(self) -> Mapping[tuple[str, str], str]:
        """The name of each kernel for people, by module and lowered name; see `told_apart`."""
        return told_apart(self.kernels, lambda k: ABI_TAG.sub("", k.demangled or k.name))

    @cached_property
    def kernel_keys(self) -> Mapping[tuple[str, str], str]:
        """Names as in `kernel_titles`, of which lowered names are the base."""
        return told_apart(self.kernels, lambda kernel: kernel.name)

    @property
    def tool_ms(self) -> float:
        """Milliseconds inside the native calls of all stages."""
        return sum(stage.ms for stage in self.stages)

    @property
    def reason(self) -> str:
        """The ending, with the first error if there is any: a sentence."""
        errors = [d for d in self.diagnostics if d.severity is Severity.ERROR]
        ending = ENDINGS[self.outcome]
        if not errors:
            return f"{ending}."
        first = errors[0].message.strip().partition("\n")[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        place = f", line {errors[0].line}" if errors[0].line else ""
        # Of several modules, and of a header, the line alone would be taken for another's.
        if errors[0].file and {stage.source for stage in self.stages} - {errors[0].file}:
            place = f" in {PurePath(errors[0].file).name}{place}"
        return f"{ending}{place}: {first.rstrip('.')}{more}."

    def resources_of(self, kernel: str, module: str = "") -> Resources | None:
        """Returns the needs of the kernel of this lowered name; None where no tool has said.

        Args:
            kernel: The lowered name, or the key of `kernel_keys`.
            module: Which one is meant where several modules have a kernel of that name.
        """
        keys = self.kernel_keys
        called = (k for k in self.kernels if kernel in (k.name, keys[k.module, k.name]))
        measured = [k for k in called if k.resources]
        own = (k for k in measured if k.module == module)
        return next((k.resources for k in (*own, *measured)), None)

    def artifact(self, kind: CodeKind, name: str) -> Artifact | None:
        """Returns the artifact of this kind made from the module `name`, or None."""
        return next((a for a in self.artifacts if a.kind is kind and a.name == name), None)
