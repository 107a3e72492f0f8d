"""Barriers of blocks and clusters: threads that wait, go on, or leave a barrier out.

Undefined uses are those of the PTX ISA (``bar``, ``barrier``: with ``.aligned`` all threads of a
warp execute the same instruction) and of the CUDA C++ Programming Guide (``__syncthreads()`` in
conditional code only if the condition is the same for the whole block, and all threads of the block
that have not exited reach the barrier). No barrier waits for threads that have exited.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.advice import advice
from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.faults import line_of
from jitstudio.simulator.state.groups import Selection, numbers_of, packed_lanes, size_of, subset
from jitstudio.simulator.state.left_out import PassedKey, WaitingChain
from jitstudio.simulator.state.model import WARP, FaultKind, SyncScope, Threads
from jitstudio.simulator.state.wave import BarrierName, Waiting, Wave


def arrive(wave: Wave, name: BarrierName, waiting: Waiting) -> None:
    """Notes threads that have come to a barrier, and releases the threads that may go on."""
    wave.barriers.setdefault(name, []).append(waiting)
    if name[0] is SyncScope.BLOCK:
        _tell_who_has_passed(wave, waiting)
    _release(wave, name)


def look_again(wave: Wave) -> None:
    """Releases threads that waited for others that have exited or arrived elsewhere."""
    for name in list(wave.barriers):
        _release(wave, name)
    if wave.parked:
        wave.rejoin()


def _release(wave: Wave, name: BarrierName) -> None:
    waiters = wave.barriers[name]
    if len(waiters) == 1 and waiters[0].expected is None and not waiters[0].arrived:
        # The usual case: all threads of all blocks come together.
        only = waiters[0]
        if name[0] is SyncScope.BLOCK and size_of(only.threads) == wave.live_count:
            del wave.barriers[name]
            # Of __syncthreads() it was told as they came.
            if not only.is_of_all:
                _tell_other_rounds(wave, [only])
            _resume(wave, [only])
            _show(wave, name[0], numbers_of(only.threads))
            return
    if name[0] is SyncScope.CLUSTER:
        phases = _cluster_phases(wave)
    else:
        complete = _complete_blocks(wave, waiters)
        if not complete.any():
            return
    released: list[Waiting] = []
    still_waiting: list[Waiting] = []
    for waiting in waiters:
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
            still_waiting.append(replace(waiting, threads=rest, expected=expected))
    if not released:
        return
    if still_waiting:
        wave.barriers[name] = still_waiting
    else:
        del wave.barriers[name]
    _tell_parted(wave, released)
    if name[0] is SyncScope.BLOCK:
        _tell_other_rounds(wave, released)
    together = np.sort(np.concatenate([numbers_of(w.threads) for w in released]))
    if name[0] is SyncScope.CLUSTER:
        wave.cluster_waits[together] += 1
    _resume(wave, released)
    _show(wave, name[0], together)


def _cluster_phases(wave: Wave) -> NDArray[np.int64]:
    """Returns for each block slot how often all threads of its cluster have arrived."""
    size = wave.layout.cluster_blocks
    # Exited threads count as arrived in all phases.
    arrivals = np.where(wave.live, wave.cluster_arrivals, np.iinfo(np.int64).max)
    least = arrivals.reshape(len(wave.layout.blocks) // size, -1).min(axis=1)
    return np.repeat(least, size)


def _complete_blocks(wave: Wave, waiters: list[Waiting]) -> NDArray[np.bool_]:
    """Returns for each block slot whether all threads have come."""
    blocks = len(wave.layout.blocks)
    live = np.bincount(wave.slots[wave.live], minlength=blocks)
    numbers = np.concatenate([numbers_of(w.threads) for w in waiters])
    counts = np.bincount(wave.slots[numbers], minlength=blocks)
    explicit = [w for w in waiters if w.expected is not None]
    if not explicit:
        return (counts >= live) & (counts > 0)
    # PTX ISA, `bar`: the arrival count grows by the warp size, not by the active threads of the
    # warp. So lanes that are not live have come.
    warps = np.unique(numbers // WARP)
    come = packed_lanes(numbers, wave.layout.threads)
    absent = WARP - np.bitwise_count((wave.lanes | come)[warps])
    per_block = wave.layout.warps_per_block
    counts = counts + np.bincount(warps // per_block, absent, blocks).astype(np.int64)
    _tell_wrong_counts(wave, explicit, counts)
    expected_count = np.zeros(blocks, np.int64)
    for waiting in explicit:
        assert waiting.expected is not None
        np.maximum.at(
            expected_count, wave.slots[waiting.threads], waiting.expected.astype(np.int64)
        )
    # PTX ISA, `bar`: the number of threads must be a multiple of the warp size.
    rounded = -(-expected_count // WARP) * WARP
    return np.where(expected_count > 0, counts >= rounded, (counts >= live) & (counts > 0))


def _resume(wave: Wave, released: list[Waiting]) -> None:
    # `barrier.red` counts the votes of all threads of the block that took part.
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
    """Notes blocks whose threads have met at different barrier instructions."""
    by_instruction: dict[int, list[Waiting]] = {}
    for waiting in released:
        if waiting.is_of_all:
            by_instruction.setdefault(waiting.at, []).append(waiting)
    for earlier, later in combinations(by_instruction.values(), 2):
        last = later[0]
        others = np.concatenate([numbers_of(waiting.threads) for waiting in later])
        for waiting in earlier:
            place = last.instruction, last.since
            _tell_left_out(wave, waiting, others, place, "waits at another one")


def tell_passed(wave: Wave, instruction: PtxInstruction, depth: int, threads: Selection) -> None:
    """Notes threads that come to a place behind a barrier at which others of the block wait.

    Args:
        wave: The resident blocks.
        instruction: The instruction behind the barrier.
        depth: Of the calls of these threads.
        threads: The threads that come there.
    """
    passed = wave.passed_barriers
    assert passed is not None
    keys = passed.come(depth, instruction, threads, wave.clock - 1)
    for (scope, _), waiters in wave.barriers.items():
        for waiting in waiters:
            if scope is SyncScope.BLOCK and waiting.is_of_all and waiting.depth >= depth:
                _tell_others_passed(wave, waiting, keys, "has passed it by and is")


def _tell_who_has_passed(wave: Wave, waiting: Waiting) -> None:
    """Notes threads that have left out a barrier that others come to now."""
    if wave.passed_barriers is not None and waiting.is_of_all:
        _tell_others_passed(wave, waiting, None, "has left it out before, and was")


def _tell_others_passed(
    wave: Wave, waiting: Waiting, keys: list[PassedKey] | None, verb: str
) -> None:
    """Notes threads that have passed by a barrier more often than the waiting threads.

    Args:
        wave: The resident blocks.
        waiting: The threads that wait.
        keys: The places that count; None for all.
        verb: See `_tell_left_out`.
    """
    passed = wave.passed_barriers
    assert passed is not None
    numbers = numbers_of(waiting.threads)
    for frame in passed.frames(waiting.depth, waiting.at, numbers, wave.returns):
        if keys is None or frame.key in keys:
            _tell_unequal(wave, waiting, frame, wave.numbers, verb)


def _tell_unequal(
    wave: Wave, waiting: Waiting, frame: WaitingChain, among: Threads, verb: str
) -> None:
    """Notes threads among some that have been behind a barrier more often than others."""
    passed = wave.passed_barriers
    assert passed is not None
    counts = passed.counts[frame.key]
    blocks = len(wave.layout.blocks)
    # Compared within each block: blocks may be in different rounds of their loops.
    fewest = np.full(blocks, np.iinfo(np.int32).max, np.int64)
    np.minimum.at(fewest, wave.slots[frame.numbers], frame.counts)
    ahead = among[counts[among] > fewest[wave.slots[among]]]
    if not ahead.size:
        return
    most = np.zeros(blocks, np.int64)
    np.maximum.at(most, wave.slots[ahead], counts[ahead])
    late = frame.numbers[frame.counts < most[wave.slots[frame.numbers]]]
    _tell_left_out(wave, replace(waiting, threads=late), ahead, passed.last[frame.key], verb)


def _tell_other_rounds(wave: Wave, released: list[Waiting]) -> None:
    """Notes threads that meet at a barrier in different rounds of a loop."""
    if wave.passed_barriers is None:
        return
    by_place: dict[tuple[int, int], list[Waiting]] = {}
    for waiting in released:
        if not waiting.arrived:
            by_place.setdefault((waiting.depth, waiting.at), []).append(waiting)
    for (depth, at), together in by_place.items():
        numbers = np.sort(np.concatenate([numbers_of(waiting.threads) for waiting in together]))
        for frame in wave.passed_barriers.frames(depth, at, numbers, wave.returns):
            if frame.counts.min() != frame.counts.max():
                verb = "meets it there in another round of the loop, and was"
                _tell_unequal(wave, together[0], frame, frame.numbers, verb)


def _tell_wrong_counts(wave: Wave, waiters: list[Waiting], counts: NDArray[np.int64]) -> None:
    """Notes barriers for a number of threads that is no multiple of 32, or too small.

    Args:
        wave: The resident blocks.
        waiters: The threads that have come.
        counts: Their number in each block.
    """
    for waiting in waiters:
        if waiting.expected is None:
            continue
        expected = waiting.expected.astype(np.int64)
        numbers = numbers_of(waiting.threads)
        come = counts[wave.slots[numbers]]
        for wrong, words in (
            (expected % WARP != 0, "is for {wanted} threads, which is not a multiple of 32"),
            (
                (expected % WARP == 0) & (come > expected) & (come % np.maximum(expected, 1) != 0),
                "is for {wanted} threads, and {come} of its block come to it together",
            ),
        ):
            if wrong.any():
                first = int(np.argmax(wrong))
                words_with_numbers = words.format(
                    wanted=int(expected[first]), come=int(come[first])
                )
                wave.tell(
                    FaultKind.BARRIER,
                    numbers[wrong],
                    f"waits at a barrier that {words_with_numbers}",
                    at=(waiting.instruction, waiting.since),
                )


def _tell_left_out(
    wave: Wave,
    waiting: Waiting,
    others: NDArray[np.int64],
    where: tuple[PtxInstruction, int],
    verb: str,
) -> None:
    """Notes threads that do not come to a barrier at which others of their block wait.

    The message names two threads of one warp if possible.

    Args:
        wave: The resident blocks.
        waiting: The threads that wait.
        others: The threads that do not come, perhaps with some of other blocks.
        where: The instruction that these are at, and the steps before it.
        verb: Their action, in words that go on after "Thread … of its block …".
    """
    numbers = numbers_of(waiting.threads)
    numbers, others = (n[~wave.parted[wave.slots[n]]] for n in (numbers, others))
    # Two threads of one warp show the divergence best.
    for near, key in (("warp", wave.numbers // WARP), ("block", wave.slots)):
        together = np.isin(key[numbers], key[others])
        if together.any():
            first = int(numbers[together][0])
            other = int(others[key[others] == key[first]][0])
            mine = numbers[wave.slots[numbers] == wave.slots[first]]
            absent = int(np.count_nonzero(wave.slots[others] == wave.slots[first]))
            blocks = np.intersect1d(wave.slots[numbers], wave.slots[others])
            wave.parted[blocks] = True
            place = wave.layout.place(where[0], other, where[1])
            more = f"Thread {place.thread} of its {near} {verb} at {line_of(place)}"
            more += f", as {absent - 1:,} more of the block are. " if absent > 1 else ". "
            if len(blocks) > 1:
                count = len(blocks) - 1
                more += f"So it is in {count:,} more block{'s' if count > 1 else ''}. "
            wave.tell(
                FaultKind.BARRIER,
                np.concatenate(([first], mine[mine != first])),
                "waits at a barrier that not all threads of its block reach",
                at=(waiting.instruction, waiting.since),
                other=place,
                more=more + advice("barrier"),
            )
            return
