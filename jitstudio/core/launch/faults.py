"""The faults of a launch, collected while the texts are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.problems import SpecProblem, TextError
from jitstudio.core.launch.values import UnknownNameError

_T = TypeVar("_T")


class SpecFaults:
    """The faults collected so far.

    Attributes:
        problems: In the order they were found.
        faulty: Arguments that came to nothing; what only lacks one of them is no fault of its own.
    """

    def __init__(self) -> None:
        self.problems: list[SpecProblem] = []
        self.faulty: set[str] = set()

    @property
    def fatal(self) -> bool:
        """Whether a problem forbids the launch."""
        return any(problem.severity is Severity.ERROR for problem in self.problems)

    def add(self, *problems: SpecProblem) -> None:
        """Adds problems that were noticed elsewhere."""
        self.problems += problems

    def attempt(self, where: str, work: Callable[[], _T]) -> _T | None:
        """Returns the result of the work; None where a text makes no sense, which is a fault.

        Args:
            where: The field that the text is of.
            work: Reads the text.
        """
        try:
            return work()
        except UnknownNameError as error:
            if error.name not in self.faulty:
                self.add(error.problem(where))
        except TextError as error:
            self.add(error.problem(where))
        return None
