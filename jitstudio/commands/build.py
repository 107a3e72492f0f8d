"""A build by the options of a command, with the engine and the workers of the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from jitstudio.command_options.build import BuildOptions, CompileOptions
from jitstudio.command_options.values import ModuleInput
from jitstudio.commands.inlined import (
    InlinedNamed,
    makes_ptx,
    only_asked_for,
    read_inlined,
    with_ptx,
)
from jitstudio.commands.module_request import projects_in, request_with_flags, with_options
from jitstudio.commands.workers import Workers, borrowed
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.file_names import FileNames, with_files
from jitstudio.core.launch.entry import with_entry
from jitstudio.core.plan import with_idle_options
from jitstudio.core.request import DEFAULT_TIMEOUT, Assembler, BuildRequest, LinkMode
from jitstudio.core.result import BuildResult

if TYPE_CHECKING:
    from jitstudio.commands.project_files import OpenProject


class BuildAnswer(NamedTuple):
    """The result of a build, with all runs.

    Attributes:
        runs: All runs.
        result: The last, with what was asked for only.
        inlined: The calls that LTO inlined; None where nothing is known of that.
    """

    runs: tuple[BuildResult, ...]
    result: BuildResult
    inlined: InlinedNamed | None


def build(options: BuildOptions, workers: Workers | None = None) -> BuildAnswer:
    """Returns the result of a build by options.

    Args:
        options: The build.
        workers: The workers of the caller; None for workers that end with the build.

    Raises:
        UsageError: An option makes no sense here, or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    return complete(build_request(options), options.timeout, options.repeat, workers)


def build_request(options: BuildOptions) -> BuildRequest:
    """Returns the build that `jitstudio build` is asked for.

    Raises:
        UsageError: See `build`.
    """
    return with_outputs(request_of(options, options.sources), options)


def request_of(
    options: CompileOptions, inputs: Sequence[ModuleInput], project: OpenProject | None = None
) -> BuildRequest:
    """Returns the build of modules or of a project, with all files read that the options name.

    Args:
        options: How it is built.
        inputs: The modules, or a project alone.
        project: That project, if it has been read.

    Raises:
        UsageError: An option makes no sense here, or a file cannot be read.
    """
    if project is None and not projects_in(inputs):
        return with_options(request_with_flags(options, inputs), options)
    # It loads all that projects hold.
    from jitstudio.commands.project_request import project_of, project_request  # noqa: PLC0415

    opened = project or project_of(inputs)
    assert opened is not None
    return with_options(project_request(opened, options), options)


def with_outputs(request: BuildRequest, options: BuildOptions) -> BuildRequest:
    """Returns a build with the outputs that the options ask for, and the way to make them."""
    targets = options.fat or ()
    kinds = {*(options.emit or ()), *((CodeKind.FATBIN,) if targets else ())}
    is_chosen = options.emit is not None or bool(targets)
    virtual = [word for word in targets if word.startswith("compute_")]
    asked = replace(
        request,
        emit=frozenset(kinds) if is_chosen else request.emit,
        fat_archs=tuple(Arch.parse(word) for word in targets if word not in virtual),
        fat_ptx=tuple(map(Arch.parse, virtual)),
        assembler=Assembler.DRIVER if options.driver_jit else request.assembler,
        precompile_headers=options.repeat > 1 and not options.no_pch,
    )
    return with_entry(asked)


def complete(
    request: BuildRequest, timeout: float, repeat: int = 1, workers: Workers | None = None
) -> BuildAnswer:
    """Returns the result of a request; for the workers see `build`.

    Raises:
        WorkerError: The worker itself failed.
    """
    listed = repeat == 1 and request.link is LinkMode.LTO and makes_ptx(request)
    with borrowed(workers) as workers:
        runs = runs_of(with_ptx(request) if listed else request, timeout, repeat, workers)
        inlined = with_files(read_inlined(runs[-1], workers), FileNames(request).path)
    return BuildAnswer(runs, only_asked_for(runs[-1], request), inlined)


def runs_of(
    request: BuildRequest,
    timeout: float = DEFAULT_TIMEOUT,
    repeat: int = 1,
    workers: Workers | None = None,
) -> tuple[BuildResult, ...]:
    """Builds as often as asked with one set of workers, stopping at the first failure.

    The results call files by names that lead to them from here. More than one build is for the
    times of the tools, so the cache stays out of it, and each finds workers that have done all they
    do between builds.
    """
    if repeat > 1:
        request = replace(request, use_cache=False)
    results: list[BuildResult] = []
    names = FileNames(request)
    with borrowed(workers) as workers:
        builder = workers.builder
        while len(results) < repeat and (not results or results[-1].ok):
            result = builder.build(request, timeout=timeout)
            results.append(with_files(with_idle_options(request, result), names.shown))
            if len(results) < repeat:
                builder.settle()
    return tuple(results)
