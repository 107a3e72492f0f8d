"""What a worker tells while it builds, and how these events add up to a result.

The child sends what happened; the parent folds it. So a child that dies half-way loses nothing
that it had already reported.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity, diagnose
from jitstudio.core.result import (
    BuildResult,
    Crash,
    Kernel,
    LoweredName,
    Outcome,
    StageResult,
)
from jitstudio.core.tools import Tool


@dataclass(frozen=True)
class StageStarted:
    """A tool begins to work on `source` with these options; `step` of `steps` in the plan."""

    tool: Tool
    version: str
    source: str
    options: tuple[str, ...]
    step: int
    steps: int


@dataclass(frozen=True)
class StageFinished:
    """A tool is done, well or not, and this is what it made.

    `diagnostics` holds what jitstudio itself noticed; the fold adds those in the logs.
    """

    stage: StageResult
    artifacts: tuple[Artifact, ...] = ()
    lowered_names: tuple[LoweredName, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Problem:
    """The build cannot go on, and no tool is to blame: a missing library, a senseless wish."""

    outcome: Outcome
    diagnostic: Diagnostic


Event = StageStarted | StageFinished | Problem


@dataclass
class BuildRecord:
    """Folds the events of one build into its result."""

    arch: Arch
    emit: frozenset[CodeKind]
    _running: StageStarted | None = None
    _finished: list[StageFinished] = field(default_factory=list)
    _problems: list[Problem] = field(default_factory=list)

    @property
    def running(self) -> StageStarted | None:
        """The stage that has begun and not ended."""
        return self._running

    def add(self, event: Event) -> None:
        """Take in one event."""
        match event:
            case StageStarted():
                self._running = event
            case StageFinished():
                self._running = None
                self._finished.append(event)
            case Problem():
                self._problems.append(event)

    def result(self, total_ms: float) -> BuildResult:
        """The result of a worker that reached its end."""
        stages = tuple(event.stage for event in self._finished)
        crash = next((stage.crash for stage in stages if stage.crash), None)
        if self._problems:
            outcome = self._problems[0].outcome
        elif crash is not None:
            outcome = Outcome.CRASHED
        elif all(stage.ok for stage in stages):
            outcome = Outcome.BUILT
        else:
            outcome = Outcome.FAILED
        return replace(self._assemble(outcome, stages, total_ms), crash=crash)

    def interrupted(
        self, outcome: Outcome, crash: Crash | None, stderr: str, total_ms: float
    ) -> BuildResult:
        """The result of a worker that died or was killed; `crash` tells how, if it matters."""
        stages = [event.stage for event in self._finished]
        if self._running is not None:
            started = self._running
            stages.append(
                StageResult(
                    tool=started.tool,
                    version=started.version,
                    source=started.source,
                    options=started.options,
                    ok=False,
                    ms=0.0,
                    stderr=stderr,
                    crash=crash,
                )
            )
        result = self._assemble(outcome, tuple(stages), total_ms)
        if crash is None:
            return result
        source = self._running.source if self._running else ""
        told = Diagnostic(Severity.ERROR, source, None, None, crash.message, crash.tool)
        return replace(result, crash=crash, diagnostics=(*result.diagnostics, told))

    def _assemble(
        self, outcome: Outcome, stages: tuple[StageResult, ...], total_ms: float
    ) -> BuildResult:
        done = self._finished
        found = [
            d
            for s in (event.stage for event in done)
            if s.crash is None
            for d in diagnose(s.tool, s.source, s.ok, s.log, s.error_log, s.stderr)
        ]
        noticed = [d for e in done for d in e.diagnostics]
        return BuildResult(
            outcome=outcome,
            arch=self.arch,
            stages=stages,
            artifacts=tuple(a for e in done for a in e.artifacts if a.kind in self.emit),
            lowered_names=tuple(n for e in done for n in e.lowered_names),
            kernels=tuple(dict.fromkeys(k for e in done for k in e.kernels)),
            diagnostics=(*found, *noticed, *(p.diagnostic for p in self._problems)),
            total_ms=total_ms,
        )
