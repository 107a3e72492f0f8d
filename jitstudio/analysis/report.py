"""A kernel in numbers: resources, and the counts of instructions by class."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from jitstudio.analysis.sass.model import WORD_BYTES, LiveRegisters, SassFunction
from jitstudio.analysis.sass.opcodes import InstructionClass, OpcodeGroup, Space, class_of
from jitstudio.analysis.sass.pressure import live_gprs, peaks
from jitstudio.core.result import Resources

_GROUPS = {group: place for place, group in enumerate(OpcodeGroup)}
_SPACES = {space: place for place, space in enumerate(Space)}
_WIDTH = len(LiveRegisters._fields)
# An addition of a constant to zero: ptxas has the half-precision unit load constants.
_LOADS_CONSTANT = "HFMA2"
_ZEROS = "-RZ, RZ, "
# `CALL.ABS.NOINC `(_Z10activationf)`, of a function in a section of its own.
_CALLED = re.compile(r"`\(([^()+\s]+)\)")


@dataclass(frozen=True)
class ClassCount:
    """The count of a function's instructions of a class."""

    kind: InstructionClass
    count: int


@dataclass(frozen=True)
class KernelReport:
    """A kernel in numbers.

    Attributes:
        name: The lowered name.
        resources: The resources needed of a multiprocessor.
        instructions: Instructions, without the filling of the last cache line.
        code_bytes: The size of the section, with all filling.
        counts: The counts of all classes that occur, in the order of the groups.
        peak: The most registers of each kind that are alive at once; None where it is unknown.
        peak_indices: The places with most general registers alive: of a run of instructions the
            first.
        callees: The lowered names of the functions with code of their own that are called by name.
    """

    name: str
    resources: Resources
    instructions: int
    code_bytes: int
    counts: tuple[ClassCount, ...]
    peak: LiveRegisters | None
    peak_indices: tuple[int, ...]
    callees: frozenset[str] = frozenset()

    @property
    def groups(self) -> dict[OpcodeGroup, int]:
        """The instructions of each group, 0 for groups without any."""
        counts = dict.fromkeys(OpcodeGroup, 0)
        for class_count in self.counts:
            counts[class_count.kind.group] += class_count.count
        return counts


def report(function: SassFunction, resources: Resources | None) -> KernelReport:
    """Returns a function in numbers.

    Args:
        function: The function.
        resources: The resources that tools report; None where no tool does.
    """
    return KernelReport(
        name=function.name,
        resources=resources or Resources(),
        instructions=function.code_length,
        code_bytes=len(function) * WORD_BYTES,
        counts=tuple(
            ClassCount(kind, count)
            for kind, count in sorted(_counted(function).items(), key=lambda item: _place(item[0]))
        ),
        peak=_peak(function),
        peak_indices=_highest(function),
        callees=frozenset(_callees(function)),
    )


def _callees(function: SassFunction) -> Iterator[str]:
    for opcode, operands in zip(function.opcodes, function.operands, strict=True):
        if opcode.startswith("CALL") and (match := _CALLED.search(operands)):
            yield match[1]


def _counted(function: SassFunction) -> Counter[InstructionClass]:
    counts: Counter[InstructionClass] = Counter()
    for opcode, count in Counter(islice(function.opcodes, function.code_length)).items():
        counts[class_of(opcode)] += count
    for opcode in _constants(function):
        counts[class_of(opcode)] -= 1
        counts[InstructionClass(OpcodeGroup.MOVE)] += 1
    return +counts


def _constants(function: SassFunction) -> Iterator[str]:
    rows = zip(function.opcodes, function.operands, strict=True)
    for opcode, operands in islice(rows, function.code_length):
        if opcode.startswith(_LOADS_CONSTANT) and _ZEROS in operands:
            yield opcode


def _place(kind: InstructionClass) -> tuple[int, int, bool, bool, str, int]:
    return (
        _GROUPS[kind.group],
        _SPACES[kind.space] if kind.space else 0,
        kind.is_atomic,
        kind.is_store,
        kind.precision,
        kind.bits or 0,
    )


def _highest(function: SassFunction) -> tuple[int, ...]:
    heights = live_gprs(function)
    top = max(heights, default=0)
    return tuple(index for index in peaks(function) if heights[index] == top)


def _peak(function: SassFunction) -> LiveRegisters | None:
    if not function.live:
        return None
    return LiveRegisters(*(max(function.live[column::_WIDTH]) for column in range(_WIDTH)))
