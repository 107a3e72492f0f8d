"""A build, launch or sweep as the command that does the same, quoted for a POSIX shell.

The way back from what `jitstudio build`, `run` and `sweep` take. Paths in a command are absolute,
as it may be typed in any folder.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from jitstudio.command_options.build import BuildOptions, ModuleOptions
from jitstudio.command_options.launch import RunOptions, SweepOptions
from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.core.code import Source
from jitstudio.core.launch.arguments import first_launch
from jitstudio.core.launch.device import SIMULATED_DEVICE, SIMULATOR
from jitstudio.core.launch.request import Direction, KernelForm
from jitstudio.core.launch.spec import LaunchSpec, LoadMode
from jitstudio.core.options import join_options, rooted
from jitstudio.core.project.project import with_axis_files, with_buffer_files
from jitstudio.core.request import Assembler, BuildRequest, CudaCompiler, LinkMode
from jitstudio.export.compile_commands import flags_in

_DIRECTIONS = frozenset(direction.value for direction in Direction)


def build_command(request: BuildRequest, paths: Mapping[str, str]) -> str:
    """Returns the command that builds this.

    Args:
        request: What is built; what is asked for of it is left to the command.
        paths: The files of all modules, headers and libraries, by their names in the request.
    """
    values = _built(request, paths)
    if request.assembler is Assembler.DRIVER:
        values["driver_jit"] = True
    return _command("build", BuildOptions, request, paths, values)


def run_command(
    request: BuildRequest,
    spec: LaunchSpec,
    paths: Mapping[str, str],
    device: int = 0,
    form: KernelForm | None = None,
) -> str:
    """Returns the command that builds a request and launches a kernel.

    What the command would take from the host code, and the launch has otherwise, is in it.

    The driver's compiler has no flag of its own for the cubin here: it is given the PTX to load.

    Args:
        request: See `build_command`.
        spec: The launch; an argument without a text is left out.
        paths: See `build_command`.
        device: The ordinal of the GPU, or `SIMULATOR`.
        form: The kernel; None where nobody knows which names are module variables.
    """
    values = _built(request, paths) | _launched(request, spec, form, has_base=True)
    if device:
        values["device"] = SIMULATED_DEVICE.uuid if device == SIMULATOR else device
    return _command("run", RunOptions, request, paths, values)


def sweep_command(
    request: BuildRequest,
    spec: LaunchSpec,
    draft: VariantDraft,
    paths: Mapping[str, str],
    form: KernelForm | None = None,
) -> str:
    """Returns the command that builds and launches a kernel in all variants that the axes span.

    Args:
        request: See `build_command`.
        spec: The launch that the axes vary.
        draft: The axes, and the kernel with its placeholders.
        paths: See `build_command`.
        form: See `run_command`.
    """
    axes = with_axis_files(draft, _absolute).axes
    # A sweep compares its variants, and no devices.
    spec = replace(spec, kernel=draft.kernel, both=False)
    values = _built(request, paths) | _launched(request, spec, form)
    values["axes"] = [f"{_axis_name(axis)}={axis.values}" for axis in axes]
    return _command("sweep", SweepOptions, request, paths, values)


def _command(
    name: str,
    options: type[ModuleOptions],
    request: BuildRequest,
    paths: Mapping[str, str],
    values: Mapping[str, Any],
) -> str:
    modules = (paths[source.name] for source in request.sources)
    return shlex.join(("jitstudio", name, *modules, *options.command_words(values)))


def _built(request: BuildRequest, paths: Mapping[str, str]) -> dict[str, Any]:
    """Returns the options that all three commands take, but for those that repeat a default."""
    expressions = dict.fromkeys(e for source in request.sources for e in source.name_expressions)
    if request.folder:
        request = request.with_options(lambda options: rooted(options, request.folder))
    own = (source for source in request.sources if _differs(source, paths[source.name]))
    values = {
        "link": None if request.link is LinkMode.NONE else request.link,
        "options": request.options,
        "options_for": [(paths[s.name], join_options(request.options_of(s))) for s in own],
        "compiler": None if request.compiler is CudaCompiler.NVRTC else request.compiler,
        "name_expressions": list(expressions),
        "headers": [(header.name, paths[header.name]) for header in request.headers],
        "libraries": [paths[library.name] for library in request.libraries],
        "python": request.python,
        "host_code": "keep" if request.keep_host_code else None,
        "libdevice": request.libdevice,
        "join_ir": request.join_ir,
        "no_cache": not request.use_cache,
        "unsafe_options": request.unsafe_options,
    }
    return {"arch": request.arch} | {name: value for name, value in values.items() if value}


def _differs(source: Source, path: str) -> bool:
    """Returns whether a command would not build a module with the options of the build."""
    # A comment with flags in the text counts for commands, and not for builds of a window.
    return source.options is not None or flags_in(source.content, Path(path)) is not None


def _launched(
    request: BuildRequest, spec: LaunchSpec, form: KernelForm | None, *, has_base: bool = False
) -> dict[str, Any]:
    """Returns the further options of `run` and `sweep`, without those that repeat a default.

    Args:
        request: The build.
        spec: The launch.
        form: The kernel, if it is known.
        has_base: Whether the command begins with the launch of the host code.
    """
    default = base = LaunchSpec()
    if has_base and form is not None and form.host_launch is not None:
        base = first_launch(form)
    values: dict[str, Any] = {
        field.name: value
        for field in fields(LaunchSpec)
        if (value := getattr(spec, field.name)) != getattr(default, field.name)
        or (field.name in _OF_HOST and value != getattr(base, field.name))
    }
    if request.assembler is Assembler.DRIVER:
        values["load"] = LoadMode.DRIVER_JIT
    of_host = dict(base.arguments)
    texts = [
        (name, text.strip())
        for name, text in with_buffer_files(spec, _absolute).arguments
        if text.strip() or of_host.get(name)
    ]
    values["arguments"] = [pair for pair in texts if not _is_variable(pair[0], form)]
    values["set"] = [
        f"{name}:{text}" if text in _DIRECTIONS else (name, text)
        for name, text in texts
        if _is_variable(name, form)
    ]
    return values | {"expect": spec.expectations}


_OF_HOST = ("block", "shared", "cluster", "cooperative")
"""What a launch of the host code says that a command without the flag would take from there."""


def _is_variable(name: str, form: KernelForm | None) -> bool:
    """Returns whether a text is about a module variable, or a part of a module variable."""
    variables = [row.name for row in form.variables] if form is not None else []
    # `config.n` and `config[2]` are parts of the variable `config`.
    starts = [start for v in variables for start in (f"{v}.", f"{v}[")]
    return name in variables or name.startswith(tuple(starts))


def _absolute(_name: str, path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def _axis_name(axis: AxisText) -> str:
    if axis.kind is AxisKind.MACRO:
        return f"-D{axis.name.strip()}"
    return axis.name.strip() if axis.is_named else axis.kind.value
