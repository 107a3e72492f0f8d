"""The solution of a lesson: the explanation, and the difference from the starting text."""

from __future__ import annotations

import difflib
from pathlib import Path

from jitstudio.core.plain_files import read_file
from jitstudio.help.lessons import SOLUTION, Lesson

EXPLANATION = "explained.md"
_LARGEST = 1 << 20


def explained_solution(lesson: Lesson) -> str:
    """Returns the explanation and the difference of a lesson's solution; empty without any.

    Args:
        lesson: The original: copies have no solution.
    """
    folder = lesson.folder / SOLUTION
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    explained = _text(folder / EXPLANATION).strip() if EXPLANATION in names else ""
    changed = "".join(
        _difference(lesson.folder / name, folder / name) for name in names if name != EXPLANATION
    )
    code = f"```diff\n{changed}```" if changed else ""
    return "\n\n".join(filter(None, (explained, code)))


def _difference(before: Path, after: Path) -> str:
    old, new = (_text(path).splitlines(keepends=True) for path in (before, after))
    names = before.name, f"{SOLUTION}/{after.name}"
    return "".join(difflib.unified_diff(old, new, *names, n=2))


def _text(path: Path) -> str:
    try:
        return read_file(path, _LARGEST).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        # A solution may have a file that the beginning has not.
        return ""
