"""Measures with Nsight Compute what accesses to shared memory take: writes `h100_passes.json`.

    python3 -m tests.simulator.passes_on_gpu FILE [OPERATION ...]

measures the operations that FILE lacks, or those named, and keeps what FILE has of the others. It
needs nvcc, ncu with leave to read counters, and a GPU of sm_90; all of them take some minutes. One
warp on each SM executes one access, for each of some hundred patterns of its lanes. What is
recorded is of an H100 80GB HBM3 with driver 580.159 and Nsight Compute 2025.3.1.
"""

# ruff: noqa: B023 (what places lanes is called before the loop goes on)
from __future__ import annotations

import csv
import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

LANES, ALL = range(32), 0xFFFFFFFF
LINE, BYTES, SEED = 128, 32768, 24
COUNTER = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
COPIES = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"
"""Of copies; the counters of the memory itself have no name for them."""

Pattern = tuple[str, int, list[int]]
"""A name, the lanes that are active as bits, and what each lane accesses, in units of its size."""


class Operation(NamedTuple):
    """What is measured.

    Attributes:
        counter: Its counters; several are added up, as loops around `cas` load, too.
        table: The name of its patterns.
        every: Every how many-th of them is measured.
        ptx: The instruction, and what takes its result to `x0` and `x1`.
        apart: Bytes from what a lane copies to what the next one does; 0 for its size.
    """

    counter: str
    table: str
    every: int
    ptx: str
    apart: int = 0


_WIDE = " mov.b64 {x0,x1}, y0;"
_COPY = "cp.async.{}.shared.global [%1], [%3], {}; cp.async.wait_all;"
_MATRIX = "{}matrix.sync.aligned.m8n8.x{}{}.shared.b16 {};"


OPERATIONS = {
    "ld.128": Operation("ld", "16", 1, "ld.shared.v4.b32 {x0,x1,x2,x3}, [%1];"),
    "ld.64": Operation("ld", "8", 1, "ld.shared.v2.b32 {x0,x1}, [%1];"),
    "ld.32": Operation("ld", "4", 1, "ld.shared.b32 x0, [%1];"),
    "ld.128.mixed": Operation("ld", "16m", 1, "ld.shared.v4.b32 {x0,x1,x2,x3}, [%1];"),
    "ld.64.mixed": Operation("ld", "8m", 1, "ld.shared.v2.b32 {x0,x1}, [%1];"),
    "ld.16": Operation("ld", "2", 2, "ld.shared.u16 x0, [%1];"),
    "ld.8": Operation("ld", "1", 2, "ld.shared.u8 x0, [%1];"),
    "st.16": Operation("st", "2", 2, "st.shared.u16 [%1], x0;"),
    "st.8": Operation("st", "1", 2, "st.shared.u8 [%1], x0;"),
    "atom.add.u32": Operation("atom", "4", 1, "atom.shared.add.u32 x0, [%1], x1;"),
    "atom.cas.b32": Operation("atom", "4", 3, "atom.shared.cas.b32 x0, [%1], x1, x2;"),
    "atom.exch.b32": Operation("atom", "4", 3, "atom.shared.exch.b32 x0, [%1], x1;"),
    "red.add.u32": Operation("atom", "4", 3, "red.shared.add.u32 [%1], x1;"),
    "red.max.s32": Operation("atom", "4", 6, "red.shared.max.s32 [%1], x1;"),
    "atom.add.f32": Operation("ld+atom", "4", 2, "atom.shared.add.f32 x0, [%1], x1;"),
    "atom.add.u64": Operation("ld+atom", "8", 2, "atom.shared.add.u64 y0, [%1], y1;" + _WIDE),
    "atom.add.f64": Operation("ld+atom", "8", 3, "atom.shared.add.f64 y0, [%1], y1;" + _WIDE),
    "atom.cas.b64": Operation("atom", "8", 2, "atom.shared.cas.b64 y0, [%1], y1, y2;" + _WIDE),
    "atom.exch.b64": Operation("atom", "8", 2, "atom.shared.exch.b64 y0, [%1], y1;" + _WIDE),
    "st.128": Operation("st", "16", 1, "st.shared.v4.b32 [%1], {x0,x1,x2,x3};"),
    "st.64": Operation("st", "8", 1, "st.shared.v2.b32 [%1], {x0,x1};"),
    "st.32": Operation("st", "4", 1, "st.shared.b32 [%1], x0;"),
} | {
    f"{kind}matrix.x{count}{order}": Operation(
        kind, "rows", every, _MATRIX.format(kind, count, order, operands)
    )
    for order, every in (("", 1), (".trans", 2))
    for kind, places in (("ld", "{0}, [%1]"), ("st", "[%1], {0}"))
    for count, parts in ((1, "{x0}"), (2, "{x0,x1}"), (4, "{x0,x1,x2,x3}"))
    for operands in (places.format(parts),)
} | {
    f"cp.async.{cache}.{size}{where}": Operation(
        COPIES, str(size), every, _COPY.format(cache, size), apart
    )
    for cache, size, where, apart, every in (
        ("ca", 4, "", 0, 2), ("ca", 8, "", 0, 2), ("ca", 16, "", 0, 2), ("cg", 16, "", 0, 2),
        ("ca", 4, " of far words", 128, 6), ("cg", 16, " of far words", 128, 6),
    )
}  # fmt: skip

MASKS = {
    "half warp, low": 0xFFFF, "half warp, high": 0xFFFF0000, "even lanes": 0x55555555,
    "odd lanes": 0xAAAAAAAA, "lane 0": 1, "lane 13": 1 << 13, "lane 31": 1 << 31,
    "lanes 0 and 31": 0x80000001, "lanes 0 and 1": 3, "first quarter": 0xFF,
    "every fourth": 0x11111111, "every eighth": 0x01010101, "second and third quarter": 0xFFFF00,
    "first and third quarter": 0x00FF00FF, "one of each quarter, shifting": 0x08040201,
}  # fmt: skip


def patterns(unit: int) -> Iterator[Pattern]:
    """Yields patterns for accesses of so many bytes."""
    chance, line = random.Random(SEED * 1000 + unit), LINE // unit

    def row(name: str, place: Callable[[int], int], mask: int = ALL) -> Pattern:
        return name, mask, [place(lane) % (BYTES // unit) for lane in LANES]

    for slot in (0, 5):
        yield row(f"broadcast {slot}", lambda _: slot)
    for count in (2, 4, 8, 16):
        for apart, words in ((1, "neighbours"), (line, "one bank"), (3 * line + 1, "far")):
            yield row(f"{count} {words}, by block", lambda i: i // (32 // count) * apart)
            yield row(f"{count} {words}, cyclic", lambda i: i % count * apart)
    for stride in (*range(1, 34), 64, 128):
        yield row(f"stride {stride}", lambda i: i * stride)
    for number in range(12):
        order = chance.sample(LANES, 32)
        yield row(f"permutation {number}", lambda i: order[i])
    for turn in (1, 2, 3, 4, 7, 8, 12, 16, 21, 31):
        yield row(f"lane xor {turn}", lambda i: i ^ turn)
    for slots in (2, 3, 4, 6, 8, 12, 32, 64, 100, 256, 1024, 2048):
        for number in range(3):
            chosen = chance.choices(range(slots), k=32)
            yield row(f"random of {slots} slots {number}", lambda i: chosen[i])
    for lanes in (2, 4, 8, 16):
        for pitch in (128, 144):
            yield row(f"rows of {pitch} bytes for {lanes} lanes",
                      lambda i: i // lanes * (pitch // unit) + i % lanes)  # fmt: skip
        yield row(f"swizzled rows for {lanes} lanes",
                  lambda i: i // lanes * line + ((i % lanes) ^ (i // lanes % line)))  # fmt: skip
    for name, mask in MASKS.items():
        for stride in (0, 1, 2, line):
            yield row(f"{name}: stride {stride}", lambda i: i * stride + 3, mask)
    for number in range(16):
        mask = chance.randrange(1, ALL) & (chance.randrange(1, ALL) if number > 9 else ALL)
        chosen = chance.choices(range(64), k=32)
        yield row(f"random mask {number}: stride 1", lambda i: i, mask)
        yield row(f"random mask {number}: one bank", lambda i: i * line, mask)
        yield row(f"random mask {number}: random of 64 slots", lambda i: chosen[i], mask)


def pairs(unit: int) -> Iterator[Pattern]:
    """Yields patterns whose quarters have equal addresses in pairs of one kind or another.

    1 stands for lanes i and i ^ 1, 2 for i and i ^ 2, 3 for both and 0 for none.
    """
    chance = random.Random(SEED * 77 + unit)
    kinds = [[1 + (n >> bit & 1) for bit in range(4)] for n in range(16)]
    kinds += [[1, 1, 1, 0], [0, 2, 2, 2], [2, 2, 0, 2], [3, 3, 3, 3], [1, 3, 1, 3], [3, 2, 2, 3]]
    for turn in range(4):
        for kind in kinds:
            slots = [chance.choices(range(64), k=8) for _ in kind]
            places = [slots[i // 8][i % 8 & ~kind[i // 8]] for i in LANES]
            mask = ALL if turn < 2 else chance.randrange(1, ALL)
            yield f"pairs {kind} {turn}", mask, places


def matrices() -> Iterator[Pattern]:
    """Yields rows of 16 bytes for `ldmatrix` and `stmatrix`."""
    chance = random.Random(SEED)

    def row(name: str, place: Callable[[int], int]) -> Pattern:
        return name, ALL, [place(lane) % BYTES // 16 for lane in LANES]

    for pitch in (16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 208, 256, 272, 512, 528, 1024, 1040):
        for rows in (8, 16, 32):
            yield row(
                f"pitch {pitch}, columns of {rows}", lambda i: i % rows * pitch + i // rows * 16
            )
    for pitch in (128, 256):
        yield row(f"pitch {pitch}, swizzled", lambda i: i % 16 * pitch + (i // 16 ^ i % 8) * 16)
    for times in (2, 4, 32):
        yield row(f"each row {times} times", lambda i: i // times * 16)
    for slots in (2, 4, 8, 16, 32, 128, 512):
        for number in range(4):
            chosen = chance.choices(range(slots), k=32)
            yield row(f"random of {slots} rows {number}", lambda i: chosen[i] * 16)


def tables() -> dict[str, list[Pattern]]:
    """Returns all patterns by the names of their tables."""
    made = {str(unit): list(patterns(unit)) for unit in (1, 2, 4, 8, 16)}
    return made | {"8m": list(pairs(8)), "16m": list(pairs(16)), "rows": list(matrices())}


def unit_of(table: str) -> int:
    """Returns the bytes of a unit of a table."""
    return 16 if table == "rows" else int(table.rstrip("m"))


PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void access(const int* table, int row, int* out, const char* source) {
  extern __shared__ __align__(1024) char memory[];
  const int lane = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(memory) + table[row * 33 + lane];
  const int active = (unsigned)table[row * 33 + 32] >> lane & 1;
  int y = lane;
  asm volatile("{.reg .pred p; .reg .b32 x0, x1, x2, x3; .reg .b64 y0, y1, y2;"
    "setp.ne.b32 p, %2, 0;"
    "mov.b32 x0, %0; mov.b32 x1, %0; mov.b32 x2, %0; mov.b32 x3, %0;"
    "mov.b64 y0, {%0, %0}; mov.b64 y1, {%0, %0}; mov.b64 y2, {%0, %0};"
    "PTX xor.b32 x0, x0, x1; xor.b32 x2, x2, x3; xor.b32 %0, x0, x2;}"
    : "+r"(y) : "r"(at), "r"(active), "l"(source + lane * APART) : "memory");
  out[lane] = y;
}
int main(int argc, char** argv) {
  FILE* file = fopen(argv[1], "r");
  int rows, *table, *out;
  char* source;
  if (!file || fscanf(file, "%d", &rows) != 1) return 2;
  std::vector<int> read(rows * 33);
  for (int& x : read) {
    long long value;
    if (fscanf(file, "%lld", &value) != 1) return 3;
    x = value;
  }
  cudaMalloc(&table, read.size() * 4); cudaMalloc(&out, 128);
  cudaMalloc(&source, 32 * APART);
  cudaMemcpy(table, read.data(), read.size() * 4, cudaMemcpyHostToDevice);
  // So much shared memory that an SM has one block, which is one warp.
  cudaFuncSetAttribute(access, cudaFuncAttributeMaxDynamicSharedMemorySize, 122880);
  for (int row = 0; row < rows; ++row) access<<<BLOCKS, 32, 122880>>>(table, row, out, source);
  return cudaDeviceSynchronize();
}
"""

BLOCKS = 132


def counters(operation: Operation) -> list[str]:
    """Returns the counters of an operation, which are added up."""
    if "__" in operation.counter:
        return [operation.counter]
    return [COUNTER.format(kind) for kind in operation.counter.split("+")]


def measured(folder: Path, operation: Operation, chosen: list[Pattern]) -> list[int]:
    """Returns the passes that a GPU takes for patterns."""
    unit = unit_of(operation.table)
    lines = [
        " ".join(map(str, [*(slot * unit for slot in slots), mask])) for _, mask, slots in chosen
    ]
    (folder / "table").write_text("\n".join([str(len(chosen)), *lines]))
    guard = "" if "matrix" in operation.ptx else "@p "
    text = PROGRAM.replace("PTX", guard + operation.ptx).replace("BLOCKS", str(BLOCKS))
    (folder / "access.cu").write_text(text.replace("APART", str(operation.apart or unit)))
    subprocess.run(["nvcc", "-arch=sm_90", "-o", "access", "access.cu"], cwd=folder, check=True)
    rows = counted(counters(operation), ["./access", "table"], folder)
    counts = [sum(row.values()) for row in rows]
    assert len(counts) == len(chosen), f"{len(counts)} launches of {len(chosen)} were measured"
    assert not any(map(math.isnan, counts)), f"ncu has not counted {counters(operation)}"
    assert all(count % BLOCKS == 0 for count in counts), "an SM had more or less than one warp"
    return [int(count) // BLOCKS for count in counts]


def counted(names: Sequence[str], program: Sequence[str], folder: Path) -> list[dict[str, float]]:
    """Returns what counters say of each launch of a program that runs in a folder, in order.

    Raises:
        RuntimeError: The program or ncu has failed; with all that they have said.
    """
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none"]
    command += ["--cache-control", "none", "--metrics", ",".join(names), *program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    rows = csv.DictReader(line for line in done.stdout.splitlines() if line.startswith('"'))
    return [
        {name: _number(row.get(name, "")) for name in names} for row in rows if row["ID"].isdigit()
    ]


def _number(text: str) -> float:
    """Returns a number of the table that ncu prints; NaN for an empty cell."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def main(target: Path, named: Sequence[str]) -> int:
    """Measures operations and writes the file; returns how many could not be measured."""
    made, passes, failed = tables(), {}, 0
    if target.exists():
        passes = json.loads(target.read_text())["passes"]
    with TemporaryDirectory() as folder:
        for name in named or [name for name in OPERATIONS if name not in passes]:
            operation, start = OPERATIONS[name], time.perf_counter()
            chosen = made[operation.table][:: operation.every]
            try:
                counts = measured(Path(folder), operation, chosen)
            except (AssertionError, RuntimeError, subprocess.CalledProcessError) as error:
                failed += 1
                print(name, "is not measured:", error, flush=True)
                continue
            passes[name] = {"unit": operation.table, "every": operation.every, "passes": counts}
            print(f"{name} {len(counts)} in {time.perf_counter() - start:.0f} s", flush=True)
            target.write_text(as_text({"patterns": made, "passes": passes}))
    return failed


def as_text(content: dict[str, Any]) -> str:
    """Returns JSON with a line for each pattern."""
    lines = {
        name: ",\n".join("   " + json.dumps(row, separators=(",", ":")) for row in rows)
        for name, rows in content["patterns"].items()
    }
    tables = ",\n".join(f'  "{name}": [\n{rows}\n  ]' for name, rows in lines.items())
    passes = ",\n".join(
        f'  "{name}": {json.dumps(each, separators=(",", ":"))}'
        for name, each in content["passes"].items()
    )
    return f'{{\n "patterns": {{\n{tables}\n }},\n "passes": {{\n{passes}\n }}\n}}\n'


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]), sys.argv[2:])))
