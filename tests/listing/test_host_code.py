"""What is set aside as host code, and above all what is not."""

import random
import re
import time

import pytest

from jitstudio.listing.cuda.host_code import Refusals, find_host_code
from jitstudio.listing.cuda.host_macros import device_macros
from tests.listing.mutations import mutated
from tests.support import SAMPLES

KERNEL = "__global__ void k(int *p) { *p = 1; }\n"
PROGRAM = """\
#include <vector>
#define CHECK(x) do { if ((x) != cudaSuccess) { exit(1); } } while (0)
__global__ void scale(float *x, float a) {
    x[threadIdx.x] *= a;
}

static void report(const char *what) { printf("{ %s", what); }

int main(int argc, char **argv)
{
    std::vector<float> h(64);
#ifdef TWICE
    CHECK(cudaMalloc(&d, 4));
#endif
    scale<<<1, 64>>>(d, 2.0f);
}
"""


def left(text, *macros):
    """What the compiler gets, without blank lines."""
    found = find_host_code(text.encode(), macros)
    return "\n".join(
        line.rstrip() for line in found.device_text.decode().splitlines() if line.strip()
    )


def test_a_tutorial_keeps_its_kernel_its_macros_and_its_lines():
    found = find_host_code(PROGRAM.encode())
    lines = found.device_text.decode().splitlines()
    assert lines[:5] == PROGRAM.splitlines()[:5]
    assert [line for line in lines[5:] if line.strip()] == ["#ifdef TWICE", "#endif"]
    assert len(found.device_text) == len(PROGRAM)
    assert found.ranges == ((7, 7), (9, 16))
    assert found.lines == 9
    assert found.names == (("report", 7), ("main", 9))
    assert found.doubts == ()


@pytest.mark.parametrize(
    "name", ["saxpy.cu", "vector_add.cu", "histogram.cu", "apply_transform.cu", "user_transform.cu"]
)
def test_a_text_without_host_code_stays_as_it_is(name):
    text = (SAMPLES / name).read_bytes()
    found = find_host_code(text)
    assert (found.spans, found.marks, found.device_text) == ((), (), text)


STAYS = [
    "__device__ int twice(int a) { return 2 * a; }",
    "__host__ __device__ inline float3 operator+(float3 a, float3 b) { return a; }",
    "template <typename T, int N = (3 > 2)> __global__ void k(T *p) { *p = N; }",
    'extern "C" __global__ void __launch_bounds__(256, 2) k(float *p) {}',
    'extern "C" {\n__global__ void k(float *p) {}\n}',
    "namespace a { namespace b {\n__device__ int f() { return 1; }\n} }",
    "struct S { int a; __device__ S() : a{1} {} __device__ int f() const; };",
    "struct S { int a; S() = default; S(const S &) = delete; };",
    "__constant__ float weights[3] = {1, 2, 3};",
    "extern __shared__ float tile[];",
    "const int n = 3;",
    "static const float table[] = {1.0f, 2.0f};",
    "using real = float;",
    "typedef struct { int a, b; } Pair;",
    "typedef struct ALIGNED(8) { int a, b; } Pair;\nstruct ALIGNED(16) Four { int a[4]; };",
    "MY_NAMESPACE_BEGIN\nCHECK_SIZE(sizeof(int) == 4);\nMY_NAMESPACE_END",
    "#define CONSTANT static constexpr\nCONSTANT int size = 4;",
    "QUALIFIER __host__ int f() { return 1; }",
    "enum class Mode : int { Up, Down };",
    "union Bits { int i; float f; };",
    "template <typename T> struct Traits;\ntemplate <> struct Traits<int> { using type = long; };",
    "#define HD __host__ __device__\nHD int f() { return 1; }",
    "#define DEV __device__\n#define MINE DEV inline\nMINE int f() { return 1; }",
    """#ifdef __CUDACC__
#define CALLABLE __host__ __device__
#else
#define CALLABLE
#endif
struct S { CALLABLE int f() { return 1; } };""",
    "#define KERNEL(name) __global__ void name(int *p)\nKERNEL(first) { *p = 1; }",
    "#define ADD(name, T) __global__ void name(T *p) { *p += 1; }\nADD(a, int)\nADD(b, float)",
    "#ifdef __CUDACC__\n__device__\n#endif\nint f(int a) { return a; }",
    "__device__ int f(int a);\nint f(int a) { return a; }",
    "struct S { __device__ int f(int a); };\nint S::f(int a) { return a; }",
    "template <class T> __device__ int f(T a) { return 1; }\ntemplate <> int f(int a) { }",
    "#ifndef __CUDACC_RTC__\n#include <vector>\nint main() { std::vector<int> a; }\n#endif",
    "#if 0\nit's { not \"code\nint f() { }\n#endif",
    "#ifdef __CUDACC_RTC__\nusing a = int;\n#else\nint main() { it's }\n#endif",
    "__global__ void k(int *p)\n{\n__shared__ int tile[32];\nint i = threadIdx.x;\ntile[i] = 1;\n}",
    "__device__ void f() { auto g = [=](int a) { return a; }; g(1); }",
    '__device__ const char *text() { return R"x(} int main() { )x"; }',
    "template <class F> __global__ void apply(F f) { f(); }",
]


@pytest.mark.parametrize("text", STAYS)
def test_what_device_code_needs_stays(text):
    found = find_host_code((text + "\n" + KERNEL + "int main() { return 0; }\n").encode())
    assert found.device_text.decode().startswith(text + "\n" + KERNEL)
    assert [name for name, _ in found.names] == ["main"]


GOES = [
    "void f(std::vector<int> &v);",
    "static inline int f(int a) { if (a) { return '{'; } return 1; }",
    "template <typename T>\nvoid run(T a) { k<<<1, 1>>>(a); }",
    "#define RUN(T) void run_##T(T *p) { k<<<1, 1>>>(p); }\nRUN(float)\nRUN(int)",
    "template <class T, std::enable_if_t<std::is_same<T, int>{}> * = nullptr>\nint f(T a) { }",
    "template <int N = int{4}, class T = A<int>>\nstruct T B<N>::f() { g(); return {}; }",
    "__host__ void f() { }",
    "int counter = 0;",
    "static std::vector<float> data;",
    "cudaStream_t streams[4];",
    'const char *names[] = {"a", "b"};',
    "std::ostream &operator<<(std::ostream &o, float3 v) { return o << v.x; }",
    "auto now = [] { return std::chrono::steady_clock::now(); };",
    "const auto start = std::chrono::steady_clock::now();",
    "using std::vector;",
    "using Clock = std::chrono::steady_clock;",
    "namespace fs = std::filesystem;",
    "struct Timer { cudaEvent_t a; std::string name; Timer() { cudaEventCreate(&a); } };",
    "class Reader : public std::exception { FILE *file; };",
    'extern "C" int run(int a) { return a; }',
    "#ifdef A\nint f(int a) {\n#else\nint f() {\n#endif\n  return 1;\n}",
    "int f()\n#ifdef A\n{ return 1; }\n#else\n{ return 2; }\n#endif",
    "int main() try { return 0; } catch (const std::exception &e) { return 1; }",
    "S::S(int a) : x(a), y{a} { }",
    "unsigned long long f(unsigned int a, const T *b) noexcept { return a; }",
    "auto f(int a) -> int { return a; }",
    "template void run<float>(float);",
    "const int size = 64;\nint half() { return size / 2; }",
    "static_assert(sizeof(std::string) > 1);",
    "constexpr std::size_t twice(std::size_t a) { return std::max(a, a); }",
]


@pytest.mark.parametrize("text", GOES)
def test_what_is_for_the_host_only_goes(text):
    rest = left(f"{KERNEL}{text}\nvoid other() {{ }}\n")
    assert re.sub(r"^#.*\n?", "", rest, flags=re.MULTILINE).strip() == KERNEL.strip()


def test_a_class_keeps_its_layout_and_loses_what_is_for_the_host():
    text = """\
struct Grid {
    int n; float *cells;
    Grid(int a) : n(a), cells(nullptr) { cudaMalloc(&cells, n); }
    ~Grid();
    virtual void show() const { std::cout << n; }
    static int count;
    friend std::ostream &operator<<(std::ostream &o, const Grid &g);
    constexpr int size() const { return n; }
    __device__ float at(int i) const { return cells[i]; }
};
int Grid::count = 0;
__global__ void k(Grid g, float *out) { *out = g.at(0); }
"""
    assert left(text).split("\n") == [
        "struct Grid {",
        "    int n; float *cells;",
        "    Grid(int a)_J                                               ;",
        "  _J~Grid();",
        "    __hd_v_ void show() const {                 }",
        "    __hd_cx__ int size() const { return n; }",
        "    __device__ float at(int i) const { return cells[i]; }",
        "};",
        "__global__ void k(Grid g, float *out) { *out = g.at(0); }",
    ]


def test_what_device_code_mentions_stays_though_it_needs_the_host():
    text = (
        "using word = std::uint32_t;\nconstexpr word low(word a) { return a & std::min(a, a); }\n"
        "using unused = std::uint32_t;\n"
        "__global__ void k(word *p) { *p = low(3); }\nint main() { }\n"
    )
    assert "using word" in left(text)
    assert "word low(word a)" in left(text)
    assert "unused" not in left(text)


def test_an_expression_of_the_user_keeps_a_type():
    text = (
        b"struct Host { std::string a; };\ntemplate <class> __global__ void k() {}\nvoid f() {}\n"
    )
    assert b"Host" not in find_host_code(text).device_text
    assert b"Host" in find_host_code(text, (), b"k<Host>").device_text


def test_a_macro_of_a_header_marks_device_code():
    assert device_macros(b"#define HD __host__ __device__\n#define OTHER 1\n") == {"HD"}
    text = f"HD int f() {{ return 1; }}\n{KERNEL}void g() {{ }}\n"
    assert "HD int f()" in left(text, "HD")
    found = find_host_code(text.encode())
    assert b"HD int f()" in found.device_text
    assert [(doubt.line, "'HD'" in doubt.reason) for doubt in found.doubts] == [(1, True)]


def test_a_brace_that_is_missing_hides_no_kernel():
    text = f"int main() {{\n  if (a) {{\n\n{KERNEL}\nvoid f() {{ }}\n"
    found = find_host_code(text.encode())
    assert left(text) == KERNEL.strip()
    assert [doubt.line for doubt in found.doubts] == [1]


def test_a_brace_that_is_missing_hides_nothing_that_a_macro_marks():
    text = "#define HD __host__ __device__\nvoid f() {\n  if (true) {\n}\n"
    device = "HD float g(float x) { return x; }\ntemplate <class T>\nHD T h(T x) { return x; }\n"
    assert left(text + device).endswith(device.strip())
    assert left(text + device.replace("HD", "DEV"), "DEV").endswith(device.strip()[-9:])


@pytest.mark.parametrize("quoted", ["u8'{'", "L'{'", "case'{': 1'0", "0xF'F00'0 + '{'", "u'\"'"])
def test_a_character_is_no_separator_of_digits(quoted):
    text = f"#define DEV __device__\nnamespace a {{\nvoid f() {{ g({quoted}); }}\n"
    assert left(text + "DEV int g() { return 3; }\n}\n").split("\n")[2:] == [
        "DEV int g() { return 3; }",
        "}",
    ]


def test_a_half_typed_main_goes():
    assert left(f"{KERNEL}int main() {{\n  scale<<<1, ") == KERNEL.strip()


def test_the_rest_of_a_body_that_a_macro_opened_stays():
    text = "#define BEGIN(n) __global__ void n(int *p) {\nBEGIN(k)\n  int a = 1;\n  p[0] = a;\n}\n"
    assert left(text) == text.strip()


def test_line_ends_and_tabs_stay():
    text = PROGRAM.replace("\n", "\r\n").replace("    ", "\t").encode()
    found = find_host_code(text)
    assert found.ranges == ((7, 7), (9, 16))
    kept = (b"\r", b"\n", b"\t")
    assert all(found.device_text.count(byte) == text.count(byte) for byte in kept)


# Each is a whole number of members with a round bracket somewhere.
DATA_MEMBERS = (
    "float a[(3)+1];",
    "real m[DIM(3)];",
    "unsigned long long mask[(64 + 63) / 64], other;",
    "char pad[sizeof(int)][(2)];",
    "char text[(3)] = {1, 2, 3};",
    "char word[(2)]{1, 2};",
    "unsigned lo : (4); unsigned : (2); unsigned hi : sizeof(int);",
    "vec v ALIGNED(16);",
    "const vec w UNKNOWN(16);",
    "int x UNKNOWN(16) = 3;",
    "const vec (Some::*pm)(int);",
    "int (vec::*pd);",
    "vec (*call)(int);",
    "vec (*calls[2])(int), (u);",
    "float (&row)[(3)];",
    "union { int i; float f[(2)]; };",
    "struct { vec g[DIM(2)]; } in;",
    "vec y = vec(3);",
    "vec z{vec(3)};",
    "alignas(sizeof(int)) vec t;",
    "Box<int, (1 << 3)> box;",
    "Box<int(vec)> function;",
    "static constexpr float table[(2)] = {1, 2};",
)


@pytest.mark.parametrize("member", DATA_MEMBERS)
def test_a_data_member_stays(member):
    text = f"""\
#define ALIGNED(n) __attribute__((aligned(n)))
#define DIM(n) (n)
typedef float real; struct vec {{ float x; }};
struct S {{ char c; {member} int last; }};
template <int K> struct T {{ {member} }};
"""
    found = find_host_code(f"{text}{KERNEL}int main() {{ }}\n".encode())
    assert found.device_text.decode().startswith(text)
    assert ["data member" in doubt.reason for doubt in found.doubts] == 2 * (
        [True] if "const vec w" in member or "int x UN" in member else []
    )


@pytest.mark.parametrize(
    "member",
    [
        "const vec at(int a) const;",
        "API unsigned long long at(int a[3]) { return 1; }",
        "std::vector<int> at(int (S::*a)()) const noexcept(true);",
        "template <class T> static inline T at(T *a, unsigned (*b)(int)) { return *a; }",
        "friend bool operator==(const S &a, const S &b) { return true; }",
        "explicit operator bool() const { return true; }",
        "float operator[](int i) const { return 1; }",
        "bool ABC() const { return true; }",
    ],
)
def test_a_member_function_of_the_host_goes_from_a_class_that_stays(member):
    text = f"#define API inline\nstruct S {{ {member} int n; }};\n__global__ void k(S s) {{}}\n"
    assert left(text) == text.replace(member, " " * len(member)).strip()


@pytest.mark.parametrize(
    "text",
    [
        "static constexpr float tab[(4)] = {1, 2, 3, 4};",
        "inline constexpr int n(4);",
        "struct S { int a; };\nconstexpr S n(S{3});",
        "constexpr int n(sizeof(int));\nconstexpr int m(n);",
    ],
)
def test_a_constant_that_is_initialized_in_brackets_is_no_function(text):
    text += "\n__global__ void k(int *p) { *p = n + m + tab[0]; }"
    assert left(text + "\nvoid f() {}\n") == text
    made = "constexpr int f(int a);\nconstexpr S g(S a, int);\n"
    assert left("struct S { int f; };\n" + made + "__device__ S h() { return g(f(1)); }").count(
        "__hd_cx__"
    ) == made.count("constexpr")


@pytest.mark.parametrize(
    ("declared", "defined"),
    [
        ("ns::A", "ns::A a"),
        ("ns :: A", "ns::A a"),
        ("struct A", "A a"),
        ("volatile A", "volatile A a"),
        ("int, ns::A, A", "int n, ns::A a, A"),
        ("A *A", "A *"),
    ],
)
def test_a_parameter_without_a_name_has_its_whole_type(declared, defined):
    device = f"__device__ int f({declared});\nint f({defined}) {{ return 1; }}"
    assert left(f"{device}\nint main() {{ return 0; }}\n") == device
    other = f"{device}\nint f(ns::B) {{ return 2; }}\n"
    assert left(other) == device


def test_a_name_may_begin_with_the_word_operator():
    text = "int operator_count() { return 1; }\nint operator__x(int a) { return a; }\n"
    found = find_host_code(f"{KERNEL}{text}int operator-(V a);\n".encode())
    assert [name for name, _ in found.names] == ["operator_count", "operator__x"]
    # A variable with a value in brackets is no function.
    constant = (
        "constexpr int operator_count(3);\n__global__ void k(int *p) { *p = operator_count; }"
    )
    assert left(f"{constant}\nint f();") == constant


def test_each_operator_is_a_function_of_its_own():
    device = "__device__ V operator+(V a, V b) { return a; }"
    host = "V operator-(V a, V b) { return a; }\nV &operator+=(V &a, V b) { return a; }"
    assert left(f"{device}\n{host}\n") == device
    assert left(f"{device}\nV operator+(V a, V b);") == f"{device}\nV operator+(V a, V b);"


@pytest.mark.parametrize(
    "text",
    [
        "template <class T> struct S { int n; T at(T a); };",
        "class FFT { int n; public: FFT(int m) { } ~FFT() { n = 0; } };",
        "struct S { int y : sizeof(int); };",
    ],
)
def test_there_is_no_doubt_of_what_the_class_makes_known(text):
    assert find_host_code(f"{text}\n{KERNEL}void f() {{}}\n".encode()).doubts == ()


@pytest.mark.parametrize(
    ("members", "rest"),
    [
        (
            "explicit S(int a) noexcept /* : */\n  : n{a} { f(); }",
            ("explicit S(int a) noexcept _J ;",),
        ),
        ("S(int a) try : n(a) { } catch (...) { }", ("S(int a)_J ;",)),
        ("template <class T> S(T a) { n = a; }", ("template <class T> S(T a)_J ;",)),
        ("S &operator=(const S &a) { return *this; }", ("S &__hd_op_=(const S &a) ;",)),
        ("    S(const S &);", ("_J S(const S &);",)),
        ("\tS &operator=(S);", ("S &__hd_op_=(S);",)),
        ("S() {}", ("S()_J;",)),
        ("  ~S();", ("_J~S();",)),
        ("\tS(int);", ("S(int) _J;",)),
        ("\ttemplate <class T> S(T); // it", ("template <class T> S(T) _J; // it",)),
        ("\tS(){}", ("S() _J ;",)),
        ("S(const std::string &a) : n(1) { }", ("",)),
        ("S() = default; S(const S &) = delete;", ("S() = default; S(const S &) = delete;",)),
    ],
)
def test_a_constructor_stays_without_its_body(members, rest):
    text = f"struct S {{\n{members}\nint n; }};\n__global__ void k(S *s) {{}}\n"
    found = find_host_code(text.encode())
    kept = found.device_text.decode()
    assert re.sub(r"\s+", " ", kept.partition("{")[2].partition("int n;")[0]).strip() == " ".join(
        rest
    )
    assert found.doubts == ()


def test_what_cannot_be_marked_as_a_constructor_goes_and_is_named():
    text = "struct S {\n\tS(int); int n; };\n__global__ void k(S *s) {}\n"
    assert [doubt.line for doubt in find_host_code(text.encode()).doubts] == [2]
    assert "S(int)" not in left(text)


@pytest.mark.parametrize(
    ("host", "device", "is_one"),
    [
        ("float f(double a) { return a; }", "__device__ float f(float a) { return a; }", True),
        ("float f(double a, int b = 1);", "__device__ float f(float a) { return a; }", True),
        ("V operator+(V a, int b) { return a; }", "__device__ V operator+(V a, V b);", True),
        ("namespace n { void f(int a); }", "__device__ void f(float a);", False),
        ("void f(int a, int b) { }", "__device__ void f(float a);", False),
        ("void f(int a) { }", "__global__ void f(float a) { }", False),
        ("int f(ns::B b);", "__device__ int f(ns::A);", True),
        ("template T f(int);", "template <class T> __device__ T f(T a) { return a; }", False),
    ],
)
def test_an_overload_that_goes_is_named(host, device, is_one):
    found = find_host_code(f"{KERNEL}{host}\n{device}\n".encode())
    assert [doubt.line for doubt in found.doubts] == [2] * is_one


DEVICE_PIECES = (
    "__global__ void NAME(float *p) {\n  if (p) { *p = 1; } // it's\n}",
    "template <typename T>\n__global__ void NAME(T *p) { p[0] = '{'; }",
    "__device__ __forceinline__ int NAME(int a, int b = (1, 2)) { return a < b ? a : b; }",
    """struct NAME {
  int a; __host__ __device__ NAME(int b) : a{b} { }
  __device__ int operator()(int b) const { return a + b; }
};""",
    "HD int NAME(int a) { auto f = [=](int b) { return a + b; }; return f(1); }",
    "MAKE(NAME)",
    "MAKE(NAME);",
    "namespace NAME { __device__ int f(); }",
    "__constant__ int NAME[2] = {1, 2};",
    '__device__ const char *NAME() { return R"(} void x() {)"; }',
    "#ifdef NAME_A\n__global__ void NAME(int a) {\n#else\n__global__ void NAME() {\n#endif\n}",
    'extern "C" {\n__global__ void NAME(int *p) { for (;;) { break; } }\n}',
    "using NAME = unsigned int;",
    "enum NAME { NAME_A, NAME_B = '}' };",
    "const float NAME = 1.0f;",
    *(
        f"struct NAME {{ {member} __device__ int get(); }};"
        for member in DATA_MEMBERS
        if "UNKNOWN" not in member
    ),
)
HOST_PIECES = (
    "void NAME(int a) {\n  k<<<1, 2>>>(a); /* } */ ONLY_HOST;\n}",
    'static inline int NAME(const std::string &s) { ONLY_HOST; return "}"[0] + \'"\'; }',
    "template <typename T, int N>\nT NAME(std::vector<T> v) { ONLY_HOST; return v[N]; }",
    "namespace NAME {\nint f() { ONLY_HOST; return 1; }\n}",
    "std::vector<float> NAME{ONLY_HOST};",
    "int NAME = ONLY_HOST;",
    'auto NAME = R"(ONLY_HOST { __global__ )";',
    "#ifdef NAME_A\nint NAME(int a) {\n#else\nint NAME() {\n#endif\n  ONLY_HOST; }",
    "struct NAME { std::string s; NAME() { ONLY_HOST; } ~NAME() { } };",
    "__host__ float NAME(float a) { return a ? ONLY_HOST : 0; }",
    "void NAME() { auto f = [&](int a) { return a; }; struct L { int a; }; ONLY_HOST; }",
    'extern "C" void NAME(int) { ONLY_HOST; }',
)
HEAD = (
    "#define HD __host__ __device__\n"
    "#define MAKE(n) __global__ void n##_k(int *p) { *p = 1; }\n#include <vector>\n"
)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_of_any_program_device_code_stays_and_host_code_goes(line_end):
    chance = random.Random(line_end)
    choices = [*((True, x) for x in DEVICE_PIECES), *((False, x) for x in HOST_PIECES)]
    for _ in range(200):
        check(chance.choices(choices, k=chance.randint(1, 12)), line_end)


def check(pieces, line_end):
    named = [(device, text.replace("NAME", f"n{i}")) for i, (device, text) in enumerate(pieces)]
    text = (HEAD + "".join(f"{piece}\n" for _, piece in named)).replace("\n", line_end)
    found = find_host_code(text.encode())
    rest = found.device_text.decode()
    assert [m.start() for m in re.finditer(r"\s", text) if m[0] in "\r\n"] == [
        m.start() for m in re.finditer(r"\s", rest) if m[0] in "\r\n"
    ]
    assert len(rest) == len(text)
    assert "ONLY_HOST" not in rest
    at = len(HEAD.replace("\n", line_end))
    for device, piece in named:
        whole = piece.replace("\n", line_end)
        if device:
            assert rest[at : at + len(whole)] == whole
        at += len(whole) + len(line_end)


def test_no_text_whatever_raises_or_moves_anything():
    chance = random.Random(4)
    for text in (PROGRAM, "\n".join(STAYS + GOES)):
        for _ in range(150):
            broken = mutated(text, chance).encode()
            found = find_host_code(broken)
            longer = sum(len(word) for _, word in found.marks if word == b" _J")
            assert len(found.device_text) == len(broken) + longer
            assert found.device_text.count(b"\n") == broken.count(b"\n")
            assert list(found.spans) == sorted(found.spans)


@pytest.mark.bench
def test_classes_that_are_never_closed_take_no_longer_than_others():
    def seconds(text):
        start = time.process_time()
        find_host_code(text * 3000)
        return time.process_time() - start

    closed = seconds(b"struct A{A(int); A(){} };\n")
    assert seconds(b"struct A{A(int); A(){}\n") < 3 * closed + 0.5


def test_a_base_class_of_the_host_goes_with_what_is_derived_from_it():
    text = b"""\
class Rule {
public:
    virtual ~Rule() = default;
    virtual std::string name() const = 0;
};
class Trapezium final : public Rule { std::string name() const override { return "t"; } };
__global__ void k(int *p) { *p = 1; }
int main() { Trapezium t; }
"""
    left = find_host_code(text).device_text
    assert left.split() == b"__global__ void k(int *p) { *p = 1; }".split()


def test_what_another_branch_calls_by_the_same_name_is_no_reason_to_stay():
    text = b"""\
#if 1
typedef pthread_t Worker;
#else
typedef HANDLE Worker;
#endif
Worker worker;
__global__ void k(int *p) { *p = 1; }
"""
    assert (
        b"pthread_t"
        not in find_host_code(text, refused=Refusals(unknown=frozenset({2}))).device_text
    )
    used = text.replace(b"int *p)", b"int *p, Worker w)")
    assert (
        b"pthread_t" in find_host_code(used, refused=Refusals(unknown=frozenset({2}))).device_text
    )


def test_the_name_of_a_pointer_to_a_function_is_behind_its_calling_convention():
    text = b"""\
typedef void (WINAPI *Callback)(GLuint a, void *data);
typedef void (*Plain)(GLuint a);
__global__ void k(int *p, Callback c, Plain d) { *p = 1; }
int main() { }
"""
    left = find_host_code(text, refused=Refusals(unknown=frozenset({1, 2}))).device_text
    assert b"WINAPI" in left
    assert b"Plain)(GLuint" in left


_OPENING = '#define KERNEL(name) extern "C" __global__ void name(int *p) {\n'
_STATEMENTS = [
    "int count = 1;",
    "float other(2);",
    "std::vector<int> more;",
    "static int third = host();",
    "*p = 7;",
    "p[0] += count;",
]


@pytest.mark.parametrize("seed", range(20))
def test_what_a_macro_opens_is_kept_with_a_doubt_for_each_brace(seed):
    chance, text, firsts, bodies = random.Random(seed), _OPENING, [], []
    for number in range(chance.randint(1, 3)):
        text += f'int early{number}() {{ return printf(""); }}\nKERNEL(k{number})\n'
        body = [chance.choice(_STATEMENTS[:4]), *chance.choices(_STATEMENTS, k=3)]
        firsts.append(text.count("\n") + 1)
        bodies.append("\n".join([*body, "}\n"]))
        text += bodies[-1]
        text += "__global__ void after() {}\n" if chance.random() < 0.5 else ""
    code = find_host_code(f"{text}int main() {{ return 0; }}\n".encode())
    device = code.device_text.decode()
    assert all(body in device for body in bodies)
    assert "early" not in device
    assert "main" not in device
    lines = [doubt.line for doubt in code.doubts if "closes nothing" in doubt.reason]
    assert lines == firsts
