"""The JSON objects of machine code: for `jitstudio inspect` and `jitstudio diff`.

See `commands.json_output`, which has those of builds and launches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import starmap
from struct import Struct

from jitstudio.analysis.control_flow import FlowGraph
from jitstudio.analysis.diff.model import Comparison, Hunk
from jitstudio.analysis.diff.program import FigureDelta
from jitstudio.analysis.findings.model import Finding
from jitstudio.analysis.occupancy.calculate import CurvePoint, Occupancy, Usage
from jitstudio.analysis.report import KernelReport
from jitstudio.analysis.sass.model import LiveRegisters, SassFunction, SourceLocation, control_of
from jitstudio.analysis.sass.opcodes import InstructionClass
from jitstudio.commands.json_output import Json, diagnostic_object, finding_words, places_object
from jitstudio.commands.machine_code import CodeDifference, ComparedInput, Inspected, MachineCode
from jitstudio.core.result import StageResult
from jitstudio.listing.lines import NOWHERE

_DIFFERENT = 4096
_HALF_BITS = 64
_HALVES = Struct("<QQ")
# All that is above the operands in the upper half of an encoding, where the control bits are.
_CONTROL_BITS = ~0 << 105 - _HALF_BITS


def inspect_object(read: MachineCode, functions: Sequence[Inspected]) -> Json:
    """Returns the answer of `jitstudio inspect`: kernels, and the functions that they call."""
    return {
        "ok": read.result.ok,
        "outcome": read.result.outcome.value,
        "arch": read.result.arch.sm,
        "diagnostics": [diagnostic_object(diagnostic) for diagnostic in read.result.diagnostics],
        "notes": [note for unit in read.units for note in unit.code.notes],
        "kernels": [
            _function(inspected) for inspected in functions if inspected.function.is_kernel
        ],
        "functions": [
            _function(inspected) for inspected in functions if not inspected.function.is_kernel
        ],
    }


def _function(inspected: Inspected) -> Json:
    function, filling = inspected.function, inspected.filling
    return {
        "name": function.name,
        "demangled": inspected.demangled,
        "module": inspected.unit.name,
        "target": inspected.unit.code.target or None,
        "report": report_object(inspected.report, function),
        "occupancy": filling
        and occupancy_object(filling.usage, filling.occupancy, filling.what_if),
        "findings": [finding_object(finding, function) for finding in inspected.findings],
        "cfg": cfg_object(inspected.graph, function),
        "instructions": instruction_objects(function, inspected.ptx_source),
    }


def report_object(report: KernelReport, function: SassFunction) -> Json:
    """Returns a kernel in numbers."""
    return asdict(report.resources) | {
        "instructions": report.instructions,
        "padding": len(function) - report.instructions,
        "code_bytes": report.code_bytes,
        "groups": {group.value: count for group, count in report.groups.items()},
        "classes": [_class(row.kind) | {"count": row.count} for row in report.counts],
        "peak_live_registers": report.peak and report.peak._asdict(),
        "peak_addresses": [function.addresses[index] for index in report.peak_indices],
    }


def occupancy_object(
    usage: Usage, occupancy: Occupancy, what_if: Mapping[str, Sequence[CurvePoint]]
) -> Json:
    """Returns the occupancy, and the occupancy at other values."""
    return {
        **asdict(usage),
        "blocks": occupancy.blocks,
        "warps": occupancy.warps,
        "fraction": occupancy.fraction,
        "limits": [
            {
                "resource": limiter.resource.value,
                "blocks": limiter.blocks,
                "limiting": limiter.limits,
            }
            for limiter in occupancy.limiters
        ],
        "what_if": {
            name: [point._asdict() for point in points] for name, points in what_if.items()
        },
    }


def cfg_object(graph: FlowGraph, function: SassFunction) -> Json:
    """Returns the control flow; `start` and `end` are indices of instructions, as of a range."""
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
    """Returns a finding with the places that may cost time."""
    return finding_words(finding) | {
        **places_object(finding.places),
        "addresses": [function.addresses[index] for index in finding.indices],
    }


def instruction_objects(function: SassFunction, ptx_source: str = "") -> list[Json]:
    """Returns all instructions, also those that only fill the last cache line.

    Args:
        function: The function.
        ptx_source: The module if it was written in PTX, so that lines of PTX are its source.
    """
    places = [places_object(chain) for chain in function.places]
    lines = set(function.ptx_lines) - {0} if ptx_source else ()
    in_ptx = {line: places_object((SourceLocation(ptx_source, line),)) for line in lines}
    nowhere = places_object(())
    columns = zip(
        function.addresses,
        function.predicates,
        function.opcodes,
        function.operands,
        function.place_ids,
        function.ptx_lines,
        _live_columns(function),
        _controls(function),
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
            "live_registers": live,
            "control": control,
        }
        for address, predicate, opcode, operands, place, ptx_line, live, control in columns
    ]


def _live_columns(function: SassFunction) -> Iterable[Json | None]:
    """Returns the live registers per instruction; None where nvdisasm does not say."""
    if not function.live:
        return [None] * len(function)
    counts = iter(function.live)
    return starmap(_live, zip(*[counts] * len(LiveRegisters._fields), strict=True))


def _controls(function: SassFunction) -> Iterable[Json | None]:
    """Returns the control bits per instruction; None where there are no encodings."""
    if not function.encodings:
        return [None] * len(function)
    return (_control(upper & _CONTROL_BITS) for _, upper in _HALVES.iter_unpack(function.encodings))


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


# Few are different: an object for each of them is made once.
@lru_cache(_DIFFERENT)
def _live(*counts: int) -> Json:
    return LiveRegisters(*counts)._asdict()


@lru_cache(_DIFFERENT)
def _control(upper: int) -> Json:
    control = control_of(upper << _HALF_BITS)
    return {
        "stall": control.stall,
        "yield": control.yields,
        "read_barrier": control.read_barrier,
        "write_barrier": control.write_barrier,
        "wait_mask": control.wait_mask,
        "reuse": control.reuse,
    }


def hunk_objects(comparison: Comparison) -> list[Json]:
    """Returns each difference with its lines; lines count from 1, columns from 0."""
    return [_hunk(comparison, hunk) for hunk in comparison.hunks]


def delta_objects(deltas: Iterable[FigureDelta]) -> list[Json]:
    """Returns each figure of each function, in both programs."""
    return [
        {
            "name": delta.name,
            "figure": delta.figure,
            "a": delta.left,
            "b": delta.right,
            "delta": delta.difference,
        }
        for delta in deltas
    ]


def _hunk(comparison: Comparison, hunk: Hunk) -> Json:
    rows = []
    for at in range(hunk.start, hunk.end):
        left, right, change = comparison.rows[at]
        left_marks, right_marks = comparison.marks(at)
        rows.append(
            {
                "change": change.value,
                "a": comparison.left[left] if left != NOWHERE else None,
                "b": comparison.right[right] if right != NOWHERE else None,
                "a_line": left + 1 if left != NOWHERE else None,
                "b_line": right + 1 if right != NOWHERE else None,
                "a_marks": left_marks,
                "b_marks": right_marks,
            }
        )
    return {"rows": rows}


def diff_object(
    difference: CodeDifference, what: str, kernel: str | None, *, normalised: bool
) -> Json:
    """Returns the JSON object of the command; without a comparison `equal` is null."""
    comparison = difference.comparison
    return {
        "equal": comparison.equal if comparison else None,
        "what": what,
        "normalised": normalised,
        "kernel": kernel,
        "data_compared": difference.data_compared,
        "a": _side(difference.sides[0]),
        "b": _side(difference.sides[1]),
        "control_changes": comparison.control_changes if comparison else None,
        "hunks": hunk_objects(comparison) if comparison else [],
        "report": delta_objects(difference.deltas),
    }


def _side(side: ComparedInput) -> Json:
    result = side.result
    return {
        "name": side.name,
        "outcome": result.outcome.value if result else None,
        "arch": result.arch.sm if result else None,
        "diagnostics": [diagnostic_object(d) for d in result.diagnostics] if result else [],
        "toolchain": side.toolchain,
        "compilers": [_compiler(stage) for stage in result.stages] if result else [],
    }


def _compiler(stage: StageResult) -> Json:
    return {"tool": stage.tool.value, "version": stage.version}
