"""Matrices of warps: fragments as the PTX ISA gives them, products as NumPy has them."""

import numpy as np
import pytest

from jitstudio.simulator.state.model import FaultKind
from tests.simulator.running import kernel_of, ptx_of, run

LANES = range(32)

# Of each form: the NumPy types of elements and sums, and row and column of element i of A, B and C
# in lane (g, t), in the words of "Matrix Fragments for mma.m…n…k…".
FORMS = {
    "m16n8k16.row.col.f32.f16.f16.f32": (
        np.float16, np.float32,
        lambda g, t, i: (g if i in (0, 1, 4, 5) else g + 8, t * 2 + (i & 1) + 8 * (i >= 4)),
        lambda g, t, i: (t * 2 + (i & 1) + 8 * (i >= 2), g),
        lambda g, t, i: (g + 8 * (i >= 2), t * 2 + (i & 1)),
    ),
    "m16n8k8.row.col.f16.f16.f16.f16": (
        np.float16, np.float16,
        lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1)),
        lambda g, t, i: (t * 2 + (i & 1), g),
        lambda g, t, i: (g + 8 * (i >= 2), t * 2 + (i & 1)),
    ),
    "m16n8k16.row.col.f32.bf16.bf16.f32": (
        "bf16", np.float32,
        lambda g, t, i: (g if i in (0, 1, 4, 5) else g + 8, t * 2 + (i & 1) + 8 * (i >= 4)),
        lambda g, t, i: (t * 2 + (i & 1) + 8 * (i >= 2), g),
        lambda g, t, i: (g + 8 * (i >= 2), t * 2 + (i & 1)),
    ),
    "m16n8k8.row.col.f32.tf32.tf32.f32": (
        np.float32, np.float32,
        lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4),
        lambda g, t, i: (t if i == 0 else t + 4, g),
        lambda g, t, i: (g + 8 * (i >= 2), t * 2 + (i & 1)),
    ),
    "m16n8k32.row.col.s32.s8.s8.s32": (
        np.int8, np.int32,
        lambda g, t, i: (g if i < 4 or 8 <= i < 12 else g + 8, t * 4 + (i & 3) + 16 * (i >= 8)),
        lambda g, t, i: (t * 4 + (i & 3) + 16 * (i >= 4), g),
        lambda g, t, i: (g + 8 * (i >= 2), t * 2 + (i & 1)),
    ),
    "m8n8k4.row.col.f64.f64.f64.f64": (
        np.float64, np.float64,
        lambda g, t, i: (g, t),
        lambda g, t, i: (t, g),
        lambda g, t, i: (g, t * 2 + (i & 1)),
    ),
}  # fmt: skip


def fragments(matrix, place, count, dtype):
    """The elements of each lane as words, of shape (32, words)."""
    own = np.array([[matrix[place(*divmod(lane, 4), i)] for i in range(count)] for lane in LANES])
    if dtype == "bf16":
        bits = (own.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    else:
        bits = own.astype(dtype)
    wide = bits.dtype == np.float64
    return np.ascontiguousarray(bits).view(np.uint64 if wide else np.uint32)


@pytest.mark.parametrize("name", FORMS)
def test_products(name):
    dtype, sum_type, a_place, b_place, c_place = FORMS[name]
    m, n, k = (int(x) for x in name.split(".")[0][1:].replace("n", " ").replace("k", " ").split())
    rng = np.random.default_rng(1)
    a, b = rng.integers(-7, 8, (m, k)), rng.integers(-7, 8, (k, n))
    c = rng.integers(-7, 8, (m, n))
    words = [
        fragments(a, a_place, m * k // 32, dtype),
        fragments(b, b_place, k * n // 32, dtype),
        fragments(c, c_place, m * n // 32, sum_type),
    ]
    width = words[0].itemsize
    letters = {"a": words[0].shape[1], "b": words[1].shape[1], "c": words[2].shape[1]}
    letters["d"] = letters["c"]
    kinds = dict.fromkeys(letters, f"b{8 * width}")
    if sum_type is not np.float16:
        kinds["c"] = kinds["d"] = {4: "f32", 8: "f64"}[width]
        if sum_type is np.int32:
            kinds["c"] = kinds["d"] = "b32"
    lines = [".reg .b32 %t; .reg .b64 %at; mov.u32 %t, %tid.x;"]
    for index, (letter, count) in enumerate(letters.items()):
        lines.append(f".reg .{kinds[letter]} %{letter}<{count}>;")
        lines.append(f"ld.param.u64 %at, [k_{index}]; mad.wide.u32 %at, %t, {width * count}, %at;")
        lines += [
            f"ld.global.{kinds[letter]} %{letter}{i}, [%at+{width * i}];" for i in range(count)
        ]
    lists = [",".join(f"%{x}{i}" for i in range(count)) for x, count in letters.items()]
    x, y, z, d = (f"{{{names}}}" for names in lists)
    lines.append(f"mma.sync.aligned.{name} {d}, {x}, {y}, {z};")
    lines += [f"st.global.{kinds['d']} [%at+{width * i}], %d{i};" for i in range(letters["d"])]
    ptx = kernel_of("\n".join(lines), *["u64"] * 4)
    done = run(ptx, "k", (1, 1, 1), (32, 1, 1), *words, np.zeros_like(words[2]))
    assert (done.arrays[3] == fragments(a @ b + c, c_place, m * n // 32, sum_type)).all()
    assert done.result.exact == (dtype in (np.int8, np.float64))


@pytest.mark.parametrize("transposed", [False, True])
def test_rows_of_shared_memory_into_fragments_and_back(transposed):
    """Element (row, column) goes to lane ``4 row + column / 2``, of the transposed one likewise."""
    turn = ".trans" if transposed else ""
    ptx = kernel_of(
        f""".shared .align 16 .b8 s[512]; .shared .align 16 .b8 o[256];
        .reg .b32 %t, %s, %a, %v, %x<4>;
        .reg .b64 %at, %p; mov.u32 %t, %tid.x; ld.param.u64 %at, [k_0]; mov.u32 %s, s;
        mad.wide.u32 %p, %t, 16, %at; .reg .b32 %w<4>; ld.global.v4.u32 {{%w0,%w1,%w2,%w3}}, [%p];
        mad.lo.u32 %a, %t, 16, %s; st.shared.v4.u32 [%a], {{%w0,%w1,%w2,%w3}}; bar.warp.sync -1;
        ldmatrix.sync.aligned.m8n8.x4{turn}.shared.b16 {{%x0,%x1,%x2,%x3}}, [%a];
        and.b32 %v, %t, 7; mov.u32 %a, o; mad.lo.u32 %a, %v, 16, %a; and.b32 %v, %t, 8;
        mad.lo.u32 %a, %v, 16, %a;
        stmatrix.sync.aligned.m8n8.x2{turn}.shared.b16 [%a], {{%x2, %x3}}; bar.warp.sync -1;
        ld.param.u64 %at, [k_1]; mad.wide.u32 %p, %t, 16, %at;
        st.global.v4.u32 [%p], {{%x0,%x1,%x2,%x3}}; mov.u32 %a, o; mad.lo.u32 %a, %t, 8, %a;
        ld.shared.v2.u32 {{%w0,%w1}}, [%a]; ld.param.u64 %at, [k_2]; mad.wide.u32 %p, %t, 8, %at;
        st.global.v2.u32 [%p], {{%w0,%w1}};""",
        *["u64"] * 3,
    )
    source = np.arange(256, dtype=np.uint16).reshape(4, 8, 8)
    fragments_, back = np.zeros((32, 4, 2), np.uint16), np.zeros((2, 8, 8), np.uint16)
    done = run(ptx, "k", (1, 1, 1), (32, 1, 1), source, fragments_, back)
    for matrix in range(4):
        held = source[matrix].T if transposed else source[matrix]
        for lane in LANES:
            pair = held[lane // 4, lane % 4 * 2 : lane % 4 * 2 + 2]
            assert done.arrays[1][lane, matrix].tolist() == pair.tolist()
    assert (done.arrays[2] == source[2:]).all()


@pytest.mark.parametrize(
    ("move", "count", "said"),
    [
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%x0,%x1,%x2,%x3}, [%a]", 24, "reads"),
        ("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%x0}, [%a]", 6, "reads"),
        ("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%a], {%x0,%x1}", 12, "writes"),
    ],
)
def test_a_row_of_a_matrix_begins_at_a_multiple_of_its_bytes(move, count, said):
    """As an H100 has it: "misaligned address", of the rows that are moved and no other address."""
    ptx = kernel_of(
        f""".shared .align 128 .b8 s[8320]; .reg .b32 %t, %s, %a, %x<4>; .reg .b64 %at;
        mov.u32 %t, %tid.x; mov.u32 %s, s; ld.param.u64 %at, [k_0];
        ld.global.u32 %a, [%at]; mad.lo.u32 %a, %t, %a, %s;
        mov.u32 %x0, 1; mov.u32 %x1, 1; {move};""",
        "u64",
    )

    def faults(row):
        done = run(ptx, "k", (1, 1, 1), (32, 1, 1), np.array([row], np.uint32), finishes=False)
        return [fault for fault in done.result.faults if fault.kind is FaultKind.MISALIGNED]

    assert not faults(256)
    assert not faults(272)
    (fault,) = faults(260)
    assert fault.count == count
    assert "Thread (1, 0, 0)" in fault.message
    assert (
        f"{said} a row of a matrix, 16 bytes, at 0x104, which is not divisible by 16"
        in fault.message
    )


def test_addresses_of_no_row_may_be_anything():
    ptx = kernel_of(
        """.shared .align 128 .b8 s[1024]; .reg .b32 %t, %s, %a, %x; .reg .pred %p;
        mov.u32 %t, %tid.x; mov.u32 %s, s; setp.lt.u32 %p, %t, 8;
        mad.lo.u32 %a, %t, 16, %s; @!%p mov.u32 %a, 4;
        ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [%a];"""
    )
    done = run(ptx, "k", (1, 1, 1), (32, 1, 1), finishes=False)
    assert not [fault for fault in done.result.faults if fault.kind is FaultKind.MISALIGNED]


def test_a_matrix_in_registers_is_transposed():
    ptx = kernel_of(
        """.reg .b32 %t, %x; .reg .b64 %at; mov.u32 %t, %tid.x; ld.param.u64 %at, [k_0];
        mad.wide.u32 %at, %t, 4, %at; ld.global.u32 %x, [%at];
        movmatrix.sync.aligned.m8n8.trans.b16 %x, %x; st.global.u32 [%at], %x;""",
        "u64",
    )
    source = np.arange(128, dtype=np.uint16).reshape(2, 8, 8)
    done = run(ptx, "k", (1, 1, 1), (64, 1, 1), source)
    assert (done.arrays[0] == source.swapaxes(1, 2)).all()


def test_a_warp_that_is_not_whole():
    ptx = kernel_of(
        """.reg .f64 %d<2>, %a, %b; .reg .pred %p; .reg .b32 %t; mov.u32 %t, %tid.x;
        setp.eq.u32 %p, %t, 3; @%p exit; mov.f64 %d0, 0d3ff0000000000000;
        mov.f64 %d1, %d0; mov.f64 %a, %d0; mov.f64 %b, %d0;
        mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, {%a}, {%b}, {%d0,%d1};"""
    )
    done = run(ptx, "k", (1, 1, 1), (32, 1, 1), finishes=False)
    assert "a warp of which not all lanes are there" in done.result.message


FRAGMENTS = """
#include <mma.h>
using namespace nvcuda::wmma;
template <typename T, typename C>
__device__ void multiply(const T* a, const T* b, C* c) {
  fragment<matrix_a, 16, 16, 16, T, row_major> left;
  fragment<matrix_b, 16, 16, 16, T, col_major> right;
  fragment<accumulator, 16, 16, 16, C> sum;
  load_matrix_sync(sum, c, 16, mem_col_major);
  for (int k = 0; k < 32; k += 16) {
    load_matrix_sync(left, a + k, 32);
    load_matrix_sync(right, b + k, 32);
    mma_sync(sum, left, right, sum);
  }
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] = sum.x[i] * C(2);
  store_matrix_sync(c, sum, 16, mem_row_major);
}
extern "C" __global__ void floats(const half* a, const half* b, float* c) { multiply(a, b, c); }
extern "C" __global__ void halves(const half* a, const half* b, half* c) { multiply(a, b, c); }
extern "C" __global__ void bytes(const signed char* a, const signed char* b, int* c) {
  multiply(a, b, c);
}
"""


@pytest.mark.tools
def test_fragments_of_cuda(tools):
    ptx = ptx_of(tools, FRAGMENTS)
    rng = np.random.default_rng(2)
    for name, of, out in (
        ("floats", np.float16, np.float32),
        ("halves", np.float16, np.float16),
        ("bytes", np.int8, np.int32),
    ):
        a, b = (rng.integers(-4, 5, (16, 32)).astype(of) for _ in range(2))
        c = rng.integers(-4, 5, (16, 16)).astype(out)
        done = run(ptx, name, (1, 1, 1), (32, 1, 1), a, b, c)
        wanted = 2 * (a.astype(int) @ b.T.astype(int) + c.T.astype(int))
        assert (done.arrays[2] == wanted).all(), name


def test_fragments_of_doubles_and_tf32():
    """The kinds with one element in a register, in PTX."""
    for shape, kind, sums, counts, word in (
        ("m8n8k4", "f64", "f64", (1, 1, 2), 8),
        ("m16n16k8", "tf32", "f32", (4, 4, 8), 4),
    ):
        lists = {
            x: "{" + ",".join(f"%{x}{i}" for i in range(n)) + "}"
            for x, n in zip("abc", counts, strict=True)
        }
        held, of = ("f64", "f64") if kind == "f64" else ("b32", "f32")
        rounding = ".rn" if kind == "f64" else ""
        ptx = kernel_of(
            f""".reg .{held} %a<{counts[0]}>, %b<{counts[1]}>; .reg .{of} %c<{counts[2]}>;
            .reg .b64 %p<3>; ld.param.u64 %p0, [k_0]; ld.param.u64 %p1, [k_1];
            ld.param.u64 %p2, [k_2];
            wmma.load.a.sync.aligned.row.{shape}.global.{kind} {lists["a"]}, [%p0];
            wmma.load.b.sync.aligned.row.{shape}.global.{kind} {lists["b"]}, [%p1];
            wmma.load.c.sync.aligned.row.{shape}.global.{sums} {lists["c"]}, [%p2];
            wmma.mma.sync.aligned.row.row.{shape}{rounding}.{sums}.{kind}.{kind}.{sums}
            {lists["c"]}, {lists["a"]}, {lists["b"]}, {lists["c"]};
            wmma.store.d.sync.aligned.row.{shape}.global.{sums} [%p2], {lists["c"]};""",
            *["u64"] * 3,
        )
        m, n, k = (8, 8, 4) if kind == "f64" else (16, 16, 8)
        rng = np.random.default_rng(3)
        dtype = np.dtype(f"f{word}")
        a, b, c = (rng.integers(-7, 8, x).astype(dtype) for x in ((m, k), (k, n), (m, n)))
        done = run(ptx, "k", (1, 1, 1), (32, 1, 1), a, b, c)
        assert (done.arrays[2] == a @ b + c).all()
