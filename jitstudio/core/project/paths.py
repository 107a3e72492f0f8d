"""Which paths a project may name: those of files in its own folder, written alike everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath

from jitstudio.core.launch.request import FillKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.texts.argument_text import parse_buffer
from jitstudio.core.launch.texts.phrases import TextError

_FORBIDDEN = (
    (re.compile(r"[/\\]"), "it begins at the root"),
    (re.compile(r"[A-Za-z]:"), "it names a drive"),
    (re.compile(r"~"), "it begins in somebody's home folder"),
    (re.compile(r"(?:.*/)?\.\.(?:/|$)", re.DOTALL), "it leaves the project's folder by '..'"),
    (re.compile(r".*\\", re.DOTALL), "it has a backslash, where a project writes '/'"),
    (re.compile(r".*[\0-\x1f]", re.DOTALL), "it has a control character"),
)
_FILE = re.compile(r"[^:]*:\s*file\s*\(")


def outside_reason(path: str) -> str:
    """Why this path may lead out of a project's folder; empty where its text does not."""
    return next((reason for pattern, reason in _FORBIDDEN if pattern.match(path)), "")


def project_path(path: PurePosixPath) -> str | None:
    """The text for a file, from the project's folder on; None where a project cannot name it."""
    text = path.as_posix()
    try:
        text.encode()
    except UnicodeEncodeError:
        return None  # a name in bytes that are no UTF-8
    return None if outside_reason(text) or path.is_absolute() else text


def with_buffer_files(spec: LaunchSpec, change: Callable[[str, str], str | None]) -> LaunchSpec:
    """The launch with other paths of the files that fill its buffers.

    Args:
        spec: The launch.
        change: Gives the other path for the parameter and the path, or None for an argument that
            is to be left out.
    """
    arguments = []
    for name, text in spec.arguments:
        path = _file_of(text)
        changed = change(name, path) if path else ""
        if changed is not None:
            arguments.append((name, _with_file(text, path, changed)))
    return replace(spec, arguments=tuple(arguments))


def _file_of(text: str) -> str:
    """The path in the text of a buffer that a file fills; empty for any other."""
    try:
        buffer = parse_buffer(text)
    except TextError:
        return ""
    fill = buffer.fill if buffer else None
    return fill.text if fill and fill.kind is FillKind.FILE else ""


def _with_file(text: str, old: str, new: str) -> str:
    found = _FILE.match(text) if old else None
    if found is None:
        return text
    start = text.index(old, found.end())
    return f"{text[:start]}{new}{text[start + len(old) :]}"
