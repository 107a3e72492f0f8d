"""Reads of textures: `tex tld4`. All textures have a single mipmap level."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from jitstudio.core.launch.texels import FilterMode, ReadMode
from jitstudio.core.launch.types import HandleKind
from jitstudio.simulator.instructions.table import Binding, Step, Values, form, is_sink
from jitstudio.simulator.instructions.texels import (
    AXES,
    arrays_of,
    coordinates_of,
    handle_of,
    padded,
)
from jitstudio.simulator.ptx.program import (
    PtxOperand,
    RegisterOperand,
    VectorOperand,
)
from jitstudio.simulator.ptx.types import BITS, PREDICATE, TYPES
from jitstudio.simulator.state.faults import UnsupportedInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.loads_stores import notify
from jitstudio.simulator.state.model import AccessKind, StateSpace
from jitstudio.simulator.state.texels import TexelArray
from jitstudio.simulator.state.wave import Wave

_CHANNELS = "rgba"
_LINEAR = (
    "weights with 8 bits of fraction, as the CUDA C++ Programming Guide says; an H100 rounds some "
    "of them otherwise"
)
_NEAR_EDGE = "a coordinate closer than 1/512 to the edge of two texels, but not on it; unproved"
_OUTSIDE = "an index outside of linear memory reads 0; not documented"
_MISSING = "a channel that the texel does not have reads 0; not documented"


def _tex(b: Binding) -> Step:
    """Binds a read of a texture; the level changes nothing, as all textures have level 0 only."""
    words, types = b.instruction.modifiers, b.instruction.types
    first, brackets, *rest = b.instruction.operands
    results, resident = b.pair(first)
    handle, index = handle_of(b, brackets)
    axes = next(AXES[word] for word in words if word in AXES)
    coordinates = coordinates_of(b, index, types[1].name)
    # Operands behind the coordinates: the level of detail, or the gradients of x and y.
    if "level" in words:
        b.source(rest[0], TYPES[types[1].name])
    elif "grad" in words:
        along_x, along_y = rest[:2]
        for gradient in (along_x, along_y):
            for part in padded(b.parts(gradient), axes):
                b.source(part, TYPES["f32"])
    rest = rest[("level" in words) + 2 * ("grad" in words) :]
    shifts = _shifts(b, rest, axes)
    put, missing = _results(b, results)
    flag = b.target(resident, PREDICATE) if resident is not None else None
    whole, kind, name = types[1].name == "s32", types[0].name, b.instruction.full_opcode

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        for array, some in arrays_of(wave, f[handle][s], s, HandleKind.TEXTURE, axes):
            at = [f[slot][some] for slot in coordinates]
            _check_kind(array, kind)
            moved = [f[slot][some] if slot is not None else 0 for slot in shifts]
            _tell_inexact(wave, array, at, name, whole=whole, missing=missing)
            _notify(wave, array, at, some, whole=whole)
            put(f, some, array.sample(at, moved, whole=whole))
        if flag is not None:
            f[flag][s] = True

    return step


def _check_kind(array: TexelArray, kind: str) -> None:
    """Checks that a texture gives the kind of numbers that an instruction reads.

    Raises:
        UnsupportedInstruction: The kinds differ: then the PTX ISA leaves the result open.
    """
    if array.gives_floats == kind.startswith("f"):
        return
    is_small = not array.is_float and array.dtype.itemsize < 4
    gives = "floats" if array.gives_floats else "integers"
    remedy = ""
    if array.texels.sampling.read is ReadMode.NORMALIZED:
        remedy = ". Bind it without normalizedFloat"
    elif is_small and kind.startswith("f"):
        remedy = ". Bind it with normalizedFloat, or read integers"
    raise UnsupportedInstruction(
        f"it reads .{kind}, and the texture {array.title} gives {gives}{remedy}"
    )


def _tell_inexact(
    wave: Wave,
    array: TexelArray,
    at: Sequence[Values],
    name: str,
    *,
    whole: bool,
    missing: int,
) -> None:
    """Notes the reasons why a GPU may give another result."""
    sampling = array.texels.sampling
    notes = []
    if whole:
        if array.texels.linear and array.is_outside(at[0]):
            notes.append(_OUTSIDE)
    elif sampling.filter is FilterMode.LINEAR:
        if not array.is_proved:
            notes.append(_LINEAR)
    elif array.is_doubtful(array.positions(at)):
        notes.append(_NEAR_EDGE)
    if missing > array.channels:
        notes.append(_MISSING)
    for note in notes:
        wave.inexact[f"{name} {note}"] = f"{name} ({note})"


def _notify(
    wave: Wave, array: TexelArray, at: Sequence[Values], s: Selection, *, whole: bool
) -> None:
    """Shows a read of a texture to observers, by the texel at the coordinates."""
    if not wave.on_accessed:
        return
    places = at if whole else [np.floor(place) for place in array.positions(at)]
    extents = zip(places, array.extent, strict=False)
    index = [np.clip(place, 0, extent - 1).astype(np.int64) for place, extent in extents]
    offsets = array.offsets(index)
    addresses = array.addresses(offsets)
    space, kind = StateSpace.TEXTURE, AccessKind.READ
    notify(wave, space, kind, offsets, addresses, array.size, s, False)


def _shifts(b: Binding, rest: Sequence[PtxOperand], axes: int) -> list[int | None]:
    """Returns the slots of the offset in texels, the last operand if there is any."""
    if not rest:
        return [None] * axes
    if len(rest) > 1 or not (isinstance(rest[0], VectorOperand) or axes == 1):
        raise UnsupportedInstruction("textures of depths, which compare, are not bound by a launch")
    return [b.source(part, TYPES["s32"]) for part in b.parts(rest[0])[:axes]]


def _results(
    b: Binding, operand: PtxOperand
) -> tuple[Callable[[Frame, Selection, Sequence[Values]], None], int]:
    """Returns a function that puts channels of a texel into registers, and their number in use."""
    kind, parts = b.type, b.parts(operand)
    is_packed = kind.name == "f16x2"
    count = 2 if is_packed else len(_CHANNELS)
    if len(parts) != count:
        raise UnsupportedInstruction(f"it gives {count} registers, and {len(parts)} are named")
    register_kind = BITS[16] if kind.name == "f16" else BITS[32]
    targets = [None if is_sink(part) else b.target(part, register_kind) for part in parts]
    used = _used(b, parts)

    def put(f: Frame, s: Selection, channels: Sequence[Values]) -> None:
        whole = [*channels, *(np.zeros_like(channels[0]) for _ in range(4 - len(channels)))]
        bits: list[Values]
        if kind.name == "f32":
            bits = [value.view(np.uint32) for value in whole]
        elif kind.name.startswith("f16"):
            bits = [value.astype(np.float16).view(np.uint16) for value in whole]
            if is_packed:
                low, high = bits[::2], bits[1::2]
                # Red and blue are in the lower halves, green and alpha in the upper ones.
                bits = [a | b_.astype(np.uint32) << 16 for a, b_ in zip(low, high, strict=True)]
        else:
            bits = whole
        for target, value in zip(targets, bits, strict=True):
            if target is not None:
                f[target][s] = value

    return put, used * 2 if is_packed else used


def _used(b: Binding, parts: Sequence[PtxOperand]) -> int:
    """Returns the number of registers up to the last one that the function reads."""
    read = b.image.program.registers_read[b.instruction.function]
    # Compilers name four registers, and use as many as the texel has channels.
    names = [part.name if isinstance(part, RegisterOperand) else "" for part in parts]
    return max((n for n, name in enumerate(names, 1) if name in read), default=0)


def _tld4(b: Binding) -> Step:
    """Binds a gather of one channel from the four texels of a linear filter."""
    channel = next(_CHANNELS.index(w) for w in b.instruction.modifiers if w in _CHANNELS)
    first, brackets, *rest = b.instruction.operands
    results, resident = b.pair(first)
    handle, index = handle_of(b, brackets)
    coordinates = coordinates_of(b, index, "f32")
    shifts = _shifts(b, rest, 2)
    put, _ = _results(b, results)
    flag = b.target(resident, PREDICATE) if resident is not None else None
    kind, name = b.type.name, b.instruction.full_opcode

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        for array, some in arrays_of(wave, f[handle][s], s, HandleKind.TEXTURE, 2):
            at = [f[slot][some] for slot in coordinates]
            _check_kind(array, kind)
            if channel >= array.channels:
                raise UnsupportedInstruction(
                    f"it gathers channel {channel}, and the texture {array.title} has "
                    f"{array.channels}"
                )
            # The footprint of four texels changes where a coordinate crosses the center of a texel.
            if array.is_doubtful([place - 0.5 for place in array.positions(at)]):
                wave.inexact[name] = f"{name} ({_NEAR_EDGE})"
            moved = [f[slot][some] if slot is not None else 0 for slot in shifts]
            _notify(wave, array, at, some, whole=False)
            put(f, some, array.gather(at, moved, channel))
        if flag is not None:
            f[flag][s] = True

    return step


for _opcode in ("tex", "tex.base", "tex.level", "tex.grad"):
    for _word in AXES:
        form(_opcode, "f32 s32 u32 f16", "f32 s32", needs=f"{_word} v4")(_tex)
        form(_opcode, "f16x2", "f32 s32", needs=f"{_word} v2")(_tex)
form("tld4", "f32 s32 u32", "f32", needs="2d v4 r/g/b/a")(_tld4)
