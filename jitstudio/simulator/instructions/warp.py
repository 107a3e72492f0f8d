"""Operations among the lanes of a warp, and fences: `shfl vote match redux elect`.

A `.sync` operation waits until all lanes that its mask names have come, except for exited ones.
Each thread first puts its operand where all lanes can see it; when all have come, each computes its
result from these operands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.instructions.table import Binding, Flow, Move, Moves, Step, form
from jitstudio.simulator.ptx.program import ImmediateOperand, PtxOperand
from jitstudio.simulator.ptx.types import PREDICATE, TYPES
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import (
    Selection,
    numbers_of,
    packed_lanes,
    size_of,
    subset,
    united,
)
from jitstudio.simulator.state.model import WARP, FaultKind, SyncScope, Threads
from jitstudio.simulator.state.wave import Meeting, Wave

Lanes = NDArray[np.uint32]
ALL_LANES = ImmediateOperand(0xFFFFFFFF)
"""The mask of a whole warp."""


@dataclass(frozen=True)
class Operation:
    """A collective operation of threads.

    Attributes:
        gives: Puts the operands of threads where all lanes see them; None for nothing.
        takes: Computes results; called with the lanes of each thread's warp that take part.
    """

    gives: Callable[[Wave, Frame, Selection], None] | None
    takes: Callable[[Wave, Frame, Selection, Lanes], None] | None


def meet(b: Binding, mask: PtxOperand, operation: Operation, warps_together: int = 1) -> Flow:
    """Binds an operation to threads that wait for each other.

    Args:
        b: The instruction.
        mask: The lanes of a warp that wait.
        operation: The operation of all of them.
        warps_together: Successive warps of a block that wait for each other at this instruction.
    """
    slot, at, layout = b.source(mask, TYPES["u32"]), b.instruction.number, b.layout
    instruction = b.instruction
    is_sync = b.has("sync")

    def finish(wave: Wave, depth: int, threads: Selection) -> None:
        f = wave.frame(depth, layout)
        if is_sync:
            _check_same_masks(wave, f[slot][threads], threads)
        if operation.takes is not None:
            wave.undefined.look_at((depth, instruction.function))
            warps = wave.numbers[threads] // WARP
            operation.takes(wave, f, threads, f[slot][threads] & wave.lanes[warps])
        wave.note_results(depth, layout, instruction, threads)
        if wave.on_synchronised:
            _show_meeting(wave, numbers_of(threads), f[slot][threads] if is_sync else None)

    def ready(wave: Wave, depth: int, threads: Selection, present: Lanes) -> NDArray[np.bool_]:
        masks = wave.frame(depth, layout)[slot][threads]
        warps = wave.numbers[threads] // WARP
        # Exited lanes are waited for by nobody.
        come: NDArray[np.bool_] = masks & wave.lanes[warps] & ~present[warps] == 0
        if warps_together > 1:
            firsts = wave.products.first_warps(np.arange(len(present)))
            # By the first warp of each set of warps: how many of them lack a live lane here.
            absent = np.bincount(firsts, wave.lanes & ~present != 0, len(present))
            come &= absent[firsts[warps]] == 0
        return come

    name = b.instruction.full_opcode
    b.meetings[at] = Meeting(f"{name} {at}" if warps_together > 1 else name, ready, finish)

    def flow(wave: Wave, f: Frame, depth: int, active: Selection, rest: Selection | None) -> Moves:
        moves = [] if rest is None else [Move(depth, at + 1, rest)]
        if operation.gives is not None:
            operation.gives(wave, f, active)
        # Forms without `.sync`, from before Volta: the lanes that are here together take part.
        if not is_sync:
            warps = wave.numbers[active] // WARP
            present = packed_lanes(wave.numbers[active], wave.layout.threads)
            if operation.takes is not None:
                wave.undefined.look_at((depth, instruction.function))
                operation.takes(wave, f, active, present[warps])
            wave.note_results(depth, layout, instruction, active)
            return [*moves, Move(depth, at + 1, active)]
        _check_own_lane(wave, f[slot][active], active)
        if (waiting := wave.parked.pop((depth, at), None)) is not None:
            active = united(active, waiting)
        # The usual case first: all live threads come at once, and nobody has to wait.
        if size_of(active) != wave.live_count:
            present = packed_lanes(wave.numbers[active], wave.layout.threads)
            come = ready(wave, depth, active, present)
            if not come.all():
                wave.parked[depth, at] = subset(active, ~come)
                if not come.any():
                    return moves
                active = subset(active, come)
        finish(wave, depth, active)
        return [*moves, Move(depth, at + 1, active)]

    return flow


def _check_own_lane(wave: Wave, masks: Lanes, threads: Selection) -> None:
    numbers = wave.numbers[threads]
    own = masks >> (numbers % WARP).astype(np.uint32) & np.uint32(1)
    # PTX ISA, `shfl.sync`, `vote.sync`: undefined if the executing thread is not in membermask.
    if not own.all():
        wave.tell(
            FaultKind.BARRIER,
            numbers[own == 0],
            "is not among the lanes that the mask of its operation names, so its result is open",
        )


def _show_meeting(wave: Wave, numbers: Threads, masks: NDArray[Any] | None) -> None:
    """Shows observers the threads that have met: lanes with other masks have not."""
    if masks is None:
        wave.synchronised(numbers, SyncScope.WARP)
        return
    # Such as two tiles of a warp, which are at one instruction with masks of their own.
    for mask in np.unique(masks):
        wave.synchronised(numbers[masks == mask], SyncScope.WARP)


def _check_same_masks(wave: Wave, masks: Lanes, threads: Selection) -> None:
    """Notes lanes whose mask is not that of the highest and the lowest lane in their mask."""
    if (masks == masks[0]).all():
        return
    numbers = wave.numbers[threads]
    live = masks & wave.lanes[numbers // WARP]
    all_live = np.zeros(wave.layout.threads, np.uint32)
    all_live[numbers] = live
    first = numbers - numbers % WARP
    # `x & -x` is the lowest bit; one less than that has as many bits as are below.
    lowest = np.bitwise_count((live & -live) - np.uint32(1))
    highest = np.floor(np.log2(np.maximum(live, 1))).astype(np.int64)
    for lane in (lowest, highest):
        masks_there = all_live[first + lane]
        # Lanes at other instructions have no mask here.
        wrong = (masks_there != live) & (masks_there != 0) & (live != 0)
        if wrong.any():
            wave.tell(
                FaultKind.BARRIER,
                numbers[wrong],
                f"names lane {int(lane[wrong][0])} in its mask, which names other lanes. All of "
                "them must have the same mask, or the result is open",
            )
            return


def _mask(operands: tuple[PtxOperand, ...], index: int) -> PtxOperand:
    return operands[index] if len(operands) > index else ALL_LANES


def _giving(slot: int, negated: bool = False) -> Callable[[Wave, Frame, Selection], None]:
    def gives(wave: Wave, f: Frame, s: Selection) -> None:
        values = f[slot][s]
        wave.exchange[s] = ~values if negated else values

    return gives


@form("bar.warp.sync", flow=True, count=1)
def bar_warp_sync(b: Binding) -> Flow:
    return meet(b, b.instruction.operands[0], Operation(None, None))


# Shuffles.


@form("shfl", "b32", needs="up/down/bfly/idx", flow=True, count=4)
@form("shfl", "b32", needs="sync up/down/bfly/idx", flow=True, count=5)
def shfl(b: Binding) -> Flow:
    first, source, amount, clamp, *_ = operands = b.instruction.operands
    target, predicate = b.pair(first)
    place = b.target(target, TYPES["b32"])
    p = None if predicate is None else b.target(predicate, PREDICATE)
    value = b.source(source, TYPES["b32"])
    by, limit = b.source(amount, TYPES["u32"]), b.source(clamp, TYPES["u32"])
    mode = next(w for w in b.instruction.modifiers if w in ("up", "down", "bfly", "idx"))
    instruction = b.instruction

    def takes(wave: Wave, f: Frame, s: Selection, lanes: Lanes) -> None:
        numbers = wave.numbers[s]
        lane = numbers % WARP
        # PTX ISA, `shfl.sync`: bval = b[4:0], cval = c[4:0], segmask = c[12:8].
        bits, c = f[by][s].astype(np.int64) & 31, f[limit][s].astype(np.int64)
        segment = c >> 8 & 31
        # maxLane; for `.up` it is the lowest lane of the segment that has a source.
        most = (lane & segment) | (c & 31 & ~segment)
        if mode == "up":
            other = lane - bits
            valid = other >= most
        else:
            if mode == "down":
                other = lane + bits
            elif mode == "bfly":
                other = lane ^ bits
            else:
                other = (lane & segment) | (bits & ~segment)
            valid = other <= most
        # Without a valid source a lane gets its own value.
        others = numbers - lane + np.where(valid, other, lane)
        f[place][s] = wave.exchange[others]
        if wave.undefined or int(lanes.min()) != ALL_LANES.value:
            reasons = _why_undefined(wave, numbers, others, lanes)
            if wave.undefined or reasons.any():
                wave.undefined.take(instruction, wave.clock - 1, numbers, others, reasons)
        if p is not None:
            f[p][s] = valid

    return meet(b, _mask(operands, 4), Operation(_giving(value), takes))


def _why_undefined(
    wave: Wave, threads: Threads, others: Threads, lanes: Lanes
) -> NDArray[np.int64]:
    """Returns why values taken from other lanes are undefined; see `UndefinedValues.take`."""
    named = (lanes >> (others % WARP).astype(np.uint32) & np.uint32(1)) != 0
    if named.all():
        return np.zeros(len(threads), np.int64)
    reasons = np.where(wave.live[others], 3, 2)
    reasons[wave.in_block[others] >= wave.layout.threads_per_block] = 1
    reasons[named | (threads == others)] = 0
    return reasons


# Votes.


def _true_lanes(wave: Wave, s: Selection, lanes: Lanes) -> Lanes:
    """Returns for each thread the participating lanes whose operand is true."""
    packed = np.packbits(wave.exchange != 0, bitorder="little").view(np.uint32)
    voting: Lanes = packed[wave.numbers[s] // WARP] & lanes
    return voting


_VOTES: dict[str, Callable[[Lanes, Lanes], Any]] = {
    "all": lambda true, lanes: true == lanes,
    "any": lambda true, _: true != 0,
    "uni": lambda true, lanes: (true == 0) | (true == lanes),
    "ballot": lambda true, _: true,
}


@form("vote", "pred", needs="all/any/uni", flow=True, count=2)
@form("vote", "b32", needs="ballot", flow=True, count=2)
@form("vote", "pred", needs="sync all/any/uni", flow=True, count=3)
@form("vote", "b32", needs="sync ballot", flow=True, count=3)
def vote(b: Binding) -> Flow:
    target, source, *_ = operands = b.instruction.operands
    place = b.target(target, b.type)
    value, negated = b.predicate(source)
    count = next(_VOTES[w] for w in b.instruction.modifiers if w in _VOTES)

    def takes(wave: Wave, f: Frame, s: Selection, lanes: Lanes) -> None:
        f[place][s] = count(_true_lanes(wave, s, lanes), lanes)

    return meet(b, _mask(operands, 2), Operation(_giving(value, negated), takes))


@form("activemask", "b32", count=1)
def activemask(b: Binding) -> Step:
    place = b.target(b.instruction.operands[0], TYPES["b32"])

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        present = packed_lanes(wave.numbers[s], wave.layout.threads)
        f[place][s] = present[wave.numbers[s] // WARP]

    return step


@form("elect", needs="sync", flow=True, count=2)
def elect(b: Binding) -> Flow:
    """Chooses the lowest lane of the mask."""
    first, mask = b.instruction.operands
    target, predicate = b.pair(first)
    place = b.target(target, TYPES["b32"])
    p = None if predicate is None else b.target(predicate, PREDICATE)

    def takes(wave: Wave, f: Frame, s: Selection, lanes: Lanes) -> None:
        lowest = np.bitwise_count((lanes & (~lanes + np.uint32(1))) - np.uint32(1))
        f[place][s] = lowest
        if p is not None:
            f[p][s] = wave.numbers[s] % WARP == lowest

    return meet(b, mask, Operation(None, takes))


# Results for a warp as a whole.


def _by_warp(
    wave: Wave,
    s: Selection,
    lanes: Lanes,
    compute: Callable[[NDArray[np.uint64], NDArray[np.bool_]], NDArray[Any]],
) -> NDArray[Any]:
    """Returns for each thread a result computed from the operands of the participating lanes.

    Args:
        wave: The operands.
        s: The threads.
        lanes: For each of them the lanes that take part.
        compute: Called with arrays of shape (warps, 32): the operands, and which take part.
    """
    warps = wave.numbers[s] // WARP
    begins = np.ones(len(warps), np.bool_)
    # Tiles of a warp have masks of their own, and results of their own.
    begins[1:] = (warps[1:] != warps[:-1]) | (lanes[1:] != lanes[:-1])
    starts = np.flatnonzero(begins)
    values = wave.exchange.reshape(-1, WARP)[warps[starts]]
    takes_part = (lanes[starts, None] >> np.arange(WARP, dtype=np.uint32) & np.uint32(1)) != 0
    results: NDArray[Any] = compute(values, takes_part)[np.cumsum(begins) - 1]
    return results


@form("match", "b32 b64", needs="any sync", flow=True, count=3)
def match_any(b: Binding) -> Flow:
    target, source, mask = b.instruction.operands
    place, value = b.target(target, TYPES["b32"]), b.source(source, b.type)
    weights = np.uint64(1) << np.arange(WARP, dtype=np.uint64)

    def takes(wave: Wave, f: Frame, s: Selection, lanes: Lanes) -> None:
        def equal(values: NDArray[np.uint64], takes_part: NDArray[np.bool_]) -> NDArray[Any]:
            same = (values[:, :, None] == values[:, None, :]) & takes_part[:, None, :]
            peers: NDArray[Any] = (same * weights).sum(axis=2)
            return peers

        numbers = wave.numbers[s]
        rows = _by_warp(wave, s, lanes, equal)
        f[place][s] = rows[np.arange(len(numbers)), numbers % WARP]

    return meet(b, mask, Operation(_giving(value), takes))


@form("match", "b32 b64", needs="all sync", flow=True, count=3)
def match_all(b: Binding) -> Flow:
    first, source, mask = b.instruction.operands
    target, predicate = b.pair(first)
    place, value = b.target(target, TYPES["b32"]), b.source(source, b.type)
    p = None if predicate is None else b.target(predicate, PREDICATE)

    def takes(wave: Wave, f: Frame, s: Selection, lanes: Lanes) -> None:
        def equal(values: NDArray[np.uint64], takes_part: NDArray[np.bool_]) -> NDArray[Any]:
            first_value = values[np.arange(len(values)), np.argmax(takes_part, axis=1)]
            all_equal: NDArray[Any] = ((values == first_value[:, None]) | ~takes_part).all(axis=1)
            return all_equal

        same = _by_warp(wave, s, lanes, equal)
        # PTX ISA, `match.sync`: .all gives the mask of the lanes if all values are equal, else 0.
        f[place][s] = np.where(same, lanes, np.uint32(0))
        if p is not None:
            f[p][s] = same

    return meet(b, mask, Operation(_giving(value), takes))


# The function, and the neutral element that stands for lanes that take no part.
_REDUCTIONS: dict[str, tuple[Any, Callable[[np.dtype[Any]], int]]] = {
    "add": (np.add, lambda _: 0),
    "and": (np.bitwise_and, lambda _: -1),
    "or": (np.bitwise_or, lambda _: 0),
    "xor": (np.bitwise_xor, lambda _: 0),
    "min": (np.minimum, lambda dtype: int(np.iinfo(dtype).max)),
    "max": (np.maximum, lambda dtype: int(np.iinfo(dtype).min)),
}


@form("redux", "u32 s32", needs="sync add/min/max", flow=True, count=3)
@form("redux", "b32", needs="sync and/or/xor", flow=True, count=3)
def redux(b: Binding) -> Flow:
    target, source, mask = b.instruction.operands
    place, value = b.target(target, b.type), b.source(source, TYPES["u32"])
    function, neutral = next(_REDUCTIONS[w] for w in b.instruction.modifiers if w in _REDUCTIONS)
    dtype = b.type.dtype

    def takes(wave: Wave, f: Frame, s: Selection, lanes: Lanes) -> None:
        def reduce(values: NDArray[np.uint64], takes_part: NDArray[np.bool_]) -> NDArray[Any]:
            operands = values.astype(np.uint32).view(dtype)
            neutral_value = np.array(neutral(dtype)).astype(dtype)
            result: NDArray[Any] = function.reduce(
                np.where(takes_part, operands, neutral_value), axis=1, dtype=dtype
            )
            return result

        f[place][s] = _by_warp(wave, s, lanes, reduce)

    return meet(b, mask, Operation(_giving(value), takes))


# Fences.

_SCOPES = {
    "cta": SyncScope.BLOCK,
    "cluster": SyncScope.CLUSTER,
    "gl": SyncScope.GRID,
    "gpu": SyncScope.GRID,
    "sys": SyncScope.SYSTEM,
}


_PROXIES = "alias/async"


@form("membar", needs="cta/gl/sys", count=[0])
@form("membar.proxy", needs=_PROXIES, count=[0])
@form("fence", needs="cta/cluster/gpu/sys", words="sc/acq_rel/acquire/release", count=[0])
@form("fence", needs="acquire sync_restrict::shared::cluster cluster", count=[0])
@form("fence", needs="release sync_restrict::shared::cta cluster", count=[0])
@form("fence", needs="mbarrier_init release cluster", count=[0])
@form("fence.proxy", needs=_PROXIES, count=[0])
@form("fence.proxy", needs="async global/shared/shared::cta/shared::cluster", count=[0])
@form("fence.proxy", needs="tensormap::generic acquire cta/cluster/gpu/sys", count=2)
@form("fence.proxy", needs="tensormap::generic release cta/cluster/gpu/sys", count=[0])
def fence(b: Binding) -> Step:
    # `fence.proxy` has no scope; the grid can only hide a race here.
    scope = next((_SCOPES[w] for w in b.instruction.modifiers if w in _SCOPES), SyncScope.GRID)

    def step(wave: Wave, _f: Frame, s: Selection) -> None:
        if wave.on_fenced:
            numbers = wave.numbers[s]
            for observer in wave.on_fenced:
                observer.fenced(numbers, scope)

    return step


@form("nanosleep", "u32", count=1)
def nanosleep(b: Binding) -> Step:
    """Passes at once: a spinning thread lets others go on in any case."""
    b.source(b.instruction.operands[0], TYPES["u32"])

    def step(_wave: Wave, _f: Frame, _s: Selection) -> None:
        return

    return step
