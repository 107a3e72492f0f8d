from time import process_time

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.request import Direction
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.listing.ptx import kernel_uses
from tests.support import cuda, request, sample, sample_header

IN, OUT, INOUT = Direction.IN, Direction.OUT, Direction.INOUT

TWO = """\
.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) helper(.param .b64 p);
.visible .entry k(.param .u64 .ptr .global k_param_0, .param .u64 k_param_1, .param .u32 n)
.maxntid 256, 1, 1
{{
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [k_param_0]; // the first; not st.global [%rd1], 1;
    ld.param.u64 %rd2, [k_param_1];
    ld.param.u32 %r1, [n];
    {body}
    ret;
}}
.func after() {{ .reg .b64 %rd1; st.global.u32 [%rd1], 1; ret; }}
"""
CUDA = """\
struct Buffers { float* in; float* out; };
extern "C" __device__ __noinline__ void fill(float* p) { *p = 1; }
extern "C" __global__ void moved(float* in, float* out, size_t n, int stride) {
    float* end = in + n;
    for (float* p = in; p < end; p += stride) *out++ = *p;
}
extern "C" __global__ void chosen(float* a, float* b, float* out, bool first) {
    *out = *(first ? a : b);
}
extern "C" __global__ void vectors(float4* in, float4* out) { out[1] = in[2]; }
extern "C" __global__ void counted(int* counts, unsigned char* data) {
    atomicAdd(&counts[data[threadIdx.x]], 1);
}
extern "C" __global__ void kept(float* a, float** all) { all[0] = a; }
extern "C" __global__ void called(float* a, float* unused) { fill(a); }
extern "C" __global__ void by_value(Buffers b, float* c) { *b.out = *b.in + *c; }
"""


def access(body):
    return kernel_uses(TWO.format(body=body))["k"].access


def accesses(builder, *sources, **fields):
    """What kernels do, by the names of their kernels and parameters; pointers only."""
    result = builder.build(request(*sources, **fields))
    assert any(artifact.kind is CodeKind.PTX for artifact in result.artifacts)
    headers = fields.get("headers", ())
    return {
        form.title: {p.name: p.access for p in form.parameters if p.access}
        for form in kernel_forms(sources, result, headers, access=True)
    }


def test_a_template_reads_and_writes(builder):
    source = cuda(sample("saxpy.cu").content.decode(), "saxpy.cu", "saxpy<float>", "saxpy<double>")
    used = {"x": IN, "y": INOUT}
    assert accesses(builder, source) == {"saxpy<float>": used, "saxpy<double>": used}


def test_what_is_only_written_is_out(builder):
    found = accesses(builder, sample("vector_add.cu"))
    assert found == {"vector_add": {"a": IN, "b": IN, "sum": OUT}}


def test_atomics_read_and_write(builder):
    header = sample_header("atomic_ops.cuh")
    found = accesses(builder, sample("histogram.cu"), headers=(header,))
    assert found == {"histogram": {"data": IN, "bins": INOUT}}


def test_a_value_passed_to_a_function_gives_nothing_away(builder):
    sources = (sample("user_transform.cu"), sample("apply_transform.cu"))
    found = accesses(builder, *sources, link="ptx")
    assert found == {"apply_transform": {"in": IN, "out": OUT}}


def test_kernels_written_in_ptx_and_llvm_ir_tell_too(builder):
    sources = (sample("scale.ptx"), sample("multiply.ptx"))
    result = builder.build(request(*sources, link="ptx", emit="cubin"))
    (form,) = kernel_forms(sources, result, access=True)
    assert [p.access for p in form.parameters] == [INOUT, None, None]
    assert accesses(builder, sample("fill_opaque.ll"), arch="sm_100") == {"fill": {"out": OUT}}


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_100"])
def test_addresses_are_followed_through_what_the_compiler_makes(builder, arch):
    assert accesses(builder, cuda(CUDA), arch=arch) == {
        "moved": {"in": IN, "out": OUT},
        "chosen": {"a": IN, "b": IN, "out": OUT},
        "vectors": {"in": IN, "out": OUT},
        "counted": {"counts": INOUT, "data": IN},
        "kept": {"all": OUT},
        "called": {},
        "by_value": {"c": IN},
    }


@pytest.mark.parametrize("option", ["-G", "-lineinfo"])
def test_code_for_debuggers_tells_the_same(builder, option):
    found = accesses(builder, sample("vector_add.cu"), options=(option,))
    assert found == {"vector_add": {"a": IN, "b": IN, "sum": OUT}}


@pytest.mark.parametrize(
    ("body", "first", "second"),
    [
        ("", None, None),
        ("ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];", IN, None),
        ("@!%p1 st.global.v2.f32 [%rd2], {%f1, %f2};", None, OUT),
        ("$L_1: { @%p1 st.u32 [%rd1], %r1; } bra $L_1;", OUT, None),
        (".loc 1 2 3\n ld.u32 %r2, [%rd1]; st.u32 [%rd1+-4], %r2;", INOUT, None),
        ("red.global.add.u32 [%rd1], 1; ldu.global.u32 %r2, [%rd2];", INOUT, IN),
        ("atom.global.add.u64 %rd3, [%rd1], 1; st.u32 [%rd3], 1;", INOUT, None),
        ("cp.async.ca.shared.global [%r2], [%rd1], 16; cp.async.wait_all;", IN, None),
        ("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16;", OUT, None),
        (
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], 8;",
            INOUT,
            None,
        ),
        ("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];", IN, None),
        ("wmma.load.a.sync.aligned.m16n16k16.global.row.f16 {%r2,%r3}, [%rd1], %r4;", IN, None),
        ("wmma.store.d.sync.aligned.m16n16k16.global.row.f32 [%rd2], {%f1}, %r4;", None, OUT),
        ("prefetch.global.L2 [%rd1];", None, None),
        ("discard.global.L2 [%rd1], 128;", OUT, None),
    ],
)
def test_each_instruction_has_its_effect(body, first, second):
    assert access(body) == {0: first, 1: second}


@pytest.mark.parametrize(
    "steps",
    [
        "cvta.to.global.u64 %rd5, %rd1;",
        "mad.wide.s32 %rd5, %r1, 4, %rd1;",
        "shl.b64 %rd4, %rd3, 2; add.s64 %rd5, %rd4, %rd1;",
        "selp.b64 %rd5, %rd1, %rd3, %p1;",
        "mov.b64 {%r2, %r3}, %rd1; mov.b64 %rd5, {%r2, %r3};",
        "st.global.u32 [%rd5], 1; mov.u64 %rd5, %rd4; mov.u64 %rd4, %rd1;",
        "mov.u64\n%rd5,\n/* a comment; with [%rd2] */ %rd1\n;",
    ],
)
def test_an_address_is_followed_whatever_the_order(steps):
    assert access(f"{steps} st.global.u32 [%rd5], %r1;") == {0: OUT, 1: None}


@pytest.mark.parametrize(
    "escape",
    [
        "st.local.u64 [%rd7], %rd1;",
        "{ .param .b64 param0; st.param.b64 [param0+0], %rd1; call.uni helper, (param0); }",
        "call (%r2), helper, (%rd1);",
        "atom.global.exch.b64 %rd3, [%rd2], %rd1;",
        "add.u64 %rd3, %rd1, 8; st.global.v2.u64 [%rd2], {%rd4, %rd3};",
        "mov.u64 %rd3, k_param_0; cvta.param.u64 %rd4, %rd3; ld.u64 %rd5, [%rd4];",
        "st.param.b64 [k_param_0], %rd4;",
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r2}], [%r3];",
        "unheard.of.u32 %r2, [%rd1];",
    ],
)
def test_where_an_address_escapes_nothing_is_known(escape):
    assert access(f"ld.global.u32 %r5, [%rd1]; {escape}")[0] is None


def test_a_number_computed_from_memory_or_a_comparison_is_no_address():
    body = "ld.u64 %rd3, [%rd1]; st.u32 [%rd3], 1; setp.eq.u64 %p1, %rd1, 0; @%p1 st.u32 [%rd2], 1;"
    assert access(body) == {0: IN, 1: OUT}


def test_a_choice_between_parameters_is_one_between_what_they_point_at():
    choice = "mov.b64 %rd3, k_param_0; mov.b64 %rd4, k_param_1; selp.b64 %rd5, %rd3, %rd4, %p1;"
    assert access(f"{choice} ld.param.b64 %rd6, [%rd5]; st.u32 [%rd6], 1;") == {0: OUT, 1: OUT}


def test_registers_need_no_percent_sign():
    body = "ld.param.u64 base, [k_param_1]; add.u64 at, base, 0x10; ld.global.u32 value, [at];"
    assert access(body) == {0: None, 1: IN}


def test_only_kernels_with_a_body_are_told():
    text = ".extern .entry k(.param .u64 p);\n.entry other(.param .u64 p) { ld.param.u64 a, [p]; }"
    assert {k: use.access for k, use in kernel_uses(text).items()} == {"other": {0: None}}
    assert kernel_uses("") == {}


def test_no_beginning_of_a_text_is_too_odd():
    text = TWO.format(body="@%p1 ld.v2.u32 {%r2, %r3}, [%rd1+4]; mov.b64 {%r2, %r3}, %rd2;")
    for end in range(len(text)):
        assert kernel_uses(text[:end]).keys() <= {"k"}
        kernel_uses(text[end:])


@pytest.mark.bench
def test_a_huge_kernel_takes_seconds_at_most():
    step = """\
    mul.wide.s32 %rd{0}1, %r{0}, 4;
    add.s64 %rd{0}2, %rd1, %rd{0}1;
    ld.global.nc.f32 %f{0}, [%rd{0}2+16];
    fma.rn.f32 %f{0}1, %f{0}, %f1, %f2;
    add.s64 %rd{0}3, %rd2, %rd{0}1;
    st.global.f32 [%rd{0}3], %f{0}1;
"""
    text = TWO.format(body="".join(map(step.format, range(45_000))))
    assert len(text) > 10_000_000
    start = process_time()
    assert kernel_uses(text)["k"].access == {0: IN, 1: OUT}
    assert process_time() - start < 10  # some 1.5
