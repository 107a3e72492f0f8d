import pytest

from jitstudio.core.source_facts import (
    free_metadata,
    function_at,
    kernel_annotation,
    ptx_target,
    quoted_name,
    template_kernel,
)


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
    assert function_at(f"int a;\n{function}\nint b;\n", 2) == function


@pytest.mark.parametrize(("text", "line"), [("int f();", 1), ("int f() {", 1), ("", None)])
def test_half_a_function_is_none(text, line):
    assert function_at(text, line) is None


PARAMETERS = "i32 addrspace(1)* noalias nocapture %out, <2 x float> %v, {i32, i8}* %s, i32 signext"


def test_an_annotation_of_typed_pointers_names_the_type():
    code = f"; define void @no()\ndefine void @fill({PARAMETERS}) #0 {{"
    type_ = "void (i32 addrspace(1)*, <2 x float>, {i32, i8}*, i32)*"
    assert kernel_annotation(code, typed_pointers=True) == f"{type_} @fill"
    assert kernel_annotation(code, typed_pointers=False) == "ptr @fill"


def test_a_function_of_the_module_alone_is_no_kernel():
    code = "define internal void @helper() {\n}\ndefine i32 @f() {\n}\ndefine void @k() {\n}\n"
    assert kernel_annotation(code, typed_pointers=False) == "ptr @k"
    assert kernel_annotation("define i32 @f() {\n}\n", typed_pointers=False) is None


def test_the_first_free_number_of_metadata():
    assert free_metadata("!a = !{!0, !7}\n!0 = !{}\n!7 = !{}\n") == "8"
    assert free_metadata("define void @k()") == "0"


def test_the_target_of_ptx():
    assert ptx_target(".version 8.0\n.target sm_90a, debug\n") == "sm_90a"
    assert ptx_target("mov.u32 %r1, 0;") is None
