"""What is evaluated on the host for a launch: contents of buffers, and comparisons."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.launch.request import Buffer, Expectation
from jitstudio.core.launch.types import Type

Number = float | int | bool


@dataclass(frozen=True)
class EvaluationContext:
    """What expressions may refer to.

    Attributes:
        values: Scalar arguments, by name.
        buffers: Buffers as they are before the launch.
        prepared: The .npy files of those that are not made from a few numbers, by name.
    """

    values: tuple[tuple[str, Number], ...] = ()
    buffers: tuple[Buffer, ...] = ()
    prepared: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class FillCalculation:
    """A request to write the content of a buffer, from a file or an expression, to an .npy file."""

    buffer: Buffer
    path: str
    context: EvaluationContext = EvaluationContext()


@dataclass(frozen=True)
class CheckCalculation:
    """A request to compare what a kernel has written with what was expected.

    Attributes:
        expectation: Of which buffer, and what.
        element, length: What the buffer consists of.
        got: An .npy file with what was written.
        relative, absolute: Tolerances, as `numpy.isclose` takes them.
        context: What the expression may refer to.
    """

    expectation: Expectation
    element: Type
    length: int
    got: str
    relative: float
    absolute: float
    context: EvaluationContext = EvaluationContext()


Calculation = FillCalculation | CheckCalculation


@dataclass(frozen=True)
class CalculationRefused:
    """The answer to a calculation that cannot be done: why, in sentences."""

    message: str
