"""What is wrong with a launch before anything runs."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.fixes import Fix
from jitstudio.core.severity import Severity


@dataclass(frozen=True)
class SpecProblem:
    """One thing that is wrong with what the user has written, or that will surprise them.

    Attributes:
        where: The field of `LaunchSpec` it is about, such as ``block``; ``arguments.n`` for the
            argument ``n``; ``code`` for the code to be loaded, ``device`` for the GPU.
        message: What is wrong, a sentence.
        remedy: What to do, a sentence; empty where the message says it.
        severity: An error forbids the launch, a warning does not.
        fix: What the program can do about it, or None.
    """

    where: str
    message: str
    remedy: str = ""
    severity: Severity = Severity.ERROR
    fix: Fix | None = None


def argument_place(name: str) -> str:
    """The place of problems with this argument: see `SpecProblem.where`."""
    return f"arguments.{name}"


class SpecError(ValueError):
    """Raised where one problem makes everything after it meaningless.

    Attributes:
        problem: What is wrong.
    """

    def __init__(self, problem: SpecProblem) -> None:
        super().__init__(f"{problem.message} {problem.remedy}".rstrip())
        self.problem = problem
