"""Results of the commands in few words, as sections of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any

from jitstudio.analysis.diff.program import changed
from jitstudio.analysis.diff.unified import unified
from jitstudio.analysis.findings.measured import measured
from jitstudio.analysis.findings.model import Finding, grouped
from jitstudio.analysis.reference import Help
from jitstudio.checks.conditions import shown
from jitstudio.checks.verdicts import BudgetReport
from jitstudio.commands.inlined import InlinedNamed
from jitstudio.commands.machine_code import (
    CodeDifference,
    Inspected,
    KernelOccupancy,
    MachineCode,
)
from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import TEXT_FIXES, Diagnostic, FixKind, Severity, diagnostic_line
from jitstudio.core.figures import needs_text
from jitstudio.core.file_names import from_here, with_files
from jitstudio.core.launch.count_lines import COUNT_HEADINGS, count_rows, lines_shown
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.launch.result_lines import launch_lines
from jitstudio.core.launch.simulation import LineCounts, Simulation
from jitstudio.core.options import OptionSpec
from jitstudio.core.plan import NOT_TRUSTED
from jitstudio.core.result import BuildResult, told_apart
from jitstudio.mcp.answers import Answer, Json, Section, text_lines
from jitstudio.mcp.wording import in_our_words

_FIXES = TEXT_FIXES | {
    *(FixKind.SET_ARCH, FixKind.SET_LINK_MODE, FixKind.ADD_OPTION, FixKind.REMOVE_OPTION),
    *(FixKind.ADD_NAME_EXPRESSION, FixKind.SET_ARGUMENT),
}
"""What a call with other fields does; all others are the user's."""
_ADDRESS = re.compile(r"^([ +-]) */\*([0-9a-f]+)\*/ *")
_COUNTS = ("requests", "sectors", "bank_conflicts", "divergent")


def build_answer(result: BuildResult, inlined: InlinedNamed | None, emit: Sequence[str]) -> Answer:
    """Returns a build: messages, the figures of each kernel, and the texts that were asked for."""
    head = {"ok": result.ok, "outcome": result.outcome.value, "target": result.arch.sm}
    if result.crash:
        head["crash"] = in_our_words(result.crash.message)
    logs = [
        line
        for stage in result.stages
        for text in (stage.log, stage.error_log, stage.stdout, stage.stderr)
        for line in text_lines(text)
    ]
    texts = {kind: _text_of(result, CodeKind(kind)) for kind in emit}
    sections = {
        "diagnostics": Section(diagnostic_rows(result.diagnostics)),
        "kernels": Section([*_kernel_rows(result)]),
        "names": Section([*_name_rows(result)]),
        "inlined": Section([*_inlined_rows(inlined)] if inlined else []),
        **{kind: Section(lines) for kind, lines in texts.items()},
        "log": Section(logs, on_request=result.ok or bool(result.diagnostics)),
    }
    return Answer(head, sections)


def inspect_answer(read: MachineCode, functions: Sequence[Inspected], *, with_code: bool) -> Answer:
    """Returns machine code: figures of each function, and findings by cause."""
    head = {
        "ok": read.result.ok,
        "outcome": read.result.outcome.value,
        "target": read.result.arch.sm,
        "notes": " ".join(note for unit in read.units for note in unit.code.notes),
    }
    findings = [*_findings_by_cause(functions)]
    if functions and not findings:
        head["findings"] = "No rule applies."
    sections = {
        "diagnostics": Section(diagnostic_rows(read.result.diagnostics)),
        "kernels": Section([_function_row(function) for function in functions]),
        "findings": Section(findings),
        "code": Section([*_code_lines(functions)] if with_code else []),
    }
    return Answer(head, sections)


def diff_answer(difference: CodeDifference) -> Answer:
    """Returns two programs side by side: the figures that differ, and the lines."""
    comparison = difference.comparison
    if comparison is None:
        return _unbuilt(difference)
    head: Json = {"equal": comparison.equal, "differences": len(comparison.hunks)}
    if difference.data_compared is False:
        head["data"] = "not compared"
    if comparison.control_changes:
        head["control_bits_only"] = comparison.control_changes
    lines = [line for row in unified(comparison) for line in text_lines(_narrow(row))]
    return Answer(head, {"figures": Section(figure_changes(difference)), "lines": Section(lines)})


def _narrow(row: str) -> str:
    """Returns a row of a difference without the columns that make listings easy on the eye.

    ``-  /*0010*/   @P0 BRA `(.L_x_0) ;`` becomes ``-0010 @P0 BRA `(.L_x_0)``.
    """
    return _ADDRESS.sub(r"\1\2 ", row).replace(" ;", "")


def _unbuilt(difference: CodeDifference) -> Answer:
    rows = [
        f"{side.name}: {row}"
        for side in difference.sides
        if side.result
        for row in diagnostic_rows(side.result.diagnostics)
    ]
    outcomes = {s.name: s.result.outcome.value for s in difference.sides if s.result}
    return Answer({"ok": False, **outcomes}, {"diagnostics": Section(rows)})


def figure_changes(difference: CodeDifference) -> list[str]:
    """Returns the figures that differ: ``k: registers 24 → 32``."""
    names: dict[str, str] = {}
    for side in difference.sides:
        names |= side.program.demangled if side.program else {}
    rows: dict[str, list[str]] = {}
    for delta in changed(difference.deltas):
        name = names.get(delta.name, delta.name)
        if delta.left is None or delta.right is None:
            rows[name] = [f"only in {'a' if delta.right is None else 'b'}"]
        else:
            figure = delta.figure.replace("_", " ")
            rows.setdefault(name, []).append(f"{figure} {delta.left:,} → {delta.right:,}")
    return [f"{name}: {', '.join(cells)}" for name, cells in rows.items()]


def check_answer(report: BudgetReport) -> Answer:
    """Returns the verdicts, those that fail first."""
    failing = [verdict for verdict in report.verdicts if not verdict.holds]
    holding = [verdict for verdict in report.verdicts if verdict.holds]
    head = {
        "ok": report.ok,
        "outcome": report.outcome,
        "target": report.target,
        "problem": in_our_words(report.problem),
        "holding": f"{len(holding)} of {len(report.verdicts)}" if report.verdicts else "",
    }
    rows = [f"{v.demangled}{_at(v.place)}: FAILS {in_our_words(v.failure)}" for v in failing]
    rows += [
        f"{v.demangled}: holds {v.condition.text}"
        f"{'' if v.value is None else f' ({shown(v.value)})'}"
        for v in holding
    ]
    sections = {
        "diagnostics": Section(diagnostic_rows(report.diagnostics)),
        "conditions": Section(rows),
    }
    return Answer(head, sections)


def run_answer(built: BuildResult, result: LaunchResult | None) -> Answer:
    """Returns a launch: checks, totals of a simulation, findings by cause, the costliest lines."""
    if result is None:
        return build_answer(built, None, ())
    result = with_files(result, from_here)
    head: Json = {"ok": result.ok, "outcome": result.outcome.value, "kernel": result.kernel}
    sections = {}
    if simulation := result.simulation:
        head["simulated"] = totals(simulation)
        sections["findings"] = Section(
            [_finding_row(finding) for finding in grouped(measured(simulation))]
        )
        sections["lines"] = Section(_count_rows(simulation))
    said = {"kernel", "device", "simulated"} if result.simulation else {"kernel"}
    launched = [
        f"{name}: {text}" if name else text
        for name, text in launch_lines(result)
        if name not in said
    ]
    return Answer(
        head,
        {
            "diagnostics": Section(diagnostic_rows((*built.diagnostics, *result.diagnostics))),
            "launch": Section([in_our_words(line) for line in launched]),
            "kernels": Section([*_kernel_rows(built, result.kernel)]),
            **sections,
            "console": Section(text_lines(result.console)),
            "begins": Section(list(result.begins), on_request=True),
        },
    )


def totals(simulation: Simulation) -> Json:
    """Returns the counts of all lines together, and of how many blocks they are."""
    total = simulation.total
    amounts: Json = {"instructions": simulation.instructions}
    amounts |= {name: getattr(total, name) for name in _COUNTS if getattr(total, name)}
    if total.used_share is not None:
        amounts["bytes_used"] = f"{total.used_share:.0%}"
    if simulation.seed:
        amounts["seed"] = simulation.seed
    return amounts | {"blocks": f"{simulation.blocks:,} of {simulation.of_blocks:,}"}


def explain_answer(entries: Help | Sequence[OptionSpec]) -> Answer:
    """Returns the explanation of an opcode with its modifiers, or the options of a name."""
    if isinstance(entries, Help):
        rows: list[Json] = [
            {
                "name": entry.name,
                "text": entry.text,
                "form": entry.form,
                "operands": dict(entry.operands),
                "since_target": entry.target,
            }
            for entry in (entries.entry, *entries.modifiers)
        ]
        rows += [{"name": part, "text": text} for part, text in entries.unknown_parts]
        return Answer({}, {"entries": Section(rows)})
    rows = [
        {
            "name": spec.name,
            "help": in_our_words(spec.help),
            "usage": spec.usage,
            "flags": {tool.value: flag for tool, flag in spec.spellings.items()},
            "choices": ", ".join(spec.value.choices),
            "default": spec.default,
            "managed": in_our_words(spec.managed),
        }
        for spec in entries
    ]
    return Answer({}, {"options": Section(rows)})


def diagnostic_rows(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """Returns messages with explanation and fix, each known cause explained once; errors first."""
    explained = {""}
    rows = []
    for diagnostic in sorted(diagnostics, key=lambda d: d.severity is not Severity.ERROR):
        line = diagnostic_line(diagnostic)
        # A compiler quotes the user: `#error "needs --kernel NAME"`.
        is_ours = not diagnostic.tool or NOT_TRUSTED in diagnostic.message
        rows += text_lines(in_our_words(line) if is_ours else line)
        if diagnostic.explanation not in explained:
            explained.add(diagnostic.explanation)
            prose = in_our_words(" ".join(diagnostic.explanation.split()))
            rows += text_lines(f"why: {prose}")
        if (fix := diagnostic.fix) and fix.kind in _FIXES:
            value = f" ({fix.value})" if fix.value not in fix.label else ""
            rows += text_lines(f"fix: {fix.label}{value}")
    return rows


def finding_line(finding: Finding) -> str:
    """Returns the title of a finding with its lines and remedy."""
    return in_our_words(f"{finding.title}{_places(finding)}: {finding.remedy or finding.reason}")


def _findings_by_cause(functions: Sequence[Inspected]) -> Iterator[Json]:
    """Yields a row for each rule and title, with the kernels that it applies to."""
    by_cause: dict[tuple[str, str], list[tuple[Inspected, Finding]]] = {}
    for function in functions:
        for finding in grouped(function.findings):
            by_cause.setdefault((finding.rule, finding.title), []).append((function, finding))
    for alike in by_cause.values():
        titles = dict.fromkeys(function.title for function, _ in alike)
        row = _finding_row(alike[0][1])
        if len(functions) > 1:
            row["of_kernels"] = len(titles)
            row["kernels"] = ", ".join(titles)
        yield row


def _finding_row(finding: Finding) -> Json:
    return {
        "finding": f"{finding.severity.value}: {finding.title}{_places(finding)}",
        "reason": in_our_words(finding.reason),
        "remedy": in_our_words(finding.remedy),
    }


def _places(finding: Finding) -> str:
    more = f", {finding.more_lines}" if finding.more_lines else ""
    return f"{_at(finding.places[0])}{more}" if finding.places else ""


def _at(place: Any) -> str:
    return f" at {from_here(place.file)}:{place.line}" if place else ""


def _kernel_rows(result: BuildResult, only: str | None = None) -> Iterator[str]:
    titles = told_apart(result.kernels, lambda kernel: kernel.demangled)
    for kernel in result.kernels:
        name = titles[kernel.module, kernel.name]
        if kernel.resources and only in (None, name):
            yield f"{name}: {needs_text(kernel.resources)}"


def _function_row(function: Inspected) -> str:
    report, filling = function.report, function.filling
    cells = [needs_text(report.resources), f"{report.instructions:,} instructions"]
    if report.peak:
        cells.append(f"{report.peak[0]} live")
    if filling:
        cells.append(f"occupancy {filling.occupancy.fraction:.0%} {_limits(filling)}")
    if loops := len(function.graph.loops):
        cells.append(f"{loops} loop{'' if loops == 1 else 's'}")
    called = "" if function.function.is_kernel else " (called function)"
    return f"{function.title}{called}: {', '.join(cells)}"


def occupancy_changes(before: Sequence[Inspected], after: Sequence[Inspected]) -> list[str]:
    """Returns the kernels whose occupancy differs: ``k: 25% → 100% with 256 threads by warps``."""
    old = {f.title: f.filling.occupancy.fraction for f in before if f.filling}
    return [
        f"{function.title}: {left:.0%} → {right.occupancy.fraction:.0%} {_limits(right)}"
        for function in after
        if (left := old.get(function.title)) and (right := function.filling)
        if left != right.occupancy.fraction
    ]


def _limits(filling: KernelOccupancy) -> str:
    limiting = " and ".join(resource.value for resource in filling.occupancy.limiting)
    return f"with {filling.usage.threads:,} threads by {limiting}"


def _code_lines(functions: Sequence[Inspected]) -> Iterator[str]:
    for inspected in functions:
        function = inspected.function
        if len(functions) > 1:
            yield f"{inspected.title}:"
        for index in range(function.code_length):
            instruction = function[index]
            place = instruction.places[0] if instruction.places else None
            at = f" // {PurePath(place.file).name}:{place.line}" if place else ""
            yield f"{instruction.address:04x} {instruction.text}{at}"


def _name_rows(result: BuildResult) -> Iterator[str]:
    for name in result.lowered_names:
        if name.lowered:
            yield f"{name.expression} → {name.lowered}"
        elif name.error:
            yield f"{name.expression}: {name.error}"


def _inlined_rows(inlined: InlinedNamed) -> Iterator[str]:
    for chain in inlined.inlining.functions:
        calls = ", ".join(f"{PurePath(call.file).name}:{call.line}" for call in chain.calls)
        function = inlined.names.get(chain.function) or "(no name)"
        into = inlined.names[chain.into]
        yield f"{function} into {into} at {calls}: {chain.instructions} instructions of PTX"
    for name in inlined.inlining.untold:
        yield f"{inlined.names[name]}: what was inlined is not known, as it has no line table"


def _text_of(result: BuildResult, kind: CodeKind) -> list[str]:
    artifacts = [artifact for artifact in result.artifacts if artifact.kind is kind]
    lines = []
    for artifact in artifacts:
        if len(artifacts) > 1:
            lines.append(f"// ==== {artifact.name} ====")
        lines += text_lines(artifact.text)
    return lines


def _count_rows(simulation: Simulation) -> list[str]:
    """Returns the counts of the source lines, those that waste most first; zeros are left out."""
    rows = []
    for place, *cells in count_rows(sorted(lines_shown(simulation), key=_waste, reverse=True)):
        counts = zip(COUNT_HEADINGS[1:], cells, strict=True)
        rows.append(f"{place}: {', '.join(f'{name} {cell}' for name, cell in counts if cell)}")
    return rows


def _waste(line: LineCounts) -> tuple[float, int]:
    work = line.executions + line.sectors + line.wavefronts
    return line.wasted_share * work, work
