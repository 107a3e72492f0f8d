"""From the words of a command line to a build and a launch: modules, projects, files."""

from __future__ import annotations

import argparse
import io
import math
import os
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr
from dataclasses import fields, replace
from errno import EACCES
from pathlib import Path
from typing import TypeAlias

from jitstudio.cli.arguments import parser
from jitstudio.compile_commands import CompileFlags, FlagsError, flags_in, flags_of
from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.axes import VariantDraft, generic_name, placeholders_of
from jitstudio.core.code import (
    EMITTED_KINDS,
    ENDINGS,
    PROJECT_ENDING,
    CodeKind,
    Header,
    Source,
    is_project,
    kind_of,
)
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.choice import base_name
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.options import lies_in, rooted, shown, split_options, without
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import default_emit
from jitstudio.core.project.project import Project, with_buffer_files
from jitstudio.core.request import (
    Assembler,
    BuildRequest,
    CudaCompiler,
    LinkMode,
    with_name_expressions,
)
from jitstudio.project_files import (
    OpenLaunch,
    OpenMember,
    OpenProject,
    ProjectError,
    read_project,
)
from jitstudio.terminal import print_error
from jitstudio.toolchain_folders import AddedToolchains, ToolchainError, chosen, hinted
from jitstudio.trust import TrustStore

Given: TypeAlias = str | Source
"""A module of a command: the path of its file, or what Python has handed over."""


class UsageError(ValueError):
    """The command line cannot be served as it is; the message says what to change."""


def request_from(arguments: argparse.Namespace, base: BuildRequest | None = None) -> BuildRequest:
    """Reads all files that the arguments name.

    Args:
        arguments: The words of the command line.
        base: A build that takes the place of the sources, and that the other arguments change.

    Raises:
        UsageError: An argument is wrong or a file cannot be read.
    """
    if base is None:
        base = with_flags(arguments, tuple(source_from(path) for path in arguments.sources))
    for word in (*arguments.option, *arguments.name_expression):
        _check_utf8(word)
    for flag, words in (
        ("--option", arguments.option),
        ("--name-expression", arguments.name_expression),
        ("--fat", () if arguments.fat is None else (arguments.fat.strip(" ,"),)),
    ):
        if "" in words:
            raise UsageError(f"{flag} is empty. Say what it shall be, or leave it out.")
    _check_compared(arguments)
    toolchains = given_toolchains(arguments)
    if len(toolchains) > 1 and arguments.compare_targets is None:
        raise UsageError(
            "--toolchain is given twice. Several are compared by --compare-targets, by "
            "'jitstudio diff' and by an axis of 'jitstudio sweep'."
        )
    sources = assign_name_expressions(base.sources, arguments.name_expression)
    link = LinkMode.LTO if arguments.lto else LinkMode.PTX if arguments.link else base.link
    headers = {header.name: header for header in base.headers}
    headers |= {header.name: header for header in map(_header, arguments.header)}
    fat_archs, fat_ptx = _fat_targets(arguments.fat or "")
    # Paths of a project begin in its folder, those that are typed here where we are.
    given = rooted(arguments.option, os.getcwd() if base.folder else "")
    return BuildRequest(
        sources=sources,
        arch=base.arch if arguments.arch is None else parsed_arch(arguments.arch),
        emit=_emit(arguments, sources, link),
        link=link,
        options=(*without(base.options, given), *given),
        headers=tuple(headers.values()),
        compiler=CudaCompiler(arguments.compiler) if arguments.compiler else base.compiler,
        assembler=Assembler.DRIVER if arguments.driver_jit else base.assembler,
        libdevice=arguments.libdevice or base.libdevice,
        libraries=(*base.libraries, *map(source_from, arguments.library)),
        join_ir=arguments.join_ir or base.join_ir,
        fat_archs=fat_archs,
        fat_ptx=fat_ptx,
        keep_host_code=_keeps_host_code(arguments.host_code, base),
        use_cache=not arguments.no_cache,
        # A single build is over before a precompiled header could be of use.
        precompile_headers=arguments.repeat > 1 and not arguments.no_pch,
        confined_to=base.confined_to,
        unsafe_options=arguments.unsafe_options,
        folder=base.folder,
        toolchain=toolchains[0] if toolchains else base.toolchain,
        python=arguments.python or base.python,
    )


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """Returns the words of a command line that somebody else has written.

    Raises:
        UsageError: One of them is wrong.
    """
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            return parser().parse_args(words)
    except SystemExit:
        raise UsageError(said.getvalue().rpartition("error: ")[2].strip() + ".") from None


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


def source_in(folder: Path, name: str, *, trust: bool = False) -> Source:
    """Returns a module that somebody else has named, called as he does.

    Raises:
        UsageError: It leads out of the folder, its ending is unknown, or it cannot be read.
    """
    return replace(source_from(in_folder(folder, name, trust=trust)), name=os.path.normpath(name))


def others_request(
    arguments: argparse.Namespace,
    folder: Path,
    sources: tuple[Source, ...],
    options: Iterable[str],
    *,
    trust: bool = False,
    settings: Project | None = None,
) -> BuildRequest:
    """Returns a build that somebody else has described, confined to his folder unless trusted.

    Args:
        arguments: The words of the command line that say the rest.
        folder: Where his paths begin.
        sources: The modules; empty where `arguments` names a project and nothing else.
        options: For the compilers.
        trust: Whether any option is sent, and any file included.
        settings: A project of whose target, options and so on the build is, in the place of what
            his project or his sources say; None for theirs.

    Raises:
        UsageError: See `request_from`.
    """
    home = str(folder.resolve())
    options = rooted(options, home)
    opened = None if sources else _only_project(arguments.sources[0])
    if opened is not None and settings is not None:
        kept = {name: getattr(settings, name) for name in _SETTINGS}
        opened = replace(opened, project=replace(opened.project, **kept))
    base = base_request(opened, arguments)
    if base is None:
        base = BuildRequest(sources) if settings else with_flags(arguments, sources)
        base = replace(base, confined_to=None if trust else (home,), folder=home)
    for word in ("arg", "set"):
        if given := getattr(arguments, word, None):
            made = [_others_buffer(text, Path(home), trust=trust) for text in given]
            setattr(arguments, word, made)
    base = replace(base, options=(*without(base.options, options), *options))
    return request_from(arguments, base)


_SETTINGS = (
    *("arch", "options", "link", "libdevice", "join_ir", "driver_jit", "compiler", "toolchain"),
    "keep_host_code",
)
"""What of a project says how its modules are built."""


def _others_buffer(text: str, folder: Path, *, trust: bool) -> str:
    """Returns NAME=TEXT, a buffer's content from a file in somebody else's folder only."""
    name, equals, given = text.partition("=")
    spec = LaunchSpec(arguments=((name, given),))
    found = with_buffer_files(spec, lambda _, path: in_folder(folder, path, trust=trust))
    return f"{name}{equals}{found.arguments[0][1]}"


def given_toolchains(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Returns the folders of compilers that the arguments name, in order; empty for our own.

    Raises:
        UsageError: One of them is none.
    """
    if not arguments.toolchain:
        return ()
    try:
        added = AddedToolchains().named()
        return tuple(chosen(text, added) for text in arguments.toolchain)
    except ToolchainError as error:
        raise UsageError(f"--toolchain: {error}") from None


def with_flags(arguments: argparse.Namespace, sources: tuple[Source, ...]) -> BuildRequest:
    """Returns a build of modules with the flags that they are compiled with elsewhere."""
    database = arguments.compile_commands
    found: list[CompileFlags | None] = []
    try:
        for given, source in zip(arguments.sources, sources, strict=True):
            path = Path(source.name if isinstance(given, Source) else given)
            if source.kind is CodeKind.CUDA and database is not None:
                found.append(flags_of(path, Path(database)))
            found.append(flags_in(source.content, path))
    except FlagsError as error:
        raise UsageError(f"{error} Leave --compile-commands out, or name another.") from None
    taken = [flags for flags in found if flags is not None]
    for flags in taken:
        if flags.left_out:
            print_error(f"{flags.path}: not taken for NVRTC: {' '.join(flags.left_out)}")
    options: tuple[str, ...] = ()
    for flags in taken:
        options = (*without(options, flags.options), *flags.options)
    arch = next((flags.arch for flags in reversed(taken) if flags.arch), DEFAULT_ARCH)
    return BuildRequest(sources, arch=arch, options=tuple(dict.fromkeys(options)))


def _keeps_host_code(word: str | None, base: BuildRequest) -> bool:
    return base.keep_host_code if word is None else word == "keep"


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
    content = _read(path)
    # A file may be called by bytes that are no UTF-8; logs and JSON need a name that is.
    name = os.fsencode(path).decode("utf-8", "replace")
    return Source(name, kind, content, str(Path(path).resolve().parent), tuple(name_expressions))


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


def parsed_arch(text: str) -> Arch:
    """Returns a target.

    Raises:
        UsageError: The text is none.
    """
    try:
        return Arch.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _fat_targets(text: str) -> tuple[tuple[Arch, ...], tuple[Arch, ...]]:
    """The targets of which a fatbin takes the cubin, and those of which it takes the PTX."""
    words = list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    virtual = [word for word in words if word.startswith("compute_")]
    real = [word for word in words if word not in virtual]
    return tuple(map(parsed_arch, real)), tuple(map(parsed_arch, virtual))


def _emit(
    arguments: argparse.Namespace, sources: tuple[Source, ...], link: LinkMode
) -> frozenset[CodeKind]:
    packed = frozenset({CodeKind.FATBIN} if arguments.fat else ())
    if not arguments.emit:
        return packed or default_emit(sources, link)
    words = {kind.value: kind for kind in EMITTED_KINDS}
    wanted = [word.strip() for word in arguments.emit.split(",") if word.strip()]
    for word in wanted:
        if word not in words:
            raise UsageError(f"--emit does not know '{word}'. It takes: {','.join(words)}")
    return packed | {words[word] for word in wanted}


def _check_compared(arguments: argparse.Namespace) -> None:
    """Refuses what a comparison would pass over in silence."""
    wanted = {
        "--compare-links": arguments.compare_links,
        "--compare-targets": arguments.compare_targets is not None,
    }
    asked = [flag for flag, on in wanted.items() if on]
    if arguments.compare_options and not wanted["--compare-targets"]:
        raise UsageError("--compare-options needs --compare-targets, too.")
    given = {"--emit": arguments.emit, "--fat": arguments.fat, "-o": arguments.output}
    others = [flag for flag, value in given.items() if value is not None]
    if asked and (others := [*asked[1:], *others]):
        raise UsageError(
            f"{others[0]} is not for {asked[0]}, which only prints figures. "
            "Leave one of the two out."
        )


def _check_utf8(word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(word).decode("utf-8", "replace")
        raise UsageError(f"'{shown}' is not UTF-8.") from None


def _header(text: str) -> Header:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise UsageError(f"--header takes NAME=PATH, not '{text}'.")
    _check_utf8(name)
    return Header(name, _read(path))


def _read(path: str) -> bytes:
    try:
        return read_file(Path(path))
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}.") from None


def read_text(path: str) -> str:
    """Returns a file as text; bytes that are no UTF-8 show as replacement characters.

    Raises:
        UsageError: It cannot be read.
    """
    return _read(path).decode("utf-8", "replace")


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


def _only_project(path: str) -> OpenProject:
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


def has_target(arguments: argparse.Namespace) -> bool:
    """Whether the target is given, so that it need not be that of a GPU: a project has one."""
    sources = (each for each in arguments.sources if not isinstance(each, Source))
    return arguments.arch is not None or any(is_project(Path(each)) for each in sources)


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
        sources=tuple(_member_source(m) for m in taken if not m.member.is_library),
        arch=project.arch,
        link=project.link,
        options=options,
        headers=tuple(_member_header(m) for m in opened.members[len(modules) :]),
        compiler=project.compiler,
        assembler=Assembler.DRIVER if project.driver_jit else Assembler.NVJITLINK,
        libdevice=project.libdevice,
        libraries=tuple(_member_source(m) for m in taken if m.member.is_library),
        join_ir=project.join_ir,
        keep_host_code=project.keep_host_code,
        confined_to=None if trusted else (folder,),
        folder=folder,
        toolchain="" if arguments.toolchain else _hinted_toolchain(project),
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
) -> VariantDraft | None:
    """Returns the sweep that the project describes for a kernel, if it describes one.

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


def _member_source(opened: OpenMember) -> Source:
    member = opened.member
    folder = str(opened.path.parent) if opened.path else ""
    return Source(member.name, member.kind, _content(opened), folder, member.name_expressions)


def _member_header(opened: OpenMember) -> Header:
    return Header(opened.member.name, _content(opened))


def _content(opened: OpenMember) -> bytes:
    if opened.content is None:
        raise UsageError(opened.problem)
    return opened.content


def spec_from(arguments: argparse.Namespace, base: LaunchSpec | None = None) -> LaunchSpec:
    """Returns the launch that the arguments describe.

    Args:
        arguments: The words of the command line; a field of the launch that none gives is None.
        base: A launch that they change; the plain one where not given.

    Raises:
        UsageError: An argument of the kernel is not written NAME=TEXT, or is given twice.
    """
    base = LaunchSpec() if base is None else base
    words = vars(arguments)
    given = {f.name: words[f.name] for f in fields(LaunchSpec) if words.get(f.name) is not None}
    if given.get("kernel") == base_name(base.kernel):
        # The short name of the very kernel that the launch is about.
        del given["kernel"]
    if "grid" in given or "cover" in given:
        # One of the two says it; the other would contradict.
        given = {"grid": "", "cover": ""} | given
    if "expectations" in given:
        given["expectations"] = tuple(given["expectations"])
    texts = dict(base.arguments) | argument_texts(arguments)
    return replace(base, **given, arguments=tuple(texts.items()))


def most_seconds(arguments: argparse.Namespace, base: LaunchSpec | None) -> float:
    """Returns how many seconds a launch may take at most, whatever a project says.

    Without a word of the user's a project sets no longer limit than there is without it.

    Args:
        arguments: The words of the command line.
        base: The launch of a project; None for none.
    """
    is_free = base is None or getattr(arguments, "timeout", None) is not None
    return math.inf if is_free else LaunchSpec().timeout


def within_limit(spec: LaunchSpec, most: float) -> tuple[LaunchSpec, tuple[SpecProblem, ...]]:
    """Returns a launch with so many seconds at most, and what is to be said of that."""
    # What is no number is for `resolve` to refuse.
    if not spec.timeout > most:
        return spec, ()
    told = SpecProblem(
        "timeout",
        f"The launch asks for {spec.timeout:,g} s and has {most:,g} s: a project or budget sets no "
        "longer time limit than its caller.",
        f"Write --timeout {spec.timeout:g} to give it as long.",
        Severity.INFO,
    )
    return replace(spec, timeout=most), (told,)


def arch_for(chosen: Arch, is_given: bool, found: DeviceList, ordinal: int) -> Arch:
    """Returns the target that was given, else that of the GPU, else the default."""
    if is_given:
        return chosen
    numbers = {device.ordinal: device.number for device in found.devices}
    return Arch(numbers[ordinal]) if ordinal in numbers else DEFAULT_ARCH


def argument_texts(arguments: argparse.Namespace) -> dict[str, str]:
    """Returns the arguments of the kernel and the module variables, by name.

    Raises:
        UsageError: One is not written NAME=TEXT, or is given twice.
    """
    given: dict[str, str] = {}
    pairs = [("--arg", text) for text in arguments.arg]
    for word, text in (*pairs, *(("--set", text) for text in arguments.set)):
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals):
            # A variable alone is one to be read back: `hits:out`.
            name, _, value = (part.strip() for part in text.rpartition(":"))
            if word == "--arg" or not name or value not in ("in", "out", "inout"):
                raise UsageError(f"{word} takes NAME=TEXT, not '{text}'.")
        if name in given:
            raise UsageError(f"{word} gives '{name}' twice.")
        given[name] = value
    return given


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
