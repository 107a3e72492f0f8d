"""The names by which users know the files of a build: those that lead to a file from here.

NVRTC joins the name of a module to the working directory of its process, and line tables keep the
result: `/k.cu` for a text that has no file, `/home/me/k.cu` for the `k.cu` of a project elsewhere.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from operator import is_
from pathlib import Path, PurePath
from typing import Any, TypeVar, cast

from jitstudio.core.line_table_paths import spellings
from jitstudio.core.request import BuildRequest

_REPOSITORIES = (".git", ".hg", ".jj")
_FILE = "file"
"""What values call the file of a place: diagnostics, lines, races."""

_PAIRS = frozenset({"writers", "unbranched"})
"""What launches call pairs of a file and a line."""

_T = TypeVar("_T")


class FileNames:
    """The names of modules and headers of a build, by all that tools call them.

    Args:
        request: The build.
    """

    def __init__(self, request: BuildRequest) -> None:
        self._names: dict[str, str] = {}
        self._texts: set[str] = set()
        named = [(header.name, "") for header in request.headers]
        sources = (*request.sources, *request.libraries)
        named += [(source.name, source.folder) for source in sources]
        # A source without a folder is a text, whatever file here has its name.
        texts = {source.name for source in sources if not source.folder}
        for name, folder in named:
            file = "" if name in texts else _file_of(name, folder, request.folder)
            known = os.path.abspath(file) if file else name
            if not file:
                self._texts.add(name)
            for begin in (folder, request.folder):
                for spelt in spellings(name, begin):
                    self._names.setdefault(os.path.normpath(spelt), known)
            if file:
                self._names.setdefault(_resolved(file), known)

    def path(self, spelt: str) -> str:
        """Returns the absolute path of a file; the name of a text without a file."""
        if spelt not in self._names:
            plain = os.path.normpath(spelt)
            # A folder may be known by a link, behind which `..` leads elsewhere than in the text.
            real = _resolved(spelt) if os.path.lexists(spelt) else spelt
            self._names[spelt] = self._names.get(plain) or self._names.get(real, real)
        return self._names[spelt]

    def is_text(self, spelt: str) -> bool:
        """Returns whether a name means a text of the build that is in no file.

        A file of the working directory may have the name by chance.
        """
        return self.path(spelt) in self._texts

    def shown(self, spelt: str) -> str:
        """Returns the name of a file as seen from the working directory."""
        path = self.path(spelt)
        return spelt if _same(path, spelt) and not os.path.isabs(spelt) else from_here(path)


def with_files(value: _T, name: Callable[[str], str]) -> _T:
    """Returns a value in which all places have their files called by another name."""
    whole: Any = value
    if type(whole) is tuple:
        parts = [with_files(part, name) for part in whole]
        return value if all(map(is_, parts, whole)) else cast("_T", tuple(parts))
    if isinstance(whole, tuple):
        keys, changed = getattr(whole, "_fields", ()), getattr(whole, "_replace", None)
    elif is_dataclass(whole) and not isinstance(whole, type):
        keys, changed = tuple(field.name for field in fields(whole) if field.init), None
    else:
        return value
    more: dict[str, Any] = {}
    for key in keys:
        part = getattr(whole, key)
        other = with_files(part, name)
        if key == _FILE and isinstance(part, str) and part:
            other = name(part)
        elif key in _PAIRS:
            other = tuple((file and name(file), line) for file, line in part)
        if other is not part:
            more[key] = other
    if not more:
        return value
    return cast("_T", changed(**more) if changed else replace(whole, **more))


def from_here(path: str) -> str:
    """Returns a path as seen from the working directory, where that is shorter."""
    if not os.path.isabs(path):
        return path
    try:
        return min(os.path.relpath(path), path, key=len)
    except (OSError, ValueError):
        # The directory has been removed, or the file is on another drive.
        return path


def short_names(files: Iterable[str]) -> dict[str, str]:
    """Returns the last parts of each path, as many as tell it from the others, for tables.

    Of `/a/x/util.h`, `/a/y/util.h` and `/a/k.cu` these are `x/util.h`, `y/util.h` and `k.cu`.
    """
    parts = {file: PurePath(file).parts for file in files}
    shared = Counter(own[-n:] for own in set(parts.values()) for n in range(1, len(own) + 1))
    names = {}
    for file, own in parts.items():
        ends = (own[-n:] for n in range(1, len(own)))
        names[file] = next((os.path.join(*end) for end in ends if shared[end] == 1), file)
    return names


def root_of(path: str) -> Path:
    """Returns the repository that a file lies in; the working directory outside of any."""
    folders = Path(os.path.abspath(path)).parents
    has_mark = (at for at in folders if any((at / mark).exists() for mark in _REPOSITORIES))
    return next(has_mark, Path.cwd())


def from_root(root: Path, path: str) -> str:
    """Returns a path, seen from here, as seen from a folder; absolute where it lies elsewhere.

    A name without a file stays.
    """
    if not os.path.lexists(path):
        return path
    # The folder of either may be a link, as a home on another disk is.
    for whole, begin in (
        (os.path.abspath(path), root),
        (_resolved(path), os.path.realpath(root)),
    ):
        if PurePath(whole).is_relative_to(begin):
            return PurePath(whole).relative_to(begin).as_posix()
    return os.path.abspath(path)


def _file_of(name: str, folder: str, root: str) -> str:
    """Returns the path of the file of a module or a header; empty for a text without a file.

    Args:
        name: What the build calls it: a path from here or from `root` on, or the last part of one.
        folder: The folder of the file, without links; empty where that is not known.
        root: The folder that names of the build begin in; empty for none.
    """
    paths = [os.path.join(root, name)] if root else []
    paths += [name] if folder else []
    paths += [os.path.join(folder or root, os.path.basename(name))] if folder or root else []
    files = filter(os.path.isfile, paths)
    if not folder:
        return next(files, "")
    # Of the link `sub/k.cu` to `../scale.cu` the folder is that of `scale.cu`.
    real = os.path.realpath(folder)
    return next((f for f in files if os.path.dirname(os.path.realpath(f)) == real), "")


def _resolved(path: str) -> str:
    """Returns the absolute path without links among its folders; the file keeps its name."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def _same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        return False
