"""The copies of all pupils of a class, each judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jitstudio.command_options.other import CheckOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands.lesson import LessonResult, check_lesson
from jitstudio.help.lesson_copies import original_of
from jitstudio.help.lesson_goals import Goal
from jitstudio.help.lessons import Lesson, LessonError, read_lesson


@dataclass(frozen=True)
class HandIn:
    """A pupil's folder, judged.

    Attributes:
        pupil: The name of the folder.
        title: The title of the lesson; empty where it is not known.
        result: The judgement; None where the folder could not be judged.
        problem: Why it could not, a sentence; else empty.
        by_own: Whether the conditions are those of the folder, which the pupil may have changed.
    """

    pupil: str
    title: str
    result: LessonResult | None = None
    problem: str = ""
    by_own: bool = False

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals that were judged."""
        return self.result.goals if self.result else ()


def pupils_of(folder: Path) -> tuple[Path, ...]:
    """Returns the folders of the pupils, by name.

    Raises:
        LessonError: There are none.
    """
    try:
        folders = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    except OSError as error:
        raise LessonError(f"'{folder}' cannot be read: {error.strerror}.") from None
    shown = tuple(path for path in folders if path.name[:1] != ".")
    if not shown:
        raise LessonError(
            f"'{folder}' has no folders in it. Name the folder that has one for each pupil."
        )
    return shown


def hand_ins(folder: Path, by: Lesson | None, options: CheckOptions) -> Iterator[HandIn]:
    """Returns the folders of the pupils, each judged when the next is asked for.

    Args:
        folder: Has a folder for each pupil.
        by: The lesson whose conditions and settings count; None for the shipped lesson of the
            same title, or for the conditions of each folder where there is none.
        options: The time limit.

    Raises:
        LessonError: There are no pupils.
        WorkerError: The worker itself failed; while they are judged.
    """
    return (_judged(path, by, options) for path in pupils_of(folder))


def _judged(folder: Path, by: Lesson | None, options: CheckOptions) -> HandIn:
    """Returns the folder of a pupil, judged."""
    title = by.title if by else ""
    try:
        lesson = by or read_lesson(folder)
        title = lesson.title
        original = by or original_of(lesson)
        result = check_lesson(original or lesson, folder, options, by_original=original is not None)
        return HandIn(folder.name, title, result, by_own=original is None)
    except (LessonError, UsageError) as error:
        return HandIn(folder.name, title, problem=str(error))
