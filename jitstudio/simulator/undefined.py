"""Undefined values in registers: where they come from, and whether anything depends on them.

A shuffle gives an undefined value where it takes that of a lane which has exited, is not there, or
is not named by the mask (PTX ISA, ``shfl.sync``; CUDA C++ Programming Guide, "Warp Shuffle
Functions"). To have one is allowed: in a reduction those lanes get some whose sums nobody wants. So
they are followed through the registers of the kernel, and through shared and local memory, to where
global memory, an address, an atomic, a branch or a vote depends on one. What is read in part only
is taken for defined, and functions can hide something.

In builds for a debugger registers and local memory that nobody has written are read by right code,
too: it copies variables that have no value yet, structures with their padding, and bit fields as
whole words. What is read there is undefined until bits of it are masked or moved, and a copy of it
in global memory means nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.groups import Selection, numbers_of
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
# What picks bits out of a word, of which some may be defined.
_OF_BITS = frozenset(["and", "or", "xor", "not", "lop3", "bfi", "bfe", "shr", "shf", "prmt"])
_COPIES = frozenset(["mov", "cvta", "cvt", "selp", "ld", "st"])
# A code is the number of the instruction that gave the value and one more, whether it has been in
# memory, the reason, and the lane. Of what nobody has written there is no reason, and in the place
# of the lane whether something was calculated from it.
_NUMBER_SHIFT, _IN_MEMORY, _REASON_SHIFT, _LANE = 8, 1 << 7, 5, 31
_CALCULATED = 1
# Of a register that nobody has written: where it comes from is where it is read first.
_NEVER_READ = 2
_Codes = NDArray[np.int32]


class Dependence(NamedTuple):
    """Threads that do something that depends on an undefined value.

    Attributes:
        chosen: Which of the threads of the instruction.
        source: The shuffle or the load that gave it to the first of them.
        step: Steps before the first time that this one gave such values.
        thread: Who got one then; None for the thread that depends on it.
        reason: From which lane, in words that go on after "from"; empty for what nobody has
            written.
    """

    chosen: NDArray[np.bool_]
    source: PtxInstruction
    step: int
    thread: int | None
    reason: str


class _Parts(NamedTuple):
    """The sources of an instruction, and the names of the registers in it."""

    operands: tuple[PtxOperand, ...]
    results: list[str]
    names: list[str]
    guard: list[str]
    all: frozenset[str]


class UndefinedValues:
    """Which registers of the kernel hold undefined values.

    A value is described by a number: where it comes from, the reason, and the lane; 0 for a value
    that is defined.

    Attributes:
        carried: The codes of what the next store of the kernel writes; None where all is defined.
        found: A load, and the codes of what it has read; None likewise.
    """

    def __init__(self, threads: int) -> None:
        self._count = threads
        self.carried: list[_Codes] | None = None
        self.found: tuple[PtxInstruction, list[_Codes]] | None = None
        self._registers: dict[str, NDArray[np.int32]] = {}
        # Those that no copy of this has, too.
        self._own: set[str] = set()
        self._parts: dict[int, _Parts] = {}
        # By number of instruction: the first step is all that is told, and the first thread in it.
        self._sources: dict[int, tuple[PtxInstruction, int, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._registers)

    def begin(self, names: Iterable[str]) -> None:
        """Takes note that no thread has written some registers."""
        for name in names:
            self._write(name, slice(0, self._count), np.full(self._count, _NEVER_READ, np.int32))

    def copy(self) -> UndefinedValues:
        """Returns the same values, to be changed on their own."""
        other = UndefinedValues(self._count)
        other._registers = dict(self._registers)
        self._own.clear()
        other._sources = dict(self._sources)
        other._parts = self._parts
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
        codes[codes == _NEVER_READ] = 0
        if reasons.any():
            first_one = int(threads[np.argmax(reasons > 0)])
            self._sources.setdefault(instruction.number, (instruction, step, first_one))
            code = (instruction.number + 1) << _NUMBER_SHIFT
            made = (code | reasons << _REASON_SHIFT | others % WARP).astype(np.int32)
            codes = np.where(reasons > 0, made, codes)
        value, *predicate = first if isinstance(first, PairOperand) else (first,)
        for name in register_names(value):
            self._write(name, threads, codes)
        # Whether the lane is in range is defined for all.
        for name in register_names(VectorOperand(tuple(predicate))):
            self._write(name, threads, np.zeros_like(codes))

    def unwritten(self, instruction: PtxInstruction, step: int, thread: int) -> int:
        """Returns the code of what a load finds that nobody has written."""
        self._sources.setdefault(instruction.number, (instruction, step, thread))
        return (instruction.number + 1) << _NUMBER_SHIFT

    def stored(self, store: PtxInstruction, step: int, threads: Selection) -> list[_Codes] | None:
        """Returns the codes of the elements that threads store; None if all are defined."""
        value = store.operands[1]
        parts = value.parts if isinstance(value, VectorOperand) else (value,)
        codes = [self._read_by(store, step, register_names(part), threads) for part in parts]
        return codes if any(each.any() for each in codes) else None

    def loaded(self, load: PtxInstruction, threads: Selection, codes: Sequence[_Codes]) -> None:
        """Takes note of the codes of the elements that threads have loaded."""
        value = load.operands[0]
        parts = value.parts if isinstance(value, VectorOperand) else (value,)
        for part, each in zip(parts, codes, strict=True):
            for name in register_names(part):
                self._write(name, threads, np.where(each > 0, each | _IN_MEMORY, 0))

    def spread(
        self,
        instruction: PtxInstruction,
        step: int,
        threads: Selection,
        values: Mapping[str, NDArray[Any]],
    ) -> Dependence | None:
        """Follows undefined values through an instruction; returns who depends on one.

        Args:
            instruction: Which.
            step: Steps before it.
            threads: Who executes it, its guard being true; of a branch all that come to it.
            values: The registers before it.
        """
        if (parts := self._parts.get(instruction.number)) is None:
            parts = self._parts[instruction.number] = _parts_of(instruction)
        if self._registers.keys().isdisjoint(parts.all):
            return None
        opcode, operands = instruction.opcode, parts.operands
        results, names, guard = parts.results, parts.names, parts.guard
        self._read_by(instruction, step, guard, threads)
        codes = _carried(instruction, self._read_by(instruction, step, names, threads))
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
            value = self._read([n for o in operands[1:] for n in register_names(o)], threads)
            value = np.where(_is_copy_of_nothing(value), 0, value)
            seen = np.where(_is_global(instruction, threads, values), value, 0)
            codes = np.maximum(address, seen)
        codes = np.maximum(codes, self._read(guard, threads))
        if not codes.any():
            return None
        first = int(codes[np.argmax(codes > 0)])
        source, step, thread = self._sources[(first >> _NUMBER_SHIFT) - 1]
        why = first >> _REASON_SHIFT & 3
        reason = f"lane {first & _LANE} of the warp, which {_REASONS[why - 1]}" if why else ""
        return Dependence(codes > 0, source, step, thread if first & _IN_MEMORY else None, reason)

    def _read_by(
        self, instruction: PtxInstruction, step: int, names: Iterable[str], threads: Selection
    ) -> _Codes:
        """Returns the codes of what an instruction reads, which may be the first to do so."""
        for name in names:
            codes = self._read([name], threads)
            first = codes == _NEVER_READ
            if first.any():
                numbers = numbers_of(threads)
                code = self.unwritten(instruction, step, int(numbers[np.argmax(first)]))
                self._write(name, threads, np.where(first, np.int32(code), codes))
        return self._read(names, threads)

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


def _parts_of(instruction: PtxInstruction) -> _Parts:
    """Returns what an instruction reads and writes, as far as undefined values are followed."""
    opcode, operands = instruction.opcode, instruction.operands
    if opcode == "shfl":
        # See `UndefinedValues.take`.
        return _Parts((), [], [], [], frozenset())
    if opcode == "call":
        # What a function returns is taken for defined.
        results = register_names(operands[0])
        return _Parts((), results, [], [], frozenset(results))
    results = []
    if opcode not in WITHOUT_RESULT and operands:
        results, operands = register_names(operands[0]), operands[1:]
    guard = [] if instruction.guard is None else [instruction.guard.name]
    names = [name for operand in operands for name in register_names(operand)]
    return _Parts(operands, results, names, guard, frozenset((*results, *names, *guard)))


def _is_unwritten(codes: _Codes) -> NDArray[np.bool_]:
    """Returns which codes are of what nobody has written, not of what a shuffle gave."""
    found: NDArray[np.bool_] = (codes > 0) & (codes >> _REASON_SHIFT & 3 == 0)
    return found


def _is_copy_of_nothing(codes: _Codes) -> NDArray[np.bool_]:
    """Returns which codes are of what nobody has written, as it was read."""
    found: NDArray[np.bool_] = _is_unwritten(codes) & (codes & _CALCULATED == 0)
    return found


def _carried(instruction: PtxInstruction, codes: _Codes) -> _Codes:
    """Returns the codes of what an instruction makes of undefined values."""
    unwritten = _is_unwritten(codes)
    if len(instruction.operands) > 1 and isinstance(instruction.operands[1], VectorOperand):
        # Of what is put together from parts some may be defined.
        return np.where(unwritten, 0, codes) if instruction.opcode == "mov" else codes
    if instruction.opcode in _COPIES or instruction.types == (PREDICATE,):
        return codes
    calculated = 0 if instruction.opcode in _OF_BITS else codes | _CALCULATED
    return np.where(unwritten, calculated, codes)


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
