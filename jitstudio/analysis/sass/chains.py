"""Instructions that can be under way at a time, as none of them waits for another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
        members: list[int] = []
        # As bits, which members the value of each register has come through, and each waits for.
        through: dict[int, int] = {}
        waits: list[int] = []
        for index in range(block.start, block.end):
            effect = behaviour[index]
            # Where the guard does not hold, the old value of the result stays.
            kept = effect.kills if effect.guard else 0
            passed = 0
            for register in numbers(effect.reads | effect.guard_bit | kept):
                passed |= through.get(register, 0)
            if index in wanted:
                waits.append(passed)
                passed |= 1 << len(members)
                members.append(index)
            through.update(dict.fromkeys(numbers(effect.kills), passed))
        if len(members) > len(most):
            most = max(most, [members[n] for n in _antichain(waits)], key=len)
    return tuple(most)


def _antichain(waits: Sequence[int]) -> list[int]:
    """Returns the largest set of numbers without any that waits for another.

    By the theorems of Dilworth and König: as many as chains are needed to hold all numbers, which
    are the fewest where the most numbers are paired, each with one that it waits for.

    Args:
        waits: For each number all that it waits for, as bits, those of the latter included.
    """
    pairs = _Pairs(waits)
    for number in range(len(waits)):
        pairs.add(number)
    later, earlier = pairs.reached([n for n in range(len(waits)) if n not in pairs.earlier_of])
    return [n for n in sorted(later) if not earlier >> n & 1]


class _Pairs:
    """Pairs of a number and another that waits for the first; a number is in two at most."""

    def __init__(self, waits: Sequence[int]) -> None:
        self._waits = waits
        self._paired = 0
        self._later_of: dict[int, int] = {}
        self.earlier_of: dict[int, int] = {}

    def add(self, number: int) -> None:
        """Pairs a number with an earlier number, changing other pairs; or changes nothing."""
        ways: dict[int, int] = {}
        unseen, queue = ~0, [number]
        for later in queue:
            fresh = self._waits[later] & unseen
            unseen &= ~fresh
            if free := fresh & ~self._paired:
                self._pair(free.bit_length() - 1, later, ways)
                return
            for earlier in numbers(fresh):
                ways[earlier] = later
                queue.append(self._later_of[earlier])

    def _pair(self, free: int, later: int, ways: dict[int, int]) -> None:
        self._paired |= 1 << free
        earlier: int | None = free
        while earlier is not None:
            self._later_of[earlier] = later
            self.earlier_of[later], earlier = earlier, self.earlier_of.get(later)
            later = ways.get(earlier, later) if earlier is not None else later

    def reached(self, alone: Sequence[int]) -> tuple[set[int], int]:
        """Returns the numbers reached by waiting and by pairs in turn; the earlier ones as bits."""
        queue, seen = list(alone), 0
        for later in queue:
            fresh = self._waits[later] & ~seen
            seen |= fresh
            queue += (self._later_of[earlier] for earlier in numbers(fresh))
        return set(queue), seen
