"""Cost of an access of many threads: requests, sectors, lines, wavefronts of shared memory.

Each warp that executes a load, a store or an atomic makes one request of it. Global and local
memory move sectors of 32 bytes, four to a line of 128; an atomic takes a sector as often as most
lanes meet at one address in it. Shared memory has 32 banks of 4 bytes and serves in one wavefront,
a pass in what users read, what needs each bank once, equal words for free. Accesses of 8 bytes are
served by half warps and those of 16 by quarter warps; but where the lanes of a warp that loads have
equal addresses in pairs, i and i ^ 1 or i and i ^ 2, two of these parts are served together.
Atomics and copies take lanes in turn: see `serving`. That was measured on an H100, for some hundred
patterns of lanes: see `h100_passes.json` of the tests. The figures are those of Nsight Compute:
`l1tex__t_requests_…`, `l1tex__t_sectors_pipe_lsu_…` and
`smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_…` (not `l1tex__data_bank_conflicts_…`, which
counts arbitration between warps as well). They do not count mbarriers, bulk copies and the shared
memory of other blocks, and neither is it done here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.simulation import LINE_BYTES, SECTOR_BYTES
from jitstudio.simulator.observers.atomics import sectors_of_atomics
from jitstudio.simulator.observers.serving import (
    LOOPS,
    Serving,
    in_pairs,
    passes_of_loops,
    serving_of,
)
from jitstudio.simulator.state.memory import CLUSTER_BITS
from jitstudio.simulator.state.model import WARP, Access, AccessKind, Layout, StateSpace, Threads

# CUDA C++ Programming Guide, "Shared Memory": 32 banks, successive 32-bit words in successive ones.
BANKS = 32
BANK_BYTES = 4
_WAVEFRONT_BYTES = BANKS * BANK_BYTES

_Numbers = NDArray[np.int64]


class Traffic(NamedTuple):
    """Cost of an access, summed over its warps.

    Attributes:
        requests: Warps that made it.
        bytes_used: Bytes that the lanes of each warp asked for, each once; each time for atomics
            on global memory.
        sectors: 32-byte sectors within each warp; 0 for shared memory.
        lines: 128-byte lines within each warp; 0 for shared memory.
        wavefronts: Passes through the banks of shared memory; 0 for other memory.
        conflicts: Those of them that different words in one bank have caused; lanes at one word
            take their turns at atomic operations without any.
        worst: Sectors or wavefronts of the warp that had the most.
        worst_warp: The number of its first thread, over 32.
    """

    requests: int
    bytes_used: int
    sectors: int = 0
    lines: int = 0
    wavefronts: int = 0
    conflicts: int = 0
    worst: int = 0
    worst_warp: int = 0


def traffic_of(access: Access, layout: Layout) -> Traffic:
    """Returns the cost of an access.

    Texels cost requests only, as their order in memory is not documented; likewise all accesses
    to shared memory but loads and stores in the own block. Constants, parameters and operands that
    tensor cores read by themselves cost nothing.
    """
    if access.instruction.opcode == "wgmma":
        return Traffic(0, 0)
    match access.space:
        case StateSpace.GLOBAL if access.kind is AccessKind.ATOMIC:
            is_swap = "cas" in access.instruction.modifiers
            return atomic_traffic(access.threads, access.addresses, access.size, is_swap=is_swap)
        case StateSpace.GLOBAL:
            return global_traffic(access.threads, access.addresses, access.size)
        case StateSpace.SHARED:
            serving = serving_of(access.instruction, access.kind)
            where = access.threads, access.addresses, access.size
            return block_traffic(layout, *where, serving, access.sources)
        case StateSpace.LOCAL:
            return local_traffic(access.threads, access.addresses, access.size)
        case StateSpace.TEXTURE | StateSpace.SURFACE:
            return Traffic(warps_of(access.threads), 0)
        case _:
            return Traffic(0, 0)


def block_traffic(
    layout: Layout,
    threads: Threads,
    addresses: NDArray[Any],
    size: int,
    serving: Serving,
    sources: NDArray[Any] | None = None,
) -> Traffic:
    """Returns the cost of `shared_traffic`, without passes in the memory of other blocks.

    Args:
        layout: The resident blocks, by which threads are numbered.
        threads: See `shared_traffic`.
        addresses: As a kernel sees them: those of a block of the cluster begin with its rank.
        size: See there.
        serving: See there.
        sources: See there.
    """
    requests = Traffic(warps_of(threads), 0)
    if serving is Serving.APART:
        return requests
    if layout.cluster_blocks > 1:
        # 0 is the own block, as seen by itself, and 1 the first one of the cluster.
        ranks = addresses.astype(np.int64) >> CLUSTER_BITS
        own = threads // (layout.warps_per_block * WARP) % layout.cluster_blocks + 1
        is_own = (ranks == 0) | (ranks == own)
        if not is_own.any():
            return requests
        threads, addresses = threads[is_own], addresses[is_own]
        sources = None if sources is None else sources[is_own]
    cost = shared_traffic(threads, addresses, size, serving, sources)
    return cost._replace(requests=requests.requests)


def global_traffic(threads: Threads, addresses: NDArray[Any], size: int) -> Traffic:
    """Returns the cost of an access to global memory.

    Args:
        threads: The numbers of the active threads, sorted.
        addresses: The address of each, a multiple of `size`.
        size: Bytes of each access.
    """
    return _moved(*_rows(threads, addresses, WARP), size)


def atomic_traffic(
    threads: Threads, addresses: NDArray[Any], size: int, *, is_swap: bool = False
) -> Traffic:
    """Returns the cost of an atomic operation on global memory; see `global_traffic`.

    Args:
        threads: See there.
        addresses: See there.
        size: See there.
        is_swap: Whether it is a compare-and-swap.
    """
    touched = global_traffic(threads, addresses, size)
    keys, rows = np.unique(threads // WARP, return_inverse=True)
    of_warp = sectors_of_atomics(rows, addresses, size, is_swap=is_swap)
    worst = int(of_warp.argmax())
    return touched._replace(
        bytes_used=len(threads) * size,
        sectors=int(of_warp.sum()),
        worst=int(of_warp[worst]),
        worst_warp=int(keys[worst]),
    )


def local_traffic(threads: Threads, addresses: NDArray[Any], size: int) -> Traffic:
    """Returns the cost of an access to local memory.

    The memory of the 32 threads of a warp is interleaved by words of 4 bytes: the same word of all
    of them is one line of 128 bytes (CUDA C++ Programming Guide, "Device Memory Accesses").

    Args:
        threads: See `global_traffic`.
        addresses: The address of each in its own local memory.
        size: See `global_traffic`.
    """
    first, times = int(addresses[0]), threads.size // WARP
    are_whole = threads.size == times * WARP and warps_of(threads) == times
    if not are_whole or not bool((addresses == first).all()):
        return _interleaved(threads, addresses, size)
    # Variables on the stack are at the same address for all threads.
    of_warp = _of_a_whole_warp(first % BANK_BYTES, size)
    return of_warp._replace(
        requests=times,
        bytes_used=of_warp.bytes_used * times,
        sectors=of_warp.sectors * times,
        lines=of_warp.lines * times,
        worst_warp=int(threads[0]) // WARP,
    )


@lru_cache(maxsize=64)
def _of_a_whole_warp(address: int, size: int) -> Traffic:
    """Returns the cost of an access of all threads of a warp to one local address."""
    return _interleaved(np.arange(WARP), np.full(WARP, address, np.int64), size)


def _interleaved(threads: Threads, addresses: NDArray[Any], size: int) -> Traffic:
    """Returns the cost of `local_traffic`, for any addresses."""
    rows, keys = _rows(threads, addresses, WARP)
    words = (rows // BANK_BYTES)[:, :, None] + np.arange(max(1, size // BANK_BYTES))
    lanes, _ = _rows(threads, threads % WARP, WARP)
    places = words * LINE_BYTES + (lanes * BANK_BYTES + rows % BANK_BYTES)[:, :, None]
    # Elements of 8 or 16 bytes are two or four words, a line apart from each other.
    return _moved(places.reshape(len(rows), -1), keys, min(size, BANK_BYTES))


def shared_traffic(
    threads: Threads,
    addresses: NDArray[Any],
    size: int,
    serving: Serving = Serving.STORE,
    sources: NDArray[Any] | None = None,
) -> Traffic:
    """Returns the cost of an access to shared memory; see `global_traffic`.

    Args:
        threads: See there.
        addresses: See there.
        size: See there.
        serving: How its lanes are served.
        sources: Where each copies from in global memory, if known: lines are served in turn.
    """
    if serving in LOOPS:
        return _in_loops(threads, addresses, size, is_narrow=serving is Serving.NARROW_LOOP)
    lanes = _WAVEFRONT_BYTES // max(size, BANK_BYTES)
    if serving in _TURNS:
        return _in_turn(threads, addresses, size, _TURNS[serving], sources)
    is_load = serving is Serving.LOAD
    together = _in_pairs(threads, addresses) if is_load and lanes < WARP else None
    if together is None or not together.any():
        return _served(threads, addresses, size, lanes)
    if together.all():
        return _served(threads, addresses, size, 2 * lanes)
    paired, single = (
        _served(threads[chosen], addresses[chosen], size, count)
        for chosen, count in ((together, 2 * lanes), (~together, lanes))
    )
    worst = max(paired, single, key=lambda traffic: traffic.worst)
    return worst._replace(
        requests=paired.requests + single.requests,
        bytes_used=paired.bytes_used + single.bytes_used,
        wavefronts=paired.wavefronts + single.wavefronts,
        conflicts=paired.conflicts + single.conflicts,
    )


_TURNS = {Serving.TURN: 1, Serving.SWAP: 2}
"""Passes that each lane takes at a bank."""


def _in_turn(
    threads: Threads, addresses: NDArray[Any], size: int, turns: int, sources: NDArray[Any] | None
) -> Traffic:
    """Returns the cost of lanes that are served lane after lane at each bank."""
    unit = max(size, BANK_BYTES)
    lanes = _WAVEFRONT_BYTES // unit
    parts = threads // lanes if sources is None else _lines(threads, sources)
    _, rows = np.unique(parts, return_inverse=True)
    of_warp = np.zeros(int(rows.max()) + 1, np.int64)
    of_warp[rows] = threads // WARP
    units = addresses.astype(np.int64) // unit
    in_banks = np.bincount(rows * lanes + units % lanes, minlength=len(of_warp) * lanes)
    passes = turns * in_banks.reshape(-1, lanes).max(axis=1)
    span = int(units.max()) + 1
    places, counts = np.unique(rows * span + units, return_counts=True)
    # Lanes at one word take turns at it whatever the layout: no conflict that padding could avoid.
    at_one = np.zeros(len(of_warp), np.int64)
    np.maximum.at(at_one, places // span, counts)
    conflicts = int((passes - turns * at_one).sum())
    return _summed(of_warp, passes, len(places) * size, conflicts)


def _lines(threads: Threads, sources: NDArray[Any]) -> _Numbers:
    """Returns numbers for the lines of global memory that each warp reads."""
    lines = sources.astype(np.int64) // LINE_BYTES
    lines -= lines.min()
    numbers: _Numbers = threads // WARP * (int(lines.max()) + 1) + lines
    return numbers


def _in_loops(threads: Threads, addresses: NDArray[Any], size: int, *, is_narrow: bool) -> Traffic:
    """Returns the cost of loops of compare-and-swaps."""
    unit = max(size, BANK_BYTES)
    units = addresses.astype(np.int64) // unit
    units -= units.min() // BANKS * BANKS
    warps, rows = np.unique(threads // WARP, return_inverse=True)
    passes = passes_of_loops(threads, units, unit, is_narrow=is_narrow)
    # Where each word has a bank of its own, only lanes at one word wait for each other.
    span = int(units.max()) + 1
    words, numbers = np.unique(rows * span + units, return_inverse=True)
    numbers = numbers - np.searchsorted(words // span, np.arange(len(warps)))[rows]
    free = passes_of_loops(threads, numbers, unit, WARP, is_narrow=is_narrow)
    conflicts = int((passes - free).clip(0).sum())
    return _summed(warps, passes, len(words) * size, conflicts)


def _in_pairs(threads: Threads, addresses: NDArray[Any]) -> NDArray[np.bool_]:
    """Returns the threads of warps in which lanes have the addresses of their neighbours."""
    _, rows = np.unique(threads // WARP, return_inverse=True)
    return in_pairs(rows, threads % WARP, addresses.astype(np.int64))


def _summed(warps: _Numbers, passes: _Numbers, used: int, conflicts: int) -> Traffic:
    """Returns the traffic of parts of warps, sorted by the numbers of these."""
    starts = np.flatnonzero(np.concatenate(([True], warps[1:] != warps[:-1])))
    of_warp = np.add.reduceat(passes, starts)
    worst = int(of_warp.argmax())
    return Traffic(
        len(starts),
        used,
        wavefronts=int(passes.sum()),
        conflicts=conflicts,
        worst=int(of_warp[worst]),
        worst_warp=int(warps[starts[worst]]),
    )


def _served(threads: Threads, addresses: NDArray[Any], size: int, lanes: int) -> Traffic:
    """Returns the cost of an access to shared memory that serves `lanes` lanes together."""
    unit = max(size, BANK_BYTES)
    rows, keys = _rows(threads, addresses, lanes)
    relative = _folded(rows - rows[:, :1] // unit * unit)
    used = int(_distinct(relative.rows).sum()) * relative.times * size
    passes = _passes(relative.rows // unit, _WAVEFRONT_BYTES // unit)
    if relative.times > 1:
        passes = np.repeat(passes, relative.times)
    return _summed(keys * lanes // WARP, passes, used, int(passes.sum()) - len(keys))


def most_at_one_address(threads: Threads, addresses: NDArray[Any]) -> int:
    """Returns the most lanes of a warp that meet at one address."""
    low = addresses.astype(np.int64) - np.int64(addresses.min())
    places = np.sort(threads // WARP * (int(low.max()) + 1) + low)
    starts = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1], [True])))
    return int(np.diff(starts).max())


def banks(addresses: NDArray[Any]) -> _Numbers:
    """Returns the bank of shared memory that holds the first byte of each address."""
    return addresses.astype(np.int64) // BANK_BYTES % BANKS


def warps_of(threads: Threads) -> int:
    """Returns how many warps sorted threads belong to."""
    warps = threads // WARP
    return int(np.count_nonzero(warps[1:] != warps[:-1])) + 1 if threads.size else 0


class _Folded(NamedTuple):
    """Rows of addresses; for equal rows, the first row and their number."""

    rows: _Numbers
    times: int


def _folded(rows: _Numbers) -> _Folded:
    # Most accesses have one pattern in all warps, which is then counted once.
    if len(rows) > 1 and bool((rows == rows[0]).all()):
        return _Folded(rows[:1], len(rows))
    return _Folded(rows, 1)


def _moved(rows: _Numbers, keys: _Numbers, size: int) -> Traffic:
    """Returns the traffic of `size` bytes at each address, a warp in each row."""
    relative, times = _folded(rows - rows[:, :1] // LINE_BYTES * LINE_BYTES)
    ordered = np.sort(relative, axis=1)
    # Overlapping accesses of lanes, as to the bytes of a word, count each byte once.
    last = ordered + (size - 1)
    sectors = _steps(ordered // SECTOR_BYTES, last // SECTOR_BYTES)
    worst = int(sectors.argmax())
    return Traffic(
        len(keys),
        int(_steps(ordered, last).sum()) * times,
        int(sectors.sum()) * times,
        int(_steps(ordered // LINE_BYTES, last // LINE_BYTES).sum()) * times,
        worst=int(sectors[worst]),
        worst_warp=int(keys[worst]),
    )


def _steps(first: _Numbers, last: _Numbers) -> _Numbers:
    """Returns how many numbers the ranges of each sorted row cover, overlaps once."""
    new = (last[:, 1:] - np.maximum(last[:, :-1], first[:, 1:] - 1)).clip(0)
    counts: _Numbers = new.sum(axis=1) + (last[:, 0] - first[:, 0]) + 1
    return counts


def _distinct(rows: _Numbers) -> _Numbers:
    ordered = np.sort(rows, axis=1)
    counts: _Numbers = (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1) + 1
    return counts


def _passes(units: _Numbers, groups: int) -> _Numbers:
    """Returns for each row the most different units in any of `groups` groups of banks."""
    ordered = np.sort(units, axis=1)
    new = np.ones(ordered.shape, bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    places = ordered % groups + np.arange(len(ordered))[:, None] * groups
    counts = np.bincount(places[new], minlength=len(ordered) * groups)
    most: _Numbers = counts.reshape(len(ordered), groups).max(axis=1)
    return most


def _rows(threads: Threads, values: NDArray[Any], lanes: int) -> tuple[_Numbers, _Numbers]:
    """Returns a row of values for each group of `lanes` lanes that has an active lane.

    Inactive lanes repeat the value of the first active lane, which costs nothing.

    Returns:
        The rows, and the number of the group of each.
    """
    values = values.astype(np.int64, copy=False)
    groups = threads // lanes
    if threads.size % lanes == 0:
        # Whole warps, the usual case, need no copy: rows are a view.
        square = groups.reshape(-1, lanes)
        if bool((square[:, 0] == square[:, -1]).all()):
            return values.reshape(-1, lanes), square[:, 0]
    starts = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
    keys = groups[starts]
    rows = np.repeat(values[starts][:, None], lanes, axis=1)
    rows[np.searchsorted(keys, groups), threads % lanes] = values
    return rows, keys
