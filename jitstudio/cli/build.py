"""`jitstudio build`: the engine and the worker of the window, in a terminal."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from jitstudio.cache.store import Store
from jitstudio.cli import compare, text_output
from jitstudio.cli.request import (
    base_request,
    given_project,
    made_folder,
    request_from,
    unwritable,
    without_waiting,
)
from jitstudio.commands import exit_codes
from jitstudio.commands.json_output import build_object
from jitstudio.commands.machine_code import (
    InlinedNamed,
    makes_ptx,
    only_asked_for,
    read_inlined,
    with_ptx,
)
from jitstudio.core.code import CodeKind
from jitstudio.core.plan import with_idle_options
from jitstudio.core.request import DEFAULT_TIMEOUT, BuildRequest, LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.terminal import say
from jitstudio.worker.builder import Builder


def run(arguments: argparse.Namespace) -> int:
    """Builds what the arguments say and returns the exit status.

    Raises:
        UsageError: An argument is wrong, a file cannot be read or written.
        WorkerError: The worker itself failed.
    """
    project = given_project(arguments.sources)
    request = request_from(arguments, base_request(project, arguments))
    if arguments.compare_links:
        return compare.run_links(request, arguments.timeout, as_json=arguments.json)
    if arguments.compare_targets is not None:
        return compare.run_targets(request, arguments)
    folder = made_folder(arguments.output, "-o")
    results, result, found = complete(request, arguments.timeout, arguments.repeat)
    written = _write(result, folder) if folder else ()
    if arguments.json:
        runs = results if arguments.repeat > 1 else ()
        say(json.dumps(build_object(result, runs, found), indent=2))
    else:
        for source in request.sources:
            if source.kind is CodeKind.FATBIN:
                text_output.print_fatbin(source.name, source.content)
        show(result, written, found)
    return exit_codes.OF_OUTCOME[result.outcome]


def complete(
    request: BuildRequest, timeout: float, repeat: int = 1
) -> tuple[tuple[BuildResult, ...], BuildResult, InlinedNamed | None]:
    """Returns all runs of a build, the last with what was asked for only, and what LTO inlined.

    Raises:
        WorkerError: The worker itself failed.
    """
    listed = repeat == 1 and request.link is LinkMode.LTO and makes_ptx(request)
    results = build(with_ptx(request) if listed else request, timeout, repeat)
    return results, only_asked_for(results[-1], request), read_inlined(results[-1])


def build(
    request: BuildRequest, timeout: float = DEFAULT_TIMEOUT, repeat: int = 1
) -> tuple[BuildResult, ...]:
    """Builds as often as asked with one set of workers, stopping at the first failure.

    More than one build is for the times of the tools, so the cache stays out of it, and each finds
    workers that have done all they do between builds.
    """
    if repeat > 1:
        request = replace(request, use_cache=False)
    builder = Builder(store=Store())
    results: list[BuildResult] = []
    try:
        while len(results) < repeat and (not results or results[-1].ok):
            made = builder.build(request, timeout=timeout)
            results.append(with_idle_options(request, made))
            if len(results) < repeat:
                builder.settle()
    finally:
        builder.close()
    return tuple(results)


def show(
    result: BuildResult, written: tuple[Path, ...] = (), found: InlinedNamed | None = None
) -> None:
    """Prints a result; files already written are named rather than printed."""
    text_output.print_stages(result)
    text_output.print_names(result)
    text_output.print_kernels(result)
    if found:
        text_output.print_inlined(found)
    for artifact in result.artifacts:
        if artifact.kind is CodeKind.FATBIN:
            text_output.print_fatbin(artifact.file_name, artifact.content)
    if not written:
        text_output.print_artifacts(result)
    for path in written:
        say(str(path))
    text_output.print_summary(result)


def _write(result: BuildResult, folder: Path) -> tuple[Path, ...]:
    names = [artifact.file_name for artifact in result.artifacts]
    written = []
    for artifact, name in zip(result.artifacts, names, strict=True):
        path = folder / (name if names.count(name) == 1 else artifact.full_file_name)
        try:
            with open(path, "wb", opener=without_waiting) as file:
                file.write(artifact.content)
        except OSError as error:
            raise unwritable(path, error, "-o") from None
        written.append(path)
    return tuple(written)
