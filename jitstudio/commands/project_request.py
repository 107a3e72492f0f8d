"""The build that a project describes, or another person, who is not trusted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from jitstudio.command_options.build import CompileOptions, ModuleOptions
from jitstudio.command_options.launch import LaunchOptions
from jitstudio.command_options.values import ModuleInput, UsageError
from jitstudio.commands.files import in_folder
from jitstudio.commands.module_request import projects_in, request_with_flags, with_options
from jitstudio.commands.project_files import OpenMember, OpenProject, ProjectError, read_project
from jitstudio.commands.trust import TrustStore
from jitstudio.core.code import PROJECT_ENDING, Header, Source, is_project
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.options import rooted, shown, split_options
from jitstudio.core.project.project import Project, with_buffer_files
from jitstudio.core.request import Assembler, BuildRequest, LinkMode
from jitstudio.core.toolchain_folders import AddedToolchains, hinted
from jitstudio.system.terminal import print_error


def project_of(sources: Sequence[ModuleInput]) -> OpenProject | None:
    """Returns the project that is given in place of the modules; None for modules.

    Raises:
        UsageError: It is not alone, or cannot be read.
    """
    projects = projects_in(sources)
    if not projects:
        return None
    if len(sources) > 1:
        raise UsageError(
            f"'{projects[0]}' is a project, which names its modules itself. "
            "Give it alone, or the modules without it."
        )
    return _opened(projects[0])


def only_project(path: str) -> OpenProject:
    """Returns the project of a file; anything but a project is refused.

    Raises:
        UsageError: It is not there, or no project.
    """
    if os.path.exists(path) and not is_project(Path(path)):
        raise UsageError(f"'{path}' is not a project: the name of one ends in '{PROJECT_ENDING}'.")
    return _opened(path)


def _opened(path: str) -> OpenProject:
    try:
        return read_project(Path(path))
    except ProjectError as error:
        raise UsageError(str(error)) from None


def project_request(opened: OpenProject, options: CompileOptions) -> BuildRequest:
    """Returns the build that a project describes, which the options change.

    It is confined to the project's folder unless the project is trusted, now or since before.

    Raises:
        UsageError: A module that takes part cannot be read, or the options cannot.
    """
    project = opened.project
    linked = options.is_linked or project.link is not LinkMode.NONE
    modules = opened.members[: len(project.modules)]
    members = [m for m in modules if m.member.is_linked or m.member.is_library or not linked]
    folder = str(opened.path.parent)
    trusted = options.trust or TrustStore().standing(opened).trusted
    return BuildRequest(
        sources=tuple(_member_source(m) for m in members if not m.member.is_library),
        arch=project.arch,
        link=project.link,
        options=_words(project.options, opened.path.name),
        headers=tuple(Header(m.member.name, _content(m)) for m in opened.members[len(modules) :]),
        compiler=project.compiler,
        assembler=Assembler.DRIVER if project.driver_jit else Assembler.NVJITLINK,
        libdevice=project.libdevice,
        libraries=tuple(_member_source(m) for m in members if m.member.is_library),
        join_ir=project.join_ir,
        keep_host_code=project.keep_host_code,
        confined_to=None if trusted else (folder,),
        folder=folder,
        toolchain="" if options.toolchain else _hinted_toolchain(project),
    )


def _hinted_toolchain(project: Project) -> str:
    """Returns the folder of the compilers that a project wants; empty for our own.

    What it names counts only if the user has added it: else a project could have any file loaded.
    """
    if not project.toolchain:
        return ""
    folder = hinted(project.toolchain, AddedToolchains().named())
    if not folder:
        print_error(
            f"The project wants the compilers {shown(project.toolchain)}, which were not added in "
            "the settings of the window: jitstudio's own build in their place. --toolchain PATH "
            "names others."
        )
    return folder


def _member_source(opened: OpenMember) -> Source:
    member = opened.member
    folder = str(opened.path.parent) if opened.path else ""
    options = None if member.options is None else _words(member.options, member.name)
    names = member.name_expressions
    return Source(member.name, member.kind, _content(opened), folder, names, options)


def _words(options: str, place: str) -> tuple[str, ...]:
    try:
        return split_options(options)
    except ValueError as error:
        raise UsageError(f"'{place}': {error}") from None


def _content(opened: OpenMember) -> bytes:
    if opened.content is None:
        raise UsageError(opened.problem)
    return opened.content


def confined_request(
    options: ModuleOptions, folder: Path, settings: Project | None = None
) -> BuildRequest:
    """Returns a build that another person described, confined to a folder unless trusted.

    Args:
        options: Modules that are read already, or a project and nothing else; and all else.
        folder: Where that person's paths begin, also those in options for the compilers.
        settings: A project of whose target, options and so on the build is, in the place of what
            the described project or the sources say; None for theirs.

    Raises:
        UsageError: See `request_of`.
    """
    home = str(folder.resolve())
    options = replace(
        options,
        options=rooted(options.options, home),
        options_for=tuple((name, rooted(words, home)) for name, words in options.options_for),
    )
    (first, *_) = options.sources
    if isinstance(first, Source):
        modules = tuple(source for source in options.sources if isinstance(source, Source))
        base = BuildRequest(modules) if settings else request_with_flags(options, modules)
        base = replace(base, confined_to=None if options.trust else (home,), folder=home)
    else:
        opened = only_project(first)
        if settings is not None:
            values = {name: getattr(settings, name) for name in SETTINGS}
            own = {module.name: module.options for module in settings.modules}
            opened = replace(
                opened,
                project=replace(opened.project, **values),
                members=tuple(
                    replace(m, member=replace(m.member, options=own.get(m.member.name)))
                    for m in opened.members
                ),
            )
        base = project_request(opened, options)
    return with_options(base, options)


SETTINGS = (
    *("arch", "options", "link", "libdevice", "join_ir", "driver_jit", "compiler", "toolchain"),
    "keep_host_code",
)
"""What of a project says how its modules are built."""


_Launch = TypeVar("_Launch", bound=LaunchOptions)


def confined_buffers(options: _Launch, folder: Path) -> _Launch:
    """Returns a launch that another person described, with buffers from a folder only.

    Raises:
        UsageError: A file leads out of the folder, and the person is not trusted.
    """
    spec = with_buffer_files(
        LaunchSpec(arguments=tuple(options.texts.items())),
        lambda _, path: in_folder(folder.resolve(), path, trust=options.trust),
    )
    texts = dict(spec.arguments)
    return replace(
        options,
        arguments=tuple((name, texts[name]) for name, _ in options.arguments),
        set=tuple((name, texts[name]) for name, _ in options.set),
    )
