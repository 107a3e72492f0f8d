"""Counts of a line are sums over its steps, and the costliest request is kept."""

from __future__ import annotations

import numpy as np

from jitstudio.simulator.observers.counts import Counter
from jitstudio.simulator.state.model import (
    AccessKind,
    SimulationOutcome,
    SimulationResult,
    StateSpace,
)
from tests.simulator.observing import Scene, instruction

READ, ATOMIC = AccessKind.READ, AccessKind.ATOMIC


def test_lines_have_the_sums_of_their_steps():
    scene = Scene(Counter(), threads=48, blocks=2)
    branch, load = instruction(3, "bra $L;"), instruction(7)
    low = scene.all[:20]
    scene.observer.executed(branch, scene.all)
    scene.observer.branched(branch, scene.all, low)
    for threads in (scene.all, low):
        scene.observer.executed(load, threads)
        scene.access(7, READ, threads * 128, threads, space=StateSpace.GLOBAL)
    scene.observer.executed(instruction(9, "atom.add.u32 %r1, [%rd1], 1;"), low)
    scene.access(9, ATOMIC, low // 8 * 4, low, strong=True)
    result = scene.observer.finished(SimulationResult(SimulationOutcome.FINISHED))
    branch, load, atom = result.lines
    assert (branch.ptx_line, branch.executions, branch.mean_active_lanes) == (3, 4, 24)
    assert branch.divergent == 1
    assert (load.executions, load.thread_executions, load.requests) == (5, 116, 5)
    assert (load.sectors, load.lines_touched, load.bytes_used) == (116, 116, 4 * 116)
    assert (atom.requests, atom.wavefronts, atom.lanes_per_address) == (1, 1, 8)


def test_the_costliest_request_of_each_access_is_kept():
    scene = Scene(Counter(), threads=64)
    scene.access(7, READ, np.where(scene.all < 32, scene.all * 4, (scene.all - 32) * 128))
    scene.access(7, READ, scene.all * 4)
    (sample,) = scene.observer.finished(SimulationResult(SimulationOutcome.FINISHED)).samples
    assert (sample.ptx_line, sample.cost, sample.place.thread) == (7, 32, (32, 0, 0))
    assert sample.lanes == tuple((lane, lane * 128) for lane in range(32))
