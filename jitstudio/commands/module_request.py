"""From files of code and the options of a command to the build that is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from jitstudio.command_options.build import CompileOptions, ModuleOptions
from jitstudio.command_options.values import ModuleInput, UsageError
from jitstudio.commands.files import in_folder, read
from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.code import (
    ENDINGS,
    PROJECT_ENDING,
    CodeKind,
    Header,
    Source,
    is_project,
    kind_of,
)
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.entry import with_entry
from jitstudio.core.options import rooted, without
from jitstudio.core.plan import default_emit
from jitstudio.core.request import BuildRequest, with_name_expressions
from jitstudio.core.toolchain_folders import AddedToolchains, ToolchainError, chosen
from jitstudio.export.compile_commands import CompileFlags, FlagsError, flags_in, flags_of
from jitstudio.system.terminal import print_error


def with_options(base: BuildRequest, options: CompileOptions) -> BuildRequest:
    """Returns a build as options change the build.

    Raises:
        UsageError: An option makes no sense here, or a file cannot be read.
    """
    toolchains = toolchains_of(options)
    if len(toolchains) > 1 and not options.compares_toolchains:
        raise UsageError(
            "--toolchain is given twice. Several are compared by --compare-targets, by "
            "'jitstudio diff' and by an axis of 'jitstudio sweep'."
        )
    sources = assign_name_expressions(base.sources, options.name_expressions)
    link = options.link or base.link
    headers = {header.name: header for header in base.headers}
    headers |= {name: _header(name, content) for name, content in options.headers}
    emit = default_emit(sources, link)
    # Paths of a project begin in its folder, those that are typed here where we are.
    here = os.getcwd() if base.folder else ""
    typed = rooted(options.options, here)
    base = replace(base, sources=sources)
    base = base.with_options(lambda before: (*without(before, typed), *typed))
    for name, words in options.options_for:
        base = _with_options_for(base, name, rooted(words, here))
    request = replace(
        base,
        arch=options.arch or base.arch,
        emit=emit,
        link=link,
        headers=tuple(headers.values()),
        compiler=options.compiler or base.compiler,
        libdevice=options.libdevice or base.libdevice,
        libraries=(*base.libraries, *map(source_from, options.libraries)),
        join_ir=options.join_ir or base.join_ir,
        keep_host_code=(options.host_code == "keep" if options.host_code else base.keep_host_code),
        use_cache=not options.no_cache,
        # A single build is over before a precompiled header could be of use.
        precompile_headers=False,
        unsafe_options=options.unsafe_options,
        toolchain=toolchains[0] if toolchains else base.toolchain,
        python=_program(options.python) if options.python else base.python,
    )
    return with_entry(request)


def _with_options_for(request: BuildRequest, name: str, words: tuple[str, ...]) -> BuildRequest:
    """Returns a build in which the module of this name has own options."""
    names = [source.name for source in request.sources]
    named = [n for n in names if n == name] or [n for n in names if Path(n).name == name]
    if len(named) != 1:
        which = "several modules have" if named else "no module has"
        raise UsageError(
            f"There are options for '{name}', but {which} this name. "
            f"Name one of {', '.join(names)}."
        )
    sources = (replace(s, options=words) if s.name == named[0] else s for s in request.sources)
    return replace(request, sources=tuple(sources))


def _header(name: str, content: str | Header) -> Header:
    return content if isinstance(content, Header) else Header(name, read(content))


def _program(path: str) -> str:
    """Returns a program that is named by its path as others find it from another folder."""
    return os.path.abspath(path) if os.path.dirname(path) else path


def source_from(path: ModuleInput) -> Source:
    """Returns the module in a file; the kind follows from the ending.

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
        problem = f"'{path}' has no file extension that shows its kind. Known ones: {endings}. "
        advice = "Kernels in programs, libraries and wheels are read by jitstudio inspect."
        if not os.path.lexists(path):
            problem = f"There is no such file, and {problem}"
            if os.path.exists(meant := f"{path}{PROJECT_ENDING}"):
                advice = f"Did you mean the project '{meant}'?"
        raise UsageError(problem + advice)
    content = read(path)
    # A file may be called by bytes that are no UTF-8; logs and JSON need a name that is.
    name = os.fsencode(path).decode("utf-8", "replace")
    return Source(name, kind, content, str(Path(path).resolve().parent))


def source_in(folder: Path, name: str, *, trust: bool = False) -> Source:
    """Returns a module that another person has named, called as in that person's file.

    Raises:
        UsageError: It leads out of the folder, its ending is unknown, or it cannot be read.
    """
    return replace(source_from(in_folder(folder, name, trust=trust)), name=os.path.normpath(name))


def projects_in(inputs: Sequence[ModuleInput]) -> list[str]:
    """Returns the inputs that are projects."""
    paths = (path for path in inputs if not isinstance(path, Source))
    return [path for path in paths if is_project(Path(path))]


def request_with_flags(options: CompileOptions, inputs: Sequence[ModuleInput]) -> BuildRequest:
    """Returns a build of modules with the flags that they are compiled with elsewhere.

    Raises:
        UsageError: An option makes no sense here, or a file cannot be read.
    """
    sources = tuple(map(source_from, inputs))
    database = options.compile_commands
    compiled: list[list[CompileFlags]] = []
    try:
        for module, source in zip(inputs, sources, strict=True):
            path = Path(module.name if isinstance(module, Source) else module)
            known = [flags_in(source.content, path)]
            if source.kind is CodeKind.CUDA and database is not None:
                known.insert(0, flags_of(path, Path(database)))
            compiled.append([flags for flags in known if flags is not None])
    except FlagsError as error:
        raise UsageError(f"{error} Leave --compile-commands out, or name another.") from None
    flag_sets = [flags for known in compiled for flags in known]
    for flags in flag_sets:
        if flags.left_out:
            print_error(f"{flags.path}: not taken for NVRTC: {' '.join(flags.left_out)}")
    joined = _joined(flag_sets)
    own = map(_joined, compiled)
    # Each module has its own flags, as where these come from; a link has all of them.
    sources = tuple(
        source if words == joined else replace(source, options=words)
        for source, words in zip(sources, own, strict=True)
    )
    arch = next((flags.arch for flags in reversed(flag_sets) if flags.arch), DEFAULT_ARCH)
    return BuildRequest(sources, arch=arch, options=joined)


def _joined(flag_sets: Iterable[CompileFlags]) -> tuple[str, ...]:
    joined: tuple[str, ...] = ()
    for flags in flag_sets:
        joined = (*without(joined, flags.options), *flags.options)
    return tuple(dict.fromkeys(joined))


def assign_name_expressions(
    sources: tuple[Source, ...], expressions: Sequence[str]
) -> tuple[Source, ...]:
    """Gives each expression to the modules that `with_name_expressions` finds.

    Raises:
        UsageError: There is an expression but no CUDA C++ module.
    """
    if expressions and not any(source.kind is CodeKind.CUDA for source in sources):
        raise UsageError("--name-expression needs a CUDA C++ module.")
    return with_name_expressions(sources, expressions)


def toolchains_of(options: CompileOptions) -> tuple[str, ...]:
    """Returns the folders of compilers that are named, in order; empty for our own.

    Raises:
        UsageError: One of them is none.
    """
    if not options.toolchain:
        return ()
    try:
        added = AddedToolchains().named()
        return tuple(chosen(text, added) for text in options.toolchain)
    except ToolchainError as error:
        raise UsageError(f"--toolchain: {error}") from None


def has_target(options: ModuleOptions) -> bool:
    """Returns whether the target is known without a GPU: by an option, or from a project."""
    return options.arch is not None or bool(projects_in(options.sources))


def arch_for(arch: Arch, is_given: bool, devices: DeviceList, ordinal: int) -> Arch:
    """Returns the target of the options, else that of the GPU, else the default."""
    if is_given:
        return arch
    numbers = {device.ordinal: device.number for device in devices.devices}
    return Arch(numbers[ordinal]) if ordinal in numbers else DEFAULT_ARCH
