"""Barriers that not all threads reach are told, and none that only threads miss that have ended."""

import numpy as np
import pytest

from jitstudio.simulator.model import FaultKind
from tests.simulator.running import ptx_of, run

KERNELS = r"""
#define KERNEL extern "C" __global__ void
KERNEL in_a_condition(int* a) {
  int i = threadIdx.x;
  if (a[i] % 2) { a[i] += 1; __syncthreads(); }
  a[i] *= 3;
}
KERNEL in_some_warps(int* a) {
  int i = threadIdx.x;
  if (a[i] < 32) __syncthreads();
  a[i] *= 3;
}
KERNEL in_a_loop(int* a, int n) {
  __shared__ int s[64];
  int i = threadIdx.x, sum = 0;
  #pragma unroll 1
  for (int k = 0; k < 4; k++)
    if (k * 64 + i < n) { s[i] = a[i] + k; __syncthreads(); sum += s[(i + 1) % 64]; }
  if (i % 2 == 0) a[i] = sum;
}
KERNEL on_both_ways(int* a) {
  int i = threadIdx.x;
  if (a[i] % 2) { __syncthreads(); a[i] = 7; } else { a[i] = 8; __syncthreads(); a[i] += 1; }
}
KERNEL on_both_ways_of_warps(int* a) {
  int i = threadIdx.x;
  if (a[i] / 32) { __syncthreads(); a[i] = 7; } else { a[i] = 8; __syncthreads(); a[i] += 1; }
}
KERNEL then_another(int* a) {
  int i = threadIdx.x;
  if (a[i] % 2) __syncthreads();
  asm volatile("" ::: "memory");
  __syncthreads();
  a[i] = 5;
}

KERNEL returns_early(int* a) {
  int i = threadIdx.x;
  if (a[i] % 2) return;
  a[i] = __syncthreads_count(1);
  __syncthreads();
}
KERNEL returns_with_work(int* a) {
  int i = threadIdx.x;
  for (int k = 0; k < 3; k++) {
    if (a[i] == k) { a[i] = 100; return; }
    __syncthreads();
  }
  a[i] = 9;
}
KERNEL of_whole_blocks(int* a) {
  __shared__ int s[64];
  int i = threadIdx.x, at = blockIdx.x * 64 + i;
  s[i] = a[at];
  #pragma unroll 1
  for (int k = 0; k < blockIdx.x; k++) {
    __syncthreads();
    int next = s[(i + 1) % 64];
    if (k % 2) __syncthreads();
    else asm volatile("bar.sync 1;");
    s[i] = next;
  }
  if (blockIdx.x % 2) { __syncthreads(); a[at] = s[63 - i]; }
  a[at] += 1;
}
KERNEL named_by_warps(int* a) {
  int i = threadIdx.x;
  if (i < 32) asm volatile("bar.sync 1, 32;");
  else asm volatile("bar.sync 2, 32;");
  a[i] = 1;
}
KERNEL after_a_long_way(int* a) {
  int i = threadIdx.x;
  #pragma unroll 1
  for (int k = 0; k < a[i]; k++) { if (a[i] == k + 40) atomicAdd(a + 64, 1); }
  __syncthreads();
  a[i] = 2;
}
"""

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def kernels(tools):
    return ptx_of(tools, KERNELS)


def line_of(kernel, text):
    """Returns the line of a kernel that has a text."""
    start = KERNELS.index(f"KERNEL {kernel}(")
    return KERNELS[: KERNELS.index(text, start)].count("\n") + 1


def faults(kernels, kernel, *more, grid=1, **options):
    data = np.arange(64 * grid + 1, dtype=np.int32)
    done = run(kernels, kernel, (grid, 1, 1), (64, 1, 1), data, *more, finishes=False, **options)
    assert done.result.message == ""
    return [fault for fault in done.result.faults if fault.kind is FaultKind.BARRIER]


@pytest.mark.parametrize(
    ("kernel", "more", "first", "second", "near"),
    [
        ("in_a_condition", (), "__sync", "a[i] *= 3", "warp"),
        ("in_some_warps", (), "__sync", "a[i] *= 3", "block"),
        ("in_a_loop", (np.int32(230),), "__sync", "if (i % 2", "warp"),
        ("on_both_ways", (), "__sync", "__sync", "warp"),
        ("on_both_ways_of_warps", (), "__sync", "__sync", "block"),
        ("then_another", (), "__sync", "__syncthreads();\n  a[i] = 5", "warp"),
    ],
)
def test_a_barrier_that_not_all_threads_reach(kernels, kernel, more, first, second, near):
    (fault,) = faults(kernels, kernel, *more)
    assert (fault.first.line, fault.second.line) == (
        line_of(kernel, first), line_of(kernel, second),
    )  # fmt: skip
    assert f"of its {near} " in fault.message
    assert str(fault.first.thread) in fault.message
    assert str(fault.second.thread) in fault.message
    assert not fault.fatal


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize(
    "kernel",
    [
        "returns_early", "returns_with_work", "of_whole_blocks", "named_by_warps",
        "after_a_long_way",
    ],
)  # fmt: skip
def test_barriers_that_are_right(kernels, kernel, seed):
    assert faults(kernels, kernel, grid=4 if kernel == "of_whole_blocks" else 1, seed=seed) == []
