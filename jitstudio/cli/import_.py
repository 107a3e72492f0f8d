"""`jitstudio import`: what Compiler Explorer shows, or a project sent as text, as files."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from jitstudio.cli import exit_codes
from jitstudio.cli.request import UsageError, made_folder, unwritable, without_waiting
from jitstudio.cli.terminal import print_error, say
from jitstudio.core.code import PROJECT_ENDING, CodeKind, kind_of
from jitstudio.core.plain_files import read_file
from jitstudio.core.project.format import dump
from jitstudio.core.project.project import Member, Project
from jitstudio.export.compiler_explorer import (
    LARGEST,
    ForeignStateError,
    ImportedProject,
    project_from_file,
    project_from_link,
)
from jitstudio.export.project_text import ProjectTextError, is_project_text, unpack


def run(arguments: argparse.Namespace) -> int:
    """Writes the files and a project, and returns the exit status.

    Raises:
        UsageError: There is nothing to import, or it cannot be written.
    """
    try:
        found = _found(arguments.link)
    except (ForeignStateError, ProjectTextError) as error:
        raise UsageError(str(error)) from None
    folder = made_folder(arguments.output, "-o")
    assert folder is not None
    project = _of_files(found.project)
    written = [_written(folder, one) for one in found.project.members if _has_file(one)]
    path = folder / f"{folder.resolve().name or 'imported'}{PROJECT_ENDING}"
    _write(path, dump(project))
    for note in found.notes:
        print_error(note)
    for one in (*written, path):
        say(str(one))
    return exit_codes.BUILT


def _found(link: str) -> ImportedProject:
    text = sys.stdin.read(LARGEST + 1) if link == "-" else link
    if is_project_text(text):
        return ImportedProject(unpack(text))
    if link != "-" and "://" not in link and not link.startswith("#"):
        try:
            content = read_file(Path(link), LARGEST)
        except OSError as error:
            raise UsageError(
                f"'{link[:200]}' is no link and cannot be read as a file: {error.strerror}."
            ) from None
        text = content[:LARGEST].decode("utf-8", "replace")
        if is_project_text(text):
            return ImportedProject(unpack(text))
        if text.lstrip().startswith(("http://", "https://")):
            return project_from_link(text)
        return project_from_file(os.path.basename(link), content)
    return project_from_link(text)


def _written(folder: Path, member: Member) -> Path:
    path = folder / member.name
    _write(path, (member.text or "").encode("utf-8", "replace"))
    return path


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            raise FileExistsError(17, "there is such a file already", str(path))
        with open(path, "wb", opener=without_waiting) as file:
            file.write(content)
    except OSError as error:
        raise unwritable(path, error, "-o") from None


def _has_file(member: Member) -> bool:
    """Returns whether a text gets a file: its sender has given it a name that does no harm.

    That is a visible file of code or a header below the folder, and no Python, which may be run.
    """
    parts = member.name.replace("\\", "/").split("/")
    hidden = any(part.startswith(".") or not part for part in parts)
    fits = kind_of(member.name) in (_HEADERS if member.kind is CodeKind.HEADER else {member.kind})
    return fits and member.kind in _WRITTEN and member.name.isprintable() and not hidden


_HEADERS = frozenset({CodeKind.HEADER, CodeKind.CUDA})
_WRITTEN = frozenset({*_HEADERS, CodeKind.LLVM_IR, CodeKind.PTX})


def _of_files(project: Project) -> Project:
    """Returns the project with texts in the files next to it; it keeps those that get none."""

    def on_disk(member: Member) -> Member:
        return replace(member, text=None, path=member.name) if _has_file(member) else member

    return replace(
        project,
        modules=tuple(map(on_disk, project.modules)),
        headers=tuple(map(on_disk, project.headers)),
    )
