"""Runs a launch to its end, or until a limit or the user ends the run, and returns the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.running.blocks import LaunchRefused
from jitstudio.simulator.running.ends import SimulationStop
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.state.faults import file_name
from jitstudio.simulator.state.image import place_of
from jitstudio.simulator.state.memory import WRITTEN, Arena
from jitstudio.simulator.state.model import (
    Observer,
    SimulatedLaunch,
    SimulationOutcome,
    SimulationResult,
)

Progress = Callable[[float, int], None]
"""Takes the share of the expected work that is done, from 0 to 1, and the number of steps."""

_TELL_EVERY = 0.5
"""Seconds between two reports of progress."""

_ALMOST = 0.99
"""The share of a wave that takes longer than expected."""


def simulate(
    launch: SimulatedLaunch,
    program: PtxProgram,
    observers: Sequence[Observer] = (),
    *,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    steps: int = 0,
    instructions: int = 0,
) -> SimulationResult:
    """Runs a launch and returns the result; errors of the launch are results, too.

    Args:
        launch: The launch.
        program: The PTX.
        observers: Are shown each step.
        progress: Called now and then with the share of the expected work that is done, and the
            number of steps; the share is 0 as long as the work is unknown.
        cancelled: Returns whether to stop.
        steps: Expected steps of a wave of blocks; 0 for unknown. From the second wave on the steps
            of the wave before are expected.
        instructions: Expected instructions of the launch, each once for each thread, where they
            are known, as of a launch that has run in another order.
    """
    started = time.monotonic()
    try:
        machine = Machine(launch, program, observers)
    except LaunchRefused as refused:
        return SimulationResult(SimulationOutcome.REFUSED, str(refused))
    return run_waves(machine, _Look(machine, started, progress, cancelled, steps, instructions))


def run_waves(machine: Machine, look: _Look | None = None) -> SimulationResult:
    """Runs the waves of a machine to their end and returns the result; see `simulate`.

    Args:
        machine: A machine before its first wave.
        look: Ends the run and reports progress; None for the limits of the launch only.
    """
    outcome, message, fatal = SimulationOutcome.FINISHED, "", None
    look = look or _Look(machine, time.monotonic())
    launch = machine.launch
    try:
        look()
        for blocks in machine.waves:
            machine.begin(blocks)
            if machine.advance(launch.limits.steps, look):
                raise look.too_many_steps()
            machine.end_wave()
            look.end_wave()
    except SimulationStop as stopped:
        outcome, message, fatal = stopped.outcome, stopped.message, stopped.fault
    # The registers of all resident threads, or memory for observers, did not fit.
    except MemoryError:
        outcome = SimulationOutcome.REFUSED
        message = "There is not enough memory to simulate this launch. Launch fewer threads."
    if machine.wave is not None:
        machine.end_wave()
        # `end_wave` has counted the blocks of a full wave, and these have not ended.
        machine.blocks_done -= len(machine.waves[0])
    heap = machine.image.heap
    faults = [*machine.faults, *([fatal] if fatal is not None else [])]
    result = SimulationResult(
        outcome,
        message,
        machine.instructions,
        machine.steps,
        time.monotonic() - look.started,
        max(machine.blocks_done, 0),
        memory_after(machine),
        "".join(machine.printed),
        not machine.inexact,
        tuple(machine.inexact.values()),
        faults=tuple(faults),
        written=_written_after(machine),
        heap_left=heap.left() if heap and outcome is SimulationOutcome.FINISHED else (),
    )
    for observer in machine.observers:
        result = observer.finished(result)
    return result


def memory_after(machine: Machine) -> tuple[bytes, ...]:
    """Returns the current content of the allocations, then of the launch's variables."""
    return tuple(arena.data[place].tobytes() for arena, place in _places(machine))


def _written_after(machine: Machine) -> tuple[NDArray[np.bool_], ...]:
    """Returns which bytes of `memory_after` have been written."""
    return tuple(arena.state[place] == WRITTEN for arena, place in _places(machine))


def _places(machine: Machine) -> Iterator[tuple[Arena, slice]]:
    """Yields the arena and the place in it of each allocation and each variable of the launch."""
    arena = machine.image.global_arena
    for allocation in machine.launch.allocations:
        start = allocation.address - arena.base
        yield arena, slice(start, start + allocation.size)
    for variable in machine.launch.variables:
        yield place_of(machine.image, variable.symbol) or (arena, slice(0, 0))


class _Look:
    """Ends a simulation that takes too long or that the user cancels, and reports progress.

    Args:
        machine: The machine that runs.
        started: The time of the request, by `time.monotonic`.
        progress, cancelled, steps, instructions: See `simulate`.
    """

    def __init__(
        self,
        machine: Machine,
        started: float,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
        steps: int = 0,
        instructions: int = 0,
    ) -> None:
        self._machine, self.started = machine, started
        self._progress, self._cancelled = progress, cancelled
        self._wave_steps, self._wave_begun = steps, 0
        self._instructions = instructions
        self._blocks = sum(len(wave) for wave in machine.waves)
        self._told_at = started

    def __call__(self) -> None:
        """Raises `SimulationStop` if the simulation is to end."""
        machine, limits = self._machine, self._machine.launch.limits
        if self._cancelled is not None and self._cancelled():
            raise SimulationStop(SimulationOutcome.CANCELLED, "The simulation was cancelled.")
        now = time.monotonic()
        if now - self.started > limits.seconds:
            raise SimulationStop(
                SimulationOutcome.TIMED_OUT,
                f"The simulation was stopped after {limits.seconds:g} s, with "
                f"{machine.blocks_done:,} of {machine.launch.blocks:,} blocks done"
                f"{self._where()}. Raise the time limit, or launch fewer threads.",
            )
        if now - self._told_at > _TELL_EVERY:
            self._told_at = now
            self._report()

    def too_many_steps(self) -> SimulationStop:
        """Returns the end of a simulation that has used up its steps."""
        return SimulationStop(
            SimulationOutcome.OUT_OF_STEPS,
            f"The simulation has taken its limit of {self._machine.launch.limits.steps:,} steps"
            f"{self._where()}. A loop may have no end; if it has one, raise the limit.",
        )

    def end_wave(self) -> None:
        """Notes that a wave has ended: the next ones take about as many steps."""
        self._wave_steps = self._machine.steps - self._wave_begun
        self._wave_begun = self._machine.steps
        self._report()

    def _report(self) -> None:
        """Reports the share of the work that is done."""
        if self._progress is None:
            return
        machine, running = self._machine, 0.0
        # Another order executes the same instructions, apart from rounds of spinning.
        if self._instructions:
            share = min(machine.instructions / self._instructions, _ALMOST)
            self._progress(share, machine.steps)
            return
        if machine.wave is not None and self._wave_steps:
            share = (machine.steps - self._wave_begun) / self._wave_steps
            running = min(share, _ALMOST) * len(machine.wave.layout.blocks)
        self._progress((machine.blocks_done + running) / max(self._blocks, 1), machine.steps)

    def _where(self) -> str:
        wave = self._machine.wave
        if wave is None or wave.current is None:
            return ""
        source = wave.current.source
        if source.line:
            return f", last at line {source.line} of {file_name(source.file)}"
        return f", last at line {wave.current.line} of the PTX"
