"""The instructions that values originate from, to find doubles that could be single precision."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

from jitstudio.analysis.control_flow import BasicBlock, FlowGraph
from jitstudio.analysis.findings.lanes import is_widening
from jitstudio.analysis.findings.warp import LITERAL_BANKS
from jitstudio.analysis.sass.model import FunctionPart, SassFunction
from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.operands import (
    GENERAL,
    NONE,
    STACK_POINTER,
    DecodedOperands,
    guard,
    is_predicate,
    is_uniform,
    numbers,
)

OUTSIDE = -1
"""Represents a writer outside of the function."""

_TO_SINGLE = re.compile(r"F2F(?:\.\w+)*\.F32\.F64\b")
# Routines that ptxas adds for divisions, roots and the like are not the author's.
_LIBRARY = re.compile(r"__internal_|__cuda_sm\d")
# Opcodes whose results are whole numbers, or values of another thread.
_FOREIGN = frozenset(("S2R", "S2UR", "CS2R", "I2F", "SHFL"))
# Functions of the library look up their coefficients, two at a time.
_TABLE = "LDG.E.128.CONSTANT"


class _Call(NamedTuple):
    """A call of a library routine, by registers."""

    reads: frozenset[int]
    writes: frozenset[int]


def is_of_library(part: FunctionPart) -> bool:
    """Returns whether a part is a library routine that ptxas adds."""
    return _LIBRARY.search(part.name) is not None


def is_narrowing(opcode: str) -> bool:
    """Returns whether an opcode converts double precision to single precision."""
    return _TO_SINGLE.match(opcode) is not None


class ValueOrigins:
    """Finds the instructions that the values of a function originate from.

    Args:
        function: The code.
        graph: The blocks of the code.
        forms: The operands of each instruction.
    """

    def __init__(
        self, function: SassFunction, graph: FlowGraph, forms: Sequence[DecodedOperands]
    ) -> None:
        self._function = function
        self._graph = graph
        self._forms = forms
        self._calls = dict(_library_calls(function, forms))
        # A kernel begins with empty registers; other functions begin with arguments in theirs.
        self._entries = {
            block.id
            for block in graph.blocks
            if block.is_entry and not (function.is_kernel and block.start == 0)
        }
        self._parents: dict[int, frozenset[int]] = {}
        self._starts: dict[int, Mapping[int, frozenset[int]]] = {}

    def ancestors(self, ends: Iterable[int]) -> dict[int, frozenset[int]]:
        """Returns all instructions that the operands of `ends` originate from, with their parents.

        The search stops at a change of precision.
        """
        first = frozenset(ends)
        ancestors: dict[int, frozenset[int]] = {}
        todo = list(first)
        visited = {OUTSIDE, *first}
        while todo:
            index = todo.pop()
            is_end = index not in first and self._changes_precision(index)
            ancestors[index] = frozenset() if is_end else self.parents(index)
            new = ancestors[index] - visited
            todo += new
            visited |= new
        return ancestors

    def singles(self, ends: Iterable[int]) -> set[int]:
        """Returns the ancestors made of single precision and literals only.

        A sum over the passes of a loop is not among them: adding up in double precision is
        intended.
        """
        parents = self.ancestors(ends)
        children: dict[int, list[int]] = defaultdict(list)
        for index, of_index in parents.items():
            for parent in of_index:
                children[parent].append(index)
        # An instruction that waits for itself never has its turn.
        missing = {index: len(of_index) for index, of_index in parents.items()}
        todo = [index for index, count in missing.items() if not count]
        singles: set[int] = set()
        while todo:
            index = todo.pop()
            if self._changes_precision(index) or not self._is_foreign(index):
                singles.add(index)
                for child in children[index]:
                    missing[child] -= 1
                    todo += [] if missing[child] else [child]
        return singles

    def parents(self, index: int) -> frozenset[int]:
        """Returns the instructions that may have written the operands of an instruction."""
        if index not in self._parents:
            writers = (self.writers(index, register) for register in self._read(index))
            self._parents[index] = frozenset().union(*writers)
        return self._parents[index]

    def behind(self, index: int, *registers: int) -> frozenset[int]:
        """Returns all origins of an instruction's operands, predicates and addresses included.

        Args:
            index: The instruction.
            registers: The registers whose origins are meant; none for all that are read.

        Returns:
            Instructions, and `OUTSIDE` where the function does not show the origin.
        """
        todo = [(index, register) for register in registers or self._all_read(index)]
        origins: set[int] = set()
        while todo:
            for writer in self.writers(*todo.pop()) - origins:
                origins.add(writer)
                if writer != OUTSIDE:
                    todo += [(writer, register) for register in self._all_read(writer)]
        return frozenset(origins)

    def _all_read(self, index: int) -> Iterator[int]:
        yield from numbers(self._forms[index].reads)
        if (condition := guard(self._function.predicates[index])) != NONE:
            yield condition

    def _changes_precision(self, index: int) -> bool:
        opcode = self._function.opcodes[index]
        return is_widening(opcode) or is_narrowing(opcode)

    def _is_foreign(self, index: int) -> bool:
        """Returns whether an instruction has a source that is no literal nor single precision."""
        opcode = self._function.opcodes[index]
        form = self._forms[index]
        if stem(opcode) == "CALL":
            return index not in self._calls
        if stem(opcode) in _FOREIGN:
            return all(source.text != "SRZ" for source in form.sources)
        if form.address is not None:
            return not opcode.startswith(_TABLE)
        return any(source.bank not in (NONE, *LITERAL_BANKS) for source in form.sources)

    def _read(self, index: int) -> Iterator[int]:
        """Yields the general and uniform registers that an instruction reads."""
        if index in self._calls:
            yield from self._calls[index].reads
            return
        form = self._forms[index]
        yield from numbers(form.reads & GENERAL)
        # Registers of an address tell the place of a value, not its origin.
        plain = {source.register for source in form.sources}
        for use in form.uses:
            shared = is_uniform(use.register) and not is_predicate(use.register)
            if shared and use.register in plain and not use.is_result:
                yield from range(use.register, use.register + use.size)

    @cached_property
    def _written_at(self) -> dict[int, list[int]]:
        """The instructions that write each register; for `NONE` calls that may write all."""
        writers: dict[int, list[int]] = defaultdict(list)
        for index, form in enumerate(self._forms):
            written: Iterable[int] = form.written
            if stem(self._function.opcodes[index]) == "CALL":
                written = self._calls[index].writes if index in self._calls else (NONE,)
            for register in written:
                writers[register].append(index)
        return {
            register: sorted({*indices, *writers.get(NONE, ())})
            for register, indices in writers.items()
        }

    def _latest(self, register: int, start: int, end: int) -> Iterator[int]:
        """Yields the instructions of a range that write a register, or may, the last first."""
        indices = self._written_at.get(register) or self._written_at.get(NONE, [])
        for at in range(bisect_left(indices, end) - 1, bisect_left(indices, start) - 1, -1):
            yield indices[at]

    def writers(self, index: int, register: int) -> frozenset[int]:
        """Returns the possible last writers of a register that an instruction reads."""
        graph = self._graph
        block = graph.block_at(index)
        if block is None:
            return frozenset((OUTSIDE,))
        condition = self._function.predicates[index]
        last_writers, is_sure = self._last_in(block, index, register, condition)
        return last_writers if is_sure else last_writers | self._at_starts(register)[block.id]

    def _at_starts(self, register: int) -> Mapping[int, frozenset[int]]:
        """Returns the instructions that may have written a register last before each block.

        A jump under a condition has also run the instructions under that condition.
        """
        if register in self._starts:
            return self._starts[register]
        graph = self._graph
        outside = frozenset((OUTSIDE,))
        before: defaultdict[int, frozenset[int]] = defaultdict(frozenset)
        before.update(dict.fromkeys(self._entries, outside))
        writers = (graph.block_at(index) for index in self._latest(register, 0, len(self._forms)))
        queued = self._entries | {block.id for block in writers if block is not None}
        # In the order of the code most blocks have their turn but once.
        todo = sorted(queued)
        while todo:
            block = graph.blocks[heappop(todo)]
            queued.discard(block.id)
            jump = self._function.predicates[block.end - 1]
            for target in graph.successors[block.id]:
                condition = jump if target != block.id + 1 else ""
                last_writers, is_sure = self._last_in(block, block.end, register, condition)
                behind = last_writers if is_sure else last_writers | before[block.id]
                if not behind <= before[target]:
                    before[target] |= behind
                    if target not in queued:
                        queued.add(target)
                        heappush(todo, target)
        self._starts[register] = before
        return before

    def _last_in(
        self, block: BasicBlock, end: int, register: int, condition: str = ""
    ) -> tuple[frozenset[int], bool]:
        """Returns the possible last writers of a register in a block; and whether any surely wrote.

        Only threads with this condition are considered.
        """
        writers: set[int] = set()
        predicates = self._function.predicates
        for index in self._latest(register, block.start, end):
            writers.add(index)
            if predicates[index] not in ("", condition):
                continue
            changes = self._latest(guard(condition), index, end) if condition else iter(())
            if not predicates[index] or next(changes, NONE) == NONE:
                return frozenset(writers), True
        return frozenset(writers), False


def _library_calls(
    function: SassFunction, forms: Sequence[DecodedOperands]
) -> Iterator[tuple[int, _Call]]:
    parts = {part.name: part for part in function.parts if is_of_library(part)}
    for index in range(function.code_length):
        part = parts.get(function.operands[index].strip("`() "))
        if part is not None and stem(function.opcodes[index]) == "CALL":
            reads: set[int] = set()
            writes: set[int] = set()
            for form in forms[part.start : part.end]:
                reads.update(r for r in numbers(form.reads & GENERAL) if r not in writes)
                writes.update(form.written)
            yield index, _Call(frozenset(reads - {STACK_POINTER}), frozenset(writes))
