from time import process_time

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.c_types import FLOAT, INT, UNSIGNED
from jitstudio.core.launch.request import Direction, ParameterSlot
from jitstudio.core.launch.texels import TexelUse
from jitstudio.core.launch.types import Handle, HandleKind, Opaque, Pointer
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.listing.ptx import kernel_uses, parameter_slots, reaches_texels
from jitstudio.ptx.skimming import entries
from tests.support import cuda, request, sample

KERNEL = ".visible .entry {}(\n\t.param .u64 {}_param_0\n)\n{{\n\tret;\n}}\n"


def test_kernels_are_told_in_order():
    assert entries(KERNEL.format("b", "b") + KERNEL.format("a", "a")) == ("b", "a")


def test_a_weak_kernel_counts():
    assert entries(".weak .entry _Z4copyIfEvPT_() { ret; }") == ("_Z4copyIfEvPT_",)


def test_a_name_may_stand_on_the_next_line():
    assert entries(".visible .entry\n\tk (\n)\n{ ret; }") == ("k",)


def test_a_name_may_stand_behind_a_comment():
    assert entries(".entry /* the */ k // one\n() { ret; }") == ("k",)


def test_names_may_hold_a_dollar_and_a_percent_sign():
    assert entries(".entry $a$b() { ret; } .entry %c() { ret; }") == ("$a$b", "%c")


def test_a_declaration_is_no_kernel():
    assert entries(".extern .entry k(.param .u64 p);") == ()


def test_a_declared_kernel_is_told_once():
    assert entries(".entry k();\n.visible .entry k()\n{ ret; }") == ("k",)


def test_directives_may_stand_before_the_body():
    text = ".entry k()\n.maxntid 128, 1, 1\n.minnctapersm 2 // { or ;\n/* ; */\n{ ret; }"
    assert entries(text) == ("k",)


def test_comments_and_strings_hold_no_kernels():
    text = (
        "// .entry a() {}\n"
        "/* .entry b() {}\n */\n"
        '.file 1 "//.entry c() {}"\n'
        ".entry d() { ret; }\n"
        "/* not closed .entry e() {}"
    )
    assert entries(text) == ("d",)


def test_a_function_is_no_kernel():
    assert entries(".visible .func k() { ret; }\n.reg .b32 %entry;") == ()


def test_text_that_breaks_off_is_taken_as_it_is():
    whole = KERNEL.format("k", "k")
    found = {entries(whole[:length]) for length in range(len(whole))}
    assert found == {(), ("k",)}


def test_the_kernels_of_the_samples_are_found(listings):
    found = {what: entries(text) for what, kind, text in listings if kind is CodeKind.PTX}
    assert found["Vector add "] == ("vector_add",)
    assert found["SAXPY template "] == (
        "_Z5saxpyIdEvT_PKS0_PS0_i",
        "_Z5saxpyIfEvT_PKS0_PS0_i",
    )
    assert found["Histogram with an in-memory header -G"] == ("histogram",)


@pytest.mark.bench
def test_a_large_text_is_searched_at_once():
    line = "\tld.global.nc.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd12+16]; // note\n"
    text = "".join(
        f".visible .entry k{number}(.param .u64 a)\n{{\n{line * 1000}}}\n" for number in range(300)
    )
    start = process_time()
    assert len(entries(text)) == 300
    assert process_time() - start < 2
    start = process_time()
    assert entries("/*" * 500_000 + ".entry k(" * 100_000) == ()
    assert entries(".entry k(" * 10_000) == ()
    assert process_time() - start < 2


MIXED = """\
.version 9.0
.target sm_90
.address_size 64
.extern .entry declared(.param .u32 x);
.visible .entry mixed(
    .param .u8 mixed_param_0, // a comment, with a comma
    .param .align 16 .b8 mixed_param_1[12],
    .param .u64 .ptr .global .align 4 mixed_param_2,
    .param .f32 mixed_param_3 /* and ( another ) */
)
.maxntid 256, 1, 1
.minnctapersm 2
{ ret; }
.func (.param .b32 r) helper(.param .b64 p) { ret; }
.entry none() { ret; }
.entry bare .reqntid 32 { ret; }
"""


def test_every_parameter_lies_behind_the_one_before_at_its_alignment():
    found = parameter_slots(MIXED)["mixed"]
    assert [p.slot for p in found] == [
        ParameterSlot(0, 1, 1),
        ParameterSlot(16, 12, 16),
        ParameterSlot(32, 8, 8),
        ParameterSlot(40, 4, 4),
    ]
    assert [p.type for p in found] == [".u8", ".b8[12]", ".u64.ptr", ".f32"]
    assert [p.pointer for p in found] == [False, False, True, False]
    assert found[0].name == "mixed_param_0"


def test_only_kernels_with_a_body_are_told():
    assert list(parameter_slots(MIXED)) == ["mixed", "none", "bare"]
    assert parameter_slots(MIXED)["none"] == parameter_slots(MIXED)["bare"] == ()


def test_a_type_is_guessed():
    guesses = [p.guess for p in parameter_slots(MIXED)["mixed"]]
    assert guesses[1:] == [Opaque(".b8[12]", 12, 16), Pointer(None), FLOAT]
    text = sample("scale.ptx").content.decode()
    assert [p.guess for p in parameter_slots(text)["scale"]] == [Pointer(None), FLOAT, UNSIGNED]
    signed = ".entry k(.param .s32 n) { ret; }"
    assert [p.guess for p in parameter_slots(signed)["k"]] == [INT]


def test_a_kernel_with_parameters_nobody_can_read_is_left_out():
    text = ".entry odd(.param .what x) { ret; }\n.entry k(.param .u32 x) { ret; }"
    assert list(parameter_slots(text)) == ["k"]


def test_no_beginning_of_a_text_is_too_odd():
    whole = parameter_slots(MIXED)
    for end in range(len(MIXED)):
        assert parameter_slots(MIXED[:end]).keys() <= whole.keys()


# ---- Which 64-bit parameters of PTX are textures and surfaces, and what their texels may be

TEXTURE, SURFACE = HandleKind.TEXTURE, HandleKind.SURFACE
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
SAMPLING = """.visible .entry k(.param .u64 a, .param .u64 b) {{
.reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .b32 %r<8>; .reg .b16 %h<5>; .reg .pred %p;
ld.param.u64 %rd1, [a]; {body} }}"""


def uses(body):
    return kernel_uses(SAMPLING.format(body=body))["k"].texels


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}]; add.f32 %f0, %f1, %f1;",
         TexelUse(TEXTURE, 2, "float")),
        ("tex.3d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f5, %f6, %f7, %f7}]; not %r0, %r2;",
         TexelUse(TEXTURE, 3, "int2")),
        ("tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}]; not.b32 %r0, %r3;",
         TexelUse(TEXTURE, 1, "uchar4", linear=True)),
        ("mov.b64 %rd7, %rd1; tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd7, {%f5, %f6}];",
         TexelUse(TEXTURE, 2, "float")),
        ("txq.width.b32 %r1, [%rd1]; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];",
         TexelUse(TEXTURE, 1, "float")),
        ("suld.b.1d.v2.b16.trap {%h1, %h2}, [%rd1, {%r1}];", TexelUse(SURFACE, 1, "ushort2")),
        ("@%p sust.b.2d.v4.b8.zero [%rd1, {%r1, %r2}], {%h1, %h2, %h3, %h4};",
         TexelUse(SURFACE, 2, "uchar4")),
        ("suq.width.b32 %r1, [%rd1];", TexelUse(SURFACE, 2, "float")),
    ],
)  # fmt: skip
def test_what_a_parameter_is_reached_by(body, use):
    assert uses(body) == {0: use}


def test_what_is_a_coordinate_or_an_address_is_no_texture():
    assert uses("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;") == {}
    other = (
        "ld.param.u64 %rd2, [b]; cvt.u32.u64 %r1, %rd1; suld.b.1d.b32.trap {%r2}, [%rd2, {%r1}];"
    )
    assert list(uses(other)) == [1]
    assert not reaches_texels("call vertex.tex.y; // .tex")
    assert reaches_texels("\ttex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];")


def test_the_form_of_a_kernel_in_ptx_has_textures(builder):
    body = """mov.f32 %f5, 0f00000000;
    mov.u32 %r1, 0; ld.param.u64 %rd2, [b];
    tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];
    sust.b.1d.b32.trap [%rd2, {%r1}], {%r1}; ret;"""
    text = f"{HEAD}{SAMPLING.format(body=body)}"
    wanted = request(Source("k.ptx", CodeKind.PTX, text.encode()), emit="cubin")
    result = builder.build(wanted)
    assert result.ok, result.diagnostics
    for access in (False, True):
        (form,) = kernel_forms(wanted.sources, result, access=access)
        assert [p.type for p in form.parameters] == [Handle(TEXTURE), Handle(SURFACE)]
        assert form.parameters[1].access is Direction.OUT


def test_the_form_of_a_kernel_in_cuda_has_them_by_their_types(builder):
    wanted = request(
        cuda("""template <typename T> __global__ void k(cudaTextureObject_t t, T* out,
                cudaSurfaceObject_t s, cudaTextureObject_t* all) {
            out[0] = tex2D<T>(t, 0, 0); surf2Dwrite(out[0], s, 0, 0); }
        template __global__ void k<float>(cudaTextureObject_t, float*, cudaSurfaceObject_t,
                                          cudaTextureObject_t*);""")
    )
    result = builder.build(wanted)
    assert result.ok, result.diagnostics
    (form,) = kernel_forms(wanted.sources, result, access=True)
    t, out, s, many = (p.type for p in form.parameters)
    assert (t, s) == (Handle(TEXTURE), Handle(SURFACE))
    assert isinstance(out, Pointer)
    assert many == Pointer(Handle(TEXTURE))
    assert form.parameters[0].texels == TexelUse(TEXTURE, 2, "float")
