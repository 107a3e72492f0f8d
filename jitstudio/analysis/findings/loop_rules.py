"""Rules about loops."""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.analysis.control_flow import Block
from jitstudio.analysis.findings.facts import Evidence
from jitstudio.analysis.findings.induction import Passes
from jitstudio.analysis.findings.lanes import WARP, Lane, Shape, negated, total
from jitstudio.analysis.findings.model import Remark
from jitstudio.analysis.findings.operands import NONE, guard, stem

_LEAVING = frozenset(("EXIT", "RET"))
# Passes by which the threads of a warp must differ: one more or less is what strided loops have.
_UNEVEN = 2
# Where threads are numbered in y, too, those of a row may be as few as this.
_SHORT_ROW = 8


def divergence(evidence: Evidence) -> Iterator[Remark]:
    """Loops that some threads of a warp leave earlier than others."""
    conditions = evidence.warp.conditions
    own = set(evidence.own)
    by_data: list[int] = []
    by_index: list[int] = []
    for number in range(len(evidence.graph.loops)):
        exits = [index for index in _exits(evidence, number) if index in own]
        told = [index for index in exits if conditions[index].shape is Shape.DATA]
        by_data += told
        if not told:
            passes = Passes(evidence, number)
            by_index += (index for index in exits if _is_uneven(evidence, passes, index))
    # The compiler makes several loops of one: its unrolled passes, and those that are left.
    for form, found in (("", by_data), ("index", by_index)):
        for line in evidence.by_line(sorted(found)):
            yield Remark(line, form=form)


def _exits(evidence: Evidence, number: int) -> Iterator[int]:
    """What leads out of a loop, loops inside it apart."""
    graph = evidence.graph
    loop = graph.loops[number].blocks
    for block in sorted(loop):
        last = graph.blocks[block].end - 1
        if graph.innermost[block] == number and last in evidence.warp.conditions:
            ends = stem(evidence.function.opcodes[last]) in _LEAVING
            if ends or any(target not in loop for target in graph.successors[block]):
                yield last


def _is_uneven(evidence: Evidence, passes: Passes, jump: int) -> bool:
    """Whether the number of passes follows the number of the thread."""
    block = evidence.graph.block_at(jump)
    if block is None or block.id not in passes.in_each:
        return False
    comparison = _comparison(evidence, block, jump)
    if comparison == NONE:
        return False
    one, other, *_ = evidence.forms[comparison].sources
    change = _known(total(passes.change(one), negated(passes.change(other))))
    distance = evidence.warp.compared[comparison]
    threads = _SHORT_ROW if evidence.has_rows else WARP
    if distance.stairs and 1 < distance.stairs.height == abs(change):
        # Rounded to what a pass does: the compiler has made one of so many passes.
        return distance.stairs.per < threads
    return change != 0 and distance.spread(threads) >= abs(change) * _UNEVEN


def _known(change: Lane) -> int:
    """How much each pass adds; 0 where that is not known."""
    return change.step if change.shape is Shape.STEP else 0


def _comparison(evidence: Evidence, block: Block, jump: int) -> int:
    """The comparison of whole numbers that alone decides a jump, or `NONE`."""
    function = evidence.function
    wanted = guard(function.predicates[jump])
    for index in range(jump - 1, block.start - 1, -1):
        form = evidence.forms[index]
        if wanted == NONE or wanted not in form.written:
            continue
        if index not in evidence.warp.compared or function.predicates[index]:
            return NONE
        more = form.sources[-1]
        if "EX" not in function.opcodes[index].split("."):
            return index if more.is_zero else NONE
        # The upper half of 64 bits: the lower one is what counts.
        wanted = more.register
    return NONE
