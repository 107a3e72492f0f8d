"""`jitstudio diff`: two programs, or two builds of one, side by side."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.diff.data import data_sections, listed_data
from jitstudio.analysis.diff.model import bare_lines, compare_lines, ptx_lines
from jitstudio.analysis.diff.program import CubinProgram, by_itself, report_deltas
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.analysis.sass.reading import read_code
from jitstudio.cli import text_output
from jitstudio.cli.library import kernel_request, only_holds_code
from jitstudio.cli.request import (
    Given,
    UsageError,
    base_request,
    given_project,
    given_toolchains,
    read_text,
    request_from,
)
from jitstudio.commands import exit_codes
from jitstudio.commands.json_code import diff_object
from jitstudio.commands.machine_code import (
    CodeDifference,
    ComparedInput,
    Unit,
    no_such_kernel,
    read_machine_code,
)
from jitstudio.core.code import TEXT_KINDS, CodeKind, Source, kind_of
from jitstudio.core.plan import with_idle_options
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Resources
from jitstudio.listing.functions import functions
from jitstudio.terminal import say
from jitstudio.toolchain_folders import OWN
from jitstudio.worker.builder import Builder


def run(arguments: argparse.Namespace) -> int:
    """Builds both if they are to be built, and compares them and returns the exit status.

    Raises:
        UsageError: An argument is wrong or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    found = diff(arguments)
    if arguments.json:
        words = arguments.what, arguments.kernel
        say(json.dumps(diff_object(found, *words, normalised=arguments.normalised)))
    else:
        text_output.print_diff(found)
    return _status(found)


def diff(arguments: argparse.Namespace) -> CodeDifference:
    """Returns what the two have and have not in common.

    Raises:
        UsageError, WorkerError: See `run`.
    """
    if arguments.normalised and arguments.what != "sass":
        raise UsageError("--normalised is about machine code. Leave it or --what out.")
    if arguments.kernel is not None and arguments.what == "source":
        raise UsageError("--kernel is about what was built. Leave it or --what source out.")
    read = _READERS[arguments.what]
    left, right = (
        replace(read(given, side), toolchain=side.toolchain[0] if side.toolchain else None)
        for given, side in _sides(arguments)
    )
    return _compared(left, right, normalised=arguments.normalised)


def _sides(arguments: argparse.Namespace) -> tuple[tuple[Given, argparse.Namespace], ...]:
    """Returns each file with the arguments of its build: the two may differ in the compilers."""
    folders = given_toolchains(arguments)
    names = (arguments.a, arguments.b or arguments.a)
    if arguments.b is None and (not folders or arguments.what == "source"):
        raise UsageError(
            "Name two files; or one that is built by two versions of the compilers, the second or "
            "both named by --toolchain PATH."
        )
    if len(folders) > len(names):
        raise UsageError("--toolchain is given more than twice: one for A and one for B.")
    if len(folders) == 1:
        folders = ("", *folders) if arguments.b is None else folders * 2
    given = [[folder or OWN] for folder in folders] or [[], []]
    return tuple(
        (name, argparse.Namespace(**{**vars(arguments), "toolchain": toolchain}))
        for name, toolchain in zip(names, given, strict=True)
    )


def _compared(left: ComparedInput, right: ComparedInput, *, normalised: bool) -> CodeDifference:
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


def _status(found: CodeDifference) -> int:
    """As `diff` has it: 1 says that both could be read and differ."""
    if found.comparison is not None:
        return exit_codes.BUILT if found.comparison.equal else exit_codes.FAILED
    statuses = (exit_codes.OF_OUTCOME[side.result.outcome] for side in found.sides if side.result)
    return max(exit_codes.USAGE, *statuses)


def _machine_code(given: Given, arguments: argparse.Namespace) -> ComparedInput:
    name = _name_of(given)
    if kind_of(name) is CodeKind.SASS:
        text = _text_of(given)
        code = read_code(text)
        if not code.functions:
            raise UsageError(f"'{name}' holds no function as nvdisasm -c writes it.")
        return ComparedInput(name, program=CubinProgram(code, listed_data(text), is_listed=True))
    request, kernel = _request(given, arguments)
    only = kernel if kernel and only_holds_code(given) else ""
    read = read_machine_code(request, arguments.timeout, function=only)
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
    """Returns all modules of a build as one, or one kernel of them."""
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


def _ptx(given: Given, arguments: argparse.Namespace) -> ComparedInput:
    name = _name_of(given)
    if kind_of(name) is CodeKind.PTX:
        return ComparedInput(name, lines=tuple(_of_kernel(_text_of(given), arguments.kernel)))
    request, kernel = _request(given, arguments)
    request = replace(request, emit=frozenset({CodeKind.PTX}))
    builder = Builder()
    try:
        result = with_idle_options(request, builder.build(request, timeout=arguments.timeout))
    finally:
        builder.close()
    made = [one for one in result.artifacts if one.kind is CodeKind.PTX]
    lines = tuple(line for artifact in made for line in _of_kernel(artifact.text, kernel))
    if result.ok and kernel is not None and not lines:
        raise UsageError(
            f"The PTX of '{name}' has no kernel '{kernel}'; its lowered name is needed."
        )
    is_kept = any(source.kind not in TEXT_KINDS for source in request.sources)
    return ComparedInput(name, result, lines, is_kept=is_kept)


def _source(given: Given, _arguments: argparse.Namespace) -> ComparedInput:
    name = _name_of(given)
    if kind_of(name) not in TEXT_KINDS:
        raise UsageError(f"'{name}' is no text. Without --what its machine code is compared.")
    return ComparedInput(name, lines=tuple(_text_of(given).splitlines()))


def _name_of(given: Given) -> str:
    return given.name if isinstance(given, Source) else given


def _text_of(given: Given) -> str:
    if isinstance(given, Source):
        return given.content.decode("utf-8", "replace")
    return read_text(given)


def _of_kernel(ptx: str, kernel: str | None) -> Sequence[str]:
    """Returns the lines of PTX that are compared."""
    lines = ptx_lines(ptx)
    if kernel is None:
        return lines
    found = (each for each in functions(CodeKind.PTX, lines) if each.name == kernel)
    return [line for each in found for line in lines[each.line : each.end]]


def _request(given: Given, arguments: argparse.Namespace) -> tuple[BuildRequest, str | None]:
    """Returns a build, and the kernel that is compared; None for all."""
    one = argparse.Namespace(**vars(arguments), sources=[given])
    if only_holds_code(given):
        base, kernel = kernel_request(given, one.kernel, one.arch, one.timeout)
        return request_from(one, base), kernel
    return request_from(one, base_request(given_project(one.sources), one)), one.kernel


_READERS = {"sass": _machine_code, "ptx": _ptx, "source": _source}
