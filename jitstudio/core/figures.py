"""The figures of a kernel: name, unit and meaning of each.

One row a figure, for tables and reports of the window and of the command line. The first of them
are the fields of `core.result.Resources`; all have the names of the JSON.

To add a figure (registers, spills, shared memory): a row here, by which all tables and reports call
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from jitstudio.core.result import Resources


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Marks a text for translators, whose tools look for this name; Qt is not needed for that."""
    return text


class KernelFigure(NamedTuple):
    """A figure of a kernel.

    Attributes:
        id: Its name in the JSON.
        title: The heading of its column.
        label: Its name where no heading says what is counted.
        meaning: What is counted, with the unit: the end of a sentence that begins with the number.
        heading: Its column on the command line.
        phrase: The same as a part of a sentence, for the command line; ``{}`` is the number.
        unknown: Why there may be no number.
    """

    id: str
    title: str
    label: str
    meaning: str = ""
    heading: str = ""
    phrase: str = ""
    unknown: str = QT_TRANSLATE_NOOP(
        "Figures", "not known: no machine code of this kernel was made or read"
    )


_NO_SPILLS = QT_TRANSLATE_NOOP(
    "Figures",
    "not known: ptxas reports spills as it assembles PTX, and machine code does not keep them",
)


NEEDS = (
    KernelFigure(
        "registers",
        QT_TRANSLATE_NOOP("Columns", "Registers"),
        QT_TRANSLATE_NOOP("Figures", "Registers"),
        QT_TRANSLATE_NOOP("Figures", "32-bit registers per thread"),
        "registers",
        "{} registers",
    ),
    KernelFigure(
        "spill_stores",
        QT_TRANSLATE_NOOP("Columns", "Spill stores"),
        QT_TRANSLATE_NOOP("Figures", "Bytes spilled"),
        QT_TRANSLATE_NOOP("Figures", "bytes per thread written for want of registers"),
        "spilled",
        "{} bytes spilled",
        _NO_SPILLS,
    ),
    KernelFigure(
        "spill_loads",
        QT_TRANSLATE_NOOP("Columns", "Spill loads"),
        QT_TRANSLATE_NOOP("Figures", "Bytes reloaded"),
        QT_TRANSLATE_NOOP("Figures", "bytes per thread read back"),
        "reloaded",
        "{} bytes reloaded",
        _NO_SPILLS,
    ),
    KernelFigure(
        "stack_bytes",
        QT_TRANSLATE_NOOP("Columns", "Stack"),
        QT_TRANSLATE_NOOP("Figures", "Bytes of stack"),
        QT_TRANSLATE_NOOP("Figures", "bytes of stack frame per thread, in local memory"),
        "stack",
        "{} bytes of stack",
    ),
    KernelFigure(
        "local_bytes",
        QT_TRANSLATE_NOOP("Columns", "Local"),
        QT_TRANSLATE_NOOP("Figures", "Bytes of local memory"),
        QT_TRANSLATE_NOOP("Figures", "bytes of local memory per thread"),
        "local",
        "{} bytes of local memory",
    ),
    KernelFigure(
        "shared_bytes",
        QT_TRANSLATE_NOOP("Columns", "Shared"),
        QT_TRANSLATE_NOOP("Figures", "Bytes of shared memory"),
        QT_TRANSLATE_NOOP("Figures", "bytes of static shared memory per block"),
        "shared",
        "{} bytes of shared memory",
    ),
    KernelFigure(
        "constant_bytes",
        QT_TRANSLATE_NOOP("Columns", "Constant"),
        QT_TRANSLATE_NOOP("Figures", "Bytes of constants"),
        QT_TRANSLATE_NOOP("Figures", "bytes of constant bank 0, with the parameters"),
        "constant",
        "{} bytes of constants",
    ),
    KernelFigure(
        "barriers",
        QT_TRANSLATE_NOOP("Columns", "Barriers"),
        QT_TRANSLATE_NOOP("Figures", "Barriers"),
        QT_TRANSLATE_NOOP("Figures", "named barriers per block"),
        "barriers",
        "{} of 16 barriers",
    ),
    KernelFigure(
        "max_threads",
        QT_TRANSLATE_NOOP("Columns", "Max threads"),
        QT_TRANSLATE_NOOP("Figures", "Most threads per block"),
        QT_TRANSLATE_NOOP("Figures", "most threads per block, if the kernel has launch bounds"),
        "max threads",
        "at most {} threads per block",
        QT_TRANSLATE_NOOP("Figures", "the kernel has no launch bounds, or they are not known"),
    ),
)
"""What a kernel needs of a multiprocessor: the fields of `Resources`."""

_CODE = (
    KernelFigure(
        "instructions",
        QT_TRANSLATE_NOOP("Columns", "Instructions"),
        QT_TRANSLATE_NOOP("Figures", "Instructions"),
        QT_TRANSLATE_NOOP("Figures", "instructions of SASS, without padding"),
    ),
    KernelFigure(
        "code_bytes",
        QT_TRANSLATE_NOOP("Columns", "Code"),
        QT_TRANSLATE_NOOP("Figures", "Bytes of code"),
        QT_TRANSLATE_NOOP("Figures", "bytes of the machine code, with padding"),
    ),
    KernelFigure(
        "live_registers",
        QT_TRANSLATE_NOOP("Columns", "Peak live"),
        QT_TRANSLATE_NOOP("Figures", "Registers alive at most"),
        QT_TRANSLATE_NOOP("Figures", "registers at most that hold a needed value at once"),
    ),
)

FIGURES = {figure.id: figure for figure in (*NEEDS, *_CODE)}
"""All figures, by their names in the JSON."""


def needs_text(resources: Resources) -> str:
    """Returns what a kernel needs, such as ``12 registers, 1 of 16 barriers``."""
    amounts = ((figure.phrase, getattr(resources, figure.id)) for figure in NEEDS)
    needs = [phrase.format(f"{amount:,}") for phrase, amount in amounts if amount]
    return ", ".join(needs) or "nothing that is known"
