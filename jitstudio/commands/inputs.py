"""What commands are given to read and to write: files, projects, folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from errno import EACCES
from pathlib import Path

from jitstudio.commands.values import Given, UsageError
from jitstudio.core.code import ENDINGS, PROJECT_ENDING, CodeKind, Source, is_project, kind_of
from jitstudio.core.options import lies_in
from jitstudio.core.plain_files import read_file
from jitstudio.project_files import OpenProject, ProjectError, read_project


def source_from(path: Given, name_expressions: Sequence[str] = ()) -> Source:
    """Returns one module from a file; the kind follows from its ending.

    Raises:
        UsageError: The ending is unknown or the file cannot be read.
    """
    if isinstance(path, Source):
        return path
    kind = kind_of(path)
    if kind is None or kind in (CodeKind.SASS, CodeKind.HEADER):
        endings = " ".join(
            e for e, k in ENDINGS.items() if k not in (CodeKind.SASS, CodeKind.HEADER)
        )
        problem = f"'{path}' has no ending that tells its kind. Known ones: {endings}. "
        advice = "Kernels in programs, libraries and wheels are read by jitstudio inspect."
        if not os.path.lexists(path):
            problem = f"There is no such file, and {problem}"
            if os.path.exists(meant := f"{path}{PROJECT_ENDING}"):
                advice = f"Did you mean the project '{meant}'?"
        raise UsageError(problem + advice)
    content = read(path)
    # A file may be called by bytes that are no UTF-8; logs and JSON need a name that is.
    name = os.fsencode(path).decode("utf-8", "replace")
    return Source(name, kind, content, str(Path(path).resolve().parent), tuple(name_expressions))


def source_in(folder: Path, name: str, *, trust: bool = False) -> Source:
    """Returns a module that somebody else has named, called as he does.

    Raises:
        UsageError: It leads out of the folder, its ending is unknown, or it cannot be read.
    """
    return replace(source_from(in_folder(folder, name, trust=trust)), name=os.path.normpath(name))


def in_folder(folder: Path, name: str, *, trust: bool = False) -> str:
    """Returns the path of a file that somebody else has named, from his folder on.

    Raises:
        UsageError: It leads out of the folder, and he is not trusted.
    """
    path = str(folder / name)
    if not trust and not lies_in((str(folder),), path):
        raise UsageError(
            f"'{name}' lies outside the folder '{folder}'. Move the file there, or begin in a "
            "folder that has both."
        )
    return path


def read(path: str) -> bytes:
    """Returns what a file holds.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return read_file(Path(path))
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}.") from None


def read_text(path: str) -> str:
    """Returns a file as text; bytes that are no UTF-8 show as replacement characters.

    Raises:
        UsageError: It cannot be read.
    """
    return read(path).decode("utf-8", "replace")


def given_project(sources: Sequence[Given]) -> OpenProject | None:
    """Returns the project that is given in place of the modules; None for modules.

    Raises:
        UsageError: It is not alone, or cannot be read.
    """
    projects = [each for each in sources if not isinstance(each, Source) and is_project(Path(each))]
    if not projects:
        return None
    if len(sources) > 1:
        raise UsageError(
            f"'{projects[0]}' is a project, which names its modules itself. "
            "Give it alone, or the modules without it."
        )
    return _opened(projects[0])


def only_project(path: str) -> OpenProject:
    """Returns the project of a file that has to be one, as nothing else is given.

    Raises:
        UsageError: It is not there, or no project.
    """
    if os.path.exists(path) and not is_project(Path(path)):
        raise UsageError(f"'{path}' is no project: the name of one ends in '{PROJECT_ENDING}'.")
    return _opened(path)


def _opened(path: str) -> OpenProject:
    try:
        return read_project(Path(path))
    except ProjectError as error:
        raise UsageError(str(error)) from None


def made_folder(text: str | None, flag: str) -> Path | None:
    """Returns the folder, made before the work so that a wrong one costs no time.

    Raises:
        UsageError: It cannot be made or written into.
    """
    if text is None:
        return None
    folder = Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error, flag) from None
    if not os.access(folder, os.W_OK):
        raise unwritable(folder, PermissionError(EACCES, os.strerror(EACCES)), flag)
    return folder


def without_waiting(path: str, flags: int) -> int:
    """Opens a file to be written: an opener that fails for a pipe without a reader.

    Raises:
        OSError: There is no reader, or another reason.
    """
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    os.set_blocking(descriptor, True)
    return descriptor


def unwritable(path: Path, error: OSError, flag: str) -> UsageError:
    """Returns why this file or folder, which this flag has named, cannot be written."""
    return UsageError(
        f"'{path}' cannot be written: {error.strerror or error}. Choose another place with {flag}."
    )
