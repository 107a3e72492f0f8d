"""Evaluates NumPy expressions about the parameters of a kernel, in threads of this process.

To add a word of NumPy: a row here.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from asteval import Interpreter
from asteval.astutils import op2func

from jitstudio.core.launch.request import Buffer, EvaluationContext, FillKind
from jitstudio.numerics.dtypes import (
    NumericsError,
    as_expressions_see,
    numpy_dtype,
    open_buffer,
)
from jitstudio.numerics.expression_text import (
    CONSTANTS,
    FUNCTIONS,
    PARAMETER,
    TYPES,
    ExpressionError,
    ExpressionText,
    parse,
)
from jitstudio.numerics.fills import generate

# ---- Expressions that come from project files, which travel between people
#
# Two walls: `parse` lets only harmless parts through; asteval then evaluates the rest with the
# names of that and no others. Time and memory are bounded by the process.

_MOST_BITS = 128
"""The bits of Python's integers: these grow without end, and arithmetic gets slower and slower."""

_WIDER = ". Give the array a type that holds the number, as in arange(n, dtype=uint64)"
_LONGEST_CAUSE = 200

_NUMBERS = (bool, int, float, complex, np.generic, np.ndarray, list, tuple)


def evaluate(expression: str, values: Mapping[str, Any]) -> Any:
    """Returns the value of an expression: a number, an array, or a list or tuple of both.

    Args:
        expression: The text of the user.
        values: The parameters by name; only those that occur are looked up. Arrays are not written
            to.

    Raises:
        ExpressionError: The expression cannot be evaluated; the message says why and where.
    """
    parsed = parse(expression, values)
    return run(parsed.body, parsed.place, {PARAMETER + name: values[name] for name in parsed.names})


def run(body: ast.expr, place: ExpressionText, parameters: Mapping[str, Any]) -> Any:
    """Returns the value of an expression that `parse` has read; see `evaluate`.

    Args:
        body: The expression.
        place: The places of its parts in the text.
        parameters: The parameters, behind `PARAMETER`.

    Raises:
        ExpressionError: The expression cannot be evaluated.
    """
    interpreter = _interpreter(parameters)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = interpreter.run(body)
        except (Exception, RecursionError) as error:
            raise _error_text(interpreter, error, place) from None
    if not isinstance(result, _NUMBERS):
        raise ExpressionError("The expression gives no numbers")
    return result


def _interpreter(parameters: Mapping[str, Any]) -> Interpreter:
    interpreter = Interpreter(minimal=True, use_numpy=False, config={"ifexp": True})
    interpreter.symtable.clear()
    interpreter.symtable.update(FUNCTIONS | TYPES | CONSTANTS)
    interpreter.symtable.update({name: _frozen(value) for name, value in parameters.items()})
    # Without this asteval does not pass exceptions on.
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
    """Returns a value, safe from functions that write to their arguments."""
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def _sound(value: Any) -> Any:
    """Refuses values that only look like numbers.

    Raises:
        TypeError: The value is an array of Python objects or strings.
        OverflowError: The value is an integer beyond all types of C.
    """
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise OverflowError(f"an integer has more than {_MOST_BITS} bits")
    if isinstance(value, np.ndarray) and value.dtype.kind not in "biufcV":
        raise TypeError(f"{value.dtype} is not a type of numbers here")
    return value


def _error_text(
    interpreter: Interpreter, error: BaseException, place: ExpressionText
) -> ExpressionError:
    """Returns the first error: asteval repeats an error for every level."""
    node = None
    if interpreter.error:
        node = interpreter.error[0].node
        error = interpreter.error[0].exc_info[1] or error
    if isinstance(error, RecursionError):
        return ExpressionError("The expression is nested too deeply")
    cause = (str(error).splitlines() or [type(error).__name__])[0].strip()[:_LONGEST_CAUSE]
    if isinstance(error, MemoryError):
        cause = f"there is not enough memory. {cause}".removesuffix(". MemoryError")
    if isinstance(error, OverflowError):
        cause += _WIDER
    if not isinstance(node, ast.expr):
        return ExpressionError(f"The expression fails: {cause}")
    return ExpressionError(f"{place.words(node)} fails: {cause}", place.start(node))


INDEX = "i"
"""The name of the indices of the elements, unless a parameter has the same name."""


class ExpressionScope(Mapping[str, Any]):
    """All names of an expression; a buffer is made or opened on first use.

    Args:
        context: The parameters.
        indices: The value of `INDEX`: the indices of the elements of the expression's buffer.
    """

    def __init__(self, context: EvaluationContext, indices: np.ndarray) -> None:
        self._values = dict(context.values)
        self._buffers = {buffer.name: buffer for buffer in context.buffers}
        self._prepared = dict(context.prepared)
        self._indices = indices
        self._names = frozenset({*self._values, *self._buffers, INDEX})

    def __getitem__(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        if name in self._buffers:
            return self._content(self._buffers[name])
        if name == INDEX:
            return self._indices
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
            return as_expressions_see(open_buffer(path, buffer.element), buffer.element)
        if not buffer.length:
            return as_expressions_see(np.zeros(0, numpy_dtype(buffer.element)), buffer.element)
        if buffer.fill.kind in (FillKind.FILE, FillKind.EXPRESSION):
            raise NumericsError(f"The content of {buffer.name} is not known yet.")
        return as_expressions_see(generate(buffer), buffer.element)


def evaluate_among(expression: str, context: EvaluationContext, length: int) -> Any:
    """Returns the value of an expression over the parameters.

    Raises:
        NumericsError: The expression cannot be evaluated.
    """
    return evaluate(expression, ExpressionScope(context, np.arange(length)))


_SETTERS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)
"""The names of the setter in the builds of OpenBLAS that NumPy comes with."""


@cache
def use_all_cores() -> None:
    """Lets OpenBLAS use all cores of this process, as NumPy may start with one. Linux only.

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
