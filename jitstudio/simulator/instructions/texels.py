"""Handles and coordinates of textures and surfaces, for all their instructions; `txq` and `suq`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from jitstudio.core.launch.types import HandleKind
from jitstudio.simulator.instructions.table import Binding, Step, form
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    BracketOperand,
    PtxOperand,
    RegisterOperand,
)
from jitstudio.simulator.ptx.types import BITS, TYPES
from jitstudio.simulator.state.faults import ThreadFault, UnsupportedInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.model import FaultKind
from jitstudio.simulator.state.texels import TexelArray
from jitstudio.simulator.state.wave import Wave

AXES = {"1d": 1, "2d": 2, "3d": 3}
ArraySelections = Iterator[tuple[TexelArray, Selection]]


def handle_of(b: Binding, operand: PtxOperand) -> tuple[int, PtxOperand | None]:
    """Returns the slot of the handle in brackets, and the coordinates."""
    coordinates: PtxOperand | None = None
    if isinstance(operand, BracketOperand):
        handle, *rest = operand.parts
        if len(rest) != 1:
            raise UnsupportedInstruction("samplers of their own are not bound by a launch")
        coordinates = rest[0]
    elif isinstance(operand, AddressOperand) and operand.offset == 0:
        handle = operand.base
    else:
        raise UnsupportedInstruction("its texture or surface does not stand in brackets")
    if isinstance(handle, AddressOperand):
        handle = handle.base
    if not isinstance(handle, RegisterOperand):
        raise UnsupportedInstruction(
            "texture and surface references are not bound by a launch. Pass a "
            "cudaTextureObject_t or cudaSurfaceObject_t as a parameter"
        )
    return b.source(handle, TYPES["u64"]), coordinates


def coordinates_of(b: Binding, operand: PtxOperand | None, kind: str) -> list[int]:
    axes = next(AXES[word] for word in b.instruction.modifiers if word in AXES)
    parts = b.parts(operand) if operand is not None else ()
    return [b.source(part, TYPES[kind]) for part in padded(parts, axes)[:axes]]


def padded(parts: Sequence[PtxOperand], axes: int) -> Sequence[PtxOperand]:
    """Returns operands for axes; of three there are four, the last of which nobody reads."""
    needed = 4 if axes == 3 else axes
    if len(parts) != needed:
        raise UnsupportedInstruction(f"it has {len(parts)} coordinates, and {needed} are needed")
    return parts


def arrays_of(
    wave: Wave, handles: NDArray[np.uint64], s: Selection, kind: HandleKind, axes: int = 0
) -> ArraySelections:
    """Yields each texture or surface that threads name, with the threads.

    Raises:
        ThreadFault: A handle is of no texture or surface of this kind.
        UnsupportedInstruction: An array has other axes than the instruction.
    """
    for handle in np.unique(handles):
        chosen = handles == handle
        numbers = wave.numbers[s]
        array = wave.texels.get(int(handle))
        if array is None or array.texels.kind is not kind:
            named = "a null handle" if not handle else f"0x{int(handle):x}"
            actual = f", which is the {array.texels.kind.value} {array.title}" if array else ""
            raise ThreadFault(
                FaultKind.OUT_OF_BOUNDS,
                int(numbers[np.argmax(chosen)]),
                f"takes {named} for a {kind.value}{actual}",
                int(np.count_nonzero(chosen)),
            )
        if axes and array.axes != axes:
            raise UnsupportedInstruction(
                f"it reaches texels by {axes} coordinate{'s'[: axes > 1]}, and the {kind.value} "
                f"{array.title} has {array.axes}"
            )
        # Nearly always all threads name one texture.
        if chosen.all():
            yield array, s
        else:
            yield array, numbers[chosen]


_EXTENTS = ("width", "height", "depth")


def _query(kind: HandleKind) -> Callable[[Binding], Step]:
    def bind(b: Binding) -> Step:
        target, brackets = b.instruction.operands[:2]
        handle, coordinates = handle_of(b, brackets)
        if coordinates is not None:
            raise UnsupportedInstruction("it has coordinates, and asks for the whole")
        place = b.target(target, BITS[32])
        axis = next((n for n, word in enumerate(_EXTENTS) if b.has(word)), None)

        def step(wave: Wave, f: Frame, s: Selection) -> None:
            for array, some in arrays_of(wave, f[handle][s], s, kind):
                if axis is None:
                    f[place][some] = array.texels.sampling.normalized
                elif axis < array.axes:
                    f[place][some] = array.extent[axis]
                else:
                    raise UnsupportedInstruction(
                        f"it asks for the {_EXTENTS[axis]} of the {kind.value} {array.title}, "
                        "which has none"
                    )

        return step

    return bind


_of_texture, _of_surface = _query(HandleKind.TEXTURE), _query(HandleKind.SURFACE)
for _word in _EXTENTS:
    form("txq", "b32", needs=_word, count=2)(_of_texture)
    form("txq.level", "b32", needs=_word, count=3)(_of_texture)
    form("suq", "b32", needs=_word, count=2)(_of_surface)
form("txq", "b32", needs="normalized_coords", count=2)(_of_texture)
