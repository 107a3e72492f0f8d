"""Machine code with lines, registers, control flow and findings."""

from __future__ import annotations

from jitstudio.commands.build_options import InspectOptions
from jitstudio.commands.library import holds_modules, kernel_request, only_holds_code
from jitstudio.commands.machine_code import (
    Inspected,
    MachineCode,
    inspected,
    no_such_kernel,
    read_machine_code,
)
from jitstudio.commands.request import request_from, request_of
from jitstudio.commands.values import UsageError
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Outcome

_ENDED = (Outcome.BUILT, Outcome.FAILED)


def inspect(options: InspectOptions) -> tuple[MachineCode, list[Inspected]]:
    """Returns the build, and the functions that were asked for.

    Raises:
        UsageError: An option is wrong or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    path = options.sources[0] if len(options.sources) == 1 else ""
    if only_holds_code(path):
        read, functions = _read_inside(path, options)
    else:
        read, functions = _read(request_of(options, options.sources), options, options.kernel)
        if (
            options.kernel
            and holds_modules(path)
            and not functions
            and read.result.outcome in _ENDED
        ):
            # A build takes the first module of it for the target; this one is in another.
            read, functions = _read_inside(path, options)
    if options.kernel is not None and read.result.ok and not functions:
        raise UsageError(no_such_kernel(options.kernel, read.units))
    return read, functions


def _read(
    request: BuildRequest, options: InspectOptions, kernel: str | None, function: str = ""
) -> tuple[MachineCode, list[Inspected]]:
    read = read_machine_code(request, options.timeout, with_calls=True, function=function)
    functions = [
        inspected(unit, function, options.block, options.shared)
        for unit in read.units
        for function in unit.named(kernel)
    ]
    return read, functions


def _read_inside(path: str, options: InspectOptions) -> tuple[MachineCode, list[Inspected]]:
    """Reads a kernel of a file that holds many."""
    base, kernel = kernel_request(path, options.kernel, options.arch, options.timeout)
    return _read(request_from(options, base), options, kernel, function=kernel)
