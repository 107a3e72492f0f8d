"""Rules about memory: local memory, and the access patterns of warps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from itertools import chain

from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.induction import Induction
from jitstudio.analysis.findings.lanes import Distance, Lane, LaneShape
from jitstudio.analysis.findings.model import RuleHit
from jitstudio.analysis.findings.origins import OUTSIDE, is_of_library
from jitstudio.analysis.findings.warp import MemoryAccess
from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.operands import GENERAL, NONE, STACK_POINTER, Operand, numbers
from jitstudio.core.result import Resources
from jitstudio.listing.lines import NOWHERE

_LOCAL = ("LDL", "STL")
# Opcodes that choose among addresses of the stack, without computing with an index.
_CHOOSING = frozenset(("MOV", "IMAD", "IADD", "IADD3", "VIADD", "SEL", "LDC", "HFMA2", "UMOV"))

_WORD = 4
_VECTORS = (16, 8)
_SECTOR = 32
# At this distance the next access of a thread is in neither this sector nor the next.
_NEAR = 64
# The most elements by which a pass of an unrolled loop advances.
_UNROLLED = 16


def local_memory(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds arrays and calls that make a thread use local memory."""
    indices = facts.of_opcode(*_LOCAL)
    needs = facts.resources
    # Without a stack the accesses are by generic pointers, as atomics take them.
    # Local memory that is only written holds arguments of printf and the like.
    stack = _stack_bytes(needs) if needs is not None else None
    if not facts.of_opcode("LDL") or stack == 0:
        return
    words = {"bytes": stack or "an unknown number of"}
    forms = {index: _form_of_local(facts, index) for index in indices}
    arrays = {facts.line(index) for index, form in forms.items() if form == "indexed"}
    # The remainder of an unrolled loop chooses among few elements.
    forms |= {at: "indexed" for at, form in forms.items() if form and facts.line(at) in arrays}
    moved = [index for index in indices if forms[index]]
    for form in dict.fromkeys(forms[index] for index in moved):
        for line in facts.by_line(index for index in moved if forms[index] == form):
            yield RuleHit(line, words, form)
    spilled = needs is not None and (needs.spill_loads or needs.spill_stores)
    if not moved and not spilled:
        yield RuleHit(_of_most_lines(facts, indices), words, _form_of_fixed(facts))


def _form_of_local(facts: FunctionFacts, index: int) -> str:
    """Returns why a local address is known at run time only; empty for a fixed address."""
    address = facts.forms[index].address
    if address is None or (address.base == STACK_POINTER and address.more == NONE):
        return ""
    if address.more != NONE or address.base == NONE:
        return "indexed"
    origins = facts.origins
    writers = origins.writers(index, address.base)
    parts = origins.ancestors(writers - {OUTSIDE})
    if OUTSIDE in writers.union(*parts.values()):
        return "passed"
    is_of_stack = all(
        stem(facts.function.opcodes[part]) in _CHOOSING
        and (STACK_POINTER in facts.forms[part].written or not _reads_memory(facts, part))
        for part in parts
    )
    if not is_of_stack or _is_circular(parts):
        return "indexed"
    # A copy of the stack pointer is a fixed place, too.
    is_choice = len(writers) > 1 or any(_is_choice(facts, part) for part in parts)
    return "chosen" if is_choice else ""


def _is_choice(facts: FunctionFacts, index: int) -> bool:
    registers = numbers(facts.forms[index].reads & GENERAL)
    return (
        stem(facts.function.opcodes[index]) == "SEL"
        or bool(facts.function.predicates[index])
        or any(len(facts.origins.writers(index, register)) > 1 for register in registers)
    )


def _reads_memory(facts: FunctionFacts, index: int) -> bool:
    form = facts.forms[index]
    return form.address is not None or any(source.bank != NONE for source in form.sources)


def _is_circular(parts: Mapping[int, frozenset[int]]) -> bool:
    """Returns whether an instruction depends on itself, as in a loop."""
    missing = {index: set(parents) for index, parents in parts.items()}
    while ready := [index for index, parents in missing.items() if not parents & missing.keys()]:
        for index in ready:
            del missing[index]
    return bool(missing)


def _form_of_fixed(facts: FunctionFacts) -> str:
    """Returns why fixed places of the stack are used, as far as the code shows."""
    library = {part.name for part in facts.function.parts if is_of_library(part)}
    calls = facts.of_opcode("CALL")
    callees = {facts.function.operands[index].split("`(")[-1].rstrip(") ") for index in calls}
    # Arguments of printf and the like are passed on the stack, too.
    outside = any(".ABS" in facts.function.opcodes[index] for index in calls)
    if facts.passes_stack_addresses and not outside:
        return "address"
    return "calls" if callees - library else "fixed"


def narrow(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds neighbouring bytes that are accessed by a thread each."""
    wide = {_array_of(access) for access in facts.accesses if access.bytes >= _WORD}
    narrow_accesses = [
        access
        for access in facts.accesses
        if access.bytes < _WORD
        and _is_contiguous(access)
        # The remainder of an array that is mostly accessed by words.
        and not any(_is_same(_array_of(access), wide_array) for wide_array in wide)
    ]
    often = _innermost(facts)
    if 2 * len(often.intersection(access.index for access in narrow_accesses)) < len(often):
        return
    for size in sorted({access.bytes for access in narrow_accesses}):
        indices = tuple(sorted(access.index for access in narrow_accesses if access.bytes == size))
        yield RuleHit(
            _of_most_lines(facts, indices),
            {
                "what": _what_of(facts, indices),
                "bits": size * 8,
                "bytes": size * 32,
                "vector": f"{'char' if size == 1 else 'short'}{_WORD // size}",
            },
        )


def strided(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds threads that leave gaps between the bytes that they access."""
    gaps = _gaps(facts)
    for line in facts.by_line(sorted(gaps)):
        first = gaps[line[0]]
        yield RuleHit(line, {**first.words, "what": _what_of(facts, line)}, first.form)


@lru_cache(maxsize=1)
def _gaps(facts: FunctionFacts) -> Mapping[int, RuleHit]:
    """Returns the gaps between the accesses of neighbouring threads, by access."""
    inductions = cache(partial(Induction, facts))
    alike: dict[_Likeness, list[MemoryAccess]] = {}
    for access in facts.accesses:
        alike.setdefault(_likeness(access), []).append(access)
    gaps: dict[int, RuleHit] = {}
    for group in facts.groups:
        lane, width = group[0].lane, max(access.bytes for access in group)
        step = abs(lane.step)
        if width >= _VECTORS[0] or (lane.shape is LaneShape.STEP and width * 2 >= step):
            continue
        change = abs(_change(facts, inductions, group[0]))
        hit = None
        if lane.shape is LaneShape.SCALED:
            hit = RuleHit((), form="scaled")
        elif lane.shape is LaneShape.STEP:
            others = _of_same_base(facts, alike[_likeness(group[0])], group[0])
            hit = _known_gap(group, _used(others), goes_on=0 < change < step)
        elif lane.apart is Distance.LONG and 0 < change <= _UNROLLED * width:
            hit = RuleHit((), {"width": width}, "walk")
        if hit is not None:
            gaps |= {access.index: hit for access in group}
    return gaps


_Likeness = tuple[int, int, bool, Lane]


def _likeness(access: MemoryAccess) -> _Likeness:
    """Returns the properties shared by accesses that may differ by their offsets only."""
    base, more, _ = access.base
    return base, more, access.is_load, access.lane


def _known_gap(group: tuple[MemoryAccess, ...], used: int, *, goes_on: bool) -> RuleHit | None:
    """Returns the hit for accesses that leave gaps; None if others fill these.

    Args:
        group: The accesses, which differ by their offsets only.
        used: Bytes of each step that a thread accesses.
        goes_on: Whether the next pass of a loop accesses the gap.
    """
    step = abs(group[0].lane.step)
    words = {"step": step, "used": used, "width": max(access.bytes for access in group)}
    if step > _NEAR and (used > _SECTOR or goes_on):
        return RuleHit((), words, "block")
    is_left = used * 2 < min(step, _SECTOR) and not goes_on
    return RuleHit((), words, "known") if is_left else None


def _of_same_base(
    facts: FunctionFacts, alike: Iterable[MemoryAccess], first: MemoryAccess
) -> Iterator[MemoryAccess]:
    """Yields the accesses among `alike` with the base of `first`, in whatever block."""
    base = first.base[0]
    writers = facts.origins.writers(first.index, base)
    for access in alike:
        if access.base == first.base or facts.origins.writers(access.index, base) == writers:
            yield access


def _change(
    facts: FunctionFacts, inductions: Callable[[int], Induction], access: MemoryAccess
) -> int:
    """Returns how much the address grows in each pass of the innermost loop; 0 if unknown."""
    block = facts.graph.block_at(access.index)
    loop = facts.graph.innermost[block.id] if block is not None else NOWHERE
    if loop == NOWHERE:
        return 0
    lane = inductions(loop).change(Operand("", register=access.base[0]), access.index)
    return lane.step if lane.shape is LaneShape.STEP else 0


def no_vectors(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds neighbouring words that are accessed by an instruction each."""
    gaps = _gaps(facts)
    hits = [
        hit
        for group in facts.groups
        # That neighbouring threads are far apart is worse.
        if group[0].index not in gaps
        for run in _runs(facts, group)
        if (hit := _vector(run)) is not None
    ]
    first = {hit.indices[0]: hit for hit in hits}
    for line in facts.by_line(sorted(first)):
        indices = tuple(sorted(chain.from_iterable(first[at].indices for at in line)))
        yield RuleHit(indices, {**first[line[0]].words, "what": _what_of(facts, indices)})


def _vector(run: tuple[MemoryAccess, ...]) -> RuleHit | None:
    """Returns the hit for a run of neighbouring accesses; None if no vector access fits."""
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


def _runs(
    facts: FunctionFacts, group: tuple[MemoryAccess, ...]
) -> Iterator[tuple[MemoryAccess, ...]]:
    """Yields runs of neighbouring accesses of a thread, of the same width and condition."""
    run: list[MemoryAccess] = []
    for access in group:
        if access.lane.shape is not LaneShape.STEP or not access.lane.step or access.bytes > 8:
            continue
        if run and not _follows(facts, run[-1], access):
            yield tuple(run)
            run = []
        run.append(access)
    if run:
        yield tuple(run)


def _follows(facts: FunctionFacts, access: MemoryAccess, following: MemoryAccess) -> bool:
    conditions = facts.function.predicates
    return (
        access.bytes == following.bytes
        and access.offset + access.bytes == following.offset
        and conditions[access.index] == conditions[following.index]
    )


def _used(group: Iterable[MemoryAccess]) -> int:
    """Returns how many different bytes a thread accesses."""
    return len({at for a in group for at in range(a.offset, a.offset + a.bytes)})


def _is_contiguous(access: MemoryAccess) -> bool:
    return access.lane.shape is LaneShape.STEP and abs(access.lane.step) == access.bytes


def _innermost(facts: FunctionFacts) -> set[int]:
    """Returns the accesses inside most loops: probably most of all that is moved."""
    depths: dict[int, int] = {}
    for access in facts.accesses:
        block = facts.graph.block_at(access.index)
        depths[access.index] = facts.graph.depth(block.id) if block is not None else 0
    most = max(depths.values(), default=0)
    return {index for index, depth in depths.items() if depth == most}


def _array_of(access: MemoryAccess) -> tuple[bool, frozenset[str]]:
    """Returns whether an access is a load, and the parameters in the sum of the address."""
    return access.is_load, access.lane.terms


def _is_same(array: tuple[bool, frozenset[str]], wide_array: tuple[bool, frozenset[str]]) -> bool:
    """Returns whether both addresses are sums with the same pointer."""
    (is_load, terms), (is_other_load, others) = array, wide_array
    is_part = bool(terms and others) and (terms <= others or others <= terms)
    return is_part and is_load == is_other_load


def _stack_bytes(needs: Resources) -> int | None:
    sizes = [size for size in (needs.stack_bytes, needs.local_bytes) if size is not None]
    return max(sizes, default=None)


def _what_of(facts: FunctionFacts, indices: tuple[int, ...]) -> str:
    kinds = {facts.access_at[index].is_load for index in indices}
    return "accesses" if len(kinds) == 2 else "loads" if True in kinds else "stores"


def _of_most_lines(facts: FunctionFacts, indices: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the instructions, those of the line with most instructions first."""
    lines = sorted(facts.by_line(indices), key=len, reverse=True)
    return tuple(chain.from_iterable(lines))
