"""The launches of the kernels in `kernels`, one table: what is compared with GPUs and NumPy.

Each row has its inputs by seed and, where that is simple, what NumPy says of the outputs. All
buffers are the same bit for bit on a GPU and in the simulator, but for those in `luck`, which
depend on the order of threads, and `approximations`: a GPU's tanh is no exact one.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Size = tuple[int, int, int]
Expected = Callable[[Any], Mapping[str, Any]]


@dataclass(frozen=True)
class KernelLaunch:
    """One launch.

    Attributes:
        file: In the folder `kernels`.
        kernel: The name in the PTX.
        grid: Blocks in x, y and z.
        block: Threads of a block.
        arguments: Arrays are buffers, NumPy scalars are values.
        expected: What buffers hold afterwards, from the arguments before as attributes.
        title: What it is called; empty for the name of the kernel.
        shared: Bytes of dynamic shared memory.
        cluster: Blocks of a cluster; 0 where the kernel says it, or for none.
        cooperative: Whether all blocks are resident at once.
        prints: What it prints.
        luck: Buffers that need not be the same.
        near: Relative tolerance against NumPy, which adds up in another order.
        least_arch: The oldest architecture that has it.
        races: Whether it has a race, seeded.
    """

    file: str
    kernel: str
    grid: Size
    block: Size
    arguments: Mapping[str, Any]
    expected: Expected | None = None
    title: str = ""
    shared: int = 0
    cluster: int = 0
    cooperative: bool = False
    prints: str = ""
    luck: tuple[str, ...] = ()
    near: float = 1e-5
    least_arch: int = 80
    races: bool = False

    @property
    def name(self) -> str:
        """What it is called."""
        return self.title or self.kernel

    @property
    def buffers(self) -> dict[str, Array]:
        """The arguments that are buffers."""
        return {n: v for n, v in self.arguments.items() if isinstance(v, np.ndarray)}

    def expectation(self) -> dict[str, Array]:
        """What NumPy says that buffers hold afterwards."""
        made = self.expected(SimpleNamespace(**self.arguments)) if self.expected else {}
        return {
            name: np.asarray(value).ravel().astype(self.arguments[name].dtype)
            for name, value in made.items()
        }


LAUNCHES: list[KernelLaunch] = []


def _size(value: int | tuple[int, ...]) -> Size:
    x, y, z = (*((value,) if isinstance(value, int) else value), 1, 1)[:3]
    return x, y, z


def _add(
    file: str,
    kernel: str,
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    arguments: dict[str, Any],
    expected: Expected | None = None,
    **more: Any,
) -> None:
    """Adds a row; plain numbers are ``int`` and ``float``."""
    plain = {int: np.int32, float: np.float32}
    typed = {n: plain.get(type(v), lambda same: same)(v) for n, v in arguments.items()}
    LAUNCHES.append(KernelLaunch(file, kernel, _size(grid), _size(block), typed, expected, **more))


def _floats(n: int, seed: int, low: float = -1.0, high: float = 1.0, dtype: str = "f4") -> Array:
    return np.random.default_rng(seed).uniform(low, high, n).astype(dtype)


def _ints(n: int, seed: int, low: int, high: int, dtype: str = "i4") -> Array:
    """From `low` up to and without `high`."""
    return np.random.default_rng(seed).integers(low, high, n, np.int64).astype(dtype)


def _bits(n: int, seed: int, dtype: str = "u4") -> Array:
    return np.frombuffer(np.random.default_rng(seed).bytes(n * np.dtype(dtype).itemsize), dtype)


def _zeros(n: int, dtype: str = "i4") -> Array:
    return np.zeros(n, dtype)


def _full(n: int, value: int, dtype: str = "i4") -> Array:
    return np.full(n, value, dtype)


def _of_all_sizes(seed: int, dtype: str) -> Array:
    """Ordinary numbers next to those of random exponents; no infinity, no not-a-number."""
    bits = "u" + dtype[1]
    made = _bits(256, seed, bits) & ~np.asarray(1 << (8 * int(dtype[1]) - 2), bits)
    made[::2] = _floats(128, seed, -50, 50, dtype).view(bits)
    return made.view(dtype)


# fmt: off
# -- reductions.cu ---------------------------------------------------------------------------------

_add("reductions.cu", "reduce_shared", 5, 256, {"x": _floats(1200, 1), "sums": _zeros(5, "f4"),
    "n": 1200}, lambda a: {"sums": np.pad(a.x, (0, 80)).reshape(5, 256).sum(1)}, near=1e-4)
_add("reductions.cu", "reduce_shuffle", 4, 256, {"x": _floats(5000, 2), "sums": _zeros(4, "f4"),
    "n": 5000}, lambda a: {"sums": np.pad(a.x, (0, 120)).reshape(5, 4, 256).sum((0, 2))}, near=1e-4)
_add("reductions.cu", "reduce_last_block", 8, 128, {"x": _ints(5000, 3, -99, 100),
    "sums": _zeros(8), "arrived": _zeros(1, "u4"), "total": _zeros(1), "n": 5000},
    lambda a: {"total": a.x.sum(), "arrived": 0})
_add("reductions.cu", "reduce_atomics", 8, 128, {"x": _ints(1000, 4, 0, 9999),
    "ints": np.array([0, 0, 1 << 30, -5], "i4"), "bits": np.array([~0 & 0xFFFFFFFF, 0, 0, 0, 5,
    ~0 & 0xFFFFFFFF], "u4"), "whole": _zeros(8, "f4"), "wide": _zeros(4, "f8"), "longs": _zeros(2,
    "u8"), "n": 1000}, lambda a: {"ints": [a.x.sum(), -a.x.sum(), a.x.min(), a.x.max()],
    "whole": np.bincount(a.x & 7, minlength=8), "wide": np.bincount(a.x & 3, a.x >> 2,
    minlength=4)})
_add("reductions.cu", "reduce_vectors", 3, 64, {"x": _floats(2400, 5), "sums": _zeros(6, "f8"),
    "quads": 200})
_add("reductions.cu", "find_smallest", 10, 128, {"x": _bits(1250, 6),
    "found": _full(1, 2**64 - 1, "u8"), "n": 1250},
    lambda a: {"found": [int(a.x.min()) << 32 | int(a.x.argmin())]})

# -- scans.cu --------------------------------------------------------------------------------------

_add("scans.cu", "scan_hillis_steele", 4, 256, {"x": _ints(1024, 7, -50, 50), "sums": _zeros(1024)},
    lambda a: {"sums": a.x.reshape(4, 256).cumsum(1)})
_add("scans.cu", "scan_blelloch", 3, 128, {"x": _ints(768, 8, 0, 100).astype("f4"),
    "sums": _zeros(768, "f4"), "n": 256}, lambda a: {"sums": a.x.reshape(3,
    256).cumsum(1) - a.x.reshape(3, 256)}, shared=1024)
_add("scans.cu", "scan_lookback", 12, 128, {"x": _ints(1500, 9, -9, 99), "sums": _zeros(1500),
    "next": _zeros(1, "u4"), "states": _zeros(12, "u8"), "n": 1500},
    lambda a: {"sums": a.x.cumsum()})
_add("scans.cu", "compact", 3, 128, {"x": _ints(900, 10, 0, 100), "kept": _full(900, -7),
    "counts": _zeros(3), "width": 300, "least": 40}, lambda a: {"counts": (a.x.reshape(3,
    300) >= 40).sum(1), "kept": [np.pad(r[r >= 40], (0, (r < 40).sum()),
    constant_values=-7) for r in a.x.reshape(3, 300)]})
_add("scans.cu", "scan_segments", 4, 64, {"x": _ints(256, 11, -9, 9),
    "heads": _ints(256, 12, 0, 5, "u1") // 4, "sums": _zeros(256)})

# -- histograms.cu ---------------------------------------------------------------------------------

_DATA = _ints(4096, 13, 0, 256, "u1")


def _counted(mask: int) -> Expected:
    return lambda a: {"bins": np.bincount(a.data & mask, minlength=mask + 1)}


_add("histograms.cu", "histogram_global", 4, 256, {"data": _DATA, "bins": _zeros(256, "u4"),
    "n": 4096}, _counted(255))
_add("histograms.cu", "histogram_shared", 4, 128, {"data": _DATA, "bins": _zeros(256, "u4"),
    "quads": 1024}, _counted(255))
_add("histograms.cu", "histogram_match", 33, 125, {"data": _DATA, "bins": _zeros(32, "u4"),
    "n": 4096}, _counted(31))
_add("histograms.cu", "histogram_private", 4, 128, {"data": _DATA, "bins": _zeros(64, "u4"),
    "each": 8}, _counted(63), shared=512)

# -- stencils.cu -----------------------------------------------------------------------------------

_WEIGHTS = np.array([0.03125, 0.109375, 0.21875, 0.28125, 0.21875, 0.109375, 0.03125])


def _alive(a: Any) -> dict[str, Any]:
    board = a.now.reshape(20, 33).astype(int)
    around = sum(np.roll(board, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1)) - board
    return {"next": (around == 3) | ((around == 2) & (board == 1)), "counter": 42}


_add("stencils.cu", "stencil_1d", 4, 256, {"in": _floats(1000, 14), "out": _zeros(1000, "f4"),
    "n": 1000}, lambda a: {"out": np.convolve(vars(a)["in"], _WEIGHTS, "same")}, near=1e-4)
_add("stencils.cu", "stencil_3d", (2, 3, 2), (16, 4, 4),
    {"in": _floats(24 * 10 * 7, 15, dtype="f8"), "out": _zeros(24 * 10 * 7, "f8"), "nx": 24,
    "ny": 10, "nz": 7})
_add("stencils.cu", "heat_2d", 2, (16, 16), {"plate": _floats(512, 16, 0, 100), "steps": 12})
_add("stencils.cu", "life", (2, 3), (32, 8), {"now": _ints(660, 17, 0, 2, "u1"),
    "next": _zeros(660, "u1"), "width": 33, "height": 20, "counter": _zeros(1)}, _alive)

# -- sorting.cu ------------------------------------------------------------------------------------

_add("sorting.cu", "sort_bitonic", 2, 256, {"data": _floats(1024, 18)},
    lambda a: {"data": np.sort(a.data.reshape(2, 512))})
_add("sorting.cu", "sort_radix", 2, 256, {"keys": _bits(512, 19) & np.uint32(0xFFFF00FF),
    "values": np.arange(512, dtype="u4")}, lambda a: {"keys": np.sort(a.keys.reshape(2, 256)),
    "values": [256 * b + np.argsort(a.keys[256 * b : 256 * b + 256],
    kind="stable") for b in range(2)]})
_add("sorting.cu", "sort_warp", 3, 64, {"data": _ints(192, 20, -1000, 1000)},
    lambda a: {"data": np.sort(a.data.reshape(6, 32))})
_add("sorting.cu", "sort_local", 2, 32, {"data": _ints(64 * 10, 21, -300, 300, "i2"), "each": 10},
    lambda a: {"data": np.sort(a.data.reshape(64, 10))})

# -- linear.cu -------------------------------------------------------------------------------------


def _product(n: int) -> Expected:
    return lambda a: {"c": a.a.reshape(n, n).astype("f8") @ a.b.reshape(n, n)}


def _square(n: int, seed: int) -> dict[str, Any]:
    made = {"a": _floats(n * n, seed), "b": _floats(n * n, seed + 1), "c": _zeros(n * n, "f4")}
    return made | {"n": n}


def _sparse(rows: int, columns: int, seed: int) -> dict[str, Any]:
    lengths = _ints(rows, seed, 0, 40)
    starts = np.concatenate([[0], lengths.cumsum()]).astype("i4")
    return {
        "starts": starts,
        "columns": _ints(int(starts[-1]), seed + 1, 0, columns),
        "values": _floats(int(starts[-1]), seed + 2),
        "x": _floats(columns, seed + 3),
        "y": _zeros(rows, "f4"),
        "rows": rows,
    }


def _sparse_product(a: Any) -> dict[str, Any]:
    rows = np.repeat(np.arange(a.rows), np.diff(a.starts))
    return {"y": np.bincount(rows, a.values.astype("f8") * a.x[a.columns], minlength=a.rows)}


_add("linear.cu", "matmul_naive", (3, 5), (16, 8), _square(40, 22), _product(40), near=1e-3)
_add("linear.cu", "_Z12matmul_tiledILi16EEvPKfS1_Pfi", (4, 4), (16, 16), _square(64, 24),
    _product(64), near=1e-3, title="matmul_tiled")
_add("linear.cu", "matmul_blocked", (2, 2), 256, _square(128, 26), _product(128), near=1e-3)
for _kernel in ("transpose_naive", "transpose_tile", "transpose_padded"):
    _add("linear.cu", _kernel, (2, 2), (32, 8), {"in": _floats(4096, 28), "out": _zeros(4096, "f4"),
        "n": 64}, lambda a: {"out": vars(a)["in"].reshape(64, 64).T})
_add("linear.cu", "spmv_rows", 2, 64, _sparse(100, 80, 29), _sparse_product, near=1e-3)
_add("linear.cu", "spmv_warps", 25, 128, _sparse(100, 80, 33), _sparse_product, near=1e-3)
_add("linear.cu", "solve", 3, 24, {"matrices": (np.eye(24) * 30 + _floats(3 * 576, 37,
    dtype="f8").reshape(3, 24, 24)).ravel(), "rights": _floats(72, 38, dtype="f8"), "n": 24},
    lambda a: {"rights": np.linalg.solve(a.matrices.reshape(3, 24, 24),
    a.rights.reshape(3, 24, 1))})

# -- networks.cu -----------------------------------------------------------------------------------


def _softmax(a: Any) -> dict[str, Any]:
    powers = np.exp(vars(a)["in"].reshape(3, 200).astype("f8"))
    return {"out": powers / powers.sum(1, keepdims=True)}


def _attended(a: Any) -> dict[str, Any]:
    scores = np.exp(a.queries.reshape(8, 32).astype("f8") @ a.keys.reshape(50, 32).T)
    return {"out": scores / scores.sum(1, keepdims=True) @ a.values.reshape(50, 32)}


_add("networks.cu", "softmax", 3, 128, {"in": _floats(600, 39, -5, 5), "out": _zeros(600, "f4"),
    "width": 200}, _softmax)
_add("networks.cu", "layer_norm", 3, 128, {"in": _floats(600, 40, 2, 5), "scale": _floats(200, 41),
    "shift": _floats(200, 42), "out": _zeros(600, "f4"), "width": 200})
_add("networks.cu", "activations", 4, 128, {"in": _floats(500, 43, -6, 6)} | {n: _zeros(500,
    "f4") for n in ("gelu", "fast", "sigmoid", "swish")} | {"n": 500},
    lambda a: {"sigmoid": 1 / (1 + np.exp(-vars(a)["in"])),
    "swish": vars(a)["in"] / (1 + 2 ** -vars(a)["in"])})
_add("networks.cu", "n_body", 2, 128, {"bodies": _floats(1024, 44, 0.1, 1),
    "forces": _zeros(1024, "f4"), "n": 256, "softening": 0.01})
_add("networks.cu", "attention", 2, 128, {"queries": _floats(256, 45), "keys": _floats(1600, 46),
    "values": _floats(1600, 47), "out": _zeros(256, "f4"), "count": 50}, _attended, near=1e-4)

# -- warps.cu --------------------------------------------------------------------------------------

_X = _ints(192, 48, 0, 1000)
_add("warps.cu", "votes", 3, 64, {"x": _X, "out": _zeros(192, "u4")}, least_arch=90)
_add("warps.cu", "matches", 3, 64, {"x": np.where(np.arange(192) // 32 % 2, 7, _X),
    "any": _zeros(192, "u4"), "all": _zeros(192, "u4"), "agrees": _zeros(192)},
    lambda a: {"agrees": np.repeat([1, 3], 32).tolist() * 3}, least_arch=90)
_add("warps.cu", "reductions_of_lanes", 3, 64, {"x": _X, "sums": _zeros(192),
    "bits": _zeros(192, "u4")}, least_arch=90)
_add("warps.cu", "shuffles", 3, 64, {"x": _X, "out": _zeros(192), "wide": _zeros(192, "f8")},
    lambda a: {"wide": (a.x * 0.1).reshape(6, 32)[:, np.arange(32) ^ 21]}, least_arch=90)
_add("warps.cu", "diverge", 3, 64, {"x": _X, "out": _zeros(192, "u4"), "rounds": _zeros(192)},
    least_arch=90)
_add("warps.cu", "places", (2, 3, 2), (5, 4, 3), {"out": _zeros(12 * 60 * 8, "u4")}, least_arch=90)
_add("warps.cu", "elected", 3, 64, {"x": _X, "out": _zeros(192)}, least_arch=90)

# -- matrix_units.cu -------------------------------------------------------------------------------


def _halves(n: int, seed: int) -> Array:
    return _floats(n, seed).astype("f2")


def _by_columns(a: Any, dtype: str, k: int) -> Array:
    left = a.a.view(dtype).reshape(2, 16, k).astype("f8")
    return left @ a.b.view(dtype).reshape(2, 8, k).astype("f8").transpose(0, 2, 1)


_add("matrix_units.cu", "mma_f16", 2, 32, {"a": _halves(512, 49).view("u4"),
    "b": _halves(256, 50).view("u4"), "c": _floats(256, 51)}, lambda a: {"c": _by_columns(a, "f2",
    16) + a.c.reshape(2, 16, 8)}, near=1e-3)
_add("matrix_units.cu", "mma_f16", 2, 32, {"a": _ints(512, 52, -9, 10).astype("f2").view("u4"),
    "b": _ints(256, 53, -9, 10).astype("f2").view("u4"), "c": _ints(256, 54, -9, 10).astype("f4")},
    lambda a: {"c": _by_columns(a, "f2", 16) + a.c.reshape(2, 16, 8)}, title="mma_f16_whole")
_add("matrix_units.cu", "mma_bf16", 2, 32, {"a": (_floats(512,
    55).view("u4") >> 16).astype("u2").view("u4"), "b": (_floats(256,
    56).view("u4") >> 16).astype("u2").view("u4"), "c": _zeros(256, "f4")})
_add("matrix_units.cu", "mma_tf32", 2, 32, {"a": _floats(256, 57), "b": _floats(128, 58),
    "c": _zeros(256, "f4")}, lambda a: {"c": a.a.reshape(2, 16, 8) @ a.b.reshape(2, 8, 8)},
    near=1e-2)
_add("matrix_units.cu", "mma_s8", 2, 32, {"a": _bits(256, 59, "i4"), "b": _bits(128, 60, "i4"),
    "c": _zeros(256)}, lambda a: {"c": a.a.view("i1").reshape(2, 16,
    32).astype(int) @ a.b.view("u1").reshape(2, 8, 32).astype(int).transpose(0, 2,
    1) + np.tile(np.repeat([[1, 2], [3, 4]], 8, 0).reshape(2, 8, 1, 2), (1, 1, 4, 1)).reshape(16,
    8)})
_add("matrix_units.cu", "mma_f64", 2, 32, {"a": _floats(64, 61, dtype="f8"),
    "b": _floats(64, 62, dtype="f8"), "c": _zeros(128, "f8")}, lambda a: {"c": a.a.reshape(2, 8,
    4) @ a.b.reshape(2, 4, 8) + np.tile([0.5, -0.5], 4)})
_add("matrix_units.cu", "mma_tile", 1, 32, {"a": _halves(1024, 63), "b": _halves(1024, 64),
    "c": _zeros(1024, "f4")}, lambda a: {"c": a.a.reshape(32, 32).astype("f4") @ a.b.reshape(32,
    32).astype("f4")}, near=1e-2)
_add("matrix_units.cu", "move_matrices", 1, 32, {"in": _bits(128, 65), "out": _zeros(160, "u4")},
    least_arch=90)

# -- asynchronous.cu -------------------------------------------------------------------------------

_add("asynchronous.cu", "pipeline", 2, 128, {"in": _floats(2 * 5 * 512, 66),
    "sums": _zeros(256, "f4"), "tiles": 5}, lambda a: {"sums": vars(a)["in"].reshape(2, 20,
    128).sum(1)[:, np.arange(128) ^ 1]}, near=1e-4)
_add("asynchronous.cu", "copy_ragged", 1, 64, {"in": _ints(256, 67, 0, 999), "out": _zeros(320),
    "n": 201}, lambda a: {"out": np.concatenate([vars(a)["in"][:201], _zeros(55), [0],
    vars(a)["in"][:63][::-1] + vars(a)["in"][3:129:2]])})
_add("asynchronous.cu", "produce_consume", 2, 128, {"in": _ints(2 * 7 * 64, 68, 0, 999),
    "out": _zeros(128), "tiles": 7})
_add("asynchronous.cu", "copy_with_barrier", 2, 64, {"in": _floats(2 * 3 * 256, 69),
    "out": _zeros(2 * 3 * 256, "f4")}, lambda a: {"out": vars(a)["in"].reshape(6, 256)[:, ::-1]})
_add("asynchronous.cu", "named_barriers", 2, 128, {"in": _ints(128, 70, 0, 99), "out": _zeros(256),
    "rounds": 4})

# -- clusters.cu -----------------------------------------------------------------------------------

_add("clusters.cu", "cluster_histogram", 8, 64, {"data": _ints(8 * 200, 71, 0, 256),
    "bins": _zeros(256), "each": 200}, lambda a: {"bins": np.bincount(a.data, minlength=256)},
    least_arch=90)
_add("clusters.cu", "cluster_ring", 6, 64, {"in": _floats(384, 72), "out": _zeros(384, "f4"),
    "ranks": _zeros(6)}, lambda a: {"ranks": [30, 31, 32, 130, 131, 132]}, cluster=3, least_arch=90)
_add("clusters.cu", "cluster_sum", 4, 96, {"in": _ints(384, 73, -99, 99), "sums": _zeros(4)},
    lambda a: {"sums": np.repeat(vars(a)["in"].reshape(2, 2, 96).sum(2) @ [1, 2], 2)}, cluster=2,
    least_arch=90)

# -- cooperative.cu --------------------------------------------------------------------------------

_add("cooperative.cu", "relax", 6, 64, {"from": _floats(350, 74), "to": _zeros(350, "f4"), "n": 350,
    "steps": 6}, cooperative=True)
_add("cooperative.cu", "grid_sum", 6, 96, {"x": _ints(2000, 75, -99, 99), "sums": _zeros(6),
    "total": _zeros(1), "n": 2000}, cooperative=True)
_add("cooperative.cu", "tiles", 2, 64, {"x": _floats(128, 76), "out": _zeros(128, "f4"),
    "sizes": _zeros(128)})

# -- small_floats.cu -------------------------------------------------------------------------------

_add("small_floats.cu", "half_axpy", 4, 64, {"x": _halves(500, 77), "y": _halves(500, 78),
    "factor": np.float16(1.7), "n": 250})
_add("small_floats.cu", "half_math", 4, 64, {"a": np.concatenate([_bits(128, 79, "f2"), _halves(128,
    80)]), "b": np.concatenate([_halves(64, 81) * 99, _bits(192, 82, "f2")]).astype("f2"),
    "out": _zeros(256 * 12, "f2"), "flags": _zeros(256)})
_add("small_floats.cu", "bfloat_math", 4, 64, {"a": _floats(250, 83, -9, 9),
    "b": _floats(250, 84, -9, 9), "out": _zeros(1500, "u2"), "back": _zeros(250, "f4"), "n": 250})
_add("small_floats.cu", "half_reduce", 3, 32, {"x": _halves(3 * 100 * 2, 85),
    "sums": _zeros(6, "f2"), "wide": _zeros(3, "f4"), "n": 100})
_add("small_floats.cu", "float8_pairs", 2, 64, {"x": np.concatenate([_floats(128, 86, -500, 500),
    _of_all_sizes(87, "f4")[:128]]), "e4m3": _zeros(128, "u2"), "e5m2": _zeros(128, "u2"),
    "back": _zeros(256, "u4")}, least_arch=89)

# -- integers.cu -----------------------------------------------------------------------------------


def _divided(a: Any) -> dict[str, Any]:
    x, y = a.a.astype("i8"), a.b.astype("i8")
    quotients = (np.sign(x) * np.sign(y)) * (abs(x) // abs(y))
    return {"quotients": np.stack([quotients, x - quotients * y], 1)}


_add("integers.cu", "divide", 4, 64, {"a": _bits(250, 88, "i4"),
    "b": (_bits(250, 89, "i4") >> _ints(250, 90, 0, 31)) | 2, "quotients": _zeros(500),
    "others": _zeros(750, "u4"), "wide": _zeros(1000, "i8"), "n": 250}, _divided)
_add("integers.cu", "bits", 4, 64, {"x": _bits(256, 91), "y": _bits(256, 92),
    "out": _zeros(256 * 24, "u4")})
_add("integers.cu", "wide_numbers", 4, 32, {"x": _bits(256, 93, "u8"),
    "out": _zeros(128 * 8, "u8")})
_add("integers.cu", "packed_bytes", 4, 32, {"x": _bits(512, 94, "u1"), "y": _bits(256, 95, "i2"),
    "sums": _zeros(512, "u1"), "others": _zeros(256, "i2"), "narrow": _zeros(128, "i1")})
_add("integers.cu", "random_numbers", 4, 64, {"out": _zeros(1024, "u4"),
    "uniform": _zeros(256, "f4"), "seed": np.uint64(0x123456789ABC)})
_add("integers.cu", "checksums", 2, 32, {"data": _bits(64 * 21, 96, "u1"), "sums": _zeros(64, "u4"),
    "width": 21}, lambda a: {"sums": [zlib.crc32(row.tobytes()) for row in a.data.reshape(64, 21)]})
_add("integers.cu", "primes", 2, 64, {"x": np.concatenate([np.arange(1, 65), _ints(64, 97, 1 << 20,
    1 << 31)]).astype("u4"), "is_prime": _zeros(128, "u1"), "divisors": _zeros(128)},
    lambda a: {"divisors": np.gcd(a.x, a.x[np.arange(128) ^ 1])})

# -- floats.cu -------------------------------------------------------------------------------------

_SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1.17549435e-38,
    3.4e38, -3.4e38, 2.0, 1e-20, 16777217.0, 0.33333334], "f4")
_add("floats.cu", "round_f32", 4, 64, {"a": _of_all_sizes(98, "f4"), "b": _of_all_sizes(99, "f4"),
    "out": _zeros(256 * 24, "f4")})
_add("floats.cu", "round_f64", 4, 64, {"a": _of_all_sizes(100, "f8"), "b": _of_all_sizes(101, "f8"),
    "out": _zeros(256 * 16, "f8")})
_add("floats.cu", "convert", 4, 64, {"f": _of_all_sizes(102, "f4"), "d": _of_all_sizes(103, "f8"),
    "out": _zeros(256 * 12, "i8"), "back": _zeros(256 * 6, "f4")})
_add("floats.cu", "specials", 16, 16, {"x": _SPECIAL, "out": _zeros(256 * 6, "f4"),
    "classes": _zeros(256, "u4"), "n": 16})
_add("floats.cu", "library_f32", 4, 64, {"x": _floats(200, 104, -9, 9),
    "out": _zeros(200 * 16, "f4"), "n": 200})
_add("floats.cu", "library_f64", 4, 64, {"x": _floats(200, 105, -9, 9, "f8"),
    "out": _zeros(200 * 10, "f8"), "n": 200})
_add("floats.cu", "approximations", 4, 64, {"x": _floats(200, 106, -20, 20),
    "out": _zeros(200 * 10, "f4"), "n": 200})

# -- control.cu ------------------------------------------------------------------------------------


def _ackermann(m: int, n: int) -> int:
    return (n + 1, n + 2, 2 * n + 3)[m]


def _called(a: Any) -> dict[str, Any]:
    i = np.arange(128)
    tables = [lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x << (y & 31), np.maximum]
    made = np.choose(a.which & 3, [f(a.x, i) for f in tables])
    last = np.where(a.which & 4, a.which + 1 & 3, 0)
    return {"out": np.choose(last, [f(made, 3) for f in tables])}


_add("control.cu", "recursion", 1, 40, {"ackermanns": _zeros(40, "u4"), "solutions": _zeros(40)},
    lambda a: {"ackermanns": [_ackermann(i % 3, i // 3) for i in range(40)],
    "solutions": [(1, 1, 0, 0, 2, 10, 4)[i % 7] for i in range(40)]})
_add("control.cu", "call_table", 2, 64, {"which": _ints(128, 107, 0, 8),
    "x": _ints(128, 108, -50, 50), "out": _zeros(128)}, _called)
_add("control.cu", "shapes", 1, 50, {"sizes": _floats(50, 109), "areas": _zeros(50, "f4"),
    "corners": _zeros(50)}, lambda a: {"corners": [(4, 0, 3)[i * 7 % 3] for i in range(50)]})
_add("control.cu", "_Z9templatesIiLi5EEvPKT_PS0_6VectorIS0_XT0_EE", 2, 32,
    {"in": _ints(320, 110, -99, 99), "out": _zeros(64), "weights": np.array([(1, -2, 3, -4, 5)],
    "i4,i4,i4,i4,i4")[0]}, title="templates_int")
_add("control.cu", "_Z9templatesIsLi3EEvPKT_PS0_6VectorIS0_XT0_EE", 2, 32,
    {"in": _ints(192, 111, -99, 99, "i2"), "out": _zeros(64, "i2"),
    "weights": np.array([(300, -200, 1000)], "i2,i2,i2")[0]}, title="templates_short")
_add("control.cu", "spin_lock", 3, 40, {"counter": _zeros(1), "order": _zeros(1),
    "locks": _zeros(3)}, lambda a: {"counter": 3 * 2 * (40 + 39 * 20), "order": 120, "locks": [1, 1,
    1]})
_add("control.cu", "ticket_lock", 32, 1, {"next": _zeros(1, "u4"), "serving": _zeros(1, "u4"),
    "sum": _zeros(1)}, lambda a: {"next": 32, "serving": 32,
    "sum": np.uint32((3**32 - 1) // 2 % 2**32)})
_add("control.cu", "module_variables", 1, 32, {"out": _zeros(32), "values": _zeros(32, "f8"),
    "text": _zeros(32, "i1")}, lambda a: {"text": np.resize(np.frombuffer(b"constant text\0", "i1"),
    32)})
_add("control.cu", "print", 2, 32, {"x": np.arange(32, dtype="i4"), "y": np.arange(32) / 8},
    prints="".join(f"thread 3 of block {block}: x =     3, y = 0.375, text|c|3298534883328|0x3%\n"
                   for block in range(2)))
_add("control.cu", "dynamic_shared", 1, 64, {"in": _floats(128, 112, -900, 900, "f8"),
    "out": _zeros(256, "i2"), "n": 64}, shared=64 * 28)

# -- science.cu ------------------------------------------------------------------------------------


def _graph(nodes: int, degree: int, seed: int) -> dict[str, Array]:
    lengths = _ints(nodes, seed, 0, degree)
    starts = np.concatenate([[0], lengths.cumsum()]).astype("i4")
    return {"starts": starts, "edges": _ints(int(starts[-1]), seed + 1, 0, nodes)}


_TEXT = _ints(700, 113, ord("a"), ord("c"), "i1")
_add("science.cu", "mandelbrot", (3, 4), (16, 8), {"counts": _zeros(40 * 30), "width": 40,
    "height": 30, "limit": 60})
_add("science.cu", "fft", 2, 128, {"data": _floats(1024, 114)},
    lambda a: {"data": np.fft.fft(a.data.view("c8").reshape(2, 256)).astype("c8").view("f4")},
    near=1e-3)
_add("science.cu", "bfs_step", 4, 64, _graph(200, 6,
    115) | {"levels": np.where(np.arange(200) % 9, -1, 2).astype("i4"), "changed": _zeros(1),
    "level": 2, "n": 200})
_add("science.cu", "components", 1, 64, {"edges": _ints(240, 117, 0, 100),
    "labels": np.arange(100, dtype="i4"), "nodes": 100, "count": 120})
_add("science.cu", "find_text", 6, 128, {"text": _TEXT, "pattern": _TEXT[400:407].copy(),
    "first": _full(1, 1 << 30), "count": _zeros(1), "length": 700, "size": 7},
    lambda a: {"first": a.text.tobytes().find(a.pattern.tobytes())})
_add("science.cu", "edit_distance", 2, 32, {"a": _ints(60, 118, 97, 101, "i1"),
    "b": _ints(60, 119, 97, 101, "i1"), "distance": _zeros(2), "n": 30}, shared=3 * 31 * 4)
_add("science.cu", "shortest_ways", 2, (32, 8), {"distances": _ints(2048, 120, 1, 900)})
_add("science.cu", "nearest", 4, 128, {"points": _ints(1000, 121, -9999, 9999),
    "centres": _ints(14, 122, -9999, 9999), "owners": _zeros(500), "sums": _zeros(21), "n": 500,
    "k": 7})
_add("science.cu", "sieve", 1, 64, {"composite": _zeros(64, "u4"), "words": 64})

# -- by_hand.ptx -----------------------------------------------------------------------------------

_add("by_hand.ptx", "by_hand", 2, 64, {"data": _bits(128 * 4, 123), "out": _zeros(128 * 16, "u4"),
    "n": np.uint32(120)}, least_arch=86)
_add("by_hand.ptx", "atomics_by_hand", 1, 64, {"data": np.array([10, 5, 0, 0, 7, 0, 3, 0], "u4"),
    "out": _zeros(256, "u4")}, lambda a: {"data": [74, 1000, 0x54005400, np.float32(32).view("u4"),
    99, 0, 7, 0], "out": [192, 0, 63, 0] * 64}, least_arch=86)

# -- races.cu --------------------------------------------------------------------------------------

_Y = _ints(512, 124, 0, 200)
for _pair, _count, _more in (("reduce", 4, {}), ("reverse", 512, {}), ("shift", 512, {"rounds": 3}),
    ("count", 64, {}), ("tiles", 512, {"count": 4}), ("flag", 512, {})):
    for _races in (True, False):
        _add("races.cu", f"{_pair}_{'races' if _races else 'right'}", 4, 128, {"x": _Y,
            "out": _zeros(_count), **_more}, races=_races, luck=("out",) if _races else ())
_add("races.cu", "global_races", 4, 128, {"x": _Y, "out": _zeros(8)}, races=True, luck=("out",))
