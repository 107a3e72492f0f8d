"""Two programs, or two builds of a program, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.diff.data import data_sections, listed_data
from jitstudio.analysis.diff.model import bare_lines, compare_lines, ptx_lines
from jitstudio.analysis.diff.program import CubinProgram, by_itself, report_deltas
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.analysis.sass.reading import read_code
from jitstudio.command_options.build import DiffOptions
from jitstudio.command_options.values import ModuleInput, UsageError
from jitstudio.commands.build import request_of, runs_of
from jitstudio.commands.files import read_text
from jitstudio.commands.library import kernel_request, only_holds_code
from jitstudio.commands.machine_code import (
    CodeDifference,
    ComparedInput,
    MachineCode,
    Unit,
    no_such_kernel,
    read_machine_code,
)
from jitstudio.commands.module_request import toolchains_of, with_options
from jitstudio.commands.workers import Workers, borrowed
from jitstudio.core.code import TEXT_KINDS, CodeKind, Source, kind_of
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Resources
from jitstudio.core.toolchain_folders import OWN
from jitstudio.listing.functions import functions


def diff(options: DiffOptions, workers: Workers | None = None) -> CodeDifference:
    """Returns the difference between the two sides.

    Args:
        options: The sides, and how they are compared.
        workers: The workers of the caller; None for workers that end with the comparison.

    Raises:
        UsageError: An option is wrong or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    read = _READERS[options.what]
    with borrowed(workers) as workers:
        left, right = (
            replace(
                read(file, side, workers), toolchain=side.toolchain[0] if side.toolchain else None
            )
            for file, side in _sides(options)
        )
    return compared(left, right, normalised=options.normalised)


def _sides(options: DiffOptions) -> tuple[tuple[ModuleInput, DiffOptions], ...]:
    """Returns each file with the options of its build: the two may differ in the compilers."""
    folders = toolchains_of(options)
    names = (options.a, options.b or options.a)
    if options.b is None and (not folders or options.what == "source"):
        raise UsageError(
            "Name two files; or one that is built by two versions of the compilers, the second or "
            "both named by --toolchain PATH."
        )
    if len(folders) > len(names):
        raise UsageError("--toolchain is given more than twice: one for A and one for B.")
    if len(folders) == 1:
        # A single version is compared with our own, or builds both files.
        folders = ("", *folders) if options.b is None else folders * 2
    toolchains: list[tuple[str, ...]] = [(folder or OWN,) for folder in folders] or [(), ()]
    return tuple(
        (name, replace(_for_side(options, name, other), toolchain=toolchain))
        for name, other, toolchain in zip(names, reversed(names), toolchains, strict=True)
    )


def _for_side(options: DiffOptions, name: ModuleInput, other: ModuleInput) -> DiffOptions:
    """Returns the options of a side, without the options for the module of the other side."""
    own, others = _names_of(name), _names_of(other)
    kept = (pair for pair in options.options_for if pair[0] in own or pair[0] not in others)
    return replace(options, options_for=tuple(kept))


def _names_of(file: ModuleInput) -> tuple[str, str]:
    name = _name_of(file)
    return name, Path(name).name


def compared(left: ComparedInput, right: ComparedInput, *, normalised: bool) -> CodeDifference:
    """Returns the difference between two programs or texts."""
    sides = (left, right)
    if any(side.result and not side.result.ok for side in sides):
        return CodeDifference(sides)
    if left.program is None or right.program is None:
        return CodeDifference(sides, compare_lines(*_texts(left, right)))
    return CodeDifference(
        sides,
        compare_programs(left.program, right.program, normalised=normalised),
        report_deltas(left.program, right.program, left.resources, right.resources),
    )


def _texts(left: ComparedInput, right: ComparedInput) -> tuple[Sequence[str], Sequence[str]]:
    if left.is_kept or right.is_kept:
        return bare_lines(left.lines), bare_lines(right.lines)
    return left.lines, right.lines


def _machine_code(file: ModuleInput, options: DiffOptions, workers: Workers) -> ComparedInput:
    name = _name_of(file)
    if kind_of(name) is CodeKind.SASS:
        text = _text_of(file)
        code = read_code(text)
        if not code.functions:
            raise UsageError(f"'{name}' holds no function as nvdisasm -c writes it.")
        return ComparedInput(name, program=CubinProgram(code, listed_data(text), is_listed=True))
    request, kernel = _request(file, options, workers)
    read = read_machine_code(request, options.timeout, workers, function=kernel or "")
    return side_of(name, read, kernel)


def side_of(name: str, read: MachineCode, kernel: str | None) -> ComparedInput:
    """Returns a program that was read as a side of a comparison.

    Raises:
        UsageError: There is no machine code, or not this kernel.
    """
    resources: dict[str, Resources] = {}
    for unit in read.units:
        resources |= unit.resources
    if read.result.ok and not read.units:
        raise UsageError(f"'{name}' holds no machine code.")
    program = program_of(read.units, kernel) if read.units else None
    if program is not None and kernel is not None and not program.code.functions:
        raise UsageError(no_such_kernel(kernel, read.units))
    return ComparedInput(name, read.result, program=program, resources=resources)


def program_of(units: tuple[Unit, ...], kernel: str | None) -> CubinProgram:
    """Returns all modules of a build as a single program, or only a kernel."""
    if kernel is None:
        chosen = [(unit, unit.code.functions) for unit in units]
    else:
        chosen = [(unit, tuple(map(by_itself, unit.named(kernel)))) for unit in units]
    data = (
        section
        for unit, functions in chosen
        for name in ([None] if kernel is None else [function.name for function in functions])
        for section in data_sections(unit.cubin.content, name)
    )
    return CubinProgram(
        Disassembly(
            ", ".join(dict.fromkeys(unit.code.target for unit in units)),
            tuple(function for _, functions in chosen for function in functions),
        ),
        tuple(data),
        {lowered: name for unit in units for lowered, name in unit.code.demangled.items()},
    )


def _ptx(file: ModuleInput, options: DiffOptions, workers: Workers) -> ComparedInput:
    name = _name_of(file)
    if kind_of(name) is CodeKind.PTX:
        return ComparedInput(name, lines=tuple(_of_kernel(_text_of(file), options.kernel)))
    request, kernel = _request(file, options, workers)
    request = replace(request, emit=frozenset({CodeKind.PTX}))
    result = runs_of(request, options.timeout, workers=workers)[-1]
    artifacts = [output for output in result.artifacts if output.kind is CodeKind.PTX]
    lines = tuple(line for artifact in artifacts for line in _of_kernel(artifact.text, kernel))
    if result.ok and kernel is not None and not lines:
        raise UsageError(
            f"The PTX of '{name}' has no kernel '{kernel}'; its lowered name is needed."
        )
    is_kept = any(source.kind not in TEXT_KINDS for source in request.sources)
    return ComparedInput(name, result, lines, is_kept=is_kept)


def _source(file: ModuleInput, _options: DiffOptions, _workers: Workers) -> ComparedInput:
    name = _name_of(file)
    if kind_of(name) not in TEXT_KINDS:
        raise UsageError(f"'{name}' is not text. Without --what its machine code is compared.")
    return ComparedInput(name, lines=tuple(_text_of(file).splitlines()))


def _name_of(file: ModuleInput) -> str:
    return file.name if isinstance(file, Source) else file


def _text_of(file: ModuleInput) -> str:
    if isinstance(file, Source):
        return file.content.decode("utf-8", "replace")
    return read_text(file)


def _of_kernel(ptx: str, kernel: str | None) -> Sequence[str]:
    """Returns the lines of PTX that are compared."""
    lines = ptx_lines(ptx)
    if kernel is None:
        return lines
    kernels = (function for function in functions(CodeKind.PTX, lines) if function.name == kernel)
    return [line for function in kernels for line in lines[function.line : function.end]]


def _request(
    file: ModuleInput, options: DiffOptions, workers: Workers
) -> tuple[BuildRequest, str | None]:
    """Returns a build, and the kernel that is compared; None for all."""
    if only_holds_code(file):
        base, kernel = kernel_request(file, options.kernel, options.arch, options.timeout, workers)
        return with_options(base, options), kernel
    return request_of(options, (file,)), options.kernel


_READERS = {"sass": _machine_code, "ptx": _ptx, "source": _source}
