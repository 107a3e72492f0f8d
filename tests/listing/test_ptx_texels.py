"""Which 64-bit parameters of PTX are textures and surfaces, and what their texels may be."""

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.request import Direction
from jitstudio.core.launch.texels import TexelUse
from jitstudio.core.launch.types import Handle, HandleKind, Pointer
from jitstudio.listing.kernels import kernel_forms
from jitstudio.listing.ptx import kernel_uses, reaches_texels
from tests.support import cuda, request

TEXTURE, SURFACE = HandleKind.TEXTURE, HandleKind.SURFACE
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
KERNEL = """.visible .entry k(.param .u64 a, .param .u64 b) {{
.reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .b32 %r<8>; .reg .b16 %h<5>; .reg .pred %p;
ld.param.u64 %rd1, [a]; {body} }}"""


def uses(body):
    return kernel_uses(KERNEL.format(body=body))["k"].texels


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
    text = f"{HEAD}{KERNEL.format(body=body)}"
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
