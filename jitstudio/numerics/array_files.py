"""The content of buffers read from files."""

from __future__ import annotations

import errno
import os
import stat
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap

from jitstudio.core.launch.types import Type
from jitstudio.core.plain_files import LARGEST
from jitstudio.numerics.dtypes import (
    NumericsError,
    is_floating,
    numpy_dtype,
    shape_of,
    size_text_of,
)

_LONGEST_LINE = 1 << 20
"""Characters of a text file in which the delimiter of its numbers is looked for."""

_LARGEST_NUMBER = 16
"""Bytes of the largest number that an archive may hold."""

_LONGEST_NUMBER = 64
"""Characters that a number of a text file may take, with its delimiter."""

# The exceptions of NumPy and the readers of archives for files that are damaged or hostile.
_DAMAGED = (
    *(ValueError, TypeError, LookupError, ArithmeticError, EOFError, SyntaxError),
    *(RuntimeError, struct.error, zlib.error, zipfile.BadZipFile, tokenize.TokenError),
)

_PARSED = {"i": np.int64, "u": np.uint64, "b": np.uint8}
"""The type of parsed numbers of a text file, by the kind of the buffer; else `float64`."""


def load(path_text: str, element: Type, length: int) -> np.ndarray:
    """Returns the content of a buffer from an .npy, .npz, .csv or .txt file; others hold raw bytes.

    Args:
        path_text: The path; ``::name`` behind it chooses an array of an .npz file.
        element: The type of an element.
        length: The number of elements required.

    Raises:
        NumericsError: The file cannot be read, or does not hold these numbers; the message names
            it.
    """
    path, name = _split(path_text)
    read = _READERS.get(path.suffix.lower(), _read_raw)
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            # A pipe would keep us waiting.
            raise OSError(errno.EINVAL, "it is not an ordinary file")
        array = read(path, name, element, length)
        return _shaped(_converted(array, element), element, length)
    except NumericsError as error:
        raise NumericsError(f"{path.name}: {error}") from None
    except FileNotFoundError:
        raise NumericsError(f"There is no file {path}.") from None
    except OSError as error:
        raise NumericsError(f"{path} cannot be read: {error.strerror or error}.") from None
    except MemoryError:
        raise NumericsError(f"{path.name} needs more memory than there is.") from None
    except _DAMAGED as error:
        ending = path.suffix.lower()
        raise NumericsError(f"{path.name} is not a sound {ending} file: {_first(error)}") from None


def _split(text: str) -> tuple[Path, str]:
    path, mark, name = text.rpartition("::")
    return (Path(path), name) if mark else (Path(text), "")


def _read_npy(path: Path, name: str, element: Type, length: int) -> np.ndarray:
    with np.errstate(over="raise"):
        return np.asarray(open_memmap(path, mode="r"))


def _read_npz(path: Path, name: str, element: Type, length: int) -> np.ndarray:
    if not zipfile.is_zipfile(path):
        raise ValueError("it is not an archive")
    with np.load(path, allow_pickle=False) as arrays:
        names = ", ".join(arrays.files) or "nothing"
        if not name and len(arrays.files) != 1:
            raise NumericsError(f"It holds {names}; write ::NAME after it to choose one.")
        if name and name not in arrays.files:
            raise NumericsError(f"It holds {names}, but no {name}.")
        name = name or arrays.files[0]
        sizes = {info.filename.removesuffix(".npy"): info.file_size for info in arrays.zip.filelist}
        _check_size(sizes[name], _LARGEST_NUMBER, element, length)
        return np.asarray(arrays[name])


def _read_text(path: Path, name: str, element: Type, length: int) -> np.ndarray:
    dtype = numpy_dtype(element).base
    if dtype.names is not None:
        raise NumericsError("A text file cannot fill structs; use .npy or raw bytes.")
    _check_size(path.stat().st_size, _LONGEST_NUMBER, element, length)
    with path.open(encoding="utf-8-sig") as file:
        header = file.readline(_LONGEST_LINE)
    delimiter = next((mark for mark in ",;\t" if mark in header), None)
    with warnings.catch_warnings():
        # An empty file is reported by its number of elements.
        warnings.simplefilter("ignore")
        return np.loadtxt(
            path,
            dtype=_PARSED.get(dtype.kind, np.float64),
            delimiter=delimiter,
            skiprows=0 if _is_numbers(header, delimiter) else 1,
            ndmin=1,
            encoding="utf-8-sig",
        )


def _read_raw(path: Path, name: str, element: Type, length: int) -> np.ndarray:
    size, expected = path.stat().st_size, length * element.size
    if size != expected:
        raise NumericsError(
            f"It has {size:,} bytes, but {size_text_of(element, length)} are {expected:,}."
        )
    if not size:
        return np.zeros(length, numpy_dtype(element))
    return np.asarray(np.memmap(path, np.uint8, "r")).view(numpy_dtype(element).base)


_READERS: dict[str, Callable[[Path, str, Type, int], np.ndarray]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".csv": _read_text,
    ".txt": _read_text,
}


def _check_size(size: int, largest: int, element: Type, length: int) -> None:
    """Refuses a file far too large for the buffer before reading fills the memory."""
    numbers = int(np.prod(shape_of(element, length), dtype=np.int64))
    if size > max(LARGEST, largest * numbers):
        raise NumericsError(f"It has {size:,} bytes, far more than the buffer.")


def _is_numbers(line: str, delimiter: str | None) -> bool:
    try:
        return [float(word) for word in line.split(delimiter)] != []
    except ValueError:
        return False


def _converted(array: np.ndarray, element: Type) -> np.ndarray:
    """Returns the numbers in the type of the buffer, if that can hold them."""
    stored, target = array.dtype, numpy_dtype(element).base
    if stored == target:
        return array
    if _are_bits(stored, target):
        return np.ascontiguousarray(array).view(target)
    if stored.kind not in "biuf" or target.names is not None:
        name = element.name if target.names is not None else target
        raise NumericsError(f"It holds {stored}, which cannot become {name}.")
    if is_floating(target):
        with np.errstate(all="ignore"):
            return array.astype(target)
    if stored.kind == "f":
        raise NumericsError(f"It holds {stored}, of which {target} would lose the fractions.")
    if target.kind == "b":
        return np.asarray(array != 0)
    _check_range(array, target)
    return array.astype(target)


def _are_bits(stored: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Returns whether a file has the bits of a type that .npy cannot name, or of a struct."""
    if stored.itemsize != target.itemsize or stored.hasobject:
        return False
    nameless = stored.kind == "V" and stored.names is None
    return nameless or (target.kind == "V" and (stored.kind == "u" or stored.names is not None))


def _check_range(array: np.ndarray, target: np.dtype[Any]) -> None:
    limits = np.iinfo(target)
    for number in (int(array.min()), int(array.max())) if array.size else ():
        if not limits.min <= number <= limits.max:
            raise NumericsError(f"It holds {number}, which {target} cannot.")


def _shaped(array: np.ndarray, element: Type, length: int) -> np.ndarray:
    shape = shape_of(element, length)
    lanes = numpy_dtype(element).shape
    if array.size != np.prod(shape, dtype=int):
        unit = "numbers" if lanes else "elements"
        size = size_text_of(element, length)
        raise NumericsError(f"It has {array.size:,} {unit}, but the buffer has {size}.")
    return array.reshape(shape)


def _first(error: Exception) -> str:
    """Returns the first sentence of the message of a library."""
    sentence = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return f"{sentence}."
