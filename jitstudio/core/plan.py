"""From a request to the steps that serve the request: the tool, inputs and outputs of each.

Pure: a plan is made and tested without any native library. The table `ROUTES` says how one kind
of code becomes another; everything else here asks it. A `Job` is one step with all that its tool
reads, which is what a worker process is asked to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from jitstudio.core.code import (
    LINKED,
    PREBUILT_KINDS,
    TILE_PART,
    CodeKind,
    Header,
    Source,
    split_variant,
)
from jitstudio.core.cubin import keeps_ptx
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.options import find, hazard, nvcc_objection, read, refusal, refused, shown
from jitstudio.core.options.steps import StepKind, idle_options, step_options
from jitstudio.core.request import Assembler, BuildRequest, CudaCompiler, LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.core.tools import CUDA_COMPILERS, Tool, ToolFile


class PlanError(ValueError):
    """The request asks for an output that cannot be made; the message says which and why."""


@dataclass(frozen=True)
class Ref:
    """A piece of code in a build: a source, or the output of a step."""

    kind: CodeKind
    name: str

    @property
    def file_name(self) -> str:
        """The name in logs; a source keeps the name, and outputs are named after the source."""
        name, _, _ = split_variant(self.name)
        stem, dot, ending = name.rpartition(".")
        if dot and f".{ending.lower()}" == self.kind.ending:
            return name
        return f"{stem or name}{self.kind.ending}"


@dataclass(frozen=True)
class PlanStep:
    """A run of a tool.

    Attributes:
        tool: The tool.
        name: The module of the step, or `LINKED`; with a target behind in a fatbin's parts.
        inputs: The pieces of code that the tool reads.
        makes: The kinds of the outputs, all under `name`.
        options: The options to send, in order.
    """

    tool: Tool
    name: str
    inputs: tuple[Ref, ...]
    makes: tuple[CodeKind, ...]
    options: tuple[str, ...]


@dataclass(frozen=True)
class BuildRoute:
    """How to come to a kind of code: by this tool, out of that kind."""

    tool: Tool
    out_of: CodeKind


_K = CodeKind
ROUTES: dict[tuple[CodeKind, CodeKind], BuildRoute] = {
    (_K.CUDA, _K.PTX): BuildRoute(Tool.NVRTC, _K.CUDA),
    (_K.CUDA, _K.CUBIN): BuildRoute(Tool.NVRTC, _K.CUDA),
    (_K.CUDA, _K.LTOIR): BuildRoute(Tool.NVRTC, _K.CUDA),
    (_K.CUDA, _K.OPTIXIR): BuildRoute(Tool.NVRTC, _K.CUDA),
    (_K.CUDA, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.CUDA, _K.TILE_BYTECODE): BuildRoute(Tool.NVRTC, _K.CUDA),
    (_K.CUDA, _K.TILEIR): BuildRoute(Tool.TILEIRDISASM, _K.TILE_BYTECODE),
    (_K.TILE_BYTECODE, _K.TILEIR): BuildRoute(Tool.TILEIRDISASM, _K.TILE_BYTECODE),
    (_K.TILE_BYTECODE, _K.CUBIN): BuildRoute(Tool.TILEIRAS, _K.TILE_BYTECODE),
    (_K.TILE_BYTECODE, _K.PTX): BuildRoute(Tool.CUOBJDUMP, _K.CUBIN),
    (_K.TILE_BYTECODE, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.PYTHON, _K.CAPTURED): BuildRoute(Tool.PYTHON, _K.PYTHON),
    (_K.PYTHON, _K.PTX): BuildRoute(Tool.CUOBJDUMP, _K.CAPTURED),
    (_K.PYTHON, _K.CUBIN): BuildRoute(Tool.CUOBJDUMP, _K.CAPTURED),
    (_K.PYTHON, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.LLVM_IR, _K.PTX): BuildRoute(Tool.NVVM, _K.LLVM_IR),
    (_K.LLVM_IR, _K.LTOIR): BuildRoute(Tool.NVVM, _K.LLVM_IR),
    (_K.LLVM_IR, _K.CUBIN): BuildRoute(Tool.NVJITLINK, _K.PTX),
    (_K.LLVM_IR, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.PTX, _K.CUBIN): BuildRoute(Tool.NVJITLINK, _K.PTX),
    (_K.PTX, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.CUBIN, _K.PTX): BuildRoute(Tool.CUOBJDUMP, _K.CUBIN),
    (_K.CUBIN, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.LTOIR, _K.PTX): BuildRoute(Tool.NVJITLINK, _K.LTOIR),
    (_K.LTOIR, _K.CUBIN): BuildRoute(Tool.NVJITLINK, _K.LTOIR),
    (_K.LTOIR, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.FATBIN, _K.PTX): BuildRoute(Tool.CUOBJDUMP, _K.FATBIN),
    (_K.FATBIN, _K.CUBIN): BuildRoute(Tool.CUOBJDUMP, _K.FATBIN),
    (_K.FATBIN, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.OBJECT, _K.PTX): BuildRoute(Tool.CUOBJDUMP, _K.OBJECT),
    (_K.OBJECT, _K.CUBIN): BuildRoute(Tool.CUOBJDUMP, _K.OBJECT),
    (_K.OBJECT, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.LIBRARY, _K.PTX): BuildRoute(Tool.CUOBJDUMP, _K.LIBRARY),
    (_K.LIBRARY, _K.CUBIN): BuildRoute(Tool.CUOBJDUMP, _K.LIBRARY),
    (_K.LIBRARY, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
    (_K.CAPTURED, _K.PTX): BuildRoute(Tool.CUOBJDUMP, _K.CAPTURED),
    (_K.CAPTURED, _K.CUBIN): BuildRoute(Tool.CUOBJDUMP, _K.CAPTURED),
    (_K.CAPTURED, _K.SASS): BuildRoute(Tool.NVDISASM, _K.CUBIN),
}

# What a module is turned into before it is linked; kinds not named go in as they are.
_LINKED_AS: dict[LinkMode, dict[CodeKind, CodeKind]] = {
    LinkMode.PTX: {_K.CUDA: _K.PTX, _K.LLVM_IR: _K.PTX},
    LinkMode.LTO: {_K.CUDA: _K.LTOIR, _K.LLVM_IR: _K.LTOIR},
}
# What can be built for several targets, to be packed into one fatbin.
_PACKED = frozenset({_K.CUDA, _K.LLVM_IR, _K.PTX, _K.LTOIR})


def default_emit(sources: tuple[Source, ...], link: LinkMode) -> frozenset[CodeKind]:
    """Returns the kinds to emit when the user did not say: the most readable there are."""
    if link is not LinkMode.NONE:
        return frozenset({_K.SASS})
    return frozenset(map(_most_readable, sources))


def _most_readable(source: Source) -> CodeKind:
    if source.kind is _K.TILE_BYTECODE:
        return _K.TILEIR
    is_compiled = source.kind not in PREBUILT_KINDS and (source.kind, _K.PTX) in ROUTES
    return _K.PTX if is_compiled else _K.SASS


def plan(request: BuildRequest) -> tuple[PlanStep, ...]:
    """Returns the steps of a build, each after the steps of its inputs.

    Raises:
        PlanError: There is nothing to build, a module can never become what was asked for or is
            that already, two modules share a name, an option is jitstudio's own to send, or
            the build may do harm that nobody has allowed it.
    """
    _check(request)
    if _K.FATBIN not in request.emit:
        return tuple(_plain_steps(request))
    rest = replace(request, emit=request.emit - {_K.FATBIN})
    return (*(_plain_steps(rest) if rest.emit else ()), *_fatbin_steps(request))


def _plain_steps(request: BuildRequest) -> list[PlanStep]:
    if request.link is not LinkMode.NONE:
        return list(_link_steps(request))
    steps = [step for source in _units(request) for step in _module_steps(request, source)]
    if not steps:
        raise PlanError(_nothing_left(request.sources[0]))
    return steps


def _check(request: BuildRequest) -> None:
    if not request.sources:
        raise PlanError("There is nothing to build: no module takes part.")
    if not request.emit:
        raise PlanError("Nothing was asked for: choose at least one kind of output.")
    # Set by set: in a row, the last word of one would take the first of the next as its value.
    if reason := next(filter(None, map(refusal, request.option_sets)), ""):
        raise PlanError(reason)
    _check_trust(request)
    if _has_nvcc(request) and (reason := _nvcc_refusal(request)):
        raise PlanError(reason)
    names = [source.name for source in (*request.sources, *request.libraries)]
    for name in names:
        if names.count(name) > 1:
            raise PlanError(f"Two modules are called '{name}'. Rename one of them.")
    for source in request.sources:
        if source.kind in (_K.SASS, _K.HEADER):
            raise PlanError(
                f"'{source.name}' is a {source.kind.title} file, which no tool compiles by itself."
            )
    if request.link is not LinkMode.NONE:
        for source in request.sources:
            if source.kind is _K.PYTHON:
                raise PlanError(f"'{source.name}' cannot be linked: build it without a link.")
    for library in request.libraries:
        if library.kind is not _K.LLVM_IR:
            raise PlanError(
                f"The library '{library.name}' is not LLVM IR, as .ll and .bc files are."
            )


def _has_nvcc(request: BuildRequest) -> bool:
    """Returns whether nvcc compiles a module of the build."""
    has_cuda = any(source.kind is _K.CUDA for source in request.sources)
    return has_cuda and request.compiler is CudaCompiler.NVCC


def _nvcc_refusal(request: BuildRequest) -> str:
    """Returns why nvcc cannot compile the modules; empty if nvcc can."""
    if request.confined_to is not None:
        return (
            f"{NOT_TRUSTED} nvcc starts the host compiler of this machine, which reads more than "
            "the project's folder. Compile with NVRTC, or trust the project: --trust on the "
            "command line, File > Project > Trust this project in the window."
        )
    others = (_K.LTOIR, _K.OPTIXIR)
    wanted: CodeKind | None = next((kind for kind in others if kind in request.emit), None)
    if request.link is LinkMode.LTO:
        wanted = _K.LTOIR
    if any(_tile_share(request, source) for source in request.sources):
        wanted = _K.TILEIR
    if wanted:
        return f"nvcc is asked for PTX and cubins here, not for {wanted.title}. Compile with NVRTC."
    return next(filter(None, map(nvcc_objection, request.option_sets)), "")


def _check_trust(request: BuildRequest) -> None:
    if request.confined_to is not None:
        scripts = [s.name for s in request.sources if s.kind is _K.PYTHON]
        if scripts:
            raise PlanError(
                f"{NOT_TRUSTED} Building '{scripts[0]}' runs it, with all that it says. Read it "
                f"first. Then {TRUST_IT}"
            )
        folders, folder = request.confined_to, request.folder
        reasons = [r for words in request.option_sets for r in refused(words, folders, folder)]
        names = [code.name for code in (*request.sources, *request.libraries)]
        names += [header.name for header in request.headers]
        reasons += [f"{reason}." for name in names if (reason := misnamed(name))]
        if reasons:
            if (more := len(reasons) - _MOST_WARNINGS) > 0:
                reasons[_MOST_WARNINGS:] = [f"There are {more} more like these."]
            raise PlanError(f"{NOT_TRUSTED} {' '.join(reasons)} {HOW_TO_TRUST}")
    danger = next(filter(None, map(hazard, request.option_sets)), "")
    if danger and not request.unsafe_options:
        raise PlanError(f"{danger} {HOW_TO_ALLOW}")


# More sentences than this make no message that anybody reads.
_MOST_WARNINGS = 5
NOT_TRUSTED = "This project is not trusted."
TRUST_IT = (
    "trust the project: --trust on the command line, File > Project > Trust this project in the "
    "window."
)
HOW_TO_TRUST = f"Change that, or {TRUST_IT}"
HOW_TO_ALLOW = (
    "Take the option out, or allow such options: --unsafe-options on the command line, Unsafe "
    "options among the settings of the window."
)


def misnamed(name: str) -> str:
    """Returns why a name given to code may lead a tool out of the project's folder; empty if not.

    A compiler looks in the folder of a module for what it includes.
    """
    path = name.replace("\\", "/")
    if path.startswith("/") or path[1:2] == ":" or ".." in path.split("/"):
        return f"The name '{shown(name)}' leads out of the project's folder"
    return ""


def _units(request: BuildRequest) -> list[Source]:
    """Returns the modules, with a single module for all LLVM IR where that is joined."""
    first = next((s for s in request.sources if s.kind is _K.LLVM_IR), None)
    return [
        source
        for source in request.sources
        if not (request.join_ir and source.kind is _K.LLVM_IR and source is not first)
    ]


def _module_steps(request: BuildRequest, source: Source) -> Iterator[PlanStep]:
    """Steps that make every wanted kind of a module, without a link."""
    if share := _tile_share(request, source):
        yield from _steps_with_tile(request, source, share)
    else:
        yield from _plain_module_steps(request, source)


def _plain_module_steps(request: BuildRequest, source: Source) -> Iterator[PlanStep]:
    """Yields the steps of a module, or of its functions that are no tile functions."""
    kinds: set[CodeKind] = {source.kind}
    wanted = [kind for kind in _ORDER if kind in request.emit and kind is not source.kind]
    possible = [kind for kind in wanted if _can_become(source, kind)]
    if wanted and not possible:
        raise PlanError(_impossible(source, wanted[0]))
    for kind in possible:
        for target in _chain(source.kind, kind):
            if target not in kinds:
                step = _step(request, source, target, possible)
                kinds.update(step.makes)
                yield step


def _can_become(source: Source, kind: CodeKind) -> bool:
    lacks = (source.kind, kind) == (_K.CUBIN, _K.PTX) and not keeps_ptx(source.content)
    lacks = lacks or (source.kind is _K.CUDA and kind in _TILE_KINDS)
    return (source.kind, kind) in ROUTES and not lacks


# SASS and cubin before PTX: one NVRTC call for a real machine makes both.
_TILE_KINDS = (_K.TILEIR, _K.TILE_BYTECODE)
_ORDER = (_K.CAPTURED, _K.OPTIXIR, _K.LTOIR, _K.SASS, _K.CUBIN, _K.PTX, *_TILE_KINDS)


def _impossible(source: Source, wanted: CodeKind) -> str:
    if source.kind is _K.CUDA and wanted in _TILE_KINDS:
        return (
            f"{wanted.title} is made of the tile functions of '{source.name}' with the option "
            f"{_ENABLE_TILE}: add that, or ask for another output."
        )
    possible = [kind.title for kind in _ORDER[::-1] if _can_become(source, kind)]
    possible += [_K.FATBIN.title] if source.kind in _PACKED else []
    reason = "cannot be made from it"
    if (source.kind, wanted) in ROUTES:
        reason = "is not kept in it, as it is where line tables are (-lineinfo)"
    return (
        f"'{source.name}' is a {source.kind.title}; {wanted.title} {reason}. "
        f"It can become {' or '.join(possible)}."
    )


def _nothing_left(source: Source) -> str:
    return (
        f"'{source.name}' is {source.kind.title} already. "
        "Ask for another kind of output, or link it."
    )


def _chain(start: CodeKind, target: CodeKind) -> tuple[CodeKind, ...]:
    """Returns the kinds to make in turn, `target` last."""
    before = ROUTES[(start, target)].out_of
    if before is start:
        return (target,)
    return (*_chain(start, before), target)


def _step(
    request: BuildRequest, source: Source, target: CodeKind, wanted: list[CodeKind]
) -> PlanStep:
    tool, out_of = _route(request, source, target)
    makes: tuple[CodeKind, ...] = (target,)
    if tool in (*CUDA_COMPILERS, Tool.CUOBJDUMP) and target is _K.CUBIN and _K.PTX in wanted:
        makes = (_K.PTX, _K.CUBIN)
    inputs: tuple[Ref, ...] = (Ref(out_of, source.name),)
    if out_of is _K.LLVM_IR and request.join_ir:
        inputs = tuple(Ref(s.kind, s.name) for s in request.sources if s.kind is _K.LLVM_IR)
    return PlanStep(
        tool=tool,
        name=source.name,
        inputs=inputs,
        makes=makes,
        options=step_options(request, StepKind(tool, out_of, target), source),
    )


def _route(request: BuildRequest, source: Source, target: CodeKind) -> tuple[Tool, CodeKind]:
    route = ROUTES[(source.kind, target)]
    assembles = (route.out_of, target) == (_K.PTX, _K.CUBIN)
    if assembles and request.assembler is Assembler.DRIVER:
        return Tool.DRIVER, route.out_of
    by_nvcc = route.tool is Tool.NVRTC and request.compiler is CudaCompiler.NVCC
    return (Tool.NVCC if by_nvcc else route.tool), route.out_of


class _TileShare(Enum):
    """The part of a module's functions that Tile IR is made of."""

    NONE = ""
    SOME = "some"
    ALL = "all"

    def __bool__(self) -> bool:
        return self is not _TileShare.NONE


_ENABLE_TILE = "--enable-tile"
_WITH_TILE, _ = find(_ENABLE_TILE)
_TILE_ONLY, _ = find("--tile-only")
_NO_TILE, _ = find("--simt-only")


def _tile_share(request: BuildRequest, source: Source) -> _TileShare:
    """Returns which functions of CUDA C++ become Tile IR, as the options say."""
    if source.kind is not _K.CUDA:
        return _TileShare.NONE
    rows = {option.spec for option in read(request.options_of(source))}
    if _NO_TILE in rows or not rows & {_WITH_TILE, _TILE_ONLY}:
        return _TileShare.NONE
    return _TileShare.ALL if _TILE_ONLY in rows else _TileShare.SOME


def _steps_with_tile(
    request: BuildRequest, source: Source, share: _TileShare
) -> Iterator[PlanStep]:
    """Yields the steps of a module with tile functions, after those of its other functions.

    One run of NVRTC makes the code of those and Tile IR. It says in which there is nothing; then
    the steps that wait for that are not done.
    """
    others = request.emit - set(_TILE_KINDS)
    simt: list[PlanStep] = []
    if others and share is _TileShare.SOME:
        simt = list(_plain_module_steps(replace(request, emit=others), source))
    tile = list(_tile_steps(request, source, share))
    if simt and tile:
        tile = tile[1:]
        simt = [_with_tile_ir(step) if step.tool is Tool.NVRTC else step for step in simt]
    if not simt and not tile:
        raise PlanError(_impossible(source, next(k for k in _ORDER if k in request.emit)))
    yield from (*simt, *tile)


def _with_tile_ir(step: PlanStep) -> PlanStep:
    """Returns a run of NVRTC that makes Tile IR, too."""
    return replace(step, makes=(*step.makes, _K.TILE_BYTECODE))


def _tile_steps(request: BuildRequest, source: Source, share: _TileShare) -> Iterator[PlanStep]:
    """Yields the steps to the wanted kinds of a module's tile functions, as far as possible."""
    bytecode = replace(source, kind=_K.TILE_BYTECODE)
    name = source.name if share is _TileShare.ALL else f"{source.name}{TILE_PART}"
    wanted = [kind for kind in _ORDER if kind in request.emit]
    possible = [kind for kind in wanted if _can_become(bytecode, kind)]
    if possible or _K.TILE_BYTECODE in wanted:
        yield _step(request, source, _K.TILE_BYTECODE, [])
    for step in _plain_module_steps(replace(request, emit=frozenset(possible)), bytecode):
        inputs = (
            ref if ref.kind is _K.TILE_BYTECODE else replace(ref, name=name) for ref in step.inputs
        )
        yield replace(step, name=name, inputs=tuple(inputs))


def _link_steps(request: BuildRequest) -> Iterator[PlanStep]:
    table = _LINKED_AS[request.link]
    inputs = []
    for source in _units(request):
        if source.kind is _K.TILE_BYTECODE:
            raise PlanError(nothing_to_link([source.name]))
        kind = table.get(source.kind, source.kind)
        inputs.append(Ref(kind, source.name))
        if share := _tile_share(request, source):
            yield from _steps_beside_link(request, source, kind, share)
        elif kind is not source.kind:
            yield _step(request, source, kind, [])
    linked_from = _K.LTOIR if request.link is LinkMode.LTO else _K.PTX

    def linked(target: CodeKind, *more: CodeKind) -> PlanStep:
        kind = StepKind(Tool.NVJITLINK, linked_from, target)
        options = step_options(request, kind)
        return PlanStep(Tool.NVJITLINK, LINKED, tuple(inputs), (target, *more), options)

    lto = request.link is LinkMode.LTO
    if lto and _K.PTX in request.emit:
        yield linked(_K.PTX)
    # Linked LTO-IR comes along with the cubin.
    ltoir = (_K.LTOIR,) if lto and _K.LTOIR in request.emit else ()
    if request.emit - {_K.PTX} or not lto:
        yield linked(_K.CUBIN, *ltoir)
    if _K.SASS in request.emit:
        options = step_options(request, StepKind(Tool.NVDISASM, _K.CUBIN, _K.SASS))
        yield PlanStep(Tool.NVDISASM, LINKED, (Ref(_K.CUBIN, LINKED),), (_K.SASS,), options)


def _steps_beside_link(
    request: BuildRequest, source: Source, kind: CodeKind, share: _TileShare
) -> Iterator[PlanStep]:
    """Yields the steps of a linked module, and of its tile functions, which no link takes."""
    if share is _TileShare.ALL:
        raise PlanError(nothing_to_link([source.name]))
    step = _step(request, source, kind, [])
    tile = list(_tile_steps(request, source, share))
    yield _with_tile_ir(step) if tile else step
    yield from tile[1:]


def nothing_to_link(names: Iterable[str]) -> str:
    """Returns why no link comes of modules, or parts of these, that have tile functions only."""
    modules = dict.fromkeys(f"'{split_variant(name)[0]}'" for name in names)
    return (
        f"A link takes no tile functions, and there are no others in {', '.join(modules)}. "
        "Build without a link."
    )


def _fatbin_steps(request: BuildRequest) -> Iterator[PlanStep]:
    """Yields all steps once a target, and a step that packs, for each module or the link."""
    for source in request.sources:
        if source.kind not in _PACKED and request.link is LinkMode.NONE:
            raise PlanError(_impossible(source, _K.FATBIN))
    if request.fat_ptx and request.link is LinkMode.PTX:
        raise PlanError(
            "A link by PTX makes machine code only: take compute_XX out of the fatbin's targets, "
            "or link by LTO-IR."
        )
    targets = [(arch, arch.sm, _K.CUBIN) for arch in request.fat_archs]
    targets += [(arch, arch.compute, _K.PTX) for arch in request.fat_ptx]
    parts: dict[str, list[Ref]] = {}
    for arch, target, kind in targets or [(request.arch, request.arch.sm, _K.CUBIN)]:
        ready = [s for s in request.sources if s.kind is kind and request.link is LinkMode.NONE]
        for source in ready:
            parts.setdefault(source.name, []).append(Ref(kind, source.name))
        sources = tuple(s for s in request.sources if s not in ready)
        # As nvcc packs PTX of other functions, Tile IR: once, as it is for all targets.
        packs_tile = kind is _K.PTX and arch == request.fat_ptx[0]
        emit = frozenset({kind, _K.TILE_BYTECODE} if packs_tile else {kind})
        part = replace(request, sources=sources, arch=arch, emit=emit)
        for step in _plain_steps(part) if sources else ():
            if kind is _K.PTX and step.tool in (Tool.TILEIRAS, Tool.CUOBJDUMP):
                continue
            yield _variant(step, request, target)
            module = step.name.removesuffix(TILE_PART)
            is_linked = request.link is not LinkMode.NONE
            is_part = not is_linked or step.name == LINKED or module != step.name
            made = {kind} if is_part else set()
            made |= {_K.TILE_BYTECODE} if packs_tile else set()
            parts.setdefault(module, []).extend(
                Ref(packed, f"{step.name}@{target}") for packed in step.makes if packed in made
            )
    by_name = {source.name: source for source in request.sources}
    for name, refs in ((name, refs) for name, refs in parts.items() if refs):
        packing = StepKind(Tool.NVFATBIN, _K.CUBIN, _K.FATBIN)
        options = step_options(request, packing, by_name.get(name))
        yield PlanStep(Tool.NVFATBIN, name, tuple(refs), (_K.FATBIN,), options)


def _variant(step: PlanStep, request: BuildRequest, target: str) -> PlanStep:
    """Returns the same step for another target, among the steps for several."""
    sources = {Ref(source.kind, source.name) for source in request.sources}
    inputs = (
        ref if ref in sources else replace(ref, name=f"{ref.name}@{target}") for ref in step.inputs
    )
    return replace(step, name=f"{step.name}@{target}", inputs=tuple(inputs))


@dataclass(frozen=True)
class Job:
    """A run of a tool, with all inputs.

    Attributes:
        tool: The tool.
        name: The artifact's name: the module's, or `core.code.LINKED`.
        inputs: The pieces of code to read, in order.
        makes: The kinds to make.
        options: The options to send.
        headers: In-memory headers, for NVRTC.
        precompile: Whether NVRTC may use a precompiled header, and keep one for the next build.
        cacheable: Whether the result may go into the cache; only then it has `JobDependencies`.
        name_expressions: Expressions to lower, for NVRTC.
        libraries: LLVM IR of which libNVVM takes only the functions that are called.
        libdevice: Whether libNVVM may take functions from libdevice.
        entry: See `BuildRequest`, for libNVVM.
        keep_host_code: See `BuildRequest`.
        final: Whether the result is for the user. What a link is made of has no kernels to list,
            and need not have any; those of a cubin that was built are listed already.
        confined_to: See `BuildRequest`.
        toolchain: See `BuildRequest`.
        function: The only function that nvdisasm prints; empty for all.
        python: See `BuildRequest`, for a Python file.
        folder: Where the file lies that Python runs; empty for unsaved text.
    """

    tool: Tool
    name: str
    inputs: tuple[tuple[Ref, bytes], ...]
    makes: tuple[CodeKind, ...]
    options: tuple[str, ...]
    headers: tuple[Header, ...] = ()
    precompile: bool = False
    cacheable: bool = True
    name_expressions: tuple[str, ...] = ()
    libraries: tuple[tuple[Ref, bytes], ...] = ()
    libdevice: bool = False
    entry: str = ""
    keep_host_code: bool = False
    final: bool = True
    confined_to: tuple[str, ...] | None = None
    toolchain: str = ""
    function: str = ""
    python: str = ""
    folder: str = ""


@dataclass(frozen=True)
class Search:
    """Names that a compiler may have looked for in each of some folders.

    Attributes:
        folders: Absolute paths, as the compiler joins them with a name: links not followed, ``..``
            not taken out.
        names: Paths below a folder; an absolute one counts by itself.
    """

    folders: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class JobDependencies:
    """The state that the result of a job rests on besides the job, as the worker knows.

    Attributes:
        tool: The tool; None if it cannot be known which file was loaded.
        searches: All places where a file was looked for, found or not; None if that is unknown.
        folder: The working directory.
        began_ns: When the job began, by the clock of files.
    """

    tool: ToolFile | None
    searches: tuple[Search, ...] | None
    folder: str
    began_ns: int


UNKNOWN = JobDependencies(None, None, "", 0)
"""The dependencies of a job whose result is not kept."""


def script_steps(steps: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
    """Returns the steps that run a Python file; the others wait for the kernels of these."""
    return tuple(step for step in steps if step.tool is Tool.PYTHON)


def with_idle_options(request: BuildRequest, result: BuildResult) -> BuildResult:
    """Returns the result with a warning for each option that the build has made nothing of."""
    warnings = dict.fromkeys(_warnings(request))
    return replace(result, diagnostics=(*result.diagnostics, *warnings)) if warnings else result


def _warnings(request: BuildRequest) -> Iterator[Diagnostic]:
    try:
        steps = plan(request)
    except PlanError:
        # The result says why.
        return
    if _has_nvcc(request) and any(source.name_expressions for source in request.sources):
        message = "nvcc takes no name expressions: it makes the instances that the source uses."
        yield Diagnostic(Severity.WARNING, "", None, None, message)
    yield from _warnings_of_joined(request)
    own = {source.name: source for source in request.sources if source.options is not None}
    tools_of: dict[str, list[Tool]] = {}
    for step in steps:
        module = split_variant(step.name)[0]
        tools_of.setdefault(module if module in own else "", []).append(step.tool)
    is_shared = "" in tools_of
    # Where each module has options of its own, those of the build may still be for any of them.
    tools_of.setdefault("", [step.tool for step in steps])
    told: set[str] = set()
    for name, tools in tools_of.items():
        sources = (own[name],) if name else request.sources
        options = own[name].options if name else request.options
        for option, takers in idle_options(options or (), sources, tools):
            wanted = " and ".join(tool.value for tool in takers)
            message = f"No tool of this build takes '{' '.join(option.words)}': it is for {wanted}."
            if name or is_shared or message not in told:
                yield Diagnostic(Severity.WARNING, name, None, None, message)
            told.add(message)


def _warnings_of_joined(request: BuildRequest) -> Iterator[Diagnostic]:
    joined = [s for s in request.sources if request.join_ir and s.kind is _K.LLVM_IR]
    options = [request.options if s.options is None else s.options for s in joined]
    for source, own in zip(joined, options, strict=True):
        if own != options[0]:
            message = (
                f"'{source.name}' is built with the options of '{joined[0].name}', as joined LLVM "
                f"IR is one program. Give the options of '{source.name}' to '{joined[0].name}', or "
                "build without joining the modules."
            )
            yield Diagnostic(Severity.WARNING, source.name, None, None, message)
