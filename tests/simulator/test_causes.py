"""Faults are told by their causes: the array left, the number that wrapped, the block gone."""

from dataclasses import replace

import numpy as np
import pytest

from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.ptx.debug_info import read_debug_info
from jitstudio.simulator.ptx.origins import source_name
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.memory import place
from jitstudio.simulator.state.model import FaultKind, SimulationOutcome
from tests.simulator.running import HEAD, kernel_of, launch_of, program_of, ptx_of, run
from tests.support import ROOT

ONE, WARP = (1, 1, 1), (32, 1, 1)

ARRAYS = r"""
struct Tile { int a[32]; int b[32]; };
__device__ int before[32]; __device__ int table[32]; __device__ int behind[32];
__constant__ int weights[8] = {1, 2, 3, 4, 5, 6, 7, 8}; __constant__ int others[8];
extern "C" __global__ void shared(const int* in, int* out, int shift, int which) {
  __shared__ int first[32], second[32];
  int t = threadIdx.x;
  first[t] = in[t]; second[t] = 7;
  __syncthreads();
  int* chosen = which ? first : second;
  out[t] = first[t + shift] + second[t] + (which ? chosen[t] : 0);
}
extern "C" __global__ void atomics(const int* in, int* out, int shift) {
  __shared__ int first[32], second[32];
  first[threadIdx.x] = second[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  atomicAdd(&second[(int)threadIdx.x + shift], 1);
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x];
}
extern "C" __global__ void members(const int* in, int* out, int shift) {
  __shared__ Tile tile;
  tile.a[threadIdx.x] = in[threadIdx.x]; tile.b[threadIdx.x] = 7;
  __syncthreads();
  out[threadIdx.x] = tile.a[threadIdx.x + shift];
}
extern "C" __global__ void module(const int* in, int* out, int shift) {
  before[threadIdx.x] = behind[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = table[threadIdx.x + shift];
}
extern "C" __global__ void constant(const int* in, int* out, int shift) {
  out[threadIdx.x] = weights[threadIdx.x % 8 + shift] + others[threadIdx.x % 8];
}
extern "C" __global__ void buffers(const int* in, int* out, int shift) {
  out[threadIdx.x] = in[threadIdx.x + shift];
}
extern "C" __global__ void difference(const int* in, int* out, int shift) {
  long long apart = in - (const int*)out;
  for (int i = threadIdx.x; i < 32; i += 32) out[i] = *(out + apart + i);
}
extern "C" __global__ void swizzled(const int* in, int* out, int shift) {
  __shared__ int first[64], second[64];
  extern __shared__ int dynamic[];
  int t = threadIdx.x, *part = dynamic + 32;
  first[t ^ shift] = in[t]; second[63 - t] = in[t]; part[t] = in[t]; dynamic[t] = 0;
  __syncthreads();
  out[t] = first[t ^ shift] + second[63 - t] - part[t] + dynamic[t];
}
"""


@pytest.fixture(scope="module")
def arrays(tools):
    return ptx_of(tools, ARRAYS)


IN, OUT = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)


@pytest.mark.parametrize(
    ("kernel", "shift", "count", "words"),
    [
        ("shared", 1, 1, "directly past the end of first (128 bytes) and in second"),
        ("atomics", -2, 2, "8 bytes before the start of second (128 bytes) and in first"),
        ("constant", 3, 12, "directly past the end of weights (32 bytes) and in others"),
        ("buffers", 300, 32, "past the end of array 0 (128 bytes) and in array 1"),
    ],
)
def test_an_overrun_into_the_next_array_names_both(arrays, kernel, shift, count, words):
    more = (np.int32(0),) if kernel == "shared" else ()
    # What lies between two arrays is not there: only whole gaps are leapt over.
    got = run(
        arrays, kernel, (1, 1, 1), WARP, IN, np.zeros(256, np.int32), np.int32(shift), *more,
        finishes=False,
    )  # fmt: skip
    assert got.result.outcome is SimulationOutcome.FINISHED
    (fault,) = got.result.faults
    assert (fault.kind, fault.count, fault.fatal) == (FaultKind.OUT_OF_BOUNDS, count, False)
    assert words in fault.message


def test_what_reaches_no_other_array_is_told_by_its_own(arrays):
    got = run(arrays, "module", (1, 1, 1), WARP, IN, OUT, np.int32(4000), finishes=False)
    (fault,) = got.result.faults
    assert fault.fatal
    assert "of table (128 bytes)" in fault.message


@pytest.mark.parametrize(
    ("kernel", "shift", "more"),
    [
        ("shared", 0, [np.int32(1)]),
        ("shared", 0, [np.int32(0)]),
        ("atomics", 0, []),
        ("members", 0, []),
        ("constant", 0, []),
        ("buffers", 0, []),
        ("difference", 0, []),
        ("swizzled", 21, []),
    ],
)
def test_an_access_within_its_array_is_no_fault(arrays, kernel, shift, more):
    run(arrays, kernel, (1, 1, 1), WARP, IN, OUT, np.int32(shift), *more, shared_bytes=256)


def test_members_of_a_struct_are_one_array_in_ptx(arrays):
    """PTX has no bounds of members: what is not known is not told."""
    run(arrays, "members", (1, 1, 1), WARP, IN, OUT, np.int32(1))


PARTS = r"""
struct Tile { int id; int a[4]; int b[4]; float c; int m[2][4]; };
struct Pair { int a[4]; int b[4]; };
struct alignas(16) Padded { float v[3]; float w; };
struct Tiles { Tile tiles[2]; int tail[2]; };
union Word { int whole[2]; char bytes[8]; };
struct Point { float x, y, z, w; };
__device__ Tile ours; __shared__ Tile tile;
extern "C" __global__ void locals(int* out, int n) {
  int first[4], second[4];
  for (int i = 0; i < 4; i++) first[i] = second[i] = i;
  first[n] = 7;
  out[0] = first[0] + second[0];
}
extern "C" __global__ void local_member(int* out, int n) {
  Tiles t;
  for (int i = 0; i < 2; i++) t.tail[i] = t.tiles[i].b[n & 3] = i;
  t.tail[n - 4] = 3;
  out[0] = t.tail[0];
}
extern "C" __global__ void shared_member(int* out, int n) { tile.a[n] = 1; }
extern "C" __global__ void global_member(int* out, int n) { ours.b[n - 5] = 1; }
extern "C" __global__ void buffers(int* out, int* ours, int n) { out[n] = ours[0]; }
extern "C" __global__ void whole(int* out, int n) {
  Word u; u.whole[0] = 1; u.whole[1] = 2;
  Point p = {1, 2, 3, 4};
  int rows[2][4], a[4], *moving = a, down[4], sum = 0;
  for (int i = 0; i < 8; i++) { (&rows[0][0])[i] = i; sum += u.bytes[i]; }
  for (int i = 0; i < 4; i++) { (&p.x)[i] = i; *moving++ = i; }
  for (unsigned i = 0; i < sizeof(Tile); i++) ((char*)&tile)[i] = 0;
  for (int i = n; i > 0; i--) down[i - 1] = i;
  ours.m[0][n] = 1;
  Pair pair = {{1, 2, 3, 4}, {5, 6, 7, 8}}, twin;
  for (int i = 0; i < sizeof(Pair) / 4; i++) ((int*)&twin)[i] = ((int*)&pair)[i];
  int* words = (int*)&pair;
  for (int i = 0; i < 8; i++) sum += words[i] - twin.b[i & 3];
  Padded padded;
  for (int i = 0; i < 3; i++) padded.v[i] = i;
  padded.w = n;
  float4 f = *(float4*)&padded;
  sum += (int)(f.x + f.w);
  out[0] = sum + rows[1][n - 1] + a[n - 1] + down[n - 1] + (int)p.w;
}
"""


@pytest.fixture(scope="module")
def parts(tools):
    return ptx_of(tools, PARTS, "sm_90", "-G")


@pytest.mark.parametrize(
    ("kernel", "index", "words"),
    [
        ("locals", 4, "directly past the end of first (16 bytes) and in second"),
        ("locals", 7, "12 bytes past the end of first (16 bytes) and in second"),
        ("local_member", 3, "4 bytes before the start of t.tail (8 bytes) and in t.tiles"),
        ("shared_member", 4, "directly past the end of tile.a (16 bytes) and in tile.b"),
        ("shared_member", 12, "32 bytes past the end of tile.a (16 bytes) and in tile.m"),
        ("global_member", 4, "4 bytes before the start of ours.b (16 bytes) and in ours.a"),
    ],
)
def test_for_a_debugger_local_variables_and_members_have_bounds(parts, kernel, index, words):
    out = np.zeros(1, np.int32)
    done = run(parts, kernel, ONE, ONE, out, np.int32(index), finishes=False)
    (fault,) = done.result.faults
    assert fault.kind is FaultKind.OUT_OF_BOUNDS
    assert words in fault.message
    within = 5 if "member" in kernel and kernel != "shared_member" else 3
    run(parts, kernel, ONE, ONE, out, np.int32(within))


def test_for_a_debugger_a_buffer_is_no_variable_of_its_name(parts):
    """That of the parameter `ours` is no `Tile`."""
    arrays = [np.zeros(64, np.int32), np.zeros(64, np.int32)]
    first, second = place([array.nbytes for array in arrays])
    launch = launch_of("buffers", ONE, ONE, (*arrays, np.int32((second - first) // 4 + 2)))
    named = zip(launch.allocations, ("out", "ours"), strict=True)
    launch = replace(launch, allocations=tuple(replace(a, name=name) for a, name in named))
    (fault,) = simulate(launch, program_of(parts)).faults
    assert "past the end of out (256 bytes) and in ours, at" in fault.message


def test_for_a_debugger_a_whole_struct_may_be_gone_through(parts):
    """By another type, from member to member, by rows and by a pointer that moves."""
    run(parts, "whole", ONE, ONE, np.zeros(1, np.int32), np.int32(4))


def test_a_struct_in_shared_memory_of_a_function_has_bounds_with_nvcc():
    """`nvcc -G -ptx` 13.0 describes the variable; NVRTC 13.5 leaves it out, and nothing is told."""
    ptx = (ROOT / "tests" / "data" / "simulator" / "shared_members.ptx").read_text()
    out = np.zeros(1, np.int32)
    run(ptx, "member", ONE, ONE, out, np.int32(3))
    done = run(ptx, "member", ONE, ONE, out, np.int32(4), finishes=False)
    assert "past the end of tile.a (16 bytes) and in tile.b" in done.result.faults[0].message
    run(ptx, "whole", ONE, ONE, out, np.int32(4))


def test_debug_information_of_nvrtc_leaves_out_shared_variables_of_a_function(tools):
    """Once it does not, the manual's limit is none."""
    source = (ROOT / "tests" / "data" / "simulator" / "shared_members.cu").read_text()
    variables = read_debug_info(ptx_of(tools, source, "sm_90", "-G")).functions["member"]
    assert [v.name for v in variables.all_variables()] == ["out", "n"]


def test_without_debug_information_members_have_no_bounds(tools):
    out = np.zeros(1, np.int32)
    run(ptx_of(tools, PARTS), "local_member", ONE, ONE, out, np.int32(3))


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZZ9neighbourE1a", "a"),
        ("_ZZN2ns4kernIfEEvPT_iE4tile_0", "tile"),
        ("_ZN12_GLOBAL__N_15tableE", "table"),
        ("_ZZ1fILi128EEvvE1s", "s"),
        ("_ZL5table", "table"),
        ("plain", "plain"),
    ],
)
def test_variables_are_named_as_their_author_wrote_them(symbol, name):
    assert source_name(symbol) == name


WRAPS = r"""
extern "C" __global__ void gather(const float* table, const int* row, float* out, int width) {
  int r = row[blockIdx.x];
  out[threadIdx.x] = table[
    r * width + threadIdx.x];
}
extern "C" __global__ void square(const float* a, const int* row, float* out, int n) {
  int i = n - 1 - (int)threadIdx.x;
  out[threadIdx.x] = a[i * n];
}
extern "C" __global__ void below(const float* a, const int* row, float* out, unsigned n) {
  out[threadIdx.x] = a[threadIdx.x - n];
}
extern "C" __global__ void wide(const float* a, const int* row, float* out, int n) {
  out[threadIdx.x] = a[(long long)n * n + threadIdx.x];
}
extern "C" __global__ void far(const float* a, const int* row, float* out, int n) {
  out[threadIdx.x] = a[threadIdx.x + n];
}
extern "C" __global__ void factor(const float* a, const int* row, float* out, unsigned n) {
  out[threadIdx.x] = a[(threadIdx.x + 1) * n * 2654435761u];
}
extern "C" __global__ void hashed(const float* a, const int* row, float* out, unsigned n) {
  out[threadIdx.x] = a[((threadIdx.x + n) * 2654435761u) >> 16];
}
extern "C" __global__ void random(const float* a, const int* row, float* out, unsigned n) {
  out[threadIdx.x] = a[(((threadIdx.x + n) * 1664525u + 1013904223u) >> 8) % 65536 + 1000];
}
extern "C" __global__ void masked(const float* a, const int* row, float* out, unsigned n) {
  out[threadIdx.x] = a[((threadIdx.x + n) * 1103515245 + 12345 & 0x7fff) + 1000];
}
extern "C" __global__ void tenth(const float* a, const int* row, float* out, unsigned n) {
  out[threadIdx.x] = a[(threadIdx.x + n) * 2654435769u / 10];
}
extern "C" __global__ void narrow(const float* a, const int* row, float* out, unsigned n) {
  out[threadIdx.x] = a[(unsigned short)((threadIdx.x + n) * 2654435769u) + 1000];
}
"""


@pytest.fixture(scope="module")
def wraps(tools):
    return ptx_of(tools, WRAPS)


@pytest.mark.parametrize(
    ("kernel", "n", "words"),
    [
        ("gather", 8960, "239,675 * 8,960 = 2,147,488,000"),
        ("square", 50000, "49,999 * 50,000 = 2,499,950,000"),
        ("square", 65537, "65,536 * 65,537 = 4,295,032,832"),
        ("below", 1, "0 - 1 = -1"),
        ("wide", 50000, ""),
        ("far", 2000, ""),
        ("factor", 7, "2,654,435,761 * 7 = 18,581,050,327"),
        ("hashed", 7, ""),
        ("random", 7, ""),
        ("masked", 7, ""),
        ("tenth", 7, ""),
        ("narrow", 7, ""),
    ],
)
def test_an_offset_that_wrapped_is_named_where_it_wrapped(wraps, kernel, n, words):
    table, row = np.zeros(1000, np.float32), np.full(1, 239675, np.int32)
    got = run(
        wraps, kernel, (1, 1, 1), WARP, table, row, np.zeros(32, np.float32), np.int32(n),
        finishes=False,
    )  # fmt: skip
    (fault,) = got.result.faults
    assert (fault.kind, fault.fatal) == (FaultKind.OUT_OF_BOUNDS, True)
    assert ("wraps in 32 bits" in fault.message) == bool(words)
    assert words in fault.message
    assert ("never less than 0" in fault.message) == (kernel == "below")
    if kernel == "gather":
        assert "(line " in fault.message.partition(words)[2].partition(" wraps")[0]


def test_a_wrapped_offset_that_meets_another_buffer_is_named(wraps):
    """65,536 * 65,537 wraps to 65,536: 262,144 bytes behind the start, where another one lies."""
    table, row = np.zeros(1000, np.float32), np.zeros(1 << 18, np.int32)
    got = run(
        wraps, "square", (1, 1, 1), (1, 1, 1), table, row, np.zeros(32, np.float32),
        np.int32(65537), finishes=False,
    )  # fmt: skip
    (fault,) = got.result.faults
    assert not fault.fatal
    assert "and in array 1" in fault.message
    assert "65,536 * 65,537 = 4,295,032,832" in fault.message


POINTERS = r"""
struct Node { Node* next; int held[6]; };
extern "C" __global__ void rows(const int* const* in, int* out, int shift) {
  out[threadIdx.x] = in[shift < 0][(int)threadIdx.x + shift];
}
extern "C" __global__ void last(int* const* in, int* out, int shift) {
  int* row = in[0];
  for (int i = 0; i < shift; ++i) row[threadIdx.x + i * 8] = i;
  out[threadIdx.x] = row[threadIdx.x];
}
extern "C" __global__ void apart(const int* const* in, int* out, int shift) {
  const int* from = in[0];
  long long way = in[1] - from;
  out[threadIdx.x] = from[threadIdx.x + way];
}
extern "C" __global__ void offsets(const long long* in, int* out, int shift) {
  out[(in[0] - in[0]) + threadIdx.x] = *(const int*)((const char*)out + (in[1] - in[1]));
}
extern "C" __global__ void nodes(Node* const* in, int* out, int shift) {
  int sum = 0;
  for (const Node* n = in[0]; n; n = n->next) sum += n->held[threadIdx.x % 6];
  out[threadIdx.x] = sum;
}
extern "C" __global__ void behind(const int* const* in, int* out, int shift) {
  const int* end = in[0] + 32;
  out[threadIdx.x] = end[-1 - (int)threadIdx.x];
}
extern "C" __global__ void frame(const int* const* in, int* out, int shift) {
  int a[7];
  for (int i = 0; i < 7; ++i) a[i] = (threadIdx.x * i) % 5;
  a[shift] = 3;
  out[threadIdx.x] = a[threadIdx.x % 7];
}
__device__ __noinline__ int inner(int shift) {
  int b[5];
  for (int i = 0; i < 5; ++i) b[i] = i * shift;
  b[shift] = 4;
  return b[(shift + threadIdx.x) % 5];
}
extern "C" __global__ void called(const int* const* in, int* out, int shift) {
  int a[8];
  for (int i = 0; i < 8; ++i) a[i] = (threadIdx.x * i) % 5;
  out[threadIdx.x] = a[(threadIdx.x + shift) % 8] + inner(shift);
}
"""


@pytest.fixture(scope="module")
def pointers(tools):
    return ptx_of(tools, POINTERS)


def led(pointers, kernel, shift, *contents):
    """A launch whose first buffer has the addresses of the third and fourth."""
    first, second = contents or (IN, IN)
    table = np.zeros(2, np.uint64)
    out = np.zeros(32, np.int32)
    addresses = place([each.nbytes for each in (table, out, first, second)])
    table[:] = addresses[2:]
    arguments = (table, out, np.int32(shift), first, second)
    return run(pointers, kernel, (1, 1, 1), WARP, *arguments, finishes=False)


@pytest.mark.parametrize(
    ("kernel", "shift", "count", "words"),
    [
        ("rows", 256, 32, "896 bytes past the end of array 2 (128 bytes) and in array 3"),
        ("rows", 32, 32, "directly past the end of array 2 (128 bytes)"),
        ("rows", -256, 32, "1,024 bytes before the start of array 3 (128 bytes) and in array 2"),
        ("rows", -8, 8, "32 bytes before the start of array 3 (128 bytes)"),
        ("last", 8, 8, "past the end of array 2 (128 bytes)"),
        ("frame", 7, 32, "directly past the end of the function's local variables (28 bytes)"),
        ("frame", -1, 32, "4 bytes before the start of the function's local variables"),
        ("called", 5, 32, "directly past the end of the function's local variables (20 bytes)"),
        ("called", -2, 32, "8 bytes before the start of the function's local variables (20 bytes)"),
    ],
)
def test_an_overrun_by_way_of_a_pointer_or_of_the_stack_is_named(
    pointers, kernel, shift, count, words
):
    fault = led(pointers, kernel, shift).result.faults[0]
    assert fault.kind is FaultKind.OUT_OF_BOUNDS
    assert words in fault.message
    assert fault.count == count


@pytest.mark.parametrize(
    ("kernel", "shift"),
    [
        ("rows", 0),
        ("last", 1),
        ("apart", 0),
        ("offsets", 0),
        ("behind", 0),
        ("frame", 6),
        ("called", 4),
        ("called", 0),
    ],
)
def test_pointers_from_memory_that_stay_in_their_buffers(pointers, kernel, shift):
    got = led(pointers, kernel, shift).result
    assert (got.outcome, got.faults) == (SimulationOutcome.FINISHED, ())


def test_nodes_of_two_buffers_are_no_overrun(pointers):
    first, second = np.zeros(8, np.int32), np.zeros(8, np.int32)
    addresses = place([16, 128, 32, 32])
    first[:2].view(np.uint64)[0] = addresses[3]
    first[2:], second[2:] = 1, 2
    got = led(pointers, "nodes", 0, first, second)
    assert got.result.faults == ()
    assert set(got.arrays[1].tolist()) == {3}


def test_local_arrays_of_ptx_are_told_apart():
    body = """.local .align 4 .b8 one[16]; .local .align 4 .b8 two[16];
    .reg .b64 %at, %off; .reg .b32 %r; mov.u32 %r, %tid.x; mul.wide.u32 %off, %r, 4;
    mov.u64 %at, one; add.s64 %at, %at, %off; st.local.u32 [%at], %r;"""
    (fault,) = run(
        kernel_of(body), "k", (1, 1, 1), (6, 1, 1), finishes=False
    ).result.faults  # fmt: skip
    assert fault.count == 2
    assert "directly past the end of one (16 bytes) and in two" in fault.message


def carries(lines: str) -> str:
    return f"""{HEAD}.visible .entry k(.param .u64 k_0) {{
    .reg .b32 %a<4>; .reg .b64 %p; ld.param.u64 %p, [k_0];
    mov.u32 %a0, 0xffffffff; mov.u32 %a1, 1;
    {lines}
    st.global.u32 [%p], %a3; ret; }}"""


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("addc.u32 %a3, %a0, %a1;", "which nothing has set"),
        (
            "add.cc.u32 %a2, %a0, %a1; addc.u32 %a2, %a0, 0;\naddc.u32 %a3, %a1, %a1;",
            "addc.u32 at line 7 of the PTX has taken it and sets none. If its carry is meant, ",
        ),
        (
            "sub.cc.u32 %a2, %a0, %a1; subc.u32 %a2, %a0, 0;\nsubc.u32 %a3, %a1, %a1;",
            "write subc.cc.u32 there",
        ),
        ("mad.lo.cc.u32 %a2, %a0, 3, 1; madc.hi.u32 %a3, %a0, 3, 0;", ""),
        ("add.cc.u32 %a2, %a0, 1; addc.cc.u32 %a2, %a0, 0; addc.u32 %a3, 0, 0;", ""),
    ],
)
def test_a_carry_is_taken_once(lines, words):
    got = run(carries(lines), "k", (1, 1, 1), (1, 1, 1), np.zeros(1, np.uint32), finishes=False)
    assert [fault.kind for fault in got.result.faults] == [FaultKind.CARRY] * bool(words)
    assert all(words in message for message in got.messages)


CLUSTERS = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void __cluster_dims__(2, 1, 1)
KERNEL right(int* out, int rounds) {
  __shared__ int s[32];
  auto c = cg::this_cluster();
  s[threadIdx.x] = c.block_rank() * 100 + threadIdx.x;
  c.sync();
  int* other = c.map_shared_rank(s, c.block_rank() ^ 1), sum = 0;
  for (int k = 0; k < rounds; k++) sum += other[(threadIdx.x + k) & 31];
  out[blockIdx.x * 32 + threadIdx.x] = sum;
  c.sync();
}
KERNEL leaves(int* out, int rounds) {
  __shared__ int s[32];
  auto c = cg::this_cluster();
  s[threadIdx.x] = c.block_rank() * 100 + threadIdx.x;
  c.sync();
  int* other = c.map_shared_rank(s, c.block_rank() ^ 1), sum = 0;
  for (int k = 0; k < rounds; k++) sum += other[(threadIdx.x + k) & 31];
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}
KERNEL one_leaves(int* out, int rounds) {
  __shared__ int s[32];
  auto c = cg::this_cluster();
  s[threadIdx.x] = c.block_rank() * 100 + threadIdx.x;
  c.sync();
  if (c.block_rank() == 1) return;
  int* other = c.map_shared_rank(s, 1), sum = 0;
  for (int k = 0; k < rounds; k++) sum += other[(threadIdx.x + k) & 31];
  out[threadIdx.x] = sum;
}
KERNEL one_stays(int* out, int rounds) {
  __shared__ int s[32];
  auto c = cg::this_cluster();
  s[threadIdx.x] = c.block_rank() * 100 + threadIdx.x;
  c.sync();
  if (c.block_rank() == 0) {
    int* other = c.map_shared_rank(s, 1), sum = 0;
    for (int k = 0; k < rounds; k++) sum += other[(threadIdx.x + k) & 31];
    out[threadIdx.x] = sum;
  }
  c.sync();
}
KERNEL early(int* out, int rounds) {
  __shared__ int s[32];
  auto c = cg::this_cluster();
  c.map_shared_rank(s, c.block_rank() ^ 1)[threadIdx.x] = 142;
  c.sync();
  out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}
"""


@pytest.fixture(scope="module")
def clusters(tools):
    return ptx_of(tools, CLUSTERS, "sm_90")


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("right", ""),
        ("one_stays", ""),
        ("leaves", "exited"),
        ("one_leaves", "exited"),
        ("early", "may not have begun yet"),
    ],
)
def test_shared_memory_of_a_block_is_there_as_long_as_the_block(clusters, kernel, words, seed):
    """Whatever the order: the fault is that nothing orders the access and the end."""
    out = np.zeros(64, np.int32)
    got = run(
        clusters, kernel, (2, 1, 1), WARP, out, np.int32(5), seed=seed,
        observers=[RaceDetector("k")], finishes=not words,
    )  # fmt: skip
    assert got.result.outcome is SimulationOutcome.FINISHED
    assert [fault.kind for fault in got.result.faults] == [FaultKind.EXITED] * bool(words)
    for fault in got.result.faults:
        assert words in fault.message
        assert (fault.second is not None) == (kernel != "early")


BARRIERS = r"""
extern "C" __global__ void first(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i < n) {
    s[t] = in[i];
    __syncthreads();
    for (int o = 128; o > 0; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
"""


def test_a_barrier_in_a_condition_is_one_fault(tools):
    """Nine barriers, and what nobody has written behind them, follow from the first."""
    data, out = np.ones(1000, np.float32), np.zeros(4, np.float32)
    got = run(
        ptx_of(tools, BARRIERS), "first", (4, 1, 1), (256, 1, 1), data, out, np.int32(1000),
        finishes=False,
    )  # fmt: skip
    (fault,) = got.result.faults
    assert (fault.kind, fault.count) == (FaultKind.BARRIER, 232)
    assert "as 23 more of the block are" in fault.message


MBARRIERS = r"""
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void few(const int* in, int* out, int count) {
  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  if (threadIdx.x < count)
    ready.arrive_and_wait(); // few
  out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void bytes(const int* in, int* out, int count) {
  __shared__ alignas(16) int s[64];
  __shared__ alignas(8) unsigned long long tile_ready;
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile_ready);
  unsigned to = (unsigned)__cvta_generic_to_shared(s);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at));
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }"
                 :: "r"(at), "r"(count));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], 128, [%2];" :: "r"(to), "l"(in), "r"(at) : "memory");
  }
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; " // bytes
                 "selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
  if (threadIdx.x < 32) out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void next(const int* in, int* out, int count) {
  __shared__ alignas(16) int s[128];
  __shared__ alignas(8) unsigned long long tile_ready;
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile_ready);
  unsigned to = (unsigned)__cvta_generic_to_shared(s);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(at));
  __syncthreads();
  for (int phase = 0; phase < 2; phase++) {
    int bytes = phase ? count : 128;
    if (threadIdx.x == 0) {
      asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }"
                   :: "r"(at), "r"(bytes));
      for (int part = 0; part <= phase; part++)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], 128, [%2];" :: "r"(to), "l"(in), "r"(at) : "memory");
    }
    __syncwarp();
    if (threadIdx.x)
      asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" :: "r"(at) : "memory");
    int done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; " // next
                   "selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "r"(phase) : "memory");
  }
  out[threadIdx.x] = s[threadIdx.x];
}
"""


@pytest.fixture(scope="module")
def mbarriers(tools):
    return ptx_of(tools, MBARRIERS, "sm_90")


@pytest.mark.parametrize(
    ("kernel", "count", "words"),
    [
        ("few", 32, ""),
        ("few", 20, "(ready, shared memory) has 20 of 32 arrivals in this phase."),
        ("bytes", 128, ""),
        ("bytes", 512, "(tile_ready, shared memory) has 1 of 1 arrivals and 128 of 512 bytes in"),
        ("next", 256, ""),
        ("next", 512, "(tile_ready, shared memory) has 32 of 32 arrivals and 256 of 512 bytes in"),
        ("bytes", 64, "has 1 of 1 arrivals and 128 bytes, 64 more than were announced"),
    ],
)
def test_an_mbarrier_that_never_completes_says_what_it_lacks(mbarriers, kernel, count, words):
    """At the line of the author's, not that of the header of the barrier."""
    got = run(mbarriers, kernel, (1, 1, 1), WARP, IN, OUT, np.int32(count), finishes=not words)
    if not words:
        return
    (fault,) = got.result.faults
    assert (fault.kind, fault.fatal) == (FaultKind.DEADLOCK, True)
    assert words in fault.message
    line = MBARRIERS[: MBARRIERS.index(f"// {kernel}")].count("\n") + 1
    assert fault.first.line in (line, line - 1)


WAITS = r"""
extern "C" __global__ void polls(const int* in, int* out, int count) {
  __shared__ unsigned long long ready;
  unsigned at = (unsigned)__cvta_generic_to_shared(&ready);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(at));
  __syncthreads();
  if (threadIdx.x < count) {
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" :: "r"(at) : "memory");
    unsigned long long began, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began));
    for (int done = 0; !done;) {
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
      if (now - began > 4000) __nanosleep((now - began) / 4);
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                   "selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
    }
  }
  out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void late(long long* out, long long ns) {
  unsigned long long began, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - began < ns);
  out[2 * blockIdx.x] = began;
  out[2 * blockIdx.x + 1] = now;
}
"""


@pytest.fixture(scope="module")
def waits(tools):
    return ptx_of(tools, WAITS, "sm_90")


@pytest.mark.parametrize("count", [32, 20])
def test_polls_of_a_clock_hide_no_deadlock(waits, count):
    """`cuda::barrier` of CUDA 13.0 reads %globaltimer in the loop that waits."""
    is_whole = count == 32
    got = run(waits, "polls", (1, 1, 1), WARP, IN, OUT, np.int32(count), finishes=is_whole)
    if not is_whole:
        (fault,) = got.result.faults
        assert fault.kind is FaultKind.DEADLOCK
        assert "20 of 32 arrivals" in fault.message
        assert "34 s by its clock" in fault.message


@pytest.mark.parametrize("ns", [10, 5_000, 1_000_000_000])
def test_time_passes_for_loops_that_wait_for_it(waits, ns):
    """In few steps, and forwards, also from one wave of blocks to the next."""
    blocks = 600
    out = np.zeros(2 * blocks, np.int64)
    got = run(waits, "late", (blocks, 1, 1), (256, 1, 1), out, np.int64(ns))
    began, now = got.arrays[0].reshape(blocks, 2).T
    assert (now - began >= ns).all()
    assert (now - began < ns + 100_000_000).all()
    assert began[-1] >= now[0]


COUNTED = """
.shared .align 16 .b8 words[64]; .shared .align 8 .b64 bar;
.visible .entry k(.param .u64 k_0, .param .u32 k_1)
{
.reg .b64 %in, %s; .reg .b32 %n; ld.param.u64 %in, [k_0]; ld.param.u32 %n, [k_1];
STATEMENT
ret;
}
"""
_INIT = "mbarrier.init.shared.b64 [bar], 8; "


@pytest.mark.parametrize(
    ("statement", "right", "wrong", "words"),
    [
        ("mbarrier.init.shared.b64 [bar], %n;", 1, 0, "initialises an mbarrier with a count of 0"),
        ("mbarrier.init.shared.b64 [bar], %n;", 0xFFFFF, 1 << 20, "count of 1,048,576, which is"),
        (_INIT + "mbarrier.arrive.shared.b64 %s, [bar], %n;", 8, 0, "arrives with a count of 0"),
        (
            _INIT + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[words], [%in], %n, [bar];",
            *(32, 24, "24 bytes, which is not a multiple of 16"),
        ),
        (
            "st.bulk.weak.shared::cta [words], %n, 0;",
            24,
            12,
            "12 bytes, which is not a multiple of 8",
        ),
    ],
)
def test_numbers_in_registers_are_held_to_the_bounds_of_constants(statement, right, wrong, words):
    text = HEAD.replace("sm_90a", "sm_100a") + COUNTED.replace("STATEMENT", statement)
    run(text, "k", ONE, ONE, np.zeros(64, np.int32), np.uint32(right))
    done = run(text, "k", ONE, ONE, np.zeros(64, np.int32), np.uint32(wrong), finishes=False)
    (fault,) = done.result.faults
    assert fault.fatal
    assert words in fault.message
