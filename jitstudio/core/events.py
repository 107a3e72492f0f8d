"""Events of a build in progress, and the result that these events add up to.

The child sends what happened to its step; the parent numbers it and folds it. So a child that
dies half-way loses nothing that it had already reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.cubin import cubin_target
from jitstudio.core.diagnostics import Diagnostic, Severity, diagnose, once
from jitstudio.core.result import BuildResult, Crash, Kernel, LoweredName, Outcome, StageResult
from jitstudio.core.tools import Tool


@dataclass(frozen=True)
class StageStarted:
    """A tool begins to work on `source` with these options; `step` of `steps` in the plan.

    A child knows of no other steps; the parent fills them in.
    """

    tool: Tool
    version: str
    source: str
    options: tuple[str, ...]
    step: int = 1
    steps: int = 1

    def stage(self, crash: Crash | None = None, stderr: str = "") -> StageResult:
        """Returns the stage as far as the tool came."""
        return StageResult(
            tool=self.tool,
            version=self.version,
            source=self.source,
            options=self.options,
            ok=False,
            ms=0.0,
            stderr=stderr,
            crash=crash,
        )

    def lost(self, crash: Crash, stderr: str) -> StageFinished:
        """Returns the end of a stage whose process died."""
        message = Diagnostic(Severity.ERROR, self.source, None, None, crash.message, crash.tool)
        return StageFinished(self.stage(crash, stderr), diagnostics=(message,), step=self.step)


@dataclass(frozen=True)
class StageFinished:
    """The end of a tool's run, well or not, with the artifacts.

    `diagnostics` holds what jitstudio itself noticed; the fold adds those in the logs.
    """

    stage: StageResult
    artifacts: tuple[Artifact, ...] = ()
    lowered_names: tuple[LoweredName, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    step: int = 1


@dataclass(frozen=True)
class Problem:
    """The build cannot go on, and no tool is to blame: a missing library, a senseless wish."""

    outcome: Outcome
    diagnostic: Diagnostic
    step: int = 0


@dataclass(frozen=True)
class Notice:
    """Something worth knowing that does not touch the build's outcome."""

    diagnostic: Diagnostic


Event = StageStarted | StageFinished | Problem | Notice


@dataclass
class BuildRecord:
    """Folds the events of a build into a result.

    Steps may end in any order; the result has them in the order of the plan.
    """

    arch: Arch
    emit: frozenset[CodeKind]
    _running: dict[int, StageStarted] = field(default_factory=dict)
    _finished: dict[int, StageFinished] = field(default_factory=dict)
    _problems: list[Problem] = field(default_factory=list)
    _notices: list[Notice] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Takes in an event."""
        match event:
            case StageStarted():
                self._running[event.step] = event
            case StageFinished():
                self._running.pop(event.step, None)
                self._finished[event.step] = event
            case Problem():
                self._problems.append(event)
            case Notice():
                self._notices.append(event)

    def result(self, total_ms: float, outcome: Outcome | None = None) -> BuildResult:
        """Returns the result that all events together come to.

        Args:
            total_ms: From request to result.
            outcome: How the build ended if it was not let to its end; the stages that still ran
                then are reported as they are.
        """
        done = [event for _, event in sorted(self._finished.items())]
        stages = {step: event.stage for step, event in self._finished.items()}
        stages |= {step: event.stage() for step, event in self._running.items()}
        crash = next((event.stage.crash for event in done if event.stage.crash), None)
        return BuildResult(
            outcome=outcome or self._outcome(crash),
            arch=self._found_arch(done) or self.arch,
            stages=tuple(stage for _, stage in sorted(stages.items())),
            # Tile IR is made again with each other output of NVRTC.
            artifacts=tuple(
                {
                    (a.kind, a.name): a for e in done for a in e.artifacts if a.kind in self.emit
                }.values()
            ),
            lowered_names=tuple(n for e in done for n in e.lowered_names),
            kernels=_merged(k for e in done for k in e.kernels),
            diagnostics=once(self._diagnostics(done)),
            crash=crash,
            total_ms=total_ms,
        )

    def _found_arch(self, done: list[StageFinished]) -> Arch | None:
        """Returns the target of machine code that was taken out of a file, not built."""
        taken = (e for e in done if e.stage.tool is Tool.CUOBJDUMP)
        codes = (a.content for e in taken for a in e.artifacts if a.kind is CodeKind.CUBIN)
        return next(filter(None, map(cubin_target, codes)), None)

    def _outcome(self, crash: Crash | None) -> Outcome:
        if self._problems:
            return self._problems[0].outcome
        if crash is not None:
            return Outcome.CRASHED
        done = all(event.stage.ok for event in self._finished.values())
        return Outcome.BUILT if done else Outcome.FAILED

    def _diagnostics(self, done: list[StageFinished]) -> Iterator[Diagnostic]:
        for stage in (event.stage for event in done if event.stage.crash is None):
            yield from diagnose(
                stage.tool,
                stage.source,
                stage.ok,
                stage.log,
                stage.error_log,
                stage.stderr,
                stage.header_folders,
            )
        for event in done:
            yield from event.diagnostics
        # A library that is missing is missed by each step that needs it.
        problems = sorted(self._problems, key=lambda problem: problem.step)
        yield from dict.fromkeys(problem.diagnostic for problem in problems)
        yield from (notice.diagnostic for notice in self._notices)


def _merged(kernels: Iterator[Kernel]) -> tuple[Kernel, ...]:
    """Returns each kernel once: names from PTX, needs from the tool that made machine code."""
    merged: dict[tuple[str, str], Kernel] = {}
    for kernel in kernels:
        key = (kernel.module, kernel.name)
        if key not in merged or merged[key].resources is None:
            merged[key] = kernel
    return tuple(merged.values())
