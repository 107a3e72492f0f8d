"""The registers of a function at one depth of calls, for all threads.

A *frame* is a list of arrays, in which each register stands once for each type that instructions
read it in, all of them views of the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import PtxFunction

CARRY = "CC.CF"
"""The register for carries, of which PTX has no name."""

CARRY_FROM = "CC.CF from"
"""One more than the number of the instruction that has set it; with a minus in front that of one
that has taken it and set none; 0 for a flag that nobody has set."""

Frame = list[NDArray[Any]]
"""Registers of all threads, by slots."""


class SlotKind(NamedTuple):
    """What a slot of a frame holds.

    Attributes:
        name: Of the register; of the parameter; of the special register.
        dtype: What its values are read as.
        source: ``register``, ``param``, ``whole param``, ``special``, ``constant``, ``stack``,
            ``kernel param`` or ``sink``.
        offset: Bytes into a parameter.
        value: Of a constant.
    """

    name: str
    dtype: np.dtype[Any]
    source: str = "register"
    offset: int = 0
    value: bytes = b""


@dataclass
class FrameLayout:
    """Which slots the frames of a function have; grows while its instructions are bound."""

    function: PtxFunction
    slots: list[SlotKind] = field(default_factory=list)
    index: dict[SlotKind, int] = field(default_factory=dict)

    def slot(self, kind: SlotKind) -> int:
        """Returns the index of a slot."""
        if (found := self.index.get(kind)) is None:
            found = self.index[kind] = len(self.slots)
            self.slots.append(kind)
        return found

    def registers(self, threads: int) -> dict[str, NDArray[Any]]:
        """Returns the registers and parameters of the function by their names, all of them zero.

        Parameters have shape (threads, bytes), those of kernels excepted, which are read only.
        """
        function = self.function
        found: dict[str, NDArray[Any]] = {
            name: np.zeros(threads, kind.bits_dtype) for name, kind in function.registers.items()
        }
        own = () if function.is_kernel else function.parameters
        for variable in (*function.variables.values(), *own, *function.results):
            if variable.space == "param":
                width = -(-max(variable.size, 1) // 16) * 16
                found[variable.name] = np.zeros((threads, width), np.uint8)
        found[CARRY] = np.zeros(threads, np.uint8)
        if any(slot.name == CARRY_FROM for slot in self.slots):
            found[CARRY_FROM] = np.zeros(threads, np.int32)
        return found


@dataclass(frozen=True)
class ReturnLink:
    """What is done at the return from a call.

    Attributes:
        layout: The frames of the caller.
        results: The slots of results: of the caller, then of the function.
        names: Their registers or parameters.
    """

    layout: FrameLayout
    results: tuple[tuple[int, int], ...]
    names: tuple[tuple[str, str], ...]


def viewed(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Returns the low bits of values as a type that is as wide or narrower."""
    if values.dtype == dtype:
        return values
    ratio = values.dtype.itemsize // dtype.itemsize
    if ratio == 1:
        return values.view(dtype)
    if values.strides == (0,):
        return np.broadcast_to(values[:1].view(dtype)[:1], values.shape)
    return values.view(dtype)[::ratio]
