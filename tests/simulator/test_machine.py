"""Threads that part, call, wait, spin, print and fail, in kernels of NVRTC."""

from dataclasses import replace

import numpy as np
import pytest

from jitstudio.core.launch.c_types import INT
from jitstudio.core.launch.request import Buffer
from jitstudio.simulator.running import simulate as simulate_module
from jitstudio.simulator.running.estimate import estimate
from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.running.orders import compare_orders
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.model import FaultKind, SimulationLimits, SimulationOutcome
from tests.simulator.running import kernel_of, launch_of, program_of, ptx_of, run

KERNELS = r"""
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
__constant__ int odd[4] = {1, 3, 5, 7};
__device__ const char* const names[2] = {"even", "odd"};
__device__ int counter = 5;
__device__ __noinline__ int three(int x) { return x * 3; }
__device__ __noinline__ int five(int x) { return x * 5; }
__device__ int (*const table[2])(int) = {three, five};
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
struct Five { int a[5]; };
__device__ __noinline__ Five raised(Five v, int i) { v.a[i] += 10; return v; }
extern "C" __global__ void calls(int* out, Five v) {
  int i = threadIdx.x;
  Five w = raised(v, i % 5);
  out[i] = fibonacci(i % 9) + 100 * table[i & 1](i) + 10000 * w.a[(i + i / 5) % 5] + odd[i & 3];
}
extern "C" __global__ void cases(int* a) {
  int i = threadIdx.x;
  switch (a[i]) {
    case 0: a[i] = 7 * i; break; case 1: a[i] = i - 3; break; case 2: a[i] = ~i; break;
    case 3: a[i] = i * i; break; case 4: a[i] = i ^ 21; break; case 5: a[i] = i / 3; break;
    default: a[i] = -1;
  }
}
extern "C" __global__ void prints(float x) {
  if (threadIdx.x < 2)
    printf("%d|%5.2f|%s|%c|%x|%lld|%%\n", threadIdx.x, x, names[threadIdx.x], 65, 255, -1ll << 40);
}
extern "C" __global__ void asserts(int* a) {
  if (a[threadIdx.x] >= 5) __assertfail("a < 5", "own.cu", 12, "asserts", 1);
}
extern "C" __global__ void writes(int* a, int offset) { a[(int)threadIdx.x + offset] = 1; }
extern "C" __global__ void quotients(const int* a, long long* out) {
  int i = threadIdx.x;
  out[i] = 1000 / a[i] + 900 % a[i];
}
extern "C" __global__ void guarded(const int* a, long long* out) {
  int i = threadIdx.x;
  out[i] = a[i] ? 1000 / a[i] : -1;
}
extern "C" __global__ void misaligned(char* a) { *(int*)(a + 2) = 1; }
extern "C" __global__ void histogram(const unsigned char* a, int* h, int n) {
  __shared__ int s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s[a[i]], 1);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}
extern "C" __global__ void sum(const int* a, int* out, int n) {
  __shared__ int part[32];
  int v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += a[i];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) *out = v;
  }
}
extern "C" __global__ void lock(int* a) {
  for (;;)
    if (atomicCAS(a, 0, 1) == 0) {
      __threadfence();
      ((volatile int*)a)[1]++;
      __threadfence();
      atomicExch(a, 0);
      break;
    }
}
extern "C" __global__ void without_barrier(const int* a, int* out) {
  __shared__ volatile int s[256];
  s[threadIdx.x] = a[threadIdx.x];
  out[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void with_barrier(const int* a, int* out) {
  __shared__ volatile int s[256];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void turns(int* a) {
  a[2 + blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(a, 1);
}
extern "C" __global__ void both_ways(int* out) {
  int i = threadIdx.x, v;
  if (i % 2) v = __shfl_sync(~0u, i * 2, 0);
  else v = __shfl_sync(~0u, i * 3, 1);
  out[i] = v;
}
extern "C" __global__ void exits_early(int* a) {
  if (threadIdx.x >= 40) return;
  a[threadIdx.x] = __syncthreads_count(threadIdx.x % 2);
}
extern "C" __global__ void barrier_of_two_warps() {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
}
extern "C" __global__ void waits_for_the_next_block(volatile int* a) {
  if (blockIdx.x == 0) while (a[0] == 0);
  else a[0] = 1;
}
extern "C" __global__ void endless(int* a) { while (a[0] == 0) a[1]++; }
__device__ __noinline__ int deeper(int n) { return n == 0 ? 0 : 1 + deeper(n + 1) * 3; }
extern "C" __global__ void bottomless(int* a) { a[0] = deeper(1); }
extern "C" __global__ void traps(int* a) { if (a[threadIdx.x] == 3) __trap(); a[threadIdx.x] = 9; }
"""

pytestmark = pytest.mark.tools
ONE = (1, 1, 1)


@pytest.fixture(scope="module")
def kernels(tools):
    return ptx_of(tools, KERNELS)


def ints(*values):
    return np.array(values, np.int32)


def fails(ptx, kernel, *arguments, block=(64, 1, 1), grid=ONE, **options):
    return run(ptx, kernel, grid, block, *arguments, finishes=False, **options)


def test_calls_with_structures_recursion_and_pointers_to_functions(kernels):
    five = np.arange(5, dtype=np.int32)
    done = run(kernels, "calls", ONE, (45, 1, 1), np.zeros(45, np.int32), five.view("V20")[0])
    fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21]

    def wanted(i):
        raised = [v + 10 * (j == i % 5) for j, v in enumerate(five)]
        call = 100 * i * (5 if i & 1 else 3)
        return fibonacci[i % 9] + call + 10000 * raised[(i + i // 5) % 5] + [1, 3, 5, 7][i & 3]

    assert done.arrays[0].tolist() == [wanted(i) for i in range(45)]


def test_a_switch(kernels):
    choice = np.arange(64, dtype=np.int32) * 5 % 8
    done = run(kernels, "cases", ONE, (64, 1, 1), choice)
    ways = (
        lambda i: 7 * i, lambda i: i - 3, lambda i: ~i, lambda i: i * i, lambda i: i ^ 21,
        lambda i: i // 3, lambda i: -1, lambda i: -1,
    )  # fmt: skip
    assert done.arrays[0].tolist() == [ways[c](i) for i, c in enumerate(choice.tolist())]


def test_printf(kernels):
    done = run(kernels, "prints", ONE, (32, 1, 1), np.float32(2.5))
    assert done.result.output == (
        "0| 2.50|even|A|ff|-1099511627776|%\n1| 2.50|odd|A|ff|-1099511627776|%\n"
    )


def test_an_assertion_that_fails(kernels):
    done = fails(kernels, "asserts", np.arange(64, dtype=np.int32))
    assert done.result.outcome is SimulationOutcome.TRAPPED
    assert "fails the assertion “a < 5” of asserts in own.cu:12" in done.result.message
    (fault,) = done.result.faults
    assert (fault.kind, fault.first.thread, fault.count) == (FaultKind.ASSERT, (5, 0, 0), 59)


def test_a_trap(kernels):
    done = fails(kernels, "traps", ints(*range(64)))
    assert done.result.outcome is SimulationOutcome.TRAPPED
    assert done.result.faults[0].first.thread == (3, 0, 0)


def test_a_write_behind_the_end(kernels):
    done = fails(kernels, "writes", np.zeros(64, np.int32), np.int32(10))
    assert done.result.outcome is SimulationOutcome.FAULTED
    (fault,) = done.result.faults
    assert (fault.kind, fault.first.thread, fault.count) == (
        FaultKind.OUT_OF_BOUNDS, (54, 0, 0), 10,
    )  # fmt: skip
    assert "array 0 (256 bytes)" in fault.message
    line = KERNELS[: KERNELS.index("void writes")].count("\n") + 1
    assert (fault.first.file.rpartition("/")[2], fault.first.line) == ("kernel.cu", line)


def test_a_write_before_the_start(kernels):
    done = fails(kernels, "writes", np.zeros(64, np.int32), np.int32(-3))
    assert "12 bytes before the start" in done.result.message


def test_a_misaligned_write(kernels):
    done = fails(kernels, "misaligned", np.zeros(64, np.int32))
    assert done.result.faults[0].kind is FaultKind.MISALIGNED
    assert "not divisible by 4" in done.result.message


def test_division_of_integers_by_zero(kernels):
    divisors, out = np.arange(-2, 62, dtype=np.int32) // 2, np.zeros(64, np.int64)
    done = run(kernels, "quotients", (1, 1, 1), (64, 1, 1), divisors, out, finishes=False)
    assert done.result.outcome is SimulationOutcome.FINISHED
    line = KERNELS[: KERNELS.index("out[i] = 1000 / a[i] +")].count("\n") + 1
    found = [(f.kind, f.first.line, f.first.thread, f.count) for f in done.result.faults]
    assert found == [(FaultKind.DIVISION, line, (2, 0, 0), 2)]
    done = run(kernels, "guarded", (1, 1, 1), (64, 1, 1), divisors, out)
    assert done.result.faults == ()
    assert done.arrays[1].tolist() == [int(1000 / d) if d else -1 for d in divisors]


def test_reading_what_nobody_has_written(kernels):
    done = fails(kernels, "cases", np.zeros(64, np.int32), unwritten=[0])
    assert done.result.outcome is SimulationOutcome.FINISHED
    (fault,) = done.result.faults
    assert (fault.kind, fault.count, fault.fatal) == (FaultKind.NEVER_WRITTEN, 64, False)


def test_padding_and_bit_fields_that_builds_for_a_debugger_copy(tools):
    source = """struct Bits { unsigned a : 3, b : 5; }; struct Pair { char c; int x; };
    __device__ __noinline__ int sum(Pair p) { return p.c + p.x; }
    extern "C" __global__ void k(int* a) {
      Bits f; f.a = threadIdx.x & 7; f.b = 3;
      Pair p; p.c = 1; p.x = threadIdx.x;
      a[threadIdx.x] = f.a + f.b + sum(p); }"""
    text = ptx_of(tools, source, "sm_90", "-G")
    i = np.arange(64)
    done = run(text, "k", (1, 1, 1), (64, 1, 1), np.zeros(64, np.int32))
    assert done.arrays[0].tolist() == (i % 8 + 4 + i).tolist()
    other = fails(text.replace(".debug_info", ".debug_none"), "k", np.zeros(64, np.int32))
    assert {fault.kind for fault in other.result.faults} == {FaultKind.NEVER_WRITTEN}


def test_shared_memory_that_is_reserved_for_cooperative_groups():
    """It is behind that of the block, and zero: tiles of several warps have barriers there."""
    names = ["%reserved_smem_offset_1", "%total_smem_size"]
    names += [f"%reserved_smem_offset_{part}" for part in ("begin", "end", "cap")]
    stores = (
        f"mov.u32 %r0, {name}; st.global.u32 [%rd0+{4 * i + 4}], %r0;\n"
        for i, name in enumerate(names)
    )
    body = (
        ".reg .b32 %r<3>; .reg .b64 %rd<2>; .shared .align 4 .b32 s[5];\n"
        "ld.param.u64 %rd0, [k_0]; mov.u32 %r0, %ctaid.x; mad.wide.u32 %rd0, %r0, 24, %rd0;\n"
        "mov.u32 %r0, s; st.shared.u32 [%r0], 7; mov.u32 %r0, %reserved_smem_offset_1;\n"
        "atom.shared.add.u32 %r1, [%r0+284], 1; st.global.u32 [%rd0], %r1;\n"
    )
    text = kernel_of(body + "".join(stores), "u64")
    done = run(text, "k", (3, 1, 1), (1, 1, 1), np.ones((3, 6), np.int32))
    assert done.arrays[0].tolist() == [[0, 32, 32, 32, 320, 288]] * 3


@pytest.mark.parametrize("seed", [None, 3])
def test_a_histogram_of_atomics_in_shared_memory(kernels, seed):
    data = np.random.default_rng(0).integers(0, 256, 5000).astype(np.uint8)
    data[::3] = 7
    counts = np.zeros(256, np.int32)
    done = run(
        kernels, "histogram", (4, 1, 1), (256, 1, 1), data, counts, np.int32(5000), seed=seed
    )
    assert (done.arrays[1] == np.bincount(data, minlength=256)).all()
    assert done.result.exact


def test_a_reduction_by_shuffles(kernels):
    data = np.arange(3000, dtype=np.int32)
    done = run(kernels, "sum", ONE, (256, 1, 1), data, ints(0), np.int32(3000))
    assert done.arrays[1][0] == data.sum()


def test_a_spin_lock_ends(kernels):
    done = run(kernels, "lock", (2, 1, 1), (48, 1, 1), ints(0, 0))
    assert done.arrays[0].tolist() == [0, 96]


def test_lanes_meet_at_shuffles_on_both_ways_of_a_branch(kernels):
    done = run(kernels, "both_ways", ONE, (32, 1, 1), np.zeros(32, np.int32))
    assert done.arrays[0].tolist() == [2, 0] * 16


def test_a_barrier_waits_for_no_thread_that_has_returned(kernels):
    done = run(kernels, "exits_early", ONE, (64, 1, 1), np.zeros(64, np.int32))
    assert done.arrays[0].tolist() == [20] * 40 + [0] * 24


def test_a_barrier_that_not_enough_threads_reach(kernels):
    done = fails(kernels, "barrier_of_two_warps")
    assert done.result.outcome is SimulationOutcome.DEADLOCKED
    assert "thread (0, 0, 0) of block (0, 0, 0) and 31 more at line" in done.result.message
    assert "(bar.sync)" in done.result.message


def test_a_block_that_waits_for_one_that_is_not_resident(kernels):
    few = SimulationLimits(threads=64)
    done = fails(kernels, "waits_for_the_next_block", ints(0), grid=(2, 1, 1), limits=few)
    assert done.result.outcome is SimulationOutcome.DEADLOCKED
    assert "1 of 2 blocks are resident" in done.result.message
    run(kernels, "waits_for_the_next_block", (2, 1, 1), (64, 1, 1), ints(0))


def test_a_loop_without_an_end(kernels):
    few = SimulationLimits(steps=5000)
    done = fails(kernels, "endless", ints(0, 0), limits=few)
    assert done.result.outcome is SimulationOutcome.OUT_OF_STEPS
    assert done.result.steps == 5000


def test_a_recursion_without_an_end(kernels):
    done = fails(kernels, "bottomless", ints(0), block=(32, 1, 1))
    assert done.result.outcome is SimulationOutcome.FAULTED
    assert done.result.faults[0].kind is FaultKind.STACK_OVERFLOW


def test_cancelling(kernels):
    asked = iter([False, False])
    launch = launch_of("endless", ONE, (32, 1, 1), [ints(0, 0)])
    told = []
    result = simulate(
        launch,
        program_of(kernels),
        progress=lambda share, _steps: told.append(share),
        cancelled=lambda: next(asked, True),
    )
    assert result.outcome is SimulationOutcome.CANCELLED
    assert result.steps == 256


def test_an_estimate_grows_with_the_launch(kernels):
    program, few = program_of(kernels), SimulationLimits(steps=2000)

    def seconds(kernel, blocks, *arguments, **options):
        return estimate(
            program, launch_of(kernel, (blocks, 1, 1), (64, 1, 1), arguments, **options)
        ).seconds

    data = [np.zeros(1000, np.uint8), np.zeros(256, np.int32), np.int32(1000)]
    assert seconds("cases", 1, ints(*range(64))) < seconds("histogram", 20_000, *data)
    assert seconds("endless", 1, ints(0, 0), limits=few) < 10
    assert seconds("nothing", 1) == 0
    endless = SimulationLimits(seconds=1.0)
    assert seconds("endless", 1, ints(0, 0), limits=endless) == float("inf")
    # What is refused is no work.
    small = SimulationLimits(memory_bytes=1 << 20)
    assert seconds("cases", 90_000, ints(*range(64)), limits=small, cooperative=True) == 0


def test_progress_is_the_share_of_the_expected_steps(kernels, monkeypatch):
    monkeypatch.setattr(simulate_module, "_TELL_EVERY", 0)
    data = [np.zeros(40_000, np.uint8), np.zeros(256, np.int32), np.int32(40_000)]
    launch = launch_of("histogram", (4, 1, 1), (64, 1, 1), data)
    program, shares = program_of(kernels), []
    steps = estimate(program, launch).steps
    result = simulate(
        launch, program, progress=lambda share, _steps: shares.append(share), steps=steps
    )
    assert result.steps == steps
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert 0 < shares[len(shares) // 2] < shares[-1] == 1
    # Where nobody knows what to expect, only the steps say that it goes on.
    unknown = []
    simulate(launch, program, progress=lambda *done: unknown.append(done))
    assert {share for share, _ in unknown[:-1]} == {0}
    told = [done for _, done in unknown]
    assert told == sorted(told)
    assert (len(set(told)) > 3, told[-1]) == (True, result.steps)


def test_a_seed_shows_what_depends_on_luck(kernels):
    """A barrier that is missing does no harm where all warps keep step, and some with a seed."""
    out, source = np.zeros(256, np.int32), np.arange(256, dtype=np.int32)

    def neighbours(name, seed):
        arguments = (source, out.copy())
        done = run(kernels, name, ONE, (256, 1, 1), *arguments, seed=seed, finishes=False)
        return tuple(done.arrays[1].tolist())

    right = tuple(reversed(range(256)))
    assert {neighbours("with_barrier", seed) for seed in (None, 1, 2, 3)} == {right}
    shuffled = {neighbours("without_barrier", seed) for seed in (1, 2, 3)}
    assert neighbours("without_barrier", None) == right
    assert shuffled != {right}
    assert neighbours("without_barrier", 1) == neighbours("without_barrier", 1)


def test_a_seed_shuffles_who_comes_first_at_an_address(kernels):
    def last(seed):
        return run(kernels, "histogram", ONE, (256, 1, 1), *data, seed=seed).arrays[1].tolist()

    data = (np.arange(256, dtype=np.uint8) % 3, np.zeros(256, np.int32), np.int32(256))
    assert last(None) == last(1) == last(2)
    orders = {
        tuple(run(kernels, "turns", (2, 1, 1), (64, 1, 1), ints(*[0] * 130), seed=seed).arrays[0])
        for seed in (None, 1, 2)
    }
    assert len(orders) > 1
    assert all(sorted(order[2:]) == list(range(128)) for order in orders)


def test_a_few_of_very_many_blocks():
    """What is not run costs no memory; with clusters the first of these are run."""
    many = run(kernel_of(""), "k", (2_000_000_000, 1, 1), (32, 1, 1), only_blocks=3)
    assert many.result.blocks == 3
    options = {"cluster": (1, 2, 1), "only_blocks": 3}
    some = run(kernel_of(""), "k", (4, 4, 1), (32, 1, 1), **options)
    assert some.result.blocks == 4


def test_blocks_of_a_cluster_that_the_kernel_requires_are_resident_together():
    text = kernel_of("").replace("()\n{", "() .reqnctapercluster 2, 2, 1\n{")
    launch = launch_of("k", (4, 4, 1), (32, 1, 1), [], limits=SimulationLimits(threads=128))
    waves = [wave.tolist() for wave in Machine(launch, program_of(text)).waves]
    assert waves == [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]


def test_an_order_that_ends_by_the_limit_of_steps_says_what_is_not_compared():
    """The second block goes round without an end where it comes before the first one."""
    ptx = kernel_of(
        ".reg .pred %p; .reg .b32 %r<3>; .reg .b64 %at; ld.param.u64 %at, [k_0];\n"
        "mov.u32 %r0, %ctaid.x; setp.ne.u32 %p, %r0, 0; @%p bra LAST;\n"
        "atom.global.or.b32 %r1, [%at], 1; bra.uni END;\n"
        "LAST: atom.global.or.b32 %r1, [%at], 0; setp.ne.u32 %p, %r1, 0; @%p bra END;\n"
        "LOOP: add.u32 %r2, %r2, 1; setp.ne.u32 %p, %r2, 0; @%p bra LOOP;\nEND:",
        "u64",
    )
    # One block is resident at a time.
    limits = SimulationLimits(steps=500, threads=32)
    data = np.zeros(1, np.int32)
    launch = launch_of("k", (2, 1, 1), (1, 1, 1), [data], limits=limits)
    program, seeds = program_of(ptx), range(1, 9)
    first = simulate(launch, program)
    assert first.outcome is SimulationOutcome.FINISHED
    ends = {
        seed for seed in seeds
        if simulate(replace(launch, seed=seed), program).outcome is SimulationOutcome.OUT_OF_STEPS
    }  # fmt: skip
    buffer = Buffer("data", INT, 0, 1)
    found = compare_orders(
        launch, program, first, [buffer], list(seeds), tuple, lambda: 60.0, lambda *_: None
    )
    (told,) = found.differences
    assert ends
    assert set(told.seeds) == ends
    assert "limit of 500 steps" in told.message
    assert "What it leaves in the buffers is not compared" in told.message
