"""The texts of textures and surfaces, and what a form begins with."""

from dataclasses import replace

import pytest

from jitstudio.core.launch.arguments import default_arguments, first_launch
from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.request import Direction, FillKind
from jitstudio.core.launch.texel_text import SAMPLING_WORDS, split_texels, texel_buffer
from jitstudio.core.launch.texels import AddressMode, FilterMode, ReadMode, Sampling, TexelUse
from jitstudio.core.launch.types import Handle, HandleKind
from jitstudio.core.launch.values import encode
from tests.core.launch.forms import form, pointer

TEXTURE, SURFACE = (Handle(kind) for kind in HandleKind)


def read(text, handle=TEXTURE):
    return texel_buffer("t", handle, 8, text, {"w": 7, "h": 3}, "/folder")


def test_what_is_left_out_is_as_in_a_descriptor_of_zeros():
    buffer = read("float[w,h]")
    assert (buffer.length, buffer.shape, buffer.bytes) == (21, (7, 3), 84)
    assert (buffer.fill.kind, buffer.direction) == (FillKind.RANDOM, Direction.IN)
    assert buffer.texels.sampling == Sampling()
    assert [buffer.texels.sampling.mode(axis) for axis in range(3)] == [AddressMode.CLAMP] * 3
    surface = read("float[w,h]", SURFACE)
    assert (surface.fill.kind, surface.direction) == (FillKind.ZEROS, Direction.INOUT)


def test_all_of_a_sampling():
    words = "linear,wrap,mirror,normalizedCoords,normalizedFloat"
    for text in (words, ("cudaFilterModeLinear,cudaAddressModeWrap,MIRROR,normalizedcoords,"
                 "cudaReadModeNormalizedFloat")):  # fmt: skip
        buffer = read(f"uchar4[2*w, h]:file(a:b.npy):{text}")
        assert (buffer.shape, buffer.fill.text) == ((14, 3), "/folder/a:b.npy")
        modes = (AddressMode.WRAP, AddressMode.MIRROR)
        assert buffer.texels.sampling == Sampling(
            modes, FilterMode.LINEAR, ReadMode.NORMALIZED, normalized=True
        )
    assert read("half4[w,h,2]:zeros:border").texels.sampling.address == (AddressMode.BORDER,) * 3
    assert read("uint[w]:linearMemory").texels.linear
    assert read("ushort2[w]:zeros:out", SURFACE).direction is Direction.OUT


@pytest.mark.parametrize("text", ["null", "nullptr", "0"])
def test_no_texture_at_all(text):
    assert read(text).length == 0
    assert encode(TEXTURE, text, {}).data == bytes(8)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "There are no texels. A texture needs type and extents."),
        ("w,h:random", "'w,h' does not say what the texels are."),
        ("float[]", "does not say what the texels are"),
        ("float[1,2,3,4]", "one to three extents"),
        ("float[w,0]", "7 x 0 texels makes no sense"),
        ("float[200000]", "200,000 texels wide are more than the 131,072 of a 1D texture"),
        ("float[4,70000]", "70,000 texels high"),
        ("float[4,4,20000]", "20,000 texels deep"),
        ("float[nope]", "nope"),
        ("double[3]", "'double' is not a texel: that has 1, 2 or 4 channels"),
        ("float3[3]", "'float3' is not a texel"),
        ("float[4]:zeros:out", "A texture is only read, so it cannot be out."),
        ("float[4]:bogus", "'bogus' is neither a fill nor a word of the sampling"),
        ("float[4]:linear:random", "Write the words of the sampling after the fill"),
        ("float[4]:wrap", "wrap works with normalized coordinates only: CUDA would clamp."),
        ("float[4,4]:clamp,mirror", "mirror works with normalized coordinates only"),
        ("float[4]:clamp,border", "These are 2 address modes, and the texture has 1 axis."),
        ("float[4]:point,linear", "point and linear exclude each other"),
        ("float[4]:linear,linear", "'linear' is written twice"),
        ("uchar[4]:linear", "this texture gives unsigned char. Add normalizedFloat"),
        ("int[4]:linear", "Write point, or use float."),
        ("int[4]:normalizedFloat", "for integers of 8 and 16 bits, not for int"),
        ("float[4]:normalizedFloat", "for integers of 8 and 16 bits, not for float"),
        ("float[4,4]:linearMemory", "Texels in linear memory have one axis, these have 2."),
        ("float[4]:linearMemory,clamp", "tex1Dfetch reads linear memory by the index"),
    ],
)
def test_what_is_no_texture(text, said):
    with pytest.raises(TextError) as error:
        read(text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("float[4]:linear", "A surface is read as it is, without linear."),
        ("float[40000]", "more than the 32,768 of a 1D surface"),
        ("float[4]:zeros:sideways", "'zeros:sideways' is neither"),
    ],
)
def test_what_is_no_surface(text, said):
    with pytest.raises(TextError) as error:
        read(text, SURFACE)
    assert said in str(error.value)


def test_a_text_comes_apart_in_three():
    assert split_texels("float[w,h]") == ("float[w,h]", "", "")
    assert split_texels("float[4]:linear , clamp") == ("float[4]", "", "linear , clamp")
    assert split_texels(" int[4] : expr(a[1:2]) : in ") == ("int[4]", "expr(a[1:2])", "in")
    for word in SAMPLING_WORDS:
        assert split_texels(f"float[4]:file(x:{word}):{word}")[1:] == (f"file(x:{word})", word)


def used(kind, axes, element, *, linear=False):
    return TexelUse(kind, axes, element, linear)


def test_a_form_begins_with_the_extents_that_the_kernel_is_given():
    sized = form(("in", TEXTURE), ("out", SURFACE), ("width", "int"), ("img_height", "int"))
    assert dict(default_arguments(sized)) == {
        "in": "float[width,img_height]:random",
        "out": "float[width,img_height]:random:inout",
        "width": "1024",
        "img_height": "1024",
    }
    bare = form(("t", TEXTURE), ("s", SURFACE), ("table", TEXTURE), ("n", "int"))
    t, s, table, n = bare.parameters
    bare = replace(
        bare,
        parameters=(
            replace(t, texels=used(HandleKind.TEXTURE, 3, "uchar4")),
            replace(s, texels=used(HandleKind.SURFACE, 2, "int2"), access=Direction.OUT),
            replace(table, texels=used(HandleKind.TEXTURE, 1, "float4", linear=True)),
            n,
        ),
    )
    assert dict(default_arguments(bare)) == {
        "t": "uchar4[32,32,32]:random",
        "s": "int2[256,256]:zeros:out",
        "table": "float4[n]:random:linearMemory",
        "n": "16384",
    }


def test_a_surface_is_covered_where_there_is_no_buffer():
    sized = form(("out", SURFACE), ("w", "int"), ("h", "int"))
    launch = first_launch(sized)
    assert (launch.cover, launch.block, launch.grid) == ("w,h", "16,16", "")
    both = form(("out", SURFACE), ("p", pointer()), ("n", "int"))
    assert first_launch(both).cover == "n"
