"""Single precision on a detour through double precision."""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.analysis.findings.facts import Evidence
from jitstudio.analysis.findings.model import Remark
from jitstudio.analysis.findings.operands import stem
from jitstudio.analysis.findings.origins import Origins, is_narrowing
from jitstudio.analysis.findings.transfer import DOUBLES
from jitstudio.analysis.sass.opcodes import class_of

# What roots and quotients begin with; the rest of them is multiplications with literals.
_BEGINNINGS = {"MUFU.RSQ64H": "a root", "MUFU.RCP64H": "a quotient"}
_DOUBLE_BITS = 64


def doubles(evidence: Evidence) -> Iterator[Remark]:
    """Single precision that is computed in double because of a literal or a function."""
    opcodes = evidence.function.opcodes
    own = set(evidence.own)
    accidents = own.intersection(evidence.warp.accidents)
    beginnings = [index for index in evidence.own if opcodes[index] in _BEGINNINGS]
    if not accidents and not beginnings:
        return
    origins = Origins(evidence)
    idle, meant = _purposes(evidence, origins)
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
    for line in evidence.by_line(sorted(accidents & idle | compared | functions)):
        if functions.issuperset(line):
            kinds = dict.fromkeys(_BEGINNINGS[opcodes[index]] for index in line)
            yield Remark(line, {"what": " and ".join(kinds)}, "function")
        else:
            told = dict.fromkeys(stem(opcodes[index]) for index in line if index in accidents)
            yield Remark(line, {"opcodes": ", ".join(told)})


def _purposes(evidence: Evidence, origins: Origins) -> tuple[set[int], set[int]]:
    """What only leads from single precision back to it; and what has a part in more than that."""
    opcodes = evidence.function.opcodes
    ends = {index for index in evidence.own if is_narrowing(opcodes[index])}
    detours = ends & origins.singles(ends)
    meant = set(origins.ancestors(ends - detours | set(_double_stores(evidence))))
    return origins.ancestors(detours).keys() - meant, meant


def _double_stores(evidence: Evidence) -> Iterator[int]:
    """Stores that are wide enough for double precision."""
    for index in evidence.own:
        known = class_of(evidence.function.opcodes[index])
        writes = known.is_store or known.is_atomic
        if writes and (known.bits or _DOUBLE_BITS) >= _DOUBLE_BITS:
            yield index
