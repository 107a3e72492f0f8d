"""How the kinds of axes are told: what the values are, and an example of them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from jitstudio.core.sweep.plan import AxisKind
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


@dataclass(frozen=True)
class AxisLabels:
    """One kind.

    Attributes:
        title: What to call it, in English.
        meaning: What the values are, in English.
        example: Values that make sense for many kernels.
        name_example: A name; empty for kinds that have none.
    """

    title: str
    meaning: str
    example: str
    name_example: str = ""


WORDS: dict[AxisKind, AxisLabels] = {
    AxisKind.BLOCK: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "block"),
        QT_TRANSLATE_NOOP(
            "AxisLabels",
            "Threads per block. Part blocks with several axes by semicolons: 16,16; 32,8",
        ),
        "64, 128, 256, 512",
    ),
    AxisKind.TEMPLATE: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "template"),
        QT_TRANSLATE_NOOP(
            "AxisLabels", "What stands for a name in braces of the kernel: T in saxpy<{T}>"
        ),
        "float, double",
        "T",
    ),
    AxisKind.MACRO: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "macro"),
        QT_TRANSLATE_NOOP(
            "AxisLabels", "What the compiler defines the macro as, like -DNAME=VALUE"
        ),
        "1, 2, 4",
        "UNROLL",
    ),
    AxisKind.OPTIONS: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "options"),
        QT_TRANSLATE_NOOP(
            "AxisLabels",
            "Options beside those of the build, each set parted from the next by a semicolon",
        ),
        "; --use_fast_math",
    ),
    AxisKind.TARGET: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "target"),
        QT_TRANSLATE_NOOP("AxisLabels", "What to build for"),
        "sm_80, sm_90",
    ),
    AxisKind.ARGUMENT: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "argument"),
        QT_TRANSLATE_NOOP("AxisLabels", "The text of an argument of the launch"),
        "1<<20, 1<<24",
        "n",
    ),
    AxisKind.GRID: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "grid"),
        QT_TRANSLATE_NOOP("AxisLabels", "Blocks, like the field of the launch"),
        "132, 264, 528",
    ),
    AxisKind.COVER: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "cover"),
        QT_TRANSLATE_NOOP("AxisLabels", "How many elements the grid covers"),
        "n, (n+3)/4",
    ),
    AxisKind.CLUSTER: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "cluster"),
        QT_TRANSLATE_NOOP("AxisLabels", "Blocks per cluster"),
        "1, 2, 4",
    ),
    AxisKind.SHARED: AxisLabels(
        QT_TRANSLATE_NOOP("AxisLabels", "shared"),
        QT_TRANSLATE_NOOP("AxisLabels", "Bytes of dynamic shared memory per block"),
        "0, 16384, 49152",
    ),
}
"""All kinds, the usual first."""


def title(kind: AxisKind) -> str:
    """What to call a kind, in the user's language."""
    return QCoreApplication.translate("AxisLabels", WORDS[kind].title)


def meaning(kind: AxisKind) -> str:
    """What the values of a kind are, in the user's language."""
    return QCoreApplication.translate("AxisLabels", WORDS[kind].meaning)


def kinds() -> dict[str, AxisKind]:
    """The kinds by what they are called."""
    return {title(kind): kind for kind in WORDS}
