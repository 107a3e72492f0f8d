"""Results in a terminal: the requested output on stdout, everything else on stderr."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from jitstudio.commands.inlined import InlinedNamed
from jitstudio.core.code import TEXT_KINDS, CodeKind, split_variant
from jitstudio.core.diagnostics import Diagnostic, diagnostic_line
from jitstudio.core.fatbin import entry_line, fatbin_entries
from jitstudio.core.figures import FIGURES
from jitstudio.core.file_names import short_names
from jitstudio.core.result import BuildResult, Resources, StageResult
from jitstudio.core.wrapping import filled
from jitstudio.system.terminal import print_error, say, table_lines

if TYPE_CHECKING:
    # They load what few builds need.
    from jitstudio.analysis.time_trace import TimedPart
    from jitstudio.commands.build_time import ModuleTime

_PROSE_WIDTH = 92
_MOST_TIMED = 10
_UNNAMED = "(no name is known)"


def print_stages(result: BuildResult) -> None:
    """Prints a line a stage, with the messages of the tool."""
    for stage in result.stages:
        print_error(_stage_line(stage))
        for text in (stage.log, stage.stdout, stage.stderr):
            if text:
                print_error(indented(text))
    print_diagnostics(result.diagnostics)


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Prints errors, warnings and remarks, each known cause explained once."""
    explained = {""}
    for diagnostic in diagnostics:
        print_error(diagnostic_line(diagnostic))
        if diagnostic.explanation not in explained:
            explained.add(diagnostic.explanation)
            print_error(indented(filled(diagnostic.explanation, _PROSE_WIDTH)))


def print_names(result: BuildResult) -> None:
    """Prints the lowered names that were asked for, or why there is none."""
    for name in result.lowered_names:
        if name.lowered:
            print_error(f"{name.expression}  ->  {name.lowered}  ({name.demangled})")
        elif name.error:
            print_error(f"{name.expression}  ->  refused: {name.error}")


def print_kernels(result: BuildResult) -> None:
    """Prints the resources of each kernel, as a table, where there is machine code."""
    needy = [(kernel, kernel.resources) for kernel in result.kernels if kernel.resources]
    if not needy:
        return
    names = [field.name for field in fields(Resources)]
    rows = [("kernel", "file", *(FIGURES[name].heading for name in names))]
    for kernel, resources in needy:
        file, at, target = split_variant(kernel.module)
        amounts = (getattr(resources, name) for name in names)
        cells = ("-" if amount is None else str(amount) for amount in amounts)
        rows.append((f"{kernel.demangled}{at}{target}", file, *cells))
    if len({row[1] for row in rows[1:]}) == 1:
        rows = [(kernel, *cells) for kernel, _file, *cells in rows]
    for line in table_lines(rows, left=len(rows[0]) - len(names)):
        print_error(line)


def print_key_figures(result: BuildResult) -> None:
    """Prints the key figures of each kernel in a line, as the window shows them."""
    has_code = any(artifact.kind is CodeKind.SASS for artifact in result.artifacts)
    if not has_code and not any(kernel.resources for kernel in result.kernels):
        return
    # It loads what reads machine code.
    from jitstudio.analysis.key_figures import (  # noqa: PLC0415
        build_figures,
        figures_line,
        in_words,
    )
    from jitstudio.listing.kernel_names import short_titles  # noqa: PLC0415

    titles = short_titles(result.kernels)
    for kernel, figures in build_figures(result):
        print_error(figures_line(titles[kernel.module, kernel.name], in_words(figures)))


def print_time(module: ModuleTime) -> None:
    """Prints where the time of a module went, the slowest parts first."""
    say(f"{module.name}: {module.ms:,.0f} ms in tools")
    if module.problem:
        print_error(f"{module.name}: {module.problem}")
    tables = [("ptxas by kernel", module.kernels)]
    if (trace := module.trace) is not None:
        by_own = sorted(trace.headers, key=lambda header: -header.own_ms)
        tables = [
            ("phase", trace.phases),
            ("include, with all below it", trace.includes),
            ("header, by its own time", tuple(by_own)),
            ("template, all instances", trace.templates),
            *tables,
        ]
    for heading, parts in tables:
        if parts:
            _print_timed(heading, parts, trace.total_ms if trace else module.ms)


def _print_timed(heading: str, parts: Sequence[TimedPart], total: float) -> None:
    names = short_names(part.name for part in parts)
    rows = [(heading, "ms", "own ms", "times", "share")]
    for part in parts[:_MOST_TIMED]:
        share = f"{part.ms / total:.0%}" if total else "-"
        name = names[part.name] if "/" in part.name else part.name
        rows.append((name, f"{part.ms:,.1f}", f"{part.own_ms:,.1f}", f"{part.count:,}", share))
    say("")
    for line in table_lines(rows):
        say(line)
    if (more := len(parts) - _MOST_TIMED) > 0:
        say(f"and {more:,} more; --json has all")


def print_inlined(inlined: InlinedNamed) -> None:
    """Prints calls that an LTO link inlined, and the functions without a line table."""
    rows = [("inlined", "into", "called at", "instructions of PTX")]
    chains = inlined.inlining.functions
    files = short_names(call.file for call_chain in chains for call in call_chain.calls)
    for call_chain in chains:
        calls = ", ".join(f"{files[call.file]}:{call.line}" for call in call_chain.calls)
        function = inlined.names.get(call_chain.function) or _UNNAMED
        rows.append((function, inlined.names[call_chain.into], calls, str(call_chain.instructions)))
    for line in table_lines(rows, left=3) if len(rows) > 1 else ():
        print_error(line)
    for name in inlined.inlining.untold:
        print_error(
            f"What was inlined into {inlined.names[name]} is not known: it has no line table."
        )


def print_fatbin(name: str, content: bytes) -> None:
    """Prints the entries of a fatbin, a line each."""
    for entry in fatbin_entries(content):
        print_error(f"{name} holds {entry_line(entry)}")


def print_artifacts(result: BuildResult) -> None:
    """Prints texts as they are; of bytes only the number."""
    texts = [artifact for artifact in result.artifacts if artifact.kind in TEXT_KINDS]
    for artifact in texts:
        if len(texts) > 1:
            say(f"// ==== {artifact.kind.title} of {artifact.name} ====")
        say(artifact.text.rstrip("\n"))
    for artifact in result.artifacts:
        if artifact not in texts:
            size = f"{len(artifact.content):,} bytes"
            print_error(f"{artifact.kind.title} of {artifact.name}: {size}; keep it with -o DIR")


def print_summary(result: BuildResult) -> None:
    """Prints how a build ended, in a line."""
    ending = result.outcome.value.replace("-", " ")
    print_error(f"{ending} for {result.arch} in {result.total_ms:.0f} ms")


def _stage_line(stage: StageResult) -> str:
    state = "ok" if stage.ok else "FAILED"
    options = " ".join(stage.options)
    time = "from cache" if stage.cached else f"{stage.ms:.1f} ms"
    if stage.phases and not stage.cached:
        time += f" ({', '.join(f'{phase.name} {phase.ms:.0f}' for phase in stage.phases)})"
    return f"{stage.tool.value} {stage.version}  {stage.source}  {options}  {state}  {time}"


def indented(text: str) -> str:
    """Returns a text with each line indented."""
    return "\n".join(f"    {line}" for line in text.splitlines())
