"""`jitstudio lesson`: lists, opens and checks lessons, and gives hints."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from jitstudio.cli.text_lesson import (
    print_class,
    print_hint,
    print_list,
    print_origin,
    print_result,
)
from jitstudio.command_options.fields import CommandOptions
from jitstudio.command_options.other import (
    CheckOptions,
    LessonCheckOptions,
    LessonClassOptions,
    LessonHintOptions,
    LessonListOptions,
    LessonNextOptions,
    LessonOpenOptions,
    LessonResetOptions,
    LessonSolutionOptions,
    LessonWatchOptions,
)
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.json_lesson import lesson_object, list_object, print_class_object
from jitstudio.commands.lesson import LessonResult, check_lesson
from jitstudio.commands.lesson_class import HandIn, hand_ins
from jitstudio.help.lesson_copies import (
    copy_lesson,
    existing_copy,
    original_of,
    reset_copy,
    saved_state,
)
from jitstudio.help.lesson_progress import LessonProgress, unkept
from jitstudio.help.lesson_solutions import explained_solution
from jitstudio.help.lessons import Lesson, LessonError, find_lesson, lessons, read_lesson
from jitstudio.help.manual import COMMAND
from jitstudio.system.terminal import print_error, print_progress, say, table_lines

_PAUSE = 0.3
"""Seconds between two looks at the files that are watched."""


def run(options: CommandOptions) -> int:
    """Carries out the first word, and returns the exit status.

    Raises:
        UsageError: There is no such lesson, or its files cannot be used.
        WorkerError: The worker itself failed.
    """
    action: Callable[[Any], int] = _ACTIONS[type(options)]
    try:
        return action(options)
    except LessonError as error:
        raise UsageError(str(error)) from None


class _Copy(NamedTuple):
    """A pupil's copy, and the lesson that judges the copy.

    Attributes:
        folder: The copy.
        lesson: The one whose conditions count.
        by_original: Whether its target, options and launch count, too.
        word: What the user has called the copy, as a word of a command.
    """

    folder: Path
    lesson: Lesson
    by_original: bool
    word: str

    def check(self, options: CheckOptions) -> LessonResult:
        """Returns the judgement, and keeps that a lesson of ours is passed."""
        result = check_lesson(self.lesson, self.folder, options, by_original=self.by_original)
        if result.passed and original_of(self.lesson):
            _keep(lambda progress: progress.add(self.lesson))
        return result


def _copy(word: str, by: str | None) -> _Copy:
    """Returns the copy that a number or folder names; by number our own lesson judges it."""
    folder = Path(word)
    if lesson := next((lesson for lesson in lessons() if word == str(lesson.number)), None):
        folder = existing_copy(lesson)
        by = by or word
    return _Copy(folder, find_lesson(by) if by else read_lesson(folder), bool(by), quote(word))


def _keep(change: Callable[[LessonProgress], None]) -> None:
    try:
        change(LessonProgress())
    except OSError as error:
        print_error(unkept(error))


def _list(options: LessonListOptions) -> int:
    passed = LessonProgress().passed()
    if options.json:
        say(json.dumps(list_object(lessons(), passed), indent=2))
    else:
        print_list(lessons(), passed)
    return exit_codes.BUILT


def _open(options: LessonOpenOptions) -> int:
    return _opened(find_lesson(options.lesson), options.output)


def _next(options: LessonNextOptions) -> int:
    lesson = LessonProgress().next_lesson()
    if lesson is None:
        print_error(f"All {len(lessons())} lessons are passed.")
        return exit_codes.BUILT
    return _opened(lesson, options.output)


def _opened(lesson: Lesson, output: str | None) -> int:
    folder = Path(output or lesson.name)
    is_new = copy_lesson(lesson, folder)
    say(COMMAND.sub(r"\1", lesson.text))
    remark = "" if is_new else " (it was there before and is as you have left it)"
    word = str(lesson.number) if lesson in lessons() and not output else str(folder)
    print_error(f"Your copy is in '{folder}'{remark}. Change it in any editor.")
    project, copy = quote(str(read_lesson(folder).project or folder)), quote(word)
    commands = (
        (f"jitstudio {project}", "opens the window on it"),
        (f"jitstudio inspect {project} --code", "shows its SASS, with lines"),
        (f"jitstudio run {project} --device sim", "runs it in the simulator"),
        (f"jitstudio lesson check {copy}", "checks what you have made of it"),
        (f"jitstudio lesson hint {copy}", "helps"),
    )
    for line in table_lines(commands, left=2):
        print_error(f"  {line}")
    return exit_codes.BUILT


def _check(options: LessonCheckOptions) -> int:
    copy = _copy(options.lesson, options.by)
    result = copy.check(CheckOptions(timeout=options.timeout, arch=options.arch))
    if options.json:
        say(json.dumps(lesson_object(result), indent=2))
        return result.status
    print_result(result, copy.word)
    for number, hint in enumerate(copy.lesson.hints[: options.hint], 1):
        print_hint(number, hint)
    # A number stands for our lesson already.
    if options.by or not copy.by_original:
        print_origin(result, by_original=copy.by_original)
    return result.status


def _watch(options: LessonWatchOptions) -> int:
    copy = _copy(options.lesson, options.by)
    while True:
        state = saved_state(copy.folder)
        if not state:
            raise LessonError(f"'{copy.folder}' has no files any more.")
        try:
            result = copy.check(CheckOptions(timeout=options.timeout))
        except (UsageError, LessonError) as error:
            # A file that is half written; the next save may be the whole.
            print_error(str(error))
        else:
            print_result(result, copy.word)
            if result.passed:
                return result.status
        print_progress(f"Waiting for a change in '{copy.folder}'. Ctrl+C ends it.")
        try:
            while saved_state(copy.folder) == state:
                time.sleep(_PAUSE)
        except KeyboardInterrupt:
            print_error(f"'{copy.folder}' is no longer watched.")
            return exit_codes.INTERRUPTED
        say("")


def _hint(options: LessonHintOptions) -> int:
    lesson = find_lesson(options.lesson)
    progress, count = LessonProgress(), len(lesson.hints)
    shown = progress.hints(lesson)
    first, last = (0, count) if options.all else (shown, min(shown + 1, count))
    for number in range(first, last):
        print_hint(number + 1, lesson.hints[number])
    if not count:
        print_error(f"'{lesson.title}' has no hints.")
    elif shown == count and not options.all:
        word = quote(options.lesson)
        print_error(f"All {count} hints were shown; --all shows them again.")
        print_error(f"'jitstudio lesson solution {word} --anyway' shows the solution.")
    elif last < count:
        print_error(f"{count - last} more to come.")
    if last > shown:
        _keep(lambda progress: progress.keep_hints(lesson, last))
    return exit_codes.BUILT


def _reset(options: LessonResetOptions) -> int:
    copy = _copy(options.lesson, options.by)
    original = copy.lesson if copy.by_original else original_of(copy.lesson)
    if original is None:
        raise LessonError(
            f"'{copy.lesson.title}' is none of our lessons: --by LESSON names the teacher's folder."
        )
    backup = reset_copy(original, copy.folder)
    if backup is None:
        print_error(f"'{copy.folder}' is as in the beginning. Nothing was changed.")
        return exit_codes.BUILT
    _keep(lambda progress: progress.keep_hints(original, 0))
    print_error(f"'{copy.folder}' has the starting text again. Your files are in '{backup}'.")
    return exit_codes.BUILT


def _solution(options: LessonSolutionOptions) -> int:
    lesson = find_lesson(options.lesson)
    lesson = original_of(lesson) or lesson
    if not options.anyway and lesson.title not in LessonProgress().passed():
        raise LessonError(
            f"'{lesson.title}' is not passed yet. 'jitstudio lesson hint {quote(options.lesson)}' "
            "helps; --anyway shows the solution."
        )
    explained = explained_solution(lesson)
    if not explained:
        raise LessonError(f"'{lesson.folder}' has no solution in it.")
    say(explained)
    return exit_codes.BUILT


def _class(options: LessonClassOptions) -> int:
    by = find_lesson(options.by) if options.by else None
    judged = hand_ins(Path(options.pupils), by, CheckOptions(timeout=options.timeout))
    if options.json:
        print_class_object(judged, say)
        return exit_codes.BUILT
    checked: list[HandIn] = []
    for hand_in in judged:
        print_progress(hand_in.pupil)
        checked.append(hand_in)
    print_class(checked)
    return exit_codes.BUILT


_ACTIONS: dict[type[CommandOptions], Callable[[Any], int]] = {
    LessonListOptions: _list,
    LessonOpenOptions: _open,
    LessonNextOptions: _next,
    LessonCheckOptions: _check,
    LessonWatchOptions: _watch,
    LessonHintOptions: _hint,
    LessonResetOptions: _reset,
    LessonSolutionOptions: _solution,
    LessonClassOptions: _class,
}
