"""The films of a build: the changes of the PTX by each pass of the optimiser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jitstudio.analysis.passes import FilmReading, read_film
from jitstudio.command_options.build import PassesOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands.build import request_of
from jitstudio.commands.workers import Workers, borrowed
from jitstudio.core.file_names import FileNames, with_files
from jitstudio.core.passes import Film, FilmStep
from jitstudio.core.result import BuildResult


@dataclass(frozen=True)
class Passes:
    """The answer to `jitstudio passes`.

    Attributes:
        result: The build.
        readings: A film for each run of a compiler that makes PTX.
    """

    result: BuildResult
    readings: tuple[FilmReading, ...]

    @property
    def has_failed(self) -> bool:
        """Whether a film of the build shows nothing."""
        return any(not reading.film.passes for reading in self.readings)


def passes(
    options: PassesOptions,
    workers: Workers | None = None,
    on_progress: Callable[[Film], None] = lambda _: None,
) -> Passes:
    """Builds, and films each run of a compiler that makes PTX.

    Args:
        options: The build, and what is asked of the films.
        workers: The workers of the caller; None for workers that end with the films.
        on_progress: Called with a film so far.

    Raises:
        UsageError: An option is wrong, or a file cannot be read.
        WorkerError: The worker itself failed.
    """
    request = request_of(options, options.sources)
    names = FileNames(request)
    with borrowed(workers) as workers:
        filmed = workers.filmer.film(
            request, on_progress, every_pass=options.every_pass, timeout=options.timeout
        )
    if filmed.problem:
        raise UsageError(filmed.problem)
    readings = [
        reading for film in filmed.films if (reading := read_film(film, options.kernel or ""))
    ]
    if filmed.films and not readings:
        raise UsageError(f"There is no kernel or function '{options.kernel}' in the PTX.")
    for reading in readings:
        _check_number(reading.film, options.number)
    return with_files(Passes(filmed.result, tuple(readings)), names.shown)


def _check_number(film: Film, number: int | None) -> None:
    count = len(film.passes)
    if number is not None and count and number > count:
        raise UsageError(f"There is no pass {number:,}: {film.name} has {count:,} passes.")


def shown_steps(reading: FilmReading, options: PassesOptions) -> tuple[FilmStep, ...]:
    """Returns the changes that are printed in full."""
    if options.number is None:
        return reading.film.steps if options.diffs else ()
    return tuple(
        step
        for step in reading.film.steps
        if step.passes[0].number <= options.number <= step.passes[-1].number
    )
