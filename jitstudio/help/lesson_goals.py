"""The goals of a lesson as a pupil reads them: reached or not, and all that is in the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from jitstudio.checks.verdicts import BudgetReport, Verdict
from jitstudio.core.diagnostics import Diagnostic, Severity

_NOT_CHECKED = "Not checked, as the kernel was stopped by this fault."
_STOPPED = "This fault has stopped the kernel."


class GoalState(Enum):
    """How far a goal is, in the words of a terminal."""

    REACHED = "reached"
    NOT_YET = "not yet"
    NOT_CHECKED = "not checked"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Goal:
    """A budget of a lesson, and whether a pupil has reached the goal.

    Attributes:
        text: The name of the budget, a sentence.
        is_reached: Whether all of its conditions hold.
        reasons: The conditions that are not reached and why, a sentence or more each.
        skipped: Why it was left out; empty where it was not.
        is_judged: Whether anything is known about it; False where a build or launch has failed.
    """

    text: str
    is_reached: bool
    reasons: tuple[str, ...]
    skipped: str = ""
    is_judged: bool = True

    @property
    def state(self) -> GoalState:
        """How far the goal is."""
        if self.skipped:
            return GoalState.LEFT_OUT
        if not self.is_judged:
            return GoalState.NOT_CHECKED
        return GoalState.REACHED if self.is_reached else GoalState.NOT_YET


def is_any_judged(checked: Iterable[Goal]) -> bool:
    """Returns whether anything is known about a goal that was not left out."""
    return any(goal.is_judged and not goal.skipped for goal in checked)


def goals(reports: Iterable[BudgetReport]) -> tuple[Goal, ...]:
    """Returns the state of each budget of a lesson."""
    return tuple(map(_goal, reports))


def _goal(report: BudgetReport) -> Goal:
    name = report.budget.name
    if report.status or report.problem:
        return Goal(name, False, (), report.skipped, is_judged=False)
    failed = [verdict for verdict in report.verdicts if not verdict.holds]
    known = dict.fromkeys(_reason(verdict) for verdict in failed if not _is_unknown(verdict))
    if failed and not known:
        return Goal(name, False, (_NOT_CHECKED,), report.skipped, is_judged=False)
    return Goal(name, report.ok, tuple(known), report.skipped)


def _is_unknown(verdict: Verdict) -> bool:
    """Returns whether the kernel was stopped before a condition could be checked."""
    return bool(verdict.fault) and verdict.value is None


def _reason(verdict: Verdict) -> str:
    if verdict.fault:
        # It is among the obstacles, with its line.
        return _STOPPED
    place = verdict.place
    return _with_place(verdict.reason, place.file, place.line) if place else verdict.reason


def obstacles(reports: Iterable[BudgetReport]) -> tuple[str, ...]:
    """Returns the obstacles to goals, once each: errors of compilers, and faults."""
    return tuple(dict.fromkeys(text for report in reports for text in _obstacles(report)))


def _obstacles(report: BudgetReport) -> Iterator[str]:
    if report.problem:
        yield report.problem
    elif report.status:
        messages = report.diagnostics
        errors = [message for message in messages if message.severity is Severity.ERROR]
        yield from map(_message, errors or messages)
        if not messages:
            yield f"The build or launch has ended with '{report.outcome}'."
    for verdict in report.verdicts:
        if verdict.fault and verdict.place:
            yield _with_place(verdict.fault, verdict.place.file, verdict.place.line)
        elif verdict.fault:
            yield verdict.fault


def _message(diagnostic: Diagnostic) -> str:
    text = f"{diagnostic.message[:1].upper()}{diagnostic.message[1:]}"
    if diagnostic.file and diagnostic.line:
        text = _with_place(text, diagnostic.file, diagnostic.line)
    return f"{text} {diagnostic.explanation}".rstrip()


def _with_place(sentence: str, file: str, line: int) -> str:
    return f"{sentence.removesuffix('.')} ({Path(file).name}, line {line})."


def summary(reached: Sequence[Goal], passed: bool) -> str:
    """Returns a sentence on all goals of a lesson."""
    asked = [goal for goal in reached if not goal.skipped]
    if passed:
        return "The lesson is passed."
    if not is_any_judged(reached):
        return "No goal could be judged: fix this first."
    count = sum(goal.is_reached for goal in asked)
    return f"{count} of {len(asked)} goals {'is' if count == 1 else 'are'} reached."
