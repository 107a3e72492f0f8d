"""What a build looks like in a terminal: artifacts on stdout, everything else on stderr."""

from __future__ import annotations

from jitstudio.cli.terminal import say, tell
from jitstudio.core.code import TEXT_KINDS
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.result import BuildResult, StageResult


def print_stages(result: BuildResult) -> None:
    """One line a stage, with what it said."""
    for stage in result.stages:
        tell(_stage_line(stage))
        for text in (stage.log, stage.stdout, stage.stderr):
            if text:
                tell(_indented(text))
    for diagnostic in result.diagnostics:
        tell(diagnostic_line(diagnostic))


def print_names(result: BuildResult) -> None:
    """The lowered names, where some were asked for."""
    for name in result.lowered_names:
        if name.lowered:
            tell(f"{name.expression}  ->  {name.lowered}  ({name.demangled})")


def print_artifacts(result: BuildResult) -> None:
    """Text as it is; bytes only counted."""
    texts = [artifact for artifact in result.artifacts if artifact.kind in TEXT_KINDS]
    for artifact in texts:
        if len(texts) > 1:
            say(f"// ==== {artifact.kind.title} of {artifact.name} ====")
        say(artifact.text.rstrip("\n"))
    for artifact in result.artifacts:
        if artifact not in texts:
            size = f"{len(artifact.content):,} bytes"
            tell(f"{artifact.kind.title} of {artifact.name}: {size}; keep it with -o DIR")


def print_summary(result: BuildResult) -> None:
    """How it ended, in one line."""
    ending = result.outcome.value.replace("-", " ")
    tell(f"{ending} for {result.arch} in {result.total_ms:.0f} ms")


def diagnostic_line(diagnostic: Diagnostic) -> str:
    """The form that editors and CI systems know: `file:line:column: severity: message`."""
    place = ":".join(
        str(part) for part in (diagnostic.file, diagnostic.line, diagnostic.column) if part
    )
    head = f"{place}: " if place else ""
    return f"{head}{diagnostic.severity.value}: {diagnostic.message}"


def _stage_line(stage: StageResult) -> str:
    state = "ok" if stage.ok else "FAILED"
    options = " ".join(stage.options)
    return (
        f"{stage.tool.value} {stage.version}  {stage.source}  {options}  {state}  {stage.ms:.1f} ms"
    )


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
