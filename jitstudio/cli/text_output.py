"""Results in a terminal: the requested output on stdout, everything else on stderr."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields

from jitstudio.analysis.diff.model import Comparison
from jitstudio.analysis.diff.program import FigureDelta, changed
from jitstudio.analysis.diff.unified import unified
from jitstudio.analysis.findings.measured import measured
from jitstudio.analysis.findings.model import Finding, nothing_found
from jitstudio.analysis.key_figures import build_figures, figures_line, in_words
from jitstudio.analysis.occupancy.calculate import Resource
from jitstudio.analysis.sass.model import Instruction, SourceLocation
from jitstudio.checks.conditions import shown
from jitstudio.checks.verdicts import BudgetReport, failures, tally
from jitstudio.commands.machine_code import CodeDifference, InlinedNamed, Inspected, KernelOccupancy
from jitstudio.core.code import TEXT_KINDS, split_variant
from jitstudio.core.diagnostics import Diagnostic, diagnostic_line
from jitstudio.core.fatbin import entry_line, fatbin_entries
from jitstudio.core.figures import FIGURES, needs_text
from jitstudio.core.file_names import from_here, short_names
from jitstudio.core.launch.count_lines import COUNT_HEADINGS, count_rows, lines_shown
from jitstudio.core.launch.device import Device
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.launch.result_lines import WORDS, launch_lines
from jitstudio.core.launch.simulation import Simulation
from jitstudio.core.result import BuildResult, Resources, StageResult
from jitstudio.core.wrapping import filled
from jitstudio.listing.kernel_names import short_titles
from jitstudio.system.terminal import print_error, say, table_lines

_PROSE_WIDTH = 92
_UNNAMED = "(no name is told)"
_FUNCTION_NAMES = 13
_INDENT = "  "
# Why not even one block fits, with words of `Limits`.
_TOO_MUCH = {
    Resource.WARPS: "a block has at most {threads_per_block:,} threads",
    Resource.REGISTERS: "a block has at most {registers_per_block:,} registers",
    Resource.SHARED: "a block has at most {shared_per_block:,} bytes of shared memory",
    Resource.BARRIERS: "a multiprocessor has {barriers} barriers",
}
# In the order of `LiveRegisters`.
_LIVE = ("general", "predicate", "uniform", "uniform predicate")
_CODE_HEADINGS = (
    *("address", "R", "P", "UR", "stall", "yield", "write", "read", "wait", "reuse"),
    *("source", "ptx", "instruction"),
)
_NONE = "-"
_DELTA_HEADINGS = ("function", "figure", "A", "B", "change")


def print_stages(result: BuildResult) -> None:
    """Prints a line a stage, with the messages of the tool."""
    for stage in result.stages:
        print_error(_stage_line(stage))
        for text in (stage.log, stage.stdout, stage.stderr):
            if text:
                print_error(_indented(text))
    print_diagnostics(result.diagnostics)


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Prints errors, warnings and remarks, each known cause explained once."""
    explained = {""}
    for diagnostic in diagnostics:
        print_error(diagnostic_line(diagnostic))
        if diagnostic.explanation not in explained:
            explained.add(diagnostic.explanation)
            print_error(_indented(filled(diagnostic.explanation, _PROSE_WIDTH)))


def print_names(result: BuildResult) -> None:
    """The lowered names, where some were asked for, and why there is none."""
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
    titles = short_titles(result.kernels)
    for kernel, figures in build_figures(result):
        print_error(figures_line(titles[kernel.module, kernel.name], in_words(figures)))


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


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def print_launch(result: LaunchResult, device: Device | None) -> None:
    """Prints a launch but for the kernel's own output; the device is for the peak."""
    for name, text in launch_lines(result, device):
        say(f"{name:<{WORDS}}{text}")
    if result.jit_log:
        say("driver's compiler:")
        say(_indented(result.jit_log.rstrip("\n")))
    if result.simulation:
        _print_counts(result.simulation)
    print_diagnostics(result.diagnostics)
    simulated = " of simulation" if result.simulation else ""
    print_error(f"{result.outcome.value.replace('-', ' ')} in {result.total_ms:.0f} ms{simulated}")


def _print_counts(simulation: Simulation) -> None:
    """Prints the counts of each source line; of code without a line table, each line of the PTX."""
    rows = [COUNT_HEADINGS, *count_rows(lines_shown(simulation))]
    for row in table_lines(rows):
        say(f"{_INDENT}{row}")
    for finding in measured(simulation):
        _print_finding(finding)


def print_function(inspected: Inspected) -> None:
    """Prints a function but for the instructions."""
    what = "kernel" if inspected.function.is_kernel else "function"
    say(f"{inspected.title}  ({what} of {inspected.unit.name}, {inspected.unit.code.target})")
    for name, text in _function_lines(inspected):
        say(f"{_INDENT}{name:<{_FUNCTION_NAMES}}{text}".rstrip())
    if inspected.report.counts:
        say(f"{_INDENT}of these")
        rows = [(row.kind.title, f"{row.count:,}") for row in inspected.report.counts]
        for line in table_lines(rows):
            say(_INDENT * 2 + line)
    for finding in inspected.findings:
        _print_finding(finding)
    if not inspected.findings and inspected.report.instructions:
        _print_prose(nothing_found())


def print_code(inspected: Inspected) -> None:
    """Prints the instructions of a function, without the filling of the last cache line."""
    function = inspected.function
    code = (function[index] for index in range(function.code_length))
    in_ptx, places = inspected.ptx_source, function.places
    files = short_names([in_ptx, *(chain[0].file for chain in places if chain)])
    rows = [_CODE_HEADINGS, *(_code_row(instruction, in_ptx, files) for instruction in code)]
    # The last column may be as long as it is.
    for line, row in zip(table_lines([row[:-1] for row in rows], left=0), rows, strict=True):
        say(f"{_INDENT}{line}  {row[-1]}")


def _function_lines(inspected: Inspected) -> Iterator[tuple[str, str]]:
    report = inspected.report
    yield "needs", needs_text(report.resources)
    yield "instructions", f"{report.instructions:,} in {report.code_bytes:,} bytes"
    if report.peak:
        most = [f"{n} {kind}" for n, kind in zip(report.peak, _LIVE, strict=True) if n]
        at = ", ".join(
            f"0x{inspected.function.addresses[index]:04x}" for index in report.peak_indices
        )
        yield "alive", f"at most {', '.join(most) or 'none'}" + (f"; peak at {at}" if at else "")
    elif inspected.unit.code.notes:
        yield "alive", "not counted; the reason is at the end"
    if inspected.filling:
        yield "occupancy", _occupancy(inspected.filling)
    graph = inspected.graph
    counts = ((len(graph.blocks), "block"), (len(graph.edges), "edge"), (len(graph.loops), "loop"))
    yield "flow", ", ".join(f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in counts)


def _occupancy(filling: KernelOccupancy) -> str:
    usage, occupancy = filling.usage, filling.occupancy
    block = f"{usage.threads:,} threads per block"
    if not occupancy.blocks:
        reasons = (_TOO_MUCH[resource] for resource in occupancy.limiting)
        return f"none with {block}: {' and '.join(reasons).format_map(vars(filling.limits))}"
    limiting = " and ".join(resource.value for resource in occupancy.limiting)
    blocks = f"{occupancy.blocks} block{'' if occupancy.blocks == 1 else 's'}"
    warps = f"{occupancy.warps} of {filling.limits.warps} warps"
    return f"{occupancy.fraction:.0%} with {block}: {blocks}, {warps}, limited by {limiting}"


def _print_finding(finding: Finding) -> None:
    more = f", {finding.more_lines}" if finding.more_lines else ""
    # The first of them leads to the file: a sentence has room for the path.
    line = finding.places[0] if finding.places else None
    where = f" ({from_here(line.file)}:{line.line}{more})" if line else ""
    say(f"{_INDENT}{finding.severity.value}: {finding.title}{where}")
    _print_prose(f"{finding.reason} {finding.remedy}".strip())


def _print_prose(prose: str) -> None:
    say(textwrap.indent(filled(prose, _PROSE_WIDTH), _INDENT * 3))


def _code_row(instruction: Instruction, ptx_source: str, files: Mapping[str, str]) -> Sequence[str]:
    live, control, line = instruction.live, instruction.control, instruction.ptx_line
    in_ptx = (SourceLocation(ptx_source, line),) if ptx_source and line else ()
    places = instruction.places or in_ptx
    return (
        f"0x{instruction.address:04x}",
        *(map(str, live[:3]) if live else (_NONE,) * 3),
        *(
            (
                str(control.stall),
                "yes" if control.yields else "",
                _barrier(control.write_barrier),
                _barrier(control.read_barrier),
                ",".join(map(str, control.waits_for)),
                f"{control.reuse:04b}" if control.reuse else "",
            )
            if control
            else (_NONE,) * 6
        ),
        f"{files[places[0].file]}:{places[0].line}" if places else _NONE,
        str(line or _NONE),
        instruction.text,
    )


def _barrier(number: int | None) -> str:
    return "" if number is None else str(number)


def print_diff(difference: CodeDifference) -> None:
    """Prints the differences on stdout as a unified diff and a table; all else on stderr."""
    comparison = difference.comparison
    for side in difference.sides:
        if side.result:
            print_diagnostics(side.result.diagnostics)
            if not side.result.ok:
                print_summary(side.result)
    if comparison is None:
        return
    if not comparison.equal:
        say(f"--- {difference.sides[0].title}")
        say(f"+++ {difference.sides[1].title}")
    for line in unified(comparison):
        say(line)
    _print_deltas(changed(difference.deltas))
    print_error(_diff_summary(comparison, data_left_out=difference.data_compared is False))


def _diff_summary(comparison: Comparison, *, data_left_out: bool) -> str:
    count = len(comparison.hunks)
    summary = f"{count:,} difference{'' if count == 1 else 's'}"
    if comparison.equal:
        summary = "the code is equal" if data_left_out else "equal"
    if data_left_out:
        summary += "; data was not compared"
    if comparison.control_changes:
        summary += f"; {comparison.control_changes:,} instructions differ in control bits only"
    return summary


def _print_deltas(deltas: Sequence[FigureDelta]) -> None:
    if not deltas:
        return
    rows = [_DELTA_HEADINGS, *(_delta_row(delta) for delta in deltas)]
    say("")
    for line in table_lines(rows, left=2):
        say(line)


def _delta_row(delta: FigureDelta) -> tuple[str, ...]:
    left, right = ("-" if n is None else f"{n:,}" for n in (delta.left, delta.right))
    more = "" if delta.difference is None else f"{delta.difference:+,}"
    return delta.name, delta.figure.replace("_", " "), left, right, more


def print_check(reports: Sequence[BudgetReport]) -> None:
    """Prints a row for each condition and kernel, then each failure with the reason."""
    rows = [("file", "kernel", "target", "condition", "", "value")]
    for report in reports:
        for verdict in report.verdicts:
            value = "unknown" if verdict.value is None else shown(verdict.value)
            words = (verdict.demangled, report.target, verdict.condition.text)
            judged = "holds" if verdict.holds else "FAILS"
            rows.append((", ".join(report.files), *words, judged, value))
    for line in table_lines(rows, left=5) if len(rows) > 1 else ():
        say(line)
    for report in reports:
        for path in report.written:
            say(path)
        if report.skipped:
            print_error(f"{report.budget.name}: left out. {report.skipped}")
    for line in failures(reports):
        print_error(line)
    print_error(tally(reports))
