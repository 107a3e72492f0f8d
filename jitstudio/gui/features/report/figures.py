"""What a kernel needs, in words: the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.model import NOWHERE
from jitstudio.gui.features.report.reading import Reading
from jitstudio.gui.kit.presentation import Column
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        name: What it is called.
        text: What it is.
        meaning: What that means.
        index: The instruction that it leads to, or `NOWHERE`.
    """

    name: str
    text: str
    meaning: str
    index: int = NOWHERE


# Per figure: its name, what it means, and how it is written with the fields of `Resources`.
_NEEDS = (
    (
        QT_TRANSLATE_NOOP("ReportFigures", "Registers"),
        QT_TRANSLATE_NOOP("ReportFigures", "32-bit registers per thread"),
        "{registers:,}",
    ),
    (
        QT_TRANSLATE_NOOP("ReportFigures", "Spills"),
        QT_TRANSLATE_NOOP(
            "ReportFigures", "Bytes per thread that go to local memory for want of registers"
        ),
        QT_TRANSLATE_NOOP("ReportFigures", "{spill_stores:,} bytes written, {spill_loads:,} read"),
    ),
    (
        QT_TRANSLATE_NOOP("ReportFigures", "Stack"),
        QT_TRANSLATE_NOOP("ReportFigures", "Stack frame per thread, in local memory"),
        QT_TRANSLATE_NOOP("ReportFigures", "{stack_bytes:,} bytes"),
    ),
    (
        QT_TRANSLATE_NOOP("ReportFigures", "Shared memory"),
        QT_TRANSLATE_NOOP("ReportFigures", "Static shared memory per block"),
        QT_TRANSLATE_NOOP("ReportFigures", "{shared_bytes:,} bytes"),
    ),
    (
        QT_TRANSLATE_NOOP("ReportFigures", "Constant memory"),
        QT_TRANSLATE_NOOP("ReportFigures", "Constant bank 0, with the parameters"),
        QT_TRANSLATE_NOOP("ReportFigures", "{constant_bytes:,} bytes"),
    ),
    (
        QT_TRANSLATE_NOOP("ReportFigures", "Barriers"),
        QT_TRANSLATE_NOOP("ReportFigures", "Named barriers per block"),
        "{barriers:,}",
    ),
    (
        QT_TRANSLATE_NOOP("ReportFigures", "Most threads"),
        QT_TRANSLATE_NOOP(
            "ReportFigures", "Most threads of a block, where the kernel has launch bounds"
        ),
        "{max_threads:,}",
    ),
)


def figures(reading: Reading) -> tuple[Figure, ...]:
    """All figures of a kernel, those that nobody told left out."""
    translate = QCoreApplication.translate
    needs = vars(reading.report.resources)
    told = {field: amount for field, amount in needs.items() if amount is not None}
    return (
        *(
            Figure(
                translate("ReportFigures", name),
                translate("ReportFigures", form).format_map(told),
                translate("ReportFigures", meaning),
            )
            for name, meaning, form in _NEEDS
            if told.keys() >= {field for _, field, *_ in Formatter().parse(form) if field}
        ),
        *_of_code(reading),
    )


def _of_code(reading: Reading) -> tuple[Figure, ...]:
    translate = QCoreApplication.translate
    report = reading.report
    found = [
        Figure(
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
        found.append(
            Figure(
                translate("ReportFigures", "Live at the peak"),
                form.format(gpr=report.peak.gpr, uniform=report.peak.ugpr, predicates=predicates),
                translate(
                    "ReportFigures",
                    "Registers that hold a value that is still needed, where they are the most",
                ),
                next(iter(report.peak_indices), NOWHERE),
            )
        )
    return tuple(found)


FIGURE_COLUMNS: tuple[Column[Figure], ...] = (
    Column(
        QT_TRANSLATE_NOOP("Columns", "Figure"),
        lambda figure: figure.name,
        tooltip=lambda figure: figure.meaning,
    ),
    Column(
        QT_TRANSLATE_NOOP("Columns", "Amount"),
        lambda figure: figure.text,
        tooltip=lambda figure: figure.meaning,
    ),
)
