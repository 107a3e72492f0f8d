"""The variables of the source at a step: the ones in scope, and their values in threads."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.debug_info import (
    DataKind,
    DataLeaf,
    DataPlace,
    DebugScope,
    DebugVariable,
)
from jitstudio.simulator.ptx.program import (
    PairOperand,
    PtxFunction,
    PtxOperand,
    PtxProgram,
    RegisterOperand,
    VectorOperand,
)
from jitstudio.simulator.state.image import Image
from jitstudio.simulator.state.memory import WRITTEN, Arena
from jitstudio.simulator.state.model import WARP, StateSpace
from jitstudio.simulator.stepping.playback import ShownWave
from jitstudio.simulator.stepping.requests import RegisterRow

MOST_PARTS = 64
"""Parts of a variable, such as elements of an array, that are shown."""

_MOST_ROWS = 1000
_FURTHEST = 1 << 40
_SPACES = {"shared": StateSpace.SHARED, "global": StateSpace.GLOBAL, "const": StateSpace.CONSTANT}


class VariableValues(NamedTuple):
    """Values of a part of a variable in threads.

    Attributes:
        data: Bytes, a row for each thread.
        known: Which threads have any value.
    """

    data: NDArray[np.uint8]
    known: NDArray[np.bool_]


class SourceVariables:
    """The variables that the debug information of a PTX text describes.

    Args:
        program: The PTX.
        image: The addresses of its variables.
    """

    def __init__(self, program: PtxProgram, image: Image) -> None:
        self._program, self._image = program, image
        self._writers: dict[str, dict[str, int]] = {}
        self._scopes: dict[int, dict[str, DebugVariable]] = {}

    @property
    def has_names(self) -> bool:
        """Whether there is debug information about variables."""
        return bool(self._program.debug_info.functions)

    def rows(self, wave: ShownWave, depth: int, at: int, first: int) -> tuple[RegisterRow, ...]:
        """Returns the rows of the variables in scope for a warp.

        Args:
            wave: The resident threads.
            depth: Of the call.
            at: The instruction.
            first: The first thread of the warp.
        """
        numbers, rows = np.arange(first, first + WARP), []
        for variable in self._in_scope(at).values():
            leaves = variable.type.leaves(variable.name)
            for leaf in islice(leaves, MOST_PARTS):
                part = self._values(wave, variable, leaf, depth, at, numbers)
                lanes = np.flatnonzero(~part.known).tolist()
                rows.append(
                    RegisterRow(
                        leaf.name,
                        _type_of(leaf),
                        part.data.tobytes(),
                        spelling=leaf.type.name,
                        absent=sum(1 << lane for lane in lanes),
                    )
                )
            if next(leaves, None) is not None:
                rows.append(_rest(variable))
            if len(rows) >= _MOST_ROWS:
                break
        return tuple(rows)

    def value(
        self, wave: ShownWave, name: str, depth: int, at: int, numbers: NDArray[np.int64]
    ) -> NDArray[np.generic]:
        """Returns the values in threads of a variable or a part of a variable, such as `p.x`.

        Where some threads have no value yet, it is a masked array.

        Raises:
            KeyError: If no variable of this name is in scope.
        """
        variable = self._in_scope(at).get(name.partition(".")[0].partition("[")[0])
        if variable is not None:
            for leaf in islice(variable.type.leaves(variable.name), MOST_PARTS):
                is_number = leaf.type.kind is not DataKind.OTHER and leaf.type.size <= 8
                if leaf.name == name and is_number:
                    part = self._values(wave, variable, leaf, depth, at, numbers)
                    # Truth values and pointers are compared as unsigned numbers.
                    letter = {"b": "u", "p": "u"}.get(leaf.type.kind.value, leaf.type.kind.value)
                    numbers_read = part.data.view(f"{letter}{leaf.type.size}")[:, 0]
                    return (
                        numbers_read
                        if part.known.all()
                        else np.ma.MaskedArray(numbers_read, ~part.known)
                    )
        raise KeyError(name)

    # Scopes and places.

    def _in_scope(self, at: int) -> dict[str, DebugVariable]:
        """Returns the variables at an instruction; inner ones hide outer ones of their name."""
        if (cached := self._scopes.get(at)) is not None:
            return cached
        instruction = self._program.instructions[at]
        function = self._program.functions[instruction.function]
        by_name: dict[str, DebugVariable] = {}
        scopes = [
            s for s in [self._program.debug_info.functions.get(function.name)] if s is not None
        ]
        while scopes:
            scope = scopes.pop()
            for variable in scope.variables:
                is_later = variable.line > instruction.source.line > 0
                # A scope lists all its variables; the ones of later lines do not exist yet.
                if variable.is_parameter or not is_later or instruction.inlined_at:
                    by_name.pop(variable.name, None)
                    by_name[variable.name] = variable
            scopes += [s for s in reversed(scope.inner) if _covers(s, function, at)]
        for variable in self._program.debug_info.variables:
            is_used = any(place.symbol in self._image.spaces for place in variable.places)
            if is_used:
                by_name.setdefault(variable.name, variable)
        self._scopes[at] = by_name
        return by_name

    def _values(
        self,
        wave: ShownWave,
        variable: DebugVariable,
        leaf: DataLeaf,
        depth: int,
        at: int,
        numbers: NDArray[np.int64],
    ) -> VariableValues:
        size = leaf.type.size if leaf.type.kind is not DataKind.OTHER else 0
        nothing = VariableValues(
            np.zeros((len(numbers), size), np.uint8), np.zeros(len(numbers), np.bool_)
        )
        function = self._program.functions[self._program.instructions[at].function]
        place = next((p for p in variable.places if _is_there(p, function, at)), None)
        if place is None or not size or not 0 <= leaf.offset + place.offset < _FURTHEST:
            return nothing
        if place.register:
            register = wave.bases.get((depth, function.name), {}).get(place.register)
            if register is None or register.dtype.itemsize < leaf.offset + size:
                return nothing
            # Before its first write a register has no value that belongs to the variable.
            if self._first_writer(function, place.register) >= at:
                return nothing
            data = register[numbers].reshape(len(numbers), -1).view(np.uint8)
            part = data[:, leaf.offset : leaf.offset + size]
            known = wave.has_written(depth, function, place.register, numbers)
            return VariableValues(np.ascontiguousarray(part), known)
        where = self._where(wave, function, place, depth, numbers)
        if where is None:
            return nothing
        arena, starts = where
        offsets = (starts + leaf.offset)[:, None] + np.arange(size)
        if not len(numbers) or offsets.min() < 0 or offsets.max() >= len(arena.data):
            return nothing
        known = (arena.state[offsets] == WRITTEN).all(axis=1)
        return VariableValues(arena.data[offsets], known)

    def _where(
        self,
        wave: ShownWave,
        function: PtxFunction,
        place: DataPlace,
        depth: int,
        numbers: NDArray[np.int64],
    ) -> tuple[Arena, NDArray[np.int64]] | None:
        """Returns the memory that holds a variable, and its start for each thread."""
        image = self._image
        local = image.locals.get(function.name, {}).get(place.symbol)
        if local is not None:
            if depth >= len(wave.stacks):
                return None
            # The arena holds the local memory of all threads, `local_stride` apart.
            starts = wave.stacks[depth][numbers] + numbers * wave.local_stride
            return wave.arenas[StateSpace.LOCAL], starts + local + place.offset
        space = _SPACES.get(image.spaces.get(place.symbol, ""))
        if space is None:
            return None
        arena = wave.arenas[space]
        start = arena.offset_of(image.addresses[place.symbol] + place.offset)
        starts = np.full(len(numbers), start, np.int64)
        if space is StateSpace.SHARED:
            starts += numbers // (wave.layout.warps_per_block * WARP) * wave.layout.shared_stride
        return arena, starts

    def _first_writer(self, function: PtxFunction, register: str) -> int:
        """Returns the first instruction of a function that writes a register."""
        writers = self._writers.get(function.name)
        if writers is None:
            writers = self._writers[function.name] = {}
            for instruction in self._program.instructions[function.start : function.end]:
                for name in _registers(instruction.operands[0]) if instruction.operands else ():
                    writers.setdefault(name, instruction.number)
        return writers.get(register, -1)


def _rest(variable: DebugVariable) -> RegisterRow:
    """Returns a row for the parts of a variable that are not shown."""
    every = (1 << WARP) - 1
    return RegisterRow(f"{variable.name}…", "", b"", spelling=variable.type.name, absent=every)


def _type_of(leaf: DataLeaf) -> str:
    kind, bits = leaf.type.kind, 8 * leaf.type.size
    match kind:
        case DataKind.TRUTH:
            return "pred"
        case DataKind.POINTER:
            return "ptr"
        case DataKind.SIGNED:
            return f"s{bits}"
        case DataKind.OTHER:
            return ""
    return f"{kind.value}{bits}"


def _covers(scope: DebugScope, function: PtxFunction, at: int) -> bool:
    """Returns whether an instruction is in a block."""
    begin, end = function.labels.get(scope.begin), function.labels.get(scope.end)
    return begin is not None and end is not None and begin <= at < end


def _is_there(place: DataPlace, function: PtxFunction, at: int) -> bool:
    """Returns whether a place holds a variable at an instruction."""
    begin = function.labels.get(place.begin, function.end) if place.begin else function.start
    end = function.labels.get(place.end, function.end) if place.end else function.end
    return begin <= at < end


def _registers(operand: PtxOperand) -> list[str]:
    match operand:
        case RegisterOperand(name):
            return [name]
        case VectorOperand(parts):
            return [name for part in parts for name in _registers(part)]
        case PairOperand(first, second):
            return _registers(first) + _registers(second)
    return []
