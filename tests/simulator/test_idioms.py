"""Idioms that guides and libraries teach have no alarm in any order, and each near miss has one.

To add an idiom that has no race: a kernel in `tests/simulator/idioms`, beside it one of its name
with `_miss` that leaves one thing out, and a row here with its launch and what it gives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from jitstudio.simulator.observers.proxies import AsyncProxy
from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.state.model import SimulationOutcome
from tests.simulator.running import program_of, ptx_of, run
from tests.support import one_in

FOLDER = Path(__file__).with_name("idioms")
SEEDS = (None, 1, 2, 3, 4)
# The detector goes by what synchronises, not by which came first: of an idiom without a race it
# says the same in each order, and a second order shows results that hang on the first.
_FEW_SEEDS = SEEDS[:2]
# For a debugger each takes five seconds to build; `grids` has code of the same library.
DEAR = ("blocks_of_cub", "library")


class Idiom(NamedTuple):
    """A kernel of a file, with its launch.

    `check` is what holds of the arrays afterwards, whatever the order.
    """

    file: str
    kernel: str
    grid: int
    block: int
    arguments: Callable[[], list[Any]]
    check: Callable[..., Any]
    cooperative: bool = False


def ints(*shape: int, start: int = 0) -> np.ndarray:
    return np.arange(start, start + int(np.prod(shape)), dtype=np.int32).reshape(shape)


def zeros(count: int, kind: Any = np.int32) -> np.ndarray:
    return np.zeros(count, kind)


def data(count: int) -> np.ndarray:
    return np.random.default_rng(24).integers(0, 1000, count).astype(np.int32)


def taken(kernel: str, block: int, ins: int, outs: int, check: Any, last: Any = 1) -> Idiom:
    """A kernel of one block that takes data, zeros and a third argument."""
    last = np.int32(last) if isinstance(last, int) else last
    return Idiom("blocks", kernel, 1, block, lambda: [data(ins), zeros(outs), last], check)


def grids(kernel: str, grid: int, block: int, check: Any) -> Idiom:
    given = lambda: [data(512), zeros(512), zeros(4)]  # noqa: E731
    return Idiom("grids", kernel, grid, block, given, check, "barrier" in kernel)


def in_all(given: np.ndarray, blocks: int) -> np.ndarray:
    return given[: 64 * blocks].reshape(blocks, 64).sum(axis=0)


def in_rounds(given: np.ndarray) -> np.ndarray:
    out = np.zeros_like(given)
    for number in range(1, 4):
        out = given * number + out[::-1]
    return out


def listed(out: np.ndarray, head: np.ndarray) -> list[int]:
    """The values of a linked list, whose nodes count from 1."""
    values, at = [], head[0]
    while at:
        value, at = out[2 * at - 2 : 2 * at]
        values.append(value)
    return values


def cub(kernel: str, block: int, check: Any) -> Idiom:
    given = lambda: [data(256), zeros(256), np.int32(256)]  # noqa: E731
    return Idiom("blocks_of_cub", kernel, 1, block, given, check)


def library(kernel: str, grid: int, block: int, ins: int, outs: int, check: Any) -> Idiom:
    together = kernel == "grid_sync"
    given = lambda: [data(ins), zeros(outs), zeros(4)]  # noqa: E731
    return Idiom("library", kernel, grid, block, given, check, together)


def messages(kernel: str, grid: int, block: int, check: Any, wide: bool = False) -> Idiom:
    kind = np.uint64 if wide else np.int32
    given = lambda: [data(512), zeros(512), zeros(64, kind)]  # noqa: E731
    return Idiom("messages", kernel, grid, block, given, check)


def all_equal(found: Any, expected: Any) -> bool:
    return bool((np.asarray(found) == np.asarray(expected)).all())


def rolled(tile: np.ndarray) -> np.ndarray:
    t, i = np.arange(64)[:, None], np.arange(64)[None]
    return (tile.reshape(4, 64)[:, (t + i) % 64] * (i % 3)).sum(axis=(0, 2))


def hashed(keys: np.ndarray, values: np.ndarray) -> bool:
    there = keys != 0
    return sorted(keys[there]) == [3 * t + 1 for t in range(32)] and all_equal(
        values[there], keys[there] * 10
    )


def compacted(given: np.ndarray, out: np.ndarray) -> bool:
    return sorted(out[1 : 1 + out[0]]) == sorted(given[given > 0])


IDIOMS = [
    Idiom("locks", "add_doubles", 1, 64, lambda: [zeros(4, np.float64), np.int32(4)],
          lambda sums: all_equal(sums, 16)),
    Idiom("locks", "largest_float", 2, 64, lambda: [zeros(1, np.float32), np.int32(97)],
          lambda most: most[0] == (np.arange(64) * 7 % 97).max()),
    Idiom("locks", "multiply_shorts", 1, 64, lambda: [np.full(8, 1, np.uint16), np.int32(8)],
          lambda out: all_equal(out, 3**8 % 65536)),
    Idiom("locks", "spin_lock", 6, 32, lambda: [zeros(1), zeros(1)], lambda _, n: n[0] == 6),
    Idiom("locks", "lock_of_lanes", 2, 40, lambda: [zeros(1), zeros(1)], lambda _, n: n[0] == 80),
    Idiom("locks", "ticket_lock", 6, 32, lambda: [zeros(2), zeros(1)], lambda _, n: n[0] == 6),
    Idiom("locks", "insert", 1, 32, lambda: [zeros(128), zeros(128)], hashed),
    Idiom("locks", "queue", 3, 64, lambda: [data(20), zeros(64), np.int32(20)],
          lambda work, out: all_equal(out[1:21], work * 2)),
    Idiom("locks", "compact", 2, 64, lambda: [data(128) - 500, zeros(256), np.int32(128)],
          compacted),
    messages("flag", 4, 32, lambda x, out, _: all_equal(out[1:4], 2 * x[0] + x[1:4])),
    messages("flag_of_warp", 1, 64, lambda x, out, _: out[0] == x[0]),
    messages("last_block", 5, 64, lambda x, out, _: out[0] == x[:320].sum()),
    messages("chained_scan", 5, 64, lambda x, out, _: all_equal(out[:320], x[:320].cumsum())),
    messages("look_back", 12, 32, lambda x, out, _: all_equal(
        out[:384], x[:384].cumsum() - x[:384]), wide=True),
    messages("mailbox", 2, 32, lambda x, out, _: out[0] == x[0] + 7),
    messages("changed", 2, 64, lambda x, out, flag: all_equal(out[:128], x[:128]) and flag[0]),
    Idiom("blocks", "histogram", 2, 64, lambda: [data(300), zeros(32), np.int32(300)],
          lambda x, out: all_equal(out, np.bincount(x & 31, minlength=32))),
    taken("scan_by_shuffles", 128, 128, 128, lambda x, out: all_equal(out, x.cumsum())),
    taken("warp_sum", 128, 128, 4, lambda x, out: all_equal(out, x.reshape(4, 32).sum(axis=1))),
    taken("half_warp", 32, 32, 32, lambda x, out: all_equal(out[:16], x[15::-1])),
    taken("transpose", 256, 512, 512, lambda x, out: all_equal(
        out.reshape(2, 16, 16), x.reshape(2, 16, 16).swapaxes(1, 2))),
    taken("double_buffer", 64, 256, 64, lambda x, out: all_equal(out, rolled(x))),
    taken("named_barriers", 64, 32, 96, lambda x, out: all_equal(
        out.reshape(3, 32), x[::-1] + np.arange(3)[:, None])),
    taken("relax", 64, 64, 64, lambda x, out: all_equal(out, np.minimum.accumulate(x))),
    taken("leaves_early", 64, 64, 64, lambda x, out: all_equal(out[:40], x[39::-1]), 40),
    taken("bitonic", 64, 64, 64, lambda x, out: all_equal(out, np.sort(x))),
    grids("in_turn", 5, 64, lambda x, out, _: all_equal(out[:64], in_all(x, 5))),
    grids("semaphore", 5, 64, lambda x, out, _: all_equal(out[:64], in_all(x, 5))),
    grids("own_barrier", 3, 64, lambda x, out, _: all_equal(out[192:384], in_rounds(x[:192]))),
    grids("sense_barrier", 3, 64, lambda x, out, _: all_equal(out[192:384], in_rounds(x[:192]))),
    grids("push", 1, 64, lambda x, out, head: sorted(listed(out, head)) == sorted(x[:64])),
    grids("add_in_shared", 1, 64, lambda x, out, _: all_equal(
        out[:2], x[:64].reshape(32, 2).sum(axis=0))),
    grids("by_key", 1, 64, lambda x, out, _: all_equal(out[:8], np.bincount(x[:64] % 8))),
    grids("primitives", 1, 64, lambda x, out, _: all_equal(
        out[:64], x[:512].reshape(2, 256)[:, ::-4].sum(axis=0))),
    grids("guarded", 1, 128, lambda x, out, _: out[0] == x[:128:32].sum()),
    grids("latch", 1, 64, lambda x, out, _: all_equal(out[:32], x[31::-1])),
    grids("shared_atomic", 1, 64, lambda x, out, _: out[0] == x[0]),
    cub("reduce", 128, lambda x, out: out[0] == x[:128].sum()),
    cub("scan_twice", 128, lambda x, out: all_equal(out[:128], (x[:128].cumsum() % 100).cumsum())),
    cub("raking", 128, lambda x, out: all_equal(out[:128], x[:128].cumsum())),
    cub("radix_sort", 128, lambda x, out: all_equal(out, np.sort(x))),
    cub("counted", 128, lambda x, out: all_equal(out[:64], np.bincount(x & 63, minlength=64))),
    cub("transposed", 128, lambda x, out: all_equal(out.reshape(-1, 2)[:, ::-1].ravel(), x)),
    cub("of_warp", 128, lambda x, out: all_equal(
        out[:128].reshape(8, 16), x[:128].reshape(8, 16).cumsum(axis=1))),
    library("atomic_ref", 2, 32, 4, 4, lambda x, out, _: out[0] == x[0]),
    library("fences", 2, 32, 4, 4, lambda x, out, _: out[0] == x[0]),
    library("fetch_max", 1, 64, 64, 4, lambda x, out, _: out[:1].view(np.float32)[0] == x.max()),
    library("grid_sync", 3, 32, 96, 96, lambda x, out, _: all_equal(out, x[::-1] * 2)),
    library("tiles", 1, 64, 64, 4, lambda x, out, _: all_equal(out, x.reshape(4, 16).sum(axis=1))),
    library("aggregated", 1, 64, 64, 128, lambda x, out, _: sorted(
        out[1 : 1 + out[0]]) == sorted(x[x % 3 == 0])),
    library("producer", 1, 64, 192, 192, lambda x, out, _: all_equal(
        out.reshape(6, 32), x.reshape(6, 32)[:, ::-1])),
    library("pipeline", 1, 64, 256, 64, lambda x, out, _: all_equal(
        out, (x.reshape(4, 64)[:, ::-1] * np.arange(1, 5)[:, None]).sum(axis=0))),
    library("block_copy", 1, 64, 64, 64, lambda x, out, _: all_equal(out, x[::-1])),
]  # fmt: skip


def launched(ptx: str, idiom: Idiom, kernel: str, seed: int | None) -> Any:
    arguments = idiom.arguments()
    observers = (RaceDetector(kernel, 1 << 20, program_of(ptx)), AsyncProxy())
    done = run(
        ptx, kernel, (idiom.grid, 1, 1), (idiom.block, 1, 1), *arguments,
        observers=observers, finishes=False, seed=seed, cooperative=idiom.cooperative,
    )  # fmt: skip
    alarms = [race.message for race in done.result.races if not race.same_value]
    return done, alarms + list(done.messages)


@pytest.fixture(scope="module")
def built(tools: Any) -> Callable[..., str]:
    """Returns the PTX of a file, with further options."""
    return cache(
        lambda name, *options: ptx_of(
            tools, (FOLDER / f"{name}.cu").read_text(), "sm_90", "-std=c++17", *options
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds",
    [pytest.param(_FEW_SEEDS, id="two"), pytest.param(SEEDS, id="all", marks=pytest.mark.bench)],
)
@pytest.mark.parametrize("idiom", IDIOMS, ids=lambda idiom: idiom.kernel)
def test_idioms_have_no_alarm_and_near_misses_one(idiom, seeds, built):
    ptx = built(idiom.file)
    for seed in seeds:
        done, alarms = launched(ptx, idiom, idiom.kernel, seed)
        assert (seed, alarms) == (seed, [])
        assert done.result.outcome is SimulationOutcome.FINISHED
        assert idiom.check(*done.arrays), seed
    miss = f"{idiom.kernel}_miss"
    if idiom.file != "blocks_of_cub" or miss in program_of(ptx).functions:
        assert any(launched(ptx, idiom, miss, seed)[1] for seed in SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "idiom",
    [
        *one_in(3, [pytest.param(i, id=i.kernel) for i in IDIOMS if i.file not in DEAR]),
        *(pytest.param(i, id=i.kernel, marks=pytest.mark.bench) for i in IDIOMS if i.file in DEAR),
    ],
)
def test_idioms_have_no_alarm_for_a_debugger(idiom, built):
    """There intrinsics are calls, and local variables, members and arrays have bounds."""
    done, alarms = launched(built(idiom.file, "-G"), idiom, idiom.kernel, None)
    assert alarms == []
    assert done.result.outcome is SimulationOutcome.FINISHED
    assert idiom.check(*done.arrays)
