"""The worker process that reads files and evaluates expressions for launches.

Whatever they do, they have this process only, with a bounded share of memory and disk; the parent
ends it when its time is up.
"""

from __future__ import annotations

import os
from functools import partial

import numpy as np

from jitstudio.core.launch.request import (
    Buffer,
    Calculation,
    CalculationRefused,
    CheckCalculation,
    FillCalculation,
    FillKind,
)
from jitstudio.core.launch.result import CheckResult
from jitstudio.numerics.array_files import load
from jitstudio.numerics.compare import Tolerance, compare
from jitstudio.numerics.dtypes import (
    NumericsError,
    as_expressions_see,
    fill_from,
    open_buffer,
    save_buffer,
)
from jitstudio.numerics.evaluation import (
    ExpressionScope,
    evaluate,
    evaluate_among,
    use_all_cores,
)
from jitstudio.numerics.parts import part_of
from jitstudio.worker.children.serving import CallResult, Tell, serve, take_wire
from jitstudio.worker.limits import limit_files, limit_memory
from jitstudio.worker.programs.launch import EVALUATING
from jitstudio.worker.sandbox.seal import ProgramNeeds

_LEAST_MEMORY = 4 << 30
_COPIES = 6
"""How many arrays of the size of all buffers a calculation may have at the same time."""

_PER_CORE = 64 << 20
"""Of stack and buffer for the threads of NumPy's BLAS, used or not."""

_LEAST_FILE = 1 << 20


def main(memory_limit: int) -> None:
    """Serves calculations until the parent is gone."""
    wire = take_wire()
    limit_memory(memory_limit)
    serve(wire, EVALUATING, partial(_work, memory_limit), ProgramNeeds())


def _work(memory_limit: int, request: Calculation, tell: Tell) -> CallResult:
    use_all_cores()
    size = sum(buffer.bytes for buffer in request.context.buffers)
    try:
        match request:
            case FillCalculation(buffer):
                _limit(memory_limit, size + buffer.bytes, _LEAST_FILE + buffer.bytes)
                _fill(request)
                return CallResult()
            case CheckCalculation():
                _limit(memory_limit, size + request.length * request.element.size, _LEAST_FILE)
                return CallResult(_check(request))
    except NumericsError as error:
        return CallResult(CalculationRefused(str(error)))
    except OSError as error:
        return CallResult(
            CalculationRefused(f"A file of the launch is lost: {error.strerror or error}.")
        )


def _limit(memory_limit: int, size: int, file_size: int) -> None:
    wanted = _LEAST_MEMORY + _PER_CORE * (os.cpu_count() or 1) + _COPIES * size
    limit_memory(min(wanted, memory_limit) if memory_limit else wanted, for_good=False)
    limit_files(file_size, for_good=False)


def _fill(request: FillCalculation) -> None:
    buffer = request.buffer
    try:
        content = _content(buffer, request)
    except NumericsError as error:
        raise NumericsError(f"The content of {buffer.name}: {error}") from None
    try:
        save_buffer(request.path, content)
    except OSError as error:
        raise NumericsError(
            f"The content of {buffer.name} cannot be kept: {error.strerror or error}."
        ) from None


def _content(buffer: Buffer, request: FillCalculation) -> np.ndarray:
    if buffer.fill.kind is FillKind.FILE:
        return load(buffer.fill.text, buffer.element, buffer.length)
    value = evaluate_among(buffer.fill.text, request.context, buffer.length)
    return fill_from(value, buffer.element, buffer.length)


def _check(request: CheckCalculation) -> CheckResult:
    wanted = request.expectation
    got = open_buffer(request.got, request.element)
    indices, part = np.arange(request.length), None
    if wanted.part:
        whole = as_expressions_see(got, request.element)
        part = part_of(whole, wanted, ExpressionScope(request.context, indices))
        indices = part.places // max(1, whole.size // max(1, len(whole)))
    if wanted.file:
        expected = np.load(wanted.file, mmap_mode="r", allow_pickle=False)
    else:
        expected = evaluate(wanted.expression, ExpressionScope(request.context, indices))
    tolerance = Tolerance(request.relative, request.absolute, request.integer_tolerance)
    return compare(got, expected, wanted, request.element, tolerance, part)
