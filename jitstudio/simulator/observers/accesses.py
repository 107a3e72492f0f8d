"""What an access of many threads costs: requests, sectors, lines, wavefronts of shared memory.

Each warp that executes a load, a store or an atomic makes one request of it. Global and local
memory move sectors of 32 bytes, four to a line of 128; shared memory has 32 banks of 4 bytes and
serves in one wavefront what needs each bank once, equal words for free. Accesses of 8 bytes are
served by half warps and those of 16 by quarter warps; but where the lanes of a warp that loads have
equal addresses in pairs, i and i ^ 1 or i and i ^ 2, two of these parts are served together. That
was measured on an H100, for some hundred patterns of lanes: see `passes.json` of the tests. The
figures are those of Nsight Compute:
`l1tex__t_requests_…`, `l1tex__t_sectors_…` and
`smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_…` (not `l1tex__data_bank_conflicts_…`, which
counts arbitration between warps as well).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.simulation import LINE_BYTES, SECTOR_BYTES
from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.state.model import WARP, Access, AccessKind, StateSpace, Threads

BANKS = 32
BANK_BYTES = 4
_WAVEFRONT_BYTES = BANKS * BANK_BYTES

_Numbers = NDArray[np.int64]


class Traffic(NamedTuple):
    """What an access has cost, summed over its warps.

    Attributes:
        requests: Warps that made it.
        bytes_used: Bytes that the lanes of each warp asked for, each once.
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


def traffic_of(access: Access) -> Traffic:
    """Returns what an access costs.

    Of texels the requests alone, as how they lie in memory is not documented; of constants,
    parameters and what tensor cores read by themselves nothing.
    """
    if access.instruction.opcode == "wgmma":
        return Traffic(0, 0)
    match access.space:
        case StateSpace.GLOBAL:
            return global_traffic(access.threads, access.addresses, access.size)
        case StateSpace.SHARED:
            return shared_traffic(
                access.threads,
                access.addresses,
                access.size,
                loads=access.kind is AccessKind.READ,
                turns=turns_of(access.instruction),
            )
        case StateSpace.LOCAL:
            return local_traffic(access.threads, access.addresses, access.size)
        case StateSpace.TEXTURE | StateSpace.SURFACE:
            return Traffic(warps_of(access.threads), 0)
        case _:
            return Traffic(0, 0)


def global_traffic(threads: Threads, addresses: NDArray[Any], size: int) -> Traffic:
    """Returns what an access to global memory costs.

    Args:
        threads: The numbers of the active threads, sorted.
        addresses: What each of them accesses, a multiple of `size`.
        size: Bytes of each.
    """
    return _moved(*_rows(threads, addresses, WARP), size)


def local_traffic(threads: Threads, addresses: NDArray[Any], size: int) -> Traffic:
    """Returns what an access to local memory costs.

    Word by word the memory of the 32 threads of a warp is interleaved: the same word of all of
    them is one line.

    Args:
        threads: See `global_traffic`.
        addresses: What each accesses in its own local memory.
        size: See `global_traffic`.
    """
    first, times = int(addresses[0]), threads.size // WARP
    are_whole = threads.size == times * WARP and warps_of(threads) == times
    if not are_whole or not bool((addresses == first).all()):
        return _interleaved(threads, addresses, size)
    # Variables on the stack are at the same address for all threads.
    one = _of_a_whole_warp(first % BANK_BYTES, size)
    return one._replace(
        requests=times,
        bytes_used=one.bytes_used * times,
        sectors=one.sectors * times,
        lines=one.lines * times,
        worst_warp=int(threads[0]) // WARP,
    )


@lru_cache(maxsize=64)
def _of_a_whole_warp(address: int, size: int) -> Traffic:
    """Returns what it costs that all threads of a warp access the same local address."""
    return _interleaved(np.arange(WARP), np.full(WARP, address, np.int64), size)


def _interleaved(threads: Threads, addresses: NDArray[Any], size: int) -> Traffic:
    """Returns what `local_traffic` does, for any addresses."""
    rows, keys = _rows(threads, addresses, WARP)
    words = (rows // BANK_BYTES)[:, :, None] + np.arange(max(1, size // BANK_BYTES))
    lanes, _ = _rows(threads, threads % WARP, WARP)
    places = words * LINE_BYTES + (lanes * BANK_BYTES + rows % BANK_BYTES)[:, :, None]
    return _moved(places.reshape(len(rows), -1), keys, min(size, BANK_BYTES))


def shared_traffic(
    threads: Threads, addresses: NDArray[Any], size: int, *, loads: bool = False, turns: int = 0
) -> Traffic:
    """Returns what an access to shared memory costs; see `global_traffic`.

    Args:
        threads: See there.
        addresses: See there.
        size: See there.
        loads: Whether it is a load, not a store or an atomic operation.
        turns: See `turns_of`.
    """
    if turns and size == BANK_BYTES:
        return _in_turn(threads, addresses, turns)
    lanes = _WAVEFRONT_BYTES // max(size, BANK_BYTES)
    together = _in_pairs(threads, addresses) if loads and lanes < WARP else None
    if together is None or not together.any():
        return _served(threads, addresses, size, lanes)
    if together.all():
        return _served(threads, addresses, size, 2 * lanes)
    one, other = (
        _served(threads[chosen], addresses[chosen], size, count)
        for chosen, count in ((together, 2 * lanes), (~together, lanes))
    )
    worst = max(one, other, key=lambda traffic: traffic.worst)
    return worst._replace(
        requests=one.requests + other.requests,
        bytes_used=one.bytes_used + other.bytes_used,
        wavefronts=one.wavefronts + other.wavefronts,
        conflicts=one.conflicts + other.conflicts,
    )


def turns_of(instruction: PtxInstruction) -> int:
    """Returns the passes that each lane takes at a bank by an atomic operation; 0 for others.

    Lanes at one bank take their turns, also at one word. An H100 takes one pass for each at
    `atom.add.u32`, which is taken for all operations but `cas`, and two at that. Those of 8 bytes
    were not measured, and are counted as stores.
    """
    if instruction.opcode not in ("atom", "red"):
        return 0
    return 2 if "cas" in instruction.modifiers else 1


def _in_turn(threads: Threads, addresses: NDArray[Any], turns: int) -> Traffic:
    """Returns what an atomic operation on words of shared memory costs."""
    keys, rows = np.unique(threads // WARP, return_inverse=True)
    words = addresses.astype(np.int64) // BANK_BYTES
    in_banks = np.bincount(rows * BANKS + words % BANKS, minlength=len(keys) * BANKS)
    passes = turns * in_banks.reshape(len(keys), BANKS).max(axis=1)
    span = int(words.max()) + 1
    places, counts = np.unique(rows * span + words, return_counts=True)
    at_one = np.zeros(len(keys), np.int64)
    np.maximum.at(at_one, places // span, counts)
    worst = int(passes.argmax())
    return Traffic(
        len(keys),
        len(places) * BANK_BYTES,
        wavefronts=int(passes.sum()),
        conflicts=int((passes - turns * at_one).sum()),
        worst=int(passes[worst]),
        worst_warp=int(keys[worst]),
    )


def _in_pairs(threads: Threads, addresses: NDArray[Any]) -> NDArray[np.bool_]:
    """Returns the threads of warps in which lanes have the addresses of their neighbours.

    These are i and i ^ 1 for all lanes of the warp, or i and i ^ 2; who is not active does not
    count.
    """
    warps, rows = np.unique(threads // WARP, return_inverse=True)
    held = np.full((len(warps), WARP), -1, np.int64)
    held[rows, threads % WARP] = addresses
    alike = np.zeros(len(warps), np.bool_)
    for distance in (1, 2):
        others = held[:, np.arange(WARP) ^ distance]
        alike |= ((held == others) | (held < 0) | (others < 0)).all(axis=1)
    found: NDArray[np.bool_] = alike[rows]
    return found


def _served(threads: Threads, addresses: NDArray[Any], size: int, lanes: int) -> Traffic:
    """Returns what an access to shared memory costs of which so many lanes are served together."""
    unit = max(size, BANK_BYTES)
    rows, keys = _rows(threads, addresses, lanes)
    relative = _folded(rows - rows[:, :1] // unit * unit)
    used = int(_distinct(relative.rows).sum()) * relative.times * size
    passes = _passes(relative.rows // unit, _WAVEFRONT_BYTES // unit)
    worst = int(passes.argmax())
    wavefronts = int(passes.sum()) * relative.times
    return Traffic(
        warps_of(threads),
        used,
        wavefronts=wavefronts,
        conflicts=wavefronts - len(keys),
        worst=int(passes[worst]),
        worst_warp=int(keys[worst]) * lanes // WARP,
    )


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
    """Rows of addresses; where all were equal, one of them and how often it stands."""

    rows: _Numbers
    times: int


def _folded(rows: _Numbers) -> _Folded:
    if len(rows) > 1 and bool((rows == rows[0]).all()):
        return _Folded(rows[:1], len(rows))
    return _Folded(rows, 1)


def _moved(rows: _Numbers, keys: _Numbers, size: int) -> Traffic:
    """Returns the traffic of the addresses of a warp each, all of so many bytes."""
    relative, times = _folded(rows - rows[:, :1] // LINE_BYTES * LINE_BYTES)
    ordered = np.sort(relative, axis=1)
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
    """Returns how many numbers the ranges of each sorted row hold, shared ones once."""
    new = (last[:, 1:] - np.maximum(last[:, :-1], first[:, 1:] - 1)).clip(0)
    counts: _Numbers = new.sum(axis=1) + (last[:, 0] - first[:, 0]) + 1
    return counts


def _distinct(rows: _Numbers) -> _Numbers:
    ordered = np.sort(rows, axis=1)
    counts: _Numbers = (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1) + 1
    return counts


def _passes(units: _Numbers, groups: int) -> _Numbers:
    """Returns the most different units that fall on one of so many groups of banks, per row."""
    ordered = np.sort(units, axis=1)
    new = np.ones(ordered.shape, bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    places = ordered % groups + np.arange(len(ordered))[:, None] * groups
    counts = np.bincount(places[new], minlength=len(ordered) * groups)
    most: _Numbers = counts.reshape(len(ordered), groups).max(axis=1)
    return most


def _rows(threads: Threads, values: NDArray[Any], lanes: int) -> tuple[_Numbers, _Numbers]:
    """Returns a row of values for each group of so many lanes that has an active one.

    Lanes that are not active repeat the value of the first one that is, which costs nothing.

    Returns:
        The rows, and the number of the group of each.
    """
    values = values.astype(np.int64, copy=False)
    groups = threads // lanes
    if threads.size % lanes == 0:
        square = groups.reshape(-1, lanes)
        if bool((square[:, 0] == square[:, -1]).all()):
            return values.reshape(-1, lanes), square[:, 0]
    starts = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
    keys = groups[starts]
    rows = np.repeat(values[starts][:, None], lanes, axis=1)
    rows[np.searchsorted(keys, groups), threads % lanes] = values
    return rows, keys
