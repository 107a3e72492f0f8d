"""The part of a buffer in an expectation: ``out[1:-1]``, ``out.reshape(8, 32)[1:, 0]``.

Each index is applied twice: to the numbers themselves, and to their places in the buffer.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from jitstudio.core.launch.request import Expectation
from jitstudio.numerics.dtypes import NumericsError
from jitstudio.numerics.evaluation import run
from jitstudio.numerics.expression_text import PARAMETER, ExpressionError, parse
from jitstudio.numerics.targets import BufferPart, is_field, steps

_WHOLE = PARAMETER + "="
"""The array to index; the name of the buffer, in an index, is the content before the launch."""


def part_of(array: np.ndarray, expectation: Expectation, values: Mapping[str, Any]) -> BufferPart:
    """Returns the part of a buffer that an expectation is about.

    Args:
        array: The buffer, as expressions see it.
        expectation: The expectation, with its target.
        values: The values that may occur in an index, by name.

    Raises:
        NumericsError: The target is no part, or has no elements.
    """
    parsed = parse(expectation.target, {*values, expectation.buffer})
    numbers, places = array, np.arange(array.size).reshape(array.shape)
    symbols = {PARAMETER + name: values[name] for name in parsed.names if name in values}
    fields: list[str] = []
    for step in steps(parsed.body, expectation):
        if isinstance(step, ast.Subscript) and is_field(step.slice):
            assert isinstance(step.slice, ast.Constant)
            name = str(step.slice.value)
            if name not in (numbers.dtype.names or ()):
                raise ExpressionError(f"{expectation.buffer} has no field '{name}'")
            numbers, fields = np.asarray(numbers[name]), [*fields, name]
            lanes = (1,) * (numbers.ndim - places.ndim)
            places = np.broadcast_to(places.reshape(*places.shape, *lanes), numbers.shape)
            continue
        whole = ast.Name(_WHOLE, ast.Load())
        if isinstance(step, ast.Call):
            assert isinstance(step.func, ast.Attribute)
            step.func.value = whole
        elif isinstance(step, (ast.Subscript, ast.Attribute)):
            step.value = whole
        numbers, places = (
            np.asarray(run(step, parsed.place, symbols | {_WHOLE: operand}))
            for operand in (numbers, places)
        )
    if not places.size:
        raise NumericsError(f"{expectation.target} has no elements, so that nothing is compared.")
    return BufferPart(np.atleast_1d(numbers), np.atleast_1d(places), ".".join(fields))
