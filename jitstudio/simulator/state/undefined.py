"""Undefined values in registers: their origins, and whether anything depends on them.

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

from jitstudio.ptx.opcodes import DECIDING, PICKING_BITS, PLAIN_ACCESSES, SAME_ADDRESS, SAME_VALUE
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

_REASONS = ("the block does not have", "has exited", "the mask does not name")
_COPIES = SAME_VALUE | SAME_ADDRESS | {"selp", "ld", "st"}
# A code has, from bit 8 up, one more than the number of the instruction that gave the value; bit 7,
# whether the value has been in memory; bits 5 and 6, the reason; bits 0 to 4, the lane. Values that
# nobody has written have reason 0, and bit 0 says whether anything was calculated from them.
_NUMBER_SHIFT, _IN_MEMORY, _REASON_SHIFT, _LANE = 8, 1 << 7, 5, 31
_CALCULATED = 1
# The code of a register that nobody has written, until an instruction reads it: that instruction
# is then named as the origin (there is no other place to point to).
_NEVER_READ = 2
_Codes = NDArray[np.int32]

FrameKey = tuple[int, str]
"""The depth of a call, and the function."""


class Dependence(NamedTuple):
    """Threads whose next action depends on an undefined value.

    Attributes:
        chosen: Which of the threads of the instruction depend on it.
        source: The shuffle or the load that gave the value to the first of them.
        step: Steps before the first time that the source gave undefined values.
        thread: The thread that got one then; None for the thread that depends on it.
        reason: From which lane, in words that go on after "from"; empty for a value that nobody
            has written.
    """

    chosen: NDArray[np.bool_]
    source: PtxInstruction
    step: int
    thread: int | None
    reason: str


class _Parts(NamedTuple):
    """Sources and results of an instruction, and the names of the registers in them.

    Attributes:
        operands: The sources.
        results: The registers that it writes; of calls the parameters, too.
        names: The registers that it reads.
        guard: The register of its guard, if it has one.
        all: The names of results, sources, guard and parameter.
        parameter: The parameter that it moves to or from, and the first byte; None for none.
    """

    operands: tuple[PtxOperand, ...]
    results: list[str]
    names: list[str]
    guard: list[str]
    all: frozenset[str]
    parameter: tuple[str, int] | None = None


class UndefinedValues:
    """Codes of the registers that hold undefined values, and of the bytes of parameters.

    A code tells the origin of a value, the reason, and the lane; 0 stands for a defined value. Of
    arguments and results there is a code for each byte, in arrays of shape (threads, bytes).

    Args:
        threads: How many there are.
        without_value: The registers of each function that some way through it reads before it
            writes them.

    Attributes:
        carried: The codes of what the next store writes; None where all is defined.
        last_load: A load, and the codes of the elements it has read; None where all is defined.
    """

    def __init__(
        self, threads: int, without_value: Mapping[str, frozenset[str]] | None = None
    ) -> None:
        self._count = threads
        self._without_value = without_value or {}
        self.carried: list[_Codes] | None = None
        self.last_load: tuple[PtxInstruction, list[_Codes]] | None = None
        # A frame in which all is defined has no entry here, so `bool(self)` is cheap: most launches
        # never meet an undefined value.
        self._frames: dict[FrameKey, dict[str, _Codes]] = {}
        self._key: FrameKey = 0, ""
        self._registers: dict[str, _Codes] = {}
        # Copy on write: the arrays that no copy of this object shares.
        self._own: set[tuple[FrameKey, str]] = set()
        self._parts: dict[int, _Parts] = {}
        # By number of instruction: only the first step, and the first thread in it, are reported.
        self._sources: dict[int, tuple[PtxInstruction, int, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._frames)

    def look_at(self, key: FrameKey) -> None:
        """Chooses the frame that all later calls refer to."""
        if key != self._key:
            self._key = key
            self._registers = self._frames.get(key) or {}

    def begin(self, key: FrameKey, threads: Selection) -> None:
        """Notes that threads begin a function, of which they have written no register."""
        if names := self._without_value.get(key[1]):
            self.look_at(key)
            size = len(numbers_of(threads))
            for name in names:
                self._write(name, threads, np.full(size, _NEVER_READ, np.int32))

    def end(self, key: FrameKey, threads: Selection) -> None:
        """Notes that threads return from a function."""
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
        """Notes that threads hand arguments to a function, or its results back.

        Args:
            source: The frame they come from.
            target: The frame they go to.
            names: Registers or parameters: of the target, then of the source.
            threads: Which threads.
            values: The registers and parameters of the target.
            at: The instruction that does it, and the steps before it.
        """
        self.look_at(source)
        sources = [self._codes_of(source_name, threads, at) for _, source_name in names]
        self.look_at(target)
        for (name, _), codes in zip(names, sources, strict=True):
            if codes is None:
                self._clear(name, threads)
            elif values[name].ndim == 1:
                self._write(name, threads, codes if codes.ndim == 1 else _whole(codes))
            else:
                # A register of any width may be passed: its code is repeated for 8 bytes, the
                # widest register of PTX but .b128, and cut to the size of the parameter.
                by_byte = codes if codes.ndim == 2 else np.repeat(codes[:, None], 8, axis=1)
                resized = np.zeros((len(codes), values[name].shape[1]), np.int32)
                width = min(resized.shape[1], by_byte.shape[1])
                resized[:, :width] = by_byte[:, :width]
                self._write(name, threads, resized)

    def _codes_of(
        self, name: str, threads: Selection, at: tuple[PtxInstruction, int]
    ) -> _Codes | None:
        """Returns the codes of a register or a parameter; None where all is defined."""
        codes = self._registers.get(name)
        if codes is None or codes.ndim == 2:
            return None if codes is None else codes[threads]
        return self._read_by(*at, [name], threads)

    def copy(self) -> UndefinedValues:
        """Returns the same values, to be changed independently."""
        twin = UndefinedValues(self._count, self._without_value)
        twin._frames = {key: dict(registers) for key, registers in self._frames.items()}
        twin._registers = twin._frames.get(twin._key, {})
        self._own.clear()
        twin._sources = dict(self._sources)
        twin._parts = self._parts
        return twin

    def take(
        self,
        instruction: PtxInstruction,
        step: int,
        threads: Threads,
        others: Threads,
        reasons: NDArray[np.int64],
    ) -> None:
        """Notes the results of a shuffle.

        Args:
            instruction: The shuffle.
            step: Steps before it.
            threads: The threads that get values.
            others: For each of them the thread whose value it gets.
            reasons: For each of them 0, or why the value is undefined: 1 for a thread that the
                block does not have, 2 for one that has exited, 3 for one not named.
        """
        first, source = instruction.operands[:2]
        codes = self._read(register_names(source), others)
        codes[codes == _NEVER_READ] = 0
        if reasons.any():
            first_thread = int(threads[np.argmax(reasons > 0)])
            self._sources.setdefault(instruction.number, (instruction, step, first_thread))
            code = (instruction.number + 1) << _NUMBER_SHIFT
            undefined = (code | reasons << _REASON_SHIFT | others % WARP).astype(np.int32)
            codes = np.where(reasons > 0, undefined, codes)
        value, *predicate = first if isinstance(first, PairOperand) else (first,)
        for name in register_names(value):
            self._write(name, threads, codes)
        # The predicate says whether the lane is in range, which is defined for all threads.
        for name in register_names(VectorOperand(tuple(predicate))):
            self._write(name, threads, np.zeros_like(codes))

    def unwritten(self, instruction: PtxInstruction, step: int, thread: int) -> int:
        """Returns the code of a value that nobody has written, at the load that reads it first."""
        self._sources.setdefault(instruction.number, (instruction, step, thread))
        return (instruction.number + 1) << _NUMBER_SHIFT

    def stored(self, store: PtxInstruction, step: int, threads: Selection) -> list[_Codes] | None:
        """Returns the codes of the values that threads store; None if all of them are defined."""
        if _parameter_of(store) is not None:
            return None
        value = store.operands[1]
        parts = value.parts if isinstance(value, VectorOperand) else (value,)
        codes = [self._read_by(store, step, register_names(part), threads) for part in parts]
        return codes if any(part.any() for part in codes) else None

    def follow_load(self, instruction: PtxInstruction, threads: Selection) -> None:
        """Notes the undefined values that threads have loaded, if the instruction is a load."""
        loaded, self.last_load = self.last_load, None
        if loaded is None or instruction.opcode != "ld" or loaded[0] is not instruction:
            return
        value = instruction.operands[0]
        parts = value.parts if isinstance(value, VectorOperand) else (value,)
        for part, codes in zip(parts, loaded[1], strict=True):
            for name in register_names(part):
                self._write(name, threads, np.where(codes > 0, codes | _IN_MEMORY, 0))

    def spread(
        self,
        instruction: PtxInstruction,
        step: int,
        threads: Selection,
        values: Mapping[str, NDArray[Any]],
    ) -> Dependence | None:
        """Follows undefined values through an instruction; returns the threads that depend on any.

        Args:
            instruction: The instruction.
            step: Steps before it.
            threads: Those that execute it, their guards being true; of a branch all that come to
                it.
            values: The registers before it.
        """
        if (parts := self._parts.get(instruction.number)) is None:
            parts = self._parts[instruction.number] = _parts_of(instruction)
        # Nearly all instructions end here: no undefined value is near.
        if self._registers.keys().isdisjoint(parts.all):
            return None
        opcode, operands = instruction.opcode, parts.operands
        results, names, guard = parts.results, parts.names, parts.guard
        self._read_by(instruction, step, guard, threads)
        codes = _carried(instruction, self._read_by(instruction, step, names, threads))
        for name in results:
            result = codes
            if opcode in DECIDING:
                self._clear(name, threads)
                continue
            if opcode == "selp":
                result = self._selected(operands, threads, values)
            elif instruction.types == (PREDICATE,) and opcode in ("and", "or"):
                result = self._decided(codes, operands, opcode, threads, values)
            elif opcode == "setp":
                words = set(instruction.modifiers) & {"and", "or"}
                for word in words:
                    result = self._decided(codes, operands[2:], word, threads, values)
            self._write(name, threads, result)
        if parts.parameter:
            self._move_parameter(instruction, parts.parameter, threads, values)
        if opcode not in DECIDING or parts.parameter:
            codes = np.zeros_like(codes)
        elif opcode == "st":
            address = self._read(register_names(operands[0]), threads)
            value = self._read([n for o in operands[1:] for n in register_names(o)], threads)
            value = np.where(_is_copy_of_nothing(value), 0, value)
            visible = np.where(_is_global(instruction, threads, values), value, 0)
            codes = np.maximum(address, visible)
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
        """Returns the codes of the registers that an instruction reads, noting first reads."""
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
        """Follows values moved to or from an argument or a result, byte by byte."""
        (name, at), size = parameter, instruction.types[0].size
        is_store = instruction.opcode == "st"
        value = instruction.operands[1 if is_store else 0]
        parameter_codes = self._registers.get(name)
        parts = value.parts if isinstance(value, VectorOperand) else (value,)
        for start, part in enumerate(parts):
            place = slice(at + start * size, at + (start + 1) * size)
            names = register_names(part)
            if not is_store:
                if parameter_codes is not None and names:
                    self._write(names[0], threads, _whole(parameter_codes[threads, place]))
                continue
            codes = self._read(names, threads)
            if parameter_codes is not None or codes.any():
                whole = (
                    np.zeros(values[name].shape, np.int32)
                    if parameter_codes is None
                    else parameter_codes.copy()
                )
                whole[threads, place] = codes[:, None]
                self._write(name, slice(None), whole)
                parameter_codes = self._registers.get(name)

    def _clear(self, name: str, threads: Selection) -> None:
        if (codes := self._registers.get(name)) is not None:
            self._write(name, threads, np.zeros_like(codes[threads]))

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
        array = self._registers.get(name)
        if array is None:
            if not codes.any():
                return
            array = np.zeros((self._count, *codes.shape[1:]), np.int32)
            self._frames.setdefault(self._key, self._registers)
        elif (self._key, name) not in self._own:
            array = array.copy()
        self._registers[name] = array
        self._own.add((self._key, name))
        array[threads] = codes
        if not array.any():
            del self._registers[name]
            if not self._registers:
                del self._frames[self._key]

    def _selected(
        self, operands: tuple[PtxOperand, ...], threads: Selection, values: Mapping[str, Any]
    ) -> NDArray[np.int32]:
        """Returns the codes of the values that `selp` chooses."""
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
        """Returns the codes of results of `and` or `or`, in which an operand may decide alone."""
        for operand in predicates:
            # `false and x` is false whatever x is, and `true or x` is true.
            if isinstance(operand, RegisterOperand) and operand.name in values:
                operand_value = values[operand.name][threads] ^ operand.negated
                defined = self._read([operand.name], threads) == 0
                codes = np.where(defined & (operand_value == (word == "or")), 0, codes)
        return codes


def _parts_of(instruction: PtxInstruction) -> _Parts:
    """Returns the sources and results of an instruction that undefined values go through."""
    opcode, operands = instruction.opcode, instruction.operands
    if opcode == "shfl":
        # See `UndefinedValues.take`.
        return _Parts((), [], [], [], frozenset())
    if opcode == "call":
        # A register that holds the address of the function decides which function runs. Results are
        # handed over by `ret`, in `pass_on`.
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
    """Returns the parameter that a load or store accesses, and its first byte; None for none."""
    if instruction.opcode in PLAIN_ACCESSES and any(
        word.startswith("param") for word in instruction.modifiers
    ):
        match instruction.operands[1 if instruction.opcode == "ld" else 0]:
            case AddressOperand(SymbolOperand(name, inner), offset):
                return name, inner + offset
    return None


def _whole(codes: _Codes) -> _Codes:
    """Returns the codes of values of several bytes, which are undefined if all bytes are."""
    wholes: _Codes = np.where(codes.all(axis=1), codes.max(axis=1, initial=0), 0)
    return wholes


def _is_unwritten(codes: _Codes) -> NDArray[np.bool_]:
    """Returns which codes are of values that nobody has written, not of a shuffle."""
    unwritten: NDArray[np.bool_] = (codes > 0) & (codes >> _REASON_SHIFT & 3 == 0)
    return unwritten


def _is_copy_of_nothing(codes: _Codes) -> NDArray[np.bool_]:
    """Returns which codes are of unwritten values that were only copied."""
    copied: NDArray[np.bool_] = _is_unwritten(codes) & (codes & _CALCULATED == 0)
    return copied


def _carried(instruction: PtxInstruction, codes: _Codes) -> _Codes:
    """Returns the codes of the results that an instruction computes from undefined values."""
    unwritten = _is_unwritten(codes)
    if len(instruction.operands) > 1 and isinstance(instruction.operands[1], VectorOperand):
        # `mov.b64 %rd, {%r1, %r2}`: one of the halves may be defined.
        return np.where(unwritten, 0, codes) if instruction.opcode == "mov" else codes
    if instruction.opcode in _COPIES or instruction.types == (PREDICATE,):
        return codes
    # Some bits may be defined: in `x.bits.first` the compiler loads the whole word, of which
    # the source has written only a few bits, and masks the rest away.
    calculated = 0 if instruction.opcode in PICKING_BITS else codes | _CALCULATED
    return np.where(unwritten, calculated, codes)


def _is_global(
    store: PtxInstruction, threads: Selection, values: Mapping[str, NDArray[Any]]
) -> NDArray[np.bool_] | bool:
    """Returns which threads store to global memory, which all threads can see."""
    for word in store.modifiers:
        if word.startswith(("local", "shared", "async")):
            return False
    match store.operands[0]:
        case AddressOperand(RegisterOperand(name), offset) if "global" not in store.modifiers:
            addresses = values[name][threads].astype(np.int64) + offset
            in_global = windows_of(addresses).get(StateSpace.GLOBAL, False)
            return True if in_global is None else in_global
    return True
