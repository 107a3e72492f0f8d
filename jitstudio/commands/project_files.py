"""Reads a project from disk with all named files that lie inside the project's folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from jitstudio.core import plain_files
from jitstudio.core.axes import VariantDraft
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.plain_files import read_file
from jitstudio.core.project.format import LARGEST, ProjectFormatError, load
from jitstudio.core.project.project import (
    Change,
    Member,
    Project,
    outside_reason,
    project_path,
    with_axis_files,
    with_buffer_files,
)


class ProjectError(RuntimeError):
    """A project, or a file of a project, cannot be read; the message is fit for a person."""


@dataclass(frozen=True)
class OpenMember:
    """A module or header with the content, or the reason why there is none.

    Attributes:
        member: The member as the project's file has it.
        content: The whole file; None where it was not read.
        path: The file it was read from; None where the project holds it.
        problem: Why it was not read, a sentence; empty where it was.
    """

    member: Member
    content: bytes | None = None
    path: Path | None = None
    problem: str = ""


@dataclass(frozen=True)
class OpenLaunch:
    """A launch ready for use, without files outside the project's folder.

    Attributes:
        spec: With the paths of files from the root on, and without those outside.
        withheld: The arguments left out, as the project has them.
        problems: Why, a sentence each.
    """

    spec: LaunchSpec
    withheld: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenSweep:
    """A sweep ready for use, without files outside the project's folder.

    Attributes:
        draft: With the paths of files from the root on, and without axes that name others.
        withheld: The axes left out, as the project has them.
        problems: Why, a sentence each.
    """

    draft: VariantDraft
    withheld: VariantDraft
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenProject:
    """A project with the content of all files.

    Attributes:
        path: Its file.
        project: The content of that file.
        content: Its bytes.
        members: Modules and headers, in the order of the project.
        launches: In the order of the project.
        sweeps: In the order of the project.
    """

    path: Path
    project: Project
    content: bytes = b""
    members: tuple[OpenMember, ...] = ()
    launches: tuple[OpenLaunch, ...] = ()
    sweeps: tuple[OpenSweep, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """The reasons why files, launches or sweeps could not be read."""
        of_members = (member.problem for member in self.members if member.problem)
        of_launches = (text for launch in self.launches for text in launch.problems)
        of_sweeps = (text for sweep in self.sweeps for text in sweep.problems)
        return (*of_members, *of_launches, *of_sweeps)


def read_project(path: Path) -> OpenProject:
    """Reads a project with modules and headers. Nothing is run.

    Raises:
        ProjectError: The project's own file cannot be read or understood.
    """
    path = Path(os.path.realpath(path))
    try:
        content = read_file(path, LARGEST)
        project = load(content)
    except OSError as error:
        raise ProjectError(f"'{path}' cannot be opened: {error.strerror or error}.") from None
    except ProjectFormatError as error:
        raise ProjectError(f"'{path.name}' cannot be opened. {error}") from None
    members = tuple(_opened_all(project.members, path.parent))
    launches = tuple(_usable(spec, path.parent) for spec in project.launches)
    sweeps = tuple(_usable_sweep(draft, path.parent) for draft in project.sweeps)
    return OpenProject(path, project, content, members, launches, sweeps)


def path_inside(folder: Path, text: str) -> Path:
    """Returns the file that a path of a project means, links followed.

    Raises:
        ProjectError: It lies outside the project's folder, or nowhere.
    """
    reason = outside_reason(text)
    if not reason:
        try:
            path = (folder / text).resolve()
        # Until Python 3.12, `resolve` raises this for links in a circle.
        except RuntimeError:
            raise ProjectError(f"the links of '{text}' lead in a circle") from None
        if path.is_relative_to(folder.resolve()):
            return path
        reason = "a link leads there"
    raise ProjectError(f"'{text}' lies outside the project's folder: {reason}")


Resolve = Callable[[Path], Path]
"""Follows the links of a path."""


def path_in_project(folder: Path, file: Path, resolve: Resolve = Path.resolve) -> str | None:
    """Returns the path of a file as a project in `folder` names that; None outside."""
    try:
        resolved, root = resolve(file), resolve(folder)
    except (OSError, RuntimeError, ValueError):
        return None  # links in a circle, or no name for a file at all
    inside = resolved.is_relative_to(root)
    return project_path(PurePosixPath(resolved.relative_to(root))) if inside else None


def file_launch(spec: LaunchSpec, folder: Path, resolve: Resolve = Path.resolve) -> LaunchSpec:
    """Returns the launch as a project in `folder` keeps that: own files by relative paths."""
    return with_buffer_files(spec, _shorten(folder, resolve))


def file_sweep(draft: VariantDraft, folder: Path, resolve: Resolve = Path.resolve) -> VariantDraft:
    """Returns the sweep as a project in `folder` keeps that: own files by relative paths."""
    return with_axis_files(draft, _shorten(folder, resolve))


def _shorten(folder: Path, resolve: Resolve) -> Change:
    """Returns a change of the path of each file to the path from the project's folder on."""

    def shorten(_name: str, text: str) -> str:
        name, array = _split_array(text)
        path = os.path.abspath(os.path.expanduser(name))
        return f"{path_in_project(folder, Path(path), resolve) or path}{array}"

    return shorten


def _opened_all(members: Iterable[Member], folder: Path) -> Iterator[OpenMember]:
    """Yields the files of a project, all together no larger than a single file may be."""
    left = plain_files.LARGEST
    for member in members:
        opened = _opened(member, folder, left)
        left -= len(opened.content or b"")
        yield opened


def _opened(member: Member, folder: Path, left: int) -> OpenMember:
    """Returns a module or header with the content, of which `left` bytes may be read at most."""
    if member.text is not None:
        return OpenMember(member, member.text.encode())
    try:
        path = path_inside(folder, member.path)
        return OpenMember(member, read_file(path, left), path)
    except OSError as error:
        reason = f"'{member.path}' cannot be read: {error.strerror or error}"
    except ProjectError as error:
        reason = str(error)
    return OpenMember(member, problem=f"'{member.name}' was not read: {reason}.")


def _usable(spec: LaunchSpec, folder: Path) -> OpenLaunch:
    problems: dict[str, str] = {}
    usable = with_buffer_files(spec, _complete(folder, f"launch of '{spec.kernel}'", problems))
    withheld = tuple((name, text) for name, text in spec.arguments if name in problems)
    return OpenLaunch(usable, withheld, tuple(problems.values()))


def _usable_sweep(draft: VariantDraft, folder: Path) -> OpenSweep:
    problems: dict[str, str] = {}
    usable = with_axis_files(draft, _complete(folder, f"sweep of '{draft.kernel}'", problems))
    places = {(axis.kind, axis.name) for axis in usable.axes}
    withheld = tuple(axis for axis in draft.axes if (axis.kind, axis.name) not in places)
    return OpenSweep(usable, replace(draft, axes=withheld), tuple(problems.values()))


def _complete(folder: Path, owner: str, problems: dict[str, str]) -> Change:
    """Returns a change of the path of each file to the whole path; a path outside goes.

    Args:
        folder: The project's.
        owner: The launch or sweep that names the files, for a sentence.
        problems: Takes the reason for each file left out, by the name of its argument or axis.
    """

    def complete(name: str, text: str) -> str | None:
        path, array = _split_array(text)
        try:
            return f"{path_inside(folder, path)}{array}"
        except (ProjectError, OSError) as error:
            problems[name] = f"The {owner} leaves out '{name}': {error}."
            return None

    return complete


def _split_array(text: str) -> tuple[str, str]:
    """Returns the path, and the ``::NAME`` of an array in an archive behind the path."""
    path, mark, name = text.rpartition("::")
    return (path, f"{mark}{name}") if mark else (text, "")
