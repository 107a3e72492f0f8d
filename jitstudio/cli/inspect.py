"""`jitstudio inspect`: machine code with lines, registers, control flow and findings."""

from __future__ import annotations

import json
from collections.abc import Sequence

from jitstudio.cli import text_output
from jitstudio.cli.library import list_kernels
from jitstudio.cli.text_code import print_code, print_function, print_interleaved
from jitstudio.command_options.build import InspectOptions
from jitstudio.commands import exit_codes
from jitstudio.commands.inspect import inspect
from jitstudio.commands.json_code import inspect_object
from jitstudio.commands.machine_code import Inspected, MachineCode
from jitstudio.system.terminal import print_error, say


def run(options: InspectOptions) -> int:
    """Builds the sources, if need be, and reads the machine code; returns the exit status.

    Raises:
        UsageError: An argument is wrong or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    if options.lists:
        return list_kernels(options)
    read, functions = inspect(options)
    if options.json:
        # On one line: a kernel may have thousands of instructions.
        say(json.dumps(inspect_object(read, functions), check_circular=False))
    else:
        _show(read, functions, with_code=options.code)
    return exit_codes.OF_OUTCOME[read.result.outcome]


def _show(read: MachineCode, functions: Sequence[Inspected], *, with_code: bool) -> None:
    text_output.print_diagnostics(read.result.diagnostics)
    for number, function in enumerate(functions):
        if number:
            say("")
        print_function(function)
        if with_code:
            print_code(function)
        if function.interleaved:
            print_interleaved(function)
    for unit in read.units:
        for note in unit.code.notes:
            print_error(note)
    if read.result.stages:
        text_output.print_summary(read.result)
    if read.result.ok and not functions:
        print_error("There is no machine code in it.")
