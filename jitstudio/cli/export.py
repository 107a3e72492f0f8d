"""`jitstudio export`: a build and its launch in forms that others run, read and check."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from jitstudio.analysis.reading_request import ReadingFailure
from jitstudio.cli import build
from jitstudio.commands import exit_codes
from jitstudio.commands.build import built
from jitstudio.commands.export_options import ExportOptions
from jitstudio.commands.inputs import given_project, made_folder, unwritable, without_waiting
from jitstudio.commands.launch_spec import base_launch, spec_from
from jitstudio.commands.request import request_of
from jitstudio.commands.values import UsageError
from jitstudio.core.launch.choice import build_for_launch
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.export.formats import BY_NAME, ExportedFiles
from jitstudio.export.recipe import (
    ExportError,
    Recipe,
    RecipeLaunch,
    carried_headers,
    exported_request,
    launch_of,
    module_of,
    reading_request,
    recipe_of,
)
from jitstudio.project_files import OpenProject
from jitstudio.terminal import print_error, say
from jitstudio.worker.code_readers import DisassemblyReader


def run(options: ExportOptions) -> int:
    """Exports what the options say and returns the exit status.

    Raises:
        UsageError: An argument is wrong, a file cannot be read or written, or what is asked for
            cannot be exported so.
        WorkerError: The worker itself failed.
    """
    chosen = BY_NAME[options.format]
    if options.output is None and not chosen.ending:
        raise UsageError(f"'{chosen.name}' is several files: name a folder for them with -o.")
    if options.output is None and not chosen.is_text:
        raise UsageError(f"'{chosen.name}' is no text: name a file for it with -o.")
    folder = None if chosen.ending else made_folder(options.output, "-o")
    try:
        recipe = _recipe(options)
        if isinstance(recipe, int):
            return recipe
        if chosen.reads_code:
            recipe = _read(recipe)
        made = chosen.make(recipe)
    except ExportError as error:
        raise UsageError(str(error)) from None
    for note in made.notes:
        print_error(f"not exported: {note}")
    _write(made, folder, options.output)
    return exit_codes.BUILT


def _recipe(options: ExportOptions) -> Recipe | int:
    """Returns what is exported, or the exit status of a build that failed."""
    project = given_project(options.sources)
    base = base_launch(project, options.kernel or "", options.texts)
    spec = spec_from(options, base)
    request = request_of(options, options.sources, project)
    request = exported_request(build_for_launch(request, spec.kernel))
    result = built(request)[-1]
    if not result.ok:
        build.show(result)
        return exit_codes.OF_OUTCOME[result.outcome]
    launch = _launch(options, request, spec, base, result)
    part = module_of(request, [launch.form.module] if launch else [])
    recipe = recipe_of(part, result, carried_headers(part, result), launch)
    return replace(recipe, paths=_paths(options, project))


def _read(recipe: Recipe) -> Recipe:
    """Returns a recipe with its machine code read.

    Raises:
        ExportError: It cannot be read.
    """
    reader = DisassemblyReader()
    try:
        code = reader.analyse(reading_request(recipe))
    finally:
        reader.close()
    if isinstance(code, ReadingFailure):
        raise ExportError(code.message)
    return replace(recipe, code=code)


def _paths(options: ExportOptions, project: OpenProject | None) -> dict[str, str]:
    """Returns the files of modules, headers and libraries by their names in the build."""
    sources = [path for path in options.sources if isinstance(path, str)]
    paths = {os.fsencode(path).decode("utf-8", "replace"): path for path in sources}
    paths |= {path: path for path in options.libraries}
    paths |= dict(options.headers)
    if project is not None:
        paths |= {one.member.name: str(one.path) for one in project.members if one.path}
    return {name: os.path.abspath(path) for name, path in paths.items()}


def _launch(
    options: ExportOptions,
    request: BuildRequest,
    spec: LaunchSpec,
    base: LaunchSpec | None,
    result: BuildResult,
) -> RecipeLaunch | None:
    """Returns the launch; None where none was asked for and the usual one makes no sense."""
    begin = partial(spec_from, options) if base is None else None
    try:
        return launch_of(request, result, spec, begin)
    except ExportError as error:
        if base is not None or replace(spec, kernel="") != LaunchSpec() or spec.kernel:
            raise
        print_error(f"exported without a launch: {error}")
        return None


def _write(made: ExportedFiles, folder: Path | None, output: str | None) -> None:
    if output is None:
        say(made.text.rstrip("\n"))
        return
    for name, content in made.files.items():
        path = folder / name if folder else Path(output)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "wb", opener=without_waiting) as file:
                file.write(content)
        except OSError as error:
            raise unwritable(path, error, "-o") from None
        say(str(path))
