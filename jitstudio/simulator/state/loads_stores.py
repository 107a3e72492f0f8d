"""Loads and stores of the threads of a wave, and the notes on the bytes that they reach.

Each access is checked against the bounds of its space. For each byte memory keeps whether a thread
has written it, or a copy to it is under way, and its undefined value, if any: see `Arena`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.state.copies import Copy
from jitstudio.simulator.state.extents import Extent
from jitstudio.simulator.state.faults import ThreadFault, line_of
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.memory import (
    CLUSTER_BITS,
    COPYING,
    WINDOWS,
    AccessFault,
    Arena,
    Offsets,
    behind_end,
    check_alignment,
    windows_of,
)
from jitstudio.simulator.state.model import WARP, Access, AccessKind, FaultKind, StateSpace
from jitstudio.simulator.state.product_checks import check_not_read
from jitstudio.simulator.state.wave import Wave
from jitstudio.simulator.state.wrapped import wrap_sentence

_IN_BLOCK = (1 << CLUSTER_BITS) - 1
"""The bits of an address of shared memory that are its place in the block's."""


def checked_offsets(
    wave: Wave, space: StateSpace, addresses: NDArray[np.int64], threads: Selection, size: int
) -> tuple[Offsets, int]:
    """Returns checked offsets in the arena of a space, and their region or -1."""
    arena, extent, pointers = wave.arenas[space], None, None
    if wave.extents is not None and wave.current is not None:
        extent = wave.extents.of(wave.current.number, space)
        if extent is None and space is StateSpace.GLOBAL:
            pointers = _loaded_pointers(wave, threads)
    try:
        if space is StateSpace.SHARED:
            checked = _shared_offsets(wave, addresses, threads, size), 0
        elif space is StateSpace.LOCAL:
            _check_range(addresses, size, wave.local_stride, "the thread's local memory")
            checked = addresses + wave.local_base[threads], 0
        else:
            offsets = addresses - arena.base
            checked = offsets, arena.check_bounds(offsets, size)
    except AccessFault as fault:
        if pointers is not None and wave.extents is not None:
            (led,), buffers = wave.extents.of_pointers(pointers[fault.index : fault.index + 1])
            extent = buffers[led] if led >= 0 else None
        raise _fault_of_access(wave, fault, threads, size, extent) from None
    if extent is not None:
        _check_extent(wave, extent, addresses, threads, size)
    elif pointers is not None:
        _check_pointed(wave, pointers, addresses, threads, size)
    return checked


def _loaded_pointers(wave: Wave, threads: Selection) -> NDArray[np.int64] | None:
    """Returns the pointers from memory that the addresses of an access are based on, or None."""
    assert wave.extents is not None
    assert wave.current is not None
    name = wave.extents.pointer_of(wave.current.number)
    registers = wave.bases.get((wave.depth, wave.current.function), {})
    if name is None or name not in registers:
        return None
    pointers: NDArray[np.int64] = registers[name][threads].view(np.int64)
    return pointers


def _check_pointed(
    wave: Wave,
    pointers: NDArray[np.int64],
    addresses: NDArray[np.int64],
    threads: Selection,
    size: int,
) -> None:
    """Notes threads whose addresses run out of the buffers that their pointers lead to."""
    assert wave.extents is not None
    places, buffers = wave.extents.of_pointers(pointers)
    for led in np.unique(places[places >= 0]).tolist():
        mine = places == led
        _check_extent(wave, buffers[led], addresses, threads, size, mine)


def _check_extent(
    wave: Wave,
    extent: Extent,
    addresses: NDArray[np.int64],
    threads: Selection,
    size: int,
    only: NDArray[np.bool_] | None = None,
) -> None:
    """Notes threads whose addresses run out of their array, perhaps into another array.

    Args:
        wave: The resident blocks with their memory.
        extent: The array.
        addresses: An address for each thread.
        threads: The threads that access memory.
        size: Bytes of each access.
        only: Which of the threads must stay within the array; None for all.
    """
    if extent.space is StateSpace.SHARED:
        addresses = addresses & _IN_BLOCK
    elif extent.space is StateSpace.LOCAL:
        addresses = addresses - wave.stacks[wave.depth][threads]
    if int(addresses.min()) >= extent.start and int(addresses.max()) + size <= extent.end:
        return
    outside = (addresses < extent.start) | (addresses + size > extent.end)
    if only is not None:
        outside &= only
        if not outside.any():
            return
    address = int(addresses[np.argmax(outside)])
    numbers = wave.numbers[threads][outside]
    assert wave.extents is not None
    # The first or last byte of the access, to name the array that it reaches.
    byte = address if address >= extent.start else address + size - 1
    assert wave.current is not None
    other_array = wave.extents.at(extent.space, byte, wave.current.function)
    where = "" if other_array is None or other_array == extent else f" and in {other_array.name}"
    wave.tell(
        FaultKind.OUT_OF_BOUNDS,
        numbers,
        f"{_verb(wave)} {_bytes_words(size)} of {extent.space.value} memory at 0x{address:x}, "
        f"{extent.distance(address)}{where}",
        more=wrap_sentence(wave, wave.extents.program, int(numbers[0])),
        about=extent.name,
    )


def _shared_offsets(
    wave: Wave, addresses: NDArray[np.int64], threads: Selection, size: int
) -> Offsets:
    bases = wave.shared_base[threads]
    # An address with a rank is of `.shared::cluster`; nearly all have none.
    if int(addresses.max()) >> CLUSTER_BITS and int(addresses.min()) >= 0:
        # `mapa` puts one more than the rank of the block there; 0 is the own block.
        ranks = addresses >> CLUSTER_BITS
        blocks = wave.layout.cluster_blocks
        if (ranks > blocks).any():
            first = int(np.argmax(ranks > blocks))
            raise AccessFault(
                FaultKind.OUT_OF_BOUNDS,
                first,
                int(np.count_nonzero(ranks > blocks)),
                f"which is in no block of a cluster of {blocks}",
                int(addresses[first]),
            )
        slots = wave.slots[threads]
        other = slots - slots % blocks + ranks - 1
        bases = np.where(ranks > 0, other, slots) * wave.layout.shared_stride
        addresses = addresses & np.int64(_IN_BLOCK)
    _check_range(addresses, size, wave.shared_size, "the shared memory of the block")
    offsets: Offsets = addresses + bases
    return offsets


def load(
    wave: Wave,
    space: StateSpace | None,
    addresses: NDArray[np.int64],
    dtype: np.dtype[Any],
    count: int,
    threads: Selection,
    *,
    strong: bool = False,
) -> list[NDArray[Any]]:
    """Returns the elements that threads read from addresses, `count` successive ones each.

    Args:
        wave: The resident blocks with their memory.
        space: None for generic addresses.
        addresses: An address for each thread.
        dtype: Of an element.
        count: Elements of a vector.
        threads: The threads that read.
        strong: Whether the load is volatile, relaxed or acquire.

    Raises:
        ThreadFault: If an address is out of bounds or misaligned.
    """
    if space is None:
        windows = windows_of(addresses)
        if len(windows) > 1:
            return _load_mixed(wave, windows, addresses, dtype, count, threads, strong)
        space = next(iter(windows))
        addresses = addresses - WINDOWS[space] if space in WINDOWS else addresses
    size = dtype.itemsize * count
    offsets, region = checked_offsets(wave, space, addresses, threads, size)
    return take(wave, space, offsets, region, addresses, dtype, count, threads, strong=strong)


def take(
    wave: Wave,
    space: StateSpace,
    offsets: Offsets,
    region: int,
    addresses: NDArray[np.int64],
    dtype: np.dtype[Any],
    count: int,
    threads: Selection,
    *,
    strong: bool = False,
) -> list[NDArray[Any]]:
    """Returns the elements at checked offsets; see `load`."""
    arena, size = wave.arenas[space], dtype.itemsize * count
    unwritten = arena.check_written(offsets, size, region)
    partly = None
    if unwritten is not None:
        partly = arena.partly_written(offsets, size)
        missing = unwritten & ~partly
        if missing.any():
            tell_unwritten(wave, space, missing, offsets, addresses, threads, size)
        if space is StateSpace.LOCAL and wave.copies_unwritten:
            partly = unwritten
    if wave.on_accessed:
        notify(wave, space, AccessKind.READ, offsets, addresses, size, threads, strong)
    if arena.codes is not None or partly is not None:
        _note_loaded(wave, arena, offsets, dtype.itemsize, count, threads, partly)
    return arena.gather(offsets, dtype, count)


def _note_loaded(
    wave: Wave,
    arena: Arena,
    offsets: Offsets,
    size: int,
    count: int,
    threads: Selection,
    followed: NDArray[np.bool_] | None,
) -> None:
    """Keeps the codes of loaded elements, to be followed through registers.

    Args:
        wave: The resident blocks.
        arena: The memory that is loaded from.
        offsets: Of the accesses.
        size: Bytes of an element.
        count: Elements of each access.
        threads: The threads that load.
        followed: The threads whose unwritten elements are followed and no fault yet; None for none.
    """
    codes = arena.codes_at(offsets, size, count)
    if followed is not None and followed.any() and wave.current is not None:
        never = arena.never_written(offsets, size, count) & followed
        if never.any():
            first = int(wave.numbers[threads][int(np.argmax(never.any(axis=0)))])
            code = wave.undefined.unwritten(wave.current, wave.clock - 1, first)
            codes = list(np.where(never, np.int32(code), codes if codes is not None else 0))
    if codes is not None and wave.current is not None:
        wave.undefined.last_load = wave.current, codes


def _load_mixed(
    wave: Wave,
    windows: dict[StateSpace, NDArray[np.bool_] | None],
    addresses: NDArray[np.int64],
    dtype: np.dtype[Any],
    count: int,
    threads: Selection,
    strong: bool,
) -> list[NDArray[Any]]:
    values = [np.empty(len(addresses), dtype) for _ in range(count)]
    numbers = wave.numbers[threads]
    for space, chosen in windows.items():
        loaded = load(
            wave,
            space,
            addresses[chosen] - WINDOWS.get(space, 0),
            dtype,
            count,
            numbers[chosen],
            strong=strong,
        )
        for value, part in zip(values, loaded, strict=True):
            value[chosen] = part
    wave.undefined.last_load = None
    return values


def store(
    wave: Wave,
    space: StateSpace | None,
    addresses: NDArray[np.int64],
    values: Sequence[NDArray[Any]],
    threads: Selection,
    *,
    strong: bool = False,
    sources: NDArray[np.int64] | None = None,
) -> None:
    """Writes elements to addresses, as `load` reads them; for `sources` see `Access`.

    Raises:
        ThreadFault: If an address is out of bounds, misaligned, or not to be written.
    """
    if space is None:
        windows = windows_of(addresses)
        if len(windows) > 1:
            numbers, carried = wave.numbers[threads], wave.undefined.carried
            for part, chosen in windows.items():
                wave.undefined.carried = [codes[chosen] for codes in carried] if carried else None
                store(
                    wave,
                    part,
                    addresses[chosen] - WINDOWS.get(part, 0),
                    [value[chosen] for value in values],
                    numbers[chosen],
                    strong=strong,
                )
            return
        space = next(iter(windows))
        addresses = addresses - WINDOWS[space] if space in WINDOWS else addresses
    size = values[0].dtype.itemsize * len(values)
    writable(wave, space, addresses, threads, size)
    offsets, region = checked_offsets(wave, space, addresses, threads, size)
    put(wave, space, offsets, region, addresses, values, threads, strong=strong, sources=sources)


def put(
    wave: Wave,
    space: StateSpace,
    offsets: Offsets,
    region: int,
    addresses: NDArray[np.int64],
    values: Sequence[NDArray[Any]],
    threads: Selection,
    *,
    strong: bool = False,
    sources: NDArray[np.int64] | None = None,
) -> None:
    """Writes elements to checked offsets; see `store`."""
    arena, size = wave.arenas[space], values[0].dtype.itemsize * len(values)
    # A product of a warp group may still be reading these bytes.
    if wave.products and space is StateSpace.SHARED:
        check_not_read(wave, offsets, addresses, threads, size)
    before = arena.bytes_at(offsets, size) if wave.wants_values else None
    if (order := wave.in_order(threads)) is None:
        arena.scatter(offsets, values)
    else:
        # Of several threads that write to an address the last one in the order prevails.
        arena.scatter(offsets[order], [value[order] for value in values])
    arena.mark_written(offsets, size, region)
    if wave.undefined.carried is not None:
        _keep_carried(wave, arena, offsets, values[0].dtype.itemsize, order)
    wave.changes += 1
    if wave.on_accessed:
        after = None if before is None else _bytes_of(values, len(offsets))
        kind = AccessKind.WRITE
        notify(wave, space, kind, offsets, addresses, size, threads, strong, before, after, sources)


def _keep_carried(
    wave: Wave, arena: Arena, offsets: Offsets, size: int, order: NDArray[np.int64] | None
) -> None:
    """Lets shared or local memory hold the undefined values of a store."""
    codes, wave.undefined.carried = wave.undefined.carried, None
    if codes is not None and arena.space in (StateSpace.SHARED, StateSpace.LOCAL):
        if order is not None:
            offsets, codes = offsets[order], [part[order] for part in codes]
        arena.put_codes(offsets, size, codes)


def writable(
    wave: Wave, space: StateSpace, addresses: NDArray[np.int64], threads: Selection, size: int
) -> Arena:
    """Returns the arena of a space.

    Raises:
        ThreadFault: If nothing may be written to it.
    """
    arena = wave.arenas[space]
    if arena.read_only:
        memory = "constant memory" if space is StateSpace.CONSTANT else "a parameter"
        raise ThreadFault(
            FaultKind.READ_ONLY,
            int(wave.numbers[threads][0]),
            f"writes {size} bytes to {memory}, at 0x{int(addresses[0]):x}. "
            "Nothing can be written there",
            len(addresses),
        )
    return arena


def notify(
    wave: Wave,
    space: StateSpace,
    kind: AccessKind,
    offsets: Offsets,
    addresses: NDArray[np.int64],
    size: int,
    threads: Selection,
    strong: bool,
    before: NDArray[np.uint8] | None = None,
    after: NDArray[np.uint8] | None = None,
    sources: NDArray[np.int64] | None = None,
) -> None:
    """Shows an access to the observers; `after` is read from memory if None."""
    instruction = wave.current
    assert instruction is not None
    if before is not None and after is None:
        after = wave.arenas[space].bytes_at(offsets, size)
    numbers = wave.numbers[threads]
    beside_copies = None
    if wave.copies and space is StateSpace.SHARED and kind is AccessKind.READ:
        beside_copies = wave.copies.beside(numbers, wave.layout.warps_per_block * WARP)
    access = Access(
        instruction,
        numbers,
        space,
        kind,
        offsets,
        addresses.view(np.uint64),
        size,
        strong or kind is AccessKind.ATOMIC,
        before,
        after,
        wave.clock - 1,
        sources,
        beside_copies,
    )
    for observer in wave.on_accessed:
        observer.accessed(access)


def _fault_of_access(
    wave: Wave, fault: AccessFault, threads: Selection, size: int, extent: Extent | None
) -> ThreadFault:
    detail = fault.detail
    if extent is not None and fault.kind is FaultKind.OUT_OF_BOUNDS:
        is_shared = extent.space is StateSpace.SHARED
        at = fault.address & _IN_BLOCK if is_shared and fault.address > 0 else fault.address
        if extent.space is StateSpace.LOCAL:
            at -= int(wave.stacks[wave.depth][threads][fault.index])
        if at < extent.start or at + size > extent.end:
            detail = extent.distance(at)
    return ThreadFault(
        fault.kind,
        int(wave.numbers[threads][fault.index]),
        f"{_verb(wave)} {_bytes_words(size)} at 0x{fault.address:x}, {detail}",
        fault.count,
    )


def _verb(wave: Wave) -> str:
    opcode = wave.current.opcode if wave.current is not None else ""
    return {"ld": "reads", "st": "writes"}.get(opcode, "accesses")


def _bytes_words(size: int) -> str:
    return f"{size} byte{'' if size == 1 else 's'}"


def tell_unwritten(
    wave: Wave,
    space: StateSpace,
    unwritten: NDArray[np.bool_],
    offsets: Offsets,
    addresses: NDArray[np.int64],
    threads: Selection,
    size: int,
) -> None:
    """Notes threads that read unwritten bytes, or bytes of copies not waited for."""
    if space is StateSpace.SHARED and wave.copies:
        pending = wave.arenas[space].has_state(offsets, size, COPYING)
        if pending.any():
            _tell_not_waited_for(wave, pending, offsets, addresses, threads, size)
            unwritten = unwritten & ~pending
            if not unwritten.any():
                return
    if space is StateSpace.LOCAL and wave.copies_unwritten:
        return
    first = int(np.argmax(unwritten))
    names = {StateSpace.CONSTANT: "constant"}
    where = f"{names.get(space, space.value)} memory at 0x{int(addresses[first]):x}"
    if space is StateSpace.SURFACE:
        where = next(filter(None, (a.place(int(offsets[first])) for a in wave.texels.values())))
    wave.tell(
        FaultKind.NEVER_WRITTEN,
        wave.numbers[threads][unwritten],
        f"reads {size} bytes of {where} that nobody has written",
    )


def _tell_not_waited_for(
    wave: Wave,
    pending: NDArray[np.bool_],
    offsets: Offsets,
    addresses: NDArray[np.int64],
    threads: Selection,
    size: int,
) -> None:
    """Notes threads that read bytes to which a copy is under way."""
    first = int(np.argmax(pending))
    copy, thread = wave.copies.at(int(offsets[first]), size)
    place = wave.layout.place(copy.instruction, thread, copy.step)
    wave.tell(
        FaultKind.NOT_WAITED_FOR,
        wave.numbers[threads][pending],
        f"reads {size} bytes of shared memory at 0x{int(addresses[first]):x} before the copy "
        "to them was waited for",
        other=place,
        more=f"Thread {place.thread} copies to them at {line_of(place)}. It must wait "
        "(cp.async.wait_group, __pipeline_wait_prior, or an mbarrier) before anyone reads, and "
        "other threads need a barrier after that.",
    )


# Copies that run by themselves.


def copying(
    wave: Wave,
    addresses: NDArray[np.int64],
    size: int,
    threads: Selection,
    barriers: NDArray[np.int64] | None = None,
) -> None:
    """Notes a copy to shared memory that has to be waited for.

    Args:
        wave: The resident blocks.
        addresses: The address that each thread copies to.
        size: Bytes of each.
        threads: The threads that copy.
        barriers: Offsets of the mbarriers that track the copy; None for none.
    """
    assert wave.current is not None
    offsets, region = checked_offsets(wave, StateSpace.SHARED, addresses, threads, size)
    wave.arenas[StateSpace.SHARED].mark_copying(offsets, size, region)
    numbers = wave.numbers[threads]
    wave.copies.add(wave.current, wave.clock - 1, numbers, offsets, addresses, size, barriers)


def copied(wave: Wave, copies: list[Copy], *, by_themselves: bool) -> None:
    """Notes that copies have been waited for.

    Args:
        wave: The resident blocks.
        copies: The copies.
        by_themselves: Whether the copying threads have waited; others need a barrier behind that.
    """
    for copy in copies:
        wave.arenas[StateSpace.SHARED].mark_written(copy.offsets, copy.size, -1)
        if by_themselves and wave.on_copied:
            access = Access(
                copy.instruction,
                copy.threads,
                StateSpace.SHARED,
                AccessKind.WRITE,
                copy.offsets,
                copy.addresses.view(np.uint64),
                copy.size,
                step=copy.step,
            )
            for observer in wave.on_copied:
                observer.copied(access)


def _bytes_of(values: Sequence[NDArray[Any]], count: int) -> NDArray[np.uint8]:
    """Returns the bytes of the elements that each thread writes, of shape (threads, bytes)."""
    columns = np.stack([np.broadcast_to(value, (count,)) for value in values], axis=1)
    return columns.view(np.uint8)


def _check_range(addresses: NDArray[np.int64], size: int, limit: int, memory: str) -> None:
    if int(addresses.min()) < 0 or int(addresses.max()) + size > limit:
        wrong = (addresses < 0) | (addresses + size > limit)
        first = int(np.argmax(wrong))
        address = int(addresses[first])
        where = (
            f"{-address:,} bytes before the start" if address < 0 else behind_end(address - limit)
        )
        raise AccessFault(
            FaultKind.OUT_OF_BOUNDS,
            first,
            int(np.count_nonzero(wrong)),
            f"{where} of {memory} ({limit:,} bytes)",
            address,
        )
    if size > 1:
        check_alignment(addresses, size)
