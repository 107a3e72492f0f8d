"""What explanations read of CUDA C++."""

import pytest

from jitstudio.core.source_facts import (
    enclosing_head,
    function_at,
    quoted_name,
    template_kernel,
)
from jitstudio.ptx.skimming import ptx_target
from tests.support import cuda, request


@pytest.mark.parametrize(
    ("code", "expression"),
    [
        ("template <typename T> __global__ void k(T* p) {}", "k<float>"),
        ("template <class T, int N>\n__global__ void\nk(T (&p)[N]) {}", "k<float, 32>"),
        ("template <unsigned int N, bool B> __global__ void k() {}", "k<32, true>"),
        ("template <typename T, typename U = T> __global__ void k(T* p) {}", "k<float>"),
        ("template <size_t> __global__ void __launch_bounds__(256) k() {}", "k<32>"),
        ("namespace a { namespace { template <class T> __global__ void k(T) {} } }", "a::k<float>"),
        ("namespace a { } template <class T> __global__ void k(T) {}", "k<float>"),
        ("// template <class T> __global__ void no(T);\n__global__ void k() {}", None),
        ("template <template <class> class T> __global__ void k() {}", None),
        ("template <typename T> __device__ T twice(T a) { return a; }", None),
    ],
)
def test_finds_an_instance_of_a_kernel_template(code, expression):
    assert template_kernel(code) == expression


INSTANCES = (
    ("template <typename T> __global__ void k(T* p, int n) { p[0] = p[n] % 3; }", "k<int>"),
    ("template <typename T> __global__ void k(T* p) { atomicXor(p, 1); }", "k<int>"),
    (
        "template <class T> __global__ void k(T* __restrict__ p, const T v) { *p = v<<2; }",
        "k<int>",
    ),
    (
        "template <typename T> __launch_bounds__(64) __global__ void k(T* p) { p[0] &= 3; }",
        "k<int>",
    ),
    ("template <typename T> __global__ void k(int* p, T i) { p[i] = 1; }", "k<int>"),
    ("template <typename T> __global__ void k(T* p) { atomicInc(p, 3); }", "k<unsigned int>"),
    ("template <typename T> __global__ void k(T* p) { p[0] = sqrtf(p[1]); }", "k<float>"),
    ("template <typename... Ts> __global__ void k(Ts*... ps) {}", "k<float>"),
    ("template <int... Is> __global__ void k(int* p) { p[0] = (Is + ...); }", "k<32>"),
    ("template <auto N> __global__ void k(int* p) { p[0] = N; }", "k<32>"),
    ("template <typename F> __global__ void k(F f, float* p) { *p = f(*p); }", None),
    ("template <typename T> __global__ void k(typename T::type* p) { *p = 1; }", None),
    ("enum Op { A }; template <Op O> __global__ void k(int* p) { p[0] = O; }", None),
    ("template <typename P> __global__ void k(P* p) { p->x = 1; }", None),
)


@pytest.mark.parametrize(("code", "expression"), INSTANCES)
def test_an_argument_is_chosen_by_what_is_done_with_it(code, expression):
    assert template_kernel(code) == expression


def test_the_template_that_is_named_is_meant():
    code = (
        "namespace a { template <class T> __global__ void one(T*); }\n"
        "template <int N> __global__ void other() {}"
    )
    message = 'cannot determine which instance of function template "{}" is intended'
    assert template_kernel(code) == "a::one<float>"
    assert template_kernel(code, message.format("other")) == "other<32>"
    assert template_kernel(code, message.format("a::one")) == "a::one<float>"
    assert template_kernel(code, message.format("none")) is None


def test_the_instances_that_are_offered_compile(builder):
    whole = "\n".join(f"namespace n{n} {{ {code} }}" for n, (code, _) in enumerate(INSTANCES))
    expressions = [f"n{n}::{name}" for n, (_, name) in enumerate(INSTANCES) if name]
    result = builder.build(request(cuda(whole, "k.cu", *expressions)))
    assert len(result.kernels) == len(expressions), result.diagnostics


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ('#line 7 "a\\"b.cuh"\n', 'a"b.cuh'),
        ('#line 7 "plain.cuh"\n  # 3 "folder\\\\\\"b.cu" 1\n', 'folder\\\\"b.cu'),
        ('#line 7 "plain.cuh"\nint a; // "\n', None),
        ('#line 7 "cut', None),
    ],
)
def test_finds_a_name_with_a_quotation_mark(code, name):
    assert quoted_name(code) == name


def test_a_function_ends_with_its_last_brace():
    function = 'int main() {\n  puts("}"); // }\n  if (a) { b(); }\n}'
    found = function_at(f"int a;\n{function}\nint b;\n", 2)
    assert (found.text, found.line) == (function, 2)


@pytest.mark.parametrize(("text", "line"), [("int f()", 1), ("int f() {", 1), ("", None)])
def test_half_a_function_is_none(text, line):
    assert function_at(text, line) is None


BEFORE = "#include <vector>\n#define TWO 2\n"
KERNEL = "__global__ void k(int* p) { *p = TWO; }\n"


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ('extern "C" int launch(int a)\n{\n  return a;\n}', "launch"),
        ("template <typename T>\nstatic void\ncheck(T a)\n{ std::vector<T> v; }", "check"),
        ("void launch(int* p, int n = 3);", "launch"),
        ("static inline std::vector<int> all(void) { return {1, 2}; }", "all"),
        ("int main() {\n#ifdef A\n  a();\n#endif\n  return 0;\n}", "main"),
    ],
)
@pytest.mark.parametrize("between", ["\n", "// It runs {\n", "}", "};\n", "public: "])
def test_a_function_of_the_host_is_hidden_whole_and_nothing_else(function, name, between):
    head = BEFORE + ("struct S {\n" if "}" in between or "public" in between else "")
    text = f"{head}{between}{function}\n{KERNEL}"
    line = text[: text.index(f"{name}(")].count("\n") + 1
    found = function_at(text, line, len(text[: text.index(f"{name}(")].rpartition("\n")[2]) + 1)
    assert found.text == function
    assert text.split("\n")[found.line - 1].endswith(function.partition("\n")[0])
    hidden = text.replace(function, found.hidden).split("\n")
    at = hidden.index("#ifndef __CUDACC_RTC__")
    assert hidden[hidden.index("#endif", at) :][-2:] == [KERNEL.strip(), ""]
    assert next(line for line in hidden if line.startswith("#i")) == "#include <vector>"


@pytest.mark.parametrize(
    "text",
    [
        "int main()\n#if A\n{\n#else\n{ a();\n#endif\n}\n",
        "int main() { auto f = [] __device__ (int i) { return i; }; }",
        "__host__ __device__ int f() { return 1; }",
    ],
)
def test_what_may_be_code_for_the_gpu_is_not_hidden(text):
    assert function_at(text, 1) is None


def test_the_function_around_a_place():
    text = (
        'namespace a { extern "C" {\n__global__ void k(int* p) {\n  if (*p) {\n    *p = 1;\n'
        "  }\n}\nstruct S { int n; };\nint main() { k(); }\n} }\nint n;\n"
    )
    assert "__global__ void k" in enclosing_head(text, 4, None)
    assert "int main()" in enclosing_head(text, 8, 16)
    assert enclosing_head(text, 7, 14) is None
    assert enclosing_head(text, 10, None) is None


def test_the_target_of_ptx():
    assert ptx_target(".version 8.0\n.target sm_90a, debug\n") == "sm_90a"
    assert ptx_target("mov.u32 %r1, 0;") is None
