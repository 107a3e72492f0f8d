"""Undefined values in registers: where they come from, and whether anything depends on them.

A shuffle gives an undefined value where it takes that of a lane which has exited, is not there, or
is not named by the mask (PTX ISA, ``shfl.sync``; CUDA C++ Programming Guide, "Warp Shuffle
Functions"). To have one is allowed: in a reduction those lanes get some whose sums nobody wants. So
they are followed through the registers of the kernel and of the functions that it calls, through
arguments and results, and through shared and local memory, to where global memory, an address, an
atomic, a branch or a vote depends on one. What is read in part only is taken for defined.

Registers that nobody has written are read by right code, too, and in builds for a debugger local
memory: it copies variables that have no value yet, structures with their padding, and bit fields as
whole words. What is read there is undefined until bits of it are masked or moved, and a copy of it
in global memory means nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import (
    AddressOperand,
    PairOperand,
    PtxInstruction,
    PtxOperand,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
    register_names,
    result_names,
    source_operands,
)
from jitstudio.simulator.ptx.types import PREDICATE
from jitstudio.simulator.state.groups import Selection, numbers_of
from jitstudio.simulator.state.memory import windows_of
from jitstudio.simulator.state.model import WARP, StateSpace, Threads

# What these do with a value can be seen, or decides what else is done.
_DECIDING = frozenset(
    ["st", "sust", "red", "atom", "bra", "brx", "call", "vote", "match", "redux", "bar", "ld"]
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

FrameKey = tuple[int, str]
"""The depth of a call, and the function."""


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
    """The sources of an instruction, and the names of the registers in it.

    Attributes:
        operands: The sources.
        results: The registers that it writes; of calls the parameters, too.
        names: The registers that it reads.
        guard: That of its guard.
        all: All of them.
        parameter: The parameter that it moves to or from, and the first byte; None for none.
    """

    operands: tuple[PtxOperand, ...]
    results: list[str]
    names: list[str]
    guard: list[str]
    all: frozenset[str]
    parameter: tuple[str, int] | None = None


class UndefinedValues:
    """Which registers hold undefined values, and which bytes of arguments and results.

    A value is described by a number: where it comes from, the reason, and the lane; 0 for a value
    that is defined. Of parameters there is one for each byte, in arrays of shape (threads, bytes).

    Args:
        threads: How many there are.
        without_value: The registers of each function that some way through it reads before it
            writes them.

    Attributes:
        carried: The codes of what the next store writes; None where all is defined.
        found: A load, and the codes of what it has read; None likewise.
    """

    def __init__(
        self, threads: int, without_value: Mapping[str, frozenset[str]] | None = None
    ) -> None:
        self._count = threads
        self._without_value = without_value or {}
        self.carried: list[_Codes] | None = None
        self.found: tuple[PtxInstruction, list[_Codes]] | None = None
        # Frames in which all is defined are not there, but for the one that is looked at.
        self._frames: dict[FrameKey, dict[str, _Codes]] = {}
        self._key: FrameKey = 0, ""
        self._registers: dict[str, _Codes] = {}
        # Those that no copy of this has, too.
        self._own: set[tuple[FrameKey, str]] = set()
        self._parts: dict[int, _Parts] = {}
        # By number of instruction: the first step is all that is told, and the first thread in it.
        self._sources: dict[int, tuple[PtxInstruction, int, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._frames)

    def look_at(self, key: FrameKey) -> None:
        """Chooses the frame that is meant from now on."""
        if key != self._key:
            self._key = key
            self._registers = self._frames.get(key) or {}

    def begin(self, key: FrameKey, threads: Selection) -> None:
        """Takes note that threads begin a function, of which they have written no register."""
        if names := self._without_value.get(key[1]):
            self.look_at(key)
            size = len(numbers_of(threads))
            for name in names:
                self._write(name, threads, np.full(size, _NEVER_READ, np.int32))

    def end(self, key: FrameKey, threads: Selection) -> None:
        """Takes note that threads return from a function."""
        if key in self._frames:
            self.look_at(key)
            for name in list(self._registers):
                self._clear(name, threads)

    def pass_on(
        self,
        source: FrameKey,
        target: FrameKey,
        names: Sequence[tuple[str, str]],
        threads: Selection,
        values: Mapping[str, NDArray[Any]],
        at: tuple[PtxInstruction, int],
    ) -> None:
        """Takes note that threads hand arguments to a function, or its results back.

        Args:
            source: Whose.
            target: To whom.
            names: Registers or parameters: of the target, then of the source.
            threads: Which threads.
            values: The registers and parameters of the target.
            at: The instruction that does it, and the steps before it.
        """
        self.look_at(source)
        given = [self._given(own, threads, at) for _, own in names]
        self.look_at(target)
        for (name, _), codes in zip(names, given, strict=True):
            if codes is None:
                self._clear(name, threads)
            elif values[name].ndim == 1:
                self._write(name, threads, codes if codes.ndim == 1 else _whole(codes))
            else:
                # A register may be as wide; how many bytes it has is said by who reads them.
                each = codes if codes.ndim == 2 else np.repeat(codes[:, None], 8, axis=1)
                made = np.zeros((len(codes), values[name].shape[1]), np.int32)
                width = min(made.shape[1], each.shape[1])
                made[:, :width] = each[:, :width]
                self._write(name, threads, made)

    def _given(
        self, name: str, threads: Selection, at: tuple[PtxInstruction, int]
    ) -> _Codes | None:
        """Returns the codes of a register or a parameter; None where all is defined."""
        held = self._registers.get(name)
        if held is None or held.ndim == 2:
            return None if held is None else held[threads]
        return self._read_by(*at, [name], threads)

    def copy(self) -> UndefinedValues:
        """Returns the same values, to be changed on their own."""
        other = UndefinedValues(self._count, self._without_value)
        other._frames = {key: dict(registers) for key, registers in self._frames.items()}
        other._registers = other._frames.get(other._key, {})
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
        codes = self._read(register_names(source), others)
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
        """Returns the codes of what threads store to memory; None if all of it is defined."""
        if _parameter_of(store) is not None:
            return None
        value = store.operands[1]
        parts = value.parts if isinstance(value, VectorOperand) else (value,)
        codes = [self._read_by(store, step, register_names(part), threads) for part in parts]
        return codes if any(each.any() for each in codes) else None

    def follow_found(self, instruction: PtxInstruction, threads: Selection) -> None:
        """Takes note of the undefined values that threads have loaded, if it was a load."""
        found, self.found = self.found, None
        if found is None or instruction.opcode != "ld" or found[0] is not instruction:
            return
        value = instruction.operands[0]
        parts = value.parts if isinstance(value, VectorOperand) else (value,)
        for part, codes in zip(parts, found[1], strict=True):
            for name in register_names(part):
                self._write(name, threads, np.where(codes > 0, codes | _IN_MEMORY, 0))

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
                self._clear(name, threads)
                continue
            if opcode == "selp":
                kept = self._selected(operands, threads, values)
            elif instruction.types == (PREDICATE,) and opcode in ("and", "or"):
                kept = self._decided(codes, operands, opcode, threads, values)
            elif opcode == "setp":
                words = set(instruction.modifiers) & {"and", "or"}
                for word in words:
                    kept = self._decided(codes, operands[2:], word, threads, values)
            self._write(name, threads, kept)
        if parts.parameter:
            self._move_parameter(instruction, parts.parameter, threads, values)
        if opcode not in _DECIDING or parts.parameter:
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

    def _move_parameter(
        self,
        instruction: PtxInstruction,
        parameter: tuple[str, int],
        threads: Selection,
        values: Mapping[str, NDArray[Any]],
    ) -> None:
        """Follows what is moved to or from an argument or a result, byte by byte."""
        (name, at), size = parameter, instruction.types[0].size
        is_store = instruction.opcode == "st"
        value = instruction.operands[1 if is_store else 0]
        held = self._registers.get(name)
        parts = value.parts if isinstance(value, VectorOperand) else (value,)
        for start, part in enumerate(parts):
            place = slice(at + start * size, at + (start + 1) * size)
            names = register_names(part)
            if not is_store:
                if held is not None and names:
                    self._write(names[0], threads, _whole(held[threads, place]))
                continue
            codes = self._read(names, threads)
            if held is not None or codes.any():
                whole = np.zeros(values[name].shape, np.int32) if held is None else held.copy()
                whole[threads, place] = codes[:, None]
                self._write(name, slice(None), whole)
                held = self._registers.get(name)

    def _clear(self, name: str, threads: Selection) -> None:
        if (held := self._registers.get(name)) is not None:
            self._write(name, threads, np.zeros_like(held[threads]))

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
            held = np.zeros((self._count, *codes.shape[1:]), np.int32)
            self._frames.setdefault(self._key, self._registers)
        elif (self._key, name) not in self._own:
            held = held.copy()
        self._registers[name] = held
        self._own.add((self._key, name))
        held[threads] = codes
        if not held.any():
            del self._registers[name]
            if not self._registers:
                del self._frames[self._key]

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
        # Which function it is depends on the register; what it returns is handed on by `ret`.
        results, names = _names_in(operands[0]), register_names(operands[1])
        guard = [] if instruction.guard is None else [instruction.guard.name]
        return _Parts((), results, names, guard, frozenset((*results, *names, *guard)))
    parameter = _parameter_of(instruction)
    results, operands = result_names(instruction), source_operands(instruction)
    guard = [] if instruction.guard is None else [instruction.guard.name]
    names = [name for operand in operands for name in register_names(operand)]
    every = frozenset((*results, *names, *guard, *(parameter or ())[:1]))
    return _Parts(operands, results, names, guard, every, parameter)


def _names_in(results: PtxOperand) -> list[str]:
    """Returns the registers and the parameters that take the results of a call."""
    parts = results.parts if isinstance(results, VectorOperand) else ()
    symbols = [part.name for part in parts if isinstance(part, SymbolOperand)]
    return register_names(results) + symbols


def _parameter_of(instruction: PtxInstruction) -> tuple[str, int] | None:
    """Returns the parameter that an instruction moves to or from, and the first byte of it."""
    if instruction.opcode in ("ld", "st") and any(
        word.startswith("param") for word in instruction.modifiers
    ):
        match instruction.operands[1 if instruction.opcode == "ld" else 0]:
            case AddressOperand(SymbolOperand(name, inner), offset):
                return name, inner + offset
    return None


def _whole(codes: _Codes) -> _Codes:
    """Returns the codes of values of several bytes, which are undefined if all bytes are."""
    found: _Codes = np.where(codes.all(axis=1), codes.max(axis=1, initial=0), 0)
    return found


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
