"""How the kinds of axes are told: what the values are, and an example of them."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.sweep.plan import AxisKind


@dataclass(frozen=True)
class AxisWords:
    """One kind.

    Attributes:
        title: What to call it.
        meaning: What the values are.
        example: Values that make sense for many kernels.
        name_example: A name; empty for kinds that have none.
    """

    title: str
    meaning: str
    example: str
    name_example: str = ""


WORDS: dict[AxisKind, AxisWords] = {
    AxisKind.BLOCK: AxisWords(
        "block",
        "Threads per block. Part blocks with several axes by semicolons: 16,16; 32,8",
        "64, 128, 256, 512",
    ),
    AxisKind.TEMPLATE: AxisWords(
        "template",
        "What stands for a name in braces of the kernel: T in saxpy<{T}>",
        "float, double",
        "T",
    ),
    AxisKind.MACRO: AxisWords(
        "macro", "What the compiler defines the macro as, like -DNAME=VALUE", "1, 2, 4", "UNROLL"
    ),
    AxisKind.OPTIONS: AxisWords(
        "options",
        "Options beside those of the build, each set parted from the next by a semicolon",
        "; --use_fast_math",
    ),
    AxisKind.TARGET: AxisWords("target", "What to build for", "sm_80, sm_90"),
    AxisKind.ARGUMENT: AxisWords(
        "argument", "The text of an argument of the launch", "1<<20, 1<<24", "n"
    ),
    AxisKind.GRID: AxisWords("grid", "Blocks, like the field of the launch", "132, 264, 528"),
    AxisKind.COVER: AxisWords("cover", "How many elements the grid covers", "n, (n+3)/4"),
    AxisKind.CLUSTER: AxisWords("cluster", "Blocks per cluster", "1, 2, 4"),
    AxisKind.SHARED: AxisWords(
        "shared", "Bytes of dynamic shared memory per block", "0, 16384, 49152"
    ),
}
"""All kinds, the usual first."""

KINDS = {words.title: kind for kind, words in WORDS.items()}
"""The kinds by what they are called."""
