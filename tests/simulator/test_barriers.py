"""Barriers that not all threads reach are told, and none that only threads miss that have ended."""

import re

import numpy as np
import pytest

from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.state.model import FaultKind
from jitstudio.simulator.stepping.history import StepHistory
from tests.simulator.running import kernel_of, launch_of, program_of, ptx_of, run

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

__device__ __noinline__ void parts(int* a, int i) {
  if (a[i] % 2) __syncthreads();
  a[i] += 1;
}
__device__ __noinline__ void meets_and_adds(int* a, int odd) {
  if (odd) __syncthreads();
  a[threadIdx.x] += 2;
}
__device__ __noinline__ void only_meets(int* a, int odd) {
  if (odd) __syncthreads();
}
__device__ __noinline__ void meets(int* a) { a[threadIdx.x] ^= 1; __syncthreads(); }
__device__ __noinline__ int busy(int n) { int v = n; while (v > 3) v = v * 3 / 4; return v; }
KERNEL in_a_function(int* a) {
  parts(a, threadIdx.x);
  a[threadIdx.x] *= 3;
}
KERNEL at_the_end_of_a_function(int* a) {
  only_meets(a, a[threadIdx.x] % 2);
  a[threadIdx.x] *= 3;
}
KERNEL in_a_function_of_a_loop(int* a) {
  #pragma unroll 1
  for (int k = 0; k < 4; k++) {
    only_meets(a, threadIdx.x < 32 ? k < 3 : k > 0);
    a[threadIdx.x] *= 3;
  }
}
KERNEL in_a_call_that_some_leave_out(int* a) {
  int i = threadIdx.x;
  if (i > 40) meets(a);
  a[i] = 3;
}
KERNEL in_other_rounds(int* a) {
  int i = threadIdx.x;
  #pragma unroll 1
  for (int k = 0; k < 4; k++) {
    if (i % 2 ? k > 0 : k < 3) __syncthreads();
    a[i] += k * 5;
  }
}
KERNEL in_rounds_of_rounds(int* a) {
  int i = threadIdx.x;
  #pragma unroll 1
  for (int r = 0; r < 2; r++) {
    #pragma unroll 1
    for (int k = 0; k < 4; k++) {
      if (i % 2 ? k > 0 : k < 3) __syncthreads();
      a[i] += k * r;
    }
    a[i] -= r;
  }
}
KERNEL in_other_rounds_of_warps(int* a) {
  int i = threadIdx.x;
  #pragma unroll 1
  for (int k = 0; k < 4; k++) {
    if (i < 32 ? k > 0 : k < 3) asm volatile("barrier.sync 3, 64;");
    a[i] += k * 5;
  }
}
KERNEL of_too_many(int* a) {
  if (threadIdx.x < 96) asm volatile("barrier.sync 1, 64;");
  a[threadIdx.x] = 1;
}
KERNEL of_no_warps(int* a) { asm volatile("barrier.sync 1, 48;"); a[threadIdx.x] = 1; }

KERNEL in_functions_of_loops(int* a) {
  int i = threadIdx.x;
  if (i < 32) meets_and_adds(a, 0);
  #pragma unroll 1
  for (int k = 0; k < 5; k++) {
    meets_and_adds(a, k % 2);
    if (i % 3 == 0) a[i] = busy(a[i] + 9);
    meets(a);
    #pragma unroll 1
    for (int j = 0; j < i % 4; j++) a[i] += busy(j);
  }
}
KERNEL after_own_rounds(int* a) {
  __shared__ int s[64];
  int i = threadIdx.x, at = 0;
  #pragma unroll 1
  for (int k = 0; k < 6; k++) {
    #pragma unroll 1
    while (at < a[i] % 5 * k) { at++; atomicAdd(&a[64], 1); }
    __syncthreads();
    s[i] = at;
    at += i % 3;
    if (k & 1) __syncthreads();
    if (s[i] > 7) continue;
    a[i] += s[i];
  }
}
KERNEL handed_over(int* a) {
  __shared__ int s[2][32];
  int i = threadIdx.x;
  #pragma unroll 1
  for (int k = 0; k < 6; k++)
    if (i < 32) {
      if (k > 1) asm volatile("barrier.sync %0, 64;" :: "r"(3 + k % 2) : "memory");
      s[k % 2][i] = k;
      asm volatile("barrier.arrive %0, 64;" :: "r"(1 + k % 2) : "memory");
    } else {
      asm volatile("barrier.sync %0, 64;" :: "r"(1 + k % 2) : "memory");
      a[i] += s[k % 2][i - 32];
      if (k < 4) asm volatile("barrier.arrive %0, 64;" :: "r"(3 + k % 2) : "memory");
    }
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


FUNCTIONS = {
    "in_a_call_that_some_leave_out": "meets",
    "in_a_function": "parts",
    "at_the_end_of_a_function": "only_meets",
    "in_a_function_of_a_loop": "only_meets",
}


def line_in_function(function, text):
    start = KERNELS.index(f"void {function}(")
    return KERNELS[: KERNELS.index(text, start)].count("\n") + 1


def faults(kernels, kernel, *more, grid=1, **options):
    data = np.arange(64 * grid + 1, dtype=np.int32)
    done = run(kernels, kernel, (grid, 1, 1), (64, 1, 1), data, *more, finishes=False, **options)
    assert done.result.message == ""
    return [fault for fault in done.result.faults if fault.kind is FaultKind.BARRIER]


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
@pytest.mark.parametrize(
    ("kernel", "more", "first", "second", "near"),
    [
        ("in_a_condition", (), "__sync", "a[i] *= 3", "warp"),
        ("in_some_warps", (), "__sync", "a[i] *= 3", "block"),
        ("in_a_loop", (np.int32(230),), "__sync", "for (int k", "warp"),
        ("in_other_rounds", (), "__sync", "a[i] += k * 5", "warp"),
        ("in_rounds_of_rounds", (), "__sync", "a[i] += k * r", "warp"),
        ("in_other_rounds_of_warps", (), "barrier.sync", "a[i] += k * 5", "block"),
        ("in_a_call_that_some_leave_out", (), "", "int i", "warp"),
        ("in_a_function", (), "", "", "warp"),
        ("at_the_end_of_a_function", (), "", "a[threadIdx.x] *= 3", "warp"),
        ("in_a_function_of_a_loop", (), "", "a[threadIdx.x] *= 3", "block"),
        ("on_both_ways", (), "__sync", "__sync", "warp"),
        ("on_both_ways_of_warps", (), "__sync", "__sync", "block"),
        ("then_another", (), "__sync", "__syncthreads();\n  a[i] = 5", "warp"),
    ],
)
def test_a_barrier_that_not_all_threads_reach(kernels, kernel, more, first, second, near, seed):
    (fault,) = faults(kernels, kernel, *more, seed=seed)
    at = line_of(kernel, first) if first else line_in_function(FUNCTIONS[kernel], "__sync")
    where = line_of(kernel, second) if second else line_in_function(FUNCTIONS[kernel], "a[i] +=")
    assert {fault.first.line, fault.second.line} == {at, where}
    # Its place is that of those who wait, whoever was there first.
    assert fault.message.startswith(f"Thread {fault.place.thread} of block")
    assert f"reach, at kernel.cu:{fault.place.line} " in fault.message or seed
    assert f"of its {near} " in fault.message or seed
    assert str(fault.first.thread) in fault.message
    assert str(fault.second.thread) in fault.message
    assert not fault.fatal


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize(
    "kernel",
    [
        "returns_early", "returns_with_work", "of_whole_blocks", "named_by_warps",
        "after_a_long_way", "in_functions_of_loops", "after_own_rounds", "handed_over",
    ],
)  # fmt: skip
def test_barriers_that_are_right(kernels, kernel, seed):
    assert faults(kernels, kernel, grid=4 if kernel == "of_whole_blocks" else 1, seed=seed) == []


OWN_ROUNDS = """
    add.s32 %j, %j, 1; rem.u32 %l, %t, 7; setp.lt.s32 %p, %j, %l; @%p bra OWN;
    mov.u32 %j, 0;
"""
ROUNDS = {
    # The rounds of each thread begin right behind the barrier.
    "behind": "ROUND: setp.ne.s32 %q, %n, 0; @%q bra OWN; bar.sync 0;\nOWN:" + OWN_ROUNDS,
    # They go back to where the rounds with the barrier begin.
    "before": "ROUND: setp.ge.s32 %q, %k, 4; @%q bra END; rem.u32 %l, %t, 7;\n"
    "setp.ge.s32 %p, %j, %l; @%p bra MEET; add.s32 %j, %j, 1; bra ROUND;\n"
    "MEET: bar.sync 0; mov.u32 %j, 0; add.s32 %k, %k, 1; bra ROUND;\nEND:",
    "in a function": "ROUND: call f, (%n, %t);",
    "that is left out": "ROUND: xor.b32 %l, %t, %k; and.b32 %l, %l, 1; setp.ne.s32 %q, %l, 0;\n"
    "@%q bra OWN; bar.sync 0;\nOWN: add.s32 %j, %j, 1;",
}
FUNCTION = (
    ".func f (.reg .s32 %n, .reg .u32 %t)\n{ .reg .pred %p, %q; .reg .s32 %j, %l; mov.u32 %j, 0;\n"
    "setp.ne.s32 %q, %n, 0; @%q bra OWN; bar.sync 0;\nOWN:" + OWN_ROUNDS + "ret; }\n"
)


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("shape", ROUNDS)
def test_rounds_of_other_loops_do_not_count(shape, seed):
    ptx = kernel_of(
        ".reg .pred %p, %q; .reg .s32 %j, %k, %l, %n; .reg .u32 %t;\n"
        "ld.param.s32 %n, [k_0]; mov.u32 %t, %tid.x; mov.u32 %j, 0; mov.u32 %k, 0;\n"
        f"{ROUNDS[shape]}\nadd.s32 %k, %k, 1; setp.lt.s32 %q, %k, 4; @%q bra ROUND;",
        "s32",
        before=FUNCTION,
    )
    for uniform in (0, 1):
        done = run(ptx, "k", (1, 1, 1), (64, 1, 1), np.int32(uniform), finishes=False, seed=seed)
        assert done.result.message == ""
        assert bool(done.result.faults) == (shape == "that is left out")


def test_what_was_left_out_stays_so_when_stepping_back(kernels):
    data = np.arange(65, dtype=np.int32)
    launch = launch_of("in_other_rounds", (1, 1, 1), (64, 1, 1), [data])
    history = StepHistory(lambda: Machine(launch, program_of(kernels)), interval=0)
    history.go_to(10_000)
    told = history.machine.faults[:]
    assert [fault.kind for fault in told] == [FaultKind.BARRIER]
    for step in (history.last_step // 2, history.last_step * 3 // 4):
        history.go_to(step)
        counts = {k: c.copy() for k, c in history.machine.wave.passed_barriers.counts.items()}
        fresh = StepHistory(lambda: Machine(launch, program_of(kernels)), interval=1e9)
        fresh.go_to(step)
        there = fresh.machine.wave.passed_barriers.counts
        assert any(count.any() for count in counts.values())
        assert all((counts[key] == there.get(key, 0)).all() for key in counts)
        history.go_to(10_000)
        assert history.machine.faults == told


@pytest.mark.parametrize(
    ("kernel", "threads", "words"),
    [
        ("of_too_many", 128, "is for 64 threads, and 96 of its block come to it together"),
        ("of_no_warps", 64, "is for 48 threads, which is not a multiple of 32"),
    ],
)
def test_numbers_of_threads_that_do_not_fit(kernels, kernel, threads, words):
    data = np.zeros(threads, np.int32)
    done = run(kernels, kernel, (1, 1, 1), (threads, 1, 1), data, finishes=False)
    (fault,) = done.result.faults
    assert (fault.kind, fault.first.line) == (FaultKind.BARRIER, line_of(kernel, "barrier.sync"))
    assert words in fault.message


IN_ROUNDS = """
.reg .pred %p; .reg .b32 %t, %k, %s;
mov.u32 %t, %tid.x; and.b32 %s, %t, 1; mov.u32 %k, 0;
"""
OTHER_ROUNDS = {
    "in the loop": f"""{IN_ROUNDS}
LOOP: setp.ne.u32 %p, %k, %s; @%p bra BACK;
bar.sync 0;
BACK: add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 2; @%p bra LOOP; ret;""",
    # Whoever comes late joins the others before they have executed the barrier.
    "behind it": f"""{IN_ROUNDS}
LOOP: setp.eq.u32 %p, %k, %s; @%p bra MEET;
BACK: add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 2; @%p bra LOOP; ret;
MEET: bar.sync 0;
bra BACK;""",
}


@pytest.mark.parametrize("barrier", ["bar.sync 0", "barrier.sync 0", "barrier.sync 0, 64"])
@pytest.mark.parametrize("body", OTHER_ROUNDS.values(), ids=OTHER_ROUNDS)
def test_other_rounds_are_told_wherever_the_barrier_stands(body, barrier):
    body = body.replace("bar.sync 0", barrier)
    done = run(kernel_of(body), "k", (1, 1, 1), (64, 1, 1), finishes=False)
    (fault,) = done.result.faults
    assert fault.kind is FaultKind.BARRIER
    assert "at a barrier that not all threads of its block reach" in fault.message
    words = r"has passed it by|has left it out" if barrier == "bar.sync 0" else "in another round"
    assert re.search(words, fault.message)


@pytest.mark.parametrize(
    "statement",
    ["bar.sync %n;", "bar.red.popc.u32 %v, %n, %p;", "barrier.cta.arrive.aligned %n, 64;"],
)
def test_a_block_has_sixteen_barriers_whatever_the_number_is_in(statement):
    body = (
        ".reg .pred %p; .reg .b32 %n, %v, %t; mov.u32 %t, %tid.x;\n"
        "setp.lt.u32 %p, %t, 32; selp.b32 %n, 15, LAST, %p;\n" + statement
    )
    threads = (64, 1, 1)
    done = run(kernel_of(body.replace("LAST", "16")), "k", (1, 1, 1), threads, finishes=False)
    (fault,) = done.result.faults
    assert (fault.kind, fault.count, fault.fatal) == (FaultKind.BARRIER, 32, True)
    assert fault.message.startswith("Thread (32, 0, 0)")
    assert "barrier 16, and barriers have numbers from 0 to 15" in fault.message
    run(kernel_of(body.replace("LAST", "15")), "k", (1, 1, 1), threads)
