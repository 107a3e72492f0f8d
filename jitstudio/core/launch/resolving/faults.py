"""Gathers all that is wrong with a launch, so that the user is told of it at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.texts.arithmetic import UnknownNameError
from jitstudio.core.launch.texts.phrases import TextError
from jitstudio.core.severity import Severity

_T = TypeVar("_T")


class Faults:
    """What has been found so far.

    Attributes:
        problems: In the order they were found.
        faulty: Arguments that came to nothing; what only lacks one of them is no fault of its own.
    """

    def __init__(self) -> None:
        self.problems: list[SpecProblem] = []
        self.faulty: set[str] = set()

    @property
    def fatal(self) -> bool:
        """Whether one of them forbids the launch."""
        return any(problem.severity is Severity.ERROR for problem in self.problems)

    def add(self, *problems: SpecProblem) -> None:
        """Take what somebody else has found."""
        self.problems += problems

    def attempt(self, where: str, work: Callable[[], _T]) -> _T | None:
        """What the work comes to; None where a text makes no sense, which is taken as a fault.

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
