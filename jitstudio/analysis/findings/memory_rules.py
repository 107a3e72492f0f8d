"""Rules about memory: what of it is local, and how a warp goes to the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.lanes import LaneShape
from jitstudio.analysis.findings.model import RuleHit
from jitstudio.analysis.findings.warp import MemoryAccess
from jitstudio.analysis.sass.operands import STACK_POINTER

_LOCAL = ("LDL", "STL")

_WORD = 4
_VECTORS = (16, 8)
_SECTOR = 32


def spills(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Registers that were not enough."""
    needs = facts.resources
    stores, loads = (needs.spill_stores or 0, needs.spill_loads or 0) if needs else (0, 0)
    if needs is not None and (stores or loads):
        indices = facts.of_opcode(*_LOCAL)
        yield RuleHit(
            _of_most_lines(facts, indices),
            {"stores": stores, "loads": loads, "registers": needs.registers},
        )


def local_memory(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Arrays and calls that make a thread use memory of its own."""
    indices = facts.of_opcode(*_LOCAL)
    # Only written: that is what is handed to printf and the like.
    if not facts.of_opcode("LDL"):
        return
    indexed = [index for index in indices if not _is_fixed(facts, index)]
    for line in facts.by_line(indexed):
        yield RuleHit(line, {"bytes": _stack_bytes(facts)}, "indexed")
    needs = facts.resources
    spilled = needs is not None and (needs.spill_loads or needs.spill_stores)
    if not indexed and not spilled:
        yield RuleHit(_of_most_lines(facts, indices), {"bytes": _stack_bytes(facts)}, "fixed")


def narrow(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Neighbouring bytes, each by a thread of its own."""
    found = [a for a in facts.accesses if a.bytes < _WORD and _is_contiguous(a)]
    for line in facts.by_line(sorted(access.index for access in found)):
        first = facts.access_at[line[0]]
        yield RuleHit(
            line,
            {
                "what": _what_of(facts, line),
                "bits": first.bytes * 8,
                "bytes": first.bytes * 32,
                "vector": f"{'char' if first.bytes == 1 else 'short'}{_WORD // first.bytes}",
            },
        )


def strided(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Threads that leave gaps between what they access."""
    gaps: dict[int, RuleHit] = {}
    for group in facts.groups:
        lane = group[0].lane
        step, used = abs(lane.step), _used(group)
        if lane.shape is LaneShape.SCALED and max(access.bytes for access in group) < _VECTORS[0]:
            words: dict[str, object] = {}
        elif lane.shape is LaneShape.STEP and step and used * 2 < min(step, _SECTOR):
            words = {"step": step, "used": used}
        else:
            continue
        form = "known" if words else "scaled"
        for access in group:
            gaps[access.index] = RuleHit((access.index,), words, form)
    for line in facts.by_line(sorted(gaps)):
        first = gaps[line[0]]
        yield RuleHit(line, {**first.words, "what": _what_of(facts, line)}, first.form)


def no_vectors(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Neighbouring words, each by an access of its own."""
    found = [
        hit for group in facts.groups for run in _runs(group) if (hit := _vector(run)) is not None
    ]
    first = {hit.indices[0]: hit for hit in found}
    for line in facts.by_line(sorted(first)):
        indices = tuple(sorted(chain.from_iterable(first[at].indices for at in line)))
        yield RuleHit(indices, {**first[line[0]].words, "what": _what_of(facts, indices)})


def _vector(run: tuple[MemoryAccess, ...]) -> RuleHit | None:
    """Returns what a run of neighbouring accesses could be made one of."""
    size = len(run) * run[0].bytes
    step = abs(run[0].lane.step)
    wide = next((width for width in _VECTORS if _fits(width, run)), None)
    if wide is None or size > step:
        return None
    words = {
        "count": len(run),
        "bits": run[0].bytes * 8,
        "wide": wide * 8,
        "bytes": wide,
    }
    return RuleHit(tuple(sorted(access.index for access in run)), words)


def _fits(width: int, run: tuple[MemoryAccess, ...]) -> bool:
    size = len(run) * run[0].bytes
    aligned = run[0].offset % width == 0 and run[0].lane.step % width == 0
    return aligned and width <= size and run[0].bytes < width


def _runs(group: tuple[MemoryAccess, ...]) -> Iterator[tuple[MemoryAccess, ...]]:
    """Accesses of one width that are one behind the other, each thread with its own."""
    run: list[MemoryAccess] = []
    for access in group:
        if access.lane.shape is not LaneShape.STEP or not access.lane.step or access.bytes > 8:
            continue
        if run and (access.bytes, access.offset) != (run[-1].bytes, run[-1].offset + run[-1].bytes):
            yield tuple(run)
            run = []
        run.append(access)
    if run:
        yield tuple(run)


def _used(group: Iterable[MemoryAccess]) -> int:
    """Returns how many different bytes a thread accesses."""
    return len({at for a in group for at in range(a.offset, a.offset + a.bytes)})


def _is_contiguous(access: MemoryAccess) -> bool:
    return access.lane.shape is LaneShape.STEP and abs(access.lane.step) == access.bytes


def _is_fixed(facts: FunctionFacts, index: int) -> bool:
    address = facts.forms[index].address
    return address is None or address.base == STACK_POINTER


def _stack_bytes(facts: FunctionFacts) -> object:
    needs = facts.resources
    return needs.stack_bytes or needs.local_bytes or "?" if needs else "?"


def _what_of(facts: FunctionFacts, indices: tuple[int, ...]) -> str:
    kinds = {facts.access_at[index].is_load for index in indices}
    return "accesses" if len(kinds) == 2 else "loads" if True in kinds else "stores"


def _of_most_lines(facts: FunctionFacts, indices: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the same instructions, those of the line that has most of them first."""
    lines = sorted(facts.by_line(indices), key=len, reverse=True)
    return tuple(chain.from_iterable(lines))
