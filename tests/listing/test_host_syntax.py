"""Mistakes in the syntax of host code, and above all what is none."""

import itertools
import re

import pytest

from jitstudio.listing.cuda.host_code import find_host_code
from jitstudio.listing.cuda.host_syntax import syntax_mistakes
from tests.program_kernels import PROGRAMS
from tests.support import ROOT, SAMPLES

WITH_MACROS = sorted(
    path
    for folder in (ROOT / "tests", SAMPLES)
    for path in folder.rglob("*.cu")
    if "main(" in path.read_text("utf-8", "replace")
)
PROGRAM = """\
#include <cstdio>
#define LIMIT 8
#define APPLY(a, op, b) (a op b)
#define CHECK(call) {{ if (call) exit(1); }}
__global__ void k(int *p) {{ *p = 1; }}
int main(int argc, char **argv)
{{
    int a = 1, b[4] = {{1, 2, 3, 4,}};
{0}
    return a;
}}
"""
LINE = PROGRAM.split("{0}")[0].count("\n") + 1


def mistakes(lines, program=PROGRAM, others=()):
    text = program.format(lines).encode()
    return [tuple(x) for x in syntax_mistakes(text, find_host_code(text).ranges, others)]


BEFORE = "';' is missing before"


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ("int broken = ;", 0, "nothing is after '='"),
        ("a = a + ;", 0, "nothing is after '+'"),
        ("printf(a, b[0] /);", 0, "nothing is after '/'"),
        ("if (a ==) return 1;", 0, "nothing is after '=='"),
        ("printf(a, , 3);", 0, "an argument is missing"),
        ("printf(a, );", 0, "an argument is missing"),
        ("a = 3 a;", 0, "'a' cannot follow a number"),
        ("a = a 3;", 0, "'3' cannot follow a name"),
        ("int c = a\n    int d = 4;", 0, "';' is missing before 'int'"),
        ("for (;;) { a = 2; b[0] = 1\n    }", 0, "';' is missing before '}'"),
        ("if (a) { return a\n    }", 0, "';' is missing before '}'"),
        ("k<<<1, 1>>>(b)\n    cudaDeviceSynchronize();", 0, f"{BEFORE} 'cudaDeviceSynchronize'"),
        ("cudaFree(b)\n    cudaFree(b);", 0, f"{BEFORE} 'cudaFree'"),
        ("v.push_back(a)\n    other = 3;", 0, f"{BEFORE} 'other'"),
        ("run<int>(a, b)\n    a = 3;", 0, f"{BEFORE} 'a'"),
        ("std::swap(a, b[0])\n    a = 3;", 0, f"{BEFORE} 'a'"),
        ("float *x, *y\n    a = 3;", 0, f"{BEFORE} 'a'"),
        ("int c = a\n    b[0] = 2;", 0, f"{BEFORE} 'b'"),
        ("for (int i = 0; i < 4 ++i) a += i;", 0, "';' is missing in the brackets of 'for'"),
        ("for (int i = 0 i < 4; ++i) a += i;", 0, "';' is missing in the brackets of 'for'"),
        ("k<<<1, 1>>(b);", 0, "'<<<' is not closed"),
        ("k<<<a, >>>(b);", 0, "an argument is missing"),
        ("cudaMalloc(&b, sizeof());", 0, "an argument is missing"),
        ("printf(a +, b[0]);", 0, "nothing is after '+'"),
        ('printf("%d" a);', 0, "'a' cannot follow a text"),
        ("k<<<1, 1>>>(b)\n    if (a) return 1;", 0, "';' is missing before 'if'"),
        ("cudaDeviceSynchronize()\n    return 0;", 0, "';' is missing before 'return'"),
        ("printf(a, b;", 0, "'(' is not closed"),
        ("a = b[3;", 0, "'[' is not closed"),
        ("a = 3);", 0, "')' closes nothing"),
        ('const char *s = "text;', 0, "the quotation mark is not closed"),
    ],
)
def test_what_no_compiler_takes_is_found_with_its_line(lines, line, reason):
    assert mistakes(lines) == ([(LINE + line, reason)] if reason else [])


@pytest.mark.parametrize(
    "lines",
    [
        "a = APPLY(a, +, 3) + APPLY(a, /, b[0]);",
        "CHECK(cudaDeviceSynchronize())\n    return 0;",
        "unknown(a)\n    return 0;",
        "#if 0\n    int broken = ;\n    don't\n#endif",
        "#ifdef __CUDA_ARCH__\n    a =\n#else\n    a = 2\n#endif\n    ;",
        "enum { ONE = 1, TWO = 2\n    };",
        "auto f = [=, &a](int x) mutable { return x; };",
        "auto g = [&](auto &&...xs) { return (xs + ...) + (... + xs); };",
        'printf("%" PRIu64 "\\n", a); printf("a" "b" LIMIT_TEXT);',
        'const char *s = R"(int x = ; " )";  // int y = ;',
        "int *q = new int[3]; delete[] q; a = not 3; a = a and 1;",
        "const auto d = (unsigned)\n    a;",
        "std::vector<int> v(3); for (auto &&x : v) x = 1'000;",
        "for (;;) break;\n    switch (a) { case 1: case 2 ... 3: break; default: ; }",
        "int c = LIMIT\n    - 3;",
        "struct P { int x = 3; P &operator=(const P &) = default; bool operator==(P) const; };",
        "auto member = &Vector::operator=; auto t = type<int, 3>{};",
        "void (*call)(int *, char &&) = nullptr; using R = int &&;",
        'asm volatile("nop" ::: "memory");',
        "#pragma omp parallel for\n    for (int i = 0; i < 3; i++) a += i;",
        "cudaError_t e{ cudaGetLastError()\n    };",
        "CHECK(a)\n    using R = Pair<int &>; using S = List<Pair<>>; using T = List<Pair<int *>>;",
        "cudaFree(b) OR_DIE(a);\n    v.clear()\n    OR_DIE(a);",
        "struct Q {\n    Q(int a)\n    noexcept : v(a) {}\n    int v;\n    };",
        "float *x, *y\n    ALIGNED;\n    static const float *\n    z = nullptr;",
        "for (auto &x : v) a += x; for (EACH(x, v)) a += x;",
        'auto s = "text"sv; auto t = "a" "b"s; extern "C" int f(int);',
        "std::vector<Kernel *> all{k,}; a = b[0] << 3 << (a >> 1); auto h = [=, &a] { a = 2; };",
        "VERIFY(a)\n    auto e = (List<int &&>)a; LIST(3, 4, Pair<int *>)",
    ],
)
def test_what_a_compiler_may_take_is_no_mistake(lines):
    assert mistakes(lines) == []


OF_HEADERS = [
    ("cudaCheckError()\n    for (;;) break;", "cudaCheckError() { cudaGetLastError(); }"),
    ("a = 2; cudaCheck(a)\n    if (a) return 1;", "cudaCheck(x) if (x) { exit(1); }"),
    ("k<<<1, 1>>>(b); cudaVerify()\n    int c;", "cudaVerify() ;"),
    ("a = cudaTry(a)\n    int c;", "cudaTry(x) (x);"),
    ("a = trial(a)\n    int c;", "trial(x) (x);"),
    ("a = chosen(trial)(a)\n    int c;", "chosen(x) x;"),
    ("a = SEVEN\n    int c;", "SEVEN 7;"),
    ("if (a) { return attempt(a)\n    }", "attempt(x) (x);"),
    ("for (;;) { return attempt(a) }", "attempt(x) (x);"),
    ("cudaDeviceSynchronize() also(a)\n    return 0;", "also(x) ; f(x);"),
    ("k<<<1, 1>>>(b) also(a)\n    return 0;", "also(x) ; f(x);"),
]
OF_THE_TEXT = [
    ("; cudaFree(b)\n    return 0;", "cudaFree(x) ;"),
    ("; printf(b)\n    return 0;", "printf(x) ;"),
    ("a = atoi(b)\n    int c;", "atoi(x) (x);"),
    ("a = v.size()\n    int c;", "size() 3;"),
    ("a = 3 * seven\n    int c;", "seven 7;"),
]


@pytest.mark.parametrize(("lines", "macro"), [*OF_HEADERS, *OF_THE_TEXT])
def test_a_macro_may_have_the_semicolon_that_is_missing(lines, macro):
    definition = f"#define {macro}\n"
    assert mistakes(lines, definition.replace("{", "{{").replace("}", "}}") + PROGRAM) == []
    assert mistakes(lines, others=(definition.encode(),)) == []
    assert bool(mistakes(lines)) == ((lines, macro) in OF_THE_TEXT)


@pytest.mark.parametrize(
    "lines",
    [
        "a = LIMIT\n    int c;",
        "a = v.size()\n    int c;",
        "a = std::size(b)\n    int c;",
        "a = 3 * (b[0] + 1)\n    int c;",
        "int *q = (int *)malloc(sizeof(int))\n    int c;",
        "a = cudaMalloc(&b, 3)\n    int c;",
        "if (a) { return int(3.5)\n    }",
    ],
)
def test_what_is_no_macro_needs_its_semicolon(lines):
    assert [reason[:14] for _, reason in mistakes(lines)] == ["';' is missing"]


STATEMENT = re.compile(r"^( +)[^\n{}#/\\]*\);$", re.M)
CALLS = (
    "cudaCheckError()",
    "cudaCheck(cudaDeviceSynchronize())",
    "gpuErrchk(cudaPeekAtLastError())",
    "CHECK_LAST",
    "int unused_value = TRY(cudaFree(0))",
    "cudaError_t last_error = cuda_try(cudaGetLastError())",
    'auto other_error = cudaTry(cudaGetLastError(), "a; b")',
)


@pytest.mark.parametrize("path", WITH_MACROS, ids=lambda path: path.name)
def test_macros_without_semicolons_between_all_statements_are_no_mistakes(path):
    text = path.read_text("utf-8", "replace")
    calls = itertools.cycle(CALLS)
    for _ in CALLS:
        next(calls)
        more = STATEMENT.sub(lambda m: f"{m[0]}\n{m[1]}{next(calls)}", text).encode()
        assert syntax_mistakes(more, find_host_code(more, with_launched=False).ranges) == ()


def test_a_macro_of_one_statement_needs_its_semicolon():
    define = "#define TRY(x) do { if (x) exit(1); } \\\n    while (0)\n"
    program = define.replace("{", "{{").replace("}", "}}") + PROGRAM
    ((_, reason),) = mistakes("TRY(cudaFree(b))\n    TRY(cudaFree(b));", program)
    assert reason == f"{BEFORE} 'TRY'"
    assert mistakes("CHECK(cudaFree(b))\n    CHECK(cudaFree(b))\n    a = 2;", program) == []


def test_macros_of_headers_may_get_what_they_like():
    assert [line for line, _ in mistakes("twice(a, , +);")] == [LINE]
    assert mistakes("twice(a, , +);", others=(b"#define twice(a, b, c) a b c\n",)) == []


@pytest.mark.parametrize("path", [*PROGRAMS.glob("*.cu"), *SAMPLES.glob("*.cu")], ids=str)
def test_programs_have_none(path):
    text = path.read_bytes()
    assert syntax_mistakes(text, find_host_code(text, with_launched=False).ranges) == ()
