"""Rules about arithmetic, and about predicates."""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.lanes import DOUBLES
from jitstudio.analysis.findings.model import RuleHit
from jitstudio.analysis.findings.origins import is_narrowing
from jitstudio.analysis.sass.opcodes import class_of, stem
from jitstudio.analysis.sass.operands import NONE, guard

_COMPARISONS = ("ISETP", "FSETP", "DSETP", "HSETP2")
# Multiplications, each with an addition and the opcode that does the work of both.
_FUSED = {"FMUL": ("FADD", "FFMA"), "DMUL": ("DADD", "DFMA"), "HMUL2": ("HADD2", "HFMA2")}
# Modifiers that do not matter to whether both can be fused.
_HARMLESS = frozenset(("FTZ", "BF16_V2", "F32"))
# An index into an array in registers is resolved by one predicated move for each element, all of
# them to the same register. Functions such as sinf do so too, with fewer elements.
_MOVES = ("MOV", "IMAD.MOV", "IMAD.MOV.U32")
_CHAIN, _SHORT_CHAIN = 12, 4


def predicates(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds work whose predicate makes it useless."""
    resolved = set()
    for chains in _chains(facts):
        resolved.add(facts.line(chains[0][0]))
        indices = tuple(sorted(at for chain in chains if len(chain) >= _CHAIN for at in chain))
        if indices:
            yield RuleHit(indices, {"count": len(indices)}, "chain")
    unread = [
        index
        for index in facts.of_opcode(*_COMPARISONS)
        if (results := facts.forms[index].results)
        and not any(facts.is_live_behind(index, register) for register in results)
        # A comparison for a chain is left over, however short the chain.
        and facts.line(index) not in resolved
    ]
    for line in facts.by_line(unread):
        yield RuleHit(line, {"count": len(line)}, "unread" if len(line) == 1 else "several_unread")


def _chains(facts: FunctionFacts) -> Iterator[list[list[int]]]:
    """Yields the moves that resolve an index into an array in registers, by line."""
    function = facts.function
    for line in facts.by_line(facts.own):
        moves: dict[int, list[int]] = {}
        for index in line:
            if function.opcodes[index] in _MOVES and _is_choice(facts, index):
                for register in facts.forms[index].results:
                    moves.setdefault(register, []).append(index)
        chains = [chain for chain in moves.values() if len(chain) >= _SHORT_CHAIN]
        if chains:
            yield chains


def _is_choice(facts: FunctionFacts, index: int) -> bool:
    """Returns whether an instruction runs only for a certain index, as far as is known."""
    condition = guard(facts.function.predicates[index])
    block = facts.graph.block_at(index)
    if condition == NONE or block is None:
        return False
    comparison = facts.last_writer(block, index, condition)
    if comparison == NONE:
        return True
    opcode, *modifiers = facts.function.opcodes[comparison].split(".")
    is_equality = opcode == "ISETP" and not {"EQ", "NE"}.isdisjoint(modifiers)
    sources = facts.forms[comparison].sources
    return is_equality and any(source.constant is not None for source in sources[:2])


def missed_fma(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds products that are only added to something, and still rounded before."""
    function = facts.function
    pairs: dict[int, tuple[int, int]] = {}
    for block in facts.graph.blocks:
        products: dict[int, int] = {}
        for index in range(block.start, block.end):
            form, opcode = facts.forms[index], function.opcodes[index]
            used = [s.register for s in form.sources if s.register in products]
            for register in dict.fromkeys(used):
                product = products.pop(register)
                if _is_fusible(facts, product, index, register) and used.count(register) == 1:
                    pairs[product] = (product, index)
            for register in form.written:
                products.pop(register, None)
            if stem(opcode) in _FUSED and form.results and not function.predicates[index]:
                products[form.results[0]] = index
    own = set(facts.own)
    for line in facts.by_line(sorted(product for product in pairs if product in own)):
        indices = tuple(sorted(index for product in line for index in pairs[product]))
        opcode = stem(function.opcodes[line[0]])
        addition, fused = _FUSED[opcode]
        yield RuleHit(indices, {"mul": opcode, "add": addition, "fused": fused})


def _is_fusible(facts: FunctionFacts, product: int, addition: int, register: int) -> bool:
    """Returns whether both could be fused: the product has no other use, no rounding is set."""
    function = facts.function
    # The fused opcode has no absolute values.
    if any("|" in function.operands[index] for index in (product, addition)):
        return False
    first, second = function.opcodes[product], function.opcodes[addition]
    read_again = register not in facts.forms[addition].written and (
        facts.is_live_behind(addition, register)
    )
    return (
        stem(second) == _FUSED[stem(first)][0]
        and not function.predicates[addition]
        and not read_again
        and all(_HARMLESS.issuperset(opcode.split(".")[1:]) for opcode in (first, second))
    )


# ---- Single precision on a detour through double precision

# The opcodes with which roots and quotients begin; the rest is multiplications with literals.
_BEGINNINGS = {"MUFU.RSQ64H": "a root", "MUFU.RCP64H": "a quotient"}
_DOUBLE_BITS = 64


def doubles(facts: FunctionFacts) -> Iterator[RuleHit]:
    """Finds single precision that is computed in double because of a literal or a function."""
    opcodes = facts.function.opcodes
    own = set(facts.own)
    accidents = own.intersection(facts.warp.accidents)
    beginnings = [index for index in facts.own if opcodes[index] in _BEGINNINGS]
    if not accidents and not beginnings:
        return
    origins = facts.origins
    idle, meant = _purposes(facts)
    compared = {
        index
        for index in accidents
        if stem(opcodes[index]) == "DSETP" and origins.parents(index).isdisjoint(meant)
    }
    functions = {
        index
        for index in idle.intersection(beginnings)
        if all(
            parent in accidents or stem(opcodes[parent]) not in DOUBLES
            for parent in origins.parents(index)
        )
    }
    for line in facts.by_line(sorted(accidents & idle | compared | functions)):
        if functions.issuperset(line):
            kinds = dict.fromkeys(_BEGINNINGS[opcodes[index]] for index in line)
            yield RuleHit(line, {"what": " and ".join(kinds)}, "function")
        else:
            stems = dict.fromkeys(stem(opcodes[index]) for index in line if index in accidents)
            yield RuleHit(line, {"opcodes": ", ".join(stems)})


def _purposes(facts: FunctionFacts) -> tuple[set[int], set[int]]:
    """Returns the instructions that only lead back to single precision, and all with more use."""
    opcodes, origins = facts.function.opcodes, facts.origins
    ends = {index for index in facts.own if is_narrowing(opcodes[index])}
    detours = ends & origins.singles(ends)
    meant = set(origins.ancestors(ends - detours | set(_double_stores(facts))))
    return origins.ancestors(detours).keys() - meant, meant


def _double_stores(facts: FunctionFacts) -> Iterator[int]:
    """Yields stores that are wide enough for double precision."""
    for index in facts.own:
        instruction_class = class_of(facts.function.opcodes[index])
        writes = instruction_class.is_store or instruction_class.is_atomic
        if writes and (instruction_class.bits or _DOUBLE_BITS) >= _DOUBLE_BITS:
            yield index
