"""How host code launches kernels, and the launch that a form begins with."""

import re
from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.arguments import first_launch
from jitstudio.core.launch.c_types import FLOAT, INT
from jitstudio.core.launch.request import HostBuffer, HostLaunch
from jitstudio.core.launch.types import Pointer
from jitstudio.listing.cuda.declarations import declarations
from jitstudio.listing.cuda.host_launches.program import host_launches
from jitstudio.listing.cuda.types import Types
from jitstudio.listing.kernel_names import read_name
from jitstudio.listing.kernels.instance_launches import LaunchedInstance, launch_of
from tests.core.launch.forms import form
from tests.program_kernels import PROGRAMS


def launches(text):
    content = text.encode()
    return host_launches(Source("k.cu", CodeKind.CUDA, content), Types([declarations(content)]))


def launched(body, before=""):
    """The launch in a program whose `main` has this body."""
    (found,) = launches(f"{before}\nint main(int argc, char** argv) {{\n{body}\n}}\n")
    return found


# A kernel that is launched by its name, in the order of which no argument is a macro.
_LAUNCH = re.compile(r"(\w+)(?:<[\w, ]+>)?<<<")
PROGRAM = """\
#define CHECK(x) do { \\
        if ((x) != cudaSuccess) exit(1); \\
    } while (0)
__global__ void add(const float* a, float* c, int n) {}
int main(int argc, char** argv) {
    int n = 1 << 20;                      // overwritten only by an argument of the program
    if (argc > 1) n = atoi(argv[1]);
    size_t bytes = n * sizeof(float);
    float *h_a = (float*)malloc(bytes), *d_a, *d_c = nullptr;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc((void**)&d_c, bytes));
    const int block = 256;
    int grid = (n + block - 1) / block;
    add<<<grid, block>>>(d_a, d_c, n);
}
"""


def test_the_launch_of_a_tutorial_is_calculated():
    buffer = HostBuffer(4 << 20)
    assert launches(PROGRAM) == [
        HostLaunch("add", "", "k.cu", 14, (4096,), (256,), 0, (buffer, buffer, 1 << 20))
    ]


@pytest.mark.parametrize(
    ("body", "grid", "block", "shared"),
    [
        ("k<<<4, 32, 64 * sizeof(double)>>>();", (4,), (32,), 512),
        ("dim3 b(16, 16); dim3 g(64 / b.x, 32 / b.y); k<<<g, b>>>();", (4, 2), (16, 16), 0),
        ("dim3 b = dim3(8, 8, 4), g{3}; k<<<g, b, 0, stream>>>();", (3,), (8, 8, 4), 0),
        ("dim3 g; g.x = 5; g.y = g.x + 1; k<<<g, 1>>>();", (5, 6), (1,), 0),
        ("dim3 g(1); g.y = 6; k<<<g, dim3(2)>>>();", (1, 6), (2,), 0),
        ("float x = 1000; k<<<(int)ceil(x / 256), 256>>>();", (4,), (256,), 0),
        ("k<<<static_cast<unsigned int>(std::ceil(1000 / 256.0)), 1>>>();", (4,), (1,), 0),
        ("k<<<std::min(7, 9), M>>>();", (7,), (128,), 0),
        ("k<<<div_up(1000, 256), argc > 1 ? 1 : 64>>>();", (4,), (64,), 0),
        ("int t = 8; t *= 4; k<<<2, t>>>();", (2,), (32,), 0),
        ("for (int i = 1; i < 9; i *= 2) k<<<i, 32>>>();", (1,), (32,), 0),
        ("k<<<read(), 32, unknown>>>();", None, (32,), None),
        ("k<<<1 / 0, 1 << 99>>>();", None, None, 0),
        ("void* p[] = {}; cudaLaunchCooperativeKernel((void*)k, 6, dim3(9), p);", (6,), (9,), 0),
    ],
)
def test_sizes_are_calculated_where_the_text_tells_them(body, grid, block, shared):
    before = "#define M 128\n__global__ void k() {}\nint div_up(int a, int b) { return (a+b-1)/b; }"
    found = launched(body, before)
    assert (found.grid, found.block, found.shared) == (grid, block, shared)


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("P* p; cudaMallocManaged(&p, 10 * sizeof(P)); k<<<1, 1>>>(p + 1);", [120]),
        ("P* p; cudaMalloc(&p, 10 * sizeof(*p)); k<<<1, 1>>>(p);", [120]),
        ("int h[6]; int* d; cudaMalloc(&d, sizeof(h)); k<<<1, 1>>>(d);", [24]),
        ("vector<int> h(9); int* d; cudaMalloc(&d, h.size() * 4); k<<<1, 1>>>(d);", [36]),
        ("thrust::device_vector<P> v(9); k<<<1, 1>>>(raw_pointer_cast(v.data()));", [108]),
        ("s.n = 3; cudaMalloc(&s.d, s.n * 8); k<<<1, 1>>>(s.d, s.n, 2.5f);", [24, 3, 2.5]),
        ("size_t w; P* d; cudaMallocPitch(&d, &w, 256, 8); k<<<1, 1>>>(d);", [2048]),
        ("int* d; cudaMalloc(&d, read()); k<<<1, 1>>>(d, time(NULL));", [None, None]),
    ],
)
def test_arguments_are_calculated_where_the_text_tells_them(body, arguments):
    found = launched(body, "struct P { int a, b, c; };").arguments
    assert [x.bytes if isinstance(x, HostBuffer) else x for x in found] == arguments


@pytest.mark.parametrize(
    ("body", "grid"),
    [
        ("int n = 4; n = atoi(argv[1]); k<<<n, 1>>>();", None),
        ('int n = 4; scanf("%d", &n); k<<<n, 1>>>();', None),
        ("int n = 4; if (argc > 1) n = atoi(argv[1]); k<<<n, 1>>>();", (4,)),
        ("int n = 4; if (given(argv, 1)) n = read(); k<<<n, 1>>>();", (4,)),
        ("int n = 4; if (read()) n = 8; k<<<n, 1>>>();", None),
        ("int n = 2; while (n < 100) n *= 2; k<<<n, 1>>>();", None),
        ("int n = 4; { int n = 8; } k<<<n, 1>>>();", (4,)),
        ("int n = 4; { n = 8; } k<<<n, 1>>>();", (8,)),
        ("int n = 4; n++; ++n; k<<<n, 1>>>();", (6,)),
        ("int n = 4; for (int i = 0; i < 9; i++) n++; k<<<n, 1>>>();", None),
        ("int i = 4; for (int i = 0; i < 9; i++) f(i); k<<<i, 1>>>();", (4,)),
        ("int n = 4; change(n); k<<<n, 1>>>();", (7,)),
        ("int n = 4; look(n); k<<<n, 1>>>();", (4,)),
        ("dim3 g(2, 3); g.x = read(); k<<<g, 1>>>();", None),
    ],
)
def test_what_only_a_run_would_tell_is_not_known(body, grid):
    before = "void change(int& n) { n = 7; } void look(const int& n) {}"
    assert launched(body, before).grid == grid


def test_arguments_may_be_passed_by_address():
    body = "float* d; cudaMalloc(&d, 8); int n = 2; void* p[] = {&d, (void*)&n};"
    found = launched(f"{body} cudaLaunchKernel((const void*)&ns::k<int>, 3, 4, p, 5, 0);")
    assert (found.kernel, found.template) == ("ns::k", "int")
    assert (found.grid, found.block, found.shared) == ((3,), (4,), 5)
    assert found.arguments == (HostBuffer(8), 2)


def test_functions_are_followed_with_what_they_are_called_with():
    text = """
        void launch(float* d, int n) { k<<<n / 32, 32>>>(d, n); }
        int main() { float* x; cudaMalloc(&x, 400); launch(x, 64); }
    """
    (found,) = launches(text)
    assert found.grid == (2,)
    assert found.arguments == (HostBuffer(400), 64)


def test_code_that_is_hidden_from_nvrtc_is_followed():
    text = "#ifndef __CUDACC_RTC__\nint main() { k<<<2, 3>>>(); }\n#endif"
    assert [found.grid for found in launches(text)] == [(2,)]


@pytest.mark.parametrize(
    "text",
    [
        "k<<<",
        "int main() { k<<<1, 1>>>(",
        "void f() { f(); k<<<1,1>>>(); }",
        "int f(int a) { return f(a); } int main() { k<<<f(1), 1>>>(); }",
        "int main() { k<<<" + "(" * 5000 + "1" + ")" * 5000 + ", 1>>>(); }",
        "int main() { int a = " + "1+" * 5000 + "1; k<<<a, 1>>>(); }",
        "int main() { if (1) " * 3000 + "k<<<1, 1>>>();",
        "#define B {\nint main() B k<<<1>>>(); }",
        "int f(int a) { return f(a) + f(a); } int main() { k<<<f(1), 1>>>(); }",
        "int main() { k<<<1e999, -1e300>>>(1e300 * 1e300); cudaMalloc(&p, 1e300 * 1e8); }",
    ],
    ids=range(10),
)
def test_odd_texts_are_followed_without_a_fault(text):
    launches(text)


def test_the_launch_of_which_most_is_known_is_taken():
    text = """
        void other(float* a, int n) { k<float><<<n, 32>>>(a, n); k<int><<<1, 1>>>(a, n); }
        int main() { k<float><<<7, 32>>>(nullptr, 5); k<double><<<2, 2>>>(nullptr, 1); }
    """
    found = launches(text)
    assert launch_of(LaunchedInstance(read_name("void k<float>(float*, int)"), 2), found).line == 3
    assert launch_of(LaunchedInstance(read_name("void k<double>(float*, int)"), 2), found).grid == (
        2,
    )
    assert launch_of(LaunchedInstance(read_name("k"), 3), found) is None


READ = Pointer(FLOAT, const=True)
WRITTEN = Pointer(FLOAT)


def begins(*arguments, grid=(4096,), block=(256,), shared=0):
    kernel = form(("a", READ), ("c", WRITTEN), ("n", INT), ("x", FLOAT))
    host = HostLaunch("k", "", "k.cu", 1, grid, block, shared, arguments)
    return first_launch(replace(kernel, host_launch=host))


def test_a_form_begins_with_the_launch_of_the_host_code():
    spec = begins(HostBuffer(4000), HostBuffer(64), 1000, 2.5, grid=(4,), shared=128)
    assert dict(spec.arguments) == {
        "a": "n:random",
        "c": "16:random:inout",
        "n": "1000",
        "x": "2.5",
    }
    assert (spec.cover, spec.grid, spec.block, spec.shared) == ("n", "", "256", "128")


def test_a_grid_that_covers_no_argument_is_that_of_the_host_code():
    spec = begins(HostBuffer(4000), HostBuffer(4000), 1000, 2.5, grid=(32, 2), block=(8, 8))
    assert (spec.cover, spec.grid, spec.block) == ("", "32,2", "8,8")


def test_what_the_host_code_does_not_tell_is_as_in_any_form():
    spec = begins(HostBuffer(4000), None, None, None)
    given = {"a": "n:random", "c": "n:random:inout", "n": "1048576", "x": "1.0"}
    assert dict(spec.arguments) == given
    assert (spec.cover, spec.block) == ("n", "256")


BUFFER = """
template <typename T> struct Buffer {
    T* data_; size_t n_ = 1; static constexpr int block = 64;
    explicit Buffer(size_t n) : n_(n) { cudaMalloc(&data_, n_ * sizeof(T)); }
    T* data() const { return data_; }
    size_t size() const { return n_; }
    void clear(int by = 2) { k<<<n_ / block, block>>>(data_, by); }
};
struct Plan { float* in; int n; };
void fill(Plan* plan, int n) { plan->n = n; cudaMalloc((void**)&plan->in, n * 4); }
void make(float** p, int n) { cudaMalloc(p, n * 8); }
template <typename T> T* upload(const std::vector<T>& v) {
    T* p;
    if (cudaMalloc(&p, v.size() * sizeof(T)) != cudaSuccess) return nullptr;
    return p;
}
int rounded(int n) { if (n % 32 == 0) return n; return n + 32 - n % 32; }
float* pool; void reserve() { cudaMalloc(&pool, 44); }
template <class K> void launch(K kernel, int n) { kernel<<<n, 32>>>(n); }
__global__ void k() {}
#define CEIL_DIV(a, b) \\
    (((a) + (b) - 1) / (b))
"""


@pytest.mark.parametrize(
    ("body", "grid", "arguments"),
    [
        ("Buffer<double> b(256); b.clear();", (4,), [2048, 2]),
        ("auto b = new Buffer<float>(128); b->clear(3);", (2,), [512, 3]),
        ("Buffer<int> b{96}; k<<<b.size() / 32, 1>>>(b.data());", (3,), [384]),
        ("Plan p; fill(&p, 7); k<<<p.n, 1>>>(p.in);", (7,), [28]),
        ("Plan p = {nullptr, 5}; k<<<p.n, 1>>>();", (5,), []),
        ("float* x; make(&x, 3); k<<<1, 1>>>(x);", (1,), [24]),
        ("vector<double> v(2 * 3), w(v.size()); k<<<w.size(), 1>>>(upload(w));", (6,), [48]),
        ("vector<int> v{1, 2, 3}; v.resize(9); auto d = upload(v); k<<<1, 1>>>(d);", (1,), [36]),
        ("vector<int> v(4); v.push_back(1); k<<<v.size(), 1>>>();", None, []),
        ("int n = rounded(40); k<<<n, 1>>>();", (64,), []),
        ("reserve(); k<<<CEIL_DIV(1000, 256), 1>>>(pool);", (4,), [44]),
        ("enum { N = 3, M }; int a[] = {7, 8}; k<<<M, 1>>>(a[1]);", (4,), [8]),
        ("launch(k, 5);", (5,), [5]),
        ("void (*f)(int) = argc > 1 ? other : k; f<<<2, 1>>>(1);", (2,), [1]),
        (
            "float* q[2]; for (int i = 0; i < 2; i++) cudaMalloc(&q[i], 8); k<<<1, 1>>>(q[1]);",
            (1,),
            [8],
        ),
        ("for (int n : {4, 8}) k<<<n, 1>>>();", (4,), []),
        (
            "int n = 1; while ((c = getopt(argc, argv, o)) != -1) n = atoi(c); k<<<n, 1>>>();",
            (1,),
            [],
        ),
        ("int n = 1; switch (read()) { case 1: n = 2; } k<<<n, 1>>>();", None, []),
        (
            "int n = 1; switch (n) { case 1: n = 2; break; default: n = 3; } k<<<n, 1>>>();",
            (2,),
            [],
        ),
        ("if (n == 3) k<<<3, 1>>>();", (3,), []),
    ],
)
def test_objects_functions_and_macros_are_followed(body, grid, arguments):
    found, *_ = launches(f"{BUFFER}\nint main(int argc, char** argv) {{ {body} }}")
    assert found.kernel == "k"
    assert found.grid == grid
    assert [x.bytes if isinstance(x, HostBuffer) else x for x in found.arguments] == arguments


def test_a_branch_that_is_not_taken_changes_nothing_and_shows_its_launch():
    found = launches(
        "int main() { int n = 1; if (n > 1) { n = 9; k<<<n, 2>>>(); } f<<<n, 1>>>(); }"
    )
    assert [(each.kernel, each.grid) for each in found] == [("k", (9,)), ("f", (1,))]


@pytest.mark.parametrize(
    "text",
    [
        "struct A { A a; A() : a() { A b; k<<<1, 1>>>(); } }; int main() { A a; k<<<1, 1>>>(); }",
        "int main() {" + "{ int a = 1; if (x) { " * 400 + "k<<<1, 1>>>();" + "}}" * 400 + "}",
        "int main() { k<<<a" + ".a" * 3000 + ", 1>>>(a" + "[a" * 900 + "]" * 900 + "); }",
        "#define F(x) (F(x) + F(x))\nint main() { k<<<F(1), 1>>>(); }",
    ],
    ids=range(4),
)
def test_what_has_no_end_is_left(text):
    assert launches(text)


def test_tables_that_nothing_is_launched_of_take_no_steps_from_what_follows():
    depth, each = 6, "{1, 2, 3, 4, 5, 6, 7, 8}"
    loops = "".join(f"for (int i{n} : {each}) " for n in range(depth))
    before = f"{{ int s = 0; {loops} s += i{depth - 1}; }}"
    assert launched(f"int n = 5; {before} k<<<n, 64>>>();").grid == (5,)
    # Those of which something is launched are gone through, each element for itself.
    found = launches(f"int main() {{ for (int n : {each}) k<<<n, 64>>>(); }}")
    assert [launch.grid for launch in found] == [(n,) for n in range(1, 9)]


def test_a_method_of_what_a_call_returns_is_followed():
    text = """
        struct Plan { int n; void run(int threads) { k<<<n, threads>>>(); } };
        Plan plan(int n) { Plan p; p.n = n; return p; }
        int main() { plan(5).run(32); }
    """
    (launch,) = launches(text)
    assert (launch.grid, launch.block) == ((5,), (32,))


@pytest.mark.parametrize(("word", "grid"), [("virtual ", (7,)), ("", None)])
def test_of_an_unknown_object_virtual_methods_alone_are_followed(word, grid):
    """Any class may have a method of that name, and only one that overrides is meant for sure."""
    method = f"struct A {{ {word}void go(int n) {{ k<<<n, 32>>>(); }} }};"
    (launch,) = launches(f"{method}\nint main() {{ made()->go(7); }}")
    assert launch.grid == grid


def test_all_launches_of_whole_programs_are_found():
    missed, unknown = {}, []
    for path in PROGRAMS.glob("*.cu"):
        text = path.read_text()
        written = {name for name in _LAUNCH.findall(text) if f" {name}(" in text}
        if lacking := written - {found.kernel.rpartition("::")[2] for found in launches(text)}:
            missed[path.name] = lacking
        unknown += [found for found in launches(text) if None in (found.grid, found.block)]
    assert missed == {}
    # These follow from files, arguments of the program, the driver or structs of libraries.
    assert len(unknown) <= 13
