import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.find_symbols import cuda_symbols, symbols
from jitstudio.listing.symbols import SymbolKind, llvm_symbols, ptx_symbols

PTX = """\
.version 8.0
.target sm_75
.global .align 4 .b8 buffer[16];
.visible .const .f32 factor = 0f3F800000;
.visible .func (.reg .f32 result) scale(.reg .f32 a)
{
    ret;
}
.visible .entry _Z4fillPfi(
    .param .u64 out
)
{
    .reg .b32 %r<3>;
    @%p1 bra $L__BB0_2;
$L__BB0_2:
    ret;
// done: no label
}
"""
LLVM = """\
%struct.pair = type { i32, i32 }
@table = addrspace(4) constant [2 x i32] [i32 1, i32 2]
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @annotated(ptr %p) {
entry:
  br label %done
done:                                             ; preds = %entry
  ret void
}
define ptx_kernel void @by_convention() { ret void }
define internal float @"a name"(float %x) #0 {
  ret float %x
}
!nvvm.annotations = !{!0}
!0 = !{ptr @annotated, !"kernel", i32 1}
"""


def found(listed):
    return [(s.name, s.kind.value, s.line) for s in listed]


def test_the_symbols_of_ptx():
    assert found(ptx_symbols(PTX)) == [
        ("buffer", "variable", 3),
        ("factor", "variable", 4),
        ("scale", "function", 5),
        ("_Z4fillPfi", "kernel", 9),
        ("$L__BB0_2", "label", 15),
    ]


def test_the_symbols_of_llvm_ir():
    assert found(llvm_symbols(LLVM)) == [
        ("%struct.pair", "type", 1),
        ("@table", "variable", 2),
        ("annotated", "kernel", 4),
        ("entry", "label", 5),
        ("done", "label", 7),
        ("by_convention", "kernel", 10),
        ("a name", "function", 11),
    ]


@pytest.mark.parametrize(
    ("kind", "text", "names"),
    [
        (CodeKind.CUDA, "__global__ void f() {}", ["f"]),
        (CodeKind.HEADER, "struct S { int x; };", ["S"]),
        (CodeKind.PTX, ".entry f()", ["f"]),
        (CodeKind.LLVM_IR, "define void @f() {", ["f"]),
        (CodeKind.SASS, "f: EXIT ;", []),
    ],
)
def test_each_kind_of_text_is_read_in_its_own_way(kind, text, names):
    assert [symbol.name for symbol in symbols(kind, text)] == names


SOURCE = """\
#define N 3
#define SQUARE(x) ((x) * (x))
namespace a { namespace {
template <class T> struct V { T x; __device__ T get() const { return x; } ~V() {} };
} }
extern "C" __global__ void __launch_bounds__(256) first(int* p) { p[0] = 1; }
template <typename T>
__global__ void second(T* p) { struct Inner { int x; }; }
__device__ int a::V<int>::get(int i) { return i; }
enum class Colour { RED };
__constant__ float table[4];
using Real = float;
typedef struct { int a; } Pair;
#ifdef NEVER
Real operator+(Real a, Real b) { return a; }
#endif
__device__ float declared_only(int);
struct Unfinished;
"""


def test_all_that_is_defined_is_found_where_it_is():
    kind = SymbolKind
    assert [(s.name, s.kind, s.line) for s in cuda_symbols(SOURCE)] == [
        ("N", kind.MACRO, 1),
        ("SQUARE", kind.MACRO, 2),
        ("a::V", kind.TYPE, 4),
        ("a::V::get", kind.FUNCTION, 4),
        ("a::V::~V", kind.FUNCTION, 4),
        ("first", kind.KERNEL, 6),
        ("second", kind.KERNEL, 8),
        ("a::V<int>::get", kind.FUNCTION, 9),
        ("Colour", kind.TYPE, 10),
        ("table", kind.VARIABLE, 11),
        ("Real", kind.TYPE, 12),
        ("Pair", kind.TYPE, 13),
        ("operator+", kind.FUNCTION, 15),
    ]


def test_what_is_around_an_error_is_still_found():
    broken = "__global__ void f() { int = ; }\n) } {{\n__global__ void g() {}\n"
    assert "f" in {s.name for s in cuda_symbols(broken)}
    assert cuda_symbols("") == ()


def test_letters_outside_of_ascii_move_no_line():
    found = cuda_symbols("// \N{ROCKET}\n/* ä */ void größe() {}\n")
    assert [(s.name, s.line) for s in found] == [("größe", 2)]
