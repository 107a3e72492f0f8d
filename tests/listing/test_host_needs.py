"""What hosts have to prepare for, of PTX as NVRTC makes it."""

import time

import pytest

from jitstudio.core.launch.request import HostNeeds
from jitstudio.listing.kernels.host_needs import host_needs

pytestmark = pytest.mark.tools

KERNELS = r"""#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void
KERNEL grid_barrier(int* a) { auto grid = cg::this_grid(); a[0] = 1; grid.sync(); a[1] = a[0]; }
KERNEL grid_rank(int* a) { a[cg::this_grid().thread_rank()] = 1; }
KERNEL block_barrier(int* a) { a[0] = 1; cg::this_thread_block().sync(); a[1] = a[0]; }
KERNEL tile(int* a) { a[0] = cg::tiled_partition<8>(cg::this_thread_block()).shfl(a[1], 0); }

KERNEL flag(volatile int* f) { while (!*f) { } }                                    // line 10
__device__ void wait_for(volatile int* f, int n) {
    while (*f != n) { }                                                             // line 12
}
KERNEL flag_in_function(volatile int* f, int n) { wait_for(f, n); }
KERNEL by_atomic(int* f) {
    while (atomicAdd(f, 0) == 0) __nanosleep(20);                                   // line 16
}
KERNEL by_library(int* f) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ref(*f);
    while (!ref.load(cuda::memory_order_acquire)) { }                               // line 20
}
KERNEL look_back(volatile int2* parts, int* out) {
    int sum = 0, at = blockIdx.x - 1;
    while (at >= 0) {
        int state = parts[at].x;                                                    // line 25
        if (state == 0) continue;
        sum += parts[at].y;
        if (state == 2) break;
        --at;
    }
    out[blockIdx.x] = sum;
}

KERNEL sum_of_volatile(volatile float* x, float* y, int n) {
    float s = 0;
    for (int i = 0; i < n; ++i) s += x[i];
    *y = s;
}
KERNEL add_by_cas(double* x, double v) {
    unsigned long long *a = (unsigned long long*)x, old = *a, seen;
    do {
        seen = old;
        old = atomicCAS(a, seen, __double_as_longlong(v + __longlong_as_double(seen)));
    } while (seen != old);
}
KERNEL lock(int* m, int* c) {
    while (atomicCAS(m, 0, 1)) { }
    ++*(volatile int*)c; __threadfence(); atomicExch(m, 0);
}
KERNEL in_shared(int* out) {
    __shared__ volatile int f;
    if (threadIdx.x == 0) f = 1;
    while (!f) { }
    *out = f;
}
KERNEL last_block(unsigned* count, volatile float* part, float* out) {
    __threadfence();
    if (atomicInc(count, gridDim.x) != gridDim.x - 1) return;
    float s = 0;
    for (int i = 0; i < gridDim.x; ++i) s += part[i];
    *out = s;
}
KERNEL selects(const volatile int* flag, int* out, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) if (flag[i] > 3) out[i] = c++;
}
KERNEL finds(const volatile int* flag, int* out) {
    int i = 0;
    while (flag[i] > 3) i++;
    *out = i;
}
KERNEL counts_while_set(const volatile int* flag, int* out, int n) {
    int c = 0;
    for (int i = 0; i < n; i++) { out[i] = c; if (*flag) c += out[i + n]; else out[i] = 7; }
}
KERNEL can_be_stopped(const volatile int* stop, int* out, int n) {
    for (int i = 0; i < n; i++) { if (*stop) break; out[i] = i; }
}
KERNEL lock_that_is_free_at_one(int* l, volatile int* c) {
    while (atomicExch(l, 0) == 0) { }
    ++*c; __threadfence(); atomicExch(l, 1);
}
KERNEL takes_one(unsigned* l, int* out) {
    while (atomicMin(l, 0) == 0) { }
    *out = 1;
}
KERNEL backs_off(volatile int* f, int* out) {
    unsigned ns = 8;
    while (!*f) { __nanosleep(ns); if (ns < 256) ns *= 2; }                         // waits
    *out = ns;
}
KERNEL each_flag(volatile int* f, int* out, int n) {
    for (int i = 0; i < n; i++) while (!f[i]) { }                                   // waits
    *out = n;
}
KERNEL either(volatile int* f, volatile int* g, int* out) {
    int rounds = 0;
    while (!*f && !*g) rounds++;                                                    // waits
    *out = rounds;
}
KERNEL by_cas(int* f) { while (atomicCAS(f, 1, 1) != 1) { } }                       // waits
KERNEL stolen(volatile int* f, int* out) {
    while (true) {
        int state = *f;                                                             // waits
        if (state == 1) { out[0] = 7; break; }
        if (state == 2) { out[1] = 9; return; }
    }
    out[2] = 1;
}

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
KERNEL recursive(int* out, int n) { *out = fib(n); }
__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n ? odd(n - 1) + 1 : 1; }
__device__ __noinline__ int odd(int n) { return n ? even(n - 1) + 2 : 0; }
KERNEL by_turns(int* out, int n) { *out = even(n); }
__device__ __noinline__ int twice(int n) { return 2 * n; }
__device__ __noinline__ int thrice(int n) { return 3 * n; }
KERNEL by_pointer(int* out, int n) {
    int (*f)(int) = n > 3 ? twice : thrice;
    *out = f(n) + f(*out);
}
KERNEL calls(int* out, int n) { *out = twice(n); }
"""

NEEDS = {
    "grid_barrier": HostNeeds(grid_barrier=True),
    "flag": HostNeeds(waits=True, waits_at=10),
    "flag_in_function": HostNeeds(waits=True, waits_at=12),
    "by_atomic": HostNeeds(waits=True, waits_at=16),
    "look_back": HostNeeds(waits=True, waits_at=25),
    "by_library": HostNeeds(waits=True, waits_at=20),
    **{
        name: HostNeeds(waits=True, waits_at=at)
        for name, at in zip(
            ("backs_off", "each_flag", "either", "by_cas", "stolen"),
            (n for n, line in enumerate(KERNELS.splitlines(), 1) if line.endswith("// waits")),
            strict=True,
        )
    },
    "recursive": HostNeeds(unknown_stack=True),
    "by_turns": HostNeeds(unknown_stack=True),
    "by_pointer": HostNeeds(unknown_stack=True),
}


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_only_what_waits_recurses_or_has_a_grid_barrier_needs_its_host(run, tmp_path, arch):
    (tmp_path / "k.cu").write_text(KERNELS)
    made = run("build", "k.cu", "--arch", arch, "--emit", "ptx", "-o", "out")
    assert made.code == 0, made.err
    found = host_needs((tmp_path / "out" / "k.ptx").read_text())
    # The barrier of the grid waits, too, inside of NVIDIA's header.
    assert found.pop("grid_barrier").grid_barrier
    assert found == {name: needs for name, needs in NEEDS.items() if name != "grid_barrier"}


HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
MOVE, POLL = "add.u64 %rd1, %rd1, 4;\n", "ld.volatile.global.u32 %r1, [%rd1];\n"
ASK = "setp.eq.u32 %p1, %r1, 0;\n"


@pytest.mark.parametrize(
    "body",
    [
        f"L: {MOVE}" + f"{POLL}{ASK}@%p1 bra L;\n" * 4000,
        "".join(f"L{i}: {MOVE}" for i in range(2000))
        + f"{POLL}{ASK}"
        + "".join(f"@%p1 bra L{i};\n" for i in reversed(range(2000))),
    ],
    ids=["to_one_label", "nested"],
)
def test_thousands_of_branches_back_take_seconds(body):
    """Each was read from its label on: minutes. Of none the place that is asked stays."""
    start = time.process_time()
    assert host_needs(f"{HEAD}{body}ret;\n}}\n") == {}
    assert time.process_time() - start < 8
