"""`jitstudio import`: a link of Compiler Explorer, or a project sent as text, as files."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from jitstudio.command_options.other import ImportOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.files import made_folder, write_new
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
from jitstudio.system.terminal import print_error, say


def run(options: ImportOptions) -> int:
    """Writes the files and a project, and returns the exit status.

    Raises:
        UsageError: There is nothing to import, or it cannot be written.
    """
    try:
        imported = _project_of(options.link)
    except (ForeignStateError, ProjectTextError) as error:
        raise UsageError(str(error)) from None
    folder = made_folder(options.output, "-o")
    assert folder is not None
    path = folder / f"{folder.resolve().name or 'imported'}{PROJECT_ENDING}"
    texts = [
        (folder / member.name, member.text or "")
        for member in imported.project.members
        if _has_file(member)
    ]
    contents = [(file, text.encode("utf-8", "replace")) for file, text in texts]
    write_new([*contents, (path, dump(_of_files(imported.project)))], folder)
    for note in imported.notes:
        print_error(note)
    for file, _ in texts:
        say(str(file))
    say(str(path))
    return exit_codes.BUILT


def _project_of(link: str) -> ImportedProject:
    text = sys.stdin.read(LARGEST + 1) if link == "-" else link
    if is_project_text(text):
        return ImportedProject(unpack(text))
    if link != "-" and "://" not in link and not link.startswith("#"):
        try:
            content = read_file(Path(link), LARGEST)
        except OSError as error:
            raise UsageError(
                f"'{link[:200]}' is not a link and cannot be read as a file: {error.strerror}."
            ) from None
        text = content[:LARGEST].decode("utf-8", "replace")
        if is_project_text(text):
            return ImportedProject(unpack(text))
        if text.lstrip().startswith(("http://", "https://")):
            return project_from_link(text)
        return project_from_file(os.path.basename(link), content)
    return project_from_link(text)


def _has_file(member: Member) -> bool:
    """Returns whether a text gets a file: the sender has chosen a harmless name.

    That is a visible file of code or a header below the folder, and no Python, which may be run.
    """
    parts = member.name.replace("\\", "/").split("/")
    hidden = any(part.startswith(".") or not part for part in parts)
    fits = kind_of(member.name) in (_HEADERS if member.kind is CodeKind.HEADER else {member.kind})
    return fits and member.kind in _WRITTEN and member.name.isprintable() and not hidden


_HEADERS = frozenset({CodeKind.HEADER, CodeKind.CUDA})
_WRITTEN = frozenset({*_HEADERS, CodeKind.LLVM_IR, CodeKind.PTX})


def _of_files(project: Project) -> Project:
    """Returns the project with texts in the files next to it, but those without a file."""

    def on_disk(member: Member) -> Member:
        return replace(member, text=None, path=member.name) if _has_file(member) else member

    return replace(
        project,
        modules=tuple(map(on_disk, project.modules)),
        headers=tuple(map(on_disk, project.headers)),
    )
