"""The heap of device code: `malloc` and `free`, to which `new` and `delete` come down.

Blocks follow one another with gaps in between, and freed ones are used again only once the rest is:
so what goes beyond a block, or to one that has been freed, is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jitstudio.simulator.memory import Arena, Region

HEAP_BYTES = 8 << 20
"""What a GPU has unless it is asked for more (``cudaLimitMallocHeapSize``)."""

_ALIGNMENT = 16
_GAP = 16
HeapState = tuple[int, tuple[Region, ...], tuple[Region, ...]]
"""What `Heap.state` returns."""


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
        arena.blocks = self._live, self._freed

    def allocate(self, sizes: Iterable[int], where: str) -> tuple[list[int], list[Region]]:
        """Gives blocks.

        Args:
            sizes: Their bytes.
            where: The line that asks for them, for messages.

        Returns:
            The address of each, 0 for none, and those of the blocks whose bytes were in use before.
        """
        addresses: list[int] = []
        again: list[Region] = []
        gaps: Iterator[tuple[int, int]] | None = None
        start, end = self._next, self._region.end
        for size in sizes:
            room = _room(size)
            if room > self._region.end - self._region.start:
                addresses.append(0)
                continue
            while start + room > end:
                gaps = self._gaps() if gaps is None else gaps
                start, end = next(gaps, (0, -1))
                if end < 0:
                    break
            if end < 0:
                addresses.append(0)
                continue
            block = Region(start, start + size, f"a block of the heap from {where}")
            self._live[start] = block
            self._arena.open(block)
            addresses.append(self._arena.base + start)
            if gaps is not None:
                again.append(block)
            start += room
        if gaps is None:
            self._next = start
        else:
            self._next = self._region.end
            self._freed.clear()
        return addresses, again

    def free(self, addresses: Iterable[int]) -> list[str]:
        """Gives blocks back; returns for each why it cannot be, or an empty text."""
        problems: list[str] = []
        for address in addresses:
            start = address - self._arena.base
            block = self._live.pop(start, None)
            if block is not None:
                self._freed[start] = block
                self._arena.close(block)
            missing = address != 0 and block is None
            known = "was freed before" if start in self._freed else "is none that malloc has given"
            problems.append(known if missing else "")
        return problems

    def left(self) -> tuple[str, ...]:
        """Returns what has never been freed, a sentence for each line that has asked for it."""
        held: dict[str, list[int]] = {}
        for block in self._live.values():
            held.setdefault(block.name.removeprefix("a block "), []).append(block.end - block.start)
        return tuple(
            f"{len(sizes):,} block{'s' * (len(sizes) > 1)} {name} never freed, "
            f"{sum(sizes):,} bytes."
            for name, sizes in held.items()
        )

    @property
    def used(self) -> int:
        """Up to which of its bytes there have been blocks."""
        return self._next - self._region.start

    def state(self) -> HeapState:
        """Returns what it is now, for `restore`."""
        return self._next, tuple(self._live.values()), tuple(self._freed.values())

    def restore(self, state: HeapState) -> None:
        """Takes it back to what it was; the bytes are the arena's."""
        self._next, live, freed = state
        for held, blocks in ((self._live, live), (self._freed, freed)):
            held.clear()
            held.update((block.start, block) for block in blocks)

    def _gaps(self) -> Iterator[tuple[int, int]]:
        """Yields start and end of what is between the blocks, as it is when asked for."""
        at = self._region.start
        for start in sorted(self._live):
            if start > at:
                yield at, start
            block = self._live[start]
            at = start + _room(block.end - start)
        yield at, self._region.end


def _room(size: int) -> int:
    """Returns the bytes that a block takes with the gap behind it."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT + _GAP
