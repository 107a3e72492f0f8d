"""Undefined values in registers: where they come from, and whether anything depends on them.

A shuffle gives an undefined value where it takes that of a lane which has exited, is not there, or
is not named by the mask (PTX ISA, ``shfl.sync``; CUDA C++ Programming Guide, "Warp Shuffle
Functions"). To have one is allowed: in a reduction those lanes get some whose sums nobody wants. So
they are followed through the registers of the kernel to where global memory, an address, an atomic,
a branch or a vote depends on one. They are lost in shared and local memory, of which nobody may
read them, and in functions, which can only hide something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.groups import Selection
from jitstudio.simulator.memory import windows_of
from jitstudio.simulator.model import WARP, StateSpace, Threads
from jitstudio.simulator.program import (
    WITHOUT_RESULT,
    AddressOperand,
    PairOperand,
    PtxInstruction,
    PtxOperand,
    RegisterOperand,
    VectorOperand,
    register_names,
)
from jitstudio.simulator.types import PREDICATE

# What these do with a value can be seen, or decides what else is done.
_DECIDING = frozenset(
    ["st", "sust", "red", "atom", "bra", "brx", "vote", "match", "redux", "bar", "ld"]
)
_REASONS = ("the block does not have", "has exited", "the mask does not name")


class Dependence(NamedTuple):
    """Threads that do something that depends on an undefined value.

    Attributes:
        chosen: Which of the threads of the instruction.
        source: The shuffle that gave it to the first of them.
        step: Steps before the first time that this shuffle gave such values.
        reason: From which lane, in words that go on after "from".
    """

    chosen: NDArray[np.bool_]
    source: PtxInstruction
    step: int
    reason: str


class UndefinedValues:
    """Which registers of the kernel hold undefined values.

    A value is described by a number: where it comes from, the reason, and the lane; 0 for a value
    that is defined.
    """

    def __init__(self, threads: int) -> None:
        self._count = threads
        self._registers: dict[str, NDArray[np.int32]] = {}
        # Those that no copy of this has, too.
        self._own: set[str] = set()
        # By number of instruction: the first step is all that is told.
        self._sources: dict[int, tuple[PtxInstruction, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._registers)

    def copy(self) -> UndefinedValues:
        """Returns the same values, to be changed on their own."""
        other = UndefinedValues(self._count)
        other._registers = dict(self._registers)
        self._own.clear()
        other._sources = dict(self._sources)
        return other

    def take(
        self,
        instruction: PtxInstruction,
        step: int,
        threads: Threads,
        others: Threads,
        reasons: NDArray[np.int64],
    ) -> None:
        """Takes note of a shuffle.

        Args:
            instruction: The shuffle.
            step: Steps before it.
            threads: Who gets values.
            others: Of whom.
            reasons: For each of them 0, or why what is got is undefined: 1 for a thread that the
                block does not have, 2 for one that has exited, 3 for one not named.
        """
        first, source = instruction.operands[:2]
        codes = self._read(register_names(source), others).copy()
        if reasons.any():
            self._sources.setdefault(instruction.number, (instruction, step))
            made = ((instruction.number + 1) << 7 | reasons << 5 | others % WARP).astype(np.int32)
            codes = np.where(reasons > 0, made, codes)
        value, *predicate = first if isinstance(first, PairOperand) else (first,)
        for name in register_names(value):
            self._write(name, threads, codes)
        # Whether the lane is in range is defined for all.
        for name in register_names(VectorOperand(tuple(predicate))):
            self._write(name, threads, np.zeros_like(codes))

    def spread(
        self,
        instruction: PtxInstruction,
        threads: Selection,
        values: Mapping[str, NDArray[Any]],
    ) -> Dependence | None:
        """Follows undefined values through an instruction; returns who depends on one.

        Args:
            instruction: Which.
            threads: Who executes it, its guard being true; of a branch all that come to it.
            values: The registers before it.
        """
        opcode, operands = instruction.opcode, instruction.operands
        results: list[str] = []
        if opcode not in WITHOUT_RESULT and operands:
            results, operands = register_names(operands[0]), operands[1:]
        guard = [] if instruction.guard is None else [instruction.guard.name]
        names = [name for operand in operands for name in register_names(operand)]
        if opcode in ("shfl", "call") or self._registers.keys().isdisjoint(
            (*results, *names, *guard)
        ):
            return None
        codes = self._read(names, threads)
        for name in results:
            kept = codes
            if opcode in _DECIDING:
                kept = np.zeros_like(codes)
            elif opcode == "selp":
                kept = self._selected(operands, threads, values)
            elif instruction.types == (PREDICATE,) and opcode in ("and", "or"):
                kept = self._decided(codes, operands, opcode, threads, values)
            elif opcode == "setp":
                words = set(instruction.modifiers) & {"and", "or"}
                for word in words:
                    kept = self._decided(codes, operands[2:], word, threads, values)
            self._write(name, threads, kept)
        if opcode not in _DECIDING or "param" in instruction.modifiers:
            codes = np.zeros_like(codes)
        elif opcode == "st":
            address = self._read(register_names(operands[0]), threads)
            codes = np.where(_is_global(instruction, threads, values), codes, address)
        codes = np.maximum(codes, self._read(guard, threads))
        if not codes.any():
            return None
        first = int(codes[np.argmax(codes > 0)])
        source, step = self._sources[(first >> 7) - 1]
        reason = f"lane {first & 31} of the warp, which {_REASONS[(first >> 5 & 3) - 1]}"
        return Dependence(codes > 0, source, step, reason)

    def _read(self, names: Iterable[str], threads: Selection) -> NDArray[np.int32]:
        size = self._count if isinstance(threads, slice) else len(threads)
        codes = np.zeros(size, np.int32)
        if isinstance(threads, slice):
            codes = codes[threads]
        for name in names:
            if name in self._registers:
                codes = np.maximum(codes, self._registers[name][threads])
        return codes

    def _write(self, name: str, threads: Selection, codes: NDArray[np.int32]) -> None:
        held = self._registers.get(name)
        if held is None:
            if not codes.any():
                return
            held = np.zeros(self._count, np.int32)
        elif name not in self._own:
            held = held.copy()
        self._registers[name] = held
        self._own.add(name)
        held[threads] = codes
        if not held.any():
            del self._registers[name]

    def _selected(
        self, operands: tuple[PtxOperand, ...], threads: Selection, values: Mapping[str, Any]
    ) -> NDArray[np.int32]:
        """Returns the codes of what `selp` chooses."""
        yes, no, choice = (self._read(register_names(operand), threads) for operand in operands)
        for name in register_names(operands[2]):
            choice = np.maximum(choice, np.where(values[name][threads], yes, no))
        return choice

    def _decided(
        self,
        codes: NDArray[np.int32],
        predicates: tuple[PtxOperand, ...],
        word: str,
        threads: Selection,
        values: Mapping[str, Any],
    ) -> NDArray[np.int32]:
        """Returns the codes of what is combined by `and` or `or`: one of them may decide alone."""
        for operand in predicates:
            if isinstance(operand, RegisterOperand) and operand.name in values:
                held = values[operand.name][threads] ^ operand.negated
                defined = self._read([operand.name], threads) == 0
                codes = np.where(defined & (held == (word == "or")), 0, codes)
        return codes


def _is_global(
    store: PtxInstruction, threads: Selection, values: Mapping[str, NDArray[Any]]
) -> NDArray[np.bool_] | bool:
    """Returns which threads store to global memory, which all can see."""
    for word in store.modifiers:
        if word.startswith(("local", "shared", "async")):
            return False
    match store.operands[0]:
        case AddressOperand(RegisterOperand(name), offset) if "global" not in store.modifiers:
            addresses = values[name][threads].astype(np.int64) + offset
            found = windows_of(addresses).get(StateSpace.GLOBAL, False)
            return True if found is None else found
    return True
