"""The target of an expectation: a buffer with its indices, such as ``out[1:-1]``."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

from jitstudio.core.launch.expectation_text import target_steps
from jitstudio.core.launch.request import Expectation
from jitstudio.numerics.expression_text import PARAMETER, ExpressionError


@dataclass(frozen=True)
class BufferPart:
    """Some of the numbers of a buffer.

    Attributes:
        numbers: The numbers.
        places: The place of each number, as an index into all that expressions see of the buffer,
            of the same shape; of a field of a struct the place of that struct.
        field: The field, such as ``inner.x``; empty for no field.
    """

    numbers: np.ndarray
    places: np.ndarray
    field: str = ""


def steps(body: ast.expr, expectation: Expectation) -> list[ast.expr]:
    """Returns the indices of a parsed target, and the calls that move elements, in order.

    Raises:
        ExpressionError: There is another part in the target.
    """
    node, chain = target_steps(body)
    if not isinstance(node, ast.Name) or node.id != PARAMETER + expectation.buffer:
        raise ExpressionError(
            f"'{expectation.target}' is not part of {expectation.buffer}; write an index such as "
            f"{expectation.buffer}[1:-1]"
        )
    return chain


def is_field(index: ast.expr) -> bool:
    """Returns whether an index chooses a field of structs by name."""
    return isinstance(index, ast.Constant) and isinstance(index.value, str)
