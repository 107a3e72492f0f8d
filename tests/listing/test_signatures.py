import random
import time

import pytest

from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.launch.c_types import CHAR, FLOAT, INT, named
from jitstudio.core.launch.types import Array, Opaque, Pointer
from jitstudio.listing.cuda.declarations import declarations
from jitstudio.listing.kernels.declared import declared_kernels, llvm_signatures
from jitstudio.listing.ptx import parameter_slots
from tests.support import SAMPLES, cuda, request, sample


def signatures(source, headers=()):
    """The kernels of a source, in order."""
    if source.kind is CodeKind.LLVM_IR:
        return llvm_signatures(source)
    return tuple(kernel.signature() for kernel in declared_kernels(source, headers))


SOURCE = r"""
#define KERNEL extern "C" __global__ void
#define REAL float
#define N 4
#define RESTRICT __restrict__
#ifdef WIDE
typedef double wide;
#else
typedef float wide;
#endif
#if 0
__global__ void gone(int x);
#endif
#include "p.cuh"
struct alignas(16) P {
    int x, *y; float v[3][N]; static int z; int g() const { return 1; } P(); int i = 3;
    enum { A, B = 3 }; using t = int; friend void ff(); const char* RESTRICT nm;
    void (*fp)(int); t last; P* next;
};
struct __align__(8) Small { char c; };
struct Bits { unsigned a : 3; };
struct Derived : P { };
struct Anonymous { int a; union { float f; int i; }; };
union U { int a; double d; };
struct __attribute__((packed)) Packed { char c; int x; };
typedef struct { int a; } R;
typedef float vec[3];
enum Color { red, green = 5, blue };
enum class E8 : unsigned char { a };
constexpr int M = N * 2 + (1 << 3) - blue;
struct Arr { int a[M]; int b[sizeof(vec)]; char c[blue]; };
template <class T> using Ptr = T*;
template <typename T, int K = 2> struct Vec { T x[K]; };
namespace a { struct In { short s; }; namespace b { __global__ void inner(In x, ::P* y); } }
KERNEL made(REAL* RESTRICT x, wide w, Color c, E8 e, const R r, vec v, float u[], Arr arr) {}
/* one */ __global__ void /* two */ __launch_bounds__(M, 2) odd(
    Bits b, Derived d, Anonymous an, U u, Packed pk, Ptr<float> pf, FromHeader h, a::In in,
    Unknown u2, Unknown* u3, struct Small s, volatile float* vf, float2 const* __restrict__ f2,
    __grid_constant__ const Small gp, int n = sizeof(int), char const* const* argv = nullptr,
    float& ref, void (*call)(int), Vec<double, 3> v3, Vec<float> v2, int, void*) { }
__cluster_dims__(4, 2, 1) __global__ void clustered();
template <typename T, int BLOCK = 128> __global__ __launch_bounds__(BLOCK * 2) static
void tmpl(T* x, // the x, with a comma
          const T y, cuda::std::array<T, BLOCK> z);
template <typename... Ts> __global__ void pack(int n, Ts... rest);
__device__ void no_kernel(int x);
"""
HEADERS = (
    Header("p.cuh", b"#ifndef P_H\n#define P_H\nstruct FromHeader { double d[2]; };\n#endif"),
)
MUTATIONS = (
    b"",
    *b"( ) < > { } * \xff \" # ' \\".split(),
    b"__global__ ",
    b"#if 0\n",
    b"template<",
)


@pytest.fixture(scope="module")
def found():
    return {kernel.name: kernel for kernel in signatures(cuda(SOURCE), HEADERS)}


@pytest.fixture(scope="module")
def types(found):
    return {p.name: p.type for p in (*found["made"].parameters, *found["odd"].parameters)}


def test_all_kernels_are_found_in_order(found):
    names = ["a::b::inner", "made", "odd", "clustered", "tmpl", "pack"]
    assert list(found) == names


def test_a_kernel_knows_where_it_stands(found):
    lines = SOURCE.split("\n")
    assert "KERNEL made" in lines[found["made"].line - 1]
    assert "odd(" in lines[found["odd"].line - 1]
    assert lines[found["tmpl"].line - 1].startswith("void tmpl")
    assert found["made"].module == "kernel.cu"


def test_attributes_of_kernels_stand_before_or_behind_void(found):
    assert found["odd"].block_hint == 10
    assert found["clustered"].cluster == (4, 2, 1)
    assert found["clustered"].parameters == ()
    assert found["made"].block_hint is found["odd"].cluster is None


def test_types_are_spelt_as_in_the_source(found):
    spelt = {p.name: p.spelling for p in found["odd"].parameters}
    assert spelt["f2"] == "float2 const* __restrict__"
    assert spelt["gp"] == "const Small"
    assert spelt["n"] == "int"
    assert spelt["call"] == "void (*)(int)"
    assert [p.spelling for p in found["tmpl"].parameters][:2] == ["T*", "const T"]
    assert found["made"].parameters[0].spelling == "REAL* __restrict__"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("x", Pointer(FLOAT)),
        ("w", FLOAT),
        ("c", INT),
        ("e", named("unsigned char")),
        ("v", Pointer(FLOAT)),
        ("vf", Pointer(FLOAT)),
        ("f2", Pointer(named("float2"), const=True)),
        ("argv", Pointer(Pointer(CHAR, const=True), const=True)),
        ("pf", Pointer(FLOAT)),
        ("b", Opaque("Bits", 4, 4)),
        ("d", None),
        ("pk", None),
        ("u2", None),
        ("u3", Pointer(None)),
        ("call", Pointer(None)),
        ("an", Opaque("Anonymous", 8, 4)),
        ("ref", Opaque("float&", 8, 8)),
    ],
)
def test_types_are_what_the_text_tells(types, name, kind):
    assert types[name] == kind


def test_parameters_without_names_count(found):
    assert [(p.name, p.type) for p in found["odd"].parameters[-2:]] == [
        ("", INT),
        ("", Pointer(None)),
    ]


def test_a_struct_is_laid_out(found):
    struct = found["a::b::inner"].parameters[1].type.target
    assert [(f.name, f.type.name, f.offset) for f in struct.fields] == [
        ("x", "int", 0),
        ("y", "int*", 8),
        ("v", "float[4][3]", 16),
        ("i", "int", 64),
        ("nm", "const char*", 72),
        ("fp", "void*", 80),
        ("last", "int", 88),
        ("next", "void*", 96),
    ]
    assert (struct.size, struct.align) == (112, 16)


def test_structs_of_other_places_are_found(types, found):
    assert types["h"].size == 16
    assert types["in"].name == found["a::b::inner"].parameters[0].type.name == "In"
    assert (types["s"].size, types["gp"].align) == (8, 8)
    assert types["r"].name == "R"
    assert types["u"] == Opaque("U", 8, 8)


def test_array_bounds_are_worked_out(types):
    assert [f.type.count for f in types["arr"].fields] == [10, 12, 6]


def test_class_templates_are_filled_in(types):
    assert types["v3"].fields[0].type == Array(named("double"), 3)
    assert (types["v2"].name, types["v2"].size) == ("Vec<float, 2>", 8)


def test_a_template_is_told_with_its_parameters(found):
    kernel = found["tmpl"]
    assert kernel.template_parameters == ("T", "BLOCK")
    assert [p.type for p in kernel.parameters] == [Pointer(None), None, None]
    assert found["pack"].parameters[1].spelling == "Ts..."


def test_template_arguments_can_be_put_in():
    kernel = next(k for k in declared_kernels(cuda(SOURCE), HEADERS) if k.path == "tmpl")
    signature = kernel.signature(kernel.bindings(["float", "2 + 2"]))
    pointer, value, array = (p.type for p in signature.parameters)
    assert (pointer, value, array.size) == (Pointer(FLOAT), FLOAT, 16)
    assert signature.block_hint == 8
    assert kernel.signature(kernel.bindings(["Vec<int>"])).block_hint == 256


def test_macros_from_outside_count():
    (kernel,) = declared_kernels(
        cuda("#ifdef W\nusing T = double;\n#else\nusing T = int;\n#endif\n"
             "struct S { REAL a[N]; T b; };\n__global__ void k(S s);"),
        defines=("W", "REAL=float", "N=2"),
    )  # fmt: skip
    assert [f.type.name for f in kernel.signature().parameters[0].type.fields] == [
        "float[2]",
        "double",
    ]


METHODS = """\
struct S {
    S() {}
    __host__ __device__ explicit S(float a) : x(a) {}
    __device__ __forceinline__ S& operator+=(const S& o) { x += o.x; return *this; }
    template <class T> __device__ T as() const { return T(x); }
    static_assert(sizeof(int) == 4, "");
    using value_type = float;
    constexpr static int N = 3;
    float x;
    [[maybe_unused]] value_type y[N];
    float* __restrict__ p;
};
__global__ void k(S s);
"""


def test_what_is_no_member_takes_no_place():
    (kernel,) = signatures(cuda(METHODS))
    found = kernel.parameters[0].type
    assert [(f.name, f.offset) for f in found.fields] == [("x", 0), ("y", 4), ("p", 16)]


def test_a_virtual_function_makes_a_layout_unknown():
    (kernel,) = signatures(cuda("struct S { virtual void f() {} }; __global__ void k(S s);"))
    assert kernel.parameters[0].type is None


def test_a_specialised_class_template_is_not_guessed():
    text = "template<class T> struct S { T x; }; template<> struct S<int> { char c; };"
    (kernel,) = signatures(cuda(f"{text} __global__ void k(S<int> s, S<int>* p);"))
    assert [p.type for p in kernel.parameters] == [None, Pointer(None)]


@pytest.mark.parametrize(
    "text",
    [
        "struct S { S s; }; __global__ void k(S s);",
        "struct A { B b; }; struct B { A a; }; __global__ void k(A s);",
        "using A = B; using B = A; __global__ void k(A s);",
        "#define A B\n#define B A\nstruct S { int x[A]; };\n__global__ void k(S s);",
        "const int a = b, b = a; struct S { int x[a]; }; __global__ void k(S s);",
        "template<class T> struct S { S<S<T>> x; }; __global__ void k(S<int> s);",
        "struct S { int d[1 / 0]; }; __global__ void k(S s);",
        "struct S { int d[1 << -1]; }; __global__ void k(S s);",
        "struct S { int d[-3]; }; __global__ void k(S s);",
    ],
)
def test_what_makes_no_sense_is_unknown(text):
    (kernel,) = signatures(cuda(text))
    assert kernel.parameters[0].type is None


@pytest.mark.slow
def test_half_a_text_is_read_as_far_as_it_goes():
    names = {kernel.name for kernel in signatures(cuda(SOURCE), HEADERS)}
    complete = 0
    for end in range(0, len(SOURCE), 3):
        found = signatures(cuda(SOURCE[:end]), HEADERS)
        complete = max(complete, len(names & {kernel.name for kernel in found}))
    assert complete == len(names)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.cu*")), ids=lambda path: path.name)
def test_no_beginning_of_a_sample_is_too_odd(path):
    content = path.read_bytes()
    for end in range(len(content)):
        signatures(Source("x.cu", CodeKind.CUDA, content[:end]))
    assert len(signatures(Source("x.cu", CodeKind.CUDA, content))) == content.count(b"__global__")


@pytest.mark.slow
def test_no_mistake_in_a_text_is_too_odd():
    chance = random.Random(7)
    for _ in range(300):
        text = bytearray(SOURCE.encode())
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 20)] = chance.choice(MUTATIONS)
        assert isinstance(signatures(Source("x.cu", CodeKind.CUDA, bytes(text))), tuple)


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int " + 20_000 * "*" + "x);",
        "__global__ void k(int " + 5_000 * "(" + "x" + 5_000 * ")" + ");",
        "namespace a{" * 20_000,
        "struct A { int a[" + 5_000 * "(" + "1" + 5_000 * ")" + "]; };__global__ void k(A a);",
        "const int a = " + 5_000 * "1+" + "1; struct S { int x[a]; }; __global__ void k(S s);",
        "enum X { " + 5_000 * "a," + "z };struct S { int a[z]; };__global__ void k(S s);",
        "#define A B B\n#define B C C\n#define C A A __device__\n" + "A " * 50,
        "__global__ void k(int " + 5_000 * "[3]" + "x" + ");",
        "/*" * 20_000,
        'R"(' * 20_000,
        "__launch_bounds__(" * 5_000,
    ],
    ids=range(11),
)
def test_no_depth_is_too_deep(text):
    assert len(signatures(cuda(text))) <= 1


@pytest.mark.bench
def test_a_source_is_read_in_no_time():
    source = sample("saxpy.cu")

    def seconds():
        declarations.cache_clear()
        start = time.process_time()
        signatures(source)
        return time.process_time() - start

    # Some 0.3 ms; machines here are noisy.
    assert min(seconds() for _ in range(20)) < 0.002


def test_other_kinds_declare_nothing():
    assert signatures(Source("k.ptx", CodeKind.PTX, b"__global__ void k();")) == ()


BIT_FIELDS = r"""
struct A { int a : 3; int b : 5; unsigned c : 24; };
struct B { unsigned long long x : 40; int y; char z : 4; };
struct C { char c; int b : 4; };
struct D { char c : 4; int : 0; char d : 4; };
struct E { int a : 20; int b : 20; short s; };
struct F { bool f : 1; bool g : 1; unsigned char h : 7; };
struct G { unsigned short a : 9, b : 9; };
struct H { char a; int : 5; char b; };
struct alignas(16) I { int a : 1; double d; int b : 31, c : 2; };
union J { int a : 20; char c; };
enum Three { one, two, three }; struct K { Three e : 3; int n : 3; };
extern "C" __global__ void k(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K l, A* p) {}
"""


@pytest.mark.tools
def test_structs_with_bit_fields_are_laid_out_as_by_the_compiler(tools):
    (artifact,) = tools.build(request(cuda(BIT_FIELDS), arch="sm_90")).artifacts
    slots = parameter_slots(artifact.content.decode())["k"]
    (kernel,) = signatures(cuda(BIT_FIELDS))
    *values, pointer = (parameter.type for parameter in kernel.parameters)
    assert [(v.size, v.align) for v in values] == [(p.slot.size, p.slot.align) for p in slots[:-1]]
    assert pointer == Pointer(Opaque("A", 4, 4))


def test_kernels_behind_macros_have_the_names_of_their_parameters():
    header = Header(
        "own.h",
        b"#define KERNEL_OF(name, op) __global__ void name(const float *left, float *right) \\\n"
        b"    { right[0] = left[0] op 2.0f; }\n"
        b'#define KERNEL(T) extern "C" __global__ void T\n'
        b"#define MAKE(name) KERNEL_OF(name, *)\n"
        b"#define OTHER(x) ((x) + 1)\n",
    )
    text = (
        '#include "own.h"\nKERNEL_OF(doubled,\n          *)\nKERNEL(third)(float *x, int n) {}\n'
        "MAKE(fourth)\n#define DECL __global__ void\nDECL fifth(double *y) { y[0] = OTHER(1); }\n"
    )
    kernels = [k.signature() for k in declared_kernels(cuda(text), (header,))]
    assert [(k.name, k.line, [p.name for p in k.parameters]) for k in kernels] == [
        ("doubled", 2, ["left", "right"]),
        ("third", 4, ["x", "n"]),
        ("fourth", 5, ["left", "right"]),
        ("fifth", 7, ["y"]),
    ]


def test_an_argument_that_is_not_known_is_not_the_default():
    text = """
template <class T, int N = 2> struct V { T x[N]; };
__global__ void k(V<float> a, V<float, 3> b, V<float, SIZE> c, V<Unknown> d);
"""
    (kernel,) = signatures(cuda(text))
    sizes = [p.type.size if p.type else None for p in kernel.parameters]
    assert sizes == [8, 12, None, None]
