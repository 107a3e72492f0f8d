"""`jitstudio lesson`: lists lessons, opens a lesson, checks the work of a pupil."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from jitstudio.command_options.fields import CommandOptions
from jitstudio.command_options.other import (
    CheckOptions,
    LessonCheckOptions,
    LessonListOptions,
    LessonOpenOptions,
)
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.check import budgets_of, check, status_of
from jitstudio.commands.json_check import check_object
from jitstudio.commands.project_request import project_of
from jitstudio.help.lessons import (
    Goal,
    Lesson,
    LessonError,
    LessonProgress,
    copy_lesson,
    find_lesson,
    goals,
    lessons,
    read_lesson,
    refuse_older_targets,
)
from jitstudio.system.terminal import print_error, say


def run(options: CommandOptions) -> int:
    """Lists, opens or checks lessons, by the first word, and returns the exit status.

    Raises:
        UsageError: There is no such lesson, or its files cannot be used.
        WorkerError: The worker itself failed.
    """
    try:
        match options:
            case LessonListOptions():
                return _list(options)
            case LessonOpenOptions():
                return _open(options)
            case LessonCheckOptions():
                return _check(options)
    except LessonError as error:
        raise UsageError(str(error)) from None
    raise AssertionError(options)


def _list(options: LessonListOptions) -> int:
    passed = LessonProgress().passed()
    if options.json:
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
            for lesson in lessons()
        ]
        say(json.dumps({"lessons": rows}, indent=2))
        return exit_codes.BUILT
    width = max(len(lesson.title) for lesson in lessons())
    for lesson in lessons():
        mark = "passed" if lesson.title in passed else ""
        say(f"{lesson.number:2}  {mark:6}  {lesson.title:{width}}  {lesson.effort}")
    return exit_codes.BUILT


def _open(options: LessonOpenOptions) -> int:
    lesson = find_lesson(options.lesson)
    folder = Path(options.output or lesson.name)
    is_new = copy_lesson(lesson, folder)
    say(lesson.text)
    remark = "" if is_new else " (it was there before and is as you have left it)"
    print_error(f"Your copy is in '{folder}'{remark}.")
    print_error(f"'jitstudio {read_lesson(folder).project or folder}' opens it in the window,")
    print_error(f"'jitstudio lesson check {folder}' checks it.")
    return exit_codes.BUILT


def _check(options: LessonCheckOptions) -> int:
    folder = Path(options.lesson)
    lesson = find_lesson(options.by) if options.by else read_lesson(folder)
    file = replace(budgets_of(lesson.checks), base=folder)
    # In his copy a pupil may have changed the target, the options and what a launch has to give.
    by = project_of([str(lesson.project)]) if options.by and lesson.project else None
    reports = check([file], CheckOptions(timeout=options.timeout, arch=options.arch), by)
    refuse_older_targets(lesson, reports)
    judged = [verdict.holds for report in reports for verdict in report.verdicts]
    status = status_of(reports) if all(judged) else exit_codes.WRONG
    reached = goals(reports)
    if status == exit_codes.BUILT and lesson.title in {known.title for known in lessons()}:
        try:
            LessonProgress().add(lesson)
        except OSError as error:
            print_error(f"That it is passed cannot be kept: {error.strerror or error}.")
    if options.json:
        answer = {"title": lesson.title, "passed": status == exit_codes.BUILT}
        answer |= {"goals": [_goal_object(goal) for goal in reached]}
        checked = check_object(reports)
        answer |= {
            "conditions_file": reports[0].conditions_file,
            "settings_file": reports[0].settings_file,
        }
        answer |= {key: checked[key] for key in ("root", "budgets")}
        say(json.dumps(answer, indent=2))
    else:
        _show(lesson, reached, status == exit_codes.BUILT, options.hint)
        own = "" if options.by else " in the pupil's folder; --by LESSON takes the teacher's"
        files = dict.fromkeys((reports[0].conditions_file, reports[0].settings_file))
        names = " and ".join(f"'{name}'" for name in files)
        print_error(f"Conditions, target and options are those of {names}{own}.")
    return status


def _goal_object(goal: Goal) -> dict[str, object]:
    return {
        "goal": goal.text,
        "reached": goal.is_reached and not goal.skipped,
        "reasons": list(goal.reasons),
        "skipped": goal.skipped or None,
    }


def _show(lesson: Lesson, reached: tuple[Goal, ...], passed: bool, hints: int) -> None:
    for goal in reached:
        word = "left out" if goal.skipped else "reached" if goal.is_reached else "not yet"
        say(f"{word:8}  {goal.text}")
        for reason in (*goal.reasons, *filter(None, (goal.skipped,))):
            say(f"{'':8}  {reason}")
    for number, hint in enumerate(lesson.hints[:hints], 1):
        say(f"hint {number}: {hint}")
    if passed:
        print_error(f"'{lesson.title}' is passed.")
    elif hints < len(lesson.hints):
        print_error(f"--hint {hints + 1} shows a hint.")
