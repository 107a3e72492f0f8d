"""`jitstudio inspect`: machine code with its lines, registers, control flow and findings."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence

from jitstudio.analysis import json_form
from jitstudio.analysis.model import SassFunction
from jitstudio.cli import exit_codes, inspect_report, text_report
from jitstudio.cli.inspected import Inspected, inspected
from jitstudio.cli.machine_code import MachineCode, Unit, read_machine_code
from jitstudio.cli.project import base_request, given_project
from jitstudio.cli.request import UsageError, request_from
from jitstudio.cli.terminal import say, tell
from jitstudio.core.json_form import Json, diagnostic_object


def run(arguments: argparse.Namespace) -> int:
    """Build what the arguments say, if it is to be built, and read it; the exit status.

    Raises:
        UsageError: An argument is wrong or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    project = given_project(arguments.sources)
    request = request_from(arguments, base_request(project, arguments))
    read = read_machine_code(request, arguments.timeout, with_calls=True)
    found = [
        inspected(unit, function, arguments.block, arguments.shared)
        for unit in read.units
        for function in _chosen(unit, arguments.kernel)
    ]
    if arguments.kernel is not None and read.result.ok and not found:
        raise UsageError(_no_such(arguments.kernel, read.units))
    if arguments.json:
        # On one line: a kernel may have thousands of instructions.
        say(json.dumps(_object(read, found)))
    else:
        _show(read, found, with_code=arguments.code)
    return exit_codes.OF_OUTCOME[read.result.outcome]


def _chosen(unit: Unit, kernel: str | None) -> Iterator[SassFunction]:
    for function in unit.functions:
        if kernel in (None, function.name, unit.demangled.get(function.name)):
            yield function


def _no_such(kernel: str, units: Sequence[Unit]) -> str:
    names = [unit.demangled.get(f.name, f.name) for unit in units for f in unit.functions]
    return f"There is no kernel '{kernel}'. There are: {', '.join(names) or 'none'}."


def _object(read: MachineCode, found: Sequence[Inspected]) -> Json:
    return {
        "ok": read.result.ok,
        "outcome": read.result.outcome.value,
        "arch": read.result.arch.sm,
        "diagnostics": [diagnostic_object(diagnostic) for diagnostic in read.result.diagnostics],
        "notes": [note for unit in read.units for note in unit.code.notes],
        "kernels": [_function(one) for one in found if one.function.is_kernel],
        "functions": [_function(one) for one in found if not one.function.is_kernel],
    }


def _function(one: Inspected) -> Json:
    function, filling = one.function, one.filling
    return {
        "name": function.name,
        "demangled": one.demangled,
        "module": one.unit.name,
        "target": one.unit.code.target or None,
        "report": json_form.report_object(one.report, function),
        "occupancy": filling
        and json_form.occupancy_object(filling.usage, filling.found, filling.what_if),
        "findings": [json_form.finding_object(finding, function) for finding in one.findings],
        "cfg": json_form.cfg_object(one.graph, function),
        "instructions": json_form.instruction_objects(function, one.ptx_source),
    }


def _show(read: MachineCode, found: Sequence[Inspected], *, with_code: bool) -> None:
    text_report.print_diagnostics(read.result)
    for number, one in enumerate(found):
        if number:
            say("")
        inspect_report.print_function(one)
        if with_code:
            inspect_report.print_code(one)
    for unit in read.units:
        for note in unit.code.notes:
            tell(note)
    if read.result.stages:
        text_report.print_summary(read.result)
    if read.result.ok and not found:
        tell("There is no machine code in it.")
