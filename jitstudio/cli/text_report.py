"""What a build looks like in a terminal: artifacts on stdout, everything else on stderr."""

from __future__ import annotations

import textwrap
from dataclasses import fields
from pathlib import PurePath

from jitstudio.cli.inlined import InlinedNamed
from jitstudio.cli.table import table_lines
from jitstudio.cli.terminal import say, tell
from jitstudio.core.code import TEXT_KINDS, split_variant
from jitstudio.core.diagnostics import diagnostic_line
from jitstudio.core.fatbin import entry_line, fatbin_entries
from jitstudio.core.figures import FIGURES
from jitstudio.core.result import BuildResult, Resources, StageResult

_PROSE_WIDTH = 92
_UNNAMED = "(no name is told)"


def print_stages(result: BuildResult) -> None:
    """One line a stage, with what it said."""
    for stage in result.stages:
        tell(_stage_line(stage))
        for text in (stage.log, stage.stdout, stage.stderr):
            if text:
                tell(_indented(text))
    print_diagnostics(result)


def print_diagnostics(result: BuildResult) -> None:
    """What went wrong and what looks wrong, explained where that is known."""
    for diagnostic in result.diagnostics:
        tell(diagnostic_line(diagnostic))
        if diagnostic.explanation:
            tell(_indented(textwrap.fill(diagnostic.explanation, _PROSE_WIDTH)))


def print_names(result: BuildResult) -> None:
    """The lowered names, where some were asked for, and why there is none."""
    for name in result.lowered_names:
        if name.lowered:
            tell(f"{name.expression}  ->  {name.lowered}  ({name.demangled})")
        elif name.error:
            tell(f"{name.expression}  ->  refused: {name.error}")


def print_kernels(result: BuildResult) -> None:
    """What each kernel needs, as a table, where there is machine code."""
    needy = [(kernel, kernel.resources) for kernel in result.kernels if kernel.resources]
    if not needy:
        return
    names = [field.name for field in fields(Resources)]
    rows = [("kernel", *(FIGURES[name].heading for name in names))]
    for kernel, resources in needy:
        _, at, target = split_variant(kernel.module)
        amounts = (getattr(resources, name) for name in names)
        cells = ("-" if amount is None else str(amount) for amount in amounts)
        rows.append((f"{kernel.demangled}{at}{target}", *cells))
    for line in table_lines(rows):
        tell(line)


def print_inlined(found: InlinedNamed) -> None:
    """What an LTO link inlined, a call a line, and of which functions nobody knows."""
    rows = [("inlined", "into", "called at", "instructions of PTX")]
    for one in found.inlining.found:
        calls = ", ".join(f"{PurePath(call.file).name}:{call.line}" for call in one.calls)
        function = found.names.get(one.function) or _UNNAMED
        rows.append((function, found.names[one.into], calls, str(one.instructions)))
    for line in table_lines(rows, left=3) if len(rows) > 1 else ():
        tell(line)
    for name in found.inlining.untold:
        tell(f"What was inlined into {found.names[name]} is not known: it has no line table.")


def print_fatbin(name: str, content: bytes) -> None:
    """What a fatbin holds, an entry a line."""
    for entry in fatbin_entries(content):
        tell(f"{name} holds {entry_line(entry)}")


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


def _stage_line(stage: StageResult) -> str:
    state = "ok" if stage.ok else "FAILED"
    options = " ".join(stage.options)
    time = "from cache" if stage.cached else f"{stage.ms:.1f} ms"
    return f"{stage.tool.value} {stage.version}  {stage.source}  {options}  {state}  {time}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
