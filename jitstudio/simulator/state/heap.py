"""The heap of device code: `malloc` and `free`, which `new` and `delete` call.

Blocks follow one another with gaps in between, and freed ones are used again only once all other
bytes are: so accesses beyond a block, or to a freed one, are found.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from jitstudio.simulator.state.memory import Arena, Region

HEAP_BYTES = 8 << 20
"""The default of a GPU, `cudaLimitMallocHeapSize` ("Heap Memory Allocation" of the guide)."""

# "Dynamic Global Memory Allocation and Operations" of the guide: pointers are aligned to 16 bytes.
_ALIGNMENT = 16
_GAP = 16
HeapState = tuple[int, tuple[Region, ...], tuple[Region, ...]]
"""The end of the used bytes, live blocks, and freed blocks."""


class Heap:
    """A part of global memory from which threads get blocks.

    Args:
        arena: Global memory, which has the heap as its last region.
    """

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._region = arena.regions[-1]
        self._next = self._region.start
        self._live: dict[int, Region] = {}
        self._freed: dict[int, Region] = {}
        # Start and end of the gaps between blocks, once the first gap is used; none is larger than
        # `_largest`.
        self._gaps: list[tuple[int, int]] | None = None
        self._largest = 0
        arena.blocks = self._live, self._freed

    def allocate(self, sizes: Iterable[int], where: str) -> tuple[list[int], list[Region]]:
        """Allocates blocks.

        Args:
            sizes: Bytes of each block.
            where: The line of the call, for messages.

        Returns:
            The address of each block, 0 where there is no room, and the blocks whose bytes were in
            use before.
        """
        addresses: list[int] = []
        again: list[Region] = []
        for size in sizes:
            room = _room(size)
            start = self._next
            # Larger than the whole heap: freed blocks stay where they are.
            if room > self._region.end - self._region.start:
                start = -1
            elif start + room > self._region.end:
                self._next = self._region.end
                # Their bytes may belong to new blocks from now on.
                self._freed.clear()
                start = self._take_gap(room)
            else:
                self._next += room
            if start < 0:
                addresses.append(0)
                continue
            block = Region(start, start + size, f"a block of the heap from {where}")
            self._live[start] = block
            self._arena.open(block)
            addresses.append(self._arena.base + start)
            if self._gaps is not None:
                again.append(block)
        return addresses, again

    def free(self, addresses: Iterable[int]) -> list[str]:
        """Frees blocks; returns for each why that is an error, or an empty text."""
        problems: list[str] = []
        for address in addresses:
            start = address - self._arena.base
            block = self._live.pop(start, None)
            if block is not None:
                self._freed[start] = block
                self._arena.close(block)
                if self._gaps is not None:
                    self._add_gap(start, start + _room(block.end - start))
            # `free(0)` does nothing, as in C.
            missing = address != 0 and block is None
            problem = (
                "was freed before" if start in self._freed else "is none that malloc has given"
            )
            problems.append(problem if missing else "")
        return problems

    def left(self) -> tuple[str, ...]:
        """Returns the blocks never freed, a sentence for each line that has allocated any."""
        sizes_by_name: dict[str, list[int]] = {}
        for block in self._live.values():
            sizes_by_name.setdefault(block.name.removeprefix("a block "), []).append(
                block.end - block.start
            )
        return tuple(
            f"{len(sizes):,} block{'s' * (len(sizes) > 1)} {name} never freed, "
            f"{sum(sizes):,} bytes."
            for name, sizes in sizes_by_name.items()
        )

    @property
    def used(self) -> int:
        """Bytes from the start up to the end of the last block so far."""
        return self._next - self._region.start

    def state(self) -> HeapState:
        """Returns the current state, for `restore`."""
        return self._next, tuple(self._live.values()), tuple(self._freed.values())

    def restore(self, state: HeapState) -> None:
        """Restores a state; the bytes are restored by the arena."""
        self._next, live, freed = state
        for by_start, blocks in ((self._live, live), (self._freed, freed)):
            by_start.clear()
            by_start.update((block.start, block) for block in blocks)
        self._gaps = None

    def _take_gap(self, room: int) -> int:
        """Takes the first gap that is large enough and returns its start; -1 for none."""
        if self._gaps is None:
            self._gaps, self._largest = self._find_gaps(), self._region.end
        if room > self._largest:
            return -1
        for index, (start, end) in enumerate(self._gaps):
            if start + room <= end:
                self._gaps[index : index + 1] = [(start + room, end)] * (start + room < end)
                return start
        self._largest = room - 1
        return -1

    def _add_gap(self, start: int, end: int) -> None:
        """Notes freed bytes, joined with the gaps that they touch."""
        assert self._gaps is not None
        first = last = bisect_left(self._gaps, (start, end))
        if last < len(self._gaps) and self._gaps[last][0] == end:
            end, last = self._gaps[last][1], last + 1
        if first and self._gaps[first - 1][1] == start:
            start, first = self._gaps[first - 1][0], first - 1
        self._gaps[first:last] = [(start, end)]
        self._largest = max(self._largest, end - start)

    def _find_gaps(self) -> list[tuple[int, int]]:
        """Returns start and end of the gaps between blocks, in order."""
        gaps, at = [], self._region.start
        for start in (*sorted(self._live), self._region.end):
            if start > at:
                gaps.append((at, start))
            if start in self._live:
                at = start + _room(self._live[start].end - start)
        return gaps


def _room(size: int) -> int:
    """Returns the bytes that a block takes with the gap behind it."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT + _GAP
