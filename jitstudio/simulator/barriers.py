"""Barriers of blocks and clusters: who waits, and when they may go on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.groups import numbers_of, size_of, subset
from jitstudio.simulator.model import WARP, FaultKind, SyncScope
from jitstudio.simulator.wave import BarrierName, Waiting, Wave


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
    _tell_divergence(wave, released)
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


def _tell_divergence(wave: Wave, released: list[Waiting]) -> None:
    """Takes note of warps whose lanes have met at different barrier instructions."""
    places = {(w.depth, w.at) for w in released if not w.arrived}
    if len(places) < 2:
        return
    seen: dict[int, tuple[int, int]] = {}
    for waiting in released:
        if waiting.arrived:
            continue
        for warp in np.unique(numbers_of(waiting.threads) // WARP):
            place = waiting.depth, waiting.at
            if seen.setdefault(int(warp), place) != place:
                wave.tell(
                    FaultKind.BARRIER,
                    numbers_of(waiting.threads),
                    "waits at a barrier while other lanes of its warp wait at another one, as a "
                    "condition has parted them. Older GPUs hang there",
                )
                return
