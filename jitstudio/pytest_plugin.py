"""The pytest plugin: the fixture `jitstudio_check` fails a test whose kernels break a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from jitstudio.checks.verdicts import BudgetReport

_UPDATE = "--jitstudio-update"
_NOTHING = (
    "jitstudio_check takes files of budgets, or the keys of a budget, such as "
    "source='saxpy.cu', require=['registers <= 32']."
)

CheckFunction: TypeAlias = Callable[..., "tuple[BudgetReport, ...]"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the flag that writes baselines."""
    parser.getgroup("jitstudio").addoption(
        _UPDATE, action="store_true", help="write the cubins that equal_to(...) compares with"
    )


@pytest.fixture
def jitstudio_check(request: pytest.FixtureRequest) -> CheckFunction:
    """Checks budgets as `jitstudio check` does; paths begin in the folder of the test.

    It is called with a file of budgets, ``jitstudio_check("BUDGETS.toml")``, or with the keys of
    one budget, ``jitstudio_check(source="saxpy.cu", require=["registers <= 32"])``.
    """
    # pytest loads this module in every run, also of those that check no kernel.
    from jitstudio.checks.budgets import (  # noqa: PLC0415
        BudgetError,
        BudgetFile,
        budget_from,
    )
    from jitstudio.checks.conditions import ConditionError  # noqa: PLC0415
    from jitstudio.checks.verdicts import failures  # noqa: PLC0415
    from jitstudio.command_options.other import CheckOptions  # noqa: PLC0415
    from jitstudio.command_options.values import UsageError  # noqa: PLC0415
    from jitstudio.commands.check import budgets_of, check  # noqa: PLC0415

    def checked(
        *files: str | Path, only: str | None = None, trust: bool = False, **budget: Any
    ) -> tuple[BudgetReport, ...]:
        if not files and not budget:
            pytest.fail(_NOTHING, pytrace=False)
        update = bool(request.config.getoption(_UPDATE))
        try:
            budgets = [budgets_of(request.path.parent / file) for file in files]
            if budget:
                budgets.append(BudgetFile(request.path, (budget_from(_listed(budget)),)))
            reports = check(budgets, CheckOptions(only=only, trust=trust, update=update))
        except (BudgetError, ConditionError, UsageError) as error:
            # Without the cause: pytest would print the sentence twice.
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        if lines := list(failures(reports)):
            pytest.fail("\n".join(lines), pytrace=False)
        return reports

    return checked


def _listed(budget: dict[str, Any]) -> dict[str, Any]:
    """Returns the keys with lists where Python has tuples and other iterables."""
    return {
        key: list(value)
        if isinstance(value, Iterable) and not isinstance(value, str | dict)
        else value
        for key, value in budget.items()
    }
