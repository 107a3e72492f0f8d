"""Instructions without the names of their registers and targets, and these names apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from jitstudio.analysis.sass.liveness import RegisterEffect, effect
from jitstudio.analysis.sass.operands import (
    ALL_REGISTERS,
    GPR,
    NONE,
    REGISTER,
    UGPR,
    Mask,
    RegisterUse,
    decode,
    file_of,
    guard,
    numbers,
)

REGISTERS = numbers(ALL_REGISTERS)
"""The numbers of all registers."""

_LARGEST_VECTOR = 128
_TARGET = re.compile(r"`\((?P<target>[^()]*)\)|(?P<label>(?<!\w)\.L_\w+)|(?P<reuse>\.reuse\b)")
# Represents a name: no listing has this sign, not even a listing that breaks off behind an `R`.
_NAME = "%"


@dataclass(frozen=True, slots=True, eq=False)
class InstructionForm:
    """The parts of an instruction.

    Attributes:
        skeleton: The text without uses and targets: constants, modifiers, and unknown operands as
            they are.
        uses: All registers, by number, in their order, of pairs and vectors every one.
        named: The places in `uses` of the registers that the text names.
        targets: Labels and symbols in their order.
        guard: The predicate in front, with its ``!``; empty where there is none.
        written: The places in `uses` of registers certainly and wholly written where the guard
            holds.
        is_known: Whether the form of the operands is known.
        effect: The registers that are read and written.
    """

    skeleton: str
    uses: tuple[int, ...]
    named: tuple[int, ...]
    targets: tuple[str, ...]
    guard: str
    written: range
    is_known: bool
    effect: RegisterEffect


@lru_cache(1 << 15)
def form_of(predicate: str, opcode: str, operands: str) -> InstructionForm:
    """Returns the parts of an instruction."""
    decoded = decode(opcode, operands)
    uses: list[int] = []
    named: list[int] = []
    first = guard(predicate)
    if first != NONE:
        named.append(0)
        uses.append(first)
    start = end = len(uses)
    for use in decoded.uses:
        named.append(len(uses))
        uses += _range(use, is_known=decoded.is_known)
        if use.is_result and use.is_sure and end == named[-1]:
            end = len(uses)
    uses += numbers(decoded.unnamed)
    targets: list[str] = []
    skeleton = REGISTER.sub(_kind, operands) if decoded.is_known else operands
    skeleton = _TARGET.sub(lambda token: _placeholder(token, targets), skeleton)
    return InstructionForm(
        skeleton=f"{REGISTER.sub(_kind, predicate)} {opcode} {skeleton}",
        uses=tuple(uses),
        named=tuple(named),
        targets=tuple(targets),
        guard=predicate.removeprefix("@"),
        written=range(start, end),
        is_known=decoded.is_known,
        effect=effect(predicate, _mask(uses[end:]), _mask(uses[start:end])),
    )


def _range(use: RegisterUse, *, is_known: bool) -> range:
    """Returns the registers of a use; of an unknown instruction all that may be meant."""
    first, end = file_of(use.register)
    is_vector = not is_known and first in (GPR, UGPR)
    return range(
        use.register, min(use.register + (_LARGEST_VECTOR if is_vector else use.size), end)
    )


def _kind(register: re.Match[str]) -> str:
    return _NAME + register[0].rstrip("0123456789")


def _placeholder(token: re.Match[str], targets: list[str]) -> str:
    """Returns the sign that represents a target, or nothing for a hint; appends the target."""
    if token["reuse"]:
        return ""
    targets.append(token[0] if token["label"] else token["target"])
    return f"{_NAME}`"


def _mask(registers: Iterable[int]) -> Mask:
    mask = 0
    for number in registers:
        mask |= 1 << number
    return mask


# ---- The correspondence of registers, or webs, between two functions

Uses = tuple[int, ...]
"""The registers, or webs, that an instruction reads and writes, in its order."""

# More than any function has votes.
_CERTAIN = 1 << 60


class RegisterRenaming:
    """A bijective renaming: no two registers of a function become the same register.

    Where the functions differ, a register corresponds to the one that is most often at its place;
    where they are the same under any renaming, this is that renaming.

    Args:
        pairs: The uses of instructions that are the same but for names.
        fixed: Registers that keep their names.
    """

    def __init__(self, pairs: Iterable[tuple[Uses, Uses]], fixed: Iterable[int] = ()) -> None:
        votes: Counter[tuple[int, int]] = Counter()
        for left, right in pairs:
            votes.update(zip(left, right, strict=True))
        votes.update({(number, number): _CERTAIN for number in fixed})
        self._to_left: dict[int, int] = {}
        self._to_right: dict[int, int] = {}
        for (left_number, right_number), _ in votes.most_common():
            if left_number not in self._to_right and right_number not in self._to_left:
                self._to_right[left_number] = right_number
                self._to_left[right_number] = left_number

    def to_left(self, number: int) -> int | None:
        """Returns the register of the first function; None if unknown."""
        return self._to_left.get(number)

    def holds(self, left: Uses, right: Uses) -> bool:
        """Returns whether the renaming turns the registers of an instruction into those of another.

        The instructions have to be the same but for names.
        """
        return all(
            self._to_right.get(left_number) == right_number
            for left_number, right_number in zip(left, right, strict=True)
        )
