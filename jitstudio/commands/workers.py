"""The worker processes of commands: they last for a command, or as long as a caller keeps them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol, Self, TypeVar, cast

from jitstudio.cache.store import Store
from jitstudio.worker.builder import Builder
from jitstudio.worker.host import WorkerError

if TYPE_CHECKING:
    from jitstudio.worker.code_readers import DisassemblyReader, LibraryReader
    from jitstudio.worker.launcher import Launcher
    from jitstudio.worker.passes import BuildFilmer

_LAUNCHER = "launcher"


class _Closeable(Protocol):
    def close(self) -> None: ...


_Worker = TypeVar("_Worker", bound=_Closeable)


class Workers:
    """Compilers, readers and a launcher, each of which is made when a command first needs it.

    Commands in several threads may share them, and wait for one another. `close` is safe from any
    thread: it ends what is in progress.
    """

    def __init__(self) -> None:
        self._store = Store()
        self._lock = threading.Lock()
        self._workers: dict[str, _Closeable] = {}
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    @property
    def builder(self) -> Builder:
        """Builds, with the results of earlier builds."""
        return self._worker("builder", lambda: Builder(store=self._store))

    @property
    def code_reader(self) -> DisassemblyReader:
        """Reads machine code, with the readings of earlier commands."""
        # It loads all that readers answer with.
        from jitstudio.worker.code_readers import DisassemblyReader  # noqa: PLC0415

        return self._worker("code reader", lambda: DisassemblyReader(store=self._store))

    @property
    def library_reader(self) -> LibraryReader:
        """Reads programs, libraries and caches."""
        # See `code_reader`.
        from jitstudio.worker.code_readers import LibraryReader  # noqa: PLC0415

        return self._worker("library reader", LibraryReader)

    @property
    def filmer(self) -> BuildFilmer:
        """Films the passes of compilers."""
        # See `code_reader`.
        from jitstudio.worker.passes import BuildFilmer  # noqa: PLC0415

        builder = self.builder
        return self._worker("filmer", lambda: BuildFilmer(builder))

    @property
    def launcher(self) -> Launcher:
        """Launches kernels."""
        # It loads all that launches need.
        from jitstudio.worker.launcher import Launcher  # noqa: PLC0415

        return self._worker(_LAUNCHER, Launcher)

    @property
    def is_closed(self) -> bool:
        """Whether they have been closed."""
        return self._closed

    def rest(self) -> None:
        """Ends an idle process with the GPU, which frees all memory there."""
        with self._lock:
            launcher = self._workers.get(_LAUNCHER)
        if launcher is not None:
            cast("Launcher", launcher).rest()

    def close(self) -> None:
        """Ends all processes for good."""
        with self._lock:
            self._closed = True
            workers = tuple(self._workers.values())
        for worker in workers:
            worker.close()
        self._store.close()

    def _worker(self, kind: str, make: Callable[[], _Worker]) -> _Worker:
        with self._lock:
            if self._closed:
                raise WorkerError("The worker processes have been closed.")
            if kind not in self._workers:
                self._workers[kind] = make()
            return cast(_Worker, self._workers[kind])


@contextlib.contextmanager
def borrowed(workers: Workers | None) -> Iterator[Workers]:
    """Yields the workers of a caller; without any, workers that end with the block."""
    if workers is not None:
        yield workers
        return
    with Workers() as own:
        yield own
