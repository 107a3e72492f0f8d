"""Which instances of kernel templates host code launches."""

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
