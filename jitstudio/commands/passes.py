"""The films of a build: the changes of the PTX by each pass of the optimiser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jitstudio.analysis.passes import FilmReading, function_names, read_film
from jitstudio.command_options.build import PassesOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands.build import request_of
from jitstudio.commands.workers import Workers, borrowed
from jitstudio.core.file_names import FileNames, with_files
from jitstudio.core.passes import Film, FilmStep
from jitstudio.core.result import BuildResult
from jitstudio.listing.kernel_names import meanings


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
            request,
            on_progress,
            every_pass=options.every_pass,
            number=options.number,
            timeout=options.timeout,
        )
    if filmed.problem:
        raise UsageError(filmed.problem)
    readings = tuple(_readings(filmed.films, options.kernel, filmed.demangled))
    _check_number(readings, options.number)
    return with_files(Passes(filmed.result, readings), names.shown)


def _readings(
    films: Sequence[Film], kernel: str | None, demangled: Mapping[str, str]
) -> Iterator[FilmReading]:
    """Yields the readings of films; of a kernel those that have it, by any of its names."""
    titles = meanings(demangled, demangled)
    lowered = dict.fromkeys(name for film in films for name in function_names(film))
    called = [n for n in lowered if kernel in (n, demangled.get(n), titles.get(n))]
    if kernel and lowered and not called:
        listed = ", ".join(titles.get(name, name) for name in lowered)
        raise UsageError(f"There is no kernel or function '{kernel}'. There are: {listed}.")
    for film in films:
        for name in called if kernel and film.ptx else ("",):
            if (reading := read_film(film, name)) is not None:
                yield reading


def _check_number(readings: Sequence[FilmReading], number: int | None) -> None:
    counts = {reading.film.name: len(reading.film.passes) for reading in readings}
    if number is not None and 0 < max(counts.values(), default=0) < number:
        listed = ", ".join(f"{name} has {count:,} passes" for name, count in counts.items())
        raise UsageError(f"There is no pass {number:,}: {listed}.")


def shown_steps(reading: FilmReading, options: PassesOptions) -> tuple[FilmStep, ...]:
    """Returns the changes that are printed in full."""
    if options.number is None:
        return reading.film.steps if options.diffs else ()
    return tuple(
        step
        for step in reading.film.steps
        if step.passes[0].number <= options.number <= step.passes[-1].number
    )
