"""From a request to the steps that serve it: which tool makes what out of what.

Pure: a plan is made and tested without any native library. The table `ROUTES` says how one kind
of code becomes another; everything else here asks it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jitstudio.core.code import LINKED, CodeKind, Source
from jitstudio.core.options import options_for
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.tools import Tool


class PlanError(ValueError):
    """The request asks for something that cannot be made; the message says what and why."""


@dataclass(frozen=True)
class Ref:
    """One piece of code in a build: a source, or what a step made of one."""

    kind: CodeKind
    name: str

    @property
    def file_name(self) -> str:
        """How logs call it; a source keeps its own name."""
        stem, dot, ending = self.name.rpartition(".")
        if dot and f".{ending.lower()}" == self.kind.ending:
            return self.name
        return f"{stem or self.name}{self.kind.ending}"


@dataclass(frozen=True)
class Step:
    """One run of one tool.

    Attributes:
        tool: The tool.
        name: The module it works on, or `LINKED`.
        inputs: What it reads.
        makes: The kinds it makes, all under `name`.
        options: What it is sent, in order.
    """

    tool: Tool
    name: str
    inputs: tuple[Ref, ...]
    makes: tuple[CodeKind, ...]
    options: tuple[str, ...]


@dataclass(frozen=True)
class Route:
    """How to come to a kind of code: by this tool, out of that kind."""

    tool: Tool
    out_of: CodeKind


_K = CodeKind
ROUTES: dict[tuple[CodeKind, CodeKind], Route] = {
    (_K.CUDA, _K.PTX): Route(Tool.NVRTC, _K.CUDA),
    (_K.CUDA, _K.CUBIN): Route(Tool.NVRTC, _K.CUDA),
    (_K.CUDA, _K.LTOIR): Route(Tool.NVRTC, _K.CUDA),
    (_K.CUDA, _K.SASS): Route(Tool.NVDISASM, _K.CUBIN),
    (_K.LLVM_IR, _K.PTX): Route(Tool.NVVM, _K.LLVM_IR),
    (_K.LLVM_IR, _K.LTOIR): Route(Tool.NVVM, _K.LLVM_IR),
    (_K.LLVM_IR, _K.CUBIN): Route(Tool.NVJITLINK, _K.PTX),
    (_K.LLVM_IR, _K.SASS): Route(Tool.NVDISASM, _K.CUBIN),
    (_K.PTX, _K.CUBIN): Route(Tool.NVJITLINK, _K.PTX),
    (_K.PTX, _K.SASS): Route(Tool.NVDISASM, _K.CUBIN),
    (_K.CUBIN, _K.SASS): Route(Tool.NVDISASM, _K.CUBIN),
    (_K.LTOIR, _K.PTX): Route(Tool.NVJITLINK, _K.LTOIR),
    (_K.LTOIR, _K.CUBIN): Route(Tool.NVJITLINK, _K.LTOIR),
    (_K.LTOIR, _K.SASS): Route(Tool.NVDISASM, _K.CUBIN),
    (_K.FATBIN, _K.CUBIN): Route(Tool.NVJITLINK, _K.FATBIN),
    (_K.FATBIN, _K.SASS): Route(Tool.NVDISASM, _K.CUBIN),
    (_K.OBJECT, _K.CUBIN): Route(Tool.NVJITLINK, _K.OBJECT),
    (_K.OBJECT, _K.SASS): Route(Tool.NVDISASM, _K.CUBIN),
    (_K.LIBRARY, _K.CUBIN): Route(Tool.NVJITLINK, _K.LIBRARY),
    (_K.LIBRARY, _K.SASS): Route(Tool.NVDISASM, _K.CUBIN),
}

# What a module is turned into before it is linked; kinds not named go in as they are.
_LINKED_AS: dict[LinkMode, dict[CodeKind, CodeKind]] = {
    LinkMode.PTX: {_K.CUDA: _K.PTX, _K.LLVM_IR: _K.PTX},
    LinkMode.LTO: {_K.CUDA: _K.LTOIR, _K.LLVM_IR: _K.LTOIR},
}
_FRONT_ENDS = {_K.CUDA: Tool.NVRTC, _K.LLVM_IR: Tool.NVVM}


def default_emit(sources: tuple[Source, ...], link: LinkMode) -> frozenset[CodeKind]:
    """What to emit when the user did not say: the most readable thing there is."""
    if link is not LinkMode.NONE:
        return frozenset({_K.SASS})
    readable = {_K.PTX if (s.kind, _K.PTX) in ROUTES else _K.SASS for s in sources}
    return frozenset(readable)


def plan(request: BuildRequest) -> tuple[Step, ...]:
    """The steps of a build, each after those it needs.

    Raises:
        PlanError: There is nothing to build, a module can never become what was asked for or is
            that already, or two modules share a name.
    """
    _check(request)
    if request.link is LinkMode.NONE:
        steps = [step for source in request.sources for step in _module_steps(request, source)]
        if not steps:
            raise PlanError(_nothing_left(request.sources[0]))
        return tuple(steps)
    return tuple(_link_steps(request))


def _check(request: BuildRequest) -> None:
    if not request.sources:
        raise PlanError("There is nothing to build: no module takes part.")
    if not request.emit:
        raise PlanError("Nothing was asked for: choose at least one kind of output.")
    names = [source.name for source in request.sources]
    for name in names:
        if names.count(name) > 1:
            raise PlanError(f"Two modules are called '{name}'. Rename one of them.")
    for source in request.sources:
        if source.kind in (_K.SASS, _K.HEADER):
            raise PlanError(
                f"'{source.name}' is a {source.kind.title} file, which no tool compiles by itself."
            )


def _module_steps(request: BuildRequest, source: Source) -> Iterator[Step]:
    """Steps that make every wanted kind of one module, without a link."""
    made: set[CodeKind] = {source.kind}
    wanted = [kind for kind in _ORDER if kind in request.emit and kind is not source.kind]
    possible = [kind for kind in wanted if (source.kind, kind) in ROUTES]
    if wanted and not possible:
        raise PlanError(_impossible(source, wanted[0]))
    for kind in possible:
        for target in _chain(source.kind, kind):
            if target not in made:
                step = _step(request, source, target, possible)
                made.update(step.makes)
                yield step


# SASS and cubin before PTX: one NVRTC call for a real machine makes both.
_ORDER = (_K.LTOIR, _K.SASS, _K.CUBIN, _K.PTX)


def _impossible(source: Source, wanted: CodeKind) -> str:
    possible = [kind.title for (start, kind) in ROUTES if start is source.kind]
    return (
        f"'{source.name}' is a {source.kind.title}; {wanted.title} cannot be made from it. "
        f"It can become {' or '.join(possible)}."
    )


def _nothing_left(source: Source) -> str:
    return (
        f"'{source.name}' is {source.kind.title} already. "
        "Ask for another kind of output, or link it."
    )


def _chain(start: CodeKind, target: CodeKind) -> tuple[CodeKind, ...]:
    """The kinds to make one after another, `target` last."""
    before = ROUTES[(start, target)].out_of
    if before is start:
        return (target,)
    return (*_chain(start, before), target)


def _step(request: BuildRequest, source: Source, target: CodeKind, wanted: list[CodeKind]) -> Step:
    route = ROUTES[(source.kind, target)]
    makes: tuple[CodeKind, ...] = (target,)
    if route.tool is Tool.NVRTC and target is _K.CUBIN and _K.PTX in wanted:
        makes = (_K.PTX, _K.CUBIN)
    return Step(
        tool=route.tool,
        name=source.name,
        inputs=(Ref(route.out_of, source.name),),
        makes=makes,
        options=_options(request, route.tool, source, route.out_of, target),
    )


def _link_steps(request: BuildRequest) -> Iterator[Step]:
    table = _LINKED_AS[request.link]
    inputs = []
    for source in request.sources:
        kind = table.get(source.kind, source.kind)
        inputs.append(Ref(kind, source.name))
        if kind is not source.kind:
            yield _step(request, source, kind, [])
    front_ends = {source.kind for source in request.sources}
    lto = request.link is LinkMode.LTO

    def linked(target: CodeKind) -> Step:
        user = _user_options(request, Tool.NVJITLINK, front_ends)
        mode = (*(("-lto",) if lto else ()), *(("-ptx",) if target is _K.PTX else ()))
        options = (f"-arch={request.arch.sm}", *mode, *user)
        return Step(Tool.NVJITLINK, LINKED, tuple(inputs), (target,), options)

    if lto and _K.PTX in request.emit:
        yield linked(_K.PTX)
    if request.emit - {_K.PTX} or not lto:
        yield linked(_K.CUBIN)
    if _K.SASS in request.emit:
        options = _user_options(request, Tool.NVDISASM, front_ends)
        yield Step(
            Tool.NVDISASM, LINKED, (Ref(_K.CUBIN, LINKED),), (_K.SASS,), (*_DISASM, *options)
        )


_DISASM = ("-c",)


def _options(
    request: BuildRequest, tool: Tool, source: Source, out_of: CodeKind, target: CodeKind
) -> tuple[str, ...]:
    """Options of a step: the target first, then what the user wrote."""
    arch = request.arch
    match tool:
        case Tool.NVRTC:
            real = target is _K.CUBIN
            own = [f"-arch={arch.sm if real else arch.compute}"]
            if target is _K.LTOIR:
                own.append("-dlto")
            if request.link is LinkMode.PTX:
                own.append("-rdc=true")
            if source.folder:
                own.append(f"--include-path={source.folder}")
        case Tool.NVVM:
            own = [f"-arch={arch.compute}", *(["-gen-lto"] if target is _K.LTOIR else [])]
        case Tool.NVJITLINK:
            own = [f"-arch={arch.sm}"]
            if out_of is _K.LTOIR:
                own += ["-lto", *(["-ptx"] if target is _K.PTX else [])]
        case Tool.NVDISASM:
            own = list(_DISASM)
    return (*own, *_user_options(request, tool, {source.kind}))


def _user_options(request: BuildRequest, tool: Tool, sources: set[CodeKind]) -> tuple[str, ...]:
    # An unknown option goes to the compilers; with none in the build, to nvJitLink.
    compilers = {_FRONT_ENDS[kind] for kind in sources if kind in _FRONT_ENDS}
    front_end = tool if tool in compilers else next(iter(compilers), Tool.NVJITLINK)
    return options_for(tool, request.options, front_end)
