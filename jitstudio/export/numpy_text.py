"""Buffers and checks of a launch as NumPy code: the same numbers as jitstudio's own launch has."""

from __future__ import annotations

import ast
import builtins
import keyword
import math
import re
import struct
from collections.abc import Iterator, Mapping

from jitstudio.core.launch.request import (
    Buffer,
    Expectation,
    FillKind,
    LaunchRequest,
    ValueArgument,
)
from jitstudio.core.launch.types import (
    Array,
    Handle,
    Opaque,
    Pointer,
    Scalar,
    Struct,
    Type,
    complex_name,
)
from jitstudio.export.recipe import ExportError

INDEX = "i"
"""The name of the indices of a buffer's elements in expressions, unless a parameter has it."""

FILLS = '''\
def fill(length, dtype, kind, *numbers):
    """Returns an array filled as jitstudio fills a buffer: the same numbers for the same seed."""
    array = np.zeros(length, dtype)
    rng = np.random.default_rng(abs(int(numbers[0]))) if kind == "random" else None
    with np.errstate(all="ignore"):
        for column in columns(array) if kind != "zeros" else ():
            lanes = int(np.prod(column.shape[1:]))
            step = max(1, (1 << 18) // max(1, lanes))
            for first in range(0, length, step):
                piece = column[first : first + step]
                made = content(kind, numbers, rng, first * lanes, piece.size, column.dtype)
                piece[...] = made.astype(column.dtype, copy=False).reshape(piece.shape)
    return array


def columns(array):
    """Yields the array, or all fields of its structs."""
    if array.dtype.names is None:
        yield array
        return
    for name in array.dtype.names:
        yield from columns(array[name])


def content(kind, numbers, rng, first, count, dtype):
    """Returns the numbers of a fill from one index on."""
    floating = dtype.kind not in "iub"
    if kind == "constant":
        value = numbers[0] if floating else int(numbers[0]) % (1 << 64)
        return np.full(count, value, np.float64 if floating else np.uint64)
    if kind == "range":
        start, step = (*numbers, 1)[:2]
        if floating or int(start) != start or int(step) != step:
            made = start + step * np.arange(first, first + count, dtype=np.float64)
            return made if floating else made.astype(np.int64)
        index = np.arange(first, first + count, dtype=np.uint64)
        return index * np.uint64(int(step) % (1 << 64)) + np.uint64(int(start) % (1 << 64))
    if dtype.kind == "b":
        return rng.integers(0, 2, count, dtype=np.uint8)
    if not floating:
        low, high = (*numbers[1:], 99)[:2] if len(numbers) > 1 else (0, 99)
        return rng.integers(int(low), int(high), count, dtype=dtype, endpoint=True)
    low, high = (*numbers[1:], 1)[:2] if len(numbers) > 1 else (0, 1)
    made = rng.random(count, dtype=np.float64 if dtype == np.float64 else np.float32)
    if (low, high) != (0, 1):
        made *= high - low
        made += low
    end, least = np.array([high, low]).astype(dtype)
    return np.minimum(made.astype(dtype, copy=False), np.nextafter(end, least))

'''
"""The function `fill` that the lines of `buffer_lines` call."""

CHECKS = '''\
def check(name, got, expected, rtol, atol, itol):
    """Compares a buffer with what it shall hold; returns whether all of it is right.

    Integers are compared exactly, or up to itol; rtol and atol are about floats.
    """
    expected = np.asarray(expected)
    if expected.size == got.size:
        expected = expected.reshape(got.shape)
    elif expected.shape == got.shape[:1]:
        expected = expected.reshape(-1, *(1 for _ in got.shape[1:]))
    elif expected.shape not in ((), got.shape[1:]):
        print(f"{name}: {expected.size:,} numbers are expected, and it has {got.size:,}")
        return False
    expected = np.broadcast_to(expected, got.shape)
    if got.dtype.kind in "iub":
        if expected.dtype.kind not in "iub":
            digits = np.finfo(expected.dtype).nmant + 1 if expected.dtype.kind == "f" else 3
            wanted = expected.astype(np.float64)
            if np.any(np.isfinite(wanted) & (np.abs(wanted) >= 2.0**digits)):
                print(f"{name}: {expected.dtype} is too inexact to be compared with integers")
                return False
        right = got == expected
        if itol:
            pairs = zip(got[~right].tolist(), expected[~right].tolist(), strict=True)
            right[~right] = [abs(a - b) <= itol for a, b in pairs]
    else:
        wide = np.complex128 if got.dtype.kind == "c" else np.float64
        left, wanted = got.astype(wide), expected.astype(got.dtype).astype(wide)
        right = np.isclose(left, wanted, rtol=rtol, atol=atol, equal_nan=True)
    wrong = np.argwhere(~right)
    if not len(wrong):
        print(f"{name}: all {got.size:,} numbers are right")
        return True
    at = tuple(wrong[0])
    print(f"{name}: {len(wrong):,} of {got.size:,} numbers are wrong, the first at {at}: ", end="")
    print(f"{got[at]} instead of {expected[at]}")
    return False
'''
"""The function `check` that the lines of `check_lines` call."""

ERF = '''\
def erf(values):
    """Returns the error function, which NumPy lacks, in double precision."""
    array = np.asarray(values, np.float64)
    return np.fromiter(map(math.erf, array.flat), np.float64, array.size).reshape(array.shape)
'''

_OWN = """
    np ml_dtypes math sys Path cupy torch driver SOURCES HEADERS KERNEL DIGEST CUDA CPP fill check
    CODE_DIGEST code_digest sameness struct hashlib
    columns content erf main build launch run tensor checked arguments buffers memory device stream
    kernel config cubin right begin end start copy got name array pairs pair times timed values
    value pointers size cluster together shared function middle ordinal module path folder
    put prepare held inside is_inside find_unwritten allocated each place ZONE GUARD PATTERNS
    set_address variables places code symbol offset address
"""
_RESERVED = frozenset((*_OWN.split(), *dir(builtins)))
"""Names that the code of an export has for itself."""
_ML_DTYPES = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
_SPECIAL = {
    **{name: f"ml_dtypes.{name}" for name in _ML_DTYPES},
    "erf": "erf",
    "bool": "np.bool_",
    "int": "np.int64",
    "float": "np.float64",
    "complex": "np.complex128",
}


def variable(name: str) -> str:
    """Returns the name of a parameter as a variable of Python; PTX has signs in names."""
    name = re.sub(r"\W", lambda sign: f"u{ord(sign[0]):x}_", name)
    return f"{name}_" if keyword.iskeyword(name) or name in _RESERVED else name


def dtype_text(kind: Type) -> str:
    """Returns the type of an element as code, as `numpy.zeros` takes types."""
    match kind:
        case Scalar(dtype=dtype) if dtype in _ML_DTYPES:
            return f"ml_dtypes.{dtype}"
        case Scalar(dtype="bool"):
            return "np.bool_"
        case Scalar(dtype=dtype) if _is_known(dtype):
            return f"np.{dtype}"
        case Scalar(size=size) | Opaque(size=size):
            return f"np.dtype((np.uint8, ({size},)))"
        case Pointer() | Handle():
            return "np.uint64"
        case Array(element=element, count=count):
            return f"np.dtype(({dtype_text(element)}, ({count},)))"
        case Struct(fields=fields, size=size):
            lane = fields[0].type if fields else None
            same = all(member.type == lane for member in fields)
            if isinstance(lane, Scalar) and same and size == lane.size * len(fields):
                return f"np.dtype(({dtype_text(lane)}, ({len(fields)},)))"
            names = [member.name for member in fields]
            formats = ", ".join(dtype_text(member.type) for member in fields)
            offsets = [member.offset for member in fields]
            return (
                f'np.dtype({{"names": {names!r}, "formats": [{formats}], '
                f'"offsets": {offsets!r}, "itemsize": {size}}})'
            )
    raise AssertionError(kind)


def _is_known(dtype: str) -> bool:
    return bool(re.fullmatch(r"u?int(?:8|16|32|64)|float(?:16|32|64)", dtype))


def needs_ml_dtypes(*texts: str) -> bool:
    """Returns whether a piece of code uses the package ml_dtypes."""
    return any("ml_dtypes." in text for text in texts)


def buffer_lines(request: LaunchRequest) -> Iterator[str]:
    """Yields the lines that assign each argument of a launch to a variable of that name.

    What is an expression over others comes last.
    """
    own = {argument.name for argument in request.arguments}
    texts = [expectation.expression for expectation in request.expectations]
    texts += [buffer.fill.text for buffer in request.buffers]
    for name, number in request.values.items():
        # Of the numbers in structs only what an expression is about.
        if name in own or any(name in text for text in texts):
            yield f"{variable(name)} = {number_text(number)}"
    later: list[Buffer] = []
    for buffer in request.buffers:
        if buffer.length and buffer.fill.kind is FillKind.EXPRESSION:
            later.append(buffer)
        elif buffer.length:
            yield f"{variable(buffer.name)} = {_content(buffer)}"
    for buffer in later:
        expression = expression_text(buffer.fill.text, request, buffer.length)
        name, dtype = variable(buffer.name), dtype_text(buffer.element)
        yield f"{name} = np.zeros({buffer.length}, {dtype})"
        yield f"{_view_of(name, buffer.element)}[...] = np.asarray({expression})"


def _content(buffer: Buffer) -> str:
    length, dtype, fill = buffer.length, dtype_text(buffer.element), buffer.fill
    if fill.kind is FillKind.ZEROS:
        return f"np.zeros({length}, {dtype})"
    if fill.kind in (FillKind.VALUES, FillKind.INITIAL):
        return _values_text(fill.data.ljust(buffer.bytes, b"\0"), buffer)
    if fill.kind is FillKind.UNFILLED:
        return f"np.empty({length}, {dtype})"
    if complex_name(buffer.element) and fill.kind in (FillKind.CONSTANT, FillKind.RANGE):
        return _complex_content(buffer)
    if fill.kind is not FillKind.FILE:
        numbers = "".join(f", {number_text(number)}" for number in fill.numbers or (0,))
        return f'fill({length}, {dtype}, "{fill.kind.value}"{numbers})'
    path, mark, name = fill.text.rpartition("::")
    path, name = (path, name) if mark else (fill.text, "")
    match path.rpartition(".")[2].lower():
        case "npy":
            loaded = f"np.load({path!r})"
        case "npz":
            key = repr(name) if name else "0"
            loaded = f"np.load({path!r})[{key}]"
            loaded = loaded if name else f"next(iter(np.load({path!r}).values()))"
        case "csv" | "txt":
            loaded = f'np.loadtxt({path!r}, delimiter="," if {path.endswith("csv")} else None)'
        case _:
            loaded = f"np.fromfile({path!r}, {dtype})"
    return f"np.asarray({loaded}).astype(({dtype})).reshape(np.zeros({length}, {dtype}).shape)"


_LETTERS = {
    "float32": "f",
    "float64": "d",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
}
_MOST_VALUES = 256


def _values_text(data: bytes, buffer: Buffer) -> str:
    """Returns an array of these bytes as code, as numbers where they are a few."""
    dtype, letter = dtype_text(buffer.element), ""
    if isinstance(buffer.element, Scalar) and buffer.length <= _MOST_VALUES:
        letter = _LETTERS.get(buffer.element.dtype, "")
    if letter:
        numbers = struct.unpack(f"<{buffer.length}{letter}", data)
        return f"np.array([{', '.join(map(number_text, numbers))}], {dtype})"
    shape = f"np.zeros({buffer.length}, {dtype}).shape"
    array = f'np.frombuffer(bytes.fromhex("{data.hex()}"), np.dtype({dtype}).base)'
    return f"{array}.reshape({shape}).copy()"


def _complex_content(buffer: Buffer) -> str:
    """Returns a constant or a range of complex numbers, as their two lanes."""
    assert isinstance(buffer.element, Struct)
    fill, lane = buffer.fill, dtype_text(buffer.element.fields[0].type)
    real, imaginary = fill.numbers, 0.0
    if fill.kind is FillKind.CONSTANT and len(fill.numbers) > 1:
        real, imaginary = fill.numbers[:1], fill.numbers[1]
    numbers = ", ".join(map(number_text, real or (0,)))
    parts = f'fill({buffer.length}, {lane}, "{fill.kind.value}", {numbers}), '
    parts += f'fill({buffer.length}, {lane}, "constant", {number_text(imaginary)})'
    return f"np.stack([{parts}], axis=-1)"


def _view_of(name: str, element: Type) -> str:
    """Returns a buffer as expressions see it: complex numbers in the place of two lanes."""
    dtype = complex_name(element)
    return f"{name}.view(np.{dtype})[:, 0]" if dtype else name


def number_text(number: float) -> str:
    """Returns a number as code."""
    return repr(number) if math.isfinite(number) else f"float({str(number)!r})"


def value_text(argument: ValueArgument) -> str:
    """Returns an argument by value as code: a NumPy object with the same bytes."""
    kind = argument.type
    if argument.number is not None and isinstance(kind, Scalar):
        scalar = f"{dtype_text(kind)}({variable(argument.name)})"
        if kind.dtype in _ML_DTYPES or kind.dtype == "bool" or _is_known(kind.dtype):
            return scalar
    return f'np.frombuffer(bytes.fromhex("{argument.data.hex()}"), np.uint8)'


def check_lines(request: LaunchRequest, got: Mapping[str, str]) -> Iterator[str]:
    """Yields an expression for each check, which is true if all numbers are right.

    Args:
        request: The launch.
        got: The code for each buffer after the launch.
    """
    buffers = {buffer.name: buffer for buffer in request.buffers}
    for expectation in request.expectations:
        buffer = buffers[expectation.buffer]
        part = _view_of(got[buffer.name], buffer.element)
        if expectation.part:
            part = f"np.atleast_1d({_part_text(expectation, request, buffer, part)})"
        expected = _expected_text(expectation, request, buffer)
        yield (
            f"check({expectation.target!r}, {part}, {expected}, "
            f"rtol={request.relative!r}, atol={request.absolute!r}, "
            f"itol={request.integer_tolerance!r})"
        )


def _expected_text(expectation: Expectation, request: LaunchRequest, buffer: Buffer) -> str:
    """Returns the expected values of a buffer, or of a part, as code."""
    indices = _indices(buffer.length)
    if expectation.part:
        lanes = _lanes(buffer)
        if lanes:
            ones = ", ".join("1" for _ in lanes)
            shape = str((buffer.length, *lanes))
            indices = f"np.broadcast_to({indices}.reshape(-1, {ones}), {shape})"
        indices = _part_text(expectation, request, buffer, indices, fields=False)
    return _expression_text(expectation.expression, request, indices)


def _lanes(buffer: Buffer) -> tuple[int, ...]:
    """Returns the extents of an element as expressions see it."""
    from jitstudio.numerics.dtypes import complex_dtype, numpy_dtype  # noqa: PLC0415

    return () if complex_dtype(buffer.element) else numpy_dtype(buffer.element).shape


def _part_text(
    expectation: Expectation,
    request: LaunchRequest,
    buffer: Buffer,
    whole: str,
    *,
    fields: bool = True,
) -> str:
    """Returns the part that an expectation is about, as code.

    Args:
        expectation: The expectation.
        request: The launch.
        buffer: The buffer.
        whole: The whole buffer, as code.
        fields: Whether what is indexed has the fields of its structs.

    Raises:
        ExportError: It is no part.
    """
    from jitstudio.numerics.dtypes import NumericsError  # noqa: PLC0415
    from jitstudio.numerics.targets import steps  # noqa: PLC0415

    parsed = _parsed(expectation.target, request)
    try:
        chain = steps(parsed, expectation)
    except NumericsError as error:
        raise _refusal(expectation.target, error) from None
    text = whole
    for step in chain:
        match step:
            case ast.Subscript(slice=ast.Constant(value=str())) if not fields:
                continue
            case ast.Subscript(slice=index):
                _name_all(index, request, _indices(buffer.length))
                # Of a tuple by itself it would write the parentheses.
                whole_step = ast.Subscript(ast.Name("_"), index, ast.Load())
                text += ast.unparse(whole_step).removeprefix("_")
            case ast.Call(func=ast.Attribute(attr=word), args=arguments):
                positions = [
                    _name_all(argument, request, _indices(buffer.length)) for argument in arguments
                ]
                text += f".{word}({', '.join(map(ast.unparse, positions))})"
            case ast.Attribute(attr=word):
                text += f".{word}"
    return text


def _indices(length: int) -> str:
    return f"np.arange({length})"


def expression_text(text: str, request: LaunchRequest, length: int) -> str:
    """Returns an expression of the launch form as code of Python.

    Args:
        text: The expression, over parameters and functions of NumPy.
        request: The launch that has the parameters.
        length: Elements of the buffer that it is for.

    Raises:
        ExportError: It is none that jitstudio evaluates: it may come from anybody, and whoever
            runs the export runs it.
    """
    return _expression_text(text, request, _indices(length))


def _expression_text(text: str, request: LaunchRequest, indices: str) -> str:
    return ast.unparse(_name_all(_parsed(text, request), request, indices))


def _parsed(text: str, request: LaunchRequest) -> ast.expr:
    # They load NumPy, which most exports do without.
    from jitstudio.numerics.dtypes import NumericsError  # noqa: PLC0415
    from jitstudio.numerics.expression_text import parse  # noqa: PLC0415

    try:
        return parse(text, {*_parameters(request), INDEX}).body
    except NumericsError as error:
        raise _refusal(text, error) from None


def _refusal(text: str, error: ValueError) -> ExportError:
    return ExportError(f"The expression '{text.strip()[:200]}' cannot be exported. {error}")


def _parameters(request: LaunchRequest) -> set[str]:
    return {argument.name for argument in request.arguments} | request.values.keys()


def _name_all(body: ast.expr, request: LaunchRequest, indices: str) -> ast.expr:
    """Renames the names of a parsed expression to those in the code of an export."""
    from jitstudio.numerics.expression_text import PARAMETER  # noqa: PLC0415

    parameters = _parameters(request)
    elements = {buffer.name: buffer.element for buffer in request.buffers}
    for node in ast.walk(body):
        if not isinstance(node, ast.Name):
            continue
        name = node.id.removeprefix(PARAMETER)
        if name == node.id:
            node.id = _SPECIAL.get(name, f"np.{name}")
        else:
            node.id = variable(name) if name in parameters else indices
            if name in elements:
                node.id = _view_of(node.id, elements[name])
    return body
