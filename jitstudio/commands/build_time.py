"""Where the time of a build goes: in phases, headers, templates and kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from jitstudio.analysis.time_trace import (
    LARGEST_TRACE,
    TimedPart,
    TimeTrace,
    TraceError,
    ptxas_times,
    read_trace,
)
from jitstudio.command_options.build import BuildOptions
from jitstudio.commands.build import BuildAnswer, complete
from jitstudio.core.bounds.folders import temporary_folder
from jitstudio.core.code import CodeKind
from jitstudio.core.options.time_trace import TIME_TRACE, TRACE_ENDING
from jitstudio.core.plan import NOT_TRUSTED, TRUST_IT
from jitstudio.core.request import BuildRequest, CudaCompiler
from jitstudio.core.result import BuildResult
from jitstudio.core.toolchain_folders import toolchain_in
from jitstudio.core.tools import Tool


@dataclass(frozen=True)
class Traces:
    """The traces of a build to come.

    Attributes:
        files: The file of each CUDA C++ module, by its name.
        problem: Why NVRTC is asked for none, a sentence; empty if asked.
    """

    files: Mapping[str, Path]
    problem: str = ""


@dataclass(frozen=True)
class ModuleTime:
    """The time that a module has cost, or the link.

    Attributes:
        name: The module, or `core.code.LINKED`.
        ms: The time inside the tools.
        trace: The work of NVRTC; None where no trace was written.
        kernels: The time of ptxas for each kernel.
        problem: Why there is no trace though NVRTC was run, a sentence; empty otherwise.
    """

    name: str
    ms: float
    trace: TimeTrace | None = None
    kernels: tuple[TimedPart, ...] = ()
    problem: str = ""


def timed(
    request: BuildRequest, options: BuildOptions
) -> tuple[BuildAnswer, tuple[ModuleTime, ...]]:
    """Returns a build without the cache, and the time of each module.

    Raises:
        WorkerError: The worker itself failed.
    """
    with temporary_folder("jitstudio-") as folder:
        version = toolchain_in(request.toolchain).version if request.toolchain else ""
        asked, traces = traced(request, folder, version)
        answer = complete(asked, options.timeout, options.repeat)
        return answer, module_times(answer.result, traces)


def traced(request: BuildRequest, folder: Path, version: str) -> tuple[BuildRequest, Traces]:
    """Returns a build that writes a trace of each CUDA C++ module, as far as NVRTC may and can.

    Args:
        request: The build.
        folder: The place of the traces.
        version: The version of NVRTC; empty for jitstudio's own.
    """
    problem = _why_no_trace(request, version)
    files: dict[str, Path] = {}
    sources = []
    for number, source in enumerate(request.sources):
        if source.kind is CodeKind.CUDA and request.compiler is not CudaCompiler.NVCC:
            place = folder / f"trace{number}"
            files[source.name] = place.with_name(place.name + TRACE_ENDING)
            if not problem:
                words = (*request.options_of(source), TIME_TRACE.written(str(place)))
                source = replace(source, options=words)
        sources.append(source)
    asked = replace(request, sources=tuple(sources), use_cache=False, precompile_headers=False)
    return asked, Traces(files, problem)


def _why_no_trace(request: BuildRequest, version: str) -> str:
    if request.confined_to is not None:
        return f"{NOT_TRUSTED} NVRTC may write no file, and a trace is one. For it {TRUST_IT}"
    if TIME_TRACE.too_new_for(Tool.NVRTC, version):
        since = TIME_TRACE.since[Tool.NVRTC]
        return f"NVRTC {version} writes no trace of its time; NVRTC {since} and later do."
    return ""


def module_times(result: BuildResult, traces: Traces) -> tuple[ModuleTime, ...]:
    """Returns the time of each module of a build, in the order of the build."""
    return tuple(_module_times(result, traces))


def _module_times(result: BuildResult, traces: Traces) -> Iterator[ModuleTime]:
    demangled = {kernel.name: kernel.demangled for kernel in result.kernels}
    for name in dict.fromkeys(stage.source for stage in result.stages):
        stages = [stage for stage in result.stages if stage.source == name]
        logged = ptxas_times("\n".join(stage.log for stage in stages))
        kernels = tuple(replace(k, name=demangled.get(k.name, k.name)) for k in logged)
        module = ModuleTime(name, sum(stage.ms for stage in stages), kernels=kernels)
        path = traces.files.get(name)
        if path is None or traces.problem:
            yield replace(module, problem=traces.problem if path else "")
            continue
        try:
            yield replace(module, trace=_read(path))
        except TraceError as error:
            yield replace(module, problem=str(error))


def _read(path: Path) -> TimeTrace:
    """Returns a trace.

    Raises:
        TraceError: There is none, or it cannot be read.
    """
    try:
        with path.open("rb") as file:
            # A byte more tells that it is too large.
            content = file.read(LARGEST_TRACE + 1)
            size = path.stat().st_size
    except OSError:
        content = b""
    if not content:
        raise TraceError(
            "NVRTC has written no trace: it writes one only where the compile succeeds."
        )
    return read_trace(content, size)
