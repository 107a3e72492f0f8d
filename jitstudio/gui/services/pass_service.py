"""The service that films the passes of compilers, while builds go on."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from jitstudio.analysis.passes import FilmReading, read_film
from jitstudio.cache.store import Store
from jitstudio.core.file_names import FileNames, with_files
from jitstudio.core.request import DEFAULT_TIMEOUT, BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.gui.services.request_queue import RequestHandle, WorkerService
from jitstudio.worker.builder import Builder
from jitstudio.worker.passes import BuildFilmer
from jitstudio.worker.queue import Report

_FILM = "film"


@dataclass(frozen=True, eq=False)
class ReadFilms:
    """The films of a build.

    Attributes:
        result: The build.
        readings: One for each run of a compiler that makes PTX.
        problem: Why there are none, a sentence; empty if there are.
    """

    result: BuildResult
    readings: tuple[FilmReading, ...]
    problem: str = ""


class PassService(WorkerService):
    """Has builds filmed; the processes start at the first request, not with the window.

    Args:
        store: Where results of builds are kept.
    """

    def __init__(self, parent: QObject | None = None, *, store: Store | None = None) -> None:
        super().__init__(parent)
        self._filmer = BuildFilmer(Builder(workers=1, store=store, yields=True))
        self._serve("pass service", self._filmer, grace=None)

    def film(
        self, request: BuildRequest, *, every_pass: bool, timeout: float = DEFAULT_TIMEOUT
    ) -> RequestHandle:
        """Films a build; drops a waiting film.

        Args:
            request: The build.
            every_pass: See `core.passes.PassesRequest`.
            timeout: Seconds after which the build, and each film, is ended.

        Returns:
            The handle, which reports each `Film` as far as it is; its answer is a `ReadFilms`.
        """

        def work(ticket: int, report: Report) -> ReadFilms:
            filmed = self._filmer.film(
                request, report, every_pass=every_pass, ticket=ticket, timeout=timeout
            )
            readings = tuple(reading for film in filmed.films if (reading := read_film(film)))
            return with_files(
                ReadFilms(filmed.result, readings, filmed.problem), FileNames(request).path
            )

        return self._submit(_FILM, work)
