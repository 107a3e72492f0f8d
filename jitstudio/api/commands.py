"""`jitstudio.inspect`, `build`, `run` and `diff`: the commands of the command line, from Python.

Each does what the command of its name does, in the same worker processes: no native library of a
compiler or driver is loaded into the caller's process.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from jitstudio.api.reports import BuildReport, DiffReport, InspectReport, LaunchReport
from jitstudio.commands import build as build_command
from jitstudio.commands import diff as diff_command
from jitstudio.commands import inspect as inspect_command
from jitstudio.commands.build_options import BuildOptions, DiffOptions, InspectOptions
from jitstudio.commands.json_code import diff_object, inspect_object
from jitstudio.commands.json_output import build_object
from jitstudio.commands.launch_options import RunOptions
from jitstudio.commands.run import launch, run_object
from jitstudio.commands.values import ANY_TEXT, ModuleInput, WrongValueError
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import DEFAULT_TIMEOUT
from jitstudio.ptx.skimming import ptx_target
from jitstudio.python.things import found_in, is_path, sources_of


def inspect(
    thing: object,
    *,
    name: str = "",
    kernel: str | None = None,
    arch: str | None = None,
    options: Iterable[str] = (),
    block: int | None = None,
    shared: int = 0,
    timeout: float = DEFAULT_TIMEOUT,
) -> InspectReport:
    """Reads machine code: what it needs, where it comes from, what may cost time.

    Args:
        thing: A kernel of Triton, Numba, CuPy, CuTe DSL, cuTile, Warp or cuda.core; PTX, LLVM IR
            or CUDA C++ as text; a cubin, a fatbin or an object file as bytes; the path of a file,
            also of a program or library; or several of these in a list. What holds no machine
            code is built first.
        name: What to call code that has no name of its own.
        kernel: Only this kernel or function, by its lowered or its demangled name.
        arch: The target, such as ``sm_90``; None for that of PTX that was handed over, or the
            usual one. Machine code that is there already keeps its own.
        options: Options for the compilers, such as ``-lineinfo``; one text is one option.
        block: Threads per block to calculate the occupancy with; None for a usual number.
        shared: Bytes of dynamic shared memory per block to calculate the occupancy with.
        timeout: Seconds that the build may take, and each reading.

    Raises:
        TypeError: The thing holds no kernel that is known; the message lists what is taken.
        ValueError: An argument is wrong, a file cannot be read, or nothing was compiled so far.
        RuntimeError: A worker process itself failed.
    """
    sources = _sources(thing, name)
    asked = InspectOptions.of(
        sources=sources,
        arch=_target(arch, sources),
        options=options,
        kernel=kernel,
        block=block,
        shared=shared,
        timeout=timeout,
    )
    return InspectReport(inspect_object(*inspect_command.inspect(asked)))


def build(
    thing: object,
    *,
    name: str = "",
    arch: str | None = None,
    options: Iterable[str] = (),
    emit: Iterable[str] = (),
    link: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> BuildReport:
    """Compiles, links and disassembles. A build that fails is a report with its log.

    Args:
        thing: See `inspect`.
        name: See `inspect`.
        arch: The target, such as ``sm_90``.
        options: Options for the compilers, such as ``-lineinfo``.
        timeout: Seconds that the build may take.
        emit: What to make, one or several: ``ptx``, ``sass``, ``cubin``, ``ltoir``, ``optixir``,
            ``fatbin``.
        link: ``ptx`` or ``lto`` to link all modules.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    sources = _sources(thing, name)
    asked = BuildOptions.of(
        sources=sources,
        arch=_target(arch, sources),
        options=options,
        emit=emit or None,
        link=link,
        timeout=timeout,
    )
    _, result, inlined = build_command.build(asked)
    return BuildReport(build_object(result, (), inlined), result)


def run(
    thing: object,
    kernel: str | None = None,
    *,
    name: str = "",
    arguments: Mapping[str, object] | None = None,
    set: Mapping[str, object] | None = None,  # noqa: A002 - the word of `jitstudio run`
    grid: object = None,
    cover: object = None,
    block: object = None,
    shared: object = None,
    expect: Iterable[str] = (),
    repeats: int | None = None,
    arch: str | None = None,
    options: Iterable[str] = (),
    device: int | str = 0,
    timeout: float | None = None,
    seed: int | None = None,
    seeds: int | None = None,
) -> LaunchReport:
    """Builds, launches a kernel on a GPU in a process of its own, times it and checks it.

    Args:
        thing: See `inspect`.
        name: See `inspect`.
        arch: The target; None for that of the GPU.
        options: Options for the compilers, such as ``-lineinfo``.
        kernel: Which one; None where there is only one.
        arguments: Values and buffers by the names of the parameters, written as in
            `jitstudio run`: ``{"a": 2.5, "x": "n:random(7)", "n": 4096}``; pointers in structs
            by their paths, such as ``"view.data"``.
        set: What module variables hold before the launch, by their names, such as
            ``{"mask": "{1, 2, 1}"}``; ``"out"`` to read one back.
        grid: Blocks, such as ``128`` or ``(16, 16)``.
        cover: In place of the grid: so many threads at least, such as ``"n"``.
        block: Threads per block.
        shared: Bytes of dynamic shared memory per block.
        expect: What buffers shall hold, in NumPy: ``"out = a * x + y"``, or several in a list.
        repeats: Launches that are timed.
        device: The GPU, as `jitstudio devices` counts them; ``"sim"`` for the simulator.
        timeout: Seconds after which a launch is ended.
        seed: Of the order of blocks and warps in the simulator; 0 for the natural one.
        seeds: How many orders it runs and compares, from that one on.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    sources = _sources(thing, name)
    asked = RunOptions.of(
        sources=sources,
        arch=_target(arch, sources),
        options=options,
        kernel=kernel,
        arguments={} if arguments is None else arguments,
        set={} if set is None else set,
        grid=grid,
        cover=cover,
        block=block,
        shared=shared,
        expect=expect,
        repeats=repeats,
        device=device,
        timeout=timeout,
        seed=seed,
        seeds=seeds,
    )
    built, result, _ = launch(asked)
    return LaunchReport(run_object(built, result))


def diff(
    a: object,
    b: object,
    *,
    what: str = "sass",
    kernel: str | None = None,
    normalised: bool = False,
    arch: str | None = None,
    options: Iterable[str] = (),
    timeout: float = DEFAULT_TIMEOUT,
) -> DiffReport:
    """Compares two programs by their machine code, their PTX or their texts.

    Args:
        a: One thing; see `inspect`.
        b: The other.
        what: ``sass``, ``ptx`` or ``source``.
        kernel: Compare this kernel only.
        normalised: Whether names of registers and labels, addresses and control bits are no
            difference.
        arch: The target of both.
        options: Options for the compilers of both.
        timeout: Seconds that each build may take, and each reading.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    sides = [_only(_sources(thing, word), word) for thing, word in ((a, "a"), (b, "b"))]
    asked = DiffOptions.of(
        a=sides[0],
        b=sides[1],
        what=what,
        kernel=kernel,
        normalised=normalised,
        arch=_target(arch, sides),
        options=options,
        timeout=timeout,
    )
    result = diff_command.diff(asked)
    return DiffReport(diff_object(result, asked.what, asked.kernel, normalised=asked.normalised))


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
