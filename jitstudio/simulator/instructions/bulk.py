"""Operations of the asynchronous proxy: `cp.async.bulk`, `st.async`, `red.async` and others.

All is done at once, as early as a GPU may do it. Bytes that have come are taken off the number that
an mbarrier waits for; threads that read them before are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.instructions.asynchronous import barriers_at, changed, update_barriers
from jitstudio.simulator.instructions.atomics import (
    FLOAT_WORDS,
    INTEGER_WORDS,
    combining,
    operation_of,
    update,
)
from jitstudio.simulator.instructions.memory import nothing, space_of
from jitstudio.simulator.instructions.table import Binding, Step, form
from jitstudio.simulator.ptx.program import ImmediateOperand, PtxOperand
from jitstudio.simulator.ptx.types import TYPES
from jitstudio.simulator.state.faults import UnsupportedInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.loads_stores import copying, load, store
from jitstudio.simulator.state.memory import CLUSTER_BITS, WINDOWS
from jitstudio.simulator.state.model import StateSpace, SyncScope, Threads
from jitstudio.simulator.state.wave import Wave

_SHARED = StateSpace.SHARED
_U32, _U64 = TYPES["u32"], TYPES["u64"]
_TRACKED = "mbarrier::complete_tx::bytes"
_TENSOR = "tensor copies are not simulated. Copy with cp.async.bulk, or with loads and stores"
_WORD = 8


def _come(wave: Wave, addresses: NDArray[np.int64], bytes_: NDArray[Any], s: Selection) -> None:
    """Takes bytes that have come off the number that mbarriers in shared memory wait for."""
    for observer in wave.on_fenced:
        # PTX ISA, `cp.async.bulk`: complete-tx has .release semantics at .cluster scope.
        observer.fenced(wave.numbers[s], SyncScope.CLUSTER)
    zero = np.zeros(len(addresses), np.uint64)
    combine = changed(0, 0, 0, 1)
    come = bytes_.astype(np.uint64)
    update_barriers(wave, _SHARED, addresses, zero, come, combine, s, come=True)


def _shared_addresses(
    b: Binding, operand: PtxOperand
) -> Callable[[Frame, Selection], NDArray[np.int64]]:
    """Returns a function that computes addresses in shared memory, also from generic ones."""
    find = b.address(operand)
    away = WINDOWS[_SHARED] if space_of(b) is None else 0
    return lambda f, s: find(f, s) - away


def _spaces(b: Binding) -> tuple[StateSpace, StateSpace]:
    """Returns the state spaces of target and source, in the order of the instruction's words."""
    named = {"shared": _SHARED, "global": StateSpace.GLOBAL}
    # `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`: target, then source.
    words = (w.split("::")[0] for w in b.instruction.modifiers if not w.startswith("mbarrier"))
    into, out = [named[word] for word in words if word in named][:2]
    return into, out


# Bulk copies.


@form("cp", words=None, needs="async bulk")
def cp_async_bulk(b: Binding) -> Step:
    """Copies bytes for a thread, a multiple of 16, to the shared memory of one or more blocks."""
    if b.has("tensor"):
        raise UnsupportedInstruction(_TENSOR)
    if b.has("prefetch"):
        return nothing(b)
    if b.has("cp_mask"):
        raise UnsupportedInstruction("copies of chosen bytes are not simulated")
    target, source, size, *others = b.instruction.operands
    to, from_, length = b.address(target), b.address(source), b.source(size, _U32)
    into, out = _spaces(b)
    signal = b.address(others[0]) if b.has(_TRACKED) else None
    mask = b.source(others[1], TYPES["u16"]) if b.has("multicast::cluster") else None

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        numbers, sizes = wave.numbers[s], f[length][s].astype(np.int64)
        start, end = from_(f, s), to(f, s)
        barriers = None if signal is None else signal(f, s)
        masks = None if mask is None else f[mask][s]
        for index, steps, threads in _pieces(numbers, sizes, _WORD):
            values = load(wave, out, start[index] + steps, np.dtype("u8"), 1, threads)
            for rank in _ranks(masks, index):
                at = _in_block(end[index], rank) + steps
                store(wave, into, at, values, threads)
                if barriers is not None:
                    thread = numbers[index : index + 1]
                    barrier = _in_block(barriers[index : index + 1], rank)
                    tracking = barriers_at(wave, _SHARED, barrier, thread)
                    copying(wave, at, _WORD, threads, np.repeat(tracking, len(steps)))
        if barriers is None:
            return
        # PTX ISA, `cp.async.bulk`: with a mask, which has 16 bits, the mbarrier at the same offset
        # of each target block is signalled.
        for rank in range(16) if masks is not None else (None,):
            signalled = np.ones(len(numbers), np.bool_)
            if rank is not None and masks is not None:
                signalled = (masks >> np.uint16(rank) & np.uint16(1)) != 0
            if signalled.any():
                _come(
                    wave, _in_block(barriers[signalled], rank), sizes[signalled], numbers[signalled]
                )

    return step


def _pieces(
    numbers: Threads, sizes: NDArray[np.int64], width: int
) -> Iterator[tuple[int, NDArray[np.int64], Threads]]:
    """Yields for each thread with any bytes: its index, the offsets of its pieces, and itself.

    Args:
        numbers: The threads.
        sizes: Bytes of each.
        width: Bytes of a piece.
    """
    for index, size in enumerate(sizes.tolist()):
        # Threads with a size of 0 copy nothing.
        steps = np.arange(0, size, width, dtype=np.int64)
        if len(steps):
            yield index, steps, np.repeat(numbers[index : index + 1], len(steps))


def _ranks(masks: NDArray[np.uint16] | None, index: int) -> list[int | None]:
    """Returns the blocks of the cluster that get a copy; None for the block of the address."""
    if masks is None:
        return [None]
    return [rank for rank in range(16) if int(masks[index]) >> rank & 1]


def _in_block(addresses: Any, rank: int | None) -> Any:
    """Returns addresses at the same offsets in the shared memory of a block of the cluster."""
    if rank is None:
        return addresses
    return (addresses & ((1 << CLUSTER_BITS) - 1)) | (rank + 1) << CLUSTER_BITS


@form("cp", f"{INTEGER_WORDS} {FLOAT_WORDS}", words=None, needs="reduce async bulk")
def cp_reduce_async_bulk(b: Binding) -> Step:
    """Combines elements in memory with the elements of the source, each atomically."""
    if b.has("tensor"):
        raise UnsupportedInstruction(_TENSOR)
    target, source, size, *others = b.instruction.operands
    to, from_, length = b.address(target), b.address(source), b.source(size, _U32)
    into, out = _spaces(b)
    signal = b.address(others[0]) if b.has(_TRACKED) else None
    operation, kind = operation_of(b), b.type
    combine = combining(operation, kind, into)
    word = operation if kind.is_integer else "float"
    unordered = "" if kind.is_integer or operation != "add" else b.instruction.full_opcode

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        numbers, sizes = wave.numbers[s], f[length][s].astype(np.int64)
        start, end = from_(f, s), to(f, s)
        for index, steps, threads in _pieces(numbers, sizes, kind.size):
            (values,) = load(wave, out, start[index] + steps, kind.dtype, 1, threads)
            at = end[index] + steps
            update(wave, into, at, values, None, combine, threads, unordered, word)
        if signal is not None:
            _come(wave, signal(f, s), sizes, s)

    return step


# Of single threads.

_STORED = "b32 b64 u32 u64 s32 s64 f32 f64"


@form("st", _STORED, words="weak shared::cluster v2 v4", needs=f"async {_TRACKED}")
def st_async(b: Binding) -> Step:
    """Stores elements to the shared memory of a block of the cluster, counted by an mbarrier."""
    address, value, barrier = b.instruction.operands
    to, signal = _shared_addresses(b, address), _shared_addresses(b, barrier)
    sources = [b.source(part, b.type) for part in b.parts(value)]
    size = len(sources) * b.type.size

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        addresses, barriers = to(f, s), signal(f, s)
        store(wave, _SHARED, addresses, [f[source][s] for source in sources], s)
        copying(wave, addresses, size, s, barriers_at(wave, _SHARED, barriers, s))
        _come(wave, barriers, np.full(len(barriers), size), s)

    return step


@form(
    "red",
    "b32 u32 s32 u64",
    words="relaxed cluster shared::cluster add and or xor inc dec min max",
    needs=f"async {_TRACKED}",
)
def red_async(b: Binding) -> Step:
    """Combines elements of the shared memory of a block of the cluster."""
    address, value, barrier = b.instruction.operands
    to, signal = _shared_addresses(b, address), _shared_addresses(b, barrier)
    source, operation = b.source(value, b.type), operation_of(b)
    combine = combining(operation, b.type, _SHARED)

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        barriers = signal(f, s)
        update(wave, _SHARED, to(f, s), f[source][s], None, combine, s, "", operation)
        _come(wave, barriers, np.full(len(barriers), b.type.size), s)

    return step


@form("st", words="weak shared::cta", needs="bulk")
def st_bulk(b: Binding) -> Step:
    """Fills shared memory with zeros, a multiple of 8 bytes."""
    address, size, value = b.instruction.operands
    if not isinstance(value, ImmediateOperand) or value.value != 0:
        raise UnsupportedInstruction("the only value that the ISA has for it is 0")
    to = _shared_addresses(b, address)
    length = b.source(
        size, b.register_type(size) if not isinstance(size, ImmediateOperand) else _U64
    )

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        numbers, sizes = wave.numbers[s], f[length][s].astype(np.int64)
        start = to(f, s)
        wave.undefined.carried = None
        for index, steps, threads in _pieces(numbers, sizes, _WORD):
            zeros = np.zeros(len(steps), np.uint64)
            store(wave, _SHARED, start[index] + steps, [zeros], threads)

    return step
