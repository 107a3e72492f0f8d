"""Measures with Nsight Compute the sectors of global atomics: writes `h100_atomics.json`.

    python3 -m tests.simulator.atomics_on_gpu FILE

One warp executes one operation, for each of some hundred patterns of its lanes. It needs nvcc, ncu
with leave to read counters, and a GPU of sm_90, and takes two minutes. What is recorded is of an
H100 80GB HBM3 with driver 580.159 and Nsight Compute 2025.3.1.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.simulator.passes_on_gpu import counted

WARP, LINE, SEED = 32, 128, 24
INACTIVE = -1


class Operation(NamedTuple):
    """Bytes, the name in the counter, and PTX in which `%0` is a value and `%1` the address."""

    size: int
    counter: str
    ptx: str

    @property
    def is_swap(self) -> bool:
        return ".cas." in self.ptx


_WIDE = "mov.b128 q, {d, d}; "
OPERATIONS = {
    "add.u32": Operation(4, "red", "red.global.add.u32 [%1], %0;"),
    "add.u32 with result": Operation(4, "atom", "atom.global.add.u32 %0, [%1], %0;"),
    "add.f32": Operation(4, "red", "red.global.add.f32 [%1], %0;"),
    "exch.b32": Operation(4, "atom", "atom.global.exch.b32 %0, [%1], %0;"),
    "cas.b32": Operation(4, "atom", "atom.global.cas.b32 %0, [%1], %0, %0;"),
    "min.u64": Operation(8, "red", "red.global.min.u64 [%1], d;"),
    "add.f64": Operation(8, "red", "red.global.add.f64 [%1], d;"),
    "add.v2.f32": Operation(8, "red", "red.global.add.v2.f32 [%1], {%0, %0};"),
    "exch.b64": Operation(8, "atom", "atom.global.exch.b64 d, [%1], d;"),
    "cas.b64": Operation(8, "atom", "atom.global.cas.b64 d, [%1], d, d;"),
    "add.v4.f32": Operation(16, "red", "red.global.add.v4.f32 [%1], {%0, %0, %0, %0};"),
    "exch.b128": Operation(16, "atom", _WIDE + "atom.global.exch.b128 q, [%1], q;"),
    "cas.b128": Operation(16, "atom", _WIDE + "atom.global.cas.b128 q, [%1], q, q;"),
    "cas.b16": Operation(2, "atom", "atom.global.cas.b16 h, [%1], h, h;"),
}

PROGRAM = r"""
#include <cstdio>
#include <vector>
const unsigned long long ROOM = 1ull << 34;
__global__ void access(char* memory, const long long* table, int row) {
  const long long at = table[row * 32 + threadIdx.x];
  unsigned value = threadIdx.x;
  if (at >= 0)
    asm volatile("{.reg .b16 h; .reg .b64 d; .reg .b128 q;"
      "cvt.u16.u32 h, %0; mov.b64 d, {%0, %0}; PTX}"
      : "+r"(value) : "l"(memory + at) : "memory");
  // Never so; an atomic whose result nobody uses would become a `red`.
  if (value == 12345) *memory = 1;
}
int main(int argc, char** argv) {
  FILE* file = fopen(argv[1], "r");
  int rows;
  if (!file || fscanf(file, "%d", &rows) != 1) return 2;
  std::vector<long long> read(rows * 32);
  for (long long& x : read) if (fscanf(file, "%lld", &x) != 1) return 3;
  long long* table;
  char *room, *memory;
  if (cudaMalloc(&room, ROOM * 3)) return 4;
  // So that adding an offset carries into no bit that chooses a slot.
  memory = (char*)(((unsigned long long)room / ROOM + 1) * ROOM);
  cudaMemset(memory, 0, 1 << 24);
  cudaMalloc(&table, read.size() * 8);
  cudaMemcpy(table, read.data(), read.size() * 8, cudaMemcpyHostToDevice);
  for (int row = 0; row < rows; ++row) access<<<1, 32>>>(memory, table, row);
  return cudaDeviceSynchronize();
}
"""


def patterns(size: int) -> Iterator[list[int]]:
    """Yields the offset of each lane in bytes, or `INACTIVE`, for operations of `size` bytes."""
    chance = random.Random(SEED + size)
    for slots in (2, 4, 8, 16, 32, 64, 128, 256, 1024):
        for number in range(12):
            mask = chance.getrandbits(WARP) if number > 8 else (1 << WARP) - 1
            mask |= chance.getrandbits(WARP)
            at = [chance.randrange(slots) * size for _ in range(WARP)]
            yield [at[lane] if mask >> lane & 1 else INACTIVE for lane in range(WARP)]
    for lanes in (1, 2, 3, 4, 8):
        yield [lane // lanes * size for lane in range(WARP)]
        yield [lane * lanes * size for lane in range(WARP)]
    # A lane of another line between two lanes of a sector, at the word of the second one.
    for distance in range(1, 8):
        for order in ((1, 8, 21), (8, 1, 21), (21, 8, 1)):
            yield _between(distance * LINE, order, size)


def far_patterns() -> Iterator[list[int]]:
    """Yields what tells which bits of an address choose a slot, by 4 lines for each bit."""
    for bit in range(2, 27):
        for near in range(4):
            yield _between(((1 << bit) ^ near) * LINE, (1, 8, 21), 4)


def _between(line: int, lanes: tuple[int, int, int], size: int) -> list[int]:
    places = [INACTIVE] * WARP
    word = max(size, 4)
    for lane, at in zip(lanes, (line, word, line + word), strict=True):
        places[lane] = at
    return places


def measured(folder: Path, operation: Operation, rows: list[list[int]]) -> list[int]:
    """Returns the sectors that a GPU takes for patterns."""
    table = [str(len(rows)), *(" ".join(map(str, row)) for row in rows)]
    (folder / "table").write_text("\n".join(table))
    (folder / "access.cu").write_text(PROGRAM.replace("PTX", operation.ptx))
    subprocess.run(["nvcc", "-arch=sm_90", "-o", "access", "access.cu"], cwd=folder, check=True)
    name = f"l1tex__t_sectors_pipe_lsu_mem_global_op_{operation.counter}.sum"
    sectors = [int(row[name]) for row in counted([name], ["./access", "table"], folder)]
    assert len(sectors) == len(rows), f"{len(sectors)} launches of {len(rows)} were measured"
    return sectors


def main(target: Path) -> None:
    """Measures all operations and writes a line of sectors for each."""
    with TemporaryDirectory() as folder:
        sectors = {
            name: measured(Path(folder), operation, list(patterns(operation.size)))
            for name, operation in OPERATIONS.items()
        }
        add = OPERATIONS["add.u32"]
        sectors["far"] = measured(Path(folder), add, list(far_patterns()))
    lines = (f'"{name}": {json.dumps(counts)}' for name, counts in sectors.items())
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
