"""Which registers are read again behind each instruction."""

from __future__ import annotations

from collections.abc import Sequence

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.findings.operands import NONE, PRED, Form, guard, stem
from jitstudio.analysis.sass.model import SassFunction

_ALL = (1 << PRED + 32) - 1
_PREDICATES = 0x7F << PRED
_CALLS = frozenset(("CALL", "RET", "BRX", "BRXU", "JMX"))


def live_behind(function: SassFunction, graph: FlowGraph, forms: Sequence[Form]) -> tuple[int, ...]:
    """Per instruction a bit for each general register and predicate that may be read later."""
    reads, kills = _effects(function, forms)
    before = [0] * len(graph.blocks)
    behind = [0] * len(reads)
    waiting = dict.fromkeys(range(len(graph.blocks)))
    while waiting:
        at, _ = waiting.popitem()
        block = graph.blocks[at]
        live = _ALL if block.leads_away else 0
        for target in graph.successors[at]:
            live |= before[target]
        for index in range(block.end - 1, block.start - 1, -1):
            behind[index] = live
            live = live & ~kills[index] | reads[index]
        if live != before[at]:
            before[at] = live
            waiting.update(dict.fromkeys(graph.predecessors[at]))
    return tuple(behind)


def _effects(function: SassFunction, forms: Sequence[Form]) -> tuple[list[int], list[int]]:
    """What each instruction may read, and what it surely writes."""
    reads, kills = [], []
    for opcode, operands, predicate, form in zip(
        function.opcodes, function.operands, function.predicates, forms, strict=True
    ):
        read, register = form.reads, guard(predicate)
        if register != NONE:
            read |= 1 << register
        if stem(opcode) in _CALLS:
            read = _ALL
        elif "PR" in operands.split(", "):
            read |= _PREDICATES
        reads.append(read)
        # Threads for which the guard is false keep what they had.
        kills.append(sum(1 << written for written in form.written) if not predicate else 0)
    return reads, kills
