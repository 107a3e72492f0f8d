"""The bytes of every state space, with notes on written bytes, and generic addresses.

Each space is one flat arena. Global memory holds the variables of the module and the allocations of
the launch, with unmapped gaps in between; shared memory the windows of all resident blocks; local
memory the stacks of all resident threads. An access is checked before it is done.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.state.model import Allocation, FaultKind, StateSpace

Offsets = NDArray[np.int64]

GLOBAL_BASE = 0x7F00_0000_0000
"""Where `place` puts the first allocation."""

# `cudaMalloc` aligns to at least 256 bytes; the gap lets small overruns meet no other buffer.
_ALIGNMENT = 512
# Larger buffers begin at multiples of their size, up to a page: the cost of atomics depends on bits
# of the address, and is not to depend on the sizes of buffers before.
_PAGE = 4096
_GAP = 512
# 0 stands for bytes outside of all regions, as `np.zeros` leaves them.
_UNWRITTEN, WRITTEN, COPYING = 1, 2, 3
# The windows of generic addresses (PTX ISA, "Generic Addressing"), by bits 36 and up; all other
# addresses are global. The bases are made up: a GPU has others.
WINDOW_BITS = 36
WINDOWS = {
    StateSpace.SHARED: 0x7E00_0000_0000,
    StateSpace.LOCAL: 0x7E10_0000_0000,
    StateSpace.CONSTANT: 0x7E20_0000_0000,
    StateSpace.PARAM: 0x7E30_0000_0000,
}
_BY_WINDOW = {base >> WINDOW_BITS: space for space, base in WINDOWS.items()}
CLUSTER_BITS = 24
"""Above these bits an address of shared memory has one more than the rank of its block."""


class AccessFault(Exception):
    """A forbidden access.

    Attributes:
        kind: The kind of fault.
        index: The first thread at fault among those that take part.
        count: How many threads are at fault.
        detail: The problem of the address, in words that go on after "at 0x…".
        address: As the thread has it.
    """

    def __init__(self, kind: FaultKind, index: int, count: int, detail: str, address: int) -> None:
        super().__init__(detail)
        self.kind, self.index, self.count = kind, index, count
        self.detail, self.address = detail, address


class Region(NamedTuple):
    """Bytes of an arena that may be accessed."""

    start: int
    end: int
    name: str


def place(sizes: Sequence[int]) -> tuple[int, ...]:
    """Returns addresses for allocations of some sizes, as the driver would choose them."""
    addresses = []
    at = GLOBAL_BASE
    for size in sizes:
        align = min(max(1 << max(size - 1, 0).bit_length(), _ALIGNMENT), _PAGE)
        at = -(-at // align) * align
        addresses.append(at)
        at += -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT + _GAP
    return tuple(addresses)


@dataclass
class Arena:
    """The bytes of a state space.

    Attributes:
        space: The state space.
        base: The address of the first byte in its own space.
        data: Its bytes; their number is divisible by 16.
        state: The state of each byte: 0 outside, 1 not written, 2 written, 3 being copied to.
        regions: The parts that may be accessed, by rising offsets.
        read_only: Whether nothing may be written.
        pitch: For equal parts, of blocks or threads: bytes from one to the next.
        used: Bytes of each part that may be accessed.
        blocks: Where the last region is a heap: its blocks and the freed ones, by their offsets.
        codes: The codes of undefined values in each byte, see `UndefinedValues`; None for none.
    """

    space: StateSpace
    base: int
    data: NDArray[np.uint8]
    state: NDArray[np.uint8]
    regions: tuple[Region, ...] = ()
    read_only: bool = False
    pitch: int = 0
    used: int = 0
    blocks: tuple[dict[int, Region], dict[int, Region]] | None = None
    codes: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        self._views: dict[np.dtype[Any], NDArray[Any]] = {}
        self._starts = [region.start for region in self.regions]
        self._first = np.array(self._starts or [0], np.int64)
        self._last = np.array([r.end for r in self.regions] or [0], np.int64)
        self.forget()
        self._looked = [0] * len(self.regions)

    @classmethod
    def in_parts(cls, space: StateSpace, count: int, pitch: int, used: int, name: str) -> Arena:
        """Returns an arena of equal parts."""
        arena = cls.of(space, 0, count * pitch, (Region(0, count * pitch, name),))
        arena.pitch, arena.used = pitch, used
        return arena

    @classmethod
    def of(cls, space: StateSpace, base: int, size: int, regions: tuple[Region, ...] = ()) -> Arena:
        """Returns an arena of some bytes, of which only the regions may be accessed."""
        padded = -(-size // 16) * 16 + 16
        data, state = np.zeros(padded, np.uint8), np.zeros(padded, np.uint8)
        for region in regions:
            state[region.start : region.end] = _UNWRITTEN
        return cls(space, base, data, state, regions)

    def offset_of(self, address: int) -> int:
        """Returns the offset of the byte at an address."""
        return address - self.base

    def fill(self, start: int, content: bytes) -> None:
        """Puts bytes into the arena, which count as written."""
        end = start + len(content)
        self.data[start:end] = np.frombuffer(content, np.uint8)
        self.state[start:end] = WRITTEN
        self.forget()

    def open(self, block: Region) -> None:
        """Lets a block of the heap be accessed, with all bytes unwritten."""
        self.state[block.start : block.end] = _UNWRITTEN

    def close(self, block: Region) -> None:
        """Lets a block of the heap be accessed no more."""
        self.state[block.start : block.end] = 0

    def forget(self) -> None:
        """Reads the state of all regions again, after data and state were changed from outside."""
        self._complete = [self._all_written(region) for region in self.regions]

    def _all_written(self, region: Region) -> bool:
        states = self.state[region.start : region.end]
        if self.pitch:
            states = states.reshape(-1, self.pitch)[:, : self.used]
        return bool(states.size and states.min() == WRITTEN == states.max())

    def view(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Returns the bytes as elements of a type."""
        if (view := self._views.get(dtype)) is None:
            view = self._views[dtype] = self.data.view(dtype)
        return view

    def region_of(self, lowest: int, highest: int, size: int) -> int:
        """Returns the index of the region with all bytes of accesses; -1 for none."""
        index = bisect_right(self._starts, lowest) - 1
        if index >= 0 and highest + size <= self.regions[index].end:
            return index
        return -1

    def check_bounds(self, offsets: Offsets, size: int) -> int:
        """Returns the region of all accesses, -1 where they are in several.

        Raises:
            AccessFault: If an access is in no region, or misaligned.
        """
        lowest, highest = int(offsets.min()), int(offsets.max())
        index = self.region_of(lowest, highest, size)
        in_heap = self.blocks is not None and index in (-1, len(self.regions) - 1)
        if index < 0 or in_heap:
            at = np.searchsorted(self._first, offsets, side="right") - 1
            inside = (at >= 0) & (offsets + size <= self._last[at])
            if in_heap:
                # Bytes of the heap outside of its blocks have state 0.
                checked = np.where(inside, offsets, 0)
                inside &= (self.state[checked] != 0) & (self.state[checked + size - 1] != 0)
            if not inside.all():
                first = int(np.argmin(inside))
                raise AccessFault(
                    FaultKind.OUT_OF_BOUNDS,
                    first,
                    int(np.count_nonzero(~inside)),
                    self._distance(int(offsets[first]), size),
                    self.base + int(offsets[first]),
                )
        if size > 1:
            check_alignment(offsets, size, self.base)
        return index

    def _distance(self, offset: int, size: int) -> str:
        """Returns how far an access is from the nearest region."""
        # A field of a struct at a null pointer has a small address, too.
        if self.base + offset < 4096:
            return "which is a null pointer, or one with a small number added"
        nearest, best = "", 1 << 63
        regions: Iterable[Region] = self.regions
        if self.blocks is not None:
            live, freed = self.blocks
            regions = (*self.regions[:-1], *live.values())
            for region in freed.values():
                if region.start <= offset < region.end:
                    return f"in {region.name} ({region.end - region.start:,} bytes) that was freed"
        for region in regions:
            length = f"{region.name} ({region.end - region.start:,} bytes)"
            behind, before = offset + size - region.end, region.start - offset
            if behind > 0 and offset >= region.start and behind - size < best:
                best = max(behind - size, 0)
                nearest = f"{behind_end(offset - region.end)} of {length}"
            elif before > 0 and before < best:
                best = before
                nearest = f"{before:,} bytes before the start of {length}"
        return nearest or "where nothing is allocated"

    def check_written(self, offsets: Offsets, size: int, region: int) -> NDArray[np.bool_] | None:
        """Returns which accesses read an unwritten byte; None for none."""
        if region >= 0:
            if self._complete[region]:
                return None
            self._looked[region] += 1
            # Looking at a whole region costs more than one access, so only each 16th access does.
            if self._looked[region] & 15 == 1:
                self._complete[region] = self._all_written(self.regions[region])
                if self._complete[region]:
                    return None
        states = self._states(offsets, size)
        return None if states.all() else ~states

    def mark_written(self, offsets: Offsets, size: int, region: int) -> None:
        """Notes that bytes have been written, by defined values."""
        if self.codes is not None:
            self.codes[offsets[:, None] + np.arange(size)] = 0
        if region < 0 or not self._complete[region]:
            self._mark(offsets, size, WRITTEN)

    def mark_copying(self, offsets: Offsets, size: int, region: int) -> None:
        """Notes that bytes are being copied to."""
        self._complete[region] = False
        self._mark(offsets, size, COPYING)
        if self.codes is not None:
            self.codes[offsets[:, None] + np.arange(size)] = 0

    def put_codes(self, offsets: Offsets, size: int, codes: Sequence[NDArray[np.int32]]) -> None:
        """Notes undefined values that were written.

        Args:
            offsets: The offset that each thread has written to.
            size: Bytes of an element.
            codes: Of successive elements.
        """
        if self.codes is None:
            self.codes = np.zeros(len(self.data), np.int32)
        for part, element_codes in enumerate(codes):
            self.codes[(offsets + part * size)[:, None] + np.arange(size)] = element_codes[:, None]

    def codes_at(self, offsets: Offsets, size: int, count: int) -> list[NDArray[np.int32]] | None:
        """Returns the codes of elements whose bytes are all undefined; None if none is."""
        if self.codes is None:
            return None
        codes = self.codes[offsets[:, None] + np.arange(size * count)].reshape(-1, count, size)
        if not codes.any():
            return None
        return list(np.where(codes.all(axis=2), codes.max(axis=2), 0).T)

    def never_written(self, offsets: Offsets, size: int, count: int) -> NDArray[np.bool_]:
        """Returns which elements have no written byte, of shape (elements, threads)."""
        states = self.state[offsets[:, None] + np.arange(size * count)].reshape(-1, count, size)
        never: NDArray[np.bool_] = (states == _UNWRITTEN).all(axis=2).T
        return never

    def partly_written(self, offsets: Offsets, size: int) -> NDArray[np.bool_]:
        """Returns which accesses read written bytes next to unwritten ones."""
        states = self.state[offsets[:, None] + np.arange(size)]
        is_written, is_copied = states == WRITTEN, states == COPYING
        partly: NDArray[np.bool_] = is_written.any(axis=1) & ~is_written.all(axis=1)
        partly &= ~is_copied.any(axis=1)
        return partly

    def _mark(self, offsets: Offsets, size: int, state: int) -> None:
        # Accesses are aligned, so the states of an element are one word of up to 8 bytes.
        width = min(size, 8)
        dtype = np.dtype(f"u{width}")
        value = dtype.type(int.from_bytes(bytes([state]) * width, "little"))
        states = self.state.view(dtype)
        index = offsets // width
        for part in range(size // width):
            states[index + part] = value

    def has_state(self, offsets: Offsets, size: int, state: int) -> NDArray[np.bool_]:
        """Returns which accesses touch a byte in a state."""
        touching: NDArray[np.bool_] = (self.state[offsets[:, None] + np.arange(size)] == state).any(
            1
        )
        return touching

    def _states(self, offsets: Offsets, size: int) -> NDArray[np.bool_]:
        width = min(size, 8)
        dtype = np.dtype(f"u{width}")
        value = dtype.type(int.from_bytes(bytes([WRITTEN]) * width, "little"))
        states = self.state.view(dtype)
        index = offsets // width
        written: NDArray[np.bool_] = states[index] == value
        for part in range(1, size // width):
            written &= states[index + part] == value
        return written

    def gather(self, offsets: Offsets, dtype: np.dtype[Any], count: int) -> list[NDArray[Any]]:
        """Returns `count` successive elements from each offset, which is aligned."""
        view = self.view(dtype)
        index = offsets // dtype.itemsize if dtype.itemsize > 1 else offsets
        return [view[index + part] if part else view[index] for part in range(count)]

    def scatter(self, offsets: Offsets, values: Sequence[NDArray[Any]]) -> None:
        """Puts successive elements at each offset; of two threads the later one prevails."""
        dtype = values[0].dtype
        view = self.view(dtype)
        index = offsets // dtype.itemsize if dtype.itemsize > 1 else offsets
        for part, value in enumerate(values):
            view[index + part if part else index] = value

    def bytes_at(self, offsets: Offsets, size: int) -> NDArray[np.uint8]:
        """Returns the bytes at each offset, of shape (threads, size)."""
        content: NDArray[np.uint8] = self.data[offsets[:, None] + np.arange(size)]
        return content


def check_alignment(offsets: Offsets, size: int, base: int = 0) -> None:
    """Checks that offsets are divisible by the size, a power of 2.

    Raises:
        AccessFault: If an offset is not divisible.
    """
    if int(np.bitwise_or.reduce(offsets)) & (size - 1):
        wrong = (offsets & (size - 1)) != 0
        first = int(np.argmax(wrong))
        raise AccessFault(
            FaultKind.MISALIGNED,
            first,
            int(np.count_nonzero(wrong)),
            f"which is not divisible by {size}",
            base + int(offsets[first]),
        )


def behind_end(distance: int) -> str:
    """Returns the place of an access in words, by its distance in bytes behind the end."""
    if distance > 0:
        return f"{distance:,} bytes past the end"
    return "across the end" if distance < 0 else "directly past the end"


def window_of(address: int) -> StateSpace:
    """Returns the space of a generic address."""
    return _BY_WINDOW.get(address >> WINDOW_BITS, StateSpace.GLOBAL)


def windows_of(addresses: NDArray[np.int64]) -> dict[StateSpace, NDArray[np.bool_] | None]:
    """Returns the generic addresses of each space, as masks; None stands for all."""
    tops = addresses >> WINDOW_BITS
    first, last = int(tops.min()), int(tops.max())
    if first == last:
        return {_BY_WINDOW.get(first, StateSpace.GLOBAL): None}
    masks: dict[StateSpace, NDArray[np.bool_] | None] = {}
    rest = np.ones(len(addresses), np.bool_)
    for top, space in _BY_WINDOW.items():
        inside = tops == top
        if inside.any():
            masks[space] = inside
            rest &= ~inside
    if rest.any():
        masks[StateSpace.GLOBAL] = rest
    return masks


def global_arena(
    variables: Sequence[tuple[str, int, int]],
    allocations: Sequence[Allocation],
    heap_bytes: int = 0,
) -> tuple[Arena, dict[str, int]]:
    """Returns global memory, and the addresses of its variables.

    Args:
        variables: Name, bytes and alignment of each variable of the module.
        allocations: Of the launch, by rising addresses.
        heap_bytes: Of the heap, the last region, of which no byte may be accessed yet.

    Raises:
        ValueError: If allocations overlap.
    """
    size = 0
    starts: dict[str, int] = {}
    for name, extent, align in variables:
        align = max(align, 16)
        size = -(-size // align) * align
        starts[name] = size
        size += max(extent, 1) + 16
    # Variables of the module lie in whole pages before the first allocation.
    room = -(-(size + _GAP) // _PAGE) * _PAGE
    first = min((a.address for a in allocations), default=GLOBAL_BASE)
    base = first // _PAGE * _PAGE - room
    regions = [Region(starts[n], starts[n] + extent, n) for n, extent, _ in variables]
    for allocation in allocations:
        start = allocation.address - base
        if regions and start < regions[-1].end:
            raise ValueError(f"the allocation {allocation.name} overlaps the one before")
        regions.append(Region(start, start + allocation.size, allocation.name))
    end = max((region.end for region in regions), default=0)
    if heap_bytes:
        start = -(-(end + _GAP) // _ALIGNMENT) * _ALIGNMENT
        end = start + heap_bytes
        regions.append(Region(start, end, "the heap"))
    arena = Arena.of(StateSpace.GLOBAL, base, end, tuple(regions))
    for allocation in allocations:
        if allocation.data is not None:
            arena.fill(allocation.address - base, allocation.data)
    if heap_bytes:
        arena.close(regions[-1])
    return arena, {name: base + start for name, start in starts.items()}
