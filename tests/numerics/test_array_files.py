import os
import zipfile

import numpy as np
import pytest

from jitstudio.numerics.array_files import load
from jitstudio.numerics.dtypes import NumericsError, numpy_dtype, save_buffer
from tests.numerics.kinds import (
    BFLOAT,
    BOOL,
    CHAR,
    FLOAT,
    FLOAT4,
    FP8,
    HALF,
    INT,
    PAIR,
    PARTICLE,
    UCHAR,
    UINT,
    ULONG,
)


@pytest.fixture
def load_text(tmp_path):
    def loads(text, element, length, name="a.csv"):
        (tmp_path / name).write_text(text, "utf-8")
        return load(str(tmp_path / name), element, length)

    return loads


@pytest.fixture
def load_array(tmp_path):
    def loads(array, element, length):
        np.save(tmp_path / "a.npy", array)
        return load(str(tmp_path / "a.npy"), element, length)

    return loads


def told(path, element=FLOAT, length=2):
    with pytest.raises(NumericsError) as caught:
        load(str(path), element, length)
    return str(caught.value)


def test_an_npy_file_of_the_same_type_is_mapped(load_array):
    array = load_array(np.arange(3, dtype=np.float32), FLOAT, 3)
    assert array.tolist() == [0, 1, 2]
    assert not array.flags.writeable


@pytest.mark.parametrize(
    ("held", "element"),
    [
        ("float64", FLOAT),
        ("float32", HALF),
        ("float64", BFLOAT),
        (">f4", FLOAT),
        ("int32", FLOAT),
        ("int64", INT),
        ("int64", ULONG),
        ("uint8", INT),
        ("bool", INT),
        ("int8", BOOL),
    ],
)
def test_numbers_that_fit_become_the_type(load_array, held, element):
    array = load_array(np.array([0, 1, 1]).astype(held), element, 3)
    assert array.dtype == numpy_dtype(element)
    assert array.astype(float).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("array", "element", "words"),
    [
        (np.array([1.5, 2]), INT, "It holds float64, of which int32 would lose the fractions."),
        (np.array([1, 300]), UCHAR, "It holds 300, which uint8 cannot."),
        (np.array([-1, 3]), UINT, "It holds -1, which uint32 cannot."),
        (np.array([1j, 2]), FLOAT, "It holds complex128, which cannot become float32."),
        (np.array(["a", "b"]), FLOAT, "It holds <U1, which cannot become float32."),
        (np.zeros(2), PARTICLE, f"It holds float64, which cannot become {PARTICLE.name}."),
    ],
)
def test_numbers_that_do_not_fit_are_told(tmp_path, array, element, words):
    np.save(tmp_path / "a.npy", array)
    assert told(tmp_path / "a.npy", element).startswith(f"a.npy: {words}")


@pytest.mark.parametrize("element", [BFLOAT, FP8, PAIR, PARTICLE, FLOAT4], ids=lambda e: e.name)
def test_what_was_saved_here_is_read_again(tmp_path, element):
    array = np.zeros(3, numpy_dtype(element))
    array.reshape(-1).view(np.uint8)[:] = 60
    save_buffer(tmp_path / "a.npy", array)
    again = load(str(tmp_path / "a.npy"), element, 3)
    assert (again.dtype, again.tobytes()) == (array.dtype, array.tobytes())


def test_bfloat16_that_numpy_has_saved_by_itself_is_read(load_array):
    array = np.array([1.5, 2], numpy_dtype(BFLOAT))
    assert load_array(array, BFLOAT, 2).tobytes() == array.tobytes()


def test_the_shape_does_not_matter_but_the_number_does(load_array, tmp_path):
    array = load_array(np.asfortranarray(np.arange(8.0).reshape(2, 4)), FLOAT4, 2)
    assert array.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert told(tmp_path / "a.npy", FLOAT4, 3) == (
        "a.npy: It has 8 numbers, but the buffer has 3 elements of float4, 12 numbers."
    )
    assert told(tmp_path / "a.npy", FLOAT, 1000) == (
        "a.npy: It has 8 elements, but the buffer has 1,000 elements of float."
    )


def test_an_array_of_an_archive_is_chosen_by_name(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, x=np.zeros(2), y=np.ones(2))
    assert load(f"{path}::y", FLOAT, 2).tolist() == [1, 1]
    assert told(path) == "a.npz: It holds x, y; write ::NAME after it to choose one."
    assert told(f"{path}::z") == "a.npz: It holds x, y, but no z."
    np.savez_compressed(path, x=np.ones(2))
    assert load(str(path), FLOAT, 2).tolist() == [1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "1\n2\n3\n4\n",
        "1,2\n3,4",
        "1;2;3;4",
        "1\t2\n3\t4",
        "1 2\n3 4\n",
        "x,y\n1,2\n3,4\n",
        "\ufeffx\n1\n2\n3\n4",
        "# made\n1 2\n3 4 # last\n",
        "\n1\n2\n3\n4",
    ],
)
@pytest.mark.parametrize("element", [FLOAT, INT, CHAR, ULONG, BFLOAT], ids=lambda e: e.name)
def test_text_is_read_with_any_separator_and_a_header(load_text, text, element):
    array = load_text(text, element, 4)
    assert array.dtype == numpy_dtype(element)
    assert array.astype(float).tolist() == [1, 2, 3, 4]


def test_text_keeps_large_integers_and_odd_floats(load_text):
    assert load_text("18446744073709551615", ULONG, 1).tolist() == [2**64 - 1]
    assert np.array_equal(
        load_text("nan -inf 1e-3", FLOAT, 3, "a.txt"),
        np.array([np.nan, -np.inf, 1e-3], np.float32),
        equal_nan=True,
    )
    assert load_text("0,1,2", BOOL, 3).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("text", "element", "words"),
    [
        ("", FLOAT, "a.csv: It has 0 elements, "),
        ("1,2,3", FLOAT, "a.csv: It has 3 elements, "),
        ("1,x", FLOAT, "a.csv: It has 0 elements, "),
        ("1\nx", FLOAT, "a.csv is not a sound .csv file: could not convert string 'x' to float64"),
        ("1\n2.5", INT, "a.csv is not a sound .csv file: could not convert string '2.5' to int64"),
        ("1\n300", UCHAR, "a.csv: It holds 300, which uint8 cannot."),
        (
            "1,2\n3",
            FLOAT,
            "a.csv is not a sound .csv file: the number of columns changed from 2 to 1",
        ),
        ("1\n2", PARTICLE, "a.csv: A text file cannot fill structs; use .npy or raw bytes."),
    ],
)
def test_text_that_does_not_fit_is_told(tmp_path, text, element, words):
    (tmp_path / "a.csv").write_text(text)
    assert told(tmp_path / "a.csv", element).startswith(words)


@pytest.mark.parametrize("name", ["a.bin", "a.raw", "a", "a.dat"])
def test_any_other_file_is_bytes(tmp_path, name):
    (tmp_path / name).write_bytes(np.arange(8, dtype=np.float32).tobytes())
    assert load(str(tmp_path / name), FLOAT4, 2).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert told(tmp_path / name, FLOAT4, 3) == (
        f"{name}: It has 32 bytes, but 3 elements of float4, 12 numbers are 48."
    )


def test_no_bytes_fill_no_elements(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"")
    assert load(str(tmp_path / "a.bin"), FLOAT4, 0).shape == (0, 4)


def test_a_file_that_is_missing_or_a_folder_is_told(tmp_path):
    assert told(tmp_path / "b.npy") == f"There is no file {tmp_path / 'b.npy'}."
    (tmp_path / "c.npy").mkdir()
    assert told(tmp_path / "c.npy") == f"{tmp_path / 'c.npy'} cannot be read: Is a directory."
    assert told(tmp_path) == f"{tmp_path} cannot be read: Is a directory."


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_that_is_forbidden_is_told(tmp_path):
    (tmp_path / "a.npy").touch(mode=0)
    assert "cannot be read: Permission denied." in told(tmp_path / "a.npy")


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x93NUMPY\x01\x00", b"PK\x03\x04rest"])
def test_a_broken_file_is_told(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert told(tmp_path / name).startswith(f"{name} is not a sound {name[1:]} file: ")


def test_no_pickle_is_ever_read(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{}, {}]))
    assert told(tmp_path / "a.npy").startswith("a.npy is not a sound .npy file: ")
    np.savez(tmp_path / "b.npz", np.array([{}, {}]))
    assert told(tmp_path / "b.npz").startswith("b.npz is not a sound .npz file: ")


def test_an_archive_of_other_things_is_told(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert told(tmp_path / "a.npz") == "a.npz: It holds |S5, which cannot become float32."
