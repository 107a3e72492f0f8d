"""Control flow within a function: places behind barriers, and registers without a value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, reduce
from heapq import heappop, heappush
from operator import or_

from jitstudio.ptx.opcodes import ENDS
from jitstudio.simulator.ptx.program import (
    PtxFunction,
    PtxInstruction,
    PtxProgram,
    SymbolOperand,
    register_names,
    result_names,
)

# Compilers put these where ways join; they are no statements of the source.
_GLUE = frozenset(["bra", "mov"])


class PtxFlow:
    """The blocks of a function, by the numbers of their first instructions.

    Args:
        program: The PTX.
        function: A function of the program.
        alone: Instructions that become blocks of their own, such as barriers.
    """

    def __init__(self, program: PtxProgram, function: PtxFunction, alone: Iterable[int]) -> None:
        self._instructions = program.instructions
        self._function = function
        targets_of = {
            at: _targets(program.instructions[at], function)
            for at in range(function.start, function.end)
        }
        leaders = {function.start}
        for at in alone:
            leaders |= {at, at + 1}
        for at, targets in targets_of.items():
            if targets != [at + 1]:
                leaders.update(targets, [at + 1])
        self._blocks = sorted(at for at in leaders if at in targets_of)
        ends = [*self._blocks[1:], function.end]
        # A block is known by its first instruction.
        self._last = {b: end - 1 for b, end in zip(self._blocks, ends, strict=True)}
        self._successors = {b: targets_of[last] for b, last in self._last.items()}

    @property
    def extents(self) -> Iterable[tuple[int, int]]:
        """The first and the last instruction of each block."""
        return self._last.items()

    def successors(self, block: int) -> list[int]:
        """Returns the blocks to which threads may go on behind a block."""
        return self._successors[block]

    def first_behind(self, barrier: int) -> int:
        """Returns the first instruction that all threads reach, with or without a barrier or call.

        A thread that comes there as often as the waiting ones, and once more, has left the barrier
        out. A `ret` or a branch does not count: threads may return early. An instruction of another
        source line than the barrier is preferred. In a loop each round with the barrier comes there
        once.

        Args:
            barrier: The number of the barrier, which is a block of its own.

        Returns:
            The number of the instruction; -1 if there is none.
        """
        instruction = self._instructions[barrier]
        # A called function may leave the barrier out, and return all the same.
        is_passed = instruction.guard is not None or instruction.opcode == "call"
        around = self._reached([self._function.start], None if is_passed else barrier)
        # Ways from the barrier go on at the lowest place; where only one place is left, all meet.
        seen, ways, first = set(self._successors[barrier]), list(self._successors[barrier]), -1
        while ways:
            block = heappop(ways)
            if block not in self._last:
                return first
            is_back = barrier in self._reached([block])
            if not ways and block in around and self._tells(block, barrier, is_back=is_back):
                for at in self._statements(block, is_back=is_back):
                    first = at if first < 0 else first
                    if self._instructions[at].source != self._instructions[barrier].source:
                        return at
            if self._instructions[self._last[block]].opcode in ENDS:
                return first
            for target in self._successors[block]:
                if target not in seen:
                    seen.add(target)
                    heappush(ways, target)
        return first

    def leaves_others_out(self, branch: int, others: Iterable[int]) -> bool:
        """Returns whether a branch decides if some instructions are executed again.

        Args:
            branch: The number of the branch.
            others: The numbers of the instructions, the one in question first.
        """
        blocks = [self._block_of(at) for at in others]
        header = self._header(blocks[0])
        ways = [self._reached([to], header) for to in self._successors[self._block_of(branch)]]
        if header is not None:
            inside = self._loops[header]
            targets = self._successors[self._block_of(branch)]
            if self._block_of(branch) in inside and any(to not in inside for to in targets):
                return True
        meets = [any(block in way for block in blocks) for way in ways]
        return any(meets) and not all(meets)

    def _block_of(self, at: int) -> int:
        return self._blocks[bisect_right(self._blocks, at) - 1]

    def _tells(self, block: int, barrier: int, *, is_back: bool) -> bool:
        """Returns whether a thread reaches a block once for each time at or around the barrier."""
        if block == barrier:
            return False
        if not is_back:
            # A function may be called again, with other rounds of a loop behind the barrier.
            return self._function.is_kernel or not self._comes_back(block)
        start = [self._function.start]
        # In a loop the block has to come behind the barrier.
        if barrier not in self._reached(start, block) or self._header(barrier) is None:
            return False
        return not self._comes_back(block, self._header(barrier))

    def _header(self, block: int) -> int | None:
        """Returns the first block of the innermost loop around a block; None outside of loops."""
        around = {header: body for header, body in self._loops.items() if block in body}
        return min(around, key=lambda header: len(around[header]), default=None)

    @cached_property
    def _loops(self) -> dict[int, set[int]]:
        """The blocks of each natural loop by its header."""
        loops: dict[int, set[int]] = {}
        for header in {t for b, ts in self._successors.items() for t in ts if t <= b}:
            outside = self._reached([self._function.start], header)
            # A back edge comes from a block that is reached only by way of its header.
            back = {b for b, ts in self._successors.items() if header in ts} - outside
            if back:
                loops[header] = self._before(back, header) | {header}
        return loops

    def _comes_back(self, block: int, shut: int | None = None) -> bool:
        return block in self._reached(self._successors[block], shut)

    def _before(self, targets: Iterable[int], shut: int) -> set[int]:
        """Returns some blocks and all blocks that lead to them without a shut block."""
        leading = {block for block in targets if block != shut}
        waiting = list(leading)
        while waiting:
            for block in self._preceding.get(waiting.pop(), ()):
                if block not in leading and block != shut:
                    leading.add(block)
                    waiting.append(block)
        return leading

    @cached_property
    def _preceding(self) -> dict[int, list[int]]:
        before: dict[int, list[int]] = {}
        for block, targets in self._successors.items():
            for target in targets:
                before.setdefault(target, []).append(block)
        return before

    def _reached(self, starts: Iterable[int], shut: int | None = None) -> set[int]:
        """Returns some blocks and all that they lead to, but by way of a shut block."""
        waiting = [block for block in starts if block != shut and block in self._last]
        reached = set(waiting)
        while waiting:
            for target in self._successors[waiting.pop()]:
                if target not in reached and target != shut and target in self._last:
                    reached.add(target)
                    waiting.append(target)
        return reached

    def _statements(self, block: int, *, is_back: bool) -> Iterator[int]:
        """Yields the instructions of a block that belong to a single source line."""
        for at in range(block, self._last[block] + 1):
            instruction = self._instructions[at]
            if instruction.opcode in ENDS:
                return
            # Code that compilers have merged from several lines has line 0.
            of_one_line = instruction.source.line or not instruction.source.file
            glue = _GLUE if is_back else ("bra",)
            if of_one_line and instruction.opcode not in glue:
                yield at


def registers_without_value(program: PtxProgram, function: PtxFunction) -> frozenset[str]:
    """Returns the registers that some way through a function reads before a write."""
    graph = PtxFlow(program, function, ())
    bits = {name: 1 << index for index, name in enumerate(function.registers)}

    def bits_of(names: Iterable[str]) -> int:
        return reduce(or_, (bits.get(name, 0) for name in names), 0)

    needed: dict[int, int] = {}
    written_by: dict[int, int] = {}
    for block, last in graph.extents:
        needs = gives = 0
        for instruction in program.instructions[block : last + 1]:
            read, written = _uses(instruction)
            needs |= bits_of(read) & ~gives
            if instruction.guard is None:
                gives |= bits_of(written)
        needed[block], written_by[block] = needs, gives
    # A forward analysis: the registers that may lack a value where a block begins, as bits; at the
    # first block, all of them.
    lacking = dict.fromkeys(needed, 0)
    lacking[function.start] = (1 << len(bits)) - 1
    waiting, read_first = [function.start], 0
    while waiting:
        block = waiting.pop()
        read_first |= lacking[block] & needed[block]
        still = lacking[block] & ~written_by[block]
        for target in graph.successors(block):
            if target in lacking and still & ~lacking[target]:
                lacking[target] |= still
                waiting.append(target)
    arguments = {variable.name for variable in function.parameters}
    return frozenset(name for name, bit in bits.items() if read_first & bit) - arguments


def _uses(instruction: PtxInstruction) -> tuple[list[str], list[str]]:
    """Returns the names of the registers that an instruction reads and writes, in two lists."""
    written = result_names(instruction)
    operands = instruction.operands[1:] if written else instruction.operands
    read = [name for operand in operands for name in register_names(operand)]
    return read + ([instruction.guard.name] if instruction.guard else []), written


def _targets(instruction: PtxInstruction, function: PtxFunction) -> list[int]:
    """Returns the instructions to which threads may go on within the function."""
    match instruction.opcode:
        case "bra" | "brx":
            names = [o.name for o in instruction.operands if isinstance(o, SymbolOperand)]
            # `brx.idx` names a table of labels, `bra` a label.
            names = [n for name in names for n in function.tables.get(name, (name,))]
            targets = [function.labels[name] for name in names if name in function.labels]
        case opcode if opcode in ENDS:
            targets = []
        case _:
            return [instruction.number + 1]
    return [*targets, instruction.number + 1] if instruction.guard is not None else targets
