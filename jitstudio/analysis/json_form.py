"""Machine code and what was found in it as JSON objects, documented in README.md and kept stable.

Fields are only ever added. What is not known is null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jitstudio.analysis.classes import InstructionClass
from jitstudio.analysis.control import decode
from jitstudio.analysis.findings.model import Finding
from jitstudio.analysis.flow.graph import FlowGraph
from jitstudio.analysis.model import NOWHERE, LiveRegisters, Place, Places, SassFunction
from jitstudio.analysis.occupancy.calculate import Occupancy, Usage
from jitstudio.analysis.occupancy.curves import Point
from jitstudio.analysis.report import KernelReport

Json = dict[str, Any]

if TYPE_CHECKING:
    # It loads NumPy, which few commands need.
    from jitstudio.analysis.correlation.inlined import Inlining

_DIFFERENT = 4096
# All that is above the operands in an encoding, where the control bits are.
_CONTROL_BITS = ~0 << 105


def report_object(report: KernelReport, function: SassFunction) -> Json:
    """A kernel in numbers."""
    return asdict(report.resources) | {
        "instructions": report.instructions,
        "padding": len(function) - report.instructions,
        "code_bytes": report.code_bytes,
        "groups": {group.value: count for group, count in report.groups.items()},
        "classes": [_class(each.kind) | {"count": each.count} for each in report.counts],
        "peak_live_registers": report.peak and report.peak._asdict(),
        "peak_addresses": [function.addresses[index] for index in report.peak_indices],
    }


def occupancy_object(
    usage: Usage, found: Occupancy, what_if: Mapping[str, Sequence[Point]]
) -> Json:
    """How full a multiprocessor is, and what other values would make of it."""
    return {
        **asdict(usage),
        "blocks": found.blocks,
        "warps": found.warps,
        "fraction": found.fraction,
        "limits": [
            {
                "resource": limiter.resource.value,
                "blocks": limiter.blocks,
                "limiting": limiter.limits,
            }
            for limiter in found.limiters
        ],
        "what_if": {
            name: [point._asdict() for point in points] for name, points in what_if.items()
        },
    }


def cfg_object(graph: FlowGraph, function: SassFunction) -> Json:
    """The control flow; `start` and `end` are indices of instructions, the end not included."""
    return {
        "blocks": [
            {
                "id": block.id,
                "name": block.name,
                "start": block.start,
                "end": block.end,
                "address": function.addresses[block.start],
                "is_entry": block.is_entry,
                "leads_away": block.leads_away,
                "loop_depth": graph.depth(block.id),
            }
            for block in graph.blocks
        ],
        "edges": [
            {"source": edge.source, "target": edge.target, "kind": edge.kind.value}
            for edge in graph.edges
        ],
        "loops": [
            {
                "head": loop.head,
                "blocks": sorted(loop.blocks),
                "depth": loop.depth,
                "entries": list(loop.entries),
            }
            for loop in graph.loops
        ],
    }


def finding_object(finding: Finding, function: SassFunction) -> Json:
    """Something that may cost time."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "title": finding.title,
        "reason": finding.reason,
        "remedy": finding.remedy,
        **_places(finding.places),
        "ptx_line": finding.ptx_line or None,
        "addresses": [function.addresses[index] for index in finding.indices],
    }


def inlining_object(inlining: Inlining, names: Mapping[str, str]) -> Json:
    """What an LTO link inlined; `names` has lowered names in words of C++."""
    return {
        "calls": [
            {
                "function": one.function or None,
                "demangled": names.get(one.function, one.function) or None,
                "into": one.into,
                "into_demangled": names.get(one.into, one.into),
                **_places((one.place, *one.calls)),
                "ptx_line": one.ptx_line,
                "ptx_instructions": one.instructions,
            }
            for one in inlining.found
        ],
        "no_line_table": list(inlining.untold),
    }


def instruction_objects(function: SassFunction, ptx_source: str = "") -> list[Json]:
    """All instructions, also those that only fill the last cache line.

    Args:
        function: Whose.
        ptx_source: The module if it was written in PTX, so that lines of PTX are its source.
    """
    places = [_places(each) for each in function.places]
    lines = set(function.ptx_lines) - {0} if ptx_source else ()
    in_ptx = {line: _places((Place(ptx_source, line),)) for line in lines}
    nowhere = _places(())
    has_encodings = bool(function.encodings)
    columns = zip(
        function.addresses,
        function.predicates,
        function.opcodes,
        function.operands,
        function.place_ids,
        function.ptx_lines,
        strict=True,
    )
    return [
        {
            "address": address,
            "predicate": predicate or None,
            "opcode": opcode,
            "operands": operands,
            **(places[place] if place != NOWHERE else in_ptx.get(ptx_line, nowhere)),
            "ptx_line": ptx_line or None,
            "live_registers": _live(function.live_at(index)),
            "control": _control(function.encoding(index) & _CONTROL_BITS)
            if has_encodings
            else None,
        }
        for index, (address, predicate, opcode, operands, place, ptx_line) in enumerate(columns)
    ]


def _class(kind: InstructionClass) -> Json:
    access = {"load": kind.is_load, "store": kind.is_store, "atomic": kind.is_atomic}
    return {
        "title": kind.title,
        "group": kind.group.value,
        "space": kind.space.value if kind.space else None,
        "bits": kind.bits,
        "precision": kind.precision or None,
        "access": [word for word, is_so in access.items() if is_so],
    }


def _places(places: Places) -> Json:
    """The line itself, and the calls it was inlined through."""
    own = places[0] if places else None
    return {
        "source_file": own.file if own else None,
        "source_line": own.line if own else None,
        "inlined_at": [_place(place) for place in places[1:]],
    }


def _place(place: Place) -> Json:
    return {"file": place.file, "line": place.line}


# Few are different: an object for each of them is made once.
@lru_cache(_DIFFERENT)
def _live(counts: LiveRegisters | None) -> Json | None:
    return counts._asdict() if counts else None


@lru_cache(_DIFFERENT)
def _control(encoding: int) -> Json:
    control = decode(encoding)
    return {
        "stall": control.stall,
        "yield": control.yields,
        "read_barrier": control.read_barrier,
        "write_barrier": control.write_barrier,
        "wait_mask": control.wait_mask,
        "reuse": control.reuse,
    }
