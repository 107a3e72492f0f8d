"""A pupil's copy of a lesson: made, looked for, put back to the beginning."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from jitstudio.core.bounds.folders import walk
from jitstudio.help.lessons import SOLUTION, TEXT, Lesson, LessonError, lessons
from jitstudio.system.paths import data_folder

_MOST_FILES = 200


def window_copies() -> Path:
    """Returns the folder of the copies that the window makes of our lessons."""
    return data_folder() / "lessons"


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
        # Listed before the folder is there, which may be inside the lesson. The text is last: a
        # folder without it is no copy yet.
        files = sorted(_files(lesson.folder), key=lambda path: path.name == TEXT)
        folder.mkdir(parents=True, exist_ok=True)
        if not _is_begun(folder, lesson.folder):
            raise LessonError(f"'{folder}' has other files in it. Choose a folder that is empty.")
        _copy_files(files, lesson.folder, folder)
    except OSError as error:
        raise _unwritable(folder, error) from None
    return True


def _is_begun(folder: Path, original: Path) -> bool:
    """Returns whether a folder is empty, or an interrupted copy of `original`."""
    for parent, names in walk(folder):
        for path in (Path(parent, name) for name in names):
            source = original / path.relative_to(folder)
            if not (_is_plain(path) and source.is_file()):
                return False
            if not source.read_bytes().startswith(path.read_bytes()):
                return False
    return True


def existing_copy(lesson: Lesson) -> Path:
    """Returns the pupil's copy of a lesson of ours: here, or that of the window.

    Raises:
        LessonError: There is none.
    """
    for folder in (Path(lesson.name), window_copies() / lesson.name):
        if (folder / TEXT).exists():
            return folder
    raise LessonError(
        f"There is no copy of lesson {lesson.number} yet, neither '{lesson.name}' here nor one of "
        f"the window. 'jitstudio lesson open {lesson.number}' makes one."
    )


def original_of(lesson: Lesson) -> Lesson | None:
    """Returns our lesson that a pupil's copy was made of, by its title; None for another's."""
    return next((ours for ours in lessons() if ours.title == lesson.title), None)


def reset_copy(lesson: Lesson, folder: Path) -> Path | None:
    """Puts the starting text of a lesson back, after all files are copied to a new folder.

    Files that the pupil has added stay as they are, too.

    Returns:
        The folder with the pupil's files; None where they are as in the beginning.

    Raises:
        LessonError: They cannot be copied; nothing is changed then.
    """
    try:
        pairs = [(path, folder / path.relative_to(lesson.folder)) for path in _files(lesson.folder)]
        if all(_is_plain(own) and own.read_bytes() == path.read_bytes() for path, own in pairs):
            return None
        _refuse_others(folder, (own for _, own in pairs))
        # Read before anything is written: the folder may have too many.
        files = list(_files(folder))
        backup = _free_name(folder)
        backup.mkdir()
        _copy_files(files, folder, backup)
        for path, own in pairs:
            own.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, own)
    except OSError as error:
        raise _unwritable(folder, error) from None
    return backup


def _refuse_others(folder: Path, files: Iterable[Path]) -> None:
    """Checks that nothing but plain files would be replaced, in folders that are no links.

    Raises:
        LessonError: A link would be written through, out of the copy, or a folder is in the way.
    """
    for file in files:
        inner = [path for path in file.parents if path.is_relative_to(folder) and path != folder]
        is_linked = any(path.is_symlink() for path in inner)
        if is_linked or (os.path.lexists(file) and not _is_plain(file)):
            raise LessonError(
                f"'{file}' is a link or a folder. Nothing was changed. Move it away, then reset "
                "the lesson again."
            )


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _free_name(folder: Path) -> Path:
    folder = folder.resolve()
    names = (folder.with_name(f"{folder.name}-before-{n}") for n in itertools.count(1))
    return next(name for name in names if not os.path.lexists(name))


def _unwritable(folder: Path, error: OSError) -> LessonError:
    return LessonError(f"'{folder}' cannot be written: {error.strerror or error}.")


def _copy_files(files: Iterable[Path], source: Path, folder: Path) -> None:
    for path in files:
        place = folder / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)


def _files(folder: Path) -> Iterator[Path]:
    """Yields the plain files of a lesson, but for the solution and hidden files."""
    count = 0
    for parent, names in walk(folder, lambda name: name != SOLUTION and name[:1] != "."):
        for name in names:
            path = Path(parent, name)
            count += 1
            if count > _MOST_FILES:
                raise LessonError(f"'{folder}' has more than {_MOST_FILES} files.")
            if _is_plain(path):
                yield path


def saved_state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Returns the files of a copy with their times: another value once a file is saved."""
    states = []
    for path in _files(folder):
        # An editor may replace a file meanwhile.
        with suppress(FileNotFoundError):
            status = path.stat()
            states.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(states)
