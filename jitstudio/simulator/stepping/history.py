"""A simulated run at any of its steps, forward and back.

A run is deterministic, so a state is reached from any earlier one by executing the steps between.
Snapshots are kept on the way, so far apart that replaying from one to the next takes a twentieth of
a second. A snapshot holds the pages of 4 KiB that have changed since the one before and shares all
others. Where snapshots take too much memory, every second one of the older half goes. For the steps
between two snapshots the history notes which threads have executed which instructions, so that a
search need not replay all of them.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.running.ends import SimulationStop
from jitstudio.simulator.running.machine import Machine, MachineCounters
from jitstudio.simulator.state.memory import Arena
from jitstudio.simulator.state.model import Layout, SimulationOutcome, StateSpace
from jitstudio.simulator.state.wave import Wave, WaveState
from jitstudio.simulator.stepping.requests import StopReason

PAGE = 4096
INTERVAL = 0.05
"""Seconds of replay between two snapshots."""

MOST_BYTES = 1 << 30
"""Bytes that all snapshots together may take."""

_Pages = tuple[bytes, ...]
_Key = tuple[Any, ...]
# Steps of a replay between two looks at the clock.
_LOOK_EVERY = 64
# A snapshot takes at most this share of the time that leads to the next one.
_SHARE = 4


@dataclass(frozen=True, eq=False)
class _Snapshot:
    """A state of the machine.

    Attributes:
        step: Steps that had been executed.
        wave_index: The index of its wave, or of the next one between two waves.
        counters: Of the machine.
        wave: Its wave; None between two waves.
        state: The state of the wave.
        pages: The content of each array, page by page; only pages that differ are objects of their
            own.
    """

    step: int
    wave_index: int
    counters: MachineCounters
    wave: Wave | None
    state: WaveState | None
    pages: dict[_Key, _Pages]


@dataclass(frozen=True, eq=False)
class Stretch:
    """The steps from one snapshot to the next, and the threads at each instruction in them.

    Attributes:
        start: The first step.
        end: One more than the last step.
        layout: The resident threads; None for a stretch over several waves.
        visits: By the first of instructions executed in a row up to a jump: the threads that did,
            as bits, those with low numbers in the low bits.
    """

    start: int
    end: int
    layout: Layout | None
    visits: dict[int, bytes]

    def begun(self, first: int, count: int) -> Iterator[int]:
        """Yields the first instructions of rows that any of successive threads have executed."""
        at, end, mask = first // 8, (first + count + 7) // 8, ((1 << count) - 1) << first % 8
        for number, bits in self.visits.items():
            if int.from_bytes(bits[at:end], "little") & mask:
                yield number

    def until(self, later: Stretch) -> Stretch:
        """Returns this stretch joined with the next one."""
        if self.layout is not later.layout:
            return Stretch(self.start, later.end, None, {})
        both = dict(self.visits)
        for number, bits in later.visits.items():
            bits_here = both.get(number, b"")
            merged = int.from_bytes(bits_here, "little") | int.from_bytes(bits, "little")
            both[number] = merged.to_bytes(len(bits), "little")
        return Stretch(self.start, later.end, self.layout, both)


class StepHistory:
    """A run in both directions.

    Args:
        make: Makes the machine, before its first step.
        interval: See `INTERVAL`.
        most_bytes: See `MOST_BYTES`.

    Attributes:
        machine: The machine, in the state of the current step.
        last_step: The furthest step that has been reached.
        end: How the run ended, at the step behind the last one; None while unknown.
        is_thinned: Whether snapshots had to go.
    """

    first_reason, last_reason = StopReason.START, StopReason.END

    def __init__(
        self,
        make: Callable[[], Machine],
        *,
        interval: float = INTERVAL,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.machine = make()
        self.last_step = 0
        self.end: SimulationStop | None = None
        self.is_finished = False
        self.is_thinned = False
        self.bytes = 0
        self._interval, self._most_bytes = interval, most_bytes
        self._wave_index = 0
        self._snapshots: list[_Snapshot] = []
        # The stretch behind each snapshot but the last one, whose steps still go on.
        self._stretches: list[Stretch] = []
        self._visits: dict[int, NDArray[np.bool_]] = {}
        self._layout: Layout | None = None
        self._due = 0.0
        # The bytes and pages of each array at the last snapshot, to find the pages changed since.
        self._contents: dict[_Key, tuple[NDArray[np.uint8], _Pages]] = {}
        self._keep()
        self._make_ready()

    @property
    def step(self) -> int:
        """How many steps have been executed."""
        return self.machine.steps

    @property
    def is_at_end(self) -> bool:
        """Whether there is no further step."""
        return (self.is_finished or self.end is not None) and self.step >= self.last_step

    @property
    def ended(self) -> str:
        """How the run ended, a sentence; empty while the run can go on."""
        if self.end is not None and self.step >= self.last_step:
            return self.end.message
        return "All threads have ended." if self.is_at_end else ""

    def forward(self, count: int = 1, stops: Container[int] = frozenset()) -> bool:
        """Executes steps; returns whether there was any.

        Args:
            count: Most steps; fewer where the furthest step so far comes first.
            stops: Instructions before which to stop, too, except before the first step.
        """
        machine = self.machine
        if machine.wave is None or self.is_at_end:
            return False
        until = self.step + count
        if self.step < self.last_step:
            until = min(until, self.last_step)
        started, before = time.monotonic(), self.step
        # Steps that are replayed have been noted before.
        machine.visits = self._visits if before == self.last_step else None
        try:
            if not machine.advance(until, None, stops):
                self._make_ready()
        except SimulationStop as stopped:
            self.end = stopped
            if stopped.outcome is SimulationOutcome.DEADLOCKED and not machine.wave.groups:
                # All threads wait, which no step has caused.
                self.last_step = self.step
            else:
                # The state before the fault is of use, the one behind it is half changed.
                self.last_step = self.step - 1
                self._restore_to(self.last_step)
            return self.step > before
        if self.step > self.last_step:
            self.last_step = self.step
            self._due -= time.monotonic() - started
            if self._due <= 0 and machine.wave is not None:
                self._keep()
        return True

    def go_to(self, step: int, seconds: float = float("inf")) -> bool:
        """Goes to a step; returns whether the run is there, or ends before.

        Args:
            step: The number of the step.
            seconds: The time after which to stop on the way.
        """
        deadline = time.monotonic() + seconds
        if not self._snapshots[self._snapshot_at(step)].step <= self.step <= step:
            self.restore(step)
        while self.step < step:
            if not self.forward(min(step - self.step, _LOOK_EVERY)):
                return True
            if time.monotonic() > deadline:
                return self.step >= step
        return True

    def restore(self, step: int) -> None:
        """Goes to the nearest snapshot before a step."""
        self._restore_to(step, replay=False)

    def stretches(self, end: int) -> list[Stretch]:
        """Returns the stretches before a step, the last of them up to the step."""
        if end <= 0:
            return []
        index = self._snapshot_at(end - 1)
        stretches = [*self._stretches, self._stretch()][: index + 1]
        stretches[-1] = replace(stretches[-1], end=end)
        return stretches

    # How it does it.

    def _stretch(self) -> Stretch:
        """Returns the stretch behind the last snapshot."""
        last = self._stretches[-1].visits if self._stretches else {}
        visits = {}
        for number, threads in self._visits.items():
            # Equal bits are one object: in a loop the same threads are there stretch after stretch.
            bits, before = np.packbits(threads, bitorder="little").tobytes(), last.get(number)
            visits[number] = before if before == bits else bits
        return Stretch(self._snapshots[-1].step, self.last_step, self._layout, visits)

    def _make_ready(self) -> bool:
        """Lets the next wave begin where the last one has ended; returns whether there is any."""
        machine = self.machine
        while True:
            if machine.wave is not None:
                try:
                    if machine.advance(machine.steps):
                        return True
                except SimulationStop as stopped:
                    # All threads wait, and none can go on.
                    self.end, self.last_step = stopped, self.step
                    return False
                machine.end_wave()
                self._wave_index += 1
            if self._wave_index >= len(machine.waves):
                self.is_finished = True
                return False
            if self.step == self.last_step and self._wave_index and self.end is None:
                self._keep()
            wave = machine.begin(machine.waves[self._wave_index])
            if self.step == self.last_step:
                self._layout = wave.layout

    def _restore_to(self, step: int, *, replay: bool = True) -> None:
        snapshot = self._snapshots[self._snapshot_at(step)]
        machine = self.machine
        machine.steps = snapshot.step
        machine.set_counters(snapshot.counters)
        self._wave_index = snapshot.wave_index
        machine.wave = snapshot.wave
        if snapshot.wave is not None and snapshot.state is not None:
            snapshot.wave.restore(snapshot.state)
        for key, array in self._arrays():
            pages = snapshot.pages.get(key)
            flat = _flat(array)
            if pages is None:
                # Registers of a function that had not been called at this step.
                flat[:] = 0
            else:
                flat[:] = np.frombuffer(b"".join(pages), np.uint8)
        for arena in self._arenas():
            arena.forget()
        self._make_ready()
        while replay and self.step < step:
            self.forward(step - self.step)

    def _snapshot_at(self, step: int) -> int:
        """Returns the index of the nearest snapshot before a step."""
        return max(0, bisect_right(self._snapshots, step, key=lambda snapshot: snapshot.step) - 1)

    def _arenas(self) -> list[Arena]:
        machine = self.machine
        arenas = [machine.image.global_arena]
        if machine.wave is not None:
            arenas += [machine.wave.arenas[s] for s in (StateSpace.SHARED, StateSpace.LOCAL)]
        return arenas

    def _arrays(self) -> list[tuple[_Key, NDArray[Any]]]:
        """Returns all arrays that steps change, by names."""
        arrays: list[tuple[_Key, NDArray[Any]]] = []
        for arena in self._arenas():
            arrays += [((arena.space, "data"), arena.data), ((arena.space, "state"), arena.state)]
            if arena.codes is not None:
                arrays.append(((arena.space, "codes"), arena.codes))
        wave = self.machine.wave
        if wave is not None:
            attributes = vars(wave).items()
            arrays += [
                (("wave", n), array) for n, array in attributes if isinstance(array, np.ndarray)
            ]
            for frame, bases in wave.bases.items():
                arrays += [(("frame", *frame, name), array) for name, array in bases.items()]
            if wave.written is not None:
                written_flags = wave.written.flags.items()
                arrays += [(("written", *frame), flags) for frame, flags in written_flags]
            if wave.passed_barriers is not None:
                arrays += [
                    (("passed", *key), array) for key, array in wave.passed_barriers.counts.items()
                ]
                arrays += [
                    (("chain", depth), array)
                    for depth, array in enumerate(wave.passed_barriers.chains)
                ]
            arrays += [(("stack", depth), array) for depth, array in enumerate(wave.stacks)]
            arrays += [(("return", depth), array) for depth, array in enumerate(wave.returns)]
        return arrays

    def _keep(self) -> None:
        """Keeps a snapshot of the current state."""
        machine, wave = self.machine, self.machine.wave
        if self._snapshots and self._snapshots[-1].step >= self.step and wave is not None:
            return
        started = time.monotonic()
        if self._snapshots:
            self._stretches.append(self._stretch())
            self._visits = {}
            self.bytes += _bytes_of(self._stretches[-1:])
        pages: dict[_Key, _Pages] = {}
        for key, array in self._arrays():
            pages[key] = self._paged(key, _flat(array))
        state = wave.copied_state() if wave is not None else None
        self._snapshots.append(
            _Snapshot(self.step, self._wave_index, machine.counters(), wave, state, pages)
        )
        self._due = max(self._interval, _SHARE * (time.monotonic() - started))
        if self.bytes > self._most_bytes:
            self._thin()

    def _paged(self, key: _Key, flat: NDArray[np.uint8]) -> _Pages:
        """Returns the pages of an array, unchanged ones shared with the last snapshot."""
        last_seen = self._contents.get(key)
        if last_seen is None or len(last_seen[0]) != len(flat):
            pages = tuple(flat[at : at + PAGE].tobytes() for at in range(0, len(flat), PAGE))
            self._contents[key] = flat.copy(), pages
            self.bytes += 2 * len(flat)
            return pages
        before, pages = last_seen
        if np.array_equal(before, flat):
            return pages
        changed = list(pages)
        whole = len(flat) // PAGE * PAGE
        differs = (before[:whole] != flat[:whole]).reshape(-1, PAGE).any(axis=1)
        last = () if np.array_equal(before[whole:], flat[whole:]) else (len(differs),)
        for at in (*np.flatnonzero(differs).tolist(), *last):
            part = slice(at * PAGE, at * PAGE + PAGE)
            changed[at] = flat[part].tobytes()
            before[part] = flat[part]
            self.bytes += len(changed[at])
        pages = tuple(changed)
        self._contents[key] = before, pages
        return pages

    def _thin(self) -> None:
        """Drops every second snapshot of the older half, but never the first one."""
        self.is_thinned = True
        half = max(len(self._snapshots) // 2, 1)
        numbers = [0, *range(2, half, 2), *range(half, len(self._snapshots))]
        self._snapshots = [self._snapshots[number] for number in numbers]
        self._stretches = [
            reduce(Stretch.until, self._stretches[number:until])
            for number, until in pairwise(numbers)
        ]
        # Pages are shared between snapshots, and each counts once.
        counted: set[int] = set()
        total = 0
        for snapshot in self._snapshots:
            for pages in snapshot.pages.values():
                for page in pages:
                    if id(page) not in counted:
                        counted.add(id(page))
                        total += len(page)
        self.bytes = total + sum(len(before) for before, _ in self._contents.values())
        self.bytes += _bytes_of(self._stretches)
        # Most of the memory is of the newer half: later snapshots have to be further apart.
        if self.bytes > self._most_bytes // 2:
            self._interval *= 2


def _bytes_of(stretches: list[Stretch]) -> int:
    return sum(len(bits) for stretch in stretches for bits in stretch.visits.values())


def _flat(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Returns the bytes of an array, which change with it."""
    flat = array.reshape(-1).view(np.uint8)
    assert np.shares_memory(flat, array) or not array.size
    return flat
