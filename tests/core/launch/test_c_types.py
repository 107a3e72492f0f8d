import ml_dtypes
import numpy as np
import pytest

from jitstudio.core.launch import c_types
from jitstudio.core.launch.c_types import CHAR, DOUBLE, FLOAT, INT, instance, named, struct_of
from jitstudio.core.launch.types import Array, Field, Pointer, Scalar, Struct


@pytest.mark.parametrize(
    ("spelling", "name", "size"),
    [
        ("int", "int", 4),
        ("signed", "int", 4),
        ("unsigned", "unsigned int", 4),
        ("int unsigned", "unsigned int", 4),
        ("short int", "short", 2),
        ("unsigned long long", "unsigned long long", 8),
        ("long long unsigned int", "unsigned long long", 8),
        ("long unsigned long int", "unsigned long long", 8),
        ("char", "char", 1),
        ("signed char", "signed char", 1),
        ("char unsigned", "unsigned char", 1),
        ("bool", "bool", 1),
        ("uint8_t", "unsigned char", 1),
        ("cuda::std::int16_t", "short", 2),
        ("std::uint32_t", "unsigned int", 4),
        ("char16_t", "char16_t", 2),
        ("half", "__half", 2),
        ("nv_bfloat16", "__nv_bfloat16", 2),
        ("__nv_fp8_e5m2", "__nv_fp8_e5m2", 1),
        ("", "", 0),
        ("long double", "", 0),
        ("int int", "", 0),
        ("float unsigned", "", 0),
        ("saxpy", "", 0),
    ],
)
def test_words_of_cpp_name_numbers_in_any_order(spelling, name, size):
    found = named(spelling)
    assert (found.name, found.size) == (name, size) if name else found is None


@pytest.mark.skipif(c_types._WINDOWS, reason="long is 4 bytes wide there")
def test_long_is_as_wide_as_on_the_host():
    assert named("long").size == named("unsigned long int").size == 8
    assert named("size_t") == named("unsigned long")
    assert named("int64_t").dtype == "int64"


def test_every_number_has_a_dtype_of_its_size():
    numbers = set(c_types._TYPES.values()) | set(c_types._NUMBERS.values())
    scalars = [t for t in numbers if isinstance(t, Scalar)]
    assert len(scalars) > 15
    for scalar in scalars:
        kind = getattr(ml_dtypes, scalar.dtype, None) or scalar.dtype
        assert np.dtype(kind).itemsize == scalar.size, scalar


@pytest.mark.parametrize(
    ("name", "size", "align"),
    [
        ("char1", 1, 1),
        ("uchar4", 4, 4),
        ("short3", 6, 2),
        ("int2", 8, 8),
        ("float3", 12, 4),
        ("float4", 16, 16),
        ("double2", 16, 16),
        ("double3", 24, 8),
        ("double4", 32, 16),
        ("double4_16a", 32, 16),
        ("double4_32a", 32, 32),
        ("longlong4", 32, 16),
        ("dim3", 12, 4),
        ("half2", 4, 4),
        ("__nv_bfloat162", 4, 4),
        ("cuDoubleComplex", 16, 16),
    ],
)
def test_vectors_have_the_layout_of_cuda(name, size, align):
    vector = named(name)
    assert (vector.size, vector.align) == (size, align)
    assert [f.name for f in vector.fields] == list("xyzw")[: len(vector.fields)]


def test_a_struct_is_padded_as_the_abi_says():
    struct = struct_of("S", [("c", CHAR), ("d", DOUBLE), ("v", Array(FLOAT, 3)), ("e", CHAR)])
    assert [f.offset for f in struct.fields] == [0, 8, 16, 28]
    assert (struct.size, struct.align) == (32, 8)


def test_alignas_makes_a_struct_larger():
    assert struct_of("S", [("i", INT)], 16) == Struct("S", (Field("i", INT, 0),), 16, 16)


def test_a_struct_of_nothing_has_a_byte():
    assert struct_of("E", []).size == 1


def test_class_templates_of_the_standard_library():
    complex_ = instance("cuda::std::__4::complex", (DOUBLE,))
    assert (complex_.size, complex_.align) == (16, 16)
    array = instance("cuda::std::array", (FLOAT, 3))
    assert (array.size, array.fields[0].type) == (12, Array(FLOAT, 3))
    assert instance("complex", (INT,)) is None
    assert instance("array", (FLOAT, 0)) is None
    assert instance("vector", (Pointer(FLOAT),)) is None
