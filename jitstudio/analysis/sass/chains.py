"""Instructions that can be under way at a time, as none of them waits for another."""

from __future__ import annotations

from collections.abc import Iterable

from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.liveness import effects
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.operands import numbers


def independent(function: SassFunction, indices: Iterable[int]) -> tuple[int, ...]:
    """Returns the most of these instructions that stand in a block and wait for none of the others.

    Four sums of a loop's body are independent of each other, four additions to one sum are a chain:
    each has the result of the addition before among its sources, directly or through others. A
    value that is stored and loaded again counts as new.

    Args:
        function: The code.
        indices: The numbers of the instructions.
    """
    wanted = frozenset(indices)
    behaviour = effects(function, function.code_length)
    most: list[int] = []
    for block in sass_graph(function).blocks:
        # How many of the wanted instructions the value of each register has come through.
        depths: dict[int, int] = {}
        levels: dict[int, list[int]] = {}
        for index in range(block.start, block.end):
            effect = behaviour[index]
            # Where the guard does not hold, the old value of the result stays.
            kept = effect.kills if effect.guard else 0
            sources = numbers(effect.reads | effect.guard_bit | kept)
            depth = max((depths.get(register, 0) for register in sources), default=0)
            if index in wanted:
                levels.setdefault(depth, []).append(index)
                depth += 1
            depths.update(dict.fromkeys(numbers(effect.kills), depth))
        most = max([most, *levels.values()], key=len)
    return tuple(most)
