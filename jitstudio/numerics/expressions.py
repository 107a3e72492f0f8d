"""Evaluates NumPy expressions that come from project files, which travel between people.

Two walls: `parse` lets nothing through but what is known to be harmless; asteval then evaluates
what is left with the names of that and no others. Time and memory are bounded by the process that
calls this.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from asteval import Interpreter
from asteval.astutils import op2func

from jitstudio.numerics.expression_text import (
    CONSTANTS,
    FUNCTIONS,
    PARAMETER,
    TYPES,
    ExpressionError,
    ExpressionText,
    parse,
)

_MOST_BITS = 128
"""Of Python's integers: they grow without end, and arithmetic with them gets slower and slower."""

_LONGEST_CAUSE = 200

_NUMBERS = (bool, int, float, np.generic, np.ndarray, list, tuple)


def evaluate(expression: str, values: Mapping[str, Any]) -> Any:
    """Returns what an expression comes to: a number, an array, or a list or tuple of such.

    Args:
        expression: As the user wrote it.
        values: The parameters by name; only those that occur are looked up. Arrays are not
            written to.

    Raises:
        ExpressionError: It cannot be evaluated; the message says why and where.
    """
    parsed = parse(expression, values)
    interpreter = _interpreter({PARAMETER + name: values[name] for name in parsed.names})
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = interpreter.run(parsed.body)
        except (Exception, RecursionError) as error:
            raise _error_text(interpreter, error, parsed.place) from None
    if not isinstance(result, _NUMBERS):
        raise ExpressionError("The expression gives no numbers")
    return result


def _interpreter(parameters: Mapping[str, Any]) -> Interpreter:
    interpreter = Interpreter(minimal=True, use_numpy=False, config={"ifexp": True})
    interpreter.symtable.clear()
    interpreter.symtable.update(FUNCTIONS | TYPES | CONSTANTS)
    interpreter.symtable.update({name: _frozen(value) for name, value in parameters.items()})
    # Without it asteval does not pass exceptions on.
    interpreter.expr = ""

    def calculate(node: ast.BinOp) -> Any:
        operands = interpreter.run(node.left), interpreter.run(node.right)
        if any(isinstance(operand, (list, tuple, str)) for operand in operands):
            raise TypeError("lists cannot be calculated with; write array([...])")
        return _sound(op2func(node.op)(*operands))

    interpreter.set_nodehandler("binop", calculate)
    interpreter.set_nodehandler("call", _checked(interpreter.on_call))
    return interpreter


def _checked(handler: Callable[[ast.expr], Any]) -> Callable[[ast.expr], Any]:
    return lambda node: _sound(handler(node))


def _frozen(value: Any) -> Any:
    """Returns the same numbers, safe from functions that write to their arguments."""
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def _sound(value: Any) -> Any:
    """Refuses what only looks like numbers.

    Raises:
        TypeError: It is an array of Python objects or strings.
        OverflowError: It is an integer beyond all types of C.
    """
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise OverflowError(f"an integer has more than {_MOST_BITS} bits")
    if isinstance(value, np.ndarray) and value.dtype.kind not in "biufV":
        raise TypeError(f"{value.dtype} is no type of numbers here")
    return value


def _error_text(
    interpreter: Interpreter, error: BaseException, place: ExpressionText
) -> ExpressionError:
    """Returns what went wrong at first; asteval says it again for every level."""
    node = None
    if interpreter.error:
        node = interpreter.error[0].node
        error = interpreter.error[0].exc_info[1] or error
    if isinstance(error, RecursionError):
        return ExpressionError("The expression is nested too deeply")
    cause = (str(error).splitlines() or [type(error).__name__])[0].strip()[:_LONGEST_CAUSE]
    if isinstance(error, MemoryError):
        cause = f"there is not enough memory. {cause}".removesuffix(". MemoryError")
    if not isinstance(node, ast.expr):
        return ExpressionError(f"The expression fails: {cause}")
    return ExpressionError(f"{place.words(node)} fails: {cause}", place.start(node))
