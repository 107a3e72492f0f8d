"""Runs a launch in several orders of blocks and warps, and says what depends on the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.problems import listing
from jitstudio.core.launch.request import Buffer
from jitstudio.core.launch.simulation import Fault, OrderDifference, Race
from jitstudio.numerics.dtypes import numpy_dtype
from jitstudio.simulator.observers.races import line_key
from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.model import (
    Observer,
    SimulatedLaunch,
    SimulationOutcome,
    SimulationResult,
)


class ComparedOrders(NamedTuple):
    """What came of further orders.

    Attributes:
        compared: The seeds of those that were run to their end.
        differences: What they have made otherwise.
        faults: What threads did in them only, and must not do, and what has ended them.
        races: Races in them only.
    """

    compared: tuple[int, ...] = ()
    differences: tuple[OrderDifference, ...] = ()
    faults: tuple[Fault, ...] = ()
    races: tuple[Race, ...] = ()


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
    """An end before all blocks have run that is nobody's fault, such as by the limit of steps.

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
        left = " What it leaves in the buffers is not compared with the other orders."
        return OrderDifference(f"{words}{so}: {self.message}{left}", tuple(self.seeds))


_T = TypeVar("_T", Fault, Race)


class _Found(Generic[_T]):
    """What the simulator finds in further orders only, once for each kind and place in the PTX."""

    def __init__(self, usual: Sequence[_T]) -> None:
        self._usual = {_key(one) for one in usual}
        self._seeds: dict[object, tuple[_T, list[int]]] = {}

    def take(self, seed: int, found: Sequence[_T]) -> None:
        """Takes what was found with a seed."""
        for key, one in {_key(one): one for one in found}.items():
            if key not in self._usual:
                self._seeds.setdefault(key, (one, []))[1].append(seed)

    def told(self) -> tuple[_T, ...]:
        """Returns it with its seeds."""
        return tuple(
            replace(one, message=f"{_begin(one, seeds)}: {one.message}", seeds=tuple(seeds))
            for one, seeds in self._seeds.values()
        )


def _key(found: Fault | Race) -> object:
    if isinstance(found, Fault):
        places = sorted(line_key(place) for place in (found.first, found.second) if place)
        return found.kind, found.fatal, *places
    # Which of two accesses is the earlier one is a matter of the order.
    places = sorted((line_key(found.first), line_key(found.second)))
    return "read" in found.kind, found.space, found.same_value, *places


def _begin(found: Fault | Race, seeds: Sequence[int]) -> str:
    ends = isinstance(found, Fault) and found.fatal
    return f"With {_seed_words(seeds)}{' the run does not end well' if ends else ''}"


def _seed_words(seeds: Sequence[int]) -> str:
    return f"seed{'' if len(seeds) == 1 else 's'} {listing(map(str, seeds))}"


def compare_orders(
    launch: SimulatedLaunch,
    program: PtxProgram,
    first: SimulationResult,
    buffers: Sequence[Buffer],
    seeds: Sequence[int],
    observers: Callable[[], Sequence[Observer]],
    seconds: Callable[[], float],
    progress: Callable[[int, float, int], None],
) -> ComparedOrders:
    """Runs a launch with further seeds and compares what is found and left, bit for bit.

    Args:
        launch: What was run.
        program: The PTX.
        first: What came of the run that all others are compared with.
        buffers: Those of the allocations of the launch, in their order.
        seeds: Of the other runs.
        observers: Makes those of a run, new ones for each.
        seconds: Returns how much time is left; none begins without.
        progress: Is given each seed with the share of its run that has been done, now and then, and
            how many steps.
    """
    held = []
    for buffer, memory in zip(buffers, first.memory, strict=True):
        usual = np.frombuffer(memory, np.uint8).reshape(buffer.length, -1)
        held.append(_BufferOrders(buffer, usual, np.zeros(buffer.length, np.bool_)))
    compared: list[int] = []
    ends: dict[SimulationOutcome, _Ending] = {}
    faults, races = _Found(first.faults), _Found(first.races)
    for seed in seeds:
        left = seconds()
        if left <= 0:
            break
        progress(seed, 0.0, 0)
        limits = replace(launch.limits, seconds=left)
        result = simulate(
            replace(launch, seed=seed or None, limits=limits),
            program,
            observers(),
            progress=partial(progress, seed),
            instructions=first.instructions,
        )
        faults.take(seed, result.faults)
        races.take(seed, result.races)
        if result.outcome is SimulationOutcome.TIMED_OUT:
            break
        compared.append(seed)
        if result.outcome is not SimulationOutcome.FINISHED:
            if not any(fault.fatal for fault in result.faults):
                ends.setdefault(result.outcome, _Ending(result.message)).seeds.append(seed)
            continue
        for one, memory in zip(held, result.memory, strict=True):
            one.compare(seed, memory)
    differences = (end.difference() for end in ends.values())
    return ComparedOrders(
        tuple(compared),
        (*differences, *(one.difference() for one in held if one.others)),
        faults.told(),
        races.told(),
    )
