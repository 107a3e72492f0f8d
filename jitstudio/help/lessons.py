"""Lessons: folders with a text, a project and conditions that the pupil's change has to meet.

A lesson is a folder with `lesson.md`, `checks.toml` (budgets whose names are the goals), a project,
and in `solution` the files that are otherwise in the end; those are never copied to a pupil. The
lessons that come with the program are in `resources/lessons`; anybody may write others.

To add a lesson: a folder there, whose name begins with its number; its starting text has to fail
and its solution to pass for sm_75, sm_90 and sm_120, as far as its `least_target` allows them
(`python3 -m pytest -m bench tests/test_lessons.py`), and so have programs of the kind that pupils
write (`tests/data/lesson_variants`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from jitstudio.checks.verdicts import BudgetReport
from jitstudio.core.arch import Arch
from jitstudio.core.bounds.folders import walk
from jitstudio.core.plain_files import read_file
from jitstudio.system.paths import resource, settings_folder
from jitstudio.system.private import make_private, read_private, write_private

TEXT, CHECKS, SOLUTION = "lesson.md", "checks.toml", "solution"
_LARGEST_TEXT = 1 << 20
_MOST_FILES = 200
_MOST_MINUTES = 600
_HINT = re.compile(r"^## Hint *$\n", re.M)
_LARGEST_PROGRESS = 1 << 16
_HEAD_MARK = "+++\n"
_HEAD = re.compile(r"\+\+\+\n(.*?)^\+\+\+\n", re.M | re.S)
_NUMBER = re.compile(r"\d+(?=-)")
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
        text: Markdown, with the effort below the heading and without the hints.
        hints: Markdown of each, in the order in which they help more and more.
        panes: What the lesson is about, in the order in which the panes are looked at.
        minutes: How long it takes about; 0 if its author does not say.
        needs: The names of the lessons whose content it takes for known.
        least_target: The first target that has what it is about; empty if all have.
    """

    folder: Path
    title: str
    text: str
    hints: tuple[str, ...]
    panes: tuple[str, ...] = ()
    minutes: int = 0
    needs: tuple[str, ...] = ()
    least_target: str = ""

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.name

    @property
    def number(self) -> int:
        """The number with which the name begins; -1 where it begins with none."""
        return int(_number_in(self.name) or -1)

    @property
    def effort(self) -> str:
        """How long it takes and what it needs: "About 10 minutes. Needs lessons 1 and 2."."""
        minutes = f"About {self.minutes} minutes." if self.minutes else ""
        *others, last = (_number_in(name) or name for name in self.needs or ("",))
        numbers = f"s {', '.join(others)} and {last}" if others else f" {last}"
        needs = f"Needs lesson{numbers}." if self.needs else ""
        target = f"For {self.least_target} and later." if self.least_target else ""
        return " ".join(filter(None, (minutes, needs, target)))

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


def _number_in(name: str) -> str:
    """Returns the number with which the name of a lesson begins, or empty."""
    number = _NUMBER.match(name)
    return str(int(number[0])) if number else ""


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
    fields = _fields(folder, head[1]) if head else {}
    main, *hints = _HINT.split(text[head.end() :] if head else text)
    heading = next((line for line in main.splitlines() if line.startswith("# ")), "")
    title = heading.removeprefix("# ").strip() or folder.name
    lesson = Lesson(folder, title, main.strip() + "\n", tuple(map(str.strip, hints)), **fields)
    if lesson.effort:
        text = lesson.text.replace(f"{heading}\n", f"{heading}\n\n*{lesson.effort}*\n", 1)
        lesson = replace(lesson, text=text)
    return lesson


def _fields(folder: Path, head: str) -> dict[str, Any]:
    """Returns the fields that the head of a lesson's text has.

    Raises:
        LessonError: It cannot be read, or has something else.
    """
    place = f"The head of '{folder / TEXT}', between the lines +++,"
    try:
        fields = tomllib.loads(head)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f'{place} is no TOML: {error}. Write: panes = ["sass"]') from None
    if unknown := fields.keys() - _READERS.keys():
        names = ", ".join(f"'{name}'" for name in _READERS)
        raise LessonError(f"{place} has '{min(unknown)}'. Only {names} can stand there.")
    try:
        return {name: _READERS[name](value) for name, value in fields.items()}
    except ValueError as error:
        raise LessonError(f"{place} {error}") from None


def _names(name: str, example: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise ValueError(f'has {name} that are no list of names, such as ["{example}"].')
    return tuple(dict.fromkeys(value))


def _panes(value: object) -> tuple[str, ...]:
    panes = _names("panes", "sass", value)
    for pane in panes:
        if pane not in PANES:
            raise ValueError(f"has no pane '{pane}'. There are {', '.join(PANES)}.")
    return panes


def _minutes(value: object) -> int:
    if type(value) is not int or not 0 < value <= _MOST_MINUTES:
        raise ValueError(f"has minutes that are no number from 1 to {_MOST_MINUTES}, such as 10.")
    return value


def _least_target(value: object) -> str:
    try:
        return Arch.parse(str(value)).sm
    except ValueError as error:
        raise ValueError(f"has a least_target that cannot be read: {error}") from None


_READERS: dict[str, Callable[[object], Any]] = {
    "panes": _panes,
    "minutes": _minutes,
    "needs": partial(_names, "needs", "02-who-am-i"),
    "least_target": _least_target,
}
"""What the head of a lesson's text may have: the fields of `Lesson` by their readers."""


@cache
def lessons() -> tuple[Lesson, ...]:
    """Returns the lessons that come with the program, in their order."""
    return tuple(map(read_lesson, sorted(resource("lessons").iterdir())))


def find_lesson(word: str) -> Lesson:
    """Returns a lesson by number, name or folder.

    Raises:
        LessonError: There is none.
    """
    for lesson in lessons():
        if word in (str(lesson.number), lesson.name):
            return lesson
    if os.path.isdir(word):
        return read_lesson(Path(word))
    names = ", ".join(lesson.name for lesson in lessons())
    raise LessonError(f"There is no lesson '{word}'. There are {names}.")


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


def refuse_older_targets(lesson: Lesson, reports: Iterable[BudgetReport]) -> None:
    """Checks that no budget was judged for a target that has not what the lesson is about.

    Raises:
        LessonError: One was.
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
