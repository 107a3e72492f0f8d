"""What holds the registers at an instruction: where they were written."""

from __future__ import annotations

from typing import NamedTuple

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.model import Places, SassFunction
from jitstudio.analysis.sass.operands import Access, access

_TRUE = ("", "@PT")


class Holder(NamedTuple):
    """Registers that are alive at an instruction.

    Attributes:
        places: What wrote them; empty where the line table does not say.
        registers: Their numbers, ascending.
    """

    places: Places
    registers: tuple[int, ...]


def holders(function: SassFunction, index: int) -> tuple[Holder, ...]:
    """What holds the registers at an instruction, the most first.

    Told from the operands of the instructions before it, on all ways that lead to it; a register
    that two ways write counts for both. What a called function does is not looked into.
    """
    code = _Code(function)
    live = code.alive(index)
    found: dict[Places, int] = {}
    for at, written in code.writers(index, live).items():
        places = function[at].places
        found[places] = found.get(places, 0) | written
    made = (Holder(places, _numbers(written)) for places, written in found.items())
    return tuple(sorted(made, key=lambda holder: -len(holder.registers)))


def _numbers(mask: int) -> tuple[int, ...]:
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)


class _Code:
    """What each instruction of a function does with its registers."""

    def __init__(self, function: SassFunction) -> None:
        self._graph: FlowGraph = sass_graph(function)
        self._does = [
            access(opcode, operands)
            for opcode, operands in zip(function.opcodes, function.operands, strict=True)
        ]
        # Where the predicate is false, the register keeps what it had.
        self._kills = [
            does.writes if predicate in _TRUE else 0
            for does, predicate in zip(self._does, function.predicates, strict=True)
        ]

    def alive(self, index: int) -> int:
        """The registers that hold something before or behind an instruction, as nvdisasm counts."""
        block = self._graph.block_at(index)
        if block is None:
            return 0
        live = self._live_out()[block.id]
        for at in range(block.end - 1, index, -1):
            live = self._before(at, live)
        return self._before(index, live) | self._does[index].writes

    def writers(self, index: int, live: int) -> dict[int, int]:
        """Which instructions wrote these registers, by their index."""
        found: dict[int, int] = {}
        seen: dict[int, int] = {}
        block = self._graph.block_at(index)
        todo = [(block, index, live)] if block else []
        while todo:
            block, last, wanted = todo.pop()
            for at in range(last, block.start - 1, -1):
                if written := self._does[at].writes & wanted:
                    found[at] = found.get(at, 0) | written
                    wanted &= ~self._kills[at]
            for before in self._graph.predecessors[block.id]:
                if missing := wanted & ~seen.get(before, 0):
                    seen[before] = seen.get(before, 0) | missing
                    there = self._graph.blocks[before]
                    todo.append((there, there.end - 1, missing))
        return found

    def _before(self, at: int, live: int) -> int:
        return live & ~self._kills[at] | self._does[at].reads

    def _live_out(self) -> list[int]:
        """Per block, what is read behind it."""
        graph = self._graph
        passes = [self._block(block.start, block.end) for block in graph.blocks]
        live_in, live_out = [0] * len(passes), [0] * len(passes)
        todo = dict.fromkeys(range(len(passes)))
        while todo:
            at, _ = todo.popitem()
            live_out[at] = 0
            for behind in graph.successors[at]:
                live_out[at] |= live_in[behind]
            reads, kills = passes[at]
            before = reads | live_out[at] & ~kills
            if before != live_in[at]:
                live_in[at] = before
                todo.update(dict.fromkeys(graph.predecessors[at]))
        return live_out

    def _block(self, start: int, end: int) -> Access:
        """What a block reads that it has not written, and what it writes."""
        reads = kills = 0
        for at in range(end - 1, start - 1, -1):
            reads = self._before(at, reads)
            kills |= self._kills[at]
        return Access(reads, kills)
