"""`jitstudio.inspect`, `build`, `run` and `diff`: the commands of the command line, from Python.

Each does what the command of its name does, in the same worker processes: no native library of a
compiler or driver is loaded into the caller's process.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from jitstudio.api.arguments import (
    BuildArguments,
    DiffArguments,
    InspectArguments,
    RunArguments,
    spelled_out,
)
from jitstudio.api.reports import BuildReport, DiffReport, InspectReport, LaunchReport
from jitstudio.api.session import session_of
from jitstudio.command_options.build import BuildOptions, DiffOptions, InspectOptions
from jitstudio.command_options.launch import RunOptions
from jitstudio.command_options.values import ANY_TEXT, ModuleInput, WrongValueError
from jitstudio.commands import build as build_command
from jitstudio.commands import diff as diff_command
from jitstudio.commands import inspect as inspect_command
from jitstudio.commands.json_code import diff_object, inspect_object
from jitstudio.commands.json_output import build_object
from jitstudio.commands.run import launch, run_object
from jitstudio.core.code import CodeKind, Source
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
    expect: Iterable[str] = (),
    **others: Unpack[RunArguments],
) -> LaunchReport:
    """Builds, launches a kernel on a GPU in a process of its own, times it and checks it.

    Args:
        thing: See `inspect`.
        kernel: Which one; None where there is only one.
        arguments: Values and buffers by the names of the parameters, written as in
            `jitstudio run`: ``{"a": 2.5, "x": "n:random(7)", "n": 4096}``; pointers in structs
            by their paths, such as ``"view.data"``.
        set: What module variables hold before the launch, by their names, such as
            ``{"mask": "{1, 2, 1}"}``; ``"out"`` to read one back.
        expect: What buffers shall hold, in NumPy: ``"out = a * x + y"``, or several in a list.
        **others: See `RunArguments`.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    session, values = session_of(others.pop("session", None)), _compiled(thing, others)
    asked = RunOptions.of(
        **values,
        kernel=kernel,
        arguments={} if arguments is None else arguments,
        set={} if set is None else set,
        expect=expect,
    )
    with session.workers() as workers:
        built, result, _ = launch(asked, workers=workers)
    return LaunchReport(run_object(built, result))


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
    return arguments | {"sources": sources, "arch": _target(arguments.pop("arch", None), sources)}


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
