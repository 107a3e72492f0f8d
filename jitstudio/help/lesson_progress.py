"""The lessons that a pupil has passed, and how many hints of each were shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jitstudio.help.lessons import Lesson, lessons
from jitstudio.system.paths import settings_folder
from jitstudio.system.private import make_private, read_private, write_private

_LARGEST = 1 << 16


def unkept(error: OSError) -> str:
    """Returns the sentence that progress cannot be kept, with the reason."""
    return (
        f"Your progress cannot be kept in '{settings_folder()}': {error.strerror or error}. Free "
        "some space there, or make the folder writable."
    )


class LessonProgress:
    """Which lessons the user has passed, and their hints, in a file of his own.

    Args:
        path: The file; that in the user's folder of settings where not given.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = settings_folder() / "lessons.json" if path is None else path

    def passed(self) -> frozenset[str]:
        """Returns the titles of the lessons that are passed; none if the file is damaged."""
        titles = self._read().get("passed", ())
        if not isinstance(titles, list):
            return frozenset()
        return frozenset(title for title in titles if isinstance(title, str))

    def next_lesson(self) -> Lesson | None:
        """Returns the first lesson of ours that is not passed; None once all are."""
        passed = self.passed()
        return next((lesson for lesson in lessons() if lesson.title not in passed), None)

    def hints(self, lesson: Lesson) -> int:
        """Returns how many hints of a lesson were shown."""
        counts = self._read().get("hints", {})
        count = counts.get(lesson.title, 0) if isinstance(counts, dict) else 0
        return count if isinstance(count, int) and 0 <= count <= len(lesson.hints) else 0

    def add(self, lesson: Lesson) -> None:
        """Keeps that a lesson is passed.

        Raises:
            OSError: It cannot be written.
        """
        self._write("passed", sorted({*self.passed(), lesson.title}))

    def keep_hints(self, lesson: Lesson, count: int) -> None:
        """Keeps how many hints of a lesson were shown.

        Raises:
            OSError: It cannot be written.
        """
        counts = self._read().get("hints", {})
        known = counts if isinstance(counts, dict) else {}
        self._write("hints", {**known, lesson.title: count})

    def _read(self) -> dict[str, Any]:
        try:
            content: Any = json.loads(read_private(self._path, _LARGEST) or b"{}")
        except (OSError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    def _write(self, key: str, value: object) -> None:
        make_private(self._path.parent)
        write_private(self._path, json.dumps({**self._read(), key: value}, indent=2))
