"""The files of launches: what buffers begin with, and what kernels have written."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path

from jitstudio.core.launch.events import LaunchEvent, LaunchProgress
from jitstudio.core.launch.request import Buffer, FillKind, LaunchRequest
from jitstudio.core.tools import FileStamp
from jitstudio.worker import scratch
from jitstudio.worker.evaluator import Calculator

_KEPT_RUNS = 2
_KEPT_FILLS = 16


class LaunchFiles:
    """A folder that is made at the first launch and lasts as long as its launcher.

    The outputs of the last run stay until the one after the next, as somebody may look at them.
    """

    def __init__(self) -> None:
        self._made: Path | None = None
        self._numbers = itertools.count(1)
        self._runs: list[Path] = []
        self._fills: OrderedDict[object, Path] = OrderedDict()

    def new_run(self) -> Path:
        """An empty folder for the outputs of a launch.

        Raises:
            OSError: It cannot be made.
        """
        run = self.runs / f"run{next(self._numbers)}"
        run.mkdir()
        self._runs.append(run)
        return run

    def trim(self) -> None:
        """Remove what nobody looks at any more; large files take a while."""
        while len(self._runs) > _KEPT_RUNS:
            scratch.remove(self._runs.pop(0))
        while len(self._fills) > _KEPT_FILLS:
            _, path = self._fills.popitem(last=False)
            path.unlink(missing_ok=True)

    def prepare(
        self, request: LaunchRequest, calculator: Calculator, tell: Callable[[LaunchEvent], None]
    ) -> dict[str, Path]:
        """Files with the content of the buffers that a file or an expression fills.

        What has been made before for the same launch is not made again.

        Raises:
            CalculationError: A file cannot be read, or an expression not be evaluated.
            OSError: The files cannot be made.
        """
        prepared: dict[str, Path] = {}
        values = request.values
        for buffer in _in_order(request.buffers):
            key = (buffer, *values.items(), request.buffers, _age(buffer), *prepared.values())
            if key not in self._fills:
                tell(LaunchProgress(f"calculating '{buffer.name}'"))
                path = self._fill_folder / f"fill{next(self._numbers)}.npy"
                others = tuple(other for other in request.buffers if other != buffer)
                calculator.fill(
                    buffer,
                    values,
                    others,
                    prepared,
                    path,
                    timeout=request.timeout,
                    confined_to=request.confined_to,
                )
                self._fills[key] = path
            self._fills.move_to_end(key)
            prepared[buffer.name] = self._fills[key]
        return prepared

    def close(self) -> None:
        """Remove all of them."""
        if self._made is not None:
            scratch.remove(self._made)

    @property
    def folder(self) -> Path:
        """Where they all are.

        Raises:
            OSError: It cannot be made.
        """
        if self._made is None or not self._made.is_dir():
            self._made = scratch.make("launch")
            self._runs.clear()
            self._fills.clear()
            for inner in (self.runs, self._fill_folder):
                inner.mkdir()
        return self._made

    @property
    def runs(self) -> Path:
        """What launches have written; the rest of the folder is not theirs to change.

        Raises:
            OSError: It cannot be made.
        """
        return self.folder / "runs"

    @property
    def _fill_folder(self) -> Path:
        return self.folder / "fills"


def _in_order(buffers: tuple[Buffer, ...]) -> Iterator[Buffer]:
    """Those that need a file: first what files hold, as expressions may refer to it."""
    for kind in (FillKind.FILE, FillKind.EXPRESSION):
        yield from (buffer for buffer in buffers if buffer.length and buffer.fill.kind is kind)


def _age(buffer: Buffer) -> FileStamp | None:
    """Tells a file from what it was before somebody changed it; None where there is none."""
    if buffer.fill.kind is not FillKind.FILE:
        return None
    try:
        return FileStamp.of(buffer.fill.text.rpartition("::")[0] or buffer.fill.text)
    except OSError:
        return None
