"""A pupil's copy of a lesson judged: the goals, and the figures before and after the change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from jitstudio.checks.verdicts import BudgetReport
from jitstudio.command_options.other import CheckOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.check import budgets_of, check, status_of
from jitstudio.commands.project_files import OpenProject
from jitstudio.commands.project_request import SETTINGS, project_of
from jitstudio.core.arch import Arch
from jitstudio.help.lesson_copies import original_of
from jitstudio.help.lesson_goals import Goal, goals, obstacles, summary
from jitstudio.help.lessons import SOLUTION, Lesson, LessonError

_NO_FIGURES = frozenset({"failed_checks", "faults"})
"""Counts of mistakes, which are no figures of a program."""


class FigureChange(NamedTuple):
    """A figure that a goal is about, in the starting text and in the pupil's.

    Attributes:
        word: The figure as conditions write it.
        before: In the starting text.
        after: In the pupil's.
        text: Its meaning with both, a line.
    """

    word: str
    before: float
    after: float
    text: str


@dataclass(frozen=True)
class LessonResult:
    """A pupil's copy of a lesson, judged.

    Attributes:
        lesson: The lesson with the conditions.
        status: The exit status: 0 where all goals are reached.
        reports: A report on each budget.
        goals: The verdicts of the reports as goals.
        obstacles: What is in the way of goals, once each.
        changes: What the pupil's text has made of the figures; empty unless the lesson is passed,
            or where the starting text is not known.
    """

    lesson: Lesson
    status: int
    reports: tuple[BudgetReport, ...]
    goals: tuple[Goal, ...]
    obstacles: tuple[str, ...]
    changes: tuple[FigureChange, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all goals are reached, but for those that are left out."""
        return self.status == exit_codes.BUILT

    @property
    def summary(self) -> str:
        """A sentence on all goals."""
        return summary(self.goals, self.passed)


def check_lesson(
    lesson: Lesson, folder: Path, options: CheckOptions, *, by_original: bool
) -> LessonResult:
    """Returns the judgement of a pupil's copy.

    Args:
        lesson: The lesson whose conditions count: the original, or the copy itself.
        folder: The copy.
        options: Time limit and target.
        by_original: Whether target, options and launch are those of the lesson, too: in a copy a
            pupil may have changed all of them.

    Raises:
        UsageError: A file of the lesson cannot be used.
        LessonError: The target is older than the lesson's subject.
        WorkerError: The worker itself failed.
    """
    file = replace(budgets_of(lesson.checks), base=folder)
    project = _project_with_settings(lesson, folder) if by_original else None
    reports = check([file], options, project)
    _refuse_older_targets(lesson, reports)
    judged = [verdict.holds for report in reports for verdict in report.verdicts]
    status = status_of(reports) if all(judged) else exit_codes.WRONG
    original = lesson if by_original else original_of(lesson)
    changes: tuple[FigureChange, ...] = ()
    # A teacher may check the lesson itself.
    is_other = original is not None and original.folder != folder.resolve()
    if status == exit_codes.BUILT and original is not None and is_other:
        changes = tuple(_changes(_reports_at_start(original, options), reports))
    return LessonResult(lesson, status, reports, goals(reports), obstacles(reports), changes)


def _refuse_older_targets(lesson: Lesson, reports: Sequence[BudgetReport]) -> None:
    """Checks that every budget was judged for a target that has the lesson's subject.

    Raises:
        LessonError: A target is older.
    """
    if not lesson.least_target:
        return
    least = Arch.parse(lesson.least_target)
    for report in reports:
        if report.target and Arch.parse(report.target).number < least.number:
            raise LessonError(
                f"'{lesson.title}' is about what {least} and later targets have. This check was "
                f"for {report.target}. Choose {least} or later as the target."
            )


def _project_with_settings(lesson: Lesson, folder: Path) -> OpenProject | None:
    """Returns the project of a lesson, with the settings of the pupil's that the lesson is about.

    These are the settings that differ in the solution's project, such as the link.
    """
    path = lesson.project
    project = project_of([str(path)]) if path else None
    if path is None or project is None or not (path.parent / SOLUTION / path.name).is_file():
        return project
    solution = project_of([str(path.parent / SOLUTION / path.name)])
    own = project_of([str(folder / path.name)])
    assert solution
    assert own
    asked = [
        name
        for name in SETTINGS
        if getattr(solution.project, name) != getattr(project.project, name)
    ]
    values = {name: getattr(own.project, name) for name in asked}
    return replace(project, project=replace(project.project, **values))


def _reports_at_start(original: Lesson, options: CheckOptions) -> Sequence[BudgetReport]:
    """Returns the reports on the starting text; none where that cannot be judged any more."""
    try:
        return check([budgets_of(original.checks)], options)
    except UsageError:
        return ()


def _changes(
    before: Sequence[BudgetReport], after: Sequence[BudgetReport]
) -> Iterator[FigureChange]:
    """Yields each figure that conditions are about and that has changed."""
    seen = set()
    for old, new in zip(before, after, strict=False):
        for was, is_now in zip(old.verdicts, new.verdicts, strict=False):
            subject = is_now.condition.subject
            word = subject.text
            if word in seen or subject.form.is_relation or subject.form.word in _NO_FIGURES:
                continue
            # The conditions of a copy may have been changed.
            if was.condition.text != is_now.condition.text or was.value == is_now.value:
                continue
            if was.value is None or is_now.value is None:
                continue
            seen.add(word)
            text = subject.sentence(f"{subject.shown(was.value)} → {subject.shown(is_now.value)}")
            yield FigureChange(word, was.value, is_now.value, text)
