"""A build, launch or sweep as the command that does the same, quoted for a POSIX shell.

The way back from what `jitstudio build`, `run` and `sweep` take. Paths in a command are absolute,
as it may be typed in any folder.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace

from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.core.launch.arguments import first_launch
from jitstudio.core.launch.device import SIMULATED_DEVICE, SIMULATOR
from jitstudio.core.launch.request import Direction, KernelForm
from jitstudio.core.launch.spec import LaunchSpec, LoadMode
from jitstudio.core.options import rooted
from jitstudio.core.project.project import with_axis_files, with_buffer_files
from jitstudio.core.request import Assembler, BuildRequest, CudaCompiler, LinkMode

_LINKS = {LinkMode.NONE: (), LinkMode.PTX: ("--link",), LinkMode.LTO: ("--lto",)}
_DRIVER_JIT = "--driver-jit"
_VALUES = {
    "kernel": "--kernel",
    "grid": "--grid",
    "cover": "--cover",
    "block": "--block",
    "cluster": "--cluster",
    "shared": "--shared",
    "relative": "--rtol",
    "absolute": "--atol",
    "integer_tolerance": "--itol",
    "repeats": "--repeat",
    "warmup": "--warmup",
    "blocks": "--blocks",
    "seed": "--seed",
    "seeds": "--seeds",
    "timeout": "--timeout",
}
"""The flags for fields of `LaunchSpec` that take a value."""
_DIRECTIONS = frozenset(direction.value for direction in Direction)
_SWITCHES = {
    "cooperative": "--cooperative",
    "poison": "--no-poison",
    "guards": "--no-guards",
    "flush_l2": "--flush-l2",
    "both": "--both",
}
"""Those that give a field the value that it does not have by default."""


def build_command(request: BuildRequest, paths: Mapping[str, str]) -> str:
    """Returns the command that builds this.

    Args:
        request: What is built; what is asked for of it is left to the command.
        paths: The files of all modules, headers and libraries, by their names in the request.
    """
    by_driver = (_DRIVER_JIT,) if request.assembler is Assembler.DRIVER else ()
    return shlex.join(("jitstudio", "build", *_built(request, paths), *by_driver))


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
    where = SIMULATED_DEVICE.uuid if device == SIMULATOR else device
    on = (f"--device={where}",) if device else ()
    launched = _launched(request, spec, form, has_base=True)
    return shlex.join(("jitstudio", "run", *_built(request, paths), *launched, *on))


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
    flags = (f"--axis={_axis_name(axis)}={axis.values}" for axis in axes)
    return shlex.join(
        ("jitstudio", "sweep", *_built(request, paths), *_launched(request, spec, form), *flags)
    )


def _built(request: BuildRequest, paths: Mapping[str, str]) -> Iterator[str]:
    """Yields the words that all three commands take."""
    yield from (paths[source.name] for source in request.sources)
    yield from ("--arch", str(request.arch))
    yield from _LINKS[request.link]
    options = rooted(request.options, request.folder) if request.folder else request.options
    yield from (f"--option={option}" for option in options)
    if request.compiler is not CudaCompiler.NVRTC:
        yield f"--compiler={request.compiler.value}"
    expressions = dict.fromkeys(e for source in request.sources for e in source.name_expressions)
    yield from (f"--name-expression={expression}" for expression in expressions)
    yield from (f"--header={header.name}={paths[header.name]}" for header in request.headers)
    yield from (f"--library={paths[library.name]}" for library in request.libraries)
    if request.python:
        yield f"--python={request.python}"
    switches = {
        "--host-code=keep": request.keep_host_code,
        "--libdevice": request.libdevice,
        "--join-ir": request.join_ir,
        "--no-cache": not request.use_cache,
        "--unsafe-options": request.unsafe_options,
    }
    yield from (switch for switch, is_on in switches.items() if is_on)


def _launched(
    request: BuildRequest, spec: LaunchSpec, form: KernelForm | None, *, has_base: bool = False
) -> Iterator[str]:
    """Yields the further words of `run` and `sweep`, without those that repeat a default.

    Args:
        request: The build.
        spec: The launch.
        form: The kernel, if it is known.
        has_base: Whether the command begins with the launch of the host code.
    """
    default = base = LaunchSpec()
    if has_base and form is not None and form.host_launch is not None:
        base = first_launch(form)
    for name, flag in _VALUES.items():
        value = getattr(spec, name)
        if value != getattr(default, name) or (name in _OF_HOST and value != getattr(base, name)):
            yield f"{flag}={value}"
    for name, flag in _SWITCHES.items():
        if getattr(spec, name) is not getattr(default, name):
            yield flag
    if base.cooperative and not spec.cooperative:
        yield "--no-cooperative"
    if LoadMode.DRIVER_JIT is spec.load or request.assembler is Assembler.DRIVER:
        yield _DRIVER_JIT
    if spec.sanitizer is not None:
        yield f"--sanitize={spec.sanitizer.value}"
    of_host = dict(base.arguments)
    for name, text in with_buffer_files(spec, _absolute).arguments:
        if text.strip() or of_host.get(name):
            yield _argument(name, text.strip(), form)
    yield from (f"--expect={expression}" for expression in spec.expectations)


_OF_HOST = ("block", "shared", "cluster")
"""What a launch of the host code says that a command without the flag would take from there."""


def _argument(name: str, text: str, form: KernelForm | None) -> str:
    """Returns an argument, or a module variable, as it is written on the command line."""
    variables = [row.name for row in form.variables] if form is not None else []
    # `config.n` and `config[2]` are parts of the variable `config`.
    starts = [start for v in variables for start in (f"{v}.", f"{v}[")]
    if name not in variables and not name.startswith(tuple(starts)):
        return f"--arg={name}={text}"
    return f"--set={name}:{text}" if text in _DIRECTIONS else f"--set={name}={text}"


def _absolute(_name: str, path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def _axis_name(axis: AxisText) -> str:
    if axis.kind is AxisKind.MACRO:
        return f"-D{axis.name.strip()}"
    return axis.name.strip() if axis.is_named else axis.kind.value
