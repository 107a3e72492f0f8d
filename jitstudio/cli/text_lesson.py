"""Lessons in a terminal: the list, the judgement of a copy, the table of a class."""

from __future__ import annotations

from collections.abc import Sequence

from jitstudio.commands.lesson import LessonResult
from jitstudio.commands.lesson_class import HandIn
from jitstudio.help.lesson_copies import original_of
from jitstudio.help.lesson_goals import GoalState, is_any_judged
from jitstudio.help.lesson_progress import LessonProgress
from jitstudio.help.lesson_solutions import explained_solution
from jitstudio.help.lessons import Lesson, lessons
from jitstudio.system.terminal import print_error, say, table_lines

_WIDTH = 11
_MARKS = {
    GoalState.REACHED: "yes",
    GoalState.NOT_YET: "no",
    GoalState.NOT_CHECKED: "?",
    GoalState.LEFT_OUT: "-",
}


def print_list(listed: Sequence[Lesson], passed: frozenset[str]) -> None:
    """Prints each lesson with whether it is passed, and how many are."""
    width = max(len(lesson.title) for lesson in listed)
    for lesson in listed:
        mark = "passed" if lesson.title in passed else ""
        say(f"{lesson.number:2}  {mark:6}  {lesson.title:{width}}  {lesson.effort}")
    count = sum(lesson.title in passed for lesson in listed)
    say(f"{count} of {len(listed)} passed.")
    if count < len(listed):
        print_error("'jitstudio lesson next' opens the first that is not passed.")


def print_hint(number: int, hint: str) -> None:
    """Prints a hint."""
    say(f"hint {number}: {hint}")


def print_result(result: LessonResult, word: str) -> None:
    """Prints the goals, reached or not, and the commands that come next.

    Args:
        result: The judgement.
        word: What the user has called the copy: its number or folder.
    """
    for obstacle in result.obstacles:
        say(f"{'error':{_WIDTH}}  {obstacle}")
    for goal in result.goals if is_any_judged(result.goals) else ():
        say(f"{goal.state.value:{_WIDTH}}  {goal.text}")
        for reason in (*goal.reasons, *filter(None, (goal.skipped,))):
            say(f"{'':{_WIDTH}}  {reason}")
    if not result.passed:
        say(result.summary)
        if result.lesson.hints:
            print_error(f"'jitstudio lesson hint {word}' shows a hint.")
        return
    say(f"'{result.lesson.title}' is passed.")
    if result.changes:
        say("Before → after:")
    for change in result.changes:
        say(f"  {change.text}")
    original = original_of(result.lesson)
    if original is not None:
        _print_what_follows(original)


def _print_what_follows(lesson: Lesson) -> None:
    if explained_solution(lesson):
        print_error(f"'jitstudio lesson solution {lesson.number}' explains the solution.")
    following = LessonProgress().next_lesson()
    if following is None:
        print_error(f"All {len(lessons())} lessons are passed.")
    else:
        print_error(f"'jitstudio lesson next' opens '{following.title}'.")


def print_origin(result: LessonResult, *, by_original: bool) -> None:
    """Prints which files count."""
    own = "" if by_original else " in the pupil's folder; --by LESSON takes the teacher's"
    report = result.reports[0]
    files = dict.fromkeys((report.conditions_file, report.settings_file))
    names = " and ".join(f"'{name}'" for name in files)
    print_error(f"Conditions, target and options are those of {names}{own}.")


def print_class(hand_ins: Sequence[HandIn]) -> None:
    """Prints a table for each lesson, with a row for each pupil and a column for each goal."""
    titles = dict.fromkeys(hand_in.title for hand_in in hand_ins if hand_in.result)
    for title in titles:
        _print_table(title, [x for x in hand_ins if x.result and x.title == title])
    for hand_in in hand_ins:
        if hand_in.problem:
            print_error(f"{hand_in.pupil}: {hand_in.problem}")
        for obstacle in hand_in.result.obstacles if hand_in.result else ():
            print_error(f"{hand_in.pupil}: {obstacle}")
    if own := [hand_in.pupil for hand_in in hand_ins if hand_in.by_own]:
        print_error(
            f"Checked by the conditions in their own folders, which they may have changed: "
            f"{', '.join(own)}. --by LESSON takes the teacher's."
        )
    passed = sum(hand_in.result is not None and hand_in.result.passed for hand_in in hand_ins)
    say(f"Passed by {passed} of {len(hand_ins)} pupils.")


def _print_table(title: str, hand_ins: Sequence[HandIn]) -> None:
    texts = tuple(dict.fromkeys(goal.text for hand_in in hand_ins for goal in hand_in.goals))
    say(f"{title}")
    for number, text in enumerate(texts, 1):
        say(f"{number:3}. {text}")
    numbers = (f"{number}." for number in range(1, len(texts) + 1))
    rows = [("pupil", "passed", "reached", *numbers)]
    for hand_in in hand_ins:
        states = {goal.text: _MARKS[goal.state] for goal in hand_in.goals}
        asked = [goal for goal in hand_in.goals if not goal.skipped]
        count = f"{sum(goal.is_reached for goal in asked)} of {len(asked)}"
        passed = "yes" if hand_in.result and hand_in.result.passed else "no"
        rows.append((hand_in.pupil, passed, count, *(states.get(text, "-") for text in texts)))
    counts = [sum(row[column] == "yes" for row in rows[1:]) for column in range(3, len(rows[0]))]
    rows.append(("pupils who reached it", "", "", *map(str, counts)))
    for line in table_lines(rows, left=3):
        say(line)
    say("")
