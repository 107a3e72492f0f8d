"""The registers of a function at a depth of calls, for all threads.

A *frame* is a list of arrays, in which a register stands once for each type as which instructions
read it, all of them views of the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import PtxFunction

CARRY = "CC.CF"
"""The carry flag (PTX ISA, "Extended-Precision Integer Arithmetic Instructions": ``CC.CF``)."""

CARRY_FROM = "CC.CF from"
"""One more than the number of the instruction that has set the carry; negative for an instruction
that has used the carry and set none; 0 for a carry that nobody has set."""

Frame = list[NDArray[Any]]
"""Registers of all threads, by slots."""


class SlotKind(NamedTuple):
    """The contents of a slot of a frame.

    Attributes:
        name: Of the register; of the parameter; of the special register.
        dtype: The type as which its values are read.
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
    """The slots of the frames of a function; grows while its instructions are bound."""

    function: PtxFunction
    slots: list[SlotKind] = field(default_factory=list)
    index: dict[SlotKind, int] = field(default_factory=dict)

    def slot(self, kind: SlotKind) -> int:
        """Returns the index of a slot."""
        if (slot_index := self.index.get(kind)) is None:
            slot_index = self.index[kind] = len(self.slots)
            self.slots.append(kind)
        return slot_index

    def registers(self, threads: int) -> dict[str, NDArray[Any]]:
        """Returns the registers and parameters of the function by name, all of them zero.

        Parameters have shape (threads, bytes), those of kernels excepted, which are read only.
        """
        function = self.function
        by_name: dict[str, NDArray[Any]] = {
            name: np.zeros(threads, kind.bits_dtype) for name, kind in function.registers.items()
        }
        parameters = () if function.is_kernel else function.parameters
        for variable in (*function.variables.values(), *parameters, *function.results):
            if variable.space == "param":
                # Multiples of 16 bytes, so that a row can be viewed as elements of any type.
                width = -(-max(variable.size, 1) // 16) * 16
                by_name[variable.name] = np.zeros((threads, width), np.uint8)
        by_name[CARRY] = np.zeros(threads, np.uint8)
        if any(slot.name == CARRY_FROM for slot in self.slots):
            by_name[CARRY_FROM] = np.zeros(threads, np.int32)
        return by_name


class Passed(NamedTuple):
    """The slots of an argument or a result: in the function, and in its caller."""

    callee: int
    caller: int


@dataclass(frozen=True)
class ReturnLink:
    """The results that a return hands over to a call.

    Attributes:
        layout: The frames of the caller.
        results: The slots of results.
        names: The registers or parameters of results: of the caller, then of the function.
    """

    layout: FrameLayout
    results: tuple[Passed, ...]
    names: tuple[tuple[str, str], ...]


def viewed(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Returns the low bits of values as a type of the same width or a narrower one."""
    if values.dtype == dtype:
        return values
    ratio = values.dtype.itemsize // dtype.itemsize
    if ratio == 1:
        return values.view(dtype)
    # A broadcast value, such as a special register that is equal for all threads.
    if values.strides == (0,):
        return np.broadcast_to(values[:1].view(dtype)[:1], values.shape)
    return values.view(dtype)[::ratio]
