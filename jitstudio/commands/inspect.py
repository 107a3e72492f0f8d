"""Machine code with lines, registers, control flow and findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitstudio.command_options.build import InspectOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands.build import request_of
from jitstudio.commands.library import holds_modules, kernel_request, only_holds_code
from jitstudio.commands.machine_code import (
    EarlyFindings,
    Inspected,
    MachineCode,
    inspection_of,
    no_such_kernel,
    read_machine_code,
)
from jitstudio.commands.module_request import with_options
from jitstudio.commands.workers import Workers, borrowed
from jitstudio.core.file_names import FileNames, with_files
from jitstudio.core.prebuilt import ptx_of
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Outcome
from jitstudio.listing.lines import split_at_newlines

_ENDED = (Outcome.BUILT, Outcome.FAILED)


def inspect(
    options: InspectOptions, workers: Workers | None = None
) -> tuple[MachineCode, list[Inspected]]:
    """Returns the build, and the functions that were asked for.

    Args:
        options: The build, and the functions to read.
        workers: The workers of the caller; None for workers that end with the reading.

    Raises:
        UsageError: An option is wrong or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    with borrowed(workers) as workers:
        return _read_input(options, workers)


def _read_input(options: InspectOptions, workers: Workers) -> tuple[MachineCode, list[Inspected]]:
    path = options.sources[0] if len(options.sources) == 1 else ""
    if only_holds_code(path):
        read, functions = _read_inside(path, options, workers)
    else:
        request = request_of(options, options.sources)
        read, functions = _read(request, options, workers, options.kernel)
        if (
            options.kernel
            and holds_modules(path)
            and not functions
            and read.result.outcome in _ENDED
        ):
            # A build takes the first module of it for the target; this one is in another.
            read, functions = _read_inside(path, options, workers)
    if options.kernel is not None and read.result.ok and not functions:
        raise UsageError(no_such_kernel(options.kernel, read.units))
    return read, functions


def _read(
    request: BuildRequest, options: InspectOptions, workers: Workers, kernel: str | None
) -> tuple[MachineCode, list[Inspected]]:
    early = EarlyFindings()
    read = read_machine_code(
        request,
        options.timeout,
        workers,
        with_calls=True,
        function=kernel or "",
        on_unit=lambda unit: early.begin(unit, unit.named(kernel)),
    )
    functions = [
        inspection_of(unit, function, options.block, options.shared, early.of)
        for unit in read.units
        for function in unit.named(kernel)
    ]
    if not options.json:
        if options.code or options.interleave:
            functions = _with_forms(request, read, functions)
        if options.interleave:
            functions = _interleaved(request, read, functions)
    return read, functions


def _with_forms(
    request: BuildRequest, read: MachineCode, functions: Sequence[Inspected]
) -> list[Inspected]:
    """Returns the functions with their parameters, which the instructions are printed with."""
    # It loads the readers of C++, which figures alone do not need.
    from jitstudio.listing.kernels.forms import unit_forms  # noqa: PLC0415

    forms = {unit.name: unit_forms(request, read.result, unit.name) for unit in read.units}
    return [replace(f, form=forms[f.unit.name].get(f.function.name)) for f in functions]


def _interleaved(
    request: BuildRequest, read: MachineCode, functions: Sequence[Inspected]
) -> list[Inspected]:
    """Returns the functions with their source, PTX and SASS in turn."""
    # They load NumPy, which figures alone do not need.
    from jitstudio.analysis.correlation.index import Correlation  # noqa: PLC0415
    from jitstudio.analysis.correlation.interleaved import (  # noqa: PLC0415
        interleaved,
        source_blocks,
        source_text,
    )
    from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines  # noqa: PLC0415

    source, names = source_text(request), FileNames(request)
    correlations: dict[str, tuple[Correlation, dict[str, list[str]]]] = {}
    for unit in read.units:
        texts = {
            name: split_at_newlines(text)
            for name, text in ptx_of(request, read.result, unit.name).items()
        }
        modules = {n: with_files(read_ptx_lines(lines), names.path) for n, lines in texts.items()}
        correlations[unit.name] = Correlation(unit.code, modules), texts
    shown = []
    for inspected in functions:
        correlation, texts = correlations[inspected.unit.name]
        function = inspected.function
        blocks = source_blocks(correlation, function, source)
        ptx = texts.get(correlation.module_of(function), [])
        lines = interleaved(blocks, ptx, [instruction.text for instruction in function].__getitem__)
        shown.append(replace(inspected, interleaved=lines))
    return shown


def _read_inside(
    path: str, options: InspectOptions, workers: Workers
) -> tuple[MachineCode, list[Inspected]]:
    """Reads a kernel of a file that holds many."""
    base, kernel = kernel_request(path, options.kernel, options.arch, options.timeout, workers)
    return _read(with_options(base, options), options, workers, kernel)
