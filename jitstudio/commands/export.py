"""A build and a launch in forms that other programs run, read and check."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial

from jitstudio.analysis.passes import FilmReading, read_film
from jitstudio.analysis.reading_request import ReadingFailure
from jitstudio.command_options.values import UsageError
from jitstudio.commands.build import request_of, runs_of
from jitstudio.commands.export_options import ExportOptions
from jitstudio.commands.launch_spec import base_launch, spec_from
from jitstudio.commands.project_files import OpenProject
from jitstudio.commands.project_request import project_of
from jitstudio.commands.workers import Workers
from jitstudio.core.file_names import FileNames, with_files
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
from jitstudio.system.terminal import print_error


def export(options: ExportOptions) -> ExportedFiles | BuildResult:
    """Returns the exported files, or the build that failed.

    Raises:
        UsageError: An option is wrong, a file cannot be read, or what is asked for cannot be
            exported so.
        WorkerError: The worker itself failed.
    """
    form = BY_NAME[options.format]
    try:
        recipe = _recipe(options)
        if isinstance(recipe, BuildResult):
            return recipe
        if form.reads_code:
            recipe = _read(recipe, options)
        return form.write(recipe)
    except ExportError as error:
        raise UsageError(str(error)) from None


def _recipe(options: ExportOptions) -> Recipe | BuildResult:
    """Returns the recipe of an export, or the build that failed."""
    project = project_of(options.sources)
    base = base_launch(project, options.kernel or "", options.texts)
    spec = spec_from(options, base)
    request = request_of(options, options.sources, project)
    request = exported_request(build_for_launch(request, spec.kernel))
    result = runs_of(request)[-1]
    if not result.ok:
        return result
    launch = _launch(options, request, spec, base, result)
    part = module_of(request, [launch.form.module] if launch else [])
    recipe = recipe_of(part, result, carried_headers(part, result), launch)
    return replace(recipe, paths=_paths(options, project), device=options.ordinal)


def _read(recipe: Recipe, options: ExportOptions) -> Recipe:
    """Returns a recipe with the machine code read, and with films where these are asked for.

    Raises:
        ExportError: It cannot be read.
    """
    with Workers() as workers:
        request = replace(reading_request(recipe), use_cache=not options.no_cache)
        code = workers.code_reader.analyse(request)
        films = _films(recipe, workers) if options.passes else ()
    if isinstance(code, ReadingFailure):
        raise ExportError(code.message)
    return replace(recipe, code=code, films=films)


def _films(recipe: Recipe, workers: Workers) -> tuple[FilmReading, ...]:
    """Returns the films of a build.

    Raises:
        ExportError: There are none.
    """
    filmed = workers.filmer.film(recipe.request)
    if filmed.problem or not filmed.result.ok:
        raise ExportError(filmed.problem or filmed.result.reason)
    readings = tuple(reading for film in filmed.films if (reading := read_film(film)))
    return with_files(readings, FileNames(recipe.request).shown)


def _paths(options: ExportOptions, project: OpenProject | None) -> dict[str, str]:
    """Returns the files of modules, headers and libraries by their names in the build."""
    sources = [path for path in options.sources if isinstance(path, str)]
    # A build calls a file by UTF-8, though the path may have other bytes.
    paths = {os.fsencode(path).decode("utf-8", "replace"): path for path in sources}
    paths |= {path: path for path in options.libraries}
    paths |= {name: path for name, path in options.headers if isinstance(path, str)}
    if project is not None:
        paths |= {member.member.name: str(member.path) for member in project.members if member.path}
    return {name: os.path.abspath(path) for name, path in paths.items()}


def _launch(
    options: ExportOptions,
    request: BuildRequest,
    spec: LaunchSpec,
    base: LaunchSpec | None,
    result: BuildResult,
) -> RecipeLaunch | None:
    """Returns the launch; None where the user asks for none and the default makes no sense."""
    begin = partial(spec_from, options) if base is None else None
    try:
        return launch_of(request, result, spec, begin)
    except ExportError as error:
        if base is not None or replace(spec, kernel="") != LaunchSpec() or spec.kernel:
            raise
        print_error(f"exported without a launch: {error}")
        return None
