"""What accesses cost, against the counters of Nsight Compute and against counting one by one."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from jitstudio.core.launch.simulation import AccessKind
from jitstudio.simulator.observers.accesses import (
    Traffic,
    atomic_traffic,
    block_traffic,
    global_traffic,
    local_traffic,
    most_at_one_address,
    shared_traffic,
)
from jitstudio.simulator.observers.atomics import sectors_of_atomics
from jitstudio.simulator.observers.counts import Counter as LineCounter
from jitstudio.simulator.observers.serving import Serving, serving_of
from jitstudio.simulator.ptx.program import PtxInstruction
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.state.model import Layout
from tests.simulator.atomics_on_gpu import INACTIVE, far_patterns, patterns
from tests.simulator.atomics_on_gpu import OPERATIONS as OPERATIONS_OF_ATOMICS
from tests.simulator.passes_on_gpu import COPIES, OPERATIONS
from tests.simulator.running import kernel_of, run

PASSES = json.loads(Path(__file__).with_name("h100_passes.json").read_text())
"""What an H100 takes for patterns of the 32 lanes of a warp, each with the lanes that are active.

For each operation: of which table its patterns are, every how many-th of it, and the passes."""
ATOMICS = json.loads(Path(__file__).with_name("h100_atomics.json").read_text())
"""The sectors that an H100 takes for each pattern of `atomics_on_gpu`, by operation."""

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


UNCOUNTED = {"cp.async.cg.16", "cp.async.cg.16 of far words"}
"""Copies past L1, of which Nsight Compute counted no pass here, and those of others in `pipeline`
of the kernels: they are taken to cost what copies by L1 do."""


def passes_of(operation: str, unit: int, mask: int, slots: list[int]) -> int:
    """The passes that the simulator counts for one pattern."""
    lanes = np.flatnonzero([mask >> lane & 1 for lane in range(32)])
    offsets = np.array(slots)[lanes] * unit
    if "matrix" in operation:
        # Each matrix is an access of its own: four lanes to each of its rows.
        count = int(operation.split(".")[1][1])
        rows = offsets[: 8 * count].reshape(count, 8, 1) + 4 * np.arange(4)
        return sum(shared_traffic(lanes, each.reshape(-1), 4).wavefronts for each in rows)
    measured = OPERATIONS[operation]
    kind = AccessKind.READ if measured.counter == "ld" else AccessKind.WRITE
    serving = serving_of(read_operation(measured.ptx), kind)
    sources = lanes * (measured.apart or unit) if measured.counter == COPIES else None
    return shared_traffic(lanes, offsets, unit, serving, sources).wavefronts


@cache
def read_operation(ptx: str) -> PtxInstruction:
    """Reads what was measured, with its operands as registers."""
    text = ptx.split(";")[0].replace("%1", "x0").replace("%3", "y0")
    registers = ".reg .b32 x0, x1, x2, x3; .reg .b64 y0, y1, y2;"
    return read_program(kernel_of(f"{registers} {text};")).instructions[0]


def changes_nothing(operation: str, mask: int, slots: list[int]) -> bool:
    """Whether a lane adds 0, which is lane 0 there, to what one of the other half adds to, too.

    The simulator takes all to change the word: then one of the other half has to try again.
    """
    shares = any(mask >> lane & 1 and slots[lane] == slots[0] for lane in range(16, 32))
    return operation in ("atom.add.u64", "atom.add.f64") and bool(mask & 1) and shares


@pytest.mark.parametrize("operation", [name for name in PASSES["passes"] if name not in UNCOUNTED])
def test_passes_of_shared_memory_are_those_of_an_h100(operation):
    measured = PASSES["passes"][operation]
    patterns = PASSES["patterns"][measured["unit"]][:: measured["every"]]
    unit = 16 if measured["unit"] == "rows" else int(measured["unit"].rstrip("m"))
    assert len(patterns) == len(measured["passes"]) > 20
    wrong = {}
    for (name, mask, slots), passes in zip(patterns, measured["passes"], strict=True):
        counted = passes_of(operation, unit, mask, slots)
        may_differ = changes_nothing(operation, mask, slots)
        if not (abs(counted - passes) <= 4 if may_differ else counted == passes):
            wrong[name] = counted, passes
    assert wrong == {}


@pytest.mark.parametrize("operation", sorted(UNCOUNTED))
def test_copies_past_l1_were_counted_as_nothing(operation):
    assert set(PASSES["passes"][operation]["passes"]) == {0}


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
    got = shared_traffic(np.concatenate(threads), np.concatenate(addresses), 16, Serving.LOAD)
    assert (got.requests, got.wavefronts) == (200, expected)


@pytest.mark.parametrize(
    ("words", "serving", "turns"),
    [
        ("atom.shared.add.u32 %r1, [%r0], 1;", Serving.TURN, 1),
        ("red.shared.max.s32 [%r0], %r1;", Serving.TURN, 1),
        ("atom.shared.exch.b32 %r1, [%r0], %r2;", Serving.TURN, 1),
        ("atom.shared.cas.b32 %r1, [%r0], %r2, %r3;", Serving.SWAP, 2),
        ("st.shared.u32 [%r0], %r1;", Serving.STORE, 0),
        ("cp.async.ca.shared.global [%r0], [%d0], 4;", Serving.TURN, 1),
    ],
)
def test_lanes_at_one_word_take_their_turns_without_a_conflict(words, serving, turns):
    assert serving_of(read_operation(words), AccessKind.WRITE) is serving
    same = shared_traffic(np.arange(64), np.zeros(64, np.int64), 4, serving)
    column = shared_traffic(np.arange(32), np.arange(32) * 128, 4, serving)
    each = max(turns, 1)
    assert (same.wavefronts, same.conflicts) == (64 * turns or 2, 0)
    assert (column.wavefronts, column.conflicts) == (32 * each, 31 * each)


@pytest.mark.parametrize(
    ("words", "serving"),
    [
        ("atom.shared.add.f32 %f1, [%r0], %f2;", Serving.LOOP),
        ("red.shared.add.noftz.f16x2 [%r0], %r1;", Serving.LOOP),
        ("red.shared.max.u64 [%r0], %d1;", Serving.LOOP),
        ("atom.shared.or.b64 %d1, [%r0], %d2;", Serving.LOOP),
        ("atom.shared.cas.b64 %d1, [%r0], %d2, %d3;", Serving.SWAP),
        ("atom.shared.exch.b64 %d1, [%r0], %d2;", Serving.TURN),
        ("atom.shared.add.noftz.f16 %h1, [%r0], %h2;", Serving.NARROW_LOOP),
        ("atom.shared.cas.b16 %h1, [%r0], %h2, %h3;", Serving.NARROW_LOOP),
        ("mbarrier.arrive.shared.b64 %d1, [%r0];", Serving.APART),
        ("cp.async.mbarrier.arrive.noinc.shared.b64 [%r0];", Serving.APART),
        ("mbarrier.test_wait.parity.shared.b64 %p1, [%r0], %r1;", Serving.APART),
    ],
)
def test_atomics_are_served_as_machine_code_does_them(words, serving):
    assert serving_of(read_operation(words), AccessKind.ATOMIC) is serving


@pytest.mark.parametrize(("apart", "passes"), [(4, 1), (128, 32), (64, 16)])
def test_copies_take_the_lines_that_they_read_one_by_one(apart, passes):
    """And an operation on an mbarrier is a request without passes."""
    text = f"""
    .reg .b32 %t, %s; .reg .b64 %a, %o; .shared .align 8 .b8 words[136];
    ld.param.u64 %a, [k_0]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, {apart};
    add.s64 %a, %a, %o; shl.b32 %s, %t, 2; mov.u32 %t, words; add.s32 %s, %s, %t;
    cp.async.ca.shared.global [%s], [%a], 4;
    mbarrier.init.shared.b64 [words+128], 32;
    cp.async.wait_all;"""
    one, source = (1, 1, 1), np.zeros(1024, "i4")
    done = run(
        kernel_of(text, "u64"), "k", one, (32, 1, 1), source, observers=(LineCounter(),)
    ).result
    costs = [(line.requests, line.wavefronts, line.bank_conflicts) for line in done.lines]
    assert [cost for cost in costs if cost[0]] == [(2, passes, 0), (1, 0, 0)]


def test_a_loop_takes_a_lane_of_each_bank_and_round():
    """Of one word a load and a swap of two passes each round, 32 rounds, and no conflict."""
    same = shared_traffic(np.arange(32), np.zeros(32, np.int64), 4, Serving.LOOP)
    assert (same.wavefronts, same.conflicts) == (96, 0)
    column = shared_traffic(np.arange(64), np.arange(64) * 128, 4, Serving.LOOP)
    assert (column.wavefronts, column.conflicts) == (2 * 592, 2 * 589)
    assert (column.worst, column.worst_warp) == (592, 0)
    halves = shared_traffic(np.arange(32), np.zeros(32, np.int64), 8, Serving.LOOP)
    assert (halves.wavefronts, halves.conflicts) == (128, 0)
    # All lanes of a word swap it, and one of them succeeds.
    narrow = shared_traffic(np.arange(32), np.zeros(32, np.int64), 2, Serving.NARROW_LOOP)
    assert narrow.wavefronts == sum(1 + 2 * waiting for waiting in range(1, 33))


def test_the_memory_of_other_blocks_takes_no_passes():
    """Of blocks of one warp in clusters of two; rank 2 is the second one, as seen by all."""
    layout = Layout((4, 1, 1), (32, 1, 1), np.arange(4), 256, cluster_blocks=2)
    threads, column = np.arange(128), np.arange(128) % 32 * 128

    def passes(at):
        cost = block_traffic(layout, threads, at, 4, Serving.STORE)
        return cost.requests, cost.wavefronts

    assert passes(column) == (4, 4 * 32)
    assert passes(column + (2 << 24)) == (4, 2 * 32)
    assert passes(np.where(threads < 32, column + (2 << 24), column)) == (4, 3 * 32)
    assert passes(np.where(threads // 32 % 2, column + (1 << 24), column + (2 << 24))) == (4, 0)


def test_the_worst_warp_of_wide_accesses_is_counted_as_a_whole():
    wide = shared_traffic(np.arange(64), np.arange(64) * 16, 16, Serving.LOAD)
    assert (wide.wavefronts, wide.conflicts, wide.worst, wide.worst_warp) == (8, 0, 4, 0)


def test_atomics_take_a_sector_as_often_as_lanes_meet_at_one_address():
    """Of 3 lanes at one word, 2 at another one of its sector and 1 elsewhere: 3 and 1."""
    at = np.array([4, 4, 4, 8, 8, 64], np.uint64)
    assert atomic_traffic(np.arange(6), at, 4)[:4] == (1, 24, 4, 1)
    assert atomic_traffic(np.arange(64), np.full(64, 1 << 40, np.uint64), 8)[:4] == (2, 512, 64, 2)
    apart = atomic_traffic(np.arange(32), np.arange(32, dtype=np.uint64) * 4, 4)
    assert apart == global_traffic(np.arange(32), np.arange(32) * 4, 4)


@pytest.mark.parametrize("name", ATOMICS)
def test_atomics_take_the_sectors_of_an_h100(name):
    operation = OPERATIONS_OF_ATOMICS.get(name, OPERATIONS_OF_ATOMICS["add.u32"])
    rows = list(far_patterns() if name == "far" else patterns(operation.size))
    offsets = np.array(rows).ravel()
    threads = np.flatnonzero(offsets != INACTIVE)
    addresses = (offsets[threads] + (0x7F << 40)).astype(np.uint64)
    warps = threads // 32
    sectors = sectors_of_atomics(warps, addresses, operation.size, is_swap=operation.is_swap)
    assert sectors.tolist() == ATOMICS[name]
    # A warp takes as many by itself, whatever it shares with others of the launch.
    for warp in range(0, len(rows), 7):
        own = warps == warp
        cost = atomic_traffic(
            threads[own], addresses[own], operation.size, is_swap=operation.is_swap
        )
        assert cost.sectors == ATOMICS[name][warp]


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
