"""The rule about spilled registers: the bound on registers, and the values in registers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.model import RuleHit
from jitstudio.analysis.sass.model import InlineChain, SourceLocation
from jitstudio.analysis.sass.operands import GENERAL, STACK_POINTER, numbers
from jitstudio.listing.lines import NOWHERE

_LOCAL = ("LDL", "STL")
# Of a multiprocessor of each target since sm_70; a warp takes them in steps of 8 for a thread.
_REGISTERS, _STEP, _WARP = 65536, 8, 32
_MOST_REGISTERS, _MOST_BLOCKS, _MOST_THREADS = 255, 32, 2048
_MOST_LINES = 5


def spills(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds kernels whose registers were not enough."""
    needs = facts.resources
    stores, loads = (needs.spill_stores or 0, needs.spill_loads or 0) if needs else (0, 0)
    if needs is None or not (stores or loads):
        return
    indices = facts.of_opcode(*_LOCAL)
    form, blocks = _bound(needs.registers, needs.max_threads)
    words = {
        "stores": stores,
        "loads": loads,
        "registers": needs.registers,
        "threads": needs.max_threads,
        "blocks": blocks,
        "alive": _alive(facts),
    }
    lines = Counter(_own_line(facts, index) for index in indices)
    ordered = sorted(indices, key=lambda index: -lines[_own_line(facts, index)])
    yield RuleHit(tuple(ordered), words, form, places=_own_places(facts, ordered))


def _bound(registers: int | None, threads: int | None) -> tuple[str, str]:
    """Returns the bound that keeps a kernel from more registers, and the promised blocks.

    ``__launch_bounds__`` wins over ``--maxrregcount``, and ``__maxnreg__`` cannot stand beside it:
    a count below that of its first number comes from its second. Several of these may leave the
    same number of registers: ``7 to 8``.
    """
    if registers is None:
        return "", ""
    if registers > _MOST_REGISTERS - _STEP:
        return "most", ""
    if threads is None:
        return "count", ""
    if registers > registers_for(threads, 1) - _STEP:
        return "threads", ""
    most = min(_MOST_BLOCKS, _MOST_THREADS // threads)
    fitting = [
        str(blocks)
        for blocks in range(2, most + 1)
        if registers - _STEP < registers_for(threads, blocks) <= registers
    ]
    if not fitting:
        return "", ""
    return "blocks", fitting[0] if len(fitting) == 1 else f"{fitting[0]} to {fitting[-1]}"


def registers_for(threads: int, blocks: int) -> int:
    """Returns the registers that a thread may have with `blocks` resident blocks of `threads`."""
    warps = -(-threads // _WARP) * blocks
    return min(_MOST_REGISTERS, _REGISTERS // (warps * _WARP) // _STEP * _STEP)


def _alive(facts: FunctionFacts) -> str:
    """Returns the source lines of values alive at the peak, and of spilled values."""
    masks = [facts.live_behind(at) & GENERAL & ~(1 << STACK_POINTER) for at in facts.own]
    if not masks:
        return ""
    alive = max(masks, key=int.bit_count)
    peak = facts.own[masks.index(alive)]
    alive_by_line = _by_line(facts, ((peak + 1, register) for register in numbers(alive)))
    stored = _by_line(
        facts,
        (
            (index, register)
            for index in facts.of_opcode("STL")
            for register in numbers(facts.forms[index].reads & GENERAL & ~(1 << STACK_POINTER))
        ),
    )
    most = alive.bit_count()
    at_peak = (
        f"Where most are alive, {most} registers hold values: {alive_by_line}. "
        if alive_by_line
        else ""
    )
    return f"{at_peak}Those stored are: {stored}. " if stored else at_peak


def _by_line(facts: FunctionFacts, values: Iterable[tuple[int, int]]) -> str:
    """Returns the count of values of each line, by the registers that instructions read."""
    counts: Counter[SourceLocation] = Counter()
    for index, register in values:
        writers = sorted(facts.origins.writers(index, register))
        line = _own_line(facts, writers[-1]) if writers and writers[-1] >= 0 else None
        if line is not None:
            counts[line] += 1
    of_lines = [f"{count} of line {line.line}" for line, count in counts.most_common(_MOST_LINES)]
    return ", ".join(of_lines)


def _own_line(facts: FunctionFacts, index: int) -> SourceLocation | None:
    """Returns the line of an instruction; of inlined code that of the outermost call."""
    place = facts.function.place_ids[index]
    return facts.function.places[place][-1] if place != NOWHERE else None


def _own_places(facts: FunctionFacts, indices: list[int]) -> InlineChain:
    line = _own_line(facts, indices[0]) if indices else None
    return (line,) if line else ()
