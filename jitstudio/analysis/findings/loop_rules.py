"""Rules about loops."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jitstudio.analysis.control_flow import BasicBlock
from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.induction import Induction
from jitstudio.analysis.findings.lanes import WARP, Lane, LaneShape, negated, total
from jitstudio.analysis.findings.model import RuleHit
from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.operands import NONE, guard

_SWAPS = re.compile(r"ATOM[GS]?\.(?:\w+\.)*CAST?\b")
_HALVING = re.compile(r"U?SHF\.R\.")
_LEAVING = frozenset(("EXIT", "RET"))
# Induction by which the threads of a warp must differ: one more or less is what strided loops have.
_UNEVEN = 2
# Where threads are numbered in y, too, those of a row may be as few as this.
_SHORT_ROW = 8


def divergence(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Loops that some threads of a warp leave earlier than others."""
    conditions = facts.warp.conditions
    own = set(facts.own)
    by_data: list[int] = []
    by_index: list[int] = []
    by_retry: list[int] = []
    for number in range(len(facts.graph.loops)):
        exits = [
            index for index in _exits(facts, number) if index in own and not facts.is_inlined(index)
        ]
        if retries := _retries(facts, number):
            if not all("SPIN" in facts.function.opcodes[index] for index in retries):
                # The one that looks at what the swap has found.
                by_retry += sorted(exits, key=lambda index: (index < retries[0], index))[:1]
            continue
        told = [index for index in exits if conditions[index].shape is LaneShape.DATA]
        by_data += (index for index in told if not _halves(facts, number, index))
        if not told:
            induction = Induction(facts, number)
            by_index += (index for index in exits if _is_uneven(facts, induction, index))
    # The compiler makes several loops of one: its unrolled passes, and those that are left.
    for form, found in (("", by_data), ("index", by_index), ("retry", by_retry)):
        for line in facts.by_line(sorted(found)):
            yield RuleHit(line, form=form)


def _retries(facts: FunctionFacts, number: int) -> list[int]:
    """Returns the comparisons with a swap of a loop, loops inside it apart.

    Where the GPU has no such atomic the compiler makes a loop that spins.
    """
    graph = facts.graph
    return [
        index
        for block in sorted(graph.loops[number].blocks)
        if graph.innermost[block] == number
        for index in range(graph.blocks[block].start, graph.blocks[block].end)
        if _SWAPS.match(facts.function.opcodes[index])
    ]


def _exits(facts: FunctionFacts, number: int) -> Iterator[int]:
    """Yields what leads out of a loop, loops inside it apart."""
    graph = facts.graph
    loop = graph.loops[number].blocks
    for block in sorted(loop):
        last = graph.blocks[block].end - 1
        if graph.innermost[block] == number and last in facts.warp.conditions:
            ends = stem(facts.function.opcodes[last]) in _LEAVING
            if ends or any(target not in loop for target in graph.successors[block]):
                yield last


def _halves(facts: FunctionFacts, number: int, jump: int) -> bool:
    """Returns whether a loop halves an interval, of which all threads have about as many halves."""
    graph, function = facts.graph, facts.function
    block = graph.block_at(jump)
    comparison = _comparison(facts, block, jump) if block is not None else NONE
    if comparison == NONE:
        return False
    code = [
        index
        for id_ in graph.loops[number].blocks
        for index in range(graph.blocks[id_].start, graph.blocks[id_].end)
    ]
    written = {register for index in code for register in facts.forms[index].written}
    return written.issuperset(x.register for x in facts.forms[comparison].sources[:2]) and any(
        _HALVING.match(function.opcodes[index])
        and any(source.constant == 1 for source in facts.forms[index].sources)
        for index in code
    )


def _is_uneven(facts: FunctionFacts, induction: Induction, jump: int) -> bool:
    """Returns whether the number of passes follows the number of the thread."""
    block = facts.graph.block_at(jump)
    if block is None or block.id not in induction.in_each:
        return False
    comparison = _comparison(facts, block, jump)
    if comparison == NONE:
        return False
    one, other, *_ = facts.forms[comparison].sources
    change_one, change_other = (induction.change(x, comparison) for x in (one, other))
    change = _known(total(change_one, negated(change_other)))
    distance = facts.warp.compared[comparison]
    threads = _SHORT_ROW if facts.has_rows else WARP
    if distance.stairs and 1 < distance.stairs.height == abs(change):
        # Rounded to what a pass does: the compiler has made one of so many passes.
        return distance.stairs.per < threads
    return change != 0 and distance.spread(threads) >= abs(change) * _UNEVEN


def _known(change: Lane) -> int:
    """Returns how much each pass adds; 0 where that is not known."""
    return change.step if change.shape is LaneShape.STEP else 0


def _comparison(facts: FunctionFacts, block: BasicBlock, jump: int) -> int:
    """Returns the comparison of whole numbers that alone decides a jump, or `NONE`."""
    function = facts.function
    wanted = guard(function.predicates[jump])
    for index in range(jump - 1, block.start - 1, -1):
        form = facts.forms[index]
        if wanted == NONE or wanted not in form.written:
            continue
        if index not in facts.warp.compared or function.predicates[index]:
            return NONE
        more = form.sources[-1]
        if "EX" not in function.opcodes[index].split("."):
            return index if more.is_zero else NONE
        # The upper half of 64 bits: the lower one is what counts.
        wanted = more.register
    return NONE
