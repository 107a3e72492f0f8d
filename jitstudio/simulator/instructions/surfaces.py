"""Reads, writes and reductions of surfaces: `suld sust sured`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.types import HandleKind
from jitstudio.simulator.instructions.atomics import combining, operation_of, update
from jitstudio.simulator.instructions.table import Binding, Step, Values, form, is_sink
from jitstudio.simulator.instructions.texels import AXES, arrays_of, coordinates_of, handle_of
from jitstudio.simulator.ptx.program import VectorOperand
from jitstudio.simulator.ptx.types import BITS, TYPES, PtxType
from jitstudio.simulator.state.faults import ThreadFault, UnsupportedInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.loads_stores import put, take
from jitstudio.simulator.state.model import FaultKind, StateSpace
from jitstudio.simulator.state.texels import TexelArray
from jitstudio.simulator.state.wave import Wave

_OUT_OF_RANGE = ("trap", "clamp", "zero")


def _places(
    wave: Wave,
    array: TexelArray,
    at: Sequence[Values],
    size: int,
    s: Selection,
    mode: str,
    verb: str,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Returns the offsets that threads access, and which are inside; outside ones become the first.

    Args:
        wave: The threads.
        array: The surface.
        at: Coordinates, the first in bytes (PTX ISA, `suld`, `.b`), all others in texels.
        size: Bytes that each thread accesses.
        s: The threads.
        mode: The clamping of coordinates outside: trap, clamp or zero.
        verb: Of the threads, for messages.

    Raises:
        ThreadFault: A thread is outside and traps, or its first coordinate is misaligned.
    """
    index = [values.astype(np.int64) for values in at]
    row = array.extent[0] * array.size
    # The last byte of an access must be in the row, too.
    limits = [row - size, *(extent - 1 for extent in array.extent[1 : array.axes])]
    bounds = list(zip(index, limits, strict=True))
    inside = np.logical_and.reduce([(i >= 0) & (i <= most) for i, most in bounds])
    wrong = index[0] % size != 0
    if wrong.any():
        raise _stray(
            wave, s, wrong, FaultKind.MISALIGNED, index, verb,
            f"{size} bytes of {array.title}, and the first coordinate, which counts bytes, is not "
            f"divisible by {size}",
        )  # fmt: skip
    if mode == "trap" and not inside.all():
        raise _stray(
            wave, s, ~inside, FaultKind.OUT_OF_BOUNDS, index, verb,
            f"{size} bytes outside of the surface {array.title}, whose rows have {row:,} bytes",
        )  # fmt: skip
    if mode == "clamp":
        index = [np.clip(i, 0, max(most, 0)) for i, most in bounds]
        inside = np.ones_like(inside)
    x, *others = (np.where(inside, i, 0) for i in index)
    return array.offsets([np.zeros_like(x), *others], x), inside


def _stray(
    wave: Wave,
    s: Selection,
    wrong: NDArray[np.bool_],
    kind: FaultKind,
    index: Sequence[NDArray[np.int64]],
    verb: str,
    what: str,
) -> ThreadFault:
    first = int(np.argmax(wrong))
    place = ", ".join(str(int(i[first])) for i in index)
    count = int(np.count_nonzero(wrong))
    message = f"{verb} at ({place}) {what}"
    return ThreadFault(kind, int(wave.numbers[s][first]), message, count)


def _mode(b: Binding) -> str:
    return next((word for word in b.instruction.modifiers if word in _OUT_OF_RANGE), "trap")


def _suld(b: Binding) -> Step:
    first, brackets = b.instruction.operands[:2]
    handle, index = handle_of(b, brackets)
    coordinates = coordinates_of(b, index, "s32")
    parts = b.elements(first)
    in_vector = isinstance(first, VectorOperand)
    targets = [
        None if in_vector and is_sink(part) else b.target(part, b.type, wider=True)
        for part in parts
    ]
    dtype, count, mode = b.type.dtype, len(parts), _mode(b)
    size, axes = dtype.itemsize * count, len(coordinates)

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        for array, some in arrays_of(wave, f[handle][s], s, HandleKind.SURFACE, axes):
            at = [f[slot][some] for slot in coordinates]
            offsets, inside = _places(wave, array, at, size, some, mode, "reads")
            values = [np.zeros(len(offsets), dtype) for _ in range(count)]
            if inside.any():
                numbers, inner = wave.numbers[some][inside], offsets[inside]
                addresses, space = array.addresses(inner), StateSpace.SURFACE
                loaded = take(wave, space, inner, array.region, addresses, dtype, count, numbers)
                for value, element in zip(values, loaded, strict=True):
                    value[inside] = element
            for target, value in zip(targets, values, strict=True):
                if target is not None:
                    f[target][some] = value

    return step


def _sust(b: Binding) -> Step:
    brackets, value = b.instruction.operands[:2]
    handle, index = handle_of(b, brackets)
    coordinates = coordinates_of(b, index, "s32")
    sources = [b.source(part, b.type, wider=True) for part in b.elements(value)]
    size, mode = b.type.size * len(sources), _mode(b)

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        axes = len(coordinates)
        for array, some in arrays_of(wave, f[handle][s], s, HandleKind.SURFACE, axes):
            at = [f[slot][some] for slot in coordinates]
            offsets, inside = _places(wave, array, at, size, some, mode, "writes")
            _put(wave, array, offsets, inside, [f[slot][some] for slot in sources], some)

    return step


def _put(
    wave: Wave,
    array: TexelArray,
    offsets: NDArray[np.int64],
    inside: NDArray[np.bool_],
    values: Sequence[Values],
    s: Selection,
) -> None:
    if inside.any():
        inner = offsets[inside]
        elements = [np.broadcast_to(value, inside.shape)[inside] for value in values]
        numbers = wave.numbers[s][inside]
        addresses = array.addresses(inner)
        put(wave, StateSpace.SURFACE, inner, array.region, addresses, elements, numbers)


def _sust_formatted(b: Binding) -> Step:
    """Binds a store that converts 32 bits of each channel to the format of the texels."""
    brackets, value = b.instruction.operands[:2]
    handle, index = handle_of(b, brackets)
    coordinates = coordinates_of(b, index, "s32")
    sources = [b.source(part, BITS[32]) for part in b.elements(value)]
    mode, axes, name = _mode(b), len(coordinates), b.instruction.full_opcode

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        for array, some in arrays_of(wave, f[handle][s], s, HandleKind.SURFACE, axes):
            if len(sources) < array.channels:
                raise UnsupportedInstruction(
                    f"it gives {len(sources)} of the {array.channels} channels of the surface "
                    f"{array.title}, and leaves open what the others become"
                )
            x, *others = (f[slot][some] for slot in coordinates)
            at = [x.astype(np.int64) * array.size, *others]
            offsets, inside = _places(wave, array, at, array.size, some, mode, "writes")
            bits = [f[slot][some] for slot in sources[: array.channels]]
            if not array.is_float and array.dtype.itemsize < 4:
                note = "integers that do not fit become the nearest that does; not documented"
                wave.inexact[name] = f"{name} ({note})"
            _put(
                wave, array, offsets, inside, [_formatted(channel, array) for channel in bits], some
            )

    return step


def _formatted(bits: Values, array: TexelArray) -> Values:
    if array.is_float:
        return bits.view(np.float32).astype(array.dtype)
    limits = np.iinfo(array.dtype)
    numbers = bits.view(np.int32) if array.dtype.kind == "i" else bits
    fitting: Values = np.clip(numbers, limits.min, limits.max).astype(array.dtype)
    return fitting


def _sured(b: Binding) -> Step:
    """Binds a reduction of a word at a byte."""
    return _reducing(b, lambda _array: b.type)


def _sured_formatted(b: Binding) -> Step:
    """Binds a reduction of a texel, as a signed or unsigned integer by the type of the texels."""

    def kind_of(array: TexelArray) -> PtxType:
        if array.channels > 1 or array.is_float or array.size != b.type.size:
            raise UnsupportedInstruction(
                f"the texels of {array.title} are not single integers of {b.type.bits} bits"
            )
        return TYPES[f"{'s' if array.dtype.kind == 'i' else 'u'}{b.type.bits}"]

    return _reducing(b, kind_of)


def _reducing(b: Binding, kind_of: Callable[[TexelArray], PtxType]) -> Step:
    brackets, value = b.instruction.operands[:2]
    handle, index = handle_of(b, brackets)
    coordinates = coordinates_of(b, index, "s32")
    source, size, mode = b.source(value, b.type), b.type.size, _mode(b)
    operation, axes, by_texel = operation_of(b), len(coordinates), b.has("p")

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        for array, some in arrays_of(wave, f[handle][s], s, HandleKind.SURFACE, axes):
            kind = kind_of(array)
            x, *others = (f[slot][some].astype(np.int64) for slot in coordinates)
            at = [x * size if by_texel else x, *others]
            offsets, inside = _places(wave, array, at, size, some, mode, "changes")
            if inside.any():
                addresses = array.addresses(offsets[inside])
                values = f[source][some][inside].view(kind.dtype)
                numbers = wave.numbers[some][inside]
                combine = combining(operation, kind, StateSpace.SURFACE)
                update(
                    wave, StateSpace.SURFACE, addresses, values, None, combine, numbers,
                    operation=operation,
                )  # fmt: skip

    return step


# PTX ISA, `suld`, `sust`, `sured`: with `.b` the first coordinate counts bytes, with `.p` texels;
# `sust.p` converts to the format of the surface.
for _word in AXES:
    _clamped = f"{_word} {'/'.join(_OUT_OF_RANGE)}"
    for _opcode, _caching, _moving in (
        ("suld", "ca/cg/cs/cv", _suld),
        ("sust", "wb/cg/cs/wt", _sust),
    ):
        form(f"{_opcode}.b", "b8 b16 b32 b64", needs=_clamped, words=f"{_caching} v2/v4", count=2)(
            _moving
        )
    form("sust.p", "b32", needs=_clamped, words="wb/cg/cs/wt v2/v4", count=2)(_sust_formatted)
    form("sured.b", "u32 s32 u64", needs=f"add {_clamped}", count=2)(_sured)
    form("sured.b", "u32 s32 u64 s64", needs=f"min/max {_clamped}", count=2)(_sured)
    form("sured.b", "b32", needs=f"and/or {_clamped}", count=2)(_sured)
    form("sured.p", "b32", needs=f"add/min/max/and/or {_clamped}", count=2)(_sured_formatted)
