"""Rules about loops."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from jitstudio.analysis.control_flow import BasicBlock
from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.induction import Induction
from jitstudio.analysis.findings.lanes import WARP, Lane, LaneShape, negated, total
from jitstudio.analysis.findings.model import RuleHit
from jitstudio.analysis.sass.opcodes import Space, class_of, stem
from jitstudio.analysis.sass.operands import NONE, guard

_SWAPS = re.compile(r"ATOM[GS]?\.(?:\w+\.)*CAST?\b")
_HALVING = re.compile(r"U?SHF\.R\.")
_LEAVING = frozenset(("EXIT", "RET"))
# Passes by which the threads of a warp must differ: strided loops differ by one.
_UNEVEN = 2
# Where threads are numbered in y, too, a row may have as few threads as this.
_SHORT_ROW = 8


def divergence(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds loops that some threads of a warp leave earlier than others."""
    conditions = facts.warp.conditions
    own = set(facts.own)
    by_data: list[int] = []
    by_index: list[int] = []
    by_swap: dict[str, list[int]] = {"retry": [], "lock": [], "probe": []}
    for number in range(len(facts.graph.loops)):
        exits = [
            index for index in _exits(facts, number) if index in own and not facts.is_inlined(index)
        ]
        if retries := _retries(facts, number):
            if not all("SPIN" in facts.function.opcodes[index] for index in retries):
                # The exit that tests the result of the swap.
                hits = by_swap[_kind_of_retry(facts, number, retries[0])]
                hits += sorted(exits, key=lambda index: (index < retries[0], index))[:1]
            continue
        by_loaded = [index for index in exits if conditions[index].shape is LaneShape.DATA]
        by_data += (index for index in by_loaded if not _halves(facts, number, index))
        if not by_loaded:
            induction = Induction(facts, number)
            by_index += (index for index in exits if _is_uneven(facts, induction, index))
    # The compiler splits a loop into its unrolled passes and the remaining ones.
    for form, hits in (("", by_data), ("index", by_index), *by_swap.items()):
        for line in facts.by_line(sorted(hits)):
            yield RuleHit(line, form=form)


def _retries(facts: FunctionFacts, number: int) -> list[int]:
    """Returns the compare-and-swaps whose success a loop waits for, inner loops apart.

    Where the GPU lacks an atomic the compiler makes a loop that spins.
    """
    graph = facts.graph
    swaps = [
        index
        for block in sorted(graph.loops[number].blocks)
        if graph.innermost[block] == number
        for index in range(graph.blocks[block].start, graph.blocks[block].end)
        if _SWAPS.match(facts.function.opcodes[index])
    ]
    if not swaps:
        return []
    # A loop of 500 passes with a swap in each ends by its count, whatever the swaps return.
    deciding = frozenset().union(
        *(
            facts.origins.behind(jump, guard(facts.function.predicates[jump]))
            for jump in _exits(facts, number)
            if facts.function.predicates[jump]
        )
    )
    return [index for index in swaps if index in deciding]


def _kind_of_retry(facts: FunctionFacts, number: int, swap: int) -> str:
    """Returns the kind of a loop around a swap: a retry, a wait for a lock, or a table lookup.

    A retry computes the expected value anew, from the result of the last swap or load. A table is
    searched for a free place: the address changes, and the expected value does not.
    """
    form = facts.forms[swap]
    places = [source for source in form.sources if source.text.endswith("]")]
    address = form.address
    values = [x.register for x in form.sources if x not in places and x.register != NONE]
    loop = facts.graph.loops[number].blocks
    if values and _changes(facts, loop, swap, values[0]):
        return "retry"
    bases = () if address is None else (address.base, address.more)
    moves = any(_changes(facts, loop, swap, base) for base in bases if base != NONE)
    return "probe" if moves else "lock"


def _changes(facts: FunctionFacts, loop: Collection[int], index: int, register: int) -> bool:
    """Returns whether a register read in a loop is another in each pass."""
    graph = facts.graph
    inside = {
        writer
        for writer in facts.origins.behind(index, register)
        if (block := graph.block_at(writer)) is not None and block.id in loop
    }
    return any(
        class_of(facts.function.opcodes[writer]).space not in (None, Space.CONSTANT)
        or writer in facts.origins.behind(writer)
        for writer in inside
    )


def _exits(facts: FunctionFacts, number: int) -> Iterator[int]:
    """Yields the exits of a loop, inner loops apart."""
    graph = facts.graph
    loop = graph.loops[number].blocks
    for block in sorted(loop):
        last = graph.blocks[block].end - 1
        if graph.innermost[block] == number and last in facts.warp.conditions:
            ends = stem(facts.function.opcodes[last]) in _LEAVING
            if ends or any(target not in loop for target in graph.successors[block]):
                yield last


def _halves(facts: FunctionFacts, number: int, jump: int) -> bool:
    """Returns whether a loop halves an interval: all threads then take about as many passes."""
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
    left, right, *_ = facts.forms[comparison].sources
    left_change, right_change = (induction.change(x, comparison) for x in (left, right))
    change = _known(total(left_change, negated(right_change)))
    distance = facts.warp.compared[comparison]
    threads = _SHORT_ROW if facts.has_rows else WARP
    if distance.stairs and 1 < distance.stairs.height == abs(change):
        # Rounded to the step of a pass: the compiler has unrolled the loop by that.
        return distance.stairs.per < threads
    return change != 0 and distance.spread(threads) >= abs(change) * _UNEVEN


def _known(change: Lane) -> int:
    """Returns the amount that each pass adds; 0 where unknown."""
    return change.step if change.shape is LaneShape.STEP else 0


def _comparison(facts: FunctionFacts, block: BasicBlock, jump: int) -> int:
    """Returns the comparison of whole numbers that alone decides a jump, or `NONE`."""
    function = facts.function
    predicate = guard(function.predicates[jump])
    for index in range(jump - 1, block.start - 1, -1):
        form = facts.forms[index]
        if predicate == NONE or predicate not in form.written:
            continue
        if index not in facts.warp.compared or function.predicates[index]:
            return NONE
        more = form.sources[-1]
        if "EX" not in function.opcodes[index].split("."):
            return index if more.is_zero else NONE
        # The upper half of 64 bits: the lower half decides.
        predicate = more.register
    return NONE
