"""`jitstudio.inspect`, `build`, `run`, `passes` and `diff`: the commands, from Python.

Each does what the command of its name does, in the same worker processes: no native library of a
compiler or driver is loaded into the caller's process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any, Unpack

from jitstudio.api.arguments import (
    BuildArguments,
    DiffArguments,
    InspectArguments,
    PassesArguments,
    RunArguments,
    spelled_out,
)
from jitstudio.api.arrays import expectations, split_arrays
from jitstudio.api.buffers import BufferArrays, FileFolder
from jitstudio.api.reports import BuildReport, DiffReport, InspectReport, LaunchReport, PassesReport
from jitstudio.command_options.build import BuildOptions, DiffOptions, InspectOptions, PassesOptions
from jitstudio.command_options.launch import RunOptions
from jitstudio.command_options.values import ANY_TEXT, ModuleInput, WrongValueError
from jitstudio.commands import build as build_command
from jitstudio.commands import diff as diff_command
from jitstudio.commands import inspect as inspect_command
from jitstudio.commands import passes as passes_command
from jitstudio.commands.json_code import diff_object, inspect_object
from jitstudio.commands.json_output import build_object
from jitstudio.commands.json_passes import passes_object
from jitstudio.commands.run import launch, run_object
from jitstudio.commands.sessions import session_of
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.device import SIMULATOR
from jitstudio.ptx.skimming import ptx_target
from jitstudio.python.things import found_in, is_path, sources_of


@spelled_out(InspectOptions, InspectArguments)
def inspect(thing: object, **arguments: Unpack[InspectArguments]) -> InspectReport:
    """Reads machine code: what it needs, where it comes from, what may cost time.

    Args:
        thing: A kernel of Triton, Numba, CuPy, CuTe DSL, cuTile, Warp or cuda.core; PTX, LLVM IR
            or CUDA C++ as text; a cubin, a fatbin or an object file as bytes; the path of a file,
            also of a program or library; or several of these in a list, or in a dict by their
            names. What holds no machine code is built first.
        **arguments: See `InspectArguments`.

    Raises:
        TypeError: The thing holds no kernel that is known; the message lists what is taken.
        ValueError: An argument is wrong, a file cannot be read, or nothing was compiled so far.
        RuntimeError: A worker process itself failed, or the session is closed.
    """
    session, values = session_of(arguments.pop("session", None)), _compiled(thing, arguments)
    asked = InspectOptions.of(**values)
    with session.workers() as workers:
        return InspectReport(inspect_object(*inspect_command.inspect(asked, workers)))


@spelled_out(BuildOptions, BuildArguments)
def build(thing: object, **arguments: Unpack[BuildArguments]) -> BuildReport:
    """Compiles, links and disassembles. A build that fails is a report with its log.

    Args:
        thing: See `inspect`.
        **arguments: See `BuildArguments`.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    session, values = session_of(arguments.pop("session", None)), _compiled(thing, arguments)
    asked = BuildOptions.of(**values)
    with session.workers() as workers:
        _, result, inlined = build_command.build(asked, workers)
    return BuildReport(build_object(result, (), inlined), result)


@spelled_out(RunOptions, RunArguments)
def run(
    thing: object,
    kernel: str | None = None,
    *,
    arguments: Mapping[str, object] | None = None,
    set: Mapping[str, object] | None = None,  # noqa: A002 - the word of `jitstudio run`
    expect: object = (),
    **others: Unpack[RunArguments],
) -> LaunchReport:
    """Builds, launches a kernel on a GPU in a process of its own, times it and checks it.

    Args:
        thing: See `inspect`.
        kernel: Which one; None where there is only one.
        arguments: Values and buffers by the names of the parameters: numbers, arrays of NumPy, of
            CuPy and all that has ``__cuda_array_interface__`` or DLPack, and the texts of
            `jitstudio run`: ``{"a": 2.5, "x": array, "y": "n:random(7)", "n": 4096}``; pointers in
            structs by their paths, such as ``"view.data"``. An array is copied, and never written
            to; what the kernel makes of it is in the report, as `LaunchReport.buffers`.
        set: What module variables hold before the launch, by their names, such as
            ``{"mask": "{1, 2, 1}"}`` or an array; ``"out"`` to read one back.
        expect: What buffers shall hold: an expression in NumPy, ``"out = a * x + y"``; an array; a
            function of the inputs, by the names of the arguments; several in a list, or in a dict
            by the names of the buffers.
        **others: See `RunArguments`.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`. An array whose type, order or size is
            not that of its parameter is a ValueError.
    """
    session, values = session_of(others.pop("session", None)), _compiled(thing, others)
    texts, arrays = split_arrays({} if arguments is None else arguments, "arguments")
    variables, variable_arrays = split_arrays({} if set is None else set, "set")
    lines, expected = expectations(expect)
    asked = RunOptions.of(
        **values,
        kernel=kernel,
        # Texts in the place of arrays, until it is known what the kernel takes.
        arguments=texts | dict.fromkeys(arrays, "array") if arrays else texts,
        set=variables | dict.fromkeys(variable_arrays, "array") if variable_arrays else variables,
        expect=lines,
    )
    arrays |= variable_arrays
    # The simulator has a GPU beside it where both are compared.
    device = 0 if asked.both and asked.ordinal == SIMULATOR else asked.ordinal
    files, handed, inputs = FileFolder(), None, FileFolder()
    if arrays or expected:
        # It loads NumPy.
        from jitstudio.commands.handed import HandedData  # noqa: PLC0415

        handed = HandedData(inputs.path, arrays, expected, partial(session.asking, device))
    try:
        # Workers first: who has the GPU waits for nobody.
        with session.workers() as workers, session.gpu(device):
            built, result, _ = launch(asked, workers=workers, handed=handed, keep=files.path)
    finally:
        inputs.close()
    shapes = {name: array.shape for name, array in arrays.items()}
    buffers = BufferArrays(result.buffers if result else (), shapes, files)
    return LaunchReport(run_object(built, result), result, buffers)


@spelled_out(PassesOptions, PassesArguments)
def passes(thing: object, **arguments: Unpack[PassesArguments]) -> PassesReport:
    """Finds what each pass of libNVVM's optimiser changes in the PTX.

    Args:
        thing: CUDA C++ or LLVM IR; see `inspect`.
        **arguments: See `PassesArguments`.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    session, values = session_of(arguments.pop("session", None)), _compiled(thing, arguments)
    asked = PassesOptions.of(**values)
    with session.workers() as workers:
        return PassesReport(passes_object(passes_command.passes(asked, workers)))


@spelled_out(DiffOptions, DiffArguments)
def diff(a: object, b: object, **arguments: Unpack[DiffArguments]) -> DiffReport:
    """Compares two programs by their machine code, their PTX or their texts.

    Args:
        a: One thing; see `inspect`.
        b: The other.
        **arguments: See `DiffArguments`.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    session, name = session_of(arguments.pop("session", None)), arguments.pop("name", "")
    sides = [_only(_sources(thing, name or word), word) for thing, word in ((a, "a"), (b, "b"))]
    target = _target(arguments.pop("arch", None), sides)
    asked = DiffOptions.of(a=sides[0], b=sides[1], arch=target, **arguments)
    with session.workers() as workers:
        result = diff_command.diff(asked, workers)
    return DiffReport(diff_object(result, asked.what, asked.kernel, normalised=asked.normalised))


def _compiled(thing: object, arguments: Any) -> dict[str, Any]:
    """Returns the arguments of a command, with the modules and the target of the thing."""
    sources = _sources(thing, arguments.pop("name", ""))
    target = _target(arguments.pop("arch", None), sources)
    return {**arguments, "sources": sources, "arch": target}


def _sources(thing: object, name: str) -> list[ModuleInput]:
    """Returns the modules: paths unchanged, for the command to read; other things as code."""
    try:
        ANY_TEXT.check(name)
    except ValueError as error:
        raise WrongValueError("name", name, str(error)) from None
    try:
        if is_path(thing):
            return [os.fspath(thing)]
        if isinstance(thing, (list, tuple)) and thing and all(map(is_path, thing)):
            return [os.fspath(path) for path in thing]
        kernels = found_in(thing, name)
    except OSError as error:
        raise ValueError(f"'{error.filename}' cannot be read: {error.strerror}.") from None
    if not kernels:
        raise TypeError("There is nothing in it: a list of kernels is empty.")
    return list(sources_of(kernels))


def _only(sources: list[ModuleInput], word: str) -> ModuleInput:
    if len(sources) > 1:
        names = ", ".join(source if isinstance(source, str) else source.name for source in sources)
        raise ValueError(f"'{word}' holds several modules: {names}. Compare one of them.")
    return sources[0]


def _target(arch: Any, sources: list[ModuleInput]) -> Any:
    """Returns the target; without `arch`, the target of PTX that was handed over."""
    if arch is not None:
        return arch
    texts = (
        source.content.decode("utf-8", "replace")
        for source in sources
        if isinstance(source, Source) and source.kind is CodeKind.PTX
    )
    return next(filter(None, map(ptx_target, texts)), None)
