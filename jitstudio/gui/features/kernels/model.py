"""What each kernel needs of a multiprocessor, as columns of a table."""

from __future__ import annotations

from dataclasses import fields

from PySide6.QtCore import QCoreApplication

from jitstudio.core.figures import NEEDS, KernelFigure
from jitstudio.core.result import Kernel, Resources
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_UNKNOWN = ""


def _figure(kernel: Kernel, name: str) -> int | None:
    value: int | None = getattr(kernel.resources or Resources(), name)
    return value


def _column(figure: KernelFigure) -> TableColumn[Kernel]:
    def text(kernel: Kernel) -> str:
        value = _figure(kernel, figure.id)
        return _UNKNOWN if value is None else f"{value:,}"

    def meaning(kernel: Kernel) -> str:
        count = text(kernel) or QCoreApplication.translate("Kernels", "unknown")
        message = QCoreApplication.translate("Kernels", "{count} {meaning}")
        return message.format(
            count=count, meaning=QCoreApplication.translate("Figures", figure.meaning)
        )

    return TableColumn(
        figure.title,
        text,
        sort_key=lambda k: -1 if (value := _figure(k, figure.id)) is None else value,
        tooltip=meaning,
        number=True,
    )


KERNEL_COLUMNS: tuple[TableColumn[Kernel], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Kernel"),
        lambda k: k.demangled or k.name,
        tooltip=lambda k: k.name,
    ),
    *map(_column, NEEDS),
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
