"""Runs all rules over a function; empty where nothing costs time needlessly.

A rule reads instructions only, and may be wrong; the words of a rule that guesses say so. The words
are data, in `resources/analysis/findings.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from jitstudio.analysis.findings import (
    alias_rules,
    compute_rules,
    index_rules,
    loop_rules,
    memory_rules,
    spill_rules,
    warp_rules,
)
from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.findings.model import Finding, RuleHit, grouped, text_of
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.core.result import Resources

Rule = Callable[[FunctionFacts], Iterator[RuleHit]]

RULES: Mapping[str, Rule] = {
    "spills": spill_rules.spills,
    "local": memory_rules.local_memory,
    "strided": memory_rules.strided,
    "banks": warp_rules.bank_conflicts,
    "aliased": alias_rules.aliased,
    "double": compute_rules.doubles,
    "divergent": loop_rules.divergence,
    "parted": warp_rules.every_nth,
    "atomics": warp_rules.one_address,
    "division": index_rules.divisions,
    "wraps": index_rules.wrapping,
    "generic": alias_rules.generic,
    "narrow": memory_rules.narrow,
    "scalar": memory_rules.no_vectors,
    "predicated": compute_rules.predicates,
    "unfused": compute_rules.missed_fma,
}
"""All rules by name, in the order in which findings are reported."""


def findings(
    function: SassFunction, resources: Resources | None, module: str = ""
) -> tuple[Finding, ...]:
    """Returns the findings of all rules on a function, once a cause; by rule, then by the code.

    Args:
        function: The code.
        resources: The resources that tools report; None where no tool does.
        module: The module of the code, whose language the words are for where the code has no line
            table.
    """
    facts = FunctionFacts(function, resources)
    return grouped(
        _finding(name, hit, function, module) for name, rule in RULES.items() for hit in rule(facts)
    )


def _finding(rule: str, hit: RuleHit, function: SassFunction, module: str) -> Finding:
    first = function[hit.indices[0]] if hit.indices else None
    places = hit.places or (first.places if first is not None else ())
    finding = text_of(rule, hit, places, module, is_of_tiles=function.is_of_tiles)
    if first is None:
        return finding
    return replace(finding, places=places, lines=places[:1], ptx_line=first.ptx_line)
