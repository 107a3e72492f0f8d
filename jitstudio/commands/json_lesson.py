"""The JSON objects of `jitstudio lesson`; see `commands.json_output`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from jitstudio.commands.json_check import check_object
from jitstudio.commands.json_output import Json
from jitstudio.commands.lesson import LessonResult
from jitstudio.commands.lesson_class import HandIn
from jitstudio.help.lesson_goals import Goal
from jitstudio.help.lessons import Lesson


def list_object(lessons: Sequence[Lesson], passed: frozenset[str]) -> Json:
    """Returns the object of `jitstudio lesson list`."""
    rows = [
        {
            "name": lesson.name,
            "number": lesson.number,
            "title": lesson.title,
            "passed": lesson.title in passed,
            "minutes": lesson.minutes,
            "needs": list(lesson.needs),
            "least_target": lesson.least_target or None,
        }
        for lesson in lessons
    ]
    return {"lessons": rows}


def lesson_object(result: LessonResult) -> Json:
    """Returns the object of `jitstudio lesson check`."""
    checked = check_object(result.reports)
    return {
        "title": result.lesson.title,
        "passed": result.passed,
        "summary": result.summary,
        "obstacles": list(result.obstacles),
        "goals": [*map(_goal, result.goals)],
        "changes": [change._asdict() for change in result.changes],
        "conditions_file": result.reports[0].conditions_file,
        "settings_file": result.reports[0].settings_file,
        "root": checked["root"],
        "budgets": checked["budgets"],
    }


def print_class_object(hand_ins: Iterable[HandIn], say: Callable[[str], None]) -> None:
    """Prints the object of `jitstudio lesson class` by `say`, with a line for each pupil.

    Whoever reads them as they come, as the window does, has each pupil at once. Where the judging
    ends early, the object has those judged until then; that some are missing, the exit code says.
    """
    say('{"pupils": [')
    try:
        for place, hand_in in enumerate(hand_ins):
            say(f"{',' if place else ''}{json.dumps(_hand_in(hand_in))}")
    finally:
        say("]}")


def _hand_in(hand_in: HandIn) -> Json:
    return {
        "pupil": hand_in.pupil,
        "title": hand_in.title or None,
        "passed": hand_in.result is not None and hand_in.result.passed,
        "problem": hand_in.problem or None,
        "own_conditions": hand_in.by_own,
        "obstacles": list(hand_in.result.obstacles) if hand_in.result else [],
        "goals": [*map(_goal, hand_in.goals)],
    }


def _goal(goal: Goal) -> Json:
    return {
        "goal": goal.text,
        "reached": goal.is_reached and not goal.skipped,
        "judged": goal.is_judged and not goal.skipped,
        "reasons": list(goal.reasons),
        "skipped": goal.skipped or None,
    }
