"""Values taken from lanes that take no part are told where something depends on them."""

import numpy as np
import pytest

from jitstudio.simulator.running.machine import Machine
from jitstudio.simulator.state.model import FaultKind
from jitstudio.simulator.state.undefined import UndefinedValues
from jitstudio.simulator.stepping.history import StepHistory
from tests.simulator.running import kernel_of, launch_of, program_of, ptx_of, run

KERNELS = r"""
#define KERNEL extern "C" __global__ void
__device__ int reduced(unsigned mask, int v, int half) {
  for (int d = half; d; d /= 2) v += __shfl_down_sync(mask, v, d);
  return v;
}
KERNEL of_a_short_block(int* a) {
  int v = reduced(~0u, a[threadIdx.x], 16);
  if (threadIdx.x == 0) a[0] = v;
}
KERNEL after_exits(int* a) {
  if (a[threadIdx.x] >= 20) return;
  int v = reduced(~0u, a[threadIdx.x], 16);
  if (threadIdx.x == 0) a[0] = v;
}
KERNEL outside_the_mask(int* a) {
  if (threadIdx.x < 16) a[threadIdx.x] = __shfl_sync(0xffff, a[threadIdx.x], 20);
}
KERNEL decides(int* a) {
  if (threadIdx.x < 16) {
    int v = __shfl_xor_sync(0xffff, a[threadIdx.x], 16);
    if (v == 0) a[0] = 5;
  }
}
KERNEL slept_in_between(int* a) {
  if (threadIdx.x < 16) {
    int v = __shfl_sync(0xffff, a[threadIdx.x], 21);
    asm volatile("nanosleep.u32 %0;" :: "r"(v));
    a[threadIdx.x] = v;
  }
}
KERNEL not_named_itself(int* a) {
  a[threadIdx.x] = __shfl_sync(0xffff, a[threadIdx.x], 0);
}
KERNEL of_other_masks(int* a) {
  int i = threadIdx.x;
  a[i] = __shfl_sync(i < 16 ? ~0u : 0xffff0000, a[i], i);
}

KERNEL of_two_halves(int* a) {
  int i = threadIdx.x;
  a[i] = __shfl_sync(i < 16 ? 0xffff : 0xffff0000, a[i], i);
}
KERNEL of_half_a_warp(int* a) {
  if (threadIdx.x < 16) {
    int v = reduced(0xffff, a[threadIdx.x], 8);
    if (threadIdx.x == 0) a[0] = v;
  }
}
KERNEL thrown_away(int* a) {
  int i = threadIdx.x;
  if (i >= 20) return;
  int v = a[i];
  for (int d = 16; d; d /= 2) {
    int other = __shfl_down_sync(0xfffff, v, d);
    if (i + d < 20) v += other;
  }
  a[i] = v;
}
KERNEL scanned(int* a) {
  int i = threadIdx.x;
  if (i >= 20) return;
  int v = a[i];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(~0u, v, d);
    if (i >= d) v += other;
  }
  a[i] = v;
}
"""

SHUFFLED = kernel_of(
    ".reg .b32 %r<2>; .reg .b64 %rd0;\nld.param.u64 %rd0, [k_0];\n"
    "shfl.sync.down.b32 %r1, %r0, 12, 31, -1; st.global.u32 [%rd0], %r1;",
    "u64",
)

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def kernels(tools):
    return ptx_of(tools, KERNELS)


def faults(kernels, kernel, threads=32):
    data = np.arange(32, dtype=np.int32)
    done = run(kernels, kernel, (1, 1, 1), (threads, 1, 1), data, finishes=False)
    assert done.result.message == ""
    return done.result.faults


def line_of(text):
    return KERNELS[: KERNELS.index(text)].count("\n") + 1


SHUFFLE = "__shfl_down_sync(mask"


@pytest.mark.parametrize(
    ("kernel", "threads", "use", "source", "reason"),
    [
        ("of_a_short_block", 25, "if (threadIdx.x == 0) a[0] = v", SHUFFLE, "does not have"),
        ("after_exits", 32, None, SHUFFLE, "has exited"),
        ("outside_the_mask", 32, "__shfl_sync(0xffff, a[threadIdx.x], 20)", None, "does not name"),
        (
            "slept_in_between",
            32,
            "a[threadIdx.x] = v;",
            "__shfl_sync(0xffff, a[threadIdx.x], 21)",
            "does not name",
        ),
        ("decides", 32, "if (v == 0)", "__shfl_xor_sync", "does not name"),
    ],
)
def test_a_value_of_a_lane_that_takes_no_part(kernels, kernel, threads, use, source, reason):
    (fault,) = faults(kernels, kernel, threads)
    assert fault.kind is FaultKind.INACTIVE_LANE
    assert fault.first.line == line_of(source or use)
    assert use is None or fault.second.line == line_of(use)
    assert reason in fault.message


def test_a_lane_that_its_own_mask_does_not_name(kernels):
    (fault,) = faults(kernels, "not_named_itself")
    assert (fault.kind, fault.first.thread, fault.count) == (FaultKind.BARRIER, (16, 0, 0), 16)


def test_lanes_that_meet_with_different_masks(kernels):
    (fault,) = faults(kernels, "of_other_masks")
    assert (fault.kind, fault.first.thread, fault.count) == (FaultKind.BARRIER, (0, 0, 0), 16)
    assert "names lane 31 in its mask, which names other lanes" in fault.message


@pytest.mark.parametrize("kernel", ["of_half_a_warp", "of_two_halves", "thrown_away", "scanned"])
def test_values_that_nothing_depends_on(kernels, kernel):
    assert faults(kernels, kernel) == ()


@pytest.mark.parametrize(
    ("store", "told"),
    [("st.shared.u32 [%r0]", 0), ("st.u32 [%rd1]", 0), ("st.u32 [%rd0]", 1)],
    ids=["shared", "generic shared", "generic global"],
)
def test_values_in_shared_memory_that_nobody_reads_are_not_told(store, told):
    ptx = kernel_of(
        ".reg .b32 %r<3>; .reg .b64 %rd<2>; .shared .align 4 .b32 s[32];\n"
        "ld.param.u64 %rd0, [k_0]; mov.u32 %r0, s; cvt.u64.u32 %rd1, %r0;\n"
        "cvta.shared.u64 %rd1, %rd1; shfl.sync.down.b32 %r1, %r1, 12, 31, -1;\n"
        f"{store}, %r1;",
        "u64",
    )
    assert len(faults(ptx, "k", 20)) == told


THROUGH_MEMORY = """
.reg .pred %p0; .reg .b32 %r<6>; .reg .b64 %rd<3>; .{space} .align 16 .b8 s[512];
mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [k_0]; mad.wide.u32 %rd0, %r0, 4, %rd0;
shl.b32 %r2, %r0, 3; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;
st.{space}.v2.u32 [%r3], {{%r0, %r0}};
shfl.sync.down.b32 %r1, %r0, 12, 31, -1;
{body}
"""
STORE = "st.{space}.u32 [%r3], %r1;\n"
READ = "ld.{space}.u32 %r4, [%r3];\n"
SEEN = "st.global.u32 [%rd0], %r4;"


@pytest.mark.parametrize("space", ["shared", "local"])
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (STORE + READ + SEEN, 12),
        (STORE + "ld.{space}.v2.u32 {{%r5, %r4}}, [%r3];\n" + SEEN, 0),
        (STORE + "ld.{space}.v2.u32 {{%r4, %r5}}, [%r3];\n" + SEEN, 12),
        (STORE + READ + "setp.eq.u32 %p0, %r4, 7; @%p0 bra END;\nEND:", 12),
        (STORE + READ + "add.u32 %r4, %r4, 1;", 0),
        (STORE + "st.{space}.u32 [%r3], %r0;\n" + READ + SEEN, 0),
        ("st.{space}.v2.u32 [%r3], {{%r0, %r1}};\n" + READ + SEEN, 0),
        (STORE + "st.{space}.u8 [%r3], %r0;\n" + READ + SEEN, 0),
        (STORE + "ld.{space}.u64 %rd1, [%r3]; st.global.u8 [%rd0], %rd1;", 0),
        ("st.{space}.u16 [%r3], %r1; st.{space}.u16 [%r3+2], %r1;\n" + READ + SEEN, 12),
        (STORE + "atom.shared.add.u32 %r5, [%r3], 1;\n" + READ + SEEN, 0),
    ],
)  # fmt: skip
def test_values_that_went_through_memory(space, body, told):
    if "atom" in body and space == "local":
        pytest.skip("there are no atomics of local memory")
    text = THROUGH_MEMORY.replace("{body}", body).format(space=space)
    data = np.arange(32, dtype=np.int32)
    done = run(kernel_of(text, "u64"), "k", (1, 1, 1), (20, 1, 1), data, finishes=False)
    assert done.result.message == ""
    assert [(f.kind, f.count) for f in done.result.faults] == (
        [(FaultKind.INACTIVE_LANE, told)] if told else []
    )


def test_values_are_followed_by_other_threads_and_back_in_time():
    text = THROUGH_MEMORY.replace(
        "{body}",
        STORE + "bar.sync 0; xor.b32 %r3, %r3, 24;\n" + READ + "bar.sync 0;\n" + SEEN,
    ).format(space="shared")
    launch = launch_of("k", (1, 1, 1), (20, 1, 1), [np.arange(32, dtype=np.int32)])
    program = program_of(kernel_of(text, "u64"))
    history = StepHistory(lambda: Machine(launch, program), interval=0)
    history.go_to(10_000)
    (told,) = history.machine.faults
    # Threads 8 to 19 have undefined values, and 11 to 16 read those of 8 to 19.
    assert (told.kind, told.first.thread, told.count) == (
        FaultKind.INACTIVE_LANE, (8, 0, 0), 12,
    )  # fmt: skip
    for step in range(history.last_step - 1, 5, -2):
        history.go_to(step)
        history.go_to(10_000)
        assert history.machine.faults == [told]


def test_what_is_stored_later_is_not_read_earlier_when_stepping_back():
    text = THROUGH_MEMORY.replace("{body}", READ + SEEN + STORE).format(space="shared")
    launch = launch_of("k", (1, 1, 1), (20, 1, 1), [np.arange(32, dtype=np.int32)])
    program = program_of(kernel_of(text, "u64"))
    history = StepHistory(lambda: Machine(launch, program), interval=0)
    while history.forward():
        pass
    for step in (8, 10_000):
        history.go_to(step)
    assert history.machine.faults == []


DEBUGGED = r"""
#define KERNEL extern "C" __global__ void
struct Bits { int a : 3; int b : 5; unsigned c : 24; };
struct Padded { char c; double d; int e; };
struct Pair { int x, y; };
KERNEL bit_fields(int* a) {
  Bits s;
  s.a = 1;
  s.b = 2;
  if (s.a == 1) a[threadIdx.x] = s.b;
}
KERNEL padded(Padded* out) {
  Padded s;
  s.c = 1; s.d = 2; s.e = 3;
  Padded t = s;
  out[threadIdx.x] = t;
}
KERNEL half_a_pair(Pair* out) { Pair p; p.x = 1; Pair q = p; out[threadIdx.x] = q; }
KERNEL part_of_an_array(int* a) {
  int s[8], sum = 0;
  for (int k = 0; k < 5; k++) s[k] = k;
  for (int k = 0; k < 5; k++) sum += s[k];
  a[threadIdx.x] = sum;
}
KERNEL half_a_word(int* a) {
  union { int whole; short halves[2]; } u;
  u.halves[0] = threadIdx.x;
  a[threadIdx.x] = u.whole * 65536;
}
KERNEL copied_and_not_used(int* a) {
  int v, t = threadIdx.x;
  bool has = a[t] % 2;
  if (has) v = a[t];
  int w = v;
  if (has) a[t] = w + 1;
}

KERNEL never_set(int* a) {
  int sum;
  for (int k = 0; k < 3; k++) sum += a[threadIdx.x];
  a[threadIdx.x] = sum;
}
KERNEL decides_by_it(int* a) {
  int v;
  if (a[threadIdx.x] > 20) v = 1;
  if (v) a[threadIdx.x] = 2;
}
KERNEL indexes_by_it(int* a) {
  int v;
  if (threadIdx.x < 4) v = 3;
  a[threadIdx.x] = a[v];
}

#define FUNCTION __device__ __noinline__
struct alignas(32) Wide { int x; };
FUNCTION int twice(int v) { return 2 * v; }
FUNCTION int sign(int v) { if (v > 0) return 1; return -1; }
FUNCTION int unused(int v) { return 3; }
FUNCTION int nothing() { int v; return v; }
FUNCTION Padded same(Padded p) { return p; }
FUNCTION Wide same(Wide p) { return p; }
FUNCTION Bits same(Bits p) { return p; }
FUNCTION Pair same(Pair p) { return p; }
FUNCTION int first(Pair p) { return 2 * p.x; }
FUNCTION int second(Pair p) { return 2 * p.y; }
FUNCTION void fill(Pair* p) { p->x = 1; }
FUNCTION int down(int v, int n) { if (n == 0) return v; return down(v, n - 1); }
KERNEL padded_by_value(Padded* a) {
  Padded p;
  p.c = 1; p.d = 2; p.e = 3;
  a[threadIdx.x] = same(p);
}
KERNEL wide_by_value(Wide* a) { Wide p; p.x = 1; a[threadIdx.x] = same(p); }
KERNEL half_by_value(Pair* a) { Pair p; p.x = 1; p = same(p); p.x = first(p); a[threadIdx.x] = p; }
KERNEL bits_by_value(int* a) {
  Bits s;
  s.a = 1; s.b = 2;
  s = same(s);
  if (s.a == 1) a[threadIdx.x] = s.b;
}
KERNEL not_used_there(int* a) { int v; a[threadIdx.x] = unused(v); }
KERNEL filled_there(int* a) { Pair p; fill(&p); a[threadIdx.x] = 2 * p.x; }

KERNEL calculated_there(int* a) {
  int v;
  if (threadIdx.x < 4) v = 3;
  a[threadIdx.x] = twice(v);
}
KERNEL decides_there(int* a) {
  int v;
  if (threadIdx.x < 4) v = 3;
  a[threadIdx.x] = sign(v);
}
KERNEL handed_down(int* a) {
  int v;
  if (threadIdx.x < 4) v = 3;
  a[threadIdx.x] = a[down(v, 3)];
}
KERNEL came_back(int* a) { if (nothing()) a[threadIdx.x] = 1; }
KERNEL other_half(int* a) { Pair p; p.x = 1; a[threadIdx.x] = second(p); }
KERNEL not_filled_there(int* a) { Pair p; fill(&p); a[threadIdx.x] = 2 * p.y; }
"""


@pytest.fixture(scope="module")
def debugged(tools):
    return ptx_of(tools, DEBUGGED, "sm_90", "-G")


@pytest.mark.parametrize(
    "kernel",
    [
        "bit_fields", "padded", "half_a_pair", "half_a_word", "part_of_an_array",
        "copied_and_not_used", "padded_by_value", "wide_by_value", "half_by_value",
        "bits_by_value", "not_used_there", "filled_there",
    ],
)  # fmt: skip
def test_right_code_that_reads_what_nobody_has_written(debugged, kernel):
    data = np.arange(32 * 8, dtype=np.int32)
    assert run(debugged, kernel, (1, 1, 1), (32, 1, 1), data).result.faults == ()


@pytest.mark.parametrize(
    ("kernel", "use", "read", "first", "count"),
    [
        ("never_set", "a[threadIdx.x] = sum", "sum +=", 0, 32),
        ("decides_by_it", "if (v)", "if (v)", 0, 21),
        ("indexes_by_it", "a[threadIdx.x] = a[v]", "a[threadIdx.x] = a[v]", 4, 28),
    ],
)
def test_variables_that_have_no_value(debugged, kernel, use, read, first, count):
    data = np.arange(32, dtype=np.int32)
    done = run(debugged, kernel, (1, 1, 1), (32, 1, 1), data, finishes=False)
    assert done.result.message == ""
    (told,) = done.result.faults
    start = DEBUGGED.index(f"KERNEL {kernel}(")
    lines = [DEBUGGED[: DEBUGGED.index(text, start)].count("\n") + 1 for text in (use, read)]
    assert sorted((told.first.line, told.second.line)) == sorted(lines)
    assert (told.kind, told.second.thread, told.count) == (
        FaultKind.NEVER_WRITTEN, (first, 0, 0), count,
    )  # fmt: skip
    assert "and nobody has written it" in told.message


@pytest.mark.parametrize(
    ("kernel", "use", "read", "count"),
    [
        ("calculated_there", "a[threadIdx.x] = twice(v)", "twice(v)", 28),
        ("decides_there", "int sign(int v)", "sign(v)", 28),
        ("handed_down", "a[down(v, 3)]", "down(v, 3)", 28),
        ("came_back", "if (nothing())", "int nothing()", 32),
        ("other_half", "second(p)", "second(p)", 32),
        ("not_filled_there", "2 * p.y", "2 * p.y", 32),
    ],
)
def test_values_that_functions_are_handed_or_return(debugged, kernel, use, read, count):
    data = np.arange(32, dtype=np.int32)
    done = run(debugged, kernel, (1, 1, 1), (32, 1, 1), data, finishes=False)
    assert done.result.message == ""
    (told,) = done.result.faults
    start = DEBUGGED.index(f"KERNEL {kernel}(")
    lines = {
        DEBUGGED[: DEBUGGED.index(text, 0 if "int " in text else start)].count("\n") + 1
        for text in (use, read)
    }
    assert {told.first.line, told.second.line} == lines
    assert (told.kind, told.count) == (FaultKind.NEVER_WRITTEN, count)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("add.s32 %b, %a, 1; st.param.b32 [r], %b;", [20]),
        ("st.param.b32 [r], %a; st.param.b8 [r+1], 0;", []),
        ("st.param.b32 [r], %a;", []),
        ("setp.gt.s32 %p, %a, 0; @%p bra END;\nEND:\n st.param.b32 [r], 1;", [20]),
    ],
    ids=["calculated", "defined in part", "handed back and copied", "decides"],
)
def test_registers_that_nobody_has_written_are_handed_to_functions(body, told):
    ptx = kernel_of(
        ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %at; .param .b32 given, got;\n"
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 12; @%p mov.b32 %r1, %r0;\n"
        "st.param.b32 [given], %r1; call (got), f, (given); ld.param.b32 %r2, [got];\n"
        "ld.param.u64 %at, [k_0]; mad.wide.u32 %at, %r0, 4, %at; st.global.b32 [%at], %r2;",
        "u64",
        before=".func (.param .b32 r) f(.param .b32 v)\n"
        "{\n.reg .pred %p; .reg .b32 %a, %b; ld.param.b32 %a, [v];\n" + body + "\nret;\n}\n",
    )
    found = faults(ptx, "k")
    assert [fault.count for fault in found] == told


def test_the_predicate_of_a_shuffle_is_defined():
    ptx = kernel_of(
        ".reg .pred %p0, %p1; .reg .b32 %r<3>; .reg .b64 %rd0;\n"
        "mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 16; @%p0 ret; ld.param.u64 %rd0, [k_0];\n"
        "shfl.sync.down.b32 %r1|%p1, %r0, 8, 31, 65535;\n"
        "selp.u32 %r2, 1, 0, %p1; mad.wide.u32 %rd0, %r0, 4, %rd0; st.global.u32 [%rd0], %r2;",
        "u64",
    )
    done = run(ptx, "k", (1, 1, 1), (32, 1, 1), np.zeros(32, np.int32))
    assert done.arrays[0].tolist() == [1] * 16 + [0] * 16


def test_a_shuffle_of_a_loop_is_kept_once():
    shuffle = program_of(SHUFFLED).instructions[1]
    lanes, undefined = np.arange(20), UndefinedValues(32)
    for step in range(3):
        undefined.take(shuffle, step, lanes, lanes + 12, np.full(20, 1))
    store = program_of(SHUFFLED).instructions[2]
    found = undefined.spread(store, 3, slice(0, 32), {})
    assert found is not None
    assert (found.source, found.step, found.chosen.sum()) == (shuffle, 0, 20)
    assert len(undefined._sources) == 1


def test_what_is_undefined_stays_so_when_stepping_back(kernels):
    launch = launch_of("of_a_short_block", (1, 1, 1), (25, 1, 1), [np.arange(32, dtype=np.int32)])
    history = StepHistory(lambda: Machine(launch, program_of(kernels)), interval=0)
    history.go_to(10_000)
    told = history.machine.faults[:]
    assert [fault.kind for fault in told] == [FaultKind.INACTIVE_LANE]
    history.go_to(history.last_step // 2)
    history.go_to(10_000)
    assert history.machine.faults == told


THROUGH_SHARED = r"""
#define KERNEL extern "C" __global__ void
struct Mixed { char tag; int value; short more; };
struct alignas(16) Three { int x, y, z; };
struct alignas(4) Short { short a; char b; };
KERNEL copied_with_padding(Mixed* a) {
  __shared__ Mixed s[32];
  int t = threadIdx.x;
  s[t].tag = t; s[t].value = 2 * t; s[t].more = 3 * t;
  __syncthreads();
  a[t] = s[31 - t];
}
KERNEL copied_as_a_vector(Three* a) {
  __shared__ Three s[32];
  int t = threadIdx.x;
  s[t].x = t; s[t].y = t; s[t].z = t;
  __syncthreads();
  a[t] = s[31 - t];
}
KERNEL copied_as_a_word(Short* a) {
  __shared__ Short s[32];
  int t = threadIdx.x;
  s[t].a = t; s[t].b = 1;
  __syncthreads();
  a[t] = s[31 - t];
}
KERNEL of_the_heap(Mixed* a) {
  Mixed* m = (Mixed*)malloc(sizeof(Mixed));
  m->tag = 1; m->value = 2; m->more = 3;
  a[threadIdx.x] = *(volatile int*)a ? *m : *m;
  free(m);
}
KERNEL used_of_a_vector(int* a) {
  __shared__ int4 s[32];
  int t = threadIdx.x;
  s[t].x = t; s[t].y = t; s[t].z = t;
  __syncthreads();
  int4 v = s[31 - t];
  a[t] = v.x + v.w;
}
KERNEL of_nobody(int* a) {
  __shared__ int4 s[32];
  int t = threadIdx.x;
  if (t < 16) s[t] = make_int4(t, t, t, t);
  __syncthreads();
  a[t] = s[t].x + s[t].w;
}
"""


@pytest.fixture(scope="module")
def through_shared(tools):
    return ptx_of(tools, THROUGH_SHARED, "sm_90")


@pytest.mark.parametrize(
    "kernel", ["copied_with_padding", "copied_as_a_vector", "copied_as_a_word", "of_the_heap"]
)
def test_structures_are_copied_with_their_padding(through_shared, kernel):
    data = np.zeros(32 * 4, dtype=np.int32)
    assert run(through_shared, kernel, (1, 1, 1), (32, 1, 1), data).result.faults == ()


@pytest.mark.parametrize(
    ("kernel", "count", "told"),
    [
        ("used_of_a_vector", 32, "depends on an undefined value"),
        ("of_nobody", 16, "shared memory at 0x100 that nobody has written"),
    ],
)
def test_parts_that_nobody_has_written_are_told_where_they_are_used(
    through_shared, kernel, count, told
):
    data = np.zeros(32, dtype=np.int32)
    done = run(through_shared, kernel, (1, 1, 1), (32, 1, 1), data, finishes=False)
    (fault,) = done.result.faults
    assert (fault.kind, fault.count) == (FaultKind.NEVER_WRITTEN, count)
    assert told in fault.message
