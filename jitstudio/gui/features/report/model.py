"""The content of the Report pane for a kernel: computed in the background, as table rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.findings.find import findings
from jitstudio.analysis.findings.measured import with_measured
from jitstudio.analysis.findings.model import Finding
from jitstudio.analysis.occupancy.calculate import Limits, limits_of
from jitstudio.analysis.report import KernelReport, report
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.core.arch import Arch
from jitstudio.core.figures import NEEDS
from jitstudio.core.launch.simulation import Simulation
from jitstudio.core.result import Resources
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted
from jitstudio.listing.lines import NOWHERE


@dataclass(frozen=True, eq=False)
class KernelReading:
    """A kernel, read.

    Attributes:
        function: Its code.
        arch: The target of the compilation.
        report: It in numbers.
        findings: Code that may cost time.
        opcodes: How often each opcode is there, without modifiers; the most frequent first.
        limits: Of a multiprocessor of the target; None where they are not published.
        simulation: A simulated launch of it; None where there was none.
        unknown: The reason why live registers are not known; empty where they are.
    """

    function: SassFunction
    arch: Arch
    report: KernelReport
    findings: tuple[Finding, ...]
    opcodes: tuple[tuple[str, int], ...]
    limits: Limits | None
    simulation: Simulation | None = None
    unknown: str = ""


def read(
    function: SassFunction,
    resources: Resources | None,
    arch: Arch,
    simulation: Simulation | None = None,
    module: str = "",
    unknown: str = "",
) -> KernelReading:
    """Reads a kernel, or a function that others call.

    Args:
        function: Its code.
        resources: The resources of the kernel; None where no tool reports them.
        arch: The target of the compilation.
        simulation: A simulated launch of it; None where there was none.
        module: The module that it is of.
        unknown: The reason why live registers are not known.
    """
    stems = (opcode.partition(".")[0] for opcode in islice(function.opcodes, function.code_length))
    return KernelReading(
        function,
        arch,
        report(function, resources),
        with_measured(findings(function, resources, module), simulation),
        tuple(Counter(stems).most_common()),
        limits_of(arch),
        simulation,
        unknown,
    )


_MOST_OPCODES = 12


@dataclass(frozen=True)
class ClassRow:
    """The instructions of a class.

    Attributes:
        group: The purpose of the instructions, such as ``memory``.
        title: The title of the class, such as ``global load, 32 bit``.
        count: How many there are.
        share: Of all instructions, from 0 to 1.
    """

    group: str
    title: str
    count: int
    share: float


@dataclass(frozen=True)
class InstructionMix:
    """The data of the plots: names with counts.

    Attributes:
        groups: Counts by purpose, where there are any.
        opcodes: The most frequent ones.
    """

    groups: tuple[tuple[str, int], ...]
    opcodes: tuple[tuple[str, int], ...]


def class_rows(reading: KernelReading) -> tuple[ClassRow, ...]:
    """Returns all classes that there are, group by group."""
    total = max(1, reading.report.instructions)
    return tuple(
        ClassRow(entry.kind.group.value, entry.kind.title, entry.count, entry.count / total)
        for entry in reading.report.counts
    )


def mix(reading: KernelReading) -> InstructionMix:
    """Returns the data of the plots of a kernel."""
    groups = ((group.value, count) for group, count in reading.report.groups.items() if count)
    return InstructionMix(tuple(groups), reading.opcodes[:_MOST_OPCODES])


CLASS_COLUMNS: tuple[TableColumn[ClassRow], ...] = (
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Group"), lambda row: row.group),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Instructions"), lambda row: row.title),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Count"),
        lambda row: f"{row.count:,}",
        sort_key=lambda row: row.count,
        number=True,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Share"),
        lambda row: f"{row.share:.1%}",
        sort_key=lambda row: row.share,
        number=True,
    ),
)


@dataclass(frozen=True)
class ReportFigure:
    """A figure of a kernel.

    Attributes:
        name: The name of the figure.
        text: The figure as text.
        meaning: The meaning of the figure.
        index: The instruction that it leads to, or `NOWHERE`.
    """

    name: str
    text: str
    meaning: str
    index: int = NOWHERE


def figures(reading: KernelReading) -> tuple[ReportFigure, ...]:
    """Returns all figures of a kernel, unknown figures left out."""
    simulated = _of_run(reading.simulation) if reading.simulation else ()
    return (*_needs(reading.report.resources), *_of_code(reading), *simulated)


def _of_run(simulation: Simulation) -> Iterator[ReportFigure]:
    """Yields the totals of a simulated launch."""
    translate = QCoreApplication.translate
    total = simulation.total
    blocks = translate("ReportFigures", "{count:,} instructions in {blocks:,} of {all:,} blocks")
    yield ReportFigure(
        translate("ReportFigures", "Simulated"),
        blocks.format(
            count=simulation.instructions, blocks=simulation.blocks, all=simulation.of_blocks
        ),
        translate("ReportFigures", "Instructions of the PTX, each once for each thread"),
    )
    yield ReportFigure(
        translate("ReportFigures", "Active lanes"),
        f"{total.mean_active_lanes:.4g}" if total.executions else "",
        translate("ReportFigures", "Of a warp's 32 lanes, on average over all instructions"),
    )
    if total.sectors:
        moved = translate("ReportFigures", "{sectors:,} sectors, {share} of them used")
        yield ReportFigure(
            translate("ReportFigures", "Memory moved"),
            moved.format(sectors=total.sectors, share=f"{total.used_share or 0:.0%}"),
            translate(
                "ReportFigures",
                "Sectors of 32 bytes of global and local memory, caches or not; atomics take one "
                "as often as lanes meet at an address in it",
            ),
        )
    yield ReportFigure(
        translate("ReportFigures", "Bank conflicts"),
        f"{total.bank_conflicts:,}",
        translate("ReportFigures", "Passes that different words in one bank have caused"),
    )


def longest_name() -> int:
    """Returns how many letters the longest name of a figure has."""
    return max(len(QCoreApplication.translate("Figures", figure.label)) for figure in NEEDS)


def _needs(resources: Resources) -> Iterator[ReportFigure]:
    translate = QCoreApplication.translate
    for figure in NEEDS:
        amount = getattr(resources, figure.id)
        if amount is not None:
            label, meaning = (translate("Figures", text) for text in (figure.label, figure.meaning))
            yield ReportFigure(label, f"{amount:,}", meaning)


def _of_code(reading: KernelReading) -> tuple[ReportFigure, ...]:
    translate = QCoreApplication.translate
    report = reading.report
    rows = [
        ReportFigure(
            translate("ReportFigures", "Code"),
            translate("ReportFigures", "{count:,} instructions, {bytes:,} bytes").format(
                count=report.instructions, bytes=report.code_bytes
            ),
            translate(
                "ReportFigures", "The bytes count what fills the last cache line, the rest does not"
            ),
        )
    ]
    if report.peak is not None:
        form = translate("ReportFigures", "{gpr} general, {uniform} uniform, {predicates}")
        predicates = counted(
            report.peak.pred,
            translate("ReportFigures", "{count} predicate"),
            translate("ReportFigures", "{count} predicates"),
        )
        rows.append(
            ReportFigure(
                translate("ReportFigures", "Live at the peak"),
                form.format(gpr=report.peak.gpr, uniform=report.peak.ugpr, predicates=predicates),
                translate(
                    "ReportFigures",
                    "Registers that hold a value that is still needed, where they are the most",
                ),
                next(iter(report.peak_indices), NOWHERE),
            )
        )
    elif reading.unknown:
        title = translate("ReportFigures", "Live at the peak")
        rows.append(ReportFigure(title, translate("ReportFigures", "not counted"), reading.unknown))
    return tuple(rows)


FIGURE_COLUMNS: tuple[TableColumn[ReportFigure], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Figure"),
        lambda figure: figure.name,
        tooltip=lambda figure: figure.meaning,
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Amount"),
        lambda figure: figure.text,
        tooltip=lambda figure: figure.meaning,
    ),
)


def place_text(finding: Finding) -> str:
    """Returns the lines of a finding, like ``kernel.cu:12, 14`` or ``PTX:46``; empty if unknown."""
    if finding.places:
        place = finding.places[0]
        first = f"{PurePath(place.file).name}:{place.line}"
        return ", ".join(filter(None, (first, finding.more_lines)))
    return f"PTX:{finding.ptx_line}" if finding.ptx_line else ""


def explanation(finding: Finding) -> str:
    """Returns why a finding matters and how to remedy the cause, in two paragraphs."""
    return f"{finding.reason}\n\n{finding.remedy}"


def _order(finding: Finding) -> int:
    return finding.places[0].line if finding.places else finding.ptx_line


FINDING_COLUMNS: tuple[TableColumn[Finding], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Finding"),
        lambda finding: finding.title,
        tooltip=explanation,
        mark=lambda finding: finding.severity.value,
    ),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Line"), place_text, sort_key=_order),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Instructions"),
        lambda finding: f"{len(finding.indices):,}" if finding.indices else "",
        sort_key=lambda finding: len(finding.indices),
        number=True,
    ),
)


def findings_as_text(findings: tuple[Finding, ...]) -> str:
    """Returns all findings with their reasons and remedies, fit for a mail."""
    return "\n\n".join(
        f"{' '.join(filter(None, (place_text(finding), finding.title)))}\n"
        f"{finding.reason}\n{finding.remedy}"
        for finding in findings
    )
