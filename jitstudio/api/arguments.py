"""The arguments that the functions of `jitstudio` take by name, and that `commands` checks.

A type checker reads the classes; `help` and notebooks show the signatures that `spelled_out` makes
of them, with the defaults of the commands.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, ParamSpec, TypedDict, TypeVar

from jitstudio.command_options.fields import CommandOptions
from jitstudio.commands.sessions import WorkerSession
from jitstudio.core.alike import did_you_mean

_Parameters = ParamSpec("_Parameters")
_Report = TypeVar("_Report")


class CommonArguments(TypedDict, total=False):
    """The arguments of all functions.

    Attributes:
        arch: The target, such as ``sm_90``; without it, that of PTX that was handed over, that of
            the GPU that runs the kernel, or the usual one.
        options: Options for the compilers: ``"-lineinfo --use_fast_math"`` as in a shell, or a list
            with an option in each text.
        options_for: Options of single modules in place of the others, by their names, such as
            ``{"reference.cu": "--fmad=false"}``; a link takes ``options``.
        headers: Headers by the names under which they are included: a text or bytes are the header
            itself, a `Path` is its file.
        name_expressions: Instances of templates to compile, such as ``"scale<float>"``.
        link: ``"ptx"`` or ``"lto"`` to link all modules.
        toolchain: The compilers: a version that was added in the settings, such as ``"13.0"``, a
            virtual environment, a folder of packages or a toolkit.
        host_code: ``"keep"`` to let NVRTC see host code, too, which is set aside otherwise.
        compiler: ``"nvrtc"``, or ``"nvcc"`` of a CUDA toolkit.
        compile_commands: A ``compile_commands.json``, or its folder, with target and options.
        libdevice: Whether libNVVM takes functions from libdevice.
        libraries: LLVM IR of which libNVVM takes only the functions that are called.
        join_ir: Whether all LLVM IR goes to libNVVM as one program.
        python: The interpreter that runs ``.py`` files.
        no_cache: Whether all is compiled anew.
        trust: Whether a project may send any option and include files outside its folder.
        unsafe_options: Whether options may load native code into a compiler.
        name: What to call code that has no name of its own.
        session: A `jitstudio.Session` to use; without it, that of the ``with`` block, or of the
            program.
    """

    arch: str | None
    options: str | Iterable[str]
    options_for: Mapping[str, str | Iterable[str]]
    headers: Mapping[str, str | bytes | PathLike[str]]
    name_expressions: str | Iterable[str]
    link: str | None
    toolchain: str | PathLike[str] | Iterable[str | PathLike[str]]
    host_code: str | None
    compiler: str | None
    compile_commands: str | PathLike[str] | None
    libdevice: bool
    libraries: str | PathLike[str] | Iterable[str | PathLike[str]]
    join_ir: bool
    python: str | PathLike[str] | None
    no_cache: bool
    trust: bool
    unsafe_options: bool
    name: str
    session: WorkerSession | None


class InspectArguments(CommonArguments, total=False):
    """The arguments of `jitstudio.inspect`.

    Attributes:
        kernel: Only this kernel or function, by its lowered or its demangled name.
        block: Threads per block to calculate the occupancy with; None for a usual number.
        shared: Bytes of dynamic shared memory per block to calculate the occupancy with.
        timeout: Seconds that the build may take, and each reading.
    """

    kernel: str | None
    block: int | None
    shared: int
    timeout: float


class BuildArguments(CommonArguments, total=False):
    """The arguments of `jitstudio.build`.

    Attributes:
        emit: What to make, one or several: ``"ptx"``, ``"sass"``, ``"cubin"``, ``"ltoir"``,
            ``"optixir"``, ``"fatbin"``.
        fat: The targets that a fatbin holds: the cubin for ``sm_90``, the PTX for ``compute_90``.
        driver_jit: Whether the driver assembles PTX, in the place of nvJitLink.
        timeout: Seconds that the build may take.
    """

    emit: str | Iterable[str] | None
    fat: str | Iterable[str] | None
    driver_jit: bool
    timeout: float


class PassesArguments(CommonArguments, total=False):
    """The arguments of `jitstudio.passes`.

    Attributes:
        kernel: Only what changes this kernel or function.
        every_pass: Whether to stop after each pass, also between two that leave the same PTX.
        timeout: Seconds that the build may take, and each film.
    """

    kernel: str | None
    every_pass: bool
    timeout: float


class DiffArguments(CommonArguments, total=False):
    """The arguments of `jitstudio.diff`.

    Attributes:
        what: ``"sass"``, ``"ptx"`` or ``"source"``.
        kernel: Compare this kernel only.
        normalised: Whether names of registers and labels, addresses and control bits are no
            difference.
        timeout: Seconds that each build may take, and each reading.
    """

    what: str
    kernel: str | None
    normalised: bool
    timeout: float


class RunArguments(CommonArguments, total=False):
    """The arguments of `jitstudio.run`.

    Attributes:
        grid: Blocks, such as ``128`` or ``(16, 16)``.
        cover: In place of the grid: so many threads at least, such as ``"n"``.
        block: Threads per block.
        cluster: Blocks per cluster.
        shared: Bytes of dynamic shared memory per block.
        cooperative: Whether all blocks are resident at the same time.
        load: ``"driver-jit"`` to load the PTX by the driver's compiler.
        relative: Relative tolerance of floats, as `numpy.isclose` takes it.
        absolute: Absolute tolerance of floats.
        integer_tolerance: How far integers may be apart.
        poison: Whether to look for elements that are never written.
        guards: Whether to look for writes out of bounds.
        warmup: Launches before those that are timed.
        repeats: Launches that are timed.
        flush_l2: Whether the L2 cache is overwritten before each timed launch.
        sanitizer: ``"memcheck"``, ``"racecheck"``, ``"initcheck"`` or ``"synccheck"``, to run under
            compute-sanitizer.
        timeout: Seconds after which a launch is ended.
        device: The GPU, as `jitstudio devices` counts them; ``"sim"`` for the simulator.
        blocks: Blocks that the simulator runs, from the first.
        seed: Of the order of blocks and warps in the simulator; 0 for the natural one.
        seeds: How many orders it runs and compares, from that one on.
        both: Whether a GPU and the simulator run the kernel, and their buffers are compared.
        compare_options: Further options of a second build, whose buffers are compared.
    """

    grid: object
    cover: object
    block: object
    cluster: object
    shared: object
    cooperative: bool | None
    load: str | None
    relative: float | None
    absolute: float | None
    integer_tolerance: int | None
    poison: bool | None
    guards: bool | None
    warmup: int | None
    repeats: int | None
    flush_l2: bool | None
    sanitizer: str | None
    timeout: float | None
    device: int | str
    blocks: int | None
    seed: int | None
    seeds: int | None
    both: bool | None
    compare_options: str | Iterable[str]


_DEFAULTS = {"name": "", "session": None}
"""The defaults of arguments that no command has."""


def spelled_out(
    options: type[CommandOptions], arguments: Any
) -> Callable[[Callable[_Parameters, _Report]], Callable[_Parameters, _Report]]:
    """Returns a decorator of a function with ``**arguments``, whose signature then names each.

    Args:
        options: The options of the command, which have the defaults.
        arguments: The class of the arguments; its documentation becomes that of the function.
    """
    defaults = _DEFAULTS | {field.name: field.default for field, _ in options.words()}

    def decorate(function: Callable[_Parameters, _Report]) -> Callable[_Parameters, _Report]:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        named = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults[name],
                annotation=getattr(annotation, "__forward_arg__", annotation),
            )
            for name, annotation in inspect.get_annotations(arguments).items()
        ]
        signature = signature.replace(parameters=[*own, *named])

        @functools.wraps(function)
        def checked(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Report:
            for name in kwargs.keys() - signature.parameters.keys():
                meant = did_you_mean(name, signature.parameters)
                raise TypeError(f"{function.__name__}() takes no argument '{name}'.{meant}")
            return function(*args, **kwargs)

        checked.__doc__ = _described(function, (arguments, CommonArguments))
        checked.__signature__ = signature  # type: ignore[attr-defined]
        return checked

    return decorate


def _described(function: Callable[..., object], classes: Iterable[Any]) -> str:
    """Returns the documentation of a function, with that of the arguments it takes by name."""
    texts = (inspect.cleandoc(kind.__doc__).partition("Attributes:\n")[2] for kind in classes)
    described = "\n".join(texts)
    whole = inspect.cleandoc(function.__doc__ or "")
    return re.sub(r"^    \*\*\w+: .*", lambda _: described, whole, flags=re.MULTILINE)
