"""Which paths a project may name: those of files in its own folder, written alike everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath

from jitstudio.core.axes import AxisKind, AxisText, VariantDraft, parse_values
from jitstudio.core.launch.arguments import parse_buffer, parse_fill
from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.request import Fill, FillKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.texel_text import split_texels

Change = Callable[[str, str], str | None]
"""Gives another path for an argument's name and a path; None where that is to be left out."""

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
    """Returns why this path may lead out of a project's folder; empty where its text does not."""
    return next((reason for pattern, reason in _FORBIDDEN if pattern.match(path)), "")


def project_path(path: PurePosixPath) -> str | None:
    """The text for a file, from the project's folder on; None where a project cannot name it."""
    text = path.as_posix()
    try:
        text.encode()
    except UnicodeEncodeError:
        return None  # a name in bytes that are no UTF-8
    return None if outside_reason(text) or path.is_absolute() else text


def with_buffer_files(spec: LaunchSpec, change: Change) -> LaunchSpec:
    """Returns the launch with other paths of the files that fill its buffers."""
    changed = ((name, _changed(name, text, change)) for name, text in spec.arguments)
    kept = tuple((name, text) for name, text in changed if text is not None)
    return replace(spec, arguments=kept)


def with_axis_files(draft: VariantDraft, change: Change) -> VariantDraft:
    """Returns the sweep with other paths of the files that its axes fill buffers from.

    An axis is left out as a whole where one of its values is.
    """
    changed = (_changed_axis(axis, change) for axis in draft.axes)
    return replace(draft, axes=tuple(axis for axis in changed if axis is not None))


def _changed_axis(axis: AxisText, change: Change) -> AxisText | None:
    if axis.kind is not AxisKind.ARGUMENT:
        return axis
    values = parse_values(axis.kind, axis.values)
    texts = [_changed(axis.name.strip(), value, change) for value in values]
    kept = [text for text in texts if text is not None]
    if len(kept) < len(texts):
        return None
    return axis if kept == list(values) else replace(axis, values=_joined(kept))


def _joined(values: Sequence[str]) -> str:
    """What `parse_values` reads as these; the last semicolon is for a comma in a lone one."""
    if any("," in value for value in values):
        return "".join(f"{value}; " for value in values).rstrip()
    return ", ".join(values)


def _changed(name: str, text: str, change: Change) -> str | None:
    path = _file_of(text)
    changed = change(name, path) if path else ""
    return None if changed is None else _with_file(text, path, changed)


def _file_of(text: str) -> str:
    """Returns the path in the text of a buffer, texture or surface that a file fills.

    Empty for any other. Where a text can be read as both, as with a direction, they name one file.
    """
    fill = _fill_of(text)
    return fill.text if fill and fill.kind is FillKind.FILE else ""


def _fill_of(text: str) -> Fill | None:
    with suppress(TextError):
        buffer = parse_buffer(text)
        return buffer.fill if buffer else None
    with suppress(TextError):
        return parse_fill(split_texels(text)[1])
    return None


def _with_file(text: str, old: str, new: str) -> str:
    found = _FILE.match(text) if old else None
    if found is None:
        return text
    start = text.index(old, found.end())
    return f"{text[:start]}{new}{text[start + len(old) :]}"
