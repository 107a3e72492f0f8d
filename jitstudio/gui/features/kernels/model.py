"""What each kernel needs of a multiprocessor, as columns of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from PySide6.QtCore import QCoreApplication

from jitstudio.core.result import Kernel, Resources
from jitstudio.gui.kit.presentation import Column
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

# Per column: its title, and what the figure means.
_FIGURES = {
    "registers": (
        QT_TRANSLATE_NOOP("Columns", "Registers"),
        QT_TRANSLATE_NOOP("Kernels", "{count} 32-bit registers per thread"),
    ),
    "spill_stores": (
        QT_TRANSLATE_NOOP("Columns", "Spill stores"),
        QT_TRANSLATE_NOOP("Kernels", "{count} bytes per thread written for want of registers"),
    ),
    "spill_loads": (
        QT_TRANSLATE_NOOP("Columns", "Spill loads"),
        QT_TRANSLATE_NOOP("Kernels", "{count} bytes per thread read back"),
    ),
    "stack_bytes": (
        QT_TRANSLATE_NOOP("Columns", "Stack"),
        QT_TRANSLATE_NOOP("Kernels", "{count} bytes of stack frame per thread"),
    ),
    "local_bytes": (
        QT_TRANSLATE_NOOP("Columns", "Local"),
        QT_TRANSLATE_NOOP("Kernels", "{count} bytes of local memory per thread"),
    ),
    "shared_bytes": (
        QT_TRANSLATE_NOOP("Columns", "Shared"),
        QT_TRANSLATE_NOOP("Kernels", "{count} bytes of static shared memory per block"),
    ),
    "constant_bytes": (
        QT_TRANSLATE_NOOP("Columns", "Constant"),
        QT_TRANSLATE_NOOP("Kernels", "{count} bytes of constant bank 0, with the parameters"),
    ),
    "barriers": (
        QT_TRANSLATE_NOOP("Columns", "Barriers"),
        QT_TRANSLATE_NOOP("Kernels", "{count} named barriers per block"),
    ),
    "max_threads": (
        QT_TRANSLATE_NOOP("Columns", "Max threads"),
        QT_TRANSLATE_NOOP(
            "Kernels", "{count} most threads per block that the kernel was built for"
        ),
    ),
}
_UNKNOWN = ""


def _figure(kernel: Kernel, name: str) -> int | None:
    value: int | None = getattr(kernel.resources or Resources(), name)
    return value


def _column(name: str) -> Column[Kernel]:
    title, meaning = _FIGURES[name]
    text: Callable[[Kernel], str] = lambda k: (  # noqa: E731
        _UNKNOWN if (value := _figure(k, name)) is None else f"{value:,}"
    )
    return Column(
        title,
        text,
        sort_key=lambda k: -1 if (value := _figure(k, name)) is None else value,
        tooltip=lambda k: QCoreApplication.translate("Kernels", meaning).format(
            count=text(k) or QCoreApplication.translate("Kernels", "unknown")
        ),
        number=True,
    )


KERNEL_COLUMNS: tuple[Column[Kernel], ...] = (
    Column(
        QT_TRANSLATE_NOOP("Columns", "Kernel"),
        lambda k: k.demangled or k.name,
        tooltip=lambda k: k.name,
    ),
    *(_column(name) for name in _FIGURES),
    Column(QT_TRANSLATE_NOOP("Columns", "Module"), lambda k: k.module),
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
