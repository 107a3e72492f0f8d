"""A simulated run compared with the machine code, which a GPU executes in place of the PTX.

The simulator runs PTX. ptxas merges neighbouring accesses, keeps arrays in registers, executes
short branches by predicates and combines atomics of a warp: a change of the source that the counts
of the PTX call for would change something else then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from jitstudio.analysis.findings.measured import measured
from jitstudio.analysis.sass.model import Instruction, SassFunction, SourceLocation
from jitstudio.analysis.sass.opcodes import Space, class_of, stem
from jitstudio.core.launch.simulation import AccessKind, AccessSample, Simulation, StateSpace

_SPACES = {
    StateSpace.GLOBAL: (Space.GLOBAL, Space.GENERIC),
    StateSpace.SHARED: (Space.SHARED, Space.DISTRIBUTED, Space.GENERIC),
    StateSpace.LOCAL: (Space.LOCAL, Space.GENERIC),
}
_MATRIX = frozenset({"LDSM", "STSM"})
_WIDEST = 16
_BRANCHES = frozenset({"BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "RET", "EXIT", "BREAK"})
_SELECTS = frozenset({"SEL", "FSEL", "USEL", "UFSEL", "DSEL"})
_PREDICATE = re.compile(r"\bU?P[0-7T]\b")
_TRUE = frozenset({"PT", "UPT"})
_WRITTEN = 2
"""The operands that a comparison writes: a predicate, and its contrary."""

_VOTES, _POPULATION = frozenset({"VOTE", "VOTEU"}), frozenset({"POPC", "UPOPC"})
_REDUCTIONS = frozenset({"REDUX", "CREDUX"})

_OTHERWISE = (
    "SASS accesses {space} memory otherwise {here} ({accesses}) than the PTX that was "
    "counted, so that no change can be advised by these counts."
)
_COMBINED = (
    "SASS combines the lanes of a warp {here} ({accesses}) before one of them updates the address."
)
_AT_LINE, _IN_KERNEL = "at this line", "in this kernel"

_Place = SourceLocation | None


def is_to_compare(simulation: Simulation) -> bool:
    """Returns whether a run advises anything that may be wrong for the machine code."""
    return any(sample.advice for sample in simulation.samples) or bool(measured(simulation))


def as_executed(simulation: Simulation, functions: Sequence[SassFunction]) -> Simulation:
    """Returns a run, marked where the machine code differs from the PTX that was run.

    Args:
        simulation: The run.
        functions: The machine code of the kernel, and of the functions that it may call.
    """
    code = _Code(functions)
    return replace(
        simulation,
        samples=tuple(_compared(sample, simulation.samples, code) for sample in simulation.samples),
        is_read=True,
        unbranched=tuple(dict.fromkeys(_unbranched(simulation, code))),
    )


class _Code:
    """The instructions of functions, by source line."""

    def __init__(self, functions: Iterable[SassFunction]) -> None:
        self._all: list[_Executed] = []
        self._at: dict[SourceLocation, list[_Executed]] = {}
        for function in functions:
            code = tuple(function)
            for index, instruction in enumerate(code):
                here = _Executed(code, index)
                self._all.append(here)
                for place in instruction.places[:1]:
                    self._at.setdefault(place, []).append(here)

    def at(self, place: _Place) -> Sequence[_Executed]:
        """Returns the instructions of a line, or all instructions for None."""
        return self._all if place is None else self._at.get(place, ())


class _Executed(NamedTuple):
    """An instruction with all instructions of the function."""

    code: tuple[Instruction, ...]
    number: int

    @property
    def opcode(self) -> str:
        """The opcode with all modifiers."""
        return self.code[self.number].opcode

    @property
    def compares(self) -> bool:
        """Whether the instruction sets predicates."""
        return stem(self.opcode).endswith("SETP")

    def may_leap(self) -> bool:
        """Returns whether the comparison may decide where threads go on.

        It does not where only selects and the guards of other instructions use it.
        """
        written = set(_predicates(self.code[self.number].operands)[:_WRITTEN]) - _TRUE
        for later in self.code[self.number + 1 :]:
            name, named = stem(later.opcode), _predicates(later.operands)
            sets = name.endswith("SETP")
            reads = named[_WRITTEN:] if sets else named
            if written & set(reads) and name not in _SELECTS:
                return True
            if later.predicate.lstrip("@!") in written and name in _BRANCHES:
                return True
            if sets and not later.predicate:
                written -= set(named[:_WRITTEN])
            if not written:
                return False
        return False


def _predicates(operands: str) -> list[str]:
    """Returns the predicates among operands, in order, PT and UPT included."""
    return _PREDICATE.findall(operands)


def _place_of(sample: AccessSample) -> _Place:
    place = sample.place
    return SourceLocation(place.file, place.line) if place.line else None


def _compared(sample: AccessSample, samples: Sequence[AccessSample], code: _Code) -> AccessSample:
    """Returns an access, marked if the machine code has another access there."""
    if sample.space not in _SPACES or sample.size > _WIDEST:
        return replace(sample, is_read=True)
    place = _place_of(sample)
    here = _IN_KERNEL if place is None else _AT_LINE
    opcodes = [instruction.opcode for instruction in code.at(place)]
    combining = tuple(_combining(opcodes)) if sample.kind is AccessKind.ATOMIC else ()
    if combining and place is not None:
        words = _COMBINED.format(here=here, accesses=_listed(combining))
        return replace(sample, is_read=True, otherwise=words)
    accesses = [opcode for opcode in opcodes if _is_in(opcode, sample.space)]
    in_ptx = Counter(
        other.size
        for other in samples
        if other.space is sample.space and (place is None or _place_of(other) == place)
    )
    words = ""
    if not _agree(in_ptx, accesses):
        words = _OTHERWISE.format(
            space=sample.space.value, here=here, accesses=_listed(accesses) or "not at all"
        )
    return replace(sample, is_read=True, otherwise=words)


def _is_in(opcode: str, space: StateSpace) -> bool:
    """Returns whether an opcode may access a memory; copies to shared memory access two."""
    kind = class_of(opcode)
    if not (kind.is_load or kind.is_store or kind.is_atomic):
        return False
    copies = space is StateSpace.SHARED and kind.is_load and kind.is_store
    return copies or kind.space in _SPACES[space]


def _agree(in_ptx: Counter[int], accesses: Sequence[str]) -> bool:
    """Returns whether the machine code has all accesses of the PTX, in the same widths.

    There may be more, as of unrolled loops and of atomic operations, which load in a loop around
    `cas`. Fewer are merged, kept in registers or at another line, of which nothing is known.
    """
    if any(stem(opcode) in _MATRIX for opcode in accesses):
        return True
    in_sass = Counter((class_of(opcode).bits or 0) // 8 for opcode in accesses)
    return in_sass.keys() == in_ptx.keys() and in_sass >= in_ptx


def _combining(opcodes: Iterable[str]) -> Iterator[str]:
    """Yields the opcodes that combine the lanes of a warp before an atomic operation."""
    by_stem = {stem(opcode): opcode for opcode in opcodes}
    yield from (by_stem[name] for name in sorted(_REDUCTIONS & by_stem.keys()))
    if _VOTES & by_stem.keys() and _POPULATION & by_stem.keys():
        yield from (by_stem[name] for name in sorted((_VOTES | _POPULATION) & by_stem.keys()))


def _unbranched(simulation: Simulation, code: _Code) -> Iterator[tuple[str, int]]:
    """Yields the lines with a branch in the PTX and predicates in the machine code."""
    for line in simulation.lines:
        if not (line.divergent and line.line):
            continue
        here = code.at(SourceLocation(line.file, line.line))
        compared = [instruction for instruction in here if instruction.compares]
        if not compared or any(stem(instruction.opcode) in _BRANCHES for instruction in here):
            continue
        if not any(instruction.may_leap() for instruction in compared):
            yield line.file, line.line


def _listed(opcodes: Iterable[str]) -> str:
    return ", ".join(f"{count} {opcode}" for opcode, count in sorted(Counter(opcodes).items()))
