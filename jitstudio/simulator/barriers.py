"""Barriers of blocks and clusters: who waits, when they may go on, and who leaves one out.

What is undefined is by the PTX ISA (``bar``, ``barrier``: with ``.aligned`` all threads of a warp
execute the same instruction) and by the CUDA C++ Programming Guide (``__syncthreads()`` in
conditional code only if the condition is the same for the whole block, and all threads of the block
that have not exited reach it).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.groups import Selection, numbers_of, size_of, subset
from jitstudio.simulator.model import WARP, FaultKind, SyncScope
from jitstudio.simulator.program import PtxInstruction
from jitstudio.simulator.wave import BarrierName, Waiting, Wave, line_of

_ADVICE = (
    "All threads of a block that have not exited must come to the same __syncthreads(). A GPU may "
    "hang there, or take two barriers for one. Move it out of the condition."
)


def arrive(wave: Wave, name: BarrierName, waiting: Waiting) -> None:
    """Takes note of threads that have come to a barrier, and lets go on who may."""
    wave.barriers.setdefault(name, []).append(waiting)
    _release(wave, name)


def look_again(wave: Wave) -> None:
    """Lets go on who waited for threads that have exited or arrived elsewhere."""
    for name in list(wave.barriers):
        _release(wave, name)
    if wave.parked:
        wave.rejoin()


def _release(wave: Wave, name: BarrierName) -> None:
    there = wave.barriers[name]
    if len(there) == 1 and there[0].expected is None and not there[0].arrived:
        # Most often all threads come together.
        only = there[0]
        if name[0] is SyncScope.BLOCK and size_of(only.threads) == wave.live_count:
            del wave.barriers[name]
            _resume(wave, [only])
            _show(wave, name[0], numbers_of(only.threads))
            return
    if name[0] is SyncScope.CLUSTER:
        phases = _cluster_phases(wave)
    else:
        complete = _complete_blocks(wave, there)
        if not complete.any():
            return
    released: list[Waiting] = []
    kept: list[Waiting] = []
    for waiting in there:
        slots = wave.slots[waiting.threads]
        if name[0] is SyncScope.CLUSTER:
            chosen = phases[slots] > wave.cluster_waits[waiting.threads]
        else:
            chosen = complete[slots]
        if chosen.any():
            part = subset(waiting.threads, chosen)
            released.append(replace(waiting, threads=part))
        if not chosen.all():
            rest = subset(waiting.threads, ~chosen)
            expected = None if waiting.expected is None else waiting.expected[~chosen]
            kept.append(replace(waiting, threads=rest, expected=expected))
    if not released:
        return
    if kept:
        wave.barriers[name] = kept
    else:
        del wave.barriers[name]
    _tell_parted(wave, released)
    together = np.sort(np.concatenate([numbers_of(w.threads) for w in released]))
    if name[0] is SyncScope.CLUSTER:
        wave.cluster_waits[together] += 1
    _resume(wave, released)
    _show(wave, name[0], together)


def _cluster_phases(wave: Wave) -> NDArray[np.int64]:
    """Returns for each block slot how often all threads of its cluster have arrived."""
    size = wave.layout.cluster_blocks
    arrivals = np.where(wave.live, wave.cluster_arrivals, np.iinfo(np.int64).max)
    least = arrivals.reshape(len(wave.layout.blocks) // size, -1).min(axis=1)
    return np.repeat(least, size)


def _complete_blocks(wave: Wave, there: list[Waiting]) -> NDArray[np.bool_]:
    """Returns for each block slot whether all have come."""
    blocks = len(wave.layout.blocks)
    live = np.bincount(wave.slots[wave.live], minlength=blocks)
    numbers = np.concatenate([numbers_of(w.threads) for w in there])
    counts = np.bincount(wave.slots[numbers], minlength=blocks)
    explicit = [w for w in there if w.expected is not None]
    if not explicit:
        return (counts >= live) & (counts > 0)
    # Counts are in threads, and a warp counts as whole: lanes that are not live have come.
    warps = np.unique(numbers // WARP)
    absent = WARP - np.bitwise_count(wave.lanes[warps])
    per_block = wave.layout.warps_per_block
    counts = counts + np.bincount(warps // per_block, absent, blocks).astype(np.int64)
    wanted = np.zeros(blocks, np.int64)
    for waiting in explicit:
        assert waiting.expected is not None
        np.maximum.at(wanted, wave.slots[waiting.threads], waiting.expected.astype(np.int64))
    rounded = -(-wanted // WARP) * WARP
    return np.where(wanted > 0, counts >= rounded, (counts >= live) & (counts > 0))


def _resume(wave: Wave, released: list[Waiting]) -> None:
    if any(w.resume is not None for w in released):
        blocks = len(wave.layout.blocks)
        numbers = np.concatenate([numbers_of(w.threads) for w in released])
        slots = wave.slots[numbers]
        all_ = np.bincount(slots, minlength=blocks)
        true = np.bincount(slots[wave.votes[numbers]], minlength=blocks)
        for waiting in released:
            if waiting.resume is not None:
                waiting.resume(wave, waiting.threads, true, all_)
    for waiting in released:
        if not waiting.arrived:
            wave.let_go_on(waiting.depth, waiting.at + 1, waiting.threads)


def _show(wave: Wave, scope: SyncScope, threads: NDArray[np.int64]) -> None:
    if wave.on_synchronised:
        wave.synchronised(threads, scope)


# Barriers that not all threads reach.


def _tell_parted(wave: Wave, released: list[Waiting]) -> None:
    """Takes note of blocks whose threads have met at different instructions."""
    there: dict[int, list[Waiting]] = {}
    for waiting in released:
        if waiting.is_of_all:
            there.setdefault(waiting.at, []).append(waiting)
    for earlier, later in combinations(there.values(), 2):
        last = later[0]
        others = np.concatenate([numbers_of(waiting.threads) for waiting in later])
        for waiting in earlier:
            place = last.instruction, last.since
            _tell_left_out(wave, waiting, others, place, "waits at another one")


def tell_passed(
    wave: Wave, instruction: PtxInstruction, threads: Selection, joins: Callable[[int], int]
) -> None:
    """Takes note of threads at an instruction that have passed by where others of a block wait.

    Args:
        wave: The resident blocks.
        instruction: The instruction.
        threads: Who executes it.
        joins: Gives for the number of a barrier in the kernel what `first_behind` finds.
    """
    for (scope, _), there in wave.barriers.items():
        for waiting in there:
            if (
                scope is SyncScope.BLOCK
                and waiting.depth == 0
                and waiting.is_of_all
                and joins(waiting.at) == instruction.number
            ):
                now = instruction, wave.clock - 1
                _tell_left_out(wave, waiting, numbers_of(threads), now, "has passed it by and is")


def _tell_left_out(
    wave: Wave,
    waiting: Waiting,
    others: NDArray[np.int64],
    where: tuple[PtxInstruction, int],
    what: str,
) -> None:
    """Takes note of others that do not come to a barrier at which some of their block wait.

    Two of one warp are named if there are any.

    Args:
        wave: The resident blocks.
        waiting: Those that wait.
        others: Those that do not come, and some of other blocks.
        where: The instruction that these are at, and the steps before it.
        what: What they do, in words that go on after "Thread … of its block …".
    """
    if (waiting.at, FaultKind.BARRIER) in wave.told:
        return
    numbers = numbers_of(waiting.threads)
    for near, key in (("warp", wave.numbers // WARP), ("block", wave.slots)):
        together = np.isin(key[numbers], key[others])
        if together.any():
            mine = numbers[together]
            mine = mine[key[mine] == key[mine[0]]]
            other = int(others[key[others] == key[mine[0]]][0])
            place = wave.layout.place(where[0], other, where[1])
            wave.tell(
                FaultKind.BARRIER,
                mine,
                "waits at a barrier that not all threads of its block reach",
                at=(waiting.instruction, waiting.since),
                other=place,
                more=f"Thread {place.thread} of its {near} {what} at {line_of(place)}. {_ADVICE}",
            )
            return
