"""`jitstudio build`: the engine and the worker of the window, in a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from jitstudio.cli import text_output
from jitstudio.command_options.build import BuildOptions
from jitstudio.commands import exit_codes
from jitstudio.commands.build import build_request, complete
from jitstudio.commands.files import made_folder, write_named
from jitstudio.commands.inlined import InlinedNamed
from jitstudio.core.code import CodeKind
from jitstudio.core.result import BuildResult
from jitstudio.system.terminal import say

if TYPE_CHECKING:
    from jitstudio.commands.build_time import ModuleTime


def run(options: BuildOptions) -> int:
    """Builds the sources, prints the result, and returns the exit status.

    Raises:
        UsageError: An option is wrong, a file cannot be read or written.
        WorkerError: The worker itself failed.
    """
    request = build_request(options)
    if options.compare_links or options.compare_targets is not None:
        # It loads all that variants need.
        from jitstudio.cli import compare  # noqa: PLC0415

        if options.compare_targets is not None and not options.compare_links:
            return compare.run_targets(request, options)
        return compare.run_links(request, options.timeout, as_json=options.json)
    folder = made_folder(options.output, "-o")
    times: tuple[ModuleTime, ...] = ()
    if options.time:
        # It loads what few builds need.
        from jitstudio.commands.build_time import timed  # noqa: PLC0415

        (runs, result, inlined), times = timed(request, options)
    else:
        runs, result, inlined = complete(request, options.timeout, options.repeat)
    written = _write(result, folder) if folder else ()
    if options.json:
        # It loads all that JSON tells of.
        from jitstudio.commands.json_output import build_object, time_object  # noqa: PLC0415

        answer = build_object(result, runs if options.repeat > 1 else (), inlined)
        if options.time:
            answer["time"] = list(map(time_object, times))
        say(json.dumps(answer, indent=2))
    else:
        for source in request.sources:
            if source.kind is CodeKind.FATBIN:
                text_output.print_fatbin(source.name, source.content)
        if not options.time:
            show(result, written, inlined)
        else:
            text_output.print_diagnostics(result.diagnostics)
            text_output.print_names(result)
            for module in times:
                text_output.print_time(module)
            for path in written:
                say(str(path))
            text_output.print_summary(result)
    return exit_codes.OF_OUTCOME[result.outcome]


def show(
    result: BuildResult, written: tuple[Path, ...] = (), inlined: InlinedNamed | None = None
) -> None:
    """Prints a result; files already written are named rather than printed."""
    text_output.print_stages(result)
    text_output.print_names(result)
    text_output.print_kernels(result)
    if inlined:
        text_output.print_inlined(inlined)
    for artifact in result.artifacts:
        if artifact.kind is CodeKind.FATBIN:
            text_output.print_fatbin(artifact.file_name, artifact.content)
    if not written:
        text_output.print_artifacts(result)
    for path in written:
        say(str(path))
    text_output.print_key_figures(result)
    text_output.print_summary(result)


def _write(result: BuildResult, folder: Path) -> tuple[Path, ...]:
    names = [artifact.file_name for artifact in result.artifacts]
    written = []
    for artifact, name in zip(result.artifacts, names, strict=True):
        path = folder / (name if names.count(name) == 1 else artifact.full_file_name)
        write_named(path, artifact.content, "-o")
        written.append(path)
    return tuple(written)
