"""The parameters of a kernel, as expressions see them, and the threads that evaluate those."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from jitstudio.core.launch.request import Buffer, EvaluationContext, FillKind
from jitstudio.numerics.dtypes import NumericsError, numpy_dtype, open_buffer
from jitstudio.numerics.expressions import evaluate
from jitstudio.numerics.fills import generate

INDEX = "i"
"""The name of the indices of the elements, unless a parameter has it."""


class ExpressionScope(Mapping[str, Any]):
    """All names of an expression; a buffer is made or opened when it is asked for.

    Args:
        context: The parameters.
        length: Elements of the buffer that the expression is for.
    """

    def __init__(self, context: EvaluationContext, length: int) -> None:
        self._values = dict(context.values)
        self._buffers = {buffer.name: buffer for buffer in context.buffers}
        self._prepared = dict(context.prepared)
        self._length = length
        self._names = frozenset({*self._values, *self._buffers, INDEX})

    def __getitem__(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        if name in self._buffers:
            return self._content(self._buffers[name])
        if name == INDEX:
            return np.arange(self._length)
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _content(self, buffer: Buffer) -> np.ndarray:
        path = self._prepared.get(buffer.name)
        if path is not None:
            return open_buffer(path, buffer.element)
        if not buffer.length:
            return np.zeros(0, numpy_dtype(buffer.element))
        if buffer.fill.kind in (FillKind.FILE, FillKind.EXPRESSION):
            raise NumericsError(f"The content of {buffer.name} is not known yet.")
        return generate(buffer)


def evaluate_among(expression: str, context: EvaluationContext, length: int) -> Any:
    """Returns what an expression over the parameters comes to.

    Raises:
        NumericsError: It cannot be evaluated.
    """
    return evaluate(expression, ExpressionScope(context, length))


_SETTERS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)
"""How the builds of OpenBLAS that NumPy comes with call it."""


@cache
def use_all_cores() -> None:
    """Lets OpenBLAS use the cores of this process, where it was started with one. Linux only.

    Another library than OpenBLAS starts its threads by itself when it needs them.
    """
    with contextlib.suppress(OSError, AttributeError):
        cores = len(os.sched_getaffinity(0))
        for path in {line.split()[-1] for line in _mapped() if "openblas" in line}:
            library = ctypes.CDLL(path)
            for name in _SETTERS:
                if hasattr(library, name):
                    getattr(library, name)(cores)
                    return


def _mapped() -> list[str]:
    return Path("/proc/self/maps").read_text().splitlines()
