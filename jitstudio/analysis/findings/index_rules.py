"""Rules about the arithmetic of indices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.model import RuleHit
from jitstudio.analysis.findings.origins import OUTSIDE
from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.operands import NONE, Operand, guard
from jitstudio.listing.lines import NOWHERE

# ---- Quotients and remainders by divisors known at run time only

# ptxas multiplies by a single-precision reciprocal, made less by so many of its last places:
# 0x0ffffffe.
_LESSENED = 0xFFFFFFE
_SUMS = ("IADD", "IADD3", "VIADD")
_ADDING = frozenset((*_SUMS, "UIADD3", "IMAD", "LEA"))
# Divisions of 16 and of 64 bits call a routine of ptxas, such as __cuda_sm20_div_s64.
_ROUTINE = re.compile(r"__cuda_sm\d+_(?:div|rem)_[us](?P<bits>16|64)\b")


def divisions(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds quotients and remainders of whole numbers by divisors that are no literals."""
    bits: dict[int, int] = {}
    lengths = {part.name: part.end - part.start for part in facts.function.parts}
    for index in facts.of_opcode("CALL"):
        if routine := _ROUTINE.search(facts.function.operands[index]):
            bits[index] = int(routine["bits"])
    bits |= dict.fromkeys(reciprocals(facts), 32)
    counting = set(_countings(facts, bits))
    reported = (bits.keys() - counting).intersection(facts.written_here)
    for line in facts.by_line(sorted(reported)):
        # A division of 64 bits has one of 32 bits beside it, for small numbers.
        most = max(bits[index] for index in line)
        routines = [facts.function.operands[at] for at in line if bits[at] == most != 32]
        count = next((n for name, n in lengths.items() if routines and name in routines[0]), 0)
        words = {"bits": most, "count": count}
        places = tuple(index for index in line if bits[index] == most)
        yield RuleHit(places, words, "routine" if count else "")


def _countings(facts: FunctionFacts, divisions: Iterable[int]) -> Iterator[int]:
    """Yields the divisions by which the compiler counts the passes of an unrolled loop.

    These are on the line of the loop, divide by the step of a pass, and decide jumps.
    """
    graph, predicates = facts.graph, facts.function.predicates
    loops: dict[object, set[int]] = {}
    for block in graph.blocks:
        if graph.innermost[block.id] != NOWHERE and predicates[block.end - 1]:
            loops.setdefault(facts.line(block.end - 1), set()).add(graph.innermost[block.id])
    for index in divisions:
        divisor = _divisor(facts, index)
        if (
            divisor
            and any(divisor in _steps(facts, at) for at in loops.get(facts.line(index), ()))
            and any(
                index in facts.origins.behind(jump, condition)
                for block in graph.blocks
                if (condition := guard(predicates[jump := block.end - 1])) != NONE
            )
        ):
            yield index


def _divisor(facts: FunctionFacts, index: int) -> frozenset[object]:
    """Returns the origins of the divisor of a division, by the reciprocal made less."""
    for _ in range(2):
        index = max(facts.origins.parents(index), default=NOWHERE)
        if index < 0:
            return frozenset()
    sources = facts.forms[index].sources
    return _made_of(facts, index, sources[0]) if sources else frozenset()


def _steps(facts: FunctionFacts, number: int) -> set[frozenset[object]]:
    """Returns the origins of each number that a loop adds."""
    blocks = (facts.graph.blocks[id_] for id_ in facts.graph.loops[number].blocks)
    return {
        _made_of(facts, index, source)
        for block in blocks
        for index in range(block.start, block.end)
        if stem(facts.function.opcodes[index]) in _ADDING
        for source in facts.forms[index].sources
        if source.register != NONE or source.bank != NONE
    }


def _made_of(facts: FunctionFacts, index: int, operand: Operand) -> frozenset[object]:
    """Returns the parameters and the loads that an operand of an instruction is computed from."""
    if operand.register == NONE:
        return frozenset((operand.text.lstrip("-|").rstrip("|"),))
    writers = facts.origins.writers(index, operand.register)
    origins: set[object] = set()
    for part in facts.origins.ancestors(writers - {OUTSIDE}):
        form = facts.forms[part]
        banks = [source.text for source in form.sources if source.bank != NONE]
        origins.update(banks or [part] if form.address is not None or banks else ())
    return frozenset(origins)


def reciprocals(facts: FunctionFacts) -> Iterator[int]:
    """Yields the instructions that lessen the reciprocal of a divisor, once for each division."""
    opcodes = facts.function.opcodes
    for index in facts.of_opcode(*_SUMS):
        sources = facts.forms[index].sources
        if any(source.constant == _LESSENED for source in sources) and any(
            opcodes[writer].startswith("MUFU.RCP")
            for source in sources
            if source.register != NONE
            for writer in facts.origins.writers(index, source.register)
            if writer >= 0
        ):
            yield index


# ---- The number of a thread in 32 bits, compared with a number of 64

_WIDE = frozenset(("S64", "U64"))
_BLOCK = "SR_CTAID."
_PRODUCTS = frozenset(("IMAD", "UIMAD", "LEA", "SHF"))


def wrapping(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds 32-bit products of the block's number that are compared with 64-bit numbers."""
    compared = [index for index in facts.written_here if _is_of_64_bits(facts, index)]
    # A loop goes on in 64 bits, from a number that is less than that of all threads.
    if any(_depth(facts, index) for index in compared):
        return
    products: dict[int, list[int]] = {}
    for index in compared:
        for low, high, other_high in _sides(facts, index):
            if _is_extension(facts, index, high, low) and _is_wide(facts, index, other_high):
                for product in _products(facts, index, low):
                    products.setdefault(product, []).append(index)
    for line in facts.by_line(sorted(products)):
        compared_with = dict.fromkeys(index for product in line for index in products[product])
        yield RuleHit((*line, *(index for index in compared_with if index not in line)))


def _is_of_64_bits(facts: FunctionFacts, index: int) -> bool:
    opcode, *modifiers = facts.function.opcodes[index].split(".")
    return opcode in ("ISETP", "UISETP") and ("EX" in modifiers or not _WIDE.isdisjoint(modifiers))


def _depth(facts: FunctionFacts, index: int) -> int:
    block = facts.graph.block_at(index)
    return facts.graph.depth(block.id) if block is not None else 0


_Part = tuple[int, Operand]
"""An instruction, and an operand of that instruction."""


def _sides(facts: FunctionFacts, index: int) -> Iterator[tuple[_Part, _Part, _Part]]:
    """Yields the lower and upper word of each side of a comparison, and the opposite upper."""
    sources = facts.forms[index].sources
    if len(sources) < 2:
        return
    left, right, *more = sources
    if "EX" not in facts.function.opcodes[index].split("."):
        for this, that in ((left, right), (right, left)):
            yield (index, this), (index, _upper(this)), (index, _upper(that))
        return
    lower = more[-1].register if more else NONE
    for writer in facts.origins.writers(index, lower) if lower != NONE else ():
        if writer >= 0 and len(facts.forms[writer].sources) > 1:
            first, second = facts.forms[writer].sources[:2]
            yield (writer, first), (index, left), (index, right)
            yield (writer, second), (index, right), (index, left)


def _upper(pair: Operand) -> Operand:
    return pair._replace(register=pair.register + 1) if pair.register != NONE else pair


def _is_extension(facts: FunctionFacts, index: int, high: _Part, low: _Part) -> bool:
    """Returns whether an upper word is zero, or the sign of the lower word."""
    at, operand = high
    if operand.is_zero:
        return True
    if operand.register == NONE:
        return False
    writers = facts.origins.writers(at, operand.register)
    return bool(writers) and all(w >= 0 and _is_sign_or_zero(facts, w) for w in writers)


def _is_sign_or_zero(facts: FunctionFacts, index: int) -> bool:
    opcode, sources = facts.function.opcodes[index], facts.forms[index].sources
    is_sign = re.match(r"U?SHF\.R\.S32\.HI\b", opcode) is not None
    return (is_sign and any(source.constant == 0x1F for source in sources)) or all(
        source.constant == 0 or source.text in ("0", "-RZ") for source in sources
    )


def _is_wide(facts: FunctionFacts, index: int, side: _Part) -> bool:
    """Returns whether a number is read in 64 bits, such as a parameter."""
    at, operand = side
    if operand.bank != NONE:
        return True
    if operand.register == NONE:
        return False
    writers = facts.origins.writers(at, operand.register)
    return bool(writers) and all(
        writer >= 0
        and (
            any(source.bank != NONE for source in facts.forms[writer].sources)
            or facts.forms[writer].address is not None
        )
        for writer in writers
    )


def _products(facts: FunctionFacts, index: int, low: _Part) -> Iterator[int]:
    """Yields the product of the block's number that a word originates from."""
    at, operand = low
    if operand.register == NONE:
        return
    function, origins = facts.function, facts.origins
    writers = origins.writers(at, operand.register)
    parts = origins.ancestors(writers - {OUTSIDE})
    blocks = {part for part in parts if function.operands[part].partition(_BLOCK)[1]}
    for part in sorted(parts):
        opcode = function.opcodes[part]
        is_product = stem(opcode) in _PRODUCTS and ".MOV" not in opcode
        if is_product and not blocks.isdisjoint(origins.behind(part)) and "WIDE" not in opcode:
            yield part
            return
