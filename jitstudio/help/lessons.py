"""Lessons: folders with a text, a project and conditions that the pupil's change has to meet.

A lesson is a folder with `lesson.md`, `checks.toml` (budgets whose names are the goals), a project,
and in `solution` the files that are otherwise in the end, with `explained.md`, which says why they
help; those are never copied to a pupil. The lessons that come with the program are in
`resources/lessons`; anybody may write others.

To add a lesson: a folder there, whose name begins with its number; its starting text has to fail
and its solution to pass for sm_75, sm_90 and sm_120, as far as its `least_target` allows them
(`python3 -m pytest -m bench tests/test_lessons.py`), and so have programs of the kind that pupils
write (`tests/data/lesson_variants`).
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.core.plain_files import read_file
from jitstudio.system.paths import resource

TEXT, CHECKS, SOLUTION = "lesson.md", "checks.toml", "solution"
_LARGEST_TEXT = 1 << 20
_MOST_MINUTES = 600
# Marks of what is generated, such as pictures: `tests/lesson_pictures.py`.
_COMMENT = re.compile(r"^<!--.*?-->\n\n?", re.M)
_HINT = re.compile(r"^## Hint *$\n", re.M)
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
    main, *hints = _HINT.split(_COMMENT.sub("", text[head.end() :] if head else text))
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
        raise LessonError(f'{place} is not TOML: {error}. Write: panes = ["sass"]') from None
    if unknown := fields.keys() - _READERS.keys():
        names = ", ".join(f"'{name}'" for name in _READERS)
        raise LessonError(f"{place} has '{min(unknown)}'. Only {names} can stand there.")
    try:
        return {name: _READERS[name](value) for name, value in fields.items()}
    except ValueError as error:
        raise LessonError(f"{place} {error}") from None


def _names(name: str, example: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise ValueError(f'has {name} that are not a list of names, such as ["{example}"].')
    return tuple(dict.fromkeys(value))


def _panes(value: object) -> tuple[str, ...]:
    panes = _names("panes", "sass", value)
    for pane in panes:
        if pane not in PANES:
            raise ValueError(f"has no pane '{pane}'. There are {', '.join(PANES)}.")
    return panes


def _minutes(value: object) -> int:
    if type(value) is not int or not 0 < value <= _MOST_MINUTES:
        raise ValueError(f"has minutes that are not from 1 to {_MOST_MINUTES}, such as 10.")
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
