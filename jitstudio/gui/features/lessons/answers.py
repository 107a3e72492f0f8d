"""Answers of `jitstudio lesson` as values, and goals as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication

from jitstudio.help.lesson_goals import Goal, GoalState, is_any_judged

MARKS = {
    GoalState.REACHED: "✓",
    GoalState.NOT_YET: "✗",
    GoalState.NOT_CHECKED: "?",
    GoalState.LEFT_OUT: "○",
}
"""The mark in front of a goal."""


class JudgedPupil(NamedTuple):
    """A pupil's folder of a class, judged.

    Attributes:
        pupil: The name of the folder.
        title: That of the lesson; empty where it is not known.
        passed: Whether all goals are reached, but for those that are left out.
        problem: Why nothing was judged, a sentence; else empty.
        by_own: Whether the conditions are those of the folder, which the pupil may have changed.
        obstacles: What is in the way of goals, a sentence or more each.
        goals: The goals, reached or not.
    """

    pupil: str
    title: str
    passed: bool
    problem: str
    by_own: bool
    obstacles: tuple[str, ...]
    goals: tuple[Goal, ...]

    @property
    def due(self) -> tuple[Goal, ...]:
        """The goals that are not left out."""
        return tuple(goal for goal in self.goals if not goal.skipped)

    @property
    def reached(self) -> int:
        """How many of the goals that are due are reached."""
        return sum(goal.is_reached for goal in self.due)


def goals_of(answer: dict[str, Any]) -> tuple[Goal, ...]:
    """Returns the goals of an answer."""
    return tuple(
        Goal(
            goal["goal"],
            goal["reached"],
            tuple(goal["reasons"]),
            goal["skipped"] or "",
            goal["judged"],
        )
        for goal in answer["goals"]
    )


def judged_pupil(answer: dict[str, Any]) -> JudgedPupil:
    """Returns a pupil of the answer of `jitstudio lesson class`."""
    return JudgedPupil(
        answer["pupil"],
        answer["title"] or "",
        answer["passed"],
        answer["problem"] or "",
        answer["own_conditions"],
        tuple(answer["obstacles"]),
        goals_of(answer),
    )


def reason_of_end(errors: str) -> str:
    """Returns why a check has ended without its answer: the last line of its errors, if any."""
    lines = errors.strip().splitlines()
    lines = lines or [QCoreApplication.translate("Lessons", "The check has ended early.")]
    return lines[-1].removeprefix("jitstudio: ")


def goal_lines(
    goals: Sequence[Goal], obstacles: Sequence[str], *, is_numbered: bool = False
) -> Iterator[str]:
    """Yields the obstacles, then the goals with the reasons why they are not reached."""
    yield from (f"! {obstacle}" for obstacle in obstacles)
    for number, goal in enumerate(goals if is_any_judged(goals) else (), 1):
        text = f"{number}. {goal.text}" if is_numbered else goal.text
        yield f"{MARKS[goal.state]} {text}"
        yield from (f"    {reason}" for reason in (*goal.reasons, goal.skipped) if reason)
