"""Rules about pointers that may lead to the same place, and about unknown memory spaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from jitstudio.analysis.control_flow import BasicBlock
from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.induction import Induction
from jitstudio.analysis.findings.model import RuleHit
from jitstudio.analysis.findings.origins import OUTSIDE
from jitstudio.analysis.findings.warp import MemoryAccess
from jitstudio.analysis.sass.opcodes import Space, class_of, stem
from jitstudio.analysis.sass.operands import NONE, Operand

# Behind these instructions other threads may have written, and must see earlier writes.
_SYNCHRONIZING = frozenset(
    (
        *("BAR", "UBAR", "MEMBAR", "ERRBAR", "FENCE", "SYNCS", "CALL", "RET", "NANOSLEEP"),
        *("ATOM", "ATOMG", "ATOMS", "RED", "REDG", "CCTL", "UCGABAR_ARV", "UCGABAR_WAIT", "BRX"),
    )
)
# Volatile and atomic accesses have to be made as written; constant memory never changes.
_AS_WRITTEN = ("STRONG", "CONSTANT", "MMIO")


def aliased(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds a place stored or loaded again and again, as another pointer may lead there."""
    accesses_by_kind: dict[bool, set[int]] = {False: set(), True: set()}
    for accesses, is_same_place in _stretches(facts):
        plain = [a for a in accesses if not _is_as_written(facts, a)]
        for access in plain:
            if is_same_place(access) and _is_between(access, plain):
                accesses_by_kind[access.is_load].add(access.index)
    here = set(facts.written_here)
    for is_load, form in ((False, "store"), (True, "load")):
        lines = {facts.line(index) for index in accesses_by_kind[False]} if is_load else set()
        for line in facts.by_line(sorted(accesses_by_kind[is_load] & here)):
            # A sum in memory is reported by its stores.
            if not is_load or facts.line(line[0]) not in lines:
                yield RuleHit(line, form=form)


def _stretches(
    facts: FunctionFacts,
) -> Iterator[tuple[list[MemoryAccess], Callable[[MemoryAccess], bool]]]:
    """Yields accesses that other threads cannot interrupt, with a test for repeated ones."""
    graph = facts.graph
    by_block: dict[int, list[MemoryAccess]] = {}
    for access in facts.accesses:
        if (block := graph.block_at(access.index)) is not None:
            by_block.setdefault(block.id, []).append(access)
    for number, loop in enumerate(graph.loops):
        blocks = [graph.blocks[id_] for id_ in sorted(loop.blocks)]
        if any(graph.innermost[block.id] != number for block in blocks):
            continue
        accesses = [access for block in blocks for access in by_block.get(block.id, ())]
        if accesses and not any(_synchronizes(facts, block) for block in blocks):
            induction = Induction(facts, number)
            yield accesses, partial(_stays, facts, induction)
    for id_, accesses in by_block.items():
        if len(accesses) > 2 and not _synchronizes(facts, graph.blocks[id_]):
            again = set(_repeated(facts, accesses))
            yield accesses, again.__contains__


def _synchronizes(facts: FunctionFacts, block: BasicBlock) -> bool:
    return any(
        stem(facts.function.opcodes[index]) in _SYNCHRONIZING
        for index in range(block.start, block.end)
    )


def _is_as_written(facts: FunctionFacts, access: MemoryAccess) -> bool:
    modifiers = facts.function.opcodes[access.index].split(".")
    return bool(facts.function.predicates[access.index]) or any(
        word in modifiers for word in _AS_WRITTEN
    )


def _stays(facts: FunctionFacts, induction: Induction, access: MemoryAccess) -> bool:
    """Returns whether an access is made in each pass of a loop, always to the same place."""
    block = facts.graph.block_at(access.index)
    registers = [register for register in access.base[:2] if register != NONE]
    return (
        block is not None
        and block.id in induction.in_each
        and all(
            induction.change(Operand("", register=register), access.index).is_same
            for register in registers
        )
    )


def _repeated(facts: FunctionFacts, accesses: Iterable[MemoryAccess]) -> Iterator[MemoryAccess]:
    """Yields stores that are overwritten in the block, and loads repeated in the block."""
    last: dict[object, MemoryAccess] = {}
    for access in accesses:
        key = (access.is_load, access.base, access.offset, access.bytes)
        before = last.get(key)
        last[key] = access
        if before is None or _is_as_written(facts, before):
            continue
        between = [a for a in accesses if before.index < a.index < access.index]
        if any(a.is_load != access.is_load and _differ(a, access) for a in between):
            yield access if access.is_load else before


def _is_between(access: MemoryAccess, others: Iterable[MemoryAccess]) -> bool:
    """Returns whether only accesses by other pointers keep a place in memory, as far as is known.

    An access further on by the same pointer may truly be of that place.
    """
    if not access.lane.terms:
        return False
    opposite = [other for other in others if other.is_load != access.is_load]
    same = [
        other
        for other in opposite
        if not _differ(other, access)
        and (other.base[:2], other.offset) != (access.base[:2], access.offset)
    ]
    return not same and any(_differ(other, access) for other in opposite)


def _differ(access: MemoryAccess, other: MemoryAccess) -> bool:
    """Returns whether two addresses are made of different pointers."""
    return bool(access.lane.terms) and access.lane.terms.isdisjoint(other.lane.terms)


def generic(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds accesses whose memory space is determined at run time."""
    forms: dict[int, str] = {}
    here = set(facts.written_here)
    for access in facts.accesses:
        opcode = facts.function.opcodes[access.index]
        if access.index in here and class_of(opcode).space is Space.GENERIC:
            form = _form_of_generic(facts, access)
            if form:
                forms[access.index] = form
    for form in dict.fromkeys(forms.values()):
        for line in facts.by_line(
            sorted(at for at, other_form in forms.items() if other_form == form)
        ):
            yield RuleHit(line, form=form)


def _form_of_generic(facts: FunctionFacts, access: MemoryAccess) -> str:
    """Returns the kind of origin of a generic address whose memory the author may know, or ""."""
    base = access.base[0]
    if base == NONE:
        return ""
    writers = facts.origins.writers(access.index, base)
    parts = facts.origins.ancestors(writers - {OUTSIDE})
    if OUTSIDE in writers.union(*parts.values()):
        # A local variable whose address is passed has a finding of its own.
        return "" if facts.passes_stack_addresses else "passed"
    opcodes = facts.function.opcodes
    if any("SR_SWINHI" in facts.function.operands[part] for part in parts):
        return ""
    read = (class_of(opcodes[part]).space for part in parts)
    return "loaded" if any(s in (Space.GLOBAL, Space.GENERIC) for s in read) else ""
