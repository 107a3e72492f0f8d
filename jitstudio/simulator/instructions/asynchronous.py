"""Asynchronous copies of threads and the barriers that they complete: `cp.async`, `mbarrier`.

A copy is done at once, as early as a GPU may do it; threads that read it before waiting are
reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.instructions.atomics import Combine, update
from jitstudio.simulator.instructions.memory import hint_with_number, nothing
from jitstudio.simulator.instructions.table import (
    AddsRows,
    Binding,
    Step,
    Values,
    form,
    is_one_of,
    is_sink,
)
from jitstudio.simulator.ptx.program import ImmediateOperand, PtxOperand, RegisterOperand
from jitstudio.simulator.ptx.types import PREDICATE, TYPES
from jitstudio.simulator.state.faults import UnsupportedInstruction, refuse_where
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection, numbers_of
from jitstudio.simulator.state.loads_stores import checked_offsets, copied, copying, load, store
from jitstudio.simulator.state.mbarriers import (
    MOST_ARRIVALS,
    PHASE_BIT,
    Fields,
    fields,
    packed,
)
from jitstudio.simulator.state.memory import WINDOWS
from jitstudio.simulator.state.model import FaultKind, StateSpace, SyncScope
from jitstudio.simulator.state.wave import Wave

_OWN_BLOCK, _CLUSTER = "shared/shared::cta", "shared/shared::cta/shared::cluster"
# PTX ISA, "mbarrier": the order and the scope stand together.
_ARRIVES, _TESTS = "release/relaxed cta/cluster", "acquire/relaxed cta/cluster"
_SHARED = StateSpace.SHARED
_U64, _U32 = TYPES["u64"], TYPES["u32"]


def changed(arrivals: int, drops: int, adds: int, takes: int, completes: bool = True) -> Combine:
    """Returns the function from the state of an mbarrier to the state after an operation.

    Args:
        arrivals: How often the count counts as an arrival.
        drops: How often the count is taken off the expected arrivals of later phases.
        adds: How often the bytes are added to the bytes to come.
        takes: How often the bytes are taken off.
        completes: Whether the phase may end.
    """

    def combine(state: Values, count: Values, bytes_: Values | None) -> Values:
        pending, expected, waiting, phase = fields(state)
        number = count.astype(np.int64)
        pending = pending - arrivals * number
        expected = expected - drops * number
        if bytes_ is not None:
            waiting = waiting + (adds - takes) * bytes_.astype(np.int64)
        # PTX ISA, "Phase Completion of the mbarrier object": both counts have reached zero.
        done = (pending <= 0) & (waiting == 0) & completes
        next_pending = np.where(done, expected, np.maximum(pending, 0))
        return packed(Fields(next_pending, expected, waiting, phase ^ done))

    return combine


def update_barriers(
    wave: Wave,
    space: StateSpace | None,
    addresses: NDArray[np.int64],
    counts: Values,
    bytes_: Values | None,
    combine: Combine,
    s: Selection,
    *,
    come: bool,
) -> Values:
    """Updates mbarriers, and returns the states before.

    Args:
        wave: The resident blocks with their memory.
        space: None for generic addresses.
        addresses: An address for each thread.
        counts: Of arrivals.
        bytes_: Bytes that are expected or have come.
        combine: The function from `changed`.
        s: The threads.
        come: Whether the bytes have come.
    """
    old = update(wave, space, addresses, counts, bytes_, combine, s, "", "mbarrier")
    turned = fields(combine(old, counts, bytes_)).phase != fields(old).phase
    if come or turned.any():
        arrived = np.zeros(len(old), np.int64)
        if come and bytes_ is not None:
            arrived = bytes_.astype(np.int64)
        barriers = barriers_at(wave, space, addresses, s)
        order = wave.in_order(s)
        rows = slice(None) if order is None else order
        wave.phases.note_bytes(barriers[rows], arrived[rows], turned[rows])
    return old


def _where(b: Binding, operand: PtxOperand) -> tuple[StateSpace | None, Callable[..., Any]]:
    return b.space, b.address(operand)


def _arrivals(
    b: Binding, count: PtxOperand, verb: str
) -> Callable[[Wave, Frame, Selection], NDArray[Any]]:
    """Returns a function that reads a number of arrivals, and refuses wrong ones."""
    is_constant = isinstance(count, ImmediateOperand) and count is not _NONE
    if is_constant and not is_one_of(count, range(1, MOST_ARRIVALS + 1)):
        raise UnsupportedInstruction(f"its arrivals are not a number from 1 to {MOST_ARRIVALS:,}")
    number = b.source(count, _U32)

    def read(wave: Wave, f: Frame, s: Selection) -> NDArray[Any]:
        counts: NDArray[Any] = f[number][s]
        if not isinstance(count, ImmediateOperand):
            refuse_where(
                (counts == 0) | (counts > MOST_ARRIVALS),
                wave.numbers[s],
                FaultKind.BARRIER,
                lambda first: (
                    f"{verb} with a count of {int(counts[first]):,}, which is not a number from 1 "
                    f"to {MOST_ARRIVALS:,}"
                ),
            )
        return counts

    return read


@form("mbarrier.init", "b64", words=_OWN_BLOCK, count=2)
def mbarrier_init(b: Binding) -> Step:
    space, find = _where(b, b.instruction.operands[0])
    counts_of = _arrivals(b, b.instruction.operands[1], "initialises an mbarrier")

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        counts = counts_of(wave, f, s).astype(np.int64)
        zero = np.zeros_like(counts)
        addresses = find(f, s)
        store(wave, space, addresses, [packed(Fields(counts, counts, zero, zero))], s, strong=True)
        wave.phases.note_start(barriers_at(wave, space, addresses, s))

    return step


@form("mbarrier.inval", "b64", words=_OWN_BLOCK, count=1)
def mbarrier_inval(b: Binding) -> Step:
    space, find = _where(b, b.instruction.operands[0])

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        addresses = find(f, s)
        # PTX ISA, `mbarrier.inval`: the memory may then be used for anything, or initialised anew.
        zeros = np.zeros(len(addresses), np.uint64)
        store(wave, space, addresses, [zeros], s, strong=True)

    return step


def _arriving(
    b: Binding,
    state: PtxOperand | None,
    address: PtxOperand,
    count: PtxOperand,
    bytes_: PtxOperand | None,
    combine: Combine,
    *,
    takes: bool = False,
) -> Step:
    """Binds an update of an mbarrier, which may take off bytes that have come."""
    place = None if state is None or is_sink(state) else b.target(state, _U64)
    if place is not None and b.has("shared::cluster"):
        raise UnsupportedInstruction("in another block it has no result but _")
    space, find = _where(b, address)
    counts_of = _arrivals(b, count, "arrives")
    amount = None if bytes_ is None else b.source(bytes_, TYPES["s32"])

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        for observer in wave.on_fenced:
            # PTX ISA, `mbarrier.arrive`: .release semantics at .cta scope unless others are named.
            observer.fenced(numbers_of(s), SyncScope.BLOCK)
        extra = None if amount is None else f[amount][s].astype(np.uint64)
        counts = counts_of(wave, f, s).astype(np.uint64)
        old = update_barriers(wave, space, find(f, s), counts, extra, combine, s, come=takes)
        if place is not None:
            f[place][s] = old

    return step


_ONE, _NONE = ImmediateOperand(1), ImmediateOperand(0)


_ARRIVAL = "mbarrier.arrive/arrive_drop"


@form(_ARRIVAL, "b64", words=_CLUSTER, count=(2, 3))
@form(_ARRIVAL, "b64", words=_CLUSTER, needs=_ARRIVES, count=(2, 3))
@form(_ARRIVAL, "b64", words=_OWN_BLOCK, needs="noComplete", count=3)
@form(_ARRIVAL, "b64", words=_OWN_BLOCK, needs="noComplete release cta", count=3)
def mbarrier_arrive(b: Binding) -> Step:
    state, address, *count = b.instruction.operands
    drops = int(b.has("arrive_drop"))
    combine = changed(1, drops, 0, 0, not b.has("noComplete"))
    return _arriving(b, state, address, count[0] if count else _ONE, None, combine)


@form(f"{_ARRIVAL}.expect_tx", "b64", words=_CLUSTER, count=3)
@form(f"{_ARRIVAL}.expect_tx", "b64", words=_CLUSTER, needs=_ARRIVES, count=3)
def mbarrier_arrive_expect(b: Binding) -> Step:
    state, address, bytes_ = b.instruction.operands
    return _arriving(b, state, address, _ONE, bytes_, changed(1, int(b.has("arrive_drop")), 1, 0))


@form("mbarrier.expect_tx/complete_tx", "b64", words=_CLUSTER, count=2)
@form("mbarrier.expect_tx/complete_tx", "b64", words=_CLUSTER, needs="relaxed cta/cluster", count=2)
def mbarrier_bytes(b: Binding) -> Step:
    address, bytes_ = b.instruction.operands
    expects = int(b.has("expect_tx"))
    combine = changed(0, 0, expects, 1 - expects)
    return _arriving(b, None, address, _NONE, bytes_, combine, takes=not expects)


def _waits(action: str, *counts: int) -> AddsRows:
    def add(bind: Callable[[Binding], Step]) -> Callable[[Binding], Step]:
        for name in (f"mbarrier.{action}", f"mbarrier.{action}.parity"):
            for needs in ("", _TESTS):
                form(name, "b64", words=_OWN_BLOCK, needs=needs, count=counts)(bind)
        return bind

    return add


@_waits("test_wait", 3)
@_waits("try_wait", 3, 4)
def mbarrier_wait(b: Binding) -> Step:
    """Tests whether a phase has ended: the phase of a state, or the last phase of a parity."""
    target, address, phase, *limit = b.instruction.operands
    if limit:
        b.source(limit[0], _U32)
    space, find = _where(b, address)
    place = b.target(target, PREDICATE)
    by_parity = b.has("parity")
    phase_slot = b.source(phase, _U32 if by_parity else _U64)

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        (state,) = load(wave, space, find(f, s), np.dtype("u8"), 1, s, strong=True)
        # Only the current phase and the one before can be asked for, so the parity decides.
        phase_now = state >> np.uint64(PHASE_BIT)
        asked = f[phase_slot][s]
        asked = asked & np.uint32(1) if by_parity else asked >> np.uint64(PHASE_BIT)
        ended = phase_now != asked
        f[place][s] = ended
        barriers = barriers_at(wave, space, find(f, s), s)
        wave.phases.note_waits(b.instruction, wave.numbers[s], barriers, ended)
        if wave.copies and ended.any():
            copied(wave, wave.copies.arrived(barriers[ended]), by_themselves=False)

    return step


@form("mbarrier.pending_count", "b64", count=2)
def mbarrier_pending_count(b: Binding) -> Step:
    target, state = b.instruction.operands
    place, source = b.target(target, _U32), b.source(state, _U64)

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        f[place][s] = (f[source][s] & np.uint64(MOST_ARRIVALS)).astype(np.uint32)

    return step


# Copies of threads.


def barriers_at(
    wave: Wave, space: StateSpace | None, addresses: NDArray[np.int64], s: Selection
) -> NDArray[np.int64]:
    """Returns the offsets of mbarriers in the arena of shared memory."""
    if space is None:
        addresses = addresses - WINDOWS[_SHARED]
    return checked_offsets(wave, _SHARED, addresses, s, 8)[0]


@form("cp.async.commit_group", count=[0])
def cp_async_commit_group(_b: Binding) -> Step:
    def step(wave: Wave, _f: Frame, s: Selection) -> None:
        wave.copies.commit(wave.numbers[s])

    return step


@form("cp.async.wait_group", count=1)
@form("cp.async.wait_all", count=[0])
def cp_async_wait(b: Binding) -> Step:
    """Waits for all groups but the last few, or for all copies."""
    but: int | None = None
    if b.has("wait_group"):
        (number,) = b.instruction.operands
        if not isinstance(number, ImmediateOperand):
            raise UnsupportedInstruction("the number of groups is not a constant")
        but = int(number.value)

    def step(wave: Wave, _f: Frame, s: Selection) -> None:
        if wave.copies:
            copied(wave, wave.copies.wait(wave.numbers[s], but), by_themselves=True)

    return step


form("cp.async.bulk.commit_group", count=[0])(nothing)
form("cp.async.bulk.wait_group", words="read", count=1)(hint_with_number(range(1 << 31)))
_COPY = "ca/cg shared/shared::cta global"


@form("cp.async", needs=_COPY, words="L2::64B/L2::128B/L2::256B", count=(3, 4))
@form("cp.async", needs=f"{_COPY} L2::cache_hint", words="L2::64B/L2::128B/L2::256B", count=(4, 5))
def cp_async(b: Binding) -> Step:
    """Copies 4, 8 or 16 bytes; the bytes behind the size of the source are zeros."""
    target, source, size, *others = b.instruction.operands
    if b.space is not _SHARED:
        raise UnsupportedInstruction("it copies from .global to .shared, and names them so")
    if not isinstance(size, ImmediateOperand):
        raise UnsupportedInstruction("the number of bytes is not a constant")
    bytes_ = int(size.value)
    if bytes_ not in ((4, 8, 16) if b.has("ca") else (16,)):
        raise UnsupportedInstruction(f"it cannot copy {bytes_} bytes")
    to, from_ = b.address(target, _SHARED), b.address(source, StateSpace.GLOBAL)
    # PTX ISA, `cp.async`: behind cp-size stands src-size or the predicate ignore-src, by which
    # zeros are written.
    ignored: tuple[int, bool] | None = None
    size_slot: int | None = None
    if others and _is_predicate(b, others[0]):
        ignored = b.predicate(others[0])
    elif (others and not b.has("L2::cache_hint")) or len(others) == 2:
        size_slot = b.source(others[0], _U32)
    width = min(bytes_, 8)
    dtype = np.dtype(f"u{width}")
    parts = bytes_ // width

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        addresses, sources = to(f, s), from_(f, s)
        # PTX ISA, `cp.async`: bytes behind src-size are zeros.
        values = [np.zeros(len(addresses), dtype) for _ in range(parts)]
        read_sizes = np.full(len(addresses), bytes_, np.int64)
        if size_slot is not None:
            read_sizes = np.minimum(f[size_slot][s].astype(np.int64), bytes_)
        if ignored is not None:
            read_sizes = np.where(f[ignored[0]][s] ^ ignored[1], 0, read_sizes)
        numbers = wave.numbers[s]
        reads = read_sizes > 0
        if reads.any():
            loaded = load(wave, StateSpace.GLOBAL, sources[reads], dtype, parts, numbers[reads])
            for part, (value, piece) in enumerate(zip(values, loaded, strict=True)):
                value[reads] = piece & _lowest(read_sizes[reads] - part * width, dtype)
        store(wave, _SHARED, addresses, values, s, sources=sources)
        copying(wave, addresses, bytes_, s)

    return step


def _is_predicate(b: Binding, operand: PtxOperand) -> bool:
    return isinstance(operand, RegisterOperand) and b.register_type(operand) is PREDICATE


def _lowest(count: NDArray[np.int64], dtype: np.dtype[Any]) -> Values:
    """Returns masks of the lowest `count` bytes."""
    table = [dtype.type((1 << (8 * i)) - 1) for i in range(dtype.itemsize + 1)]
    masks: Values = np.array(table, dtype)[np.clip(count, 0, dtype.itemsize)]
    return masks


@form("cp.async.mbarrier.arrive", "b64", words=f"{_OWN_BLOCK} noinc", count=1)
def cp_async_mbarrier_arrive(b: Binding) -> Step:
    """Arrives when earlier copies of the thread are done, which they are at once.

    Without `.noinc` the pending count is raised by one first, so it does not change in the end.
    """
    (address,) = b.instruction.operands
    space, find = _where(b, address)
    arrive = _arriving(b, None, address, _ONE, None, changed(1, 0, 0, 0))

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        if wave.copies:
            barriers = barriers_at(wave, space, find(f, s), s)
            copied(wave, wave.copies.track(wave.numbers[s], barriers), by_themselves=False)
        if b.has("noinc"):
            arrive(wave, f, s)

    return step
