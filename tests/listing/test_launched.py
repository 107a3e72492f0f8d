"""Which instances of kernel templates host code launches."""

import re
import time

import pytest

from jitstudio.listing.cuda.host_code import find_host_code

KERNELS = """\
template <typename T> __global__ void scale(T *x, T a) { *x *= a; }
template <int N, typename T = float> __global__ void tile(const T *x) { }
template <class T, class F> __global__ void apply(T *x, F f) { f(*x); }
template <class T> struct View { T *p; };
template <class T> __global__ void view(View<T> v) { }
template <class T> struct Square { __device__ void operator()(T &x) { x *= x; } };
namespace math { template <class T> __global__ void fill(T *x) { } }
__global__ void plain(int *x) { }
"""


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("void f() { plain<<<1, 2>>>(p); }", ()),
        ("void f() { scale<float><<<1, 2>>>(p, 1); }", ("scale<float>",)),
        ("void f() { float *p; scale<<<1, dim3(2, 3)>>>(p, 1.0f); }", ("scale<float>",)),
        ("void f(const double *p, int n) { scale<<<1, 2>>>(p + n, 1); }", ("scale<double>",)),
        ("void f(unsigned int *p) { scale<<<1, 2>>>(p, 1); }", ("scale<unsigned int>",)),
        ("void f() { const int a = 4, b = 8; tile<b><<<1, b>>>(p); }", ("tile<8>",)),
        (
            "void f() { constexpr int b = 1 << 3; tile<b, int><<<1, b>>>(p); }",
            ("tile<(1 << 3), int>",),
        ),
        ("void f() { using R = double; scale<R><<<1, 1>>>(p, 1); }", ("scale<double>",)),
        ("void f() { int x[4]; apply<<<1, 1>>>(x, Square<int>()); }", ("apply<int, Square<int>>",)),
        ("void f(View<char> v) { view<<<1, 1>>>(v); }", ("view<char>",)),
        ("void f() { math::fill<long><<<1, 1>>>(p); }", ("math::fill<long>",)),
        (
            """template <class T> void run(T *x) { scale<T><<<1, 1>>>(x, 1); }
            int main() { run<float>(a); run<int>(b); double *c; run(c); }""",
            ("scale<float>", "scale<int>", "scale<double>"),
        ),
        (
            """template <class T> struct Solver { void go() { scale<T><<<1, 1>>>(x, 1); } T *x; };
            int main() { Solver<half> s; s.go(); }""",
            ("scale<half>",),
        ),
        ("void f() { /* scale<int><<<1, 1>>>() */ scale<", ()),
        ("void f() { scale<<<1", ()),
        ("void f() { using T = T; const int n = n; tile<n, T><<<1, 1>>>(p); }", None),
        ("void f() { scale<<<1, 2>>>(unknown, 1 + q()); }", ()),
    ],
)
def test_instances_are_those_of_the_launches(host, found):
    launched = find_host_code(f"{KERNELS}{host}\n".encode()).launched
    assert found is None or launched == found


@pytest.mark.parametrize(
    ("host", "instances"),
    [
        # Handed on in place of being launched there.
        ("void f() { cudaLaunchKernel((void *)tile<4>, 1, 32, a); }", ("tile<4>",)),
        ("void f() { auto kernel = tile<2, int>; kernel<<<1, 1>>>(p); }", ("tile<2, int>",)),
        ("template <class F> void go(F f); void f() { go(scale<half>); }", ("scale<half>",)),
        ("void (*table[])(const int *) = {tile<1, int>, tile<2, int>};", None),
        # By macros, and by macros of macros.
        (
            "#define GO(N) tile<N, int><<<1, 1>>>(p)\nvoid f(int *p) { GO(4); GO(8); }",
            ("tile<4, int>", "tile<8, int>"),
        ),
        (
            (
                "#define RUN(T, ...) scale<T><<<1, 1>>>(__VA_ARGS__)\n"
                "#define ALL(X) RUN(float, X, 1); \\\n  RUN(double, X, 1)\nvoid f() { ALL(p); }"
            ),
            ("scale<float>", "scale<double>"),
        ),
        # By templates of the host that call each other, with defaults, and end by `if constexpr`.
        (
            (
                "template <int N> void each(int *p) { tile<N, int><<<1, 1>>>(p); "
                "if constexpr (N > 1) each<N / 2>(p); }\nint main() { each<8>(p); }"
            ),
            ("tile<8, int>", "tile<4, int>", "tile<2, int>", "tile<1, int>"),
        ),
        (
            (
                "template <const int A = 2, const int B = A * 4> void run() "
                "{ tile<A * B, int><<<1, 1>>>(p); }\nint main() { run(); run<1>(); }"
            ),
            ("tile<2 * 8, int>", "tile<1 * 4, int>"),
        ),
        (
            (
                "template <class T> void low(T *p) { scale<T><<<1, 1>>>(p, 1); }\n"
                "template <class T> void high(T *p) { low(p); }\nvoid f(char *c) { high(c); }"
            ),
            ("scale<char>",),
        ),
        (
            (
                "template <bool B> void pick(int *p) { if constexpr (B) tile<1, int><<<1, 1>>>(p);"
                " else { tile<2, int><<<1, 1>>>(p); } }\nvoid f(int *p) { pick<false>(p); }"
            ),
            ("tile<2, int>",),
        ),
        (
            (
                "template <class T> void run(T *p) { scale<T><<<1, 1>>>(p, 1); }\n"
                "template void run<float>(float *);"
            ),
            ("scale<float>",),
        ),
        # Behind a label and a `?:`.
        (
            (
                "void f(int *p, int n) { switch (n) { case 3:tile<3, int><<<1, 1>>>(p); break; "
                "default:tile<4, int><<<1, 1>>>(p); } g(n ? tile<5, int>:tile<6, int>); }"
            ),
            ("tile<3, int>", "tile<4, int>", "tile<5, int>", "tile<6, int>"),
        ),
        # As C++ takes it, not as text.
        (
            (
                "template <int N> void twice(int *p) { tile<N * 2, int><<<1, 1>>>(p); }\n"
                "void f(int *p) { twice<BASE + 1>(p); }"
            ),
            ("tile<(BASE + 1) * 2, int>",),
        ),
        # Without an end.
        (
            (
                "template <int N> void up(int *p) { tile<N, int><<<1, 1>>>(p); up<N + 1>(p); }\n"
                "int main() { up<0>(p); }"
            ),
            None,
        ),
    ],
)
def test_instances_are_followed_through_all_that_names_them(host, instances):
    found = find_host_code(f"{KERNELS}{host}\n".encode()).launched
    if instances is None:
        assert found[:2] in {("tile<1, int>", "tile<2, int>"), ("tile<0, int>", "tile<1, int>")}
    else:
        assert found == instances


def test_kernels_of_one_name_are_told_apart_by_their_namespaces():
    text = "template <int N> __global__ void k(int *x) { }\n"
    text = f"namespace a {{ {text.strip()} }}\n{text}"
    text += "void f(int *p) { k<3><<<1, 1>>>(p); ::k<4><<<1, 1>>>(p); a::k<5><<<1, 1>>>(p); }\n"
    assert find_host_code(text.encode()).launched == ("k<3>", "k<4>", "a::k<5>")


@pytest.mark.parametrize(
    "text",
    [
        (
            b"template <int N> void f() { if constexpr (gr\xf6sse > 3) k<N><<<1, 1>>>(p); }\n"
            b"int main() { f<1>(); }"
        ),
        b"template <int N> void f() { if (N == 0) { } "
        + b"else if constexpr (N == 1) k<N><<<1, 1>>>(p);" * 1100
        + b" }\nint main() { f<1>(); }",
        b"void f() { " + b"if constexpr (1) " * 1500 + b"k<1><<<1, 1>>>(p); }",
        (
            b"template <int N> void each(int *p) { if constexpr (N > X) { k<N><<<1, 1>>>(p); "
            b"each<N * N>(p); } }\nint main() { each<2>(p); }"
        ),
        (
            b"template <class T> void each(int *p) { k<sizeof(T)><<<1, 1>>>(p); each<W<T, T>>(p); }"
            b"\nint main() { each<int>(p); }"
        ),
        b"void f() { " + b"k<" * 4000 + b" }",
    ],
    ids=["Latin-1", "many branches", "deep", "squares", "growing types", "open brackets"],
)
def test_no_text_is_too_much_for_the_search(text):
    began = time.process_time()
    find_host_code(b"template <int N> __global__ void k(int *x) { }\n" + text)
    assert time.process_time() - began < 2


def test_kernels_and_macros_of_the_program_s_own_headers_are_known():
    header = b"namespace h { template <class T> __global__ void fill(T *x) { } }\n"
    header += b"#define FILL(T, X) h::fill<T><<<1, 1>>>(X)\n"
    text = b'#include "h.h"\nint main() { h::fill<int><<<1, 1>>>(p); FILL(float, q); }\n'
    assert find_host_code(text).launched == ()
    assert find_host_code(text, headers=(header,)).launched == ("h::fill<int>", "h::fill<float>")


def test_types_in_a_namespace_of_the_program_s_own_headers_are_qualified():
    header = b"namespace n { struct Tile { }; constexpr int SIZE = 4; }\n"
    text = b'#include "t.h"\nnamespace n { template <class T, int N> __global__ void fill() { }\n'
    text += b"void run() { using Kind = Tile; fill<Kind, SIZE><<<1, 1>>>(); } }\n"
    assert find_host_code(text, headers=(header,)).launched == ("n::fill<n::Tile, n::SIZE>",)


def test_a_kernel_template_without_an_instance_is_named():
    found = find_host_code(f"{KERNELS}void f() {{ scale<int><<<1, 1>>>(p, 1); }}\n".encode())
    names = re.findall(r"found for (\w+),", " ".join(doubt.reason for doubt in found.doubts))
    assert names == ["tile", "apply", "view", "fill"]
    explicit = b"template __global__ void tile<3, int>(const int *);\n"
    found = find_host_code(KERNELS.encode() + explicit + b"int main() { }\n")
    assert "tile" not in " ".join(doubt.reason for doubt in found.doubts)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        # A template of the host whose arguments nobody knows, and one that nobody calls.
        (
            (
                "template <class T> void run(T *x) { scale<T><<<1, 1>>>(x, 1); }\n"
                "int main() { run(other()); scale<int><<<1, 1>>>(p, 1); }"
            ),
            (10, "of run, which launches kernels, could not"),
        ),
        (
            (
                "template <class T> struct Op { void go(T *x) { scale<T><<<1, 1>>>(x, 1); } };\n"
                "int main() { scale<int><<<1, 1>>>(p, 1); }"
            ),
            (9, "was found for Op, which launches"),
        ),
        # A kernel that needs more arguments than are known.
        (
            "int main() { apply<int, F><<<1, 1>>>(p, f);\napply<int><<<1, 1>>>(p, other + 1); }",
            (10, "arguments of apply could not"),
        ),
        (
            (
                "template <class T> struct Op { template <int N> void go() "
                "{ scale<T><<<1, 1>>>(x, 1); } };\n"
                "int main() { scale<int><<<1, 1>>>(p, 1); auto op = make(1); op.go<2>(); }"
            ),
            (9, "arguments of scale could not"),
        ),
    ],
)
def test_no_instance_is_lost_without_a_word(host, said):
    line, words = said
    doubts = find_host_code(f"{KERNELS}{host}\n".encode()).doubts
    assert [words in doubt.reason for doubt in doubts if doubt.line == line] == [True]


def test_a_template_of_a_header_that_the_text_names_is_not_lost_either():
    header = b"template <class T> struct Fill { void go() { scale<T><<<1, 1>>>(x, 1); } };\n"
    text = KERNELS.encode() + b"int main() { scale<int><<<1, 1>>>(p, 1);\nmake<F, Fill>(3); }\n"
    doubts = {doubt.line: doubt.reason for doubt in find_host_code(text, headers=[header]).doubts}
    assert "No call with known template arguments was found for Fill" in doubts[10]
    text = text.replace(b"make<F, Fill>", b"Fill<float>")
    assert 10 not in {doubt.line for doubt in find_host_code(text, headers=[header]).doubts}


UNKNOWN = " ".join(f"view<<<1, 2>>>(v{i});" for i in range(2000))
INSTANCES = " ".join(f"run<T{i}>(x);" for i in range(1000))


@pytest.mark.parametrize(
    "host",
    [
        f"void f() {{ {UNKNOWN} }}",
        f"template <class T> void run(T *x) {{ {UNKNOWN} }}\nvoid f() {{ {INSTANCES} }}",
    ],
    ids=["of unknown types", "in a template of many instances"],
)
def test_many_launches_take_no_time_that_grows_with_their_square(host):
    began = time.process_time()
    found = find_host_code(f"{KERNELS}{host}\n".encode())
    # It was 5 s and more.
    assert time.process_time() - began < 2
    assert found.launched == ()
    assert ["too many" in doubt.reason for doubt in found.doubts] == [True]


def test_launches_that_are_too_many_are_named():
    lines = "\n".join(f"tile<{i}, int><<<1, 2>>>(p);" for i in range(70))
    found = find_host_code(f"{KERNELS}void f(float *p) {{\n{lines}\n}}\n".encode())
    assert found.launched == tuple(f"tile<{i}, int>" for i in range(64))
    assert [doubt.line for doubt in found.doubts] == [KERNELS.count("\n") + 66]
