import sys
from dataclasses import replace

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, Artifact, CodeKind, Header, Source
from jitstudio.core.launch.c_types import DOUBLE, FLOAT, HALF, INT, UNSIGNED, named
from jitstudio.core.launch.request import ParameterSlot
from jitstudio.core.launch.types import Array, Opaque, Pointer, Scalar
from jitstudio.core.result import BuildResult, Kernel, Outcome
from jitstudio.listing.kernels.declared import llvm_signatures
from jitstudio.listing.kernels.forms import kernel_forms
from tests.support import cuda, request, sample

TYPES = """\
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda/std/complex>
#include <cuda/std/array>
#include "params.cuh"
enum class E : unsigned char { a, b };
struct alignas(16) Aligned { char c; double d; Params p[2]; };
__global__ void __cluster_dims__(2, 1, 1) types(
    bool b, char c, signed char sc, unsigned char uc, short s, wchar_t w, char16_t c16, float f,
    double d, __half h, __half2 h2, __nv_bfloat16 bf, __nv_bfloat162 bf2, __nv_fp8_e4m3 f8,
    __nv_fp8x4_e5m2 f84, char3 c3, short4 s4, uchar4 u4, long3 l3, float3 f3, float4 f4,
    double3 d3, double4_16a d4, double4_32a d4a, longlong4_16a ll4, dim3 dd,
    cuda::std::complex<float> cf, cuda::std::complex<double> cd, cuda::std::array<float, 3> ar,
    E e, int *__restrict__ p, size_t z, unsigned long ul, long long ll, uint16_t u16,
    const __grid_constant__ Params params, Aligned aligned, const float x[], void (*call)(int)) {}
"""
PARAMS = Header("params.cuh", b"struct Params { int n; double scale; float v[3]; const int* p; };")
NAMES = """\
template <typename T, int N> struct Vec { T x[N]; };
namespace ns {
struct P { int a; };
enum E { red, green };
template <typename T, int N = 4>
__global__ __launch_bounds__(64 * N) void k(T* x, const T y, Vec<T, N> v, const Vec<T, N>* w) {}
__global__ void over(float* x, int n) {}
__global__ void over(double* y, int n) {}
__global__ void over(double* z, P p) {}
namespace { __global__ void hidden(const P* x, E e) {} }
template <E e, bool b, char c> __global__ void numbers(int x) {}
template <typename... Ts> __global__ void pack(int first, Ts... rest) {}
template <auto V> __global__ void dependent(decltype(V) x) {}
}
#define MAKE(name) __global__ void name(float* a, int b)
extern "C" MAKE(made) {}
#define BESIDE(name) __global__ void name(ns::P* a, const float b, ns::Vast c)
namespace ns { struct Vast { long long l[3]; }; BESIDE(beside) {} }
extern "C" __global__ void plain(float* a, float a_, int) {}
"""
EXPRESSIONS = (
    "ns::k<float>",
    "ns::k<ns::P, 2>",
    "ns::hidden",
    "ns::numbers<ns::green, true, 'A'>",
    "ns::pack<float, double>",
    "ns::dependent<3>",
)


@pytest.fixture(scope="module")
def types(builder):
    source = cuda(TYPES, "types.cu")
    result = builder.build(request(source, headers=(PARAMS,)))
    return (source,), result


@pytest.fixture(scope="module")
def names(builder):
    source = cuda(NAMES, "names.cu", *EXPRESSIONS)
    return (source,), builder.build(request(source))


@pytest.fixture(scope="module")
def forms(names):
    return {form.title: form for form in kernel_forms(*names)}


def test_the_layout_of_all_types_is_that_of_the_compiler(types):
    (form,) = kernel_forms(*types, headers=(PARAMS,))
    assert len(form.parameters) == 39
    for parameter in form.parameters:
        found = (parameter.type.size, parameter.type.align)
        assert found == (parameter.slot.size, parameter.slot.align), parameter
    assert (form.title, form.notes, form.cluster) == ("types", (), (2, 1, 1))
    assert [p.name for p in form.parameters if isinstance(p.type, Opaque)] == []


def test_without_ptx_the_layout_is_computed(types):
    sources, result = types
    (form,) = kernel_forms(sources, result, (PARAMS,))
    (computed,) = kernel_forms(sources, replace(result, artifacts=()), (PARAMS,))
    assert computed.parameters == form.parameters
    assert "computed from their types" in computed.notes[0]
    assert computed.complete


def test_a_struct_nobody_knows_has_the_size_that_ptx_tells(types):
    (form,) = kernel_forms(*types)
    params = next(p for p in form.parameters if p.name == "params")
    assert params.type == Opaque("const Params", 40, 8)
    assert params.slot.size == 40
    assert "const Params of params" in form.notes[0]
    sources, result = types
    (computed,) = kernel_forms(sources, replace(result, artifacts=()))
    assert not computed.complete
    assert "does not say how large const Params" in computed.notes[0]


def test_titles_are_short_but_for_overloads(forms):
    assert set(forms) == {
        "ns::k<float, 4>",
        "ns::k<ns::P, 2>",
        "ns::over(float*, int)",
        "ns::over(double*, int)",
        "ns::over(double*, ns::P)",
        "ns::hidden",
        "ns::numbers<(ns::E)1, true, (char)65>",
        "ns::pack<float, double>",
        "ns::dependent<3>",
        "made",
        "ns::beside",
        "plain",
    }
    assert forms["ns::hidden"].lowered.startswith("_ZN2ns")


def test_template_arguments_are_put_in(forms):
    form = forms["ns::k<float, 4>"]
    pointer, value, vector, vectors = (p.type for p in form.parameters)
    assert (pointer, value, vector.fields[0].type) == (Pointer(FLOAT), FLOAT, Array(FLOAT, 4))
    assert vectors == Pointer(vector, const=True)
    assert (form.block_hint, form.module) == (256, "names.cu")
    assert NAMES.split("\n")[form.line - 1].endswith("{}")
    assert [p.spelling for p in form.parameters][:2] == ["T*", "const T"]
    other = forms["ns::k<ns::P, 2>"]
    assert other.parameters[1].type.fields[0].name == "a"
    assert [p.slot for p in other.parameters] == [
        ParameterSlot(0, 8, 8),
        ParameterSlot(8, 4, 4),
        ParameterSlot(12, 8, 4),
        ParameterSlot(24, 8, 8),
    ]
    assert other.block_hint == 128


@pytest.mark.parametrize(
    ("title", "parameters"),
    [
        ("ns::over(float*, int)", ["x", "n"]),
        ("ns::over(double*, int)", ["y", "n"]),
        ("ns::over(double*, ns::P)", ["z", "p"]),
    ],
)
def test_overloads_are_told_apart(forms, title, parameters):
    assert [p.name for p in forms[title].parameters] == parameters
    assert forms[title].notes == ()


def test_a_pack_is_told_apart(forms):
    found = [(p.name, p.type) for p in forms["ns::pack<float, double>"].parameters]
    assert found == [("first", INT), ("rest0", FLOAT), ("rest1", DOUBLE)]


def test_a_dependent_type_is_guessed_and_said(forms):
    form = forms["ns::dependent<3>"]
    assert (form.parameters[0].type, form.parameters[0].slot.size) == (UNSIGNED, 4)
    assert form.notes == ("What decltype(V) of x is made of is not known: 4 bytes.",)


def test_a_kernel_that_a_macro_makes_has_its_names(forms):
    assert [p.name for p in forms["made"].parameters] == ["a", "b"]
    assert [p.name for p in forms["ns::beside"].parameters] == ["a", "b", "c"]


@pytest.fixture
def unmade(names):
    """Forms where the macros that make kernels are in a header that nobody has."""
    _, result = names
    text = "\n".join("" if line.startswith("#define") else line for line in NAMES.splitlines())
    return {f.title: f for f in kernel_forms([cuda(text, "names.cu")], result)}


def test_a_kernel_that_an_unknown_macro_makes_is_guessed_from_ptx(unmade):
    form = unmade["made"]
    assert [(p.name, p.type) for p in form.parameters] == [
        ("arg0", Pointer(None)),
        ("arg1", UNSIGNED),
    ]
    (note,) = form.notes
    assert note.startswith("No source declares this kernel, so its parameters are only what its")


def test_a_name_in_cpp_tells_the_types_where_an_unknown_macro_makes_the_kernel(unmade):
    form = unmade["ns::beside"]
    assert [(p.name, p.type.name) for p in form.parameters] == [
        ("arg0", "P*"),
        ("arg1", "float"),
        ("arg2", "Vast"),
    ]
    assert len(form.notes) == 1


def test_every_parameter_has_a_name_of_its_own(forms):
    assert [p.name for p in forms["plain"].parameters] == ["a", "a_", "arg2"]


def test_nothing_can_demangle_on_some_hosts(names):
    sources, result = names
    mangled = tuple(replace(k, demangled=k.name) for k in result.kernels)
    forms = {f.title: f for f in kernel_forms(sources, replace(result, kernels=mangled))}
    assert forms["ns::k<float>"].parameters[1].type == FLOAT
    assert forms["ns::hidden"].parameters[1].name == "e"


def test_ptx_is_right_where_the_source_has_changed_since(names):
    _, result = names
    text = NAMES.replace("float a_, int", "double a_, int")
    forms = {f.title: f for f in kernel_forms([cuda(text, "names.cu")], result)}
    plain = forms["plain"]
    assert plain.parameters[1].type == FLOAT
    assert plain.notes == (
        "a_ of type double has 8 bytes in the source and 4 in the PTX: the PTX is right.",
    )
    short = NAMES.replace("float a_, int", "float a_")
    plain = {f.title: f for f in kernel_forms([cuda(short, "names.cu")], result)}["plain"]
    assert [(p.name, p.type) for p in plain.parameters] == [
        ("arg0", Pointer(None)),
        ("arg1", FLOAT),
        ("arg2", UNSIGNED),
    ]
    assert plain.notes == ("The source declares 2 parameters, the PTX 3: the PTX is right.",)


def test_kernels_of_ptx_have_the_names_there(builder):
    sources = (sample("scale.ptx"), sample("multiply.ptx"))
    result = builder.build(request(*sources, link="ptx", emit="cubin"))
    (form,) = kernel_forms(sources, result)
    assert [k.module for k in result.kernels] == [LINKED]
    assert [(p.name, p.type) for p in form.parameters] == [
        ("data", Pointer(None)),
        ("factor", FLOAT),
        ("n", UNSIGNED),
    ]
    assert form.notes == ()


@pytest.mark.parametrize(
    ("name", "arch", "target"),
    [("fill_typed.ll", "sm_90", INT), ("fill_opaque.ll", "sm_100", None)],
)
def test_kernels_of_llvm_ir_have_the_names_there(builder, name, arch, target):
    source = sample(name)
    (form,) = kernel_forms((source,), builder.build(request(source, arch=arch)))
    assert [(p.name, p.type) for p in form.parameters] == [("out", Pointer(target)), ("n", INT)]
    assert (form.notes, form.module) == ((), name)


@pytest.mark.parametrize("link", ["ptx", "lto"])
def test_kernels_of_a_link_are_looked_up_in_all_modules(builder, link):
    sources = (sample("user_transform.cu"), sample("apply_transform.cu"))
    result = builder.build(request(*sources, link=link, emit="cubin"))
    assert {k.module for k in result.kernels} == {LINKED}
    (form,) = kernel_forms(sources, result)
    assert (form.title, form.module) == ("apply_transform", "apply_transform.cu")
    assert [p.name for p in form.parameters] == ["in", "out", "n"]
    assert form.parameters[0].type == Pointer(FLOAT, const=True)


def test_macros_of_the_build_count(builder):
    text = 'struct S { REAL v[N]; };\nextern "C" __global__ void k(S s, REAL* x) {}'
    options = ("-DREAL=double", "--define-macro=N=3")
    result = builder.build(request(cuda(text), options=options))
    (form,) = kernel_forms((cuda(text),), result)
    assert form.parameters[0].type.fields[0].type == Array(DOUBLE, 3)
    assert form.parameters[1].type == Pointer(DOUBLE)
    assert form.notes == ()


def test_templates_in_headers_are_found(builder):
    header = Header(
        "k.cuh", b"#include <cuda_fp16.h>\ntemplate <class T>\n__global__ void k(T x) {}"
    )
    source = cuda('#include "k.cuh"\n', "main.cu", "k<__half>")
    result = builder.build(request(source, headers=(header,)))
    (form,) = kernel_forms((source,), result, (header,))
    assert [(p.name, p.type) for p in form.parameters] == [("x", HALF)]
    assert (form.module, form.line) == ("k.cuh", 3)


def test_each_target_of_a_fatbin_has_the_same_kernel(names):
    sources, result = names
    variants = [replace(k, module=f"{k.module}@sm_90") for k in result.kernels]
    both = replace(result, kernels=(*result.kernels, *variants))
    assert kernel_forms(sources, both) == kernel_forms(sources, result)


def test_a_kernel_nobody_declares_is_incomplete(names):
    sources, result = names
    alone = replace(result, artifacts=(), kernels=(Kernel("names.cu", "lost", "lost"),))
    (form,) = kernel_forms(sources, alone)
    assert (form.parameters, form.complete) == ((), False)
    assert form.notes[0].startswith("Neither a source nor PTX tells")


def test_unnamed_vectors_of_cuda_are_no_structs_of_the_user(builder):
    text = 'extern "C" __global__ void k(float4* v, ::float4 w, const uint3) {}'
    (form,) = kernel_forms((cuda(text),), builder.build(request(cuda(text))))
    assert [p.type for p in form.parameters] == [
        Pointer(named("float4")),
        named("float4"),
        named("uint3"),
    ]
    assert isinstance(named("float4").fields[0].type, Scalar)


def test_no_kernels_no_forms(names):
    sources, result = names
    assert kernel_forms(sources, replace(result, kernels=())) == ()


def test_macros_may_name_a_kernel_and_its_type(builder):
    text = "__global__ void NAME(REAL* x, int n);\n__global__ void NAME(REAL*, int) {}\n"
    source = cuda(text)
    result = builder.build(request(source, options=("-DREAL=float", "-DNAME=scale_256")))
    (form,) = kernel_forms((source,), result)
    assert (form.title, form.notes) == ("scale_256", ())
    assert [(p.name, p.type) for p in form.parameters] == [("x", Pointer(FLOAT)), ("n", INT)]


def test_ptx_of_a_compiler_is_a_source_like_any(builder, names):
    _, made = names
    text = made.artifacts[0].content
    source = Source("names.ptx", CodeKind.PTX, text)
    result = builder.build(request(source, emit="cubin"))
    forms = {f.title: f for f in kernel_forms((source,), result)}
    assert [p.type for p in forms["ns::k<float, 4>"].parameters][:2] == [Pointer(FLOAT), FLOAT]
    assert [p.name for p in forms["plain"].parameters] == ["arg0", "arg1", "arg2"]
    assert forms["plain"].notes == ()


CONVENTION = """\
define float @helper(float %x) { ret float %x }
define weak_odr dso_local ptx_kernel void @"odd name"(ptr noundef readonly align 4 captures(none)
    %in, ptr %out, double %0, i32 noundef signext %n, %struct.P* byval(%struct.P) align 8 %p,
    float addrspace(1)* nocapture %f, <4 x float> %v, { i32, i32 } %pair) #0 {
  ret void
}
"""


def read(text):
    return llvm_signatures(Source("k.ll", CodeKind.LLVM_IR, text.encode()))


@pytest.mark.parametrize(("name", "target"), [("fill_typed.ll", INT), ("fill_opaque.ll", None)])
def test_a_kernel_by_annotation_is_found(name, target):
    (kernel,) = llvm_signatures(sample(name))
    assert (kernel.name, kernel.module) == ("fill", name)
    assert [(p.name, p.type) for p in kernel.parameters] == [("out", Pointer(target)), ("n", INT)]
    assert b"define" in sample(name).content.splitlines()[kernel.line - 1]


def test_a_kernel_by_calling_convention_is_found():
    (kernel,) = read(CONVENTION)
    assert kernel.name == "odd name"
    assert [(p.name, p.type) for p in kernel.parameters] == [
        ("in", Pointer(None, const=True)),
        ("out", Pointer(None)),
        ("", DOUBLE),
        ("n", INT),
        ("p", None),
        ("f", Pointer(FLOAT)),
        ("v", None),
        ("pair", None),
    ]


def test_a_function_that_a_launch_may_mark_is_told_too():
    assert [s.name for s in read("define void @k(i32 %n) { ret void }")] == ["k"]


def test_bitcode_and_functions_with_a_result_tell_nothing():
    assert read("define i32 @k(i32 %n) { ret i32 %n }") == ()
    assert llvm_signatures(Source("k.bc", CodeKind.LLVM_IR, b"BC\xc0\xde define")) == ()


def test_no_beginning_of_a_text_is_too_odd():
    for text in (CONVENTION, sample("fill_typed.ll").content.decode()):
        assert max(len(read(text[:end])) for end in range(len(text) + 1)) == 1


def test_a_variable_is_that_of_the_own_module_where_others_have_one_of_that_name(builder):
    text = "__device__ {0} table[{1}];\n__global__ void {0}_kernel() {{ table[1] = 2; }}\n"
    sources = (cuda(text.format("float", 4), "a.cu"), cuda(text.format("int", 8), "b.cu"))
    for texts in (sources, sources[::-1]):
        forms = kernel_forms(texts, builder.build(request(*texts)))
        sizes = {form.title: form.variables[0].type.size for form in forms}
        assert sizes == {"float_kernel": 16, "int_kernel": 32}


def calls_for(count):
    """How many calls the forms of so many kernels take, and that many forms."""
    names = [f"k{number}" for number in range(count)]
    text = "".join(f"__global__ void {name}(int* {name}_) {{}}\n" for name in names)
    text += "void launch() { " + "".join(f"{name}<<<1, 2>>>(0); " for name in names[:3]) + "}\n"
    entries = "".join(f".entry {name}(.param .u64 {name}_param_0) {{ ret; }}\n" for name in names)
    ptx = Artifact(CodeKind.PTX, "many.cu", f".version 8.0\n.target sm_90\n{entries}".encode())
    kernels = tuple(Kernel("many.cu", name, f"{name}(int*)") for name in names)
    result = BuildResult(Outcome.BUILT, Arch(90), artifacts=(ptx,), kernels=kernels)
    calls = 0

    def count_call(*_):
        nonlocal calls
        calls += 1

    sys.setprofile(count_call)
    try:
        forms = kernel_forms([cuda(text, "many.cu")], result)
    finally:
        sys.setprofile(None)
    assert [form.parameters[0].name for form in forms] == [f"{name}_" for name in names]
    return calls


def test_many_kernels_take_time_in_proportion():
    kernel_forms([], BuildResult(Outcome.BUILT, Arch(90)))  # imports
    assert calls_for(400) < 4.5 * calls_for(100)
