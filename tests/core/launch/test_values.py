import math
import struct

import pytest

from jitstudio.core.launch.c_types import named, struct_of
from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.types import Array, NumberKind, Opaque, Pointer, Scalar
from jitstudio.core.launch.values import encode, example

NAMES = {"n": 1000, "a": 0.5}
INT, FLOAT, CHAR = named("int"), named("float"), named("char")
INNER = struct_of("Inner", (("c", CHAR), ("d", named("double"))))
PARAMS = struct_of(
    "Params",
    (("x", INT), ("y", FLOAT), ("v", Array(INT, 3)), ("inner", INNER), ("p", Pointer(FLOAT))),
)


@pytest.mark.parametrize(
    ("spelling", "text", "layout", "number"),
    [
        ("int", "1024", "<i", 1024),
        ("int", "n/2", "<i", 500),
        ("int", "-1", "<i", -1),
        ("int", "1e3", "<i", 1000),
        ("unsigned char", "255", "<B", 255),
        ("signed char", "-128", "<b", -128),
        ("short", "0x7fff", "<h", 32767),
        ("unsigned short", "1<<15", "<H", 32768),
        ("long long", "-9223372036854775808", "<q", -(2**63)),
        ("unsigned long long", "0xFFFFFFFFFFFFFFFF", "<Q", 2**64 - 1),
        ("size_t", "n*sizeof(float)", "<Q", 4000),
        ("bool", "true", "<?", True),
        ("bool", "0", "<?", False),
        ("float", "2.5f", "<f", 2.5),
        ("float", "1/2", "<f", 0),
        ("float", "a*n", "<f", 500),
        ("float", "-inf", "<f", -math.inf),
        ("double", "0.1", "<d", 0.1),
        ("__half", "1.5", "<e", 1.5),
    ],
)
def test_a_number_is_written_as_the_kernel_reads_it(spelling, text, layout, number):
    found = encode(named(spelling), text, NAMES)
    assert (found.data, found.number) == (struct.pack(layout, number), number)
    assert type(found.number) is type(struct.unpack(layout, found.data)[0])


@pytest.mark.parametrize(
    ("spelling", "text", "data", "number"),
    [
        ("__nv_bfloat16", "1.0", "803f", 1.0),
        ("__nv_bfloat16", "3.14159", "4940", 3.140625),
        ("__nv_fp8_e4m3", "448", "7e", 448.0),
        ("__nv_fp8_e5m2", "1.1", "3c", 1.0),
    ],
)
def test_small_floats_are_rounded_and_stand_so_in_expressions(spelling, text, data, number):
    found = encode(named(spelling), text, {})
    assert (found.data.hex(), found.number) == (data, number)


def test_a_float_stands_in_expressions_as_it_was_rounded():
    assert encode(FLOAT, "0.1", {}).number == struct.unpack("<f", struct.pack("<f", 0.1))[0]


def test_nan_is_a_float():
    found = encode(FLOAT, "nan", {})
    assert math.isnan(struct.unpack("<f", found.data)[0])


@pytest.mark.parametrize(
    ("spelling", "text", "message"),
    [
        ("unsigned char", "300", "300 does not fit: unsigned char goes from 0 to 255."),
        ("signed char", "-129", "-129 does not fit: signed char goes from -128 to 127."),
        ("unsigned int", "-1", "-1 does not fit: unsigned int goes from 0 to 4294967295."),
        ("short", "n*n", "n*n = 1000000 does not fit: short goes from -32768 to 32767."),
        ("int", "2.5", "'2.5' is 2.5, which is not a whole number."),
        ("int", "many", "There is no number 'many'."),
        ("int", "", "There is no value."),
        ("bool", "2", "'2' is not of type bool."),
        ("bool", "yes", "There is no number 'yes'."),
        ("float", "1e39", "1e39 does not fit: float goes from -3.40282347e+38 to 3.40282347e+38."),
        ("__half", "70000", "70000 does not fit: __half goes from -65504 to 65504."),
        ("__nv_fp8_e4m3", "inf", "inf does not fit: __nv_fp8_e4m3 goes from -448 to 448."),
        ("float4", "1", "'1' is not of type float4: its values of x, y, z and w stand in braces."),
    ],
)
def test_what_does_not_fit_is_refused_with_the_range(spelling, text, message):
    with pytest.raises(TextError) as caught:
        encode(named(spelling), text, NAMES)
    assert caught.value.message == message


def test_a_float_of_unknown_bits_is_refused():
    odd = Scalar("__nv_fp8_e8m0", "float8_e8m0fnu", 1, NumberKind.FLOATING)
    with pytest.raises(TextError, match="not known here"):
        encode(odd, "1.0", {})


PACKED = struct.pack("<if3i", 1, 2.5, 4, 5, 0) + b"\0" * 4
TAIL = struct.pack("<b7xd", 7, 0.25) + bytes(8)


@pytest.mark.parametrize(
    "text",
    [
        "{1, 2.5f, {4, 5}, {7, 0.25}, null}",
        "{x=1, y=2.5, v={4,5}, inner={c=7, d=0.25}}",
        "{1, inner={7, d=0.25}, v={4, 5, 0}, y=2.5, p=nullptr}",
        "{ .x = 1, .y = 2.5, .v = {4, 5}, .inner = {.c = 7, .d = 0.25} }",
        "{n/1000, a*5, {4, 5}, {7, 0.25}}",
    ],
)
def test_a_struct_is_given_by_its_fields_and_padded_with_zeros(text):
    found = encode(PARAMS, text, NAMES)
    assert found.data == PACKED + TAIL
    assert found.number is None


def test_fields_that_are_not_given_are_zero():
    assert encode(PARAMS, "{}", {}).data == bytes(PARAMS.size)


def test_vectors_are_structs():
    data = encode(named("float4"), "{1, 2, w=4}", {}).data
    assert struct.unpack("<4f", data) == (1, 2, 0, 4)


def test_arrays_are_filled_from_their_start():
    assert encode(Array(INT, 4), "{1, n}", NAMES).data == struct.pack("<4i", 1, 1000, 0, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{z=1}", "Params has no field 'z'."),
        ("{x=1, x=2}", "The field x is given twice."),
        ("{1, x=2}", "The field x is given twice."),
        ("{x=1, 2}", "'2' has no name, but stands after a field that has one."),
        ("{1,2,{},{},null,6}", "These are 6 values; Params has 5 fields."),
        ("{inner={c=300}}", ".inner.c: 300 does not fit: char goes from -128 to 127."),
        ("{v={1,2,x}}", "There is no number 'x'."),
        ("{v={1,2,2.5}}", ".v[2]: '2.5' is 2.5, which is not a whole number."),
        ("{v={1,2,3,4}}", ".v: These are 4 elements; int[3] has 3."),
        ("{v=1}", ".v: '1' is not of type int[3]: its values stand in braces."),
        ("{1, {2}", "'1, {2' has a bracket that nothing closes."),
        ("{1}, {2}", "'1}, {2' has a '}' that nothing opens."),
        ("5", "'5' is not of type Params: its values of x, y, v, inner and p stand in braces."),
    ],
)
def test_a_fault_in_a_struct_is_told_with_its_place(text, message):
    with pytest.raises(TextError) as caught:
        encode(PARAMS, text, {"n": 1})
    assert caught.value.message == message


def test_the_remedy_for_an_unknown_field_names_those_there_are():
    with pytest.raises(TextError) as caught:
        encode(INNER, "{zz=1}", {})
    assert caught.value.remedy == "Known here: c and d."


def test_opaque_bytes_are_given_in_hexadecimal_digits():
    opaque = Opaque("__int128", 4, 4)
    assert encode(opaque, "0x0102 ff00", {}).data == b"\x01\x02\xff\0"
    assert encode(opaque, "", {}).data == bytes(4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0102", "These are 2 bytes; T has 4."),
        ("xy", "'xy' is not made of hexadecimal digits."),
    ],
)
def test_opaque_bytes_have_to_be_as_many_as_there_are(text, message):
    with pytest.raises(TextError) as caught:
        encode(Opaque("T", 4, 4), text, {})
    assert caught.value.message == message
    assert caught.value.remedy == "Write 8 hexadecimal digits, or nothing for zeros."


@pytest.mark.parametrize(
    "kind",
    [PARAMS, INNER, INT, FLOAT, named("bool"), Array(INT, 9), Opaque("T", 3, 1), Pointer(INT)],
)
def test_the_example_of_a_type_is_all_of_it_zero(kind):
    assert encode(kind, example(kind), {}).data == bytes(kind.size)


def test_the_example_of_a_struct_names_its_fields():
    assert example(PARAMS) == "{x=0, y=0.0, v={0, 0, 0}, inner={c=0, d=0.0}, p=null}"
