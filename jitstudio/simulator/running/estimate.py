"""An estimate of the time of a simulation, by running some of its blocks first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.running.blocks import LaunchRefused, cluster_extent
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.running.simulate import run_waves
from jitstudio.simulator.state.model import (
    Observer,
    SimulatedLaunch,
    SimulationOutcome,
    SimulationResult,
)

Observers = Callable[[], Sequence[Observer]]
"""Returns new observers for a run."""


class WorkEstimate(NamedTuple):
    """The estimated work of a simulation.

    Attributes:
        seconds: The approximate time; 0 for launches that cannot be run, infinity for launches that
            take too long to be tried.
        steps: Steps of a wave of blocks; 0 for unknown.
    """

    seconds: float = 0.0
    steps: int = 0


_FIRST_BLOCKS, _MORE_THREADS = 3, 1 << 14
# Seconds: of a trial at most, of a trial that needs no second one, and of a short simulation.
_TRIAL_SECONDS, _LONG_TRIAL, _SHORT = 2.0, 0.25, 3.0
_THREAD_SECONDS = 3e-8
"""Seconds that a thread adds to a step, until a second trial has measured them."""


def estimate(
    program: PtxProgram, launch: SimulatedLaunch, observers: Observers = tuple
) -> WorkEstimate:
    """Returns the approximate time and steps of the simulation of a launch.

    A first trial runs the first, the middle and the last block, with a limit of two seconds or a
    tenth of the launch's limit. If the trial is short and the whole is not, a second one runs some
    thousand threads. The time of a step, and the time that a thread adds, follow from both.

    Args:
        program: The PTX.
        launch: The launch.
        observers: Returns the observers of the run, which take most of its time.
    """
    seconds = min(_TRIAL_SECONDS, launch.limits.seconds / 10)
    launch = replace(launch, limits=replace(launch.limits, seconds=seconds))
    try:
        machine = Machine(launch, program, observers())
        waves, largest = len(machine.waves), max(map(len, machine.waves), default=0)
        per_block = launch.threads_per_block
        first = _trial(machine, _FIRST_BLOCKS)
        if first.outcome is SimulationOutcome.REFUSED or not first.steps:
            return WorkEstimate()
        if first.outcome is SimulationOutcome.TIMED_OUT:
            return WorkEstimate(math.inf)
        threads, resident = first.blocks * per_block, largest * per_block
        step = first.seconds / first.steps
        rough = waves * first.steps * (step + _THREAD_SECONDS * (resident - threads))
        more = min(largest, _MORE_THREADS // per_block)
        if rough < _SHORT or more <= first.blocks or first.seconds > _LONG_TRIAL:
            return WorkEstimate(rough, first.steps)
        second = _trial(Machine(launch, program, observers()), more)
    except LaunchRefused:
        return WorkEstimate()
    steps, extra = max(second.steps, 1), max(second.blocks * per_block - threads, 1)
    # From two points: seconds of a step = a + b * threads.
    per_thread = max((second.seconds / steps - step) / extra, 1e-9)
    return WorkEstimate(waves * steps * (step + per_thread * (resident - threads)), steps)


def _trial(machine: Machine, blocks: int) -> SimulationResult:
    """Returns the result of a run of some blocks, or clusters, from all over the grid."""
    cluster = math.prod(cluster_extent(machine.launch, machine.image.kernel))
    clusters = np.concatenate(machine.waves).reshape(-1, cluster)
    chosen = np.linspace(0, len(clusters) - 1, max(1, min(blocks // cluster, len(clusters))))
    machine.waves = [clusters[np.unique(chosen.round().astype(np.int64))].reshape(-1)]
    return run_waves(machine)
