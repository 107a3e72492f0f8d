"""Machine code and findings in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from jitstudio.analysis.findings.model import Finding, nothing_found
from jitstudio.analysis.occupancy.calculate import Resource
from jitstudio.analysis.sass.constant_names import ConstantNames
from jitstudio.analysis.sass.model import Instruction, SourceLocation
from jitstudio.commands.machine_code import Inspected, KernelOccupancy
from jitstudio.core.code import CodeKind
from jitstudio.core.figures import needs_text
from jitstudio.core.file_names import from_here, short_names
from jitstudio.core.wrapping import filled
from jitstudio.system.terminal import say, table_lines

_PROSE_WIDTH = 92
_FUNCTION_NAMES = 13
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
_CODE_HEADINGS = (
    *("address", "R", "P", "UR", "stall", "yield", "write", "read", "wait", "reuse"),
    *("source", "ptx", "instruction"),
)
_NONE = "-"
_PTX_AT, _AT_WIDTH = "{line:>10}", 10
_NO_LINE = "no line in the line table"


def print_function(inspected: Inspected) -> None:
    """Prints a function but for the instructions."""
    what = "kernel" if inspected.function.is_kernel else "function"
    say(f"{inspected.title}  ({what} of {inspected.unit.name}, {inspected.unit.code.target})")
    for name, text in _function_lines(inspected):
        say(f"{_INDENT}{name:<{_FUNCTION_NAMES}}{text}".rstrip())
    if inspected.report.counts:
        say(f"{_INDENT}of these")
        rows = [(row.kind.title, f"{row.count:,}") for row in inspected.report.counts]
        for line in table_lines(rows):
            say(_INDENT * 2 + line)
    for finding in inspected.findings:
        print_finding(finding)
    if not inspected.findings and inspected.report.instructions:
        _print_prose(nothing_found())


def print_code(inspected: Inspected) -> None:
    """Prints the instructions of a function, without the filling of the last cache line."""
    function = inspected.function
    code = (function[index] for index in range(function.code_length))
    in_ptx, places = inspected.ptx_source, function.places
    files = short_names([in_ptx, *(chain[0].file for chain in places if chain)])
    names = ConstantNames(inspected.unit.code.constants, function.name, inspected.form)
    rows = [_CODE_HEADINGS, *(_code_row(instruction, in_ptx, files, names) for instruction in code)]
    # The last column may be as long as it is.
    for line, row in zip(table_lines([row[:-1] for row in rows], left=0), rows, strict=True):
        say(f"{_INDENT}{line}  {row[-1]}")


def print_interleaved(inspected: Inspected) -> None:
    """Prints the lines of the source, with PTX and instructions behind each."""
    function, lines = inspected.function, inspected.interleaved
    files = short_names(line.place.file for line in lines if line.place)
    names = ConstantNames(inspected.unit.code.constants, function.name, inspected.form)
    for line in lines:
        if line.kind is CodeKind.PTX:
            say(f"{_INDENT}{_PTX_AT.format(line=line.number)}  {line.text}")
        elif line.kind is CodeKind.SASS:
            named = names.named(function.opcodes[line.number], function.operands[line.number])
            said = f"  // {', '.join(constant.name for constant in named)}" if named else ""
            address = f"0x{function.addresses[line.number]:04x}"
            say(f"{_INDENT}{address:>{_AT_WIDTH}}  {line.text}{said}")
        else:
            where = f"{files[line.place.file]}:{line.place.line}" if line.place else _NO_LINE
            say(f"{_INDENT}{where}  {line.text}".rstrip())


def _function_lines(inspected: Inspected) -> Iterator[tuple[str, str]]:
    report = inspected.report
    yield "needs", needs_text(report.resources)
    yield "instructions", f"{report.instructions:,} in {report.code_bytes:,} bytes"
    if report.peak:
        most = [f"{n} {kind}" for n, kind in zip(report.peak, _LIVE, strict=True) if n]
        at = ", ".join(
            f"0x{inspected.function.addresses[index]:04x}" for index in report.peak_indices
        )
        yield "alive", f"at most {', '.join(most) or 'none'}" + (f"; peak at {at}" if at else "")
    elif inspected.unit.code.notes:
        yield "alive", "not counted; the reason is at the end"
    if inspected.filling:
        yield "occupancy", _occupancy(inspected.filling)
    elif inspected.function.is_kernel:
        yield "occupancy", "not known: limits of the target or registers of the kernel are not"
    graph = inspected.graph
    counts = ((len(graph.blocks), "block"), (len(graph.edges), "edge"), (len(graph.loops), "loop"))
    yield "flow", ", ".join(f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in counts)


def _occupancy(filling: KernelOccupancy) -> str:
    usage, occupancy = filling.usage, filling.occupancy
    block = f"{usage.threads:,} threads per block"
    if not occupancy.blocks:
        reasons = (_TOO_MUCH[resource] for resource in occupancy.limiting)
        return f"none with {block}: {' and '.join(reasons).format_map(vars(filling.limits))}"
    limiting = " and ".join(resource.value for resource in occupancy.limiting)
    blocks = f"{occupancy.blocks} block{'' if occupancy.blocks == 1 else 's'}"
    warps = f"{occupancy.warps} of {filling.limits.warps} warps"
    return f"{occupancy.fraction:.0%} with {block}: {blocks}, {warps}, limited by {limiting}"


def print_finding(finding: Finding) -> None:
    """Prints a finding with the reason and the remedy."""
    more = f", {finding.more_lines}" if finding.more_lines else ""
    # The first of them leads to the file: a sentence has room for the path.
    line = finding.places[0] if finding.places else None
    where = f" ({from_here(line.file)}:{line.line}{more})" if line else ""
    say(f"{_INDENT}{finding.severity.value}: {finding.title}{where}")
    _print_prose(f"{finding.reason} {finding.remedy}".strip())


def _print_prose(prose: str) -> None:
    say(textwrap.indent(filled(prose, _PROSE_WIDTH), _INDENT * 3))


def _code_row(
    instruction: Instruction, ptx_source: str, files: Mapping[str, str], names: ConstantNames
) -> Sequence[str]:
    live, control, line = instruction.live, instruction.control, instruction.ptx_line
    in_ptx = (SourceLocation(ptx_source, line),) if ptx_source and line else ()
    places = instruction.places or in_ptx
    constants = names.named(instruction.opcode, instruction.operands)
    named = ", ".join(constant.name for constant in constants)
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
        f"{files[places[0].file]}:{places[0].line}" if places else _NONE,
        str(line or _NONE),
        f"{instruction.text}  // {named}" if named else instruction.text,
    )


def _barrier(number: int | None) -> str:
    return "" if number is None else str(number)
