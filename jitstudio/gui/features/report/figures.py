"""What a kernel needs, in words: the rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.sass.model import NOWHERE
from jitstudio.core.figures import NEEDS
from jitstudio.core.result import Resources
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


def figures(reading: Reading) -> tuple[Figure, ...]:
    """All figures of a kernel, those that nobody told left out."""
    return (*_needs(reading.report.resources), *_of_code(reading))


def _needs(resources: Resources) -> Iterator[Figure]:
    translate = QCoreApplication.translate
    for figure in NEEDS:
        amount = getattr(resources, figure.id)
        if amount is not None:
            label, meaning = (translate("Figures", text) for text in (figure.label, figure.meaning))
            yield Figure(label, f"{amount:,}", meaning)


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
