"""The control flow of machine code.

A call comes back, so that no block ends with it. `BSSY` and `BSYNC` do not jump: threads that
took different ways wait for each other there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from jitstudio.analysis.control_flow import EdgeKind, FlowEffect, FlowGraph, divide, loops
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.listing.lines import NOWHERE

_ALWAYS = frozenset({"", "PT", "UPT", "@PT", "@UPT"})
# Whether such a branch is taken depends on the threads of the warp, not only on operands.
_OF_THE_WARP = frozenset({"DIV", "CONV"})
# `P1, `(.L_x_3)`: the predicate in front of the target is another condition.
_TARGET = re.compile(
    r"(?P<condition>[^`]*?)(?:, *)?"
    r"(?:`\((?P<label>[^()+]+)(?:\+(?P<offset>0x[0-9a-f]+))?\)|(?P<address>0x[0-9a-f]+))\Z"
)
_TABLE = re.compile(r'"BRANCH_TARGETS ([^"]*)"')


def sass_graph(function: SassFunction) -> FlowGraph:
    """Returns the blocks, edges and loops of a function, without the filling at the end."""
    count = function.code_length
    places = _Places(function)
    leaps = tuple(_leaps(function, count, places))
    entries = {part.start: part.name for part in function.parts if part.start < count}
    entries.setdefault(0, function.name)
    blocks, edges = divide(count, leaps, entries, places.names) if count else ((), ())
    return FlowGraph(function.name, blocks, edges, loops(blocks, edges))


class _Places:
    """Where the labels of a function are."""

    def __init__(self, function: SassFunction) -> None:
        self._function = function
        self._indices = {function.name: 0}
        self._indices.update((part.name, part.start) for part in function.parts)
        self._indices.update((label.name, label.index) for label in function.labels)
        # Of several labels in one place the first counts.
        self.names = {label.index: label.name for label in reversed(function.labels)}

    def named(self, label: str, offset: int = 0) -> int:
        """Returns the index of the instruction that far behind a label, or `NOWHERE`."""
        at = self._indices.get(label, NOWHERE)
        if not offset or not 0 <= at < len(self._function):
            return at
        return self._function.index_of(self._function.addresses[at] + offset)

    def target(self, match: re.Match[str]) -> int:
        """Returns where a branch leads, or `NOWHERE` if that is outside."""
        if match["address"]:
            return self._function.index_of(int(match["address"], 16))
        return self.named(match["label"], int(match["offset"] or "0", 16))


def _branch(function: SassFunction, at: int, places: _Places) -> FlowEffect:
    match = _TARGET.match(function.operands[at])
    if match is None:
        return FlowEffect(at, goes_on=True, leads_away=True)
    goes_on = (
        match["condition"] not in _ALWAYS
        or function.predicates[at] not in _ALWAYS
        or not _OF_THE_WARP.isdisjoint(function.opcodes[at].split("."))
    )
    return FlowEffect(at, (places.target(match),), goes_on=goes_on)


def _table(function: SassFunction, at: int, places: _Places) -> FlowEffect:
    goes_on = function.predicates[at] not in _ALWAYS
    table = _TABLE.search(function.operands[at])
    labels = table[1].split(",") if table else ()
    targets = tuple(dict.fromkeys(places.named(label.strip()) for label in labels))
    return FlowEffect(at, targets, EdgeKind.TABLE, goes_on, leads_away=not targets)


def _end(function: SassFunction, at: int, _places: _Places) -> FlowEffect:
    return FlowEffect(at, goes_on=function.predicates[at] not in _ALWAYS)


_Reader = Callable[[SassFunction, int, _Places], FlowEffect]
_READERS: dict[str, _Reader] = {
    **dict.fromkeys(("BRA", "JMP"), _branch),
    **dict.fromkeys(("BRX", "BRXU", "JMX", "JMXU"), _table),
    **dict.fromkeys(("EXIT", "RET", "KILL", "RTT"), _end),
}


def _leaps(function: SassFunction, count: int, places: _Places) -> Iterator[FlowEffect]:
    readers = {
        opcode: reader
        for opcode in set(function.opcodes)
        if (reader := _READERS.get(opcode.partition(".")[0]))
    }
    for at, opcode in enumerate(function.opcodes[:count]):
        if reader := readers.get(opcode):
            yield reader(function, at, places)
