"""What the process that evaluates expressions for launches can be asked."""

from __future__ import annotations

from jitstudio.core.launch.calculation import CalculationRefused, CheckCalculation, FillCalculation
from jitstudio.core.launch.result import CheckResult
from jitstudio.worker.protocol import RequestType, Unfit, WorkerProgram


def _check_result(asked: CheckCalculation, told: CheckResult | CalculationRefused) -> None:
    if isinstance(told, CheckResult):
        wanted = asked.expectation
        if (told.buffer, told.expression) != (wanted.buffer, wanted.expression):
            raise Unfit("it tells of a comparison that nobody asked for")


EVALUATING = WorkerProgram(
    "jitstudio.worker.children.evaluate",
    (
        RequestType(FillCalculation, 1 << 20, CalculationRefused | None),
        RequestType(
            CheckCalculation, 16 << 20, CheckResult | CalculationRefused, check=_check_result
        ),
    ),
)
