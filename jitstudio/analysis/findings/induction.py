"""The change of registers between consecutive passes of a loop.

A change is a `Lane`, with passes of the loop in place of threads: a register that each pass
adds 4 to has a step of 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.lanes import ANY, SAME, THREAD, Lane, literal, result, step
from jitstudio.analysis.findings.warp import value_of
from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.operands import NONE, Operand

# Opcodes that move, add and read parameters. Other shifts, and masks, need threads: a warp begins
# at a multiple of 32.
_LINEAR = frozenset(
    (
        *("MOV", "UMOV", "MOV32I", "IADD", "IADD3", "IADD32I", "VIADD", "UIADD3", "IMAD", "UIMAD"),
        *("LEA", "ULEA", "LDC", "ULDC", "LDCU"),
    )
)
# Copies and sums that a value may come through in a pass.
_DEPTH = 4
_WORD = 1 << 32


class Induction:
    """The changes that a pass of a loop makes to registers.

    Args:
        facts: The function.
        number: The loop's index among those of its graph.
    """

    def __init__(self, facts: FunctionFacts, number: int) -> None:
        self._facts = facts
        self._number = number
        self._loop = facts.graph.loops[number]
        self._writers: dict[int, list[tuple[int, int]]] = {}
        for id_ in sorted(self._loop.blocks):
            block = facts.graph.blocks[id_]
            for index in range(block.start, block.end):
                for register in facts.forms[index].written:
                    self._writers.setdefault(register, []).append((id_, index))

    def change(self, source: Operand, at: int) -> Lane:
        """Returns the increase of an operand between consecutive passes."""
        return self._value(source, at, {}, _DEPTH)

    @cached_property
    def in_each(self) -> frozenset[int]:
        """The blocks that each pass runs exactly once."""
        innermost = self._facts.graph.innermost
        return frozenset(block for block in self._unavoidable() if innermost[block] == self._number)

    def _unavoidable(self) -> Iterator[int]:
        """Yields the blocks of a way round the loop that no other way leaves out."""
        successors, head = self._facts.graph.successors, self._loop.head
        way = self._way()
        places = {block: at for at, block in enumerate(way)}
        furthest = 0
        visited = {*way}
        for at, block in enumerate(way):
            if furthest <= at:
                yield block
            todo = [block]
            while todo:
                for target in successors[todo.pop()]:
                    met = len(way) if target == head else places.get(target, 0)
                    furthest = max(furthest, met)
                    if target in self._loop.blocks and target not in visited:
                        visited.add(target)
                        todo.append(target)

    def _way(self) -> list[int]:
        """Returns a way from the head of the loop back to the head."""
        successors, head = self._facts.graph.successors, self._loop.head
        before = {head: head}
        todo = [head]
        for at in todo:
            if head in successors[at]:
                way = [at]
                while way[-1] != head:
                    way.append(before[way[-1]])
                return way[::-1]
            for target in successors[at]:
                if target in self._loop.blocks and target not in before:
                    before[target] = at
                    todo.append(target)
        return []

    def _value(self, source: Operand, at: int, assumed: Mapping[int, Lane], depth: int) -> Lane:
        if source.register == NONE:
            return value_of(source, {})
        lane = self._lane(source.register, at, assumed, depth)
        return value_of(source, {source.register: lane})

    def _lane(self, register: int, at: int, assumed: Mapping[int, Lane], depth: int) -> Lane:
        """Returns the increase of a register between consecutive passes, as read by an instruction.

        Args:
            register: The number of the register.
            at: The instruction that reads.
            assumed: The changes of registers on the way here.
            depth: Copies and sums that the value may still come through.
        """
        if register in assumed:
            return assumed[register]
        writers = self._writers.get(register)
        if writers is None:
            return SAME
        if not depth:
            return ANY
        if len(writers) > 1:
            return self._of_latest(register, at, assumed, depth)
        block, index = writers[0]
        if block not in self.in_each:
            return ANY
        from_zero, from_any = (
            self._computed(index, register, {**assumed, register: lane}, depth - 1)
            for lane in (literal(0), THREAD)
        )
        if from_zero == from_any:
            # The value is computed anew in each pass.
            return from_zero
        if from_any == THREAD and from_zero.constant is not None:
            return step(_signed(from_zero.constant))
        return ANY

    def _of_latest(self, register: int, at: int, assumed: Mapping[int, Lane], depth: int) -> Lane:
        """Returns the increase of a register that a pass writes several times, each time anew."""
        block = self._facts.graph.block_at(at)
        if block is None or block.id not in self.in_each:
            return ANY
        index = self._facts.last_writer(block, at, register)
        return self._computed(index, register, assumed, depth - 1) if index != NONE else ANY

    def _computed(self, index: int, register: int, assumed: Mapping[int, Lane], depth: int) -> Lane:
        """Returns the value that an instruction writes to a register."""
        function, form = self._facts.function, self._facts.forms[index]
        opcode = function.opcodes[index]
        is_known = register in form.results and stem(opcode) in _LINEAR
        if not is_known or function.predicates[index]:
            return ANY
        values = [self._value(source, index, assumed, depth) for source in form.sources]
        return result(opcode, form.sources, values, SAME)


def _signed(number: int) -> int:
    """Returns a word as a signed number: compilers also write -4 as 0xfffffffc."""
    return (number + _WORD // 2) % _WORD - _WORD // 2
