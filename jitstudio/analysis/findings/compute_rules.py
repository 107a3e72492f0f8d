"""Rules about arithmetic, and about predicates."""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.analysis.findings.facts import Evidence
from jitstudio.analysis.findings.model import Remark
from jitstudio.analysis.findings.operands import NONE, guard, stem

_COMPARISONS = ("ISETP", "FSETP", "DSETP", "HSETP2")
# Multiplications, each with an addition and what would do the work of both.
_FUSED = {"FMUL": ("FADD", "FFMA"), "DMUL": ("DADD", "DFMA"), "HMUL2": ("HADD2", "HFMA2")}
# Modifiers that change nothing about whether both can be one.
_HARMLESS = frozenset(("FTZ", "BF16_V2", "F32"))
# An index into an array in registers is resolved by one predicated move for each element, all of
# them to the same register. Functions such as sinf do so too, with fewer elements.
_MOVES = ("MOV", "IMAD.MOV", "IMAD.MOV.U32")
_CHAIN, _SHORT_CHAIN = 12, 4


def predicates(evidence: Evidence) -> Iterator[Remark]:
    """Work whose predicate makes it of no use."""
    resolved = set()
    for chains in _chains(evidence):
        resolved.add(evidence.line(chains[0][0]))
        indices = tuple(sorted(at for chain in chains if len(chain) >= _CHAIN for at in chain))
        if indices:
            yield Remark(indices, {"count": len(indices)}, "chain")
    unread = [
        index
        for index in evidence.of_opcode(*_COMPARISONS)
        if (results := evidence.forms[index].results)
        and not any(evidence.live[index] >> register & 1 for register in results)
        # Such a comparison is left over from a chain, however short.
        and evidence.line(index) not in resolved
    ]
    for line in evidence.by_line(unread):
        yield Remark(line, {"count": len(line)}, "unread" if len(line) == 1 else "several_unread")


def _chains(evidence: Evidence) -> Iterator[list[list[int]]]:
    """Moves that resolve an index into an array in registers, those of a line together."""
    function = evidence.function
    for line in evidence.by_line(evidence.own):
        moves: dict[int, list[int]] = {}
        for index in line:
            if function.opcodes[index] in _MOVES and guard(function.predicates[index]) != NONE:
                for register in evidence.forms[index].results:
                    moves.setdefault(register, []).append(index)
        chains = [chain for chain in moves.values() if len(chain) >= _SHORT_CHAIN]
        if chains:
            yield chains


def missed_fma(evidence: Evidence) -> Iterator[Remark]:
    """A product that is only added to, and yet rounded before."""
    function = evidence.function
    pairs: dict[int, tuple[int, int]] = {}
    for block in evidence.graph.blocks:
        products: dict[int, int] = {}
        for index in range(block.start, block.end):
            form, opcode = evidence.forms[index], function.opcodes[index]
            used = [s.register for s in form.sources if s.register in products]
            for register in dict.fromkeys(used):
                product = products.pop(register)
                if _is_fusible(evidence, product, index, register) and used.count(register) == 1:
                    pairs[product] = (product, index)
            for register in form.written:
                products.pop(register, None)
            if stem(opcode) in _FUSED and form.results and not function.predicates[index]:
                products[form.results[0]] = index
    own = set(evidence.own)
    for line in evidence.by_line(sorted(product for product in pairs if product in own)):
        indices = tuple(sorted(index for product in line for index in pairs[product]))
        opcode = stem(function.opcodes[line[0]])
        addition, fused = _FUSED[opcode]
        yield Remark(indices, {"mul": opcode, "add": addition, "fused": fused})


def _is_fusible(evidence: Evidence, product: int, addition: int, register: int) -> bool:
    """Whether both could be one: nobody else reads the product, and no rounding is asked for."""
    function = evidence.function
    first, second = function.opcodes[product], function.opcodes[addition]
    read_again = register not in evidence.forms[addition].written and (
        evidence.live[addition] >> register & 1
    )
    return (
        stem(second) == _FUSED[stem(first)][0]
        and not function.predicates[addition]
        and not read_again
        and all(_HARMLESS.issuperset(opcode.split(".")[1:]) for opcode in (first, second))
    )
