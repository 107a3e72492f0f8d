"""Which elements of a buffer an expectation is about: ``out[1:-1]``, ``out.reshape(8, 32)[1:, 0]``.

Each index is applied twice: to the numbers themselves, and to their places in the buffer.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jitstudio.core.launch.request import Expectation
from jitstudio.numerics.dtypes import NumericsError
from jitstudio.numerics.evaluation import run
from jitstudio.numerics.expression_text import PARAMETER, ExpressionError, parse

SHAPING = frozenset(["reshape", "ravel", "flatten", "transpose", "swapaxes", "squeeze"])
"""What may be called in a target: it moves elements and changes none."""

_WHOLE = PARAMETER + "="
"""What an index is applied to; the buffer itself, in the index, is as it was before the launch."""


@dataclass(frozen=True)
class BufferPart:
    """Some of the numbers of a buffer.

    Attributes:
        numbers: What it holds there.
        places: Where each of them is, as an index into all that expressions see of the buffer, of
            the same shape; of a field of a struct where that struct is.
        field: That field, such as ``inner.x``; empty for no field.
    """

    numbers: np.ndarray
    places: np.ndarray
    field: str = ""


def part_of(array: np.ndarray, expectation: Expectation, values: Mapping[str, Any]) -> BufferPart:
    """Returns the part of a buffer that an expectation is about.

    Args:
        array: The buffer, as expressions see it.
        expectation: What is expected of which part.
        values: What may occur in an index, by name.

    Raises:
        NumericsError: It is no part, or has no elements.
    """
    parsed = parse(expectation.target, {*values, expectation.buffer})
    numbers, places = array, np.arange(array.size).reshape(array.shape)
    symbols = {PARAMETER + name: values[name] for name in parsed.names if name in values}
    fields: list[str] = []
    for step in steps(parsed.body, expectation):
        if isinstance(step, ast.Subscript) and _is_field(step.slice):
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
            np.asarray(run(step, parsed.place, symbols | {_WHOLE: each}))
            for each in (numbers, places)
        )
    if not places.size:
        raise NumericsError(f"{expectation.target} has no elements, so that nothing is compared.")
    return BufferPart(np.atleast_1d(numbers), np.atleast_1d(places), ".".join(fields))


def steps(body: ast.expr, expectation: Expectation) -> list[ast.expr]:
    """Returns the indices of a target that has been parsed, and what moves elements, in order.

    Raises:
        ExpressionError: There is something else in it.
    """
    chain: list[ast.expr] = []
    node = body
    while not isinstance(node, ast.Name):
        chain.append(node)
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=word)) if word in SHAPING:
                node = inner
            case ast.Subscript(value=inner) | ast.Attribute(value=inner, attr="T"):
                node = inner
            case _:
                break
    if not isinstance(node, ast.Name) or node.id != PARAMETER + expectation.buffer:
        raise ExpressionError(
            f"'{expectation.target}' is no part of {expectation.buffer}; write an index such as "
            f"{expectation.buffer}[1:-1]"
        )
    return chain[::-1]


def _is_field(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, str)
