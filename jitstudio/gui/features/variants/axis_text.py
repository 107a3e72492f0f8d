"""How the kinds of axes are told: what the values are, and an example of them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from jitstudio.core.sweep.plan import AxisKind
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


@dataclass(frozen=True)
class AxisWords:
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


WORDS: dict[AxisKind, AxisWords] = {
    AxisKind.BLOCK: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "block"),
        QT_TRANSLATE_NOOP(
            "AxisWords",
            "Threads per block. Part blocks with several axes by semicolons: 16,16; 32,8",
        ),
        "64, 128, 256, 512",
    ),
    AxisKind.TEMPLATE: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "template"),
        QT_TRANSLATE_NOOP(
            "AxisWords", "What stands for a name in braces of the kernel: T in saxpy<{T}>"
        ),
        "float, double",
        "T",
    ),
    AxisKind.MACRO: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "macro"),
        QT_TRANSLATE_NOOP("AxisWords", "What the compiler defines the macro as, like -DNAME=VALUE"),
        "1, 2, 4",
        "UNROLL",
    ),
    AxisKind.OPTIONS: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "options"),
        QT_TRANSLATE_NOOP(
            "AxisWords",
            "Options beside those of the build, each set parted from the next by a semicolon",
        ),
        "; --use_fast_math",
    ),
    AxisKind.TARGET: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "target"),
        QT_TRANSLATE_NOOP("AxisWords", "What to build for"),
        "sm_80, sm_90",
    ),
    AxisKind.ARGUMENT: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "argument"),
        QT_TRANSLATE_NOOP("AxisWords", "The text of an argument of the launch"),
        "1<<20, 1<<24",
        "n",
    ),
    AxisKind.GRID: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "grid"),
        QT_TRANSLATE_NOOP("AxisWords", "Blocks, like the field of the launch"),
        "132, 264, 528",
    ),
    AxisKind.COVER: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "cover"),
        QT_TRANSLATE_NOOP("AxisWords", "How many elements the grid covers"),
        "n, (n+3)/4",
    ),
    AxisKind.CLUSTER: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "cluster"),
        QT_TRANSLATE_NOOP("AxisWords", "Blocks per cluster"),
        "1, 2, 4",
    ),
    AxisKind.SHARED: AxisWords(
        QT_TRANSLATE_NOOP("AxisWords", "shared"),
        QT_TRANSLATE_NOOP("AxisWords", "Bytes of dynamic shared memory per block"),
        "0, 16384, 49152",
    ),
}
"""All kinds, the usual first."""


def title(kind: AxisKind) -> str:
    """What to call a kind, in the user's language."""
    return QCoreApplication.translate("AxisWords", WORDS[kind].title)


def meaning(kind: AxisKind) -> str:
    """What the values of a kind are, in the user's language."""
    return QCoreApplication.translate("AxisWords", WORDS[kind].meaning)


def kinds() -> dict[str, AxisKind]:
    """The kinds by what they are called."""
    return {title(kind): kind for kind in WORDS}
