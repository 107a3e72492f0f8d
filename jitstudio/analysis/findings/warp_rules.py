"""Rules about the threads of a warp together: atomics, branches, banks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.index_rules import reciprocals
from jitstudio.analysis.findings.lanes import WARP, LaneShape
from jitstudio.analysis.findings.model import RuleHit
from jitstudio.analysis.findings.origins import OUTSIDE
from jitstudio.analysis.sass.opcodes import Space, class_of, stem
from jitstudio.analysis.sass.operands import NONE, guard, is_predicate
from jitstudio.listing.lines import NOWHERE

# ---- Atomics

_LOCKS = frozenset(("CAS", "CAST", "EXCH"))
_EQUALITIES = frozenset(("EQ", "NE"))


def one_address(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds atomics by which all threads update the same address."""
    own = set(facts.written_here)
    opcodes = facts.function.opcodes
    hits = [
        access.index
        for access in facts.warp.atomics
        if access.index in own
        and access.lane.is_same
        and _LOCKS.isdisjoint(opcodes[access.index].split("."))
        and not _is_elected(facts, access.index)
    ]
    for line in facts.by_line(hits):
        space = class_of(opcodes[line[0]]).space
        yield RuleHit(line, {"space": "shared" if space is Space.SHARED else "global"}, "one")


def _is_elected(facts: FunctionFacts, index: int) -> bool:
    """Returns whether a condition may choose a single thread: an equality that differs."""
    return any(
        _chooses(facts, part)
        for at, condition in _conditions(facts, index)
        for part in facts.origins.behind(at, condition)
        if part >= 0
    )


def _conditions(facts: FunctionFacts, index: int) -> Iterator[tuple[int, int]]:
    """Yields the predicates that decide whether an instruction runs, each with the reader."""
    graph, predicates = facts.graph, facts.function.predicates
    if (own := guard(predicates[index])) != NONE:
        yield index, own
    block = graph.block_at(index)
    if block is None:
        return
    for branch in graph.blocks:
        jump = branch.end - 1
        condition = guard(predicates[jump])
        registers = [condition] if condition != NONE else []
        registers += [s.register for s in facts.forms[jump].sources if is_predicate(s.register)]
        ways = graph.successors[branch.id]
        if registers and any(block.id in graph.only_by(branch.id, way) for way in ways):
            yield from ((jump, register) for register in registers)


def _chooses(facts: FunctionFacts, index: int) -> bool:
    opcode, *modifiers = facts.function.opcodes[index].split(".")
    if opcode == "ISETP" and not _EQUALITIES.isdisjoint(modifiers):
        return index not in facts.warp.compared or not facts.warp.compared[index].is_same
    gives = any(is_predicate(register) for register in facts.forms[index].results)
    return opcode == "ELECT" or (opcode == "LOP3" and gives)


# ---- Branches that fewer and fewer threads take

# Masks that leave every 2nd, 4th, 8th or 16th thread: a larger one leaves one thread of a warp.
_PARTS = (1, 3, 7, 15)
_NUMBERS_THREADS = "SR_TID.X"
_AND = 0xC0


def every_nth(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds branches for every second, fourth and further thread, as in a naive reduction."""
    tests: dict[object, list[int]] = {}
    masks: dict[int, int] = {}
    for index in facts.of_opcode("LOP3"):
        sources = facts.forms[index].sources
        mask = next((s.constant for s in sources[:3] if s.constant in _PARTS), None)
        if mask is not None and _is_and(facts, index):
            masks[index] = mask
            tests.setdefault(facts.line(index), []).append(index)
    # Where values come from takes long to find: asked for the few lines that matter.
    chosen = (
        [index for index in of_line if _is_of_thread(facts, index)]
        for of_line in tests.values()
        if _are_steps(facts, of_line, masks)
    )
    hits = {index for of_line in chosen if _are_steps(facts, of_line, masks) for index in of_line}
    hits |= set(_changing_parts(facts))
    for hit in facts.by_line(sorted(hits.intersection(facts.written_here))):
        yield RuleHit(hit, form="every")


def _are_steps(facts: FunctionFacts, tests: list[int], masks: Mapping[int, int]) -> bool:
    """Returns whether tests of a line may be the steps of a reduction: they have several masks.

    Between the steps is a barrier; the remainder of an unrolled loop, whose tests look the same,
    has none.
    """
    is_several = len({masks[index] for index in tests}) > 1
    return is_several and facts.has_barrier(tests[0], tests[-1])


def _is_and(facts: FunctionFacts, index: int) -> bool:
    sources = facts.forms[index].sources
    return any(source.constant == _AND for source in sources[3:])


def _is_of_thread(facts: FunctionFacts, index: int) -> bool:
    """Returns whether an instruction reads the thread's number, alone or with the block's."""
    operands, forms = facts.function.operands, facts.forms
    parts = facts.origins.ancestors(facts.origins.parents(index) - {OUTSIDE})
    return any(_NUMBERS_THREADS in operands[part] for part in parts) and not any(
        forms[part].address is not None for part in parts
    )


def _changing_parts(facts: FunctionFacts) -> Iterator[int]:
    """Yields tests of the thread's number for a remainder whose divisor changes with each pass."""
    graph, origins = facts.graph, facts.origins
    divisions = set(reciprocals(facts))
    for index in facts.of_opcode("ISETP", "LOP3"):
        block = graph.block_at(index)
        if block is None or graph.innermost[block.id] == NOWHERE:
            continue
        opcode, *modifiers = facts.function.opcodes[index].split(".")
        form = facts.forms[index]
        if opcode == "LOP3":
            is_test = _is_and(facts, index) and any(map(is_predicate, form.results))
            is_test = is_test and not any(source.constant for source in form.sources[:3])
        else:
            is_test = bool(divisions) and not _EQUALITIES.isdisjoint(modifiers)
            is_test = is_test and any(source.is_zero for source in form.sources[:2])
        loop = graph.loops[graph.innermost[block.id]].blocks
        if (
            not is_test
            or not _is_of_thread(facts, index)
            or not any(facts.has_barrier(graph.blocks[b].start, graph.blocks[b].end) for b in loop)
        ):
            continue
        parts = origins.behind(index) - {OUTSIDE}
        inside = {p for p in parts if (b := graph.block_at(p)) is not None and b.id in loop}
        is_rest = opcode == "LOP3" or not divisions.isdisjoint(inside)
        if is_rest and any(part in origins.behind(part) for part in inside):
            yield index


# ---- Banks of shared memory

_BANKS, _WORD = 32, 4
_PLAIN = frozenset(("LDS", "STS"))


def bank_conflicts(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds accesses to shared memory at a stride that puts different words into the same bank."""
    own = set(facts.written_here)
    hits: dict[int, RuleHit] = {}
    units: dict[int, int] = {}
    for access in facts.warp.shared:
        index, lane = access.index, access.lane
        if index not in own or stem(facts.function.opcodes[index]) not in _PLAIN:
            continue
        if lane.shape is not LaneShape.STEP or not lane.step:
            continue
        passes, least = passes_of(lane.step, access.bytes)
        if passes >= 2 * least:
            access_word = "loads" if access.is_load else "stores"
            # An access begins at a multiple of its bytes, also in rows that are longer.
            more = units[index] = max(access.bytes, _WORD)
            words = {"what": access_word, "step": abs(lane.step), "passes": passes, "least": least}
            words |= {"more": more, "columns": _BANKS + more // _WORD}
            hits[index] = RuleHit((), words, "stride")
    for line in facts.by_line(sorted(hits)):
        widest = max(line, key=units.__getitem__)
        yield RuleHit(line, hits[widest].words, "stride")


def passes_of(step: int, size: int) -> tuple[int, int]:
    """Returns the passes that an access of a warp takes through the banks, and the least possible.

    Words of 4 bytes are in 32 banks one after another; accesses of 8 bytes are served by half
    warps, those of 16 by quarters. Source: the counts of Nsight Compute that the simulator is
    held against.

    Args:
        step: Bytes from each thread to the next.
        size: Bytes of each thread.
    """
    threads = WARP * _WORD // max(size, _WORD)
    words = {(lane * step + at) // _WORD for lane in range(threads) for at in range(0, size, _WORD)}
    most = max(Counter(word % _BANKS for word in words).values())
    groups = WARP // threads
    return most * groups, groups
