"""A project in the place of the modules: what the words of the command line add to."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from jitstudio.cli.request import UsageError
from jitstudio.core.code import Header, Source
from jitstudio.core.launch.choice import base_name
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.options import split_options
from jitstudio.core.project.project import is_project
from jitstudio.core.request import Assembler, BuildRequest, LinkMode
from jitstudio.core.sweep.draft import SweepDraft, generic_name
from jitstudio.core.sweep.plan import placeholders_of
from jitstudio.project_files import (
    OpenLaunch,
    OpenMember,
    OpenProject,
    ProjectError,
    read_project,
)
from jitstudio.trust import TrustStore


def given_project(sources: Sequence[str]) -> OpenProject | None:
    """The project that stands in the place of the modules; None for modules.

    Raises:
        UsageError: It does not stand alone, or cannot be read.
    """
    projects = [source for source in sources if is_project(Path(source))]
    if not projects:
        return None
    if len(sources) > 1:
        raise UsageError(
            f"'{projects[0]}' is a project, which names its modules itself. "
            "Give it alone, or the modules without it."
        )
    try:
        return read_project(Path(projects[0]))
    except ProjectError as error:
        raise UsageError(str(error)) from None


def has_target(arguments: argparse.Namespace) -> bool:
    """Whether the target is given, so that it need not be that of a GPU: a project has one."""
    return arguments.arch is not None or any(is_project(Path(s)) for s in arguments.sources)


def base_request(opened: OpenProject | None, arguments: argparse.Namespace) -> BuildRequest | None:
    """The build that the project describes, which the arguments change; None without a project.

    It is confined to the project's folder unless the project is trusted, now or since before.

    Raises:
        UsageError: A module that takes part cannot be read, or the options cannot.
    """
    if opened is None:
        return None
    project = opened.project
    wanted = arguments.link or arguments.lto or arguments.compare_links
    linked = wanted or project.link is not LinkMode.NONE
    modules = opened.members[: len(project.modules)]
    taken = [m for m in modules if m.member.is_linked or m.member.is_library or not linked]
    try:
        options = split_options(project.options)
    except ValueError as error:
        raise UsageError(f"'{opened.path.name}': {error}") from None
    folder = str(opened.path.parent)
    trusted = arguments.trust or TrustStore().standing(opened).trusted
    return BuildRequest(
        sources=tuple(_source(m) for m in taken if not m.member.is_library),
        arch=project.arch,
        link=project.link,
        options=options,
        headers=tuple(_header(m) for m in opened.members[len(modules) :]),
        assembler=Assembler.DRIVER if project.driver_jit else Assembler.NVJITLINK,
        libdevice=project.libdevice,
        libraries=tuple(_source(m) for m in taken if m.member.is_library),
        join_ir=project.join_ir,
        confined_to=None if trusted else (folder,),
        folder=folder,
    )


def base_launch(opened: OpenProject | None, kernel: str, given: Iterable[str]) -> LaunchSpec | None:
    """The launch that the project describes for a kernel; None where it describes none at all.

    Args:
        opened: The project.
        kernel: As on the command line; empty for the one that was worked on last, or the only one.
        given: The names of arguments that the command line gives.

    Raises:
        UsageError: The project has launches but none or several for this kernel, or its launch
            needs a file outside the project.
    """
    if opened is None or not opened.launches:
        return None
    found = _launches_of(opened, kernel)
    if len(found) != 1:
        which = f"of '{kernel}'" if kernel else "that was worked on last"
        number = "several launches" if found else "no launch"
        kernels = ", ".join(launch.spec.kernel for launch in opened.launches)
        raise UsageError(
            f"'{opened.path.name}' has {number} {which}. Choose one with --kernel: {kernels}."
        )
    replaced = frozenset(given)
    for (name, _), problem in zip(found[0].withheld, found[0].problems, strict=True):
        if name not in replaced:
            raise UsageError(f"{problem} Move the file there, or give --arg {name}=TEXT.")
    return found[0].spec


def base_sweep(
    opened: OpenProject | None, kernel: str, *, has_axes: bool = False
) -> SweepDraft | None:
    """The sweep that the project describes for a kernel, if it describes one.

    Args:
        opened: The project.
        kernel: As on the command line.
        has_axes: Whether the command line gives axes, which take the place of the project's.

    Raises:
        UsageError: The axes need a file outside the project.
    """
    if opened is None:
        return None
    sweeps = opened.sweeps
    wanted = generic_name(kernel or opened.project.kernel)
    only = sweeps[0] if len(sweeps) == 1 and not kernel else None
    found = next((sweep for sweep in sweeps if generic_name(sweep.draft.kernel) == wanted), only)
    if found is None:
        return None
    if found.problems and not has_axes:
        raise UsageError(f"{found.problems[0]} Move the file there, or give the axes by --axis.")
    return found.draft


def _launches_of(opened: OpenProject, kernel: str) -> list[OpenLaunch]:
    launches = list(opened.launches)
    wanted = kernel or opened.project.kernel
    exact = [launch for launch in launches if launch.spec.kernel == wanted]
    if exact or not kernel:
        return exact or (launches if len(launches) == 1 else [])
    same = [launch for launch in launches if base_name(launch.spec.kernel) == base_name(kernel)]
    if placeholders_of((kernel,)):
        # One sweep is about all instances of a template, and any launch of it will do.
        return same[:1]
    return same if kernel == base_name(kernel) else []


def _source(opened: OpenMember) -> Source:
    member = opened.member
    folder = str(opened.path.parent) if opened.path else ""
    return Source(member.name, member.kind, _content(opened), folder, member.name_expressions)


def _header(opened: OpenMember) -> Header:
    return Header(opened.member.name, _content(opened))


def _content(opened: OpenMember) -> bytes:
    if opened.content is None:
        raise UsageError(opened.problem)
    return opened.content
