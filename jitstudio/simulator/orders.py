"""Runs a launch in several orders of blocks and warps, and says what depends on the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.problems import listing
from jitstudio.core.launch.request import Buffer
from jitstudio.core.launch.simulation import OrderDifference
from jitstudio.numerics.dtypes import numpy_dtype
from jitstudio.simulator.machine import simulate
from jitstudio.simulator.model import SimulatedLaunch, SimulationOutcome, SimulationResult
from jitstudio.simulator.program import PtxProgram

ComparedOrders = tuple[tuple[int, ...], tuple[OrderDifference, ...]]
"""The seeds of further orders that were run to their end, and what they have made otherwise."""


@dataclass
class _BufferOrders:
    """What one buffer holds after several orders.

    Attributes:
        buffer: Which.
        usual: What it holds after the first order, its elements as rows of bytes.
        differs: Which elements differ in any of the others.
        others: The content after those that differ, by their seeds.
    """

    buffer: Buffer
    usual: NDArray[np.uint8]
    differs: NDArray[np.bool_]
    others: dict[int, NDArray[np.uint8]] = field(default_factory=dict)

    def compare(self, seed: int, memory: bytes) -> None:
        """Compares what another order has left."""
        there = np.frombuffer(memory, np.uint8).reshape(self.usual.shape)
        differs = (there != self.usual).any(axis=1)
        if differs.any():
            self.differs |= differs
            # Only the first of all elements that differ is told.
            self.others[seed] = there[: int(np.argmax(self.differs)) + 1].copy()

    def difference(self) -> OrderDifference:
        """Returns what is different, where anything is."""
        at, count = int(np.argmax(self.differs)), int(np.count_nonzero(self.differs))
        usual = self.usual[at].tobytes()
        told = {seed: there[at].tobytes() for seed, there in self.others.items()}
        other = next(data for data in told.values() if data != usual)
        seeds = [seed for seed, data in told.items() if data == other]
        name, length = self.buffer.name, self.buffer.length
        values = f"{self._text(usual)}, but {self._text(other)} with {_seed_words(seeds)}"
        return OrderDifference(
            f"{count:,} of {length:,} elements of '{name}' depend on the order of blocks and "
            f"warps. {name}[{at:,}] is {values}.",
            tuple(self.others),
            name,
            at,
            count,
        )

    def _text(self, data: bytes) -> str:
        element = numpy_dtype(self.buffer.element)
        held: NDArray[Any] = np.frombuffer(data, element.base).reshape(element.shape)
        return str(held[()] if not element.shape else held.tolist())


@dataclass
class _Ending:
    """An end before all blocks have run.

    Attributes:
        message: Why the first of these runs ended.
        seeds: Those that end there.
    """

    message: str
    seeds: list[int] = field(default_factory=list)

    def difference(self) -> OrderDifference:
        """Returns what is different."""
        words = f"With {_seed_words(self.seeds)} the run ends otherwise"
        so = "" if len(self.seeds) == 1 else f", with seed {self.seeds[0]} so"
        return OrderDifference(f"{words}{so}: {self.message}", tuple(self.seeds))


def _seed_words(seeds: Sequence[int]) -> str:
    return f"seed{'' if len(seeds) == 1 else 's'} {listing(map(str, seeds))}"


def compare_orders(
    launch: SimulatedLaunch,
    program: PtxProgram,
    first: SimulationResult,
    buffers: Sequence[Buffer],
    seeds: Sequence[int],
    seconds: Callable[[], float],
    progress: Callable[[int], None],
) -> ComparedOrders:
    """Runs a launch with further seeds and compares what is in its buffers then, bit for bit.

    Args:
        launch: What was run.
        program: The PTX.
        first: What came of the run that all others are compared with.
        buffers: Those of the allocations of the launch, in their order.
        seeds: Of the other runs.
        seconds: Returns how much time is left; none begins without.
        progress: Is given each seed before its run.
    """
    held = []
    for buffer, memory in zip(buffers, first.memory, strict=True):
        usual = np.frombuffer(memory, np.uint8).reshape(buffer.length, -1)
        held.append(_BufferOrders(buffer, usual, np.zeros(buffer.length, np.bool_)))
    compared: list[int] = []
    ends: dict[object, _Ending] = {}
    for seed in seeds:
        left = seconds()
        if left <= 0:
            break
        progress(seed)
        limits = replace(launch.limits, seconds=left)
        result = simulate(replace(launch, seed=seed or None, limits=limits), program)
        if result.outcome is SimulationOutcome.TIMED_OUT:
            break
        compared.append(seed)
        if result.outcome is not SimulationOutcome.FINISHED:
            # Other threads may be the first to get there.
            place = result.faults[-1].first if result.faults else None
            key = (result.outcome, place.ptx_line if place else 0)
            ends.setdefault(key, _Ending(result.message)).seeds.append(seed)
            continue
        for one, memory in zip(held, result.memory, strict=True):
            one.compare(seed, memory)
    differences = (end.difference() for end in ends.values())
    return tuple(compared), (*differences, *(one.difference() for one in held if one.others))
