"""What the registers that are alive at an instruction were written by."""

from __future__ import annotations

from typing import NamedTuple

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.liveness import Liveness, effects
from jitstudio.analysis.sass.model import InlineChain, SassFunction
from jitstudio.analysis.sass.operands import GENERAL, Mask, decode, numbers


class Definition(NamedTuple):
    """Registers that are alive at an instruction.

    Attributes:
        places: What wrote them; empty where the line table does not say.
        registers: Their numbers, ascending.
    """

    places: InlineChain
    registers: tuple[int, ...]


def register_definitions(function: SassFunction, index: int) -> tuple[Definition, ...]:
    """Returns what wrote the general registers that are alive at an instruction, the most first.

    From the operands of the instructions before it, on all ways that lead to it; a register
    that two ways write counts for both. What a called function does is not looked into.
    """
    code = _Code(function)
    found: dict[InlineChain, Mask] = {}
    for at, written in code.writers(index, code.alive(index)).items():
        places = function[at].places
        found[places] = found.get(places, 0) | written
    made = (Definition(places, numbers(written)) for places, written in found.items())
    return tuple(sorted(made, key=lambda definition: -len(definition.registers)))


class _Code:
    """What each instruction of a function does with its registers."""

    def __init__(self, function: SassFunction) -> None:
        self._graph: FlowGraph = sass_graph(function)
        count = function.code_length
        self._does = effects(function, count)
        pairs = zip(function.opcodes[:count], function.operands[:count], strict=True)
        self._writes = [decode(opcode, operands).writes for opcode, operands in pairs]

    def alive(self, index: int) -> Mask:
        """The registers that hold something before or behind an instruction, as nvdisasm counts."""
        block = self._graph.block_at(index)
        if block is None:
            return 0
        behind = Liveness(self._graph, self._does).behind(block.id)
        does = self._does[index]
        return (behind[index - block.start] | does.reads | self._writes[index]) & GENERAL

    def writers(self, index: int, live: Mask) -> dict[int, Mask]:
        """Returns which instructions wrote these registers, by their index."""
        found: dict[int, Mask] = {}
        seen: dict[int, Mask] = {}
        block = self._graph.block_at(index)
        todo = [(block, index, live)] if block else []
        while todo:
            block, last, wanted = todo.pop()
            for at in range(last, block.start - 1, -1):
                if written := self._writes[at] & wanted:
                    found[at] = found.get(at, 0) | written
                    # Where the guard is false, the register keeps what it had.
                    wanted &= ~(self._does[at].kills if not self._does[at].guard else 0)
            for before in self._graph.predecessors[block.id]:
                if missing := wanted & ~seen.get(before, 0):
                    seen[before] = seen.get(before, 0) | missing
                    there = self._graph.blocks[before]
                    todo.append((there, there.end - 1, missing))
        return found
