"""Lessons: folders with a text, a project and conditions that the pupil's change has to meet.

A lesson is a folder with `lesson.md`, `checks.toml` (budgets whose names are the goals), a project,
and in `solution` the files that are otherwise in the end; those are never copied to a pupil. The
lessons that come with the program are in `resources/lessons`; anybody may write others.

To add a lesson: a folder there; its starting text has to fail and its solution to pass for sm_75,
sm_90 and sm_120 (`python3 -m pytest -m bench tests/test_lessons.py`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jitstudio.checks.verdicts import BudgetReport
from jitstudio.core.bounds.folders import walk
from jitstudio.core.plain_files import read_file
from jitstudio.system.paths import resource, settings_folder
from jitstudio.system.private import make_private, read_private, write_private

TEXT, CHECKS, SOLUTION = "lesson.md", "checks.toml", "solution"
_LARGEST_TEXT = 1 << 20
_MOST_FILES = 200
_HINT = re.compile(r"^## Hint *$\n", re.M)
_LARGEST_PROGRESS = 1 << 16
_HEAD_MARK = "+++\n"
_HEAD = re.compile(r"\+\+\+\n(.*?)^\+\+\+\n", re.M | re.S)
PANES = (
    *("ptx", "sass", "report", "graph", "compare", "kernels", "launch", "step", "pipeline"),
    "problems",
)
"""The panes that a lesson may ask for."""


class LessonError(ValueError):
    """A lesson cannot be used; the message says why and the remedy."""


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes:
        folder: Where it is.
        title: The first heading of its text.
        text: Markdown, without the hints.
        hints: Markdown of each, in the order in which they help more and more.
        panes: What the lesson is about, in the order in which the panes are looked at.
    """

    folder: Path
    title: str
    text: str
    hints: tuple[str, ...]
    panes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.name

    @property
    def checks(self) -> Path:
        """The file of the conditions."""
        return self.folder / CHECKS

    @property
    def project(self) -> Path | None:
        """The project to open; None without a project."""
        return next(iter(sorted(self.folder.glob("*.jitproj"))), None)


@dataclass(frozen=True)
class Goal:
    """A budget of a lesson, and whether a pupil has reached the goal.

    Attributes:
        text: The name of the budget, a sentence.
        is_reached: Whether all of its conditions hold.
        reasons: The conditions that are not reached and why, a sentence or more each.
        skipped: Why it was left out; empty where it was not.
    """

    text: str
    is_reached: bool
    reasons: tuple[str, ...]
    skipped: str = ""


def read_lesson(folder: Path) -> Lesson:
    """Returns the lesson in a folder.

    Raises:
        LessonError: There is none, or the head of its text cannot be read.
    """
    try:
        text = read_file(folder / TEXT, _LARGEST_TEXT).decode("utf-8-sig", "replace")
    except OSError as error:
        raise LessonError(
            f"'{folder}' is not a lesson: its {TEXT} cannot be read: {error.strerror}. Name the "
            "folder that 'jitstudio lesson open' has made."
        ) from None
    text = text.replace("\r\n", "\n")
    head = _HEAD.match(text)
    if head is None and text.startswith(_HEAD_MARK):
        raise LessonError(
            f"'{folder / TEXT}' begins with a line +++, and no other such line ends the head. "
            "Write one below it, or delete the first."
        )
    panes = _panes(folder, head[1]) if head else ()
    main, *hints = _HINT.split(text[head.end() :] if head else text)
    heading = next((line for line in main.splitlines() if line.startswith("# ")), "")
    title = heading.removeprefix("# ").strip() or folder.name
    return Lesson(folder, title, main.strip() + "\n", tuple(map(str.strip, hints)), panes)


def _panes(folder: Path, head: str) -> tuple[str, ...]:
    """Returns the panes that the head of a lesson's text names.

    Raises:
        LessonError: It cannot be read, or names something else.
    """
    place = f"The head of '{folder / TEXT}', between the lines +++,"
    try:
        fields = tomllib.loads(head)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f'{place} is not TOML: {error}. Write: panes = ["sass"]') from None
    if unknown := fields.keys() - {"panes"}:
        raise LessonError(f"{place} has '{min(unknown)}'. Only 'panes' can stand there.")
    panes = fields.get("panes", [])
    if not isinstance(panes, list) or not all(isinstance(pane, str) for pane in panes):
        raise LessonError(f'{place} has panes that are not a list of names, such as ["sass"].')
    for pane in panes:
        if pane not in PANES:
            raise LessonError(f"{place} has no pane '{pane}'. There are {', '.join(PANES)}.")
    return tuple(dict.fromkeys(panes))


@cache
def lessons() -> tuple[Lesson, ...]:
    """Returns the lessons that come with the program, in their order."""
    return tuple(map(read_lesson, sorted(resource("lessons").iterdir())))


def find_lesson(word: str) -> Lesson:
    """Returns a lesson by number, name or folder.

    Raises:
        LessonError: There is none.
    """
    for number, lesson in enumerate(lessons(), 1):
        if word in (str(number), lesson.name):
            return lesson
    if os.path.isdir(word):
        return read_lesson(Path(word))
    names = ", ".join(lesson.name for lesson in lessons())
    raise LessonError(f"There is no lesson '{word}'. There are 1 to {len(lessons())}: {names}.")


def copy_lesson(lesson: Lesson, folder: Path) -> bool:
    """Copies a lesson, without the solution, for a pupil to work on.

    Returns:
        False if the folder was there before; nothing in it is changed then.

    Raises:
        LessonError: It cannot be copied.
    """
    if (folder / TEXT).exists():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise LessonError(f"'{folder}' has other files in it. Choose a folder that is empty.")
        for path in _files(lesson.folder):
            place = folder / path.relative_to(lesson.folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    except OSError as error:
        raise LessonError(f"'{folder}' cannot be written: {error.strerror or error}.") from None
    return True


def _files(folder: Path) -> Iterator[Path]:
    """Yields the plain files of a lesson, but for the solution and hidden files."""
    count = 0
    for parent, names in walk(folder, lambda name: name != SOLUTION and name[:1] != "."):
        for name in names:
            path = Path(parent, name)
            count += 1
            if count > _MOST_FILES:
                raise LessonError(f"'{folder}' has more than {_MOST_FILES} files.")
            if path.is_file() and not path.is_symlink():
                yield path


def goals(reports: Iterable[BudgetReport]) -> tuple[Goal, ...]:
    """Returns the state of each budget of a lesson."""
    return tuple(map(_goal, reports))


def _goal(report: BudgetReport) -> Goal:
    reasons = [report.problem] if report.problem else []
    if report.status:
        reasons += [d.message for d in report.diagnostics] or [report.outcome]
    for verdict in report.verdicts:
        if not verdict.holds:
            place = verdict.place
            where = f" ({Path(place.file).name}, line {place.line})" if place else ""
            reasons.append(f"{verdict.reason}{where}")
    return Goal(report.budget.name, report.ok, tuple(dict.fromkeys(reasons)), report.skipped)


class LessonProgress:
    """Which lessons the user has passed, in a file of his own.

    Args:
        path: The file; that in the user's folder of settings where not given.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = settings_folder() / "lessons.json" if path is None else path

    def passed(self) -> frozenset[str]:
        """Returns the titles of the lessons that are passed; none if the file is damaged."""
        try:
            content = read_private(self._path, _LARGEST_PROGRESS)
            progress: Any = json.loads(content or b"{}")
            return frozenset(name for name in progress.get("passed", ()) if isinstance(name, str))
        except (OSError, ValueError, AttributeError, TypeError, RecursionError):
            return frozenset()

    def add(self, lesson: Lesson) -> None:
        """Keeps that a lesson is passed.

        Raises:
            OSError: It cannot be written.
        """
        make_private(self._path.parent)
        titles = sorted({*self.passed(), lesson.title})
        write_private(self._path, json.dumps({"passed": titles}, indent=2))
