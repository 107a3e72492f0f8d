import ml_dtypes
import numpy as np
import pytest

from jitstudio.core.launch.types import Array, Pointer
from jitstudio.numerics.dtypes import (
    NumericsError,
    fill_from,
    new_buffer,
    numpy_dtype,
    open_buffer,
    save_buffer,
    shape_of,
)
from tests.numerics.kinds import (
    BFLOAT,
    BFLOAT2,
    BOOL,
    CHAR,
    FLOAT,
    FLOAT3,
    FLOAT4,
    FP8,
    HALF,
    INT,
    INT128,
    PARTICLE,
    ROW,
    UNKNOWN,
)

STORED = [
    FLOAT,
    HALF,
    BFLOAT,
    FP8,
    BOOL,
    FLOAT3,
    BFLOAT2,
    ROW,
    UNKNOWN,
    PARTICLE,
    Array(PARTICLE, 2),
]


@pytest.mark.parametrize(
    ("element", "base", "lanes"),
    [
        (FLOAT, np.float32, ()),
        (HALF, np.float16, ()),
        (BFLOAT, ml_dtypes.bfloat16, ()),
        (FP8, ml_dtypes.float8_e4m3fn, ()),
        (FLOAT3, np.float32, (3,)),
        (FLOAT4, np.float32, (4,)),
        (BFLOAT2, ml_dtypes.bfloat16, (2,)),
        (Array(FLOAT4, 6), np.float32, (6, 4)),
        (UNKNOWN, np.uint8, (12,)),
        (INT128, np.uint8, (16,)),
        (Pointer(FLOAT), np.uint64, ()),
    ],
    ids=str,
)
def test_an_element_is_a_number_or_so_many_lanes(element, base, lanes):
    dtype = numpy_dtype(element)
    assert (dtype.base, dtype.shape, dtype.itemsize) == (np.dtype(base), lanes, element.size)
    assert np.empty(7, dtype).shape == shape_of(element, 7) == (7, *lanes)


def test_a_struct_has_its_fields_where_the_compiler_puts_them():
    dtype = numpy_dtype(PARTICLE)
    assert dtype.itemsize == 20
    assert [dtype.fields[name][1] for name in ("id", "at", "mass")] == [0, 4, 16]
    assert dtype["at"].shape == (3,)
    assert dtype["mass"] == ml_dtypes.bfloat16


@pytest.mark.parametrize("element", STORED, ids=lambda element: element.name)
@pytest.mark.parametrize("length", [0, 5])
def test_a_file_gives_back_the_same_bits(tmp_path, element, length):
    array = np.zeros(length, numpy_dtype(element))
    noise = np.random.default_rng(3).integers(0, 2, array.nbytes, dtype=np.uint8)
    array.reshape(-1).view(np.uint8)[:] = noise
    save_buffer(tmp_path / "b.npy", array)
    found = open_buffer(tmp_path / "b.npy", element)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()
    assert not found.flags.writeable


def test_a_file_can_be_read_without_knowing_what_it_holds(tmp_path):
    save_buffer(tmp_path / "b.npy", np.ones(2, numpy_dtype(BFLOAT)))
    assert np.load(tmp_path / "b.npy").tolist() == [0x3F80, 0x3F80]


@pytest.mark.parametrize("element", STORED, ids=lambda element: element.name)
def test_a_file_to_be_written_has_the_shape_of_the_buffer(tmp_path, element):
    new_buffer(tmp_path / "b.npy", element, 5).flush()
    assert open_buffer(tmp_path / "b.npy", element).shape == shape_of(element, 5)


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "b.npy").write_bytes(b"no array")
    with pytest.raises(ValueError, match="magic"):
        open_buffer(tmp_path / "b.npy", FLOAT)


@pytest.mark.parametrize(
    ("element", "value", "expected"),
    [
        (FLOAT, 2, [2, 2]),
        (FLOAT, np.array([1, 2]), [1, 2]),
        (INT, np.array([1.9, -1.9]), [1, -1]),
        (CHAR, np.array([200, -200]), [-56, 56]),
        (BOOL, np.array([0.5, 0]), [True, False]),
        (BFLOAT, [1.5, 2], [1.5, 2]),
        (FLOAT4, np.array([1, 2]), [[1] * 4, [2] * 4]),
    ],
)
def test_numbers_become_the_type_as_in_c(element, value, expected):
    assert fill_from(value, element, 2).tolist() == expected


def test_a_struct_takes_a_list_of_its_fields():
    particles = fill_from([np.arange(2), 3, np.ones(2)], PARTICLE, 2)
    assert particles["id"].tolist() == [0, 1]
    assert particles["at"].tolist() == [[3] * 3] * 2
    assert fill_from(particles, PARTICLE, 2).tobytes() == particles.tobytes()


def test_numbers_that_do_not_fit_are_told():
    with pytest.raises(NumericsError, match="There are 3 numbers, not 2 elements of float"):
        fill_from(np.arange(3), FLOAT, 2)
