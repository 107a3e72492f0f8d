"""The options of a step: those of the step's place in the plan, then the user's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.options import (
    GivenOption,
    find,
    nvcc_spelling,
    options_for,
    read,
    rooted,
    takers,
)
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.tools import CUDA_COMPILERS, Tool

_K = CodeKind
_FRONT_ENDS = {_K.CUDA: Tool.NVRTC, _K.LLVM_IR: Tool.NVVM}
# What makes a tool give this kind rather than its usual one.
_FOR_KIND: dict[tuple[Tool, CodeKind], tuple[str, ...]] = {
    (Tool.NVRTC, _K.LTOIR): ("-dlto",),
    (Tool.NVRTC, _K.OPTIXIR): ("-optix-ir",),
    (Tool.NVCC, _K.PTX): ("-ptx",),
    (Tool.NVCC, _K.CUBIN): ("-cubin",),
    (Tool.NVVM, _K.LTOIR): ("-gen-lto",),
    (Tool.NVDISASM, _K.SASS): ("-c",),
}
_SPELLED_AS = {
    Tool.DRIVER: Tool.NVJITLINK,
    Tool.CUOBJDUMP: Tool.NVJITLINK,
    Tool.NVCC: Tool.NVRTC,
}
_LINE_TABLE, _ = find("-lineinfo")
_DEBUG, _ = find("-G")
_TILE_LEVEL, _ = find("--opt-level")


@dataclass(frozen=True)
class StepKind:
    """The kind of a step: the tool makes `target` out of `out_of`."""

    tool: Tool
    out_of: CodeKind
    target: CodeKind


def step_options(
    request: BuildRequest, step: StepKind, source: Source | None = None
) -> tuple[str, ...]:
    """Returns the options to send, in order.

    Args:
        request: The build.
        step: The kind of the step.
        source: The module that it works on; None for a step that works on all of them.
    """
    user_options = _user_options(request, step.tool, source)
    folder = (source.folder or request.folder) if source is not None else ""
    sent = (
        *_target(request, step),
        *_FOR_KIND.get((step.tool, step.target), ()),
        *_for_link(request, step),
        *_line_table(step.tool, user_options),
        *_unoptimised(step.tool, user_options),
        *((f"--include-path={folder}",) if folder and step.tool in CUDA_COMPILERS else ()),
        *user_options,
    )
    return tuple(map(nvcc_spelling, sent)) if step.tool is Tool.NVCC else sent


def idle_options(
    options: Iterable[str], sources: Iterable[Source], tools: Iterable[Tool]
) -> Iterator[tuple[GivenOption, tuple[Tool, ...]]]:
    """Yields the options that no tool takes, each with the tools of the option.

    Args:
        options: What the user typed.
        sources: The modules that have these options.
        tools: The tools of the steps that have them.
    """
    reached = {_spelling(tool) for tool in tools}
    front_end = next(iter(_compilers(sources)), Tool.NVJITLINK)
    for option in read(options):
        wanted = takers(option, front_end)
        if reached.isdisjoint(wanted):
            yield option, wanted


def _target(request: BuildRequest, step: StepKind) -> tuple[str, ...]:
    match step.tool:
        case Tool.NVRTC | Tool.NVCC:
            real = step.target is _K.CUBIN
            return (f"-arch={request.arch.sm if real else request.arch.compute}",)
        case Tool.NVVM:
            return (f"-arch={request.arch.compute}",)
        case Tool.NVJITLINK | Tool.DRIVER | Tool.CUOBJDUMP | Tool.PYTHON:
            return (f"-arch={request.arch.sm}",)
        case Tool.TILEIRAS:
            # It chooses the letter itself: sm_90 becomes sm_90a.
            return (f"--gpu-name=sm_{request.arch.number}",)
        case _:
            return ()


def _for_link(request: BuildRequest, step: StepKind) -> tuple[str, ...]:
    match step.tool:
        case Tool.NVRTC | Tool.NVCC if request.link is LinkMode.PTX:
            return ("-rdc=true",)
        case Tool.NVJITLINK if step.out_of is _K.LTOIR:
            return ("-lto", *(("-ptx",) if step.target is _K.PTX else ()))
        case _:
            return ()


def _line_table(tool: Tool, options: tuple[str, ...]) -> tuple[str, ...]:
    """Ties source, PTX and SASS together; changes no code, unlike debug information."""
    flag = _LINE_TABLE.spellings.get(_spelling(tool)) if _LINE_TABLE else None
    has_lines = any(find(option)[0] in (_LINE_TABLE, _DEBUG) for option in options)
    return (flag,) if flag and not has_lines else ()


def _unoptimised(tool: Tool, options: tuple[str, ...]) -> tuple[str, ...]:
    """Switches optimisation off with debug information, as other tools do by themselves."""
    rows = {find(option)[0] for option in options}
    is_off = tool is Tool.TILEIRAS and _DEBUG in rows and _TILE_LEVEL not in rows
    return ("--opt-level=0",) if is_off else ()


def _spelling(tool: Tool) -> Tool:
    """Returns the tool whose spelling is sent.

    That of nvJitLink to the driver, which takes options by number, and to the tool that takes code
    out of files: what it finds may have to be linked. That of NVRTC to nvcc, whose front end and
    optimiser it has.
    """
    return _SPELLED_AS.get(tool, tool)


def _user_options(request: BuildRequest, tool: Tool, source: Source | None) -> tuple[str, ...]:
    # An unknown option goes to the compilers; with none in the build, to nvJitLink.
    compilers = _compilers(request.sources if source is None else (source,))
    spelling = _spelling(tool)
    front_end = spelling if spelling in compilers else next(iter(compilers), Tool.NVJITLINK)
    options = request.options if source is None else request.options_of(source)
    return options_for(spelling, rooted(options, request.folder), front_end)


def _compilers(sources: Iterable[Source]) -> set[Tool]:
    return {_FRONT_ENDS[source.kind] for source in sources if source.kind in _FRONT_ENDS}
