"""`jitstudio inspect`: machine code with its lines, registers, control flow and findings."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from jitstudio.cli import text_output
from jitstudio.cli.library import holds_modules, kernel_request, list_kernels, only_holds_code
from jitstudio.cli.request import UsageError, base_request, given_project, request_from
from jitstudio.commands import exit_codes
from jitstudio.commands.json_code import inspect_object
from jitstudio.commands.machine_code import (
    Inspected,
    MachineCode,
    inspected,
    no_such_kernel,
    read_machine_code,
)
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Outcome
from jitstudio.terminal import print_error, say

_ENDED = (Outcome.BUILT, Outcome.FAILED)


def run(arguments: argparse.Namespace) -> int:
    """Builds what the arguments say, if need be, and reads it; returns the exit status.

    Raises:
        UsageError: An argument is wrong or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    if arguments.list:
        return list_kernels(arguments)
    read, found = inspect(arguments)
    if arguments.json:
        # On one line: a kernel may have thousands of instructions.
        say(json.dumps(inspect_object(read, found), check_circular=False))
    else:
        _show(read, found, with_code=arguments.code)
    return exit_codes.OF_OUTCOME[read.result.outcome]


def inspect(arguments: argparse.Namespace) -> tuple[MachineCode, list[Inspected]]:
    """Returns what the command prints: the build, and the functions that were asked for.

    Raises:
        UsageError, WorkerError: See `run`.
    """
    path = arguments.sources[0] if len(arguments.sources) == 1 else ""
    if only_holds_code(path):
        read, found = _read_inside(path, arguments)
    else:
        project = given_project(arguments.sources)
        request = request_from(arguments, base_request(project, arguments))
        read, found = _read(request, arguments, arguments.kernel)
        if arguments.kernel and holds_modules(path) and not found and read.result.outcome in _ENDED:
            # A build takes the first module of it for the target; this one is in another.
            read, found = _read_inside(path, arguments)
    if arguments.kernel is not None and read.result.ok and not found:
        raise UsageError(no_such_kernel(arguments.kernel, read.units))
    return read, found


def _read(
    request: BuildRequest, arguments: argparse.Namespace, kernel: str | None, function: str = ""
) -> tuple[MachineCode, list[Inspected]]:
    read = read_machine_code(request, arguments.timeout, with_calls=True, function=function)
    found = [
        inspected(unit, function, arguments.block, arguments.shared)
        for unit in read.units
        for function in unit.named(kernel)
    ]
    return read, found


def _read_inside(path: str, arguments: argparse.Namespace) -> tuple[MachineCode, list[Inspected]]:
    """Reads one kernel of a file that holds many."""
    base, kernel = kernel_request(path, arguments.kernel, arguments.arch, arguments.timeout)
    return _read(request_from(arguments, base), arguments, kernel, function=kernel)


def _show(read: MachineCode, found: Sequence[Inspected], *, with_code: bool) -> None:
    text_output.print_diagnostics(read.result.diagnostics)
    for number, one in enumerate(found):
        if number:
            say("")
        text_output.print_function(one)
        if with_code:
            text_output.print_code(one)
    for unit in read.units:
        for note in unit.code.notes:
            print_error(note)
    if read.result.stages:
        text_output.print_summary(read.result)
    if read.result.ok and not found:
        print_error("There is no machine code in it.")
