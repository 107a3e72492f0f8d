from jitstudio.listing.find_symbols import cuda_symbols
from jitstudio.listing.symbols import SymbolKind

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
