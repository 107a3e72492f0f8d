"""What accesses cost, against the counters of Nsight Compute and against counting one by one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from jitstudio.simulator.observers.accesses import (
    Traffic,
    global_traffic,
    local_traffic,
    most_at_one_address,
    shared_traffic,
    turns_of,
)
from jitstudio.simulator.ptx.reading import read_program
from tests.simulator.running import kernel_of

PASSES = json.loads(Path(__file__).with_name("h100_passes.json").read_text())
"""What an H100 takes for patterns of the 32 lanes of a warp, each with the lanes that are active.

For each operation: of which table its patterns are, every how many-th of it, and the passes."""

N, TILE = 2048, 32
COALESCED = Traffic(131_072, 4 * N * N, 524_288, 131_072, worst=4)
STRIDED = Traffic(131_072, 4 * N * N, 4_194_304, 4_194_304, worst=32)
CONFLICTS = Traffic(131_072, 4 * N * N, wavefronts=4_194_304, conflicts=4_063_232, worst=32)
NO_CONFLICTS = Traffic(131_072, 4 * N * N, wavefronts=131_072, worst=1)


@pytest.mark.parametrize(
    ("traffic", "address", "expected"),
    [
        (global_traffic, lambda x, y, tx, ty: y * N + x, COALESCED),
        (global_traffic, lambda x, y, tx, ty: x * N + y, STRIDED),
        (shared_traffic, lambda x, y, tx, ty: tx * TILE + ty, CONFLICTS),
        (shared_traffic, lambda x, y, tx, ty: tx * (TILE + 1) + ty, NO_CONFLICTS),
        (shared_traffic, lambda x, y, tx, ty: ty * TILE + tx, NO_CONFLICTS),
    ],
    ids=["load", "strided store", "tile[32][32]", "tile[32][33]", "row"],
)
def test_transposition_costs_what_ncu_counts(traffic, address, expected):
    """Of 2048 by 2048 floats in blocks of 32 by 32, measured on an H200: see `accesses`."""
    thread = np.arange(TILE * TILE * (N // TILE))
    tx, ty = thread % TILE, thread // TILE % TILE
    found = []
    for by in range(N // TILE):
        x, y = thread // TILE**2 * TILE + tx, by * TILE + ty
        found.append(traffic(thread, 4 * address(x, y, tx, ty), 4))
    total = Traffic(*(sum(part) for part in zip(*found, strict=True)))
    assert total._replace(worst=found[0].worst, worst_warp=0) == expected


def passes_of(operation: str, unit: int, mask: int, slots: list[int]) -> int:
    """The passes that the simulator counts for one pattern."""
    lanes = np.flatnonzero([mask >> lane & 1 for lane in range(32)])
    offsets = np.array(slots)[lanes] * unit
    if "matrix" in operation:
        # Each matrix is an access of its own: four lanes to each of its rows.
        count = int(operation.split(".")[1][1])
        rows = offsets[: 8 * count].reshape(count, 8, 1) + 4 * np.arange(4)
        return sum(shared_traffic(lanes, each.reshape(-1), 4).wavefronts for each in rows)
    loads = operation.startswith("ld")
    turns = (2 if "cas" in operation else 1) if operation.startswith(("atom", "red")) else 0
    return shared_traffic(lanes, offsets, unit, loads=loads, turns=turns).wavefronts


@pytest.mark.parametrize("operation", PASSES["passes"])
def test_passes_of_shared_memory_are_those_of_an_h100(operation):
    measured = PASSES["passes"][operation]
    patterns = PASSES["patterns"][measured["unit"]][:: measured["every"]]
    unit = 16 if measured["unit"] == "rows" else int(measured["unit"].rstrip("m"))
    assert len(patterns) == len(measured["passes"]) > 20
    wrong = {
        name: (passes_of(operation, unit, mask, slots), passes)
        for (name, mask, slots), passes in zip(patterns, measured["passes"], strict=True)
        if passes_of(operation, unit, mask, slots) != passes
    }
    assert wrong == {}


def test_loads_of_many_warps_cost_what_each_of_them_does():
    """Some have equal addresses in pairs, others have not, and lanes of some are not active."""
    chosen = np.random.default_rng(24)
    rows = PASSES["patterns"]["16"]
    expected, threads, addresses = 0, [], []
    for warp, index in enumerate(chosen.integers(0, len(rows), 200)):
        _, mask, slots = rows[index]
        lanes = np.flatnonzero([mask >> lane & 1 for lane in range(32)])
        threads.append(warp * 32 + lanes)
        addresses.append(np.array(slots)[lanes] * 16)
        expected += PASSES["passes"]["ld.128"]["passes"][index]
    got = shared_traffic(np.concatenate(threads), np.concatenate(addresses), 16, loads=True)
    assert (got.requests, got.wavefronts) == (200, expected)


@pytest.mark.parametrize(
    ("words", "turns"),
    [
        ("atom.shared.add.u32 %r1, [%r0], 1;", 1),
        ("red.shared.max.s32 [%r0], %r1;", 1),
        ("atom.shared.cas.b32 %r1, [%r0], %r2, %r3;", 2),
        ("st.shared.u32 [%r0], %r1;", 0),
    ],
)
def test_lanes_at_one_word_take_their_turns_without_a_conflict(words, turns):
    read = read_program(kernel_of(f".reg .b32 %r<4>; {words}")).instructions[0]
    assert turns_of(read) == turns
    same = shared_traffic(np.arange(64), np.zeros(64, np.int64), 4, turns=turns)
    column = shared_traffic(np.arange(32), np.arange(32) * 128, 4, turns=turns)
    each = max(turns, 1)
    assert (same.wavefronts, same.conflicts) == (64 * turns or 2, 0)
    assert (column.wavefronts, column.conflicts) == (32 * each, 31 * each)


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_any_access_costs_what_counting_lane_by_lane_gives(size):
    """Random addresses and lanes, with warps that miss some of theirs or all."""
    random = np.random.default_rng(size)
    threads = np.flatnonzero((random.random(2048) < 0.6) & (np.arange(2048) // 32 % 5 != 0))
    addresses = random.integers(0, 512, threads.size) * size
    phase = max(1, size // 4)
    bytes_used = sectors = lines = wavefronts = phases = most = 0
    for warp in np.unique(threads // 32):
        lanes = np.flatnonzero(threads // 32 == warp)
        bytes_used += size * len(set(addresses[lanes]))
        sectors += len(set(addresses[lanes] // 32))
        lines += len(set(addresses[lanes] // 128))
        most = max(most, *Counter(addresses[lanes]).values())
        for part in range(phase):
            of_phase = lanes[threads[lanes] % 32 * phase // 32 == part]
            words = {
                word
                for address in addresses[of_phase]
                for word in range(address // 4, (address + size - 1) // 4 + 1)
            }
            if words:
                phases += 1
                wavefronts += max(Counter(word % 32 for word in words).values())
    got = global_traffic(threads, addresses, size)
    assert (got.bytes_used, got.sectors, got.lines) == (bytes_used, sectors, lines)
    got = shared_traffic(threads, addresses, size)
    assert (got.wavefronts, got.conflicts) == (wavefronts, wavefronts - phases)
    assert most_at_one_address(threads, addresses) == most


def test_the_same_local_word_of_all_lanes_is_one_line():
    """As local memory is interleaved; bytes 4 apart in a thread are 128 apart in memory."""
    threads = np.arange(64)
    assert local_traffic(threads, np.full(64, 16), 4)[:4] == (2, 256, 8, 2)
    assert local_traffic(threads, np.full(64, 16), 16)[:4] == (2, 1024, 32, 8)
    assert local_traffic(threads, threads * 4, 4)[:4] == (2, 256, 64, 64)


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize(
    "threads",
    [np.arange(96), np.arange(32, 64), np.r_[0:32, 96:128], np.r_[5:32, 64:96], np.r_[0:16, 32:48]],
)
def test_variables_on_the_stack_cost_what_counting_byte_by_byte_gives(threads, size):
    chosen = np.random.default_rng(size)
    for address in (0, 48, 3 * size, None):
        own = chosen.integers(0, 9, threads.size) * size
        addresses = own if address is None else np.full(threads.size, address)
        bytes_used, sectors, lines, worst = 0, 0, 0, (0, 0)
        for warp in np.unique(threads // 32):
            mine = threads // 32 == warp
            touched = {
                byte // 4 * 128 + thread % 32 * 4 + byte % 4
                for thread, start in zip(threads[mine], addresses[mine], strict=True)
                for byte in range(start, start + size)
            }
            of_warp = len({byte // 32 for byte in touched})
            bytes_used += len(touched)
            sectors += of_warp
            lines += len({byte // 128 for byte in touched})
            worst = max(worst, (of_warp, -int(warp)))
        got = local_traffic(threads, addresses, size)
        assert got[:4] == (len(np.unique(threads // 32)), bytes_used, sectors, lines)
        assert (got.worst, -got.worst_warp) == worst
