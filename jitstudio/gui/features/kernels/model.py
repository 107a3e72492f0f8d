"""What each kernel needs of a multiprocessor, as columns of a table."""

from __future__ import annotations

from dataclasses import fields
from functools import partial

from jitstudio.core.figures import NEEDS
from jitstudio.core.result import Kernel, Resources
from jitstudio.gui.kit.presentation import TableColumn, figure_column
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


def _figure(kernel: Kernel, name: str) -> int | None:
    value: int | None = getattr(kernel.resources or Resources(), name)
    return value


KERNEL_COLUMNS: tuple[TableColumn[Kernel], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Kernel"),
        lambda k: k.demangled or k.name,
        tooltip=lambda k: k.name,
    ),
    *(figure_column(figure, partial(_figure, name=figure.id)) for figure in NEEDS),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Module"), lambda k: k.module),
)


def kernels_as_text(kernels: tuple[Kernel, ...]) -> str:
    """Tab-separated, with a header of the JSON's names: fit for a spreadsheet."""
    names = [field.name for field in fields(Resources)]
    lines = ["\t".join(("kernel", *names))]
    for kernel in kernels:
        figures = (_figure(kernel, name) for name in names)
        values = ("" if figure is None else str(figure) for figure in figures)
        lines.append("\t".join((kernel.demangled or kernel.name, *values)))
    return "\n".join(lines)
