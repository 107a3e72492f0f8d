"""The launch that a form begins with is that of its own instance of a template."""

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.request import HostBuffer
from jitstudio.listing.cuda.declarations import declarations
from jitstudio.listing.cuda.host_code import find_host_code
from jitstudio.listing.cuda.host_launches.program import host_launches
from jitstudio.listing.cuda.types import Types
from jitstudio.listing.kernel_names import read_name
from jitstudio.listing.kernels.instance_launches import LaunchedInstance, launch_of

KERNELS = """\
template <int N> __global__ void k(float *x, int n) { }
template <class T> __global__ void s(T *x, int n) { }
"""
MAIN = "int main(int argc, char **argv) { float *d; int n = 3; cudaMalloc(&d, 1024); %s }"
# Each with the host code before `main`, its body, and per instance grid, block and last argument.
PROGRAMS = {
    "launches by address": (
        "",
        (
            "void *a[] = {&d, &n}; cudaLaunchKernel((void *)k<4>, dim3(2), dim3(32), a, 0, 0);"
            "void *b[2]; b[0] = &d; b[1] = &n;"
            "cudaLaunchKernel((const void *)&k<8>, 3, 64, b, 0, 0);"
        ),
        {"k<4>": ((2,), (32,), 3), "k<8>": ((3,), (64,), 3)},
    ),
    "a list without a name": (
        "",
        "cudaLaunchCooperativeKernel((void *)k<4>, 5, 32, (void *[]){&d, &n});",
        {"k<4>": ((5,), (32,), 3)},
    ),
    "configurations": (
        "",
        (
            "cudaLaunchConfig_t c = {.gridDim = dim3(2, 3), .blockDim = {64}}; "
            "cudaLaunchKernelEx(&c, k<4>, d, 10); cudaLaunchConfig_t e = {5, 96, 7}; "
            "cudaLaunchKernelEx(&e, k<2>, d, 11);"
        ),
        {"k<4>": ((2, 3), (64,), 10), "k<2>": ((5,), (96,), 11)},
    ),
    "a pointer to a kernel": (
        "",
        "auto f = k<4>; f<<<6, 32>>>(d, 1); auto g = argc > 1 ? k<1> : k<2>; g<<<7, 32>>>(d, 2);",
        {"k<4>": ((6,), (32,), 1), "k<2>": ((7,), (32,), 2)},
    ),
    "a table": (
        "using F = void (*)(float *, int);",
        "F t[] = {k<1>, k<2>}; for (int i = 0; i < 2; i++) t[i]<<<7, 8>>>(d, 6);",
        {"k<1>": ((7,), (8,), 6), "k<2>": ((7,), (8,), 6)},
    ),
    "a table of structs": (
        (
            "struct E { const char *n; void (*f)(float *, int); int g; };\n"
            'E table[] = {{"a", k<1>, 4}, {"b", k<2>, 8}};'
        ),
        "for (auto &e : table) e.f<<<e.g, 32>>>(d, e.g);",
        {"k<1>": ((4,), (32,), 4), "k<2>": ((8,), (32,), 8)},
    ),
    "handed to a template": (
        (
            "template <class F> void go(F f, float *p, int n) { f<<<n, 32>>>(p, n); }\n"
            "template <void (*K)(float *, int)> void run(float *p) { K<<<9, 32>>>(p, 9); }"
        ),
        "go(k<4>, d, 5); run<k<8>>(d);",
        {"k<4>": ((5,), (32,), 5), "k<8>": ((9,), (32,), 9)},
    ),
    "a pack of arguments": (
        "template <class F, class... A> void go(F f, int g, A... a) { f<<<g, 32>>>(a...); }",
        "go(k<4>, 2, d, 10); go(s<float>, 3, d, 11);",
        {"k<4>": ((2,), (32,), 10), "s<float>": ((3,), (32,), 11)},
    ),
    "a pack of numbers": (
        "template <int... Ns> void all(float *p) { (k<Ns><<<Ns, 32>>>(p, Ns), ...); }",
        "all<1, 2, 4>(d);",
        {"k<1>": ((1,), (32,), 1), "k<2>": ((2,), (32,), 2), "k<4>": ((4,), (32,), 4)},
    ),
    "a template that calls itself": (
        (
            "template <int N> void each(float *p) "
            "{ k<N><<<N, 32>>>(p, N); if constexpr (N > 1) each<N / 2>(p); }"
        ),
        "each<4>(d);",
        {f"k<{n}>": ((n,), (32,), n) for n in (4, 2, 1)},
    ),
    "an end by a specialisation": (
        (
            "template <int N> struct E { static void go(float *p) "
            "{ k<N><<<N, 32>>>(p, N); E<N - 1>::go(p); } };\n"
            "template <> struct E<0> { static void go(float *p) { } };"
        ),
        "E<3>::go(d);",
        {f"k<{n}>": ((n,), (32,), n) for n in (3, 2, 1)},
    ),
    "a constant of a class template": (
        (
            "template <int N> struct L { static constexpr int B = N * 32; "
            "static void run(float *p, int n) { k<N><<<n / B, B>>>(p, n); } };"
        ),
        "L<2>::run(d, 256); L<4>::run(d, 256);",
        {"k<2>": ((4,), (64,), 256), "k<4>": ((2,), (128,), 256)},
    ),
    "a const parameter": (
        "template <const int N> void go(float *p) { k<N * 2><<<N, 32>>>(p, N); }",
        "go<3>(d); go<4>(d);",
        {"k<6>": ((3,), (32,), 3), "k<8>": ((4,), (32,), 4)},
    ),
    "an object of a class template": (
        (
            "template <class T> struct S { T *p; int n; S(int m) : n(m) { cudaMalloc(&p, 8 * m); } "
            "void run() { s<T><<<n / 32, 32>>>(p, n); } };"
        ),
        "S<float> a(64); a.run(); S<double> b(128); b.run();",
        {"s<float>": ((2,), (32,), 64), "s<double>": ((4,), (32,), 128)},
    ),
    "lambdas": (
        "",
        (
            "auto f = [&](int m) { k<8><<<m, 32>>>(d, m); }; f(5); "
            "auto g = [](auto h) { h(); }; g([=] { k<4><<<1, 1>>>(d, 2); });"
        ),
        {"k<8>": ((5,), (32,), 5), "k<4>": ((1,), (1,), 2)},
    ),
    "macros": (
        "#define GO(N) k<N><<<N, 32>>>(d, N)\n#define RUN(K, ...) K<<<2, 32>>>(__VA_ARGS__)",
        "GO(4); GO(8); RUN(s<float>, d, 3);",
        {"k<4>": ((4,), (32,), 4), "k<8>": ((8,), (32,), 8), "s<float>": ((2,), (32,), 3)},
    ),
    "aliases of branches by a macro": (
        (
            "#define DISPATCH(t, ...) switch (t) { case 0: { using scalar_t = float; "
            "__VA_ARGS__(); break; } case 1: { using scalar_t = double; __VA_ARGS__(); break; } }"
        ),
        "DISPATCH(argc, [&] { s<scalar_t><<<sizeof(scalar_t), 32>>>((scalar_t *)d, n); });",
        {"s<float>": ((4,), (32,), 3), "s<double>": ((8,), (32,), 3)},
    ),
    "a function by a pointer": (
        (
            "template <class T> void run(T *p, int n) { s<<<n, 32>>>(p, n); }\n"
            "void timed(void (*f)(float *, int), float *p, int n) { f(p, n); }"
        ),
        "timed(run<float>, d, 4);",
        {"s<float>": ((4,), (32,), 4)},
    ),
    "a namespace": (
        (
            "namespace app { struct Op { }; enum class M { A, B }; "
            "template <class O, M m> __global__ void q(float *x, int n) { } "
            "void f(float *p) { q<Op, M::B><<<1, 2>>>(p, 7); } }"
        ),
        "app::f(d);",
        {"app::q<app::Op, app::M::B>": ((1,), (2,), 7)},
    ),
    "blanks in chevrons": (
        "",
        "k<4> << <2, 32>> > (d, 5); s<float> << < dim3(3), 64 >> >(d, 7);",
        {"k<4>": ((2,), (32,), 5), "s<float>": ((3,), (64,), 7)},
    ),
    "a pointer that is followed": (
        "",
        "void (*f)(float *, int) = &k<4>; (*f)<<<5, 32>>>(d, 6);",
        {"k<4>": ((5,), (32,), 6)},
    ),
    "an array of the library": (
        "using F = void (*)(float *, int); static const std::array<F, 2> table{{k<1>, &k<2>}};",
        "for (F f : table) f<<<6, 32>>>(d, 7);",
        {"k<1>": ((6,), (32,), 7), "k<2>": ((6,), (32,), 7)},
    ),
    "a shape in a call": (
        (
            "struct Shape { dim3 grid, block; };\n"
            "template <class F, class... A> void go(F f, const Shape &s, A &&...a) "
            "{ f<<<s.grid, s.block>>>(std::forward<A>(a)...); }"
        ),
        "go(k<4>, Shape{8, 128}, d, 5); go(k<8>, {1, 256}, d, 6);",
        {"k<4>": ((8,), (128,), 5), "k<8>": ((1,), (256,), 6)},
    ),
    "what a function returns in braces": (
        (
            "struct G { int blocks, threads; };\n"
            "G grid_for(int n, int t) { return {(n + t - 1) / t, t}; }"
        ),
        "k<4><<<grid_for(1000, 64).blocks, 64>>>(d, 8);",
        {"k<4>": ((16,), (64,), 8)},
    ),
    "nodes of a graph": (
        "",
        (
            "cudaKernelNodeParams p = {0}; void *a[] = {&d, &n}; p.func = (void *)k<4>; "
            "p.gridDim = dim3(4, 2); p.blockDim = dim3(32); p.kernelParams = a; "
            "cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);"
        ),
        {"k<4>": ((4, 2), (32,), 3)},
    ),
    "contents of vectors": (
        "",
        (
            "thrust::device_vector<float> v(100); "
            "s<<<4, 32>>>(thrust::raw_pointer_cast(v.data()), 5);"
            "std::vector<double> w(7); double *p = w.data(); s<<<1, 7>>>(p, 7);"
        ),
        {"s<float>": ((4,), (32,), 5), "s<double>": ((1,), (7,), 7)},
    ),
}


@pytest.mark.parametrize(("before", "body", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_each_instance_has_its_own_launch(before, body, expected):
    content = f"{KERNELS}{before}\n{MAIN % body}\n".encode()
    instances = find_host_code(content).launched
    source = Source("k.cu", CodeKind.CUDA, content)
    launches = host_launches(source, Types([declarations(content)]))
    found = {}
    for expression in instances:
        name = read_name(expression)
        if launch := launch_of(LaunchedInstance(name, 2, {expression}), launches):
            found[expression] = launch.grid, launch.block, launch.arguments[1]
            assert isinstance(launch.arguments[0], HostBuffer)
    numbers = {"k<3 * 2>": "k<6>", "k<4 * 2>": "k<8>"}
    assert {numbers.get(name, name): launch for name, launch in found.items()} == expected


def test_the_launch_of_another_instance_is_not_taken():
    content = f"{KERNELS}{MAIN % 'k<4><<<2, 32>>>(d, 5); s<float><<<1, 1>>>(d, 1);'}".encode()
    found = host_launches(Source("k.cu", CodeKind.CUDA, content), Types([declarations(content)]))
    assert launch_of(LaunchedInstance(read_name("void k<4>(float*, int)"), 2), found).grid == (2,)
    assert launch_of(LaunchedInstance(read_name("void k<8>(float*, int)"), 2), found) is None
    assert launch_of(LaunchedInstance(read_name("void s<double>(double*, int)"), 2), found) is None


def launched(text):
    content = text.encode()
    return host_launches(Source("k.cu", CodeKind.CUDA, content), Types([declarations(content)]))


def test_overloads_are_told_apart_by_what_their_pointers_lead_to():
    found = launched(
        "__global__ void r(float *p, int n) { }\n__global__ void r(int *p, int n) { }\n"
        + MAIN % "int *i; cudaMalloc(&i, 8); r<<<1, 1>>>(d, 1); r<<<2, 2>>>(i, 2);"
    )
    assert launch_of(LaunchedInstance(read_name("r(float*, int)"), 2), found).grid == (1,)
    assert launch_of(LaunchedInstance(read_name("r(int*, int)"), 2), found).grid == (2,)


@pytest.mark.parametrize(
    ("argument", "members"),
    [
        ("make_float3(1, 0, -1)", {"0.x": 1, "0.y": 0, "0.z": -1}),
        ("Affine<int>{2, n}", {"0.a": 2, "0.b": 3}),
        ("v", {"0.x": 1.0, "0.y": -2.0}),
        ("dim3(4, 5)", {"0.x": 4, "0.y": 5, "0.z": 1}),
    ],
)
def test_members_of_what_is_made_in_a_call_are_known(argument, members):
    text = "template <class T> struct Affine { T a, b; };\n"
    (found,) = launched(text + MAIN % f"float2 v = {{1.0f, -2.0f}}; k<<<1, 1>>>({argument});")
    assert dict(found.inside) == members


def test_a_launch_by_the_driver_has_the_kernel_of_its_name():
    (found,) = launched(
        MAIN % 'cuModuleGetFunction(&f, module, "add"); void *a[] = {&d, &n}; '
        "cuLaunchKernel(f, 7, 2, 1, 64, 1, 1, 16, 0, a, 0);"
    )
    assert (found.kernel, found.grid, found.block, found.shared) == ("add", (7, 2), (64,), 16)
    assert found.arguments == (HostBuffer(1024), 3)


def test_memory_of_module_variables_is_as_large_as_they_are():
    (found,) = launched(
        "__managed__ int a[256]; __device__ float s[64];\n"
        + MAIN % "float *p; cudaGetSymbolAddress((void **)&p, s); k<<<1, 1>>>(a, p);"
    )
    assert found.arguments == (HostBuffer(1024), HostBuffer(256))


def test_of_launches_of_any_of_two_instances_only_what_both_have_is_known():
    found = launched(
        "template <class T> __global__ void t(int *p, int n, T x) { }\n"
        + MAIN
        % "int *i; cudaMalloc(&i, 8); t<lib::a><<<3, 32>>>(i, 5, {}); "
        "t<lib::b><<<3, 64>>>(i, 6, {}); t<float><<<7, 8>>>(i, 9, 1.f);"
    )
    names = (read_name(f"void t<{x}>(int*, int, {x})") for x in ("long", "short", "float"))
    of_long, of_short, of_float = every = [LaunchedInstance(name, 3) for name in names]
    for one in (of_long, of_short):
        launch = launch_of(one, found, every)
        assert (launch.grid, launch.block, launch.shared) == ((3,), None, 0)
        assert (launch.arguments[0].bytes, launch.arguments[1]) == (8, None)
    assert launch_of(of_float, found, every).block == (8,)
    # Of one alone they can be of nothing else.
    assert launch_of(of_long, found, [of_long, of_float]).block == (32,)
