"""What an inspected function looks like in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from jitstudio.analysis.findings.model import Finding
from jitstudio.analysis.model import Instruction, Place
from jitstudio.analysis.occupancy.calculate import Resource
from jitstudio.cli.inspected import Filling, Inspected
from jitstudio.cli.table import table_lines
from jitstudio.cli.terminal import say
from jitstudio.core.figures import NEEDS
from jitstudio.core.result import Resources

_NAMES = 13
_PROSE_WIDTH = 92
_INDENT = "  "
# Why not even one block fits, with words of `Limits`.
_TOO_MUCH = {
    Resource.WARPS: "a block has at most {threads_per_block:,} threads",
    Resource.REGISTERS: "a block has at most {registers_per_block:,} registers",
    Resource.SHARED: "a block has at most {shared_per_block:,} bytes of shared memory",
    Resource.BARRIERS: "a multiprocessor has {barriers} barriers",
}
# In the order of `LiveRegisters`.
_LIVE = ("general", "predicate", "uniform", "uniform predicate")
_HEADINGS = (
    *("address", "R", "P", "UR", "stall", "yield", "write", "read", "wait", "reuse"),
    *("source", "ptx", "instruction"),
)
_NONE = "-"


def print_function(one: Inspected) -> None:
    """All but its instructions."""
    what = "kernel" if one.function.is_kernel else "function"
    say(f"{one.demangled}  ({what} of {one.unit.name}, {one.unit.code.target})")
    for name, text in _lines(one):
        say(f"{_INDENT}{name:<{_NAMES}}{text}".rstrip())
    if one.report.counts:
        say(f"{_INDENT}of these")
        rows = [(each.kind.title, f"{each.count:,}") for each in one.report.counts]
        for line in table_lines(rows):
            say(_INDENT * 2 + line)
    for finding in one.findings:
        _print_finding(finding)


def print_code(one: Inspected) -> None:
    """Its instructions, without what fills the last cache line."""
    function = one.function
    code = (function[index] for index in range(function.code_length))
    rows = [_HEADINGS, *(_row(instruction, one.ptx_source) for instruction in code)]
    # The last column may be as long as it is.
    for line, row in zip(table_lines([row[:-1] for row in rows], left=0), rows, strict=True):
        say(f"{_INDENT}{line}  {row[-1]}")


def _lines(one: Inspected) -> Iterator[tuple[str, str]]:
    report = one.report
    yield "needs", _needs(report.resources)
    yield "instructions", f"{report.instructions:,} in {report.code_bytes:,} bytes"
    if report.peak:
        most = [f"{n} {kind}" for n, kind in zip(report.peak, _LIVE, strict=True) if n]
        at = ", ".join(f"0x{one.function.addresses[index]:04x}" for index in report.peak_indices)
        yield "alive", f"at most {', '.join(most) or 'none'}" + (f"; peak at {at}" if at else "")
    if one.filling:
        yield "occupancy", _occupancy(one.filling)
    graph = one.graph
    counts = ((len(graph.blocks), "block"), (len(graph.edges), "edge"), (len(graph.loops), "loop"))
    yield "flow", ", ".join(f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in counts)


def _needs(resources: Resources) -> str:
    amounts = ((figure.phrase, getattr(resources, figure.id)) for figure in NEEDS)
    told = [phrase.format(f"{amount:,}") for phrase, amount in amounts if amount]
    return ", ".join(told) or "nothing that is known"


def _occupancy(filling: Filling) -> str:
    usage, found = filling.usage, filling.found
    block = f"{usage.threads:,} threads per block"
    if not found.blocks:
        reasons = (_TOO_MUCH[resource] for resource in found.limiting)
        return f"none with {block}: {' and '.join(reasons).format_map(vars(filling.limits))}"
    limiting = " and ".join(resource.value for resource in found.limiting)
    blocks = f"{found.blocks} block{'' if found.blocks == 1 else 's'}"
    warps = f"{found.warps} of {filling.limits.warps} warps"
    return f"{found.fraction:.0%} with {block}: {blocks}, {warps}, limited by {limiting}"


def _print_finding(finding: Finding) -> None:
    where = f" ({_place(finding.places[0])})" if finding.places else ""
    say(f"{_INDENT}{finding.severity.value}: {finding.title}{where}")
    prose = f"{finding.reason} {finding.remedy}".strip()
    say(textwrap.indent(textwrap.fill(prose, _PROSE_WIDTH), _INDENT * 3))


def _row(instruction: Instruction, ptx_source: str) -> Sequence[str]:
    live, control, line = instruction.live, instruction.control, instruction.ptx_line
    in_ptx = (Place(ptx_source, line),) if ptx_source and line else ()
    places = instruction.places or in_ptx
    return (
        f"0x{instruction.address:04x}",
        *(map(str, live[:3]) if live else (_NONE,) * 3),
        *(
            (
                str(control.stall),
                "yes" if control.yields else "",
                _barrier(control.write_barrier),
                _barrier(control.read_barrier),
                ",".join(map(str, control.waits_for)),
                f"{control.reuse:04b}" if control.reuse else "",
            )
            if control
            else (_NONE,) * 6
        ),
        _place(places[0]) if places else _NONE,
        str(line or _NONE),
        instruction.text,
    )


def _barrier(number: int | None) -> str:
    return "" if number is None else str(number)


def _place(place: Place) -> str:
    """The file without its folders: paths of line tables are long."""
    return f"{PurePath(place.file).name}:{place.line}"
