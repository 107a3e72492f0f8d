"""Runs a launch in several orders of blocks and warps, and reports differences between them."""

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
    """Differences, faults and races in further orders of a launch.

    Attributes:
        compared: The seeds of those that were run to their end.
        differences: Elements of buffers and endings that are not those of the first order.
        faults: Forbidden actions of threads in these orders only, and faults that ended them.
        races: Races in them only.
    """

    compared: tuple[int, ...] = ()
    differences: tuple[OrderDifference, ...] = ()
    faults: tuple[Fault, ...] = ()
    races: tuple[Race, ...] = ()


@dataclass
class _BufferOrders:
    """Content of a buffer after several orders.

    Attributes:
        buffer: The buffer.
        usual: Its content after the first order, its elements as rows of bytes.
        differs: Which elements differ in any of the others.
        others: The content after those that differ, by their seeds.
    """

    buffer: Buffer
    usual: NDArray[np.uint8]
    differs: NDArray[np.bool_]
    others: dict[int, NDArray[np.uint8]] = field(default_factory=dict)

    def compare(self, seed: int, memory: bytes) -> None:
        """Compares the content of the buffer after another order."""
        content = np.frombuffer(memory, np.uint8).reshape(self.usual.shape)
        # Bit for bit: -0.0 and 0.0 differ, and so do two NaNs with other payloads. A program whose
        # result depends on the order shows it in any bit.
        differs = (content != self.usual).any(axis=1)
        if differs.any():
            self.differs |= differs
            # Only the first of all elements that differ is reported.
            self.others[seed] = content[: int(np.argmax(self.differs)) + 1].copy()

    def difference(self) -> OrderDifference:
        """Returns the first element that differs, with both values; one must differ."""
        at, count = int(np.argmax(self.differs)), int(np.count_nonzero(self.differs))
        usual = self.usual[at].tobytes()
        elements = {seed: content[at].tobytes() for seed, content in self.others.items()}
        alternative = next(data for data in elements.values() if data != usual)
        seeds = [seed for seed, data in elements.items() if data == alternative]
        name, length = self.buffer.name, self.buffer.length
        values = f"{self._text(usual)}, but {self._text(alternative)} with {_seed_words(seeds)}"
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
        value: NDArray[Any] = np.frombuffer(data, element.base).reshape(element.shape)
        return str(value[()] if not element.shape else value.tolist())


@dataclass
class _Ending:
    """An end before all blocks have run that is nobody's fault, such as by the limit of steps.

    Attributes:
        message: Why the first of these runs ended.
        seeds: The seeds of the runs that end so.
    """

    message: str
    seeds: list[int] = field(default_factory=list)

    def difference(self) -> OrderDifference:
        """Returns the other ending with its seeds, in a sentence."""
        words = f"With {_seed_words(self.seeds)} the run ends otherwise"
        so = "" if len(self.seeds) == 1 else f", with seed {self.seeds[0]} so"
        left = " What it leaves in the buffers is not compared with the other orders."
        return OrderDifference(f"{words}{so}: {self.message}{left}", tuple(self.seeds))


_T = TypeVar("_T", Fault, Race)


class _NewReports(Generic[_T]):
    """Faults or races in further orders only, once for each kind and place in the PTX."""

    def __init__(self, usual: Sequence[_T]) -> None:
        self._usual = {_key(report) for report in usual}
        self._seeds: dict[object, tuple[_T, list[int]]] = {}

    def take(self, seed: int, reports: Sequence[_T]) -> None:
        """Adds the reports of the run with a seed, without those of the first order."""
        for key, report in {_key(report): report for report in reports}.items():
            if key not in self._usual:
                self._seeds.setdefault(key, (report, []))[1].append(seed)

    def reports(self) -> tuple[_T, ...]:
        """Returns the reports with their seeds."""
        return tuple(
            replace(
                report, message=f"{_begin(report, seeds)}: {report.message}", seeds=tuple(seeds)
            )
            for report, seeds in self._seeds.values()
        )


def _key(report: Fault | Race) -> object:
    if isinstance(report, Fault):
        places = sorted(line_key(place) for place in (report.first, report.second) if place)
        return report.kind, report.fatal, *places
    # Which of two accesses is the earlier one is a matter of the order.
    places = sorted((line_key(report.first), line_key(report.second)))
    return "read" in report.kind, report.space, report.same_value, *places


def _begin(report: Fault | Race, seeds: Sequence[int]) -> str:
    ends = isinstance(report, Fault) and report.fatal
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
    """Runs a launch with further seeds and compares reports and buffers, bit for bit.

    Args:
        launch: What was run.
        program: The PTX.
        first: The result of the run that all others are compared with.
        buffers: Those of the allocations of the launch, in their order.
        seeds: Of the other runs.
        observers: Returns new observers for a run.
        seconds: Returns how much time is left; no run begins without any.
        progress: Called now and then with the seed, the share of its run that is done, and the
            number of steps.
    """
    contents = []
    for buffer, memory in zip(buffers, first.memory, strict=True):
        usual = np.frombuffer(memory, np.uint8).reshape(buffer.length, -1)
        contents.append(_BufferOrders(buffer, usual, np.zeros(buffer.length, np.bool_)))
    compared: list[int] = []
    ends: dict[SimulationOutcome, _Ending] = {}
    faults, races = _NewReports(first.faults), _NewReports(first.races)
    for seed in seeds:
        seconds_left = seconds()
        if seconds_left <= 0:
            break
        progress(seed, 0.0, 0)
        limits = replace(launch.limits, seconds=seconds_left)
        result = simulate(
            # Seed 0 is the natural order.
            replace(launch, seed=seed or None, limits=limits),
            program,
            observers(),
            progress=partial(progress, seed),
            instructions=first.instructions,
        )
        faults.take(seed, result.faults)
        races.take(seed, result.races)
        # A run that had too little time says nothing of its order.
        if result.outcome is SimulationOutcome.TIMED_OUT:
            break
        compared.append(seed)
        if result.outcome is not SimulationOutcome.FINISHED:
            # A fatal fault is reported as a fault already; its run has no content to compare.
            if not any(fault.fatal for fault in result.faults):
                ends.setdefault(result.outcome, _Ending(result.message)).seeds.append(seed)
            continue
        for content, memory in zip(contents, result.memory, strict=True):
            content.compare(seed, memory)
    differences = (end.difference() for end in ends.values())
    return ComparedOrders(
        tuple(compared),
        (*differences, *(content.difference() for content in contents if content.others)),
        faults.reports(),
        races.reports(),
    )
