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
    combining,
    operation_of,
    update,
)
from jitstudio.simulator.instructions.memory import nothing
from jitstudio.simulator.instructions.table import Binding, Step, form
from jitstudio.simulator.ptx.program import ImmediateOperand, PtxOperand, RegisterOperand
from jitstudio.simulator.ptx.types import TYPES, PtxType
from jitstudio.simulator.state.faults import UnsupportedInstruction, refuse_where
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.loads_stores import copying, load, store
from jitstudio.simulator.state.memory import CLUSTER_BITS, WINDOWS
from jitstudio.simulator.state.model import FaultKind, StateSpace, SyncScope, Threads
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
    find = b.address(operand, _SHARED)
    away = WINDOWS[_SHARED] if b.space is None else 0
    return lambda f, s: find(f, s) - away


def _spaces(b: Binding) -> tuple[StateSpace, StateSpace]:
    """Returns the state spaces of target and source, in the order of the instruction's words."""
    named = {"shared": _SHARED, "global": StateSpace.GLOBAL}
    # `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`: target, then source.
    words = (w.split("::")[0] for w in b.instruction.modifiers if not w.startswith("mbarrier"))
    into, out = [named[word] for word in words if word in named][:2]
    first = next(word for word in b.instruction.modifiers if word.split("::")[0] in named)
    within_cluster = into is out and first != "shared::cluster"
    if (into is _SHARED) != b.has(_TRACKED) or within_cluster:
        raise UnsupportedInstruction("its state spaces are named in the wrong order")
    return into, out


def _sizes(
    b: Binding, size: PtxOperand, kind: PtxType, unit: int
) -> Callable[[Wave, Frame, Selection], NDArray[np.int64]]:
    """Returns a function that reads how many bytes there are, multiples of a unit."""
    if isinstance(size, ImmediateOperand) and int(size.value) % unit:
        raise UnsupportedInstruction(f"{size.spelling} bytes are not a multiple of {unit}")
    length = b.source(size, kind)

    def read(wave: Wave, f: Frame, s: Selection) -> NDArray[np.int64]:
        sizes: NDArray[np.int64] = f[length][s].astype(np.int64)
        refuse_where(
            sizes % unit != 0,
            wave.numbers[s],
            FaultKind.MISALIGNED,
            lambda first: (
                f"copies or fills {sizes[first]:,} bytes, which is not a multiple of {unit}"
            ),
        )
        return sizes

    return read


# Bulk copies.


# PTX ISA, `cp.async.bulk`: from and to, and how it tells that it is done.
_INTO_CLUSTER = f"shared::cluster global {_TRACKED}"
_INTO_BLOCK = f"shared::cta global {_TRACKED}"
_WITHIN_CLUSTER = f"shared::cluster shared::cta {_TRACKED}"
_OUT = "global shared::cta bulk_group"
_HINT = "L2::cache_hint"


@form("cp.async.bulk", needs=f"{_INTO_CLUSTER}", count=4)
@form("cp.async.bulk", needs=f"{_INTO_CLUSTER} multicast::cluster", count=5)
@form("cp.async.bulk", needs=f"{_INTO_CLUSTER} {_HINT}", count=5)
@form("cp.async.bulk", needs=f"{_INTO_CLUSTER} multicast::cluster {_HINT}", count=6)
@form("cp.async.bulk", needs=f"{_INTO_BLOCK}", count=4)
@form("cp.async.bulk", needs=f"{_INTO_BLOCK} {_HINT}", count=5)
@form("cp.async.bulk", needs=f"{_WITHIN_CLUSTER}", count=4)
@form("cp.async.bulk", needs=f"{_OUT}", count=3)
@form("cp.async.bulk", needs=f"{_OUT} {_HINT}", count=4)
@form("cp.async.bulk.prefetch", needs="L2 global", count=2)
@form("cp.async.bulk.prefetch", needs=f"L2 global {_HINT}", count=3)
@form("cp.async.bulk.tensor", words=None)
def cp_async_bulk(b: Binding) -> Step:
    """Copies bytes for a thread, a multiple of 16, to the shared memory of one or more blocks."""
    if b.has("tensor"):
        raise UnsupportedInstruction(_TENSOR)
    if b.has("prefetch"):
        b.address(b.instruction.operands[0], StateSpace.GLOBAL)
        b.source(b.instruction.operands[1], _U32)
        return nothing(b)
    target, source, size, *others = b.instruction.operands
    into, out = _spaces(b)
    to, from_, sizes_of = b.address(target, into), b.address(source, out), _sizes(b, size, _U32, 16)
    signal = b.address(others[0], _SHARED) if b.has(_TRACKED) else None
    mask = b.source(others[1], TYPES["u16"]) if b.has("multicast::cluster") else None

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        numbers, sizes = wave.numbers[s], sizes_of(wave, f, s)
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


def _reduces(bind: Callable[[Binding], Step]) -> Callable[[Binding], Step]:
    """Adds the rows of `cp.reduce.async.bulk`."""
    for operations, types in (
        ("and/or/xor", "b32 b64"),
        ("add", "u32 s32 u64 f32 f64"),
        ("add noftz", "f16 bf16"),
        ("min/max", "u32 s32 u64 s64 f16 bf16"),
        ("inc/dec", "u32"),
    ):
        needs = f"{_OUT} {operations}"
        form("cp.reduce.async.bulk", types, needs=needs, count=3)(bind)
        form("cp.reduce.async.bulk", types, needs=f"{needs} {_HINT}", count=4)(bind)
    for operations, types in (
        ("and/or/xor", "b32"),
        ("add", "u32 s32 u64"),
        ("min/max", "u32 s32"),
        ("inc/dec", "u32"),
    ):
        needs = f"{_WITHIN_CLUSTER} {operations}"
        form("cp.reduce.async.bulk", types, needs=needs, count=4)(bind)
    return bind


@form("cp.reduce.async.bulk.tensor", words=None)
@_reduces
def cp_reduce_async_bulk(b: Binding) -> Step:
    """Combines elements in memory with the elements of the source, each atomically."""
    if b.has("tensor"):
        raise UnsupportedInstruction(_TENSOR)
    target, source, size, *others = b.instruction.operands
    into, out = _spaces(b)
    to, from_, sizes_of = b.address(target, into), b.address(source, out), _sizes(b, size, _U32, 16)
    signal = b.address(others[0], _SHARED) if b.has(_TRACKED) else None
    operation, kind = operation_of(b), b.type
    combine = combining(operation, kind, into)
    word = operation if kind.is_integer else "float"
    unordered = "" if kind.is_integer or operation != "add" else b.instruction.full_opcode

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        numbers, sizes = wave.numbers[s], sizes_of(wave, f, s)
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


@form("st.async", _STORED, words="weak shared/shared::cluster v2/v4", needs=_TRACKED, count=3)
def st_async(b: Binding) -> Step:
    """Stores elements to the shared memory of a block of the cluster, counted by an mbarrier."""
    address, value, barrier = b.instruction.operands
    to, signal = _shared_addresses(b, address), _shared_addresses(b, barrier)
    sources = [b.source(part, b.type) for part in b.elements(value)]
    size = len(sources) * b.type.size

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        addresses, barriers = to(f, s), signal(f, s)
        store(wave, _SHARED, addresses, [f[source][s] for source in sources], s)
        copying(wave, addresses, size, s, barriers_at(wave, _SHARED, barriers, s))
        _come(wave, barriers, np.full(len(barriers), size), s)

    return step


_ADDED = f"relaxed cluster shared::cluster {_TRACKED}"


@form("red.async", "b32", needs=f"{_ADDED} and/or/xor", count=3)
@form("red.async", "u32 s32 u64", needs=f"{_ADDED} add", count=3)
@form("red.async", "u32 s32", needs=f"{_ADDED} min/max", count=3)
@form("red.async", "u32", needs=f"{_ADDED} inc/dec", count=3)
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


@form("st.bulk", words="weak shared::cta", count=3)
def st_bulk(b: Binding) -> Step:
    """Fills shared memory with zeros, a multiple of 8 bytes."""
    address, size, value = b.instruction.operands
    if not isinstance(value, ImmediateOperand) or value.value != 0:
        raise UnsupportedInstruction("the only value that the ISA has for it is 0")
    to = _shared_addresses(b, address)
    is_register = isinstance(size, RegisterOperand)
    sizes_of = _sizes(b, size, b.register_type(size) if is_register else _U64, _WORD)

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        numbers, sizes = wave.numbers[s], sizes_of(wave, f, s)
        start = to(f, s)
        wave.undefined.carried = None
        for index, steps, threads in _pieces(numbers, sizes, _WORD):
            zeros = np.zeros(len(steps), np.uint64)
            store(wave, _SHARED, start[index] + steps, [zeros], threads)

    return step
