"""The contents of buffers after a launch, as arrays, and the folder with their files."""

from __future__ import annotations

import atexit
import math
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from jitstudio.core.bounds.folders import remove_tree
from jitstudio.core.launch.result import BufferResult
from jitstudio.worker import scratch
from jitstudio.worker.host import WorkerError

if TYPE_CHECKING:
    from jitstudio.commands.handed import AnyArray

_SMALL = 1 << 20
"""Bytes up to which a content is read; a larger one is mapped, which takes a file descriptor."""


class BufferArrays(Mapping[str, "AnyArray"]):
    """The buffers that a kernel may write, by the names of its arguments, after the first launch.

    An array is loaded when it is asked for, and cannot be written to. It has the shape of the array
    that was handed over for the argument; else its elements are the first axis, and the lanes of
    vectors such as ``float4`` the second. A texture or surface has its rows first. Complex numbers
    and structs are NumPy's. The files last as long as the report.

    Args:
        results: The buffers.
        shapes: The shapes of the arrays that were handed over, by name.
        folder: The folder with their files; None where there are none.
    """

    def __init__(
        self,
        results: Iterable[BufferResult] = (),
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        folder: FileFolder | None = None,
    ) -> None:
        self._folder = folder
        results = tuple(results)
        self._all = [buffer.name for buffer in results]
        self._results = {buffer.name: buffer for buffer in results if buffer.path}
        self._shapes = shapes or {}
        self._arrays: dict[str, AnyArray] = {}

    def __getitem__(self, name: str) -> AnyArray:
        if name not in self._results:
            known = ", ".join(self._results) or "none"
            read = f"'{name}' is only read. " if name in self._all else ""
            raise KeyError(f"{read}Buffers that the kernel may write: {known}.")
        if name not in self._arrays:
            self._arrays[name] = self._loaded(self._results[name])
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        return f"BufferArrays({', '.join(self._results)})"

    def __getstate__(self) -> dict[str, object]:
        """Returns the arrays themselves, as files do not travel to another process."""
        return vars(self) | {"_folder": None, "_arrays": dict(self)}

    def _loaded(self, result: BufferResult) -> AnyArray:
        # It loads NumPy.
        from jitstudio.numerics.dtypes import as_expressions_see, open_buffer  # noqa: PLC0415

        array = as_expressions_see(open_buffer(result.path, result.element), result.element)
        if array.nbytes <= _SMALL:
            array = array.copy()
        shape = self._shapes.get(result.name, ())
        if result.shape:
            extent = tuple(size for size in reversed(result.shape) if size)
            shape = (*extent, *array.shape[1:])
        if shape and math.prod(shape) == array.size:
            array = array.reshape(shape)
        array.flags.writeable = False
        return array


class FileFolder:
    """A folder for the files of a call, that ends with the last object that refers to it.

    Raises:
        WorkerError: It cannot be made.
    """

    def __init__(self) -> None:
        try:
            self.path = Path(tempfile.mkdtemp(dir=_home()))
        except OSError as error:
            raise WorkerError(" ".join(scratch.unkept(error))) from error
        self._end = weakref.finalize(self, _remove, os.getpid(), self.path)

    def close(self) -> None:
        """Removes the files now."""
        self._end()


_homes: dict[int, Path] = {}
"""The folder around all others, by the process that has made it."""


def _home() -> Path:
    process = os.getpid()
    home = _homes.get(process)
    if home is None or not scratch.is_there(home):
        home = _homes[process] = scratch.make("launch")
        atexit.register(_remove, process, home)
    return home


def _remove(process: int, folder: Path) -> None:
    """Removes a folder, in the process that has made the folder and in no fork of the process."""
    if os.getpid() != process:
        return
    if folder == _homes.get(process):
        scratch.remove(folder)
    else:
        remove_tree(folder)
