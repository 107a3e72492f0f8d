"""A project, as a value: sources, settings, launches, and the files that the project names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.axes import AxisKind, AxisText, VariantDraft, parse_values
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.arguments import (
    has_no_length,
    parse_buffer,
    parse_fill,
    parse_variable,
)
from jitstudio.core.launch.device import Dim3
from jitstudio.core.launch.problems import TextError
from jitstudio.core.launch.request import Fill, FillKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.texel_text import split_texels
from jitstudio.core.request import CudaCompiler, LinkMode


@dataclass(frozen=True)
class Member:
    """A module or header, with the text in the project or in a file next to the project.

    Attributes:
        name: Unique in the project; what the build and its logs call it.
        kind: The kind of the content.
        text: All of it, with the ends of its lines; None where a file holds it.
        path: Its file, from the project's folder on with ``/`` between; empty where `text` is it.
        name_expressions: The expressions whose lowered names are asked for.
        included: Whether it takes part in the link of its program.
        is_library: Whether other LLVM IR takes from it what it calls, and it is no module of its
            own.
        program: The program whose link it belongs to; empty for the project's own.
        options: Options of its own, as typed; None for those of the project.
    """

    name: str
    kind: CodeKind
    text: str | None = None
    path: str = ""
    name_expressions: tuple[str, ...] = ()
    included: bool = True
    is_library: bool = False
    program: str = ""
    options: str | None = None

    @property
    def is_linked(self) -> bool:
        """Whether the module takes part in the link of the project's own program."""
        return self.included and not self.program


@dataclass(frozen=True)
class BreakLine:
    """A line that has a breakpoint.

    Attributes:
        name: Of the document, as builds call it, or of the module whose PTX it is.
        line: From 1.
        is_ptx: Whether it is a line of PTX.
    """

    name: str
    line: int
    is_ptx: bool = False


@dataclass(frozen=True)
class StepRecording:
    """A step of a simulated run, which runs are the same up to.

    Attributes:
        kernel: The kernel that is launched, by the name of its launch.
        step: How many steps are executed before it.
        block: Index of the block of the thread that is looked at.
        thread: Index of the thread in it.
        breakpoints: The lines with their conditions, which are empty for none.
    """

    kernel: str
    step: int = 0
    block: Dim3 = (0, 0, 0)
    thread: Dim3 = (0, 0, 0)
    breakpoints: tuple[tuple[BreakLine, str], ...] = ()


@dataclass(frozen=True)
class RunRecording:
    """A recorded stretch of a simulated run, to be shown without running.

    Attributes:
        kernel: The kernel that was launched, by the name of its launch.
        data: The recording, as `jitstudio.simulator.stepping.recording` packs it.
    """

    kernel: str
    data: bytes


@dataclass(frozen=True)
class Project:
    """A project. Matters of taste (cache, automatic build, theme) are left out.

    Attributes:
        modules: In link order.
        headers: The headers that modules can include by name.
        arch: The target.
        options: As typed.
        link: Whether and how the modules of the project's own program are linked.
        libdevice: Whether libNVVM may take functions from libdevice.
        join_ir: Whether all LLVM IR goes into one libNVVM program.
        compiler: The compiler of CUDA C++.
        driver_jit: Whether the driver assembles PTX, in the place of nvJitLink.
        toolchain: The name of other versions of the compilers, such as ``13.0``, which the user has
            added; empty for jitstudio's own.
        keep_host_code: Whether NVRTC gets host code, too, which it refuses.
        launches: One for each kernel at most.
        kernel: The kernel whose launch was worked on last.
        sweeps: One for each kernel at most.
        steps: One for each kernel at most.
        recordings: One for each kernel at most.
        layout: The named arrangement of panes that suits the work; empty for none.
        current: The name of the module or header that is looked at; empty for none.
        links: How other programs among the modules are linked, by their names; those that are not
            linked are left out.
        unknown: What a file held beyond this, kept so that it is written back: the keys by the
            list and the name that they belong to, such as ``("modules", "saxpy.cu")``; those of
            the project itself by two empty texts.
    """

    modules: tuple[Member, ...] = ()
    headers: tuple[Member, ...] = ()
    arch: Arch = DEFAULT_ARCH
    options: str = ""
    link: LinkMode = LinkMode.NONE
    libdevice: bool = False
    join_ir: bool = False
    driver_jit: bool = False
    compiler: CudaCompiler = CudaCompiler.NVRTC
    keep_host_code: bool = False
    toolchain: str = ""
    launches: tuple[LaunchSpec, ...] = ()
    kernel: str = ""
    sweeps: tuple[VariantDraft, ...] = ()
    steps: tuple[StepRecording, ...] = ()
    recordings: tuple[RunRecording, ...] = ()
    layout: str = ""
    current: str = ""
    links: Mapping[str, LinkMode] = field(default_factory=dict)
    unknown: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    @property
    def members(self) -> Iterator[Member]:
        """The modules, then the headers."""
        yield from self.modules
        yield from self.headers


# ---- Which paths a project may name: those of files in its own folder, written alike everywhere

Change = Callable[[str, str], str | None]
"""Gives another path for an argument's name and a path; None where that is to be left out."""

_FORBIDDEN = (
    (re.compile(r"[/\\]"), "it begins at the root"),
    (re.compile(r"[A-Za-z]:"), "it names a drive"),
    (re.compile(r"~"), "it begins in somebody's home folder"),
    (re.compile(r"(?:.*/)?\.\.(?:/|$)", re.DOTALL), "it leaves the project's folder by '..'"),
    (re.compile(r".*\\", re.DOTALL), "it has a backslash; a project writes '/'"),
    (re.compile(r".*[\0-\x1f]", re.DOTALL), "it has a control character"),
)
_FILE = re.compile(r"(?:.*?:)?\s*file\s*\(", re.DOTALL)


def outside_reason(path: str) -> str:
    """Returns why this path may lead out of a project's folder; empty where the text does not."""
    return next((reason for pattern, reason in _FORBIDDEN if pattern.match(path)), "")


def project_path(path: PurePosixPath) -> str | None:
    """Returns the path of a file from the project's folder on; None for a name that is no text."""
    text = path.as_posix()
    try:
        text.encode()
    except UnicodeEncodeError:
        return None  # a name in bytes that are no UTF-8
    return None if outside_reason(text) or path.is_absolute() else text


def with_buffer_files(spec: LaunchSpec, change: Change) -> LaunchSpec:
    """Returns the launch with other paths of the files that fill buffers."""
    changed = ((name, _changed(name, text, change)) for name, text in spec.arguments)
    arguments = tuple((name, text) for name, text in changed if text is not None)
    return replace(spec, arguments=arguments)


def with_axis_files(draft: VariantDraft, change: Change) -> VariantDraft:
    """Returns the sweep with other paths of the files that the axes fill buffers from.

    An axis is left out as a whole where one of its values is.
    """
    changed = (_changed_axis(axis, change) for axis in draft.axes)
    return replace(draft, axes=tuple(axis for axis in changed if axis is not None))


def _changed_axis(axis: AxisText, change: Change) -> AxisText | None:
    if axis.kind is not AxisKind.ARGUMENT:
        return axis
    values = parse_values(axis.kind, axis.values)
    texts = [_changed(axis.name.strip(), value, change) for value in values]
    named = [text for text in texts if text is not None]
    if len(named) < len(texts):
        return None
    return axis if named == list(values) else replace(axis, values=_joined(named))


def _joined(values: Sequence[str]) -> str:
    """Returns the text that `parse_values` reads as these; with commas, all end in semicolons."""
    if any("," in value for value in values):
        return "".join(f"{value}; " for value in values).rstrip()
    return ", ".join(values)


def _changed(name: str, text: str, change: Change) -> str | None:
    path = _file_of(text)
    changed = change(name, path) if path else ""
    return None if changed is None else _with_file(text, path, changed)


def _file_of(text: str) -> str:
    """Returns the path in the text of a buffer, texture, surface or variable that a file fills.

    Empty for any other. Where a text can be read as both, as with a direction, they name one file.
    """
    fill = _fill_of(text)
    return fill.text if fill and fill.kind is FillKind.FILE else ""


def _fill_of(text: str) -> Fill | None:
    if has_no_length(text):
        with suppress(TextError):
            return parse_variable(text).fill
    with suppress(TextError):
        buffer = parse_buffer(text)
        return buffer.fill if buffer else None
    with suppress(TextError):
        return parse_fill(split_texels(text)[1])
    return None


def _with_file(text: str, old: str, new: str) -> str:
    match = _FILE.match(text) if old else None
    if match is None:
        return text
    start = text.index(old, match.end())
    return f"{text[:start]}{new}{text[start + len(old) :]}"
