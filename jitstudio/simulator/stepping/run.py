"""A simulated run with a thread to look at: places of threads, and values of names there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.device import linear_index
from jitstudio.simulator.ptx.program import PtxInstruction, PtxProgram
from jitstudio.simulator.ptx.types import TypeKind
from jitstudio.simulator.running.blocks import LaunchRefused
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.model import WARP, Layout, SimulatedLaunch, SimulationLimits
from jitstudio.simulator.stepping.history import StepHistory
from jitstudio.simulator.stepping.playback import RecordedHistory, ShownWave
from jitstudio.simulator.stepping.requests import SimulatedThread, ThreadState
from jitstudio.simulator.stepping.variables import SourceVariables


class SessionError(ValueError):
    """A run that cannot be stepped through; the message is a sentence."""


class ThreadWhereabouts:
    """The place of a thread.

    Attributes:
        state: Whether it runs, waits, has ended or is not resident.
        depth: Of its calls.
        at: The number of its instruction.
        threads: The threads at the same place.
    """

    def __init__(
        self, state: ThreadState, depth: int = 0, at: int = -1, threads: Selection = slice(0, 0)
    ) -> None:
        self.state, self.depth, self.at, self.threads = state, depth, at, threads


class SteppedRun:
    """A run and the thread that is looked at.

    Args:
        program: The PTX.
        launch: The launch; its limits of steps and time do not hold.
        thread: The thread to look at.
        history: A recording that is shown in place of a run; None for a run.

    Attributes:
        history: The run itself.
        launch: The launch.
        program: The PTX.
        thread: The thread.
        variables: The variables of the source.

    Raises:
        SessionError: If the launch cannot be simulated, or has no such thread.
    """

    def __init__(
        self,
        program: PtxProgram,
        launch: SimulatedLaunch,
        thread: SimulatedThread,
        history: RecordedHistory | None = None,
    ) -> None:
        # The user decides how long to step; only memory is limited.
        limits = replace(launch.limits, steps=SimulationLimits().steps, seconds=float("inf"))
        self.launch = replace(launch, limits=limits)
        self.program = program
        self.thread = thread
        self._only_block = history.only_block if history is not None else None
        self.check(thread)
        self.history: StepHistory | RecordedHistory
        try:
            self.history = history or StepHistory(
                lambda: Machine(self.launch, program, notes_written=True)
            )
        except LaunchRefused as refused:
            raise SessionError(str(refused)) from None
        self.variables = SourceVariables(program, self.history.machine.image)

    def check(self, thread: SimulatedThread) -> None:
        """Checks that the launch has a thread.

        Raises:
            SessionError: If not.
        """
        for index, size, noun in (
            (thread.block, self.launch.grid, "block"),
            (thread.thread, self.launch.block, "thread"),
        ):
            if not all(0 <= at < most for at, most in zip(index, size, strict=True)):
                raise SessionError(
                    f"There is no {noun} {index}: the launch has "
                    f"{size[0]} by {size[1]} by {size[2]}."
                )

        if self._only_block is not None and thread.block != self._only_block:
            raise SessionError(
                f"The recording holds block {self._only_block} only. Run the kernel to see others."
            )

    def look_at_number(self, number: int) -> None:
        """Looks at the thread with a number in the wave."""
        layout = self.wave().layout
        self.thread = SimulatedThread(layout.block_of(number), layout.thread_of(number))

    def wave(self) -> ShownWave:
        """Returns the resident blocks, or the last ones that were resident."""
        wave = self.history.machine.wave
        if wave is None:
            raise SessionError("The run has ended.")
        return wave

    def number(self) -> int | None:
        """Returns the number of the thread in the wave; None for a thread that is not resident."""
        return self.number_of(self.thread)

    def number_of(self, thread: SimulatedThread) -> int | None:
        """Returns the number of any thread in the wave; None for a thread that is not resident."""
        wave = self.history.machine.wave
        return number_in(wave.layout, thread) if wave is not None else None

    def where(self, number: int | None) -> ThreadWhereabouts:
        """Returns where a thread is."""
        wave = self.history.machine.wave
        if wave is None or number is None:
            return ThreadWhereabouts(ThreadState.ABSENT)
        for state, depth, at, threads in places(wave):
            if has(threads, number):
                return ThreadWhereabouts(state, depth, at, threads)
        return ThreadWhereabouts(ThreadState.ENDED)

    def instruction(self, at: int) -> PtxInstruction:
        """Returns an instruction by its number."""
        return self.program.instructions[at]

    def values(self, depth: int, at: int, numbers: NDArray[np.int64]) -> Callable[[str], Any]:
        """Returns the values of names in a frame, for some threads.

        Where some of them have no value yet, it is a masked array.
        """
        wave = self.wave()
        function = self.program.functions[self.instruction(at).function]
        bases = wave.bases.get((depth, function.name), {})

        def value(name: str) -> NDArray[Any]:
            # Users write `r1` or `%r1`; registers of hand-written PTX may have names without %.
            kind = function.registers.get(f"%{name}") or function.registers.get(name)
            if kind is not None:
                register = f"%{name}" if f"%{name}" in bases else name
                bits = bases[register][numbers]
                known = wave.has_written(depth, function, register, numbers)
                if kind.kind is TypeKind.FLOAT and kind.dtype.kind == "f":
                    bits = bits.view(kind.dtype)
                elif kind.kind is not TypeKind.UNSIGNED and bits.dtype.kind == "u":
                    # `.b32` registers are shown with a sign, as most of them hold int variables.
                    bits = bits.view(f"i{bits.dtype.itemsize}")
                return known_only(bits, known)
            special = wave.special.get(f"%{name}")
            if special is None:
                return self.variables.value(wave, name, depth, at, numbers)
            selected: NDArray[Any] = np.broadcast_to(special, (wave.layout.threads,))[numbers]
            return selected.astype(np.int64)

        return value


def known_only(values: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[Any]:
    """Returns values that some threads lack: a masked array unless all have theirs."""
    return values if known.all() else np.ma.MaskedArray(values, ~known)


def number_in(layout: Layout, thread: SimulatedThread) -> int | None:
    """Returns the number of a thread among the resident ones; None where it is not resident."""
    slots = np.flatnonzero(layout.blocks == linear_index(thread.block, layout.grid))
    if not len(slots):
        return None
    in_block = linear_index(thread.thread, layout.block)
    return int(slots[0]) * layout.warps_per_block * WARP + in_block


def has(threads: Selection, number: int) -> bool:
    """Returns whether a thread is in a set."""
    if isinstance(threads, slice):
        return bool(threads.start <= number < threads.stop)
    # The numbers of a set are sorted.
    at = int(np.searchsorted(threads, number))
    return at < len(threads) and int(threads[at]) == number


def in_warp(threads: Selection, first: int) -> NDArray[np.int64]:
    """Returns the threads of a set that are in the warp of a first thread."""
    if isinstance(threads, slice):
        start, end = max(threads.start, first), min(threads.stop, first + WARP)
        return np.arange(start, max(start, end), dtype=np.int64)
    start, end = np.searchsorted(threads, [first, first + WARP])
    return threads[start:end]


def places(wave: ShownWave) -> list[tuple[ThreadState, int, int, Selection]]:
    """Returns the places of all threads that have not ended, the next to run first."""
    ready = [(ThreadState.RUNS, depth, at, threads) for (depth, at), threads in wave.groups.items()]
    ready.sort(key=lambda place: (-place[1], place[2]))
    waiting = [
        (ThreadState.WAITS, depth, at, threads) for (depth, at), threads in wave.parked.items()
    ]
    for waiters in wave.barriers.values():
        # `bar.arrive` does not wait: its threads are among the ready groups.
        waiting += [(ThreadState.WAITS, w.depth, w.at, w.threads) for w in waiters if not w.arrived]
    return ready + waiting
