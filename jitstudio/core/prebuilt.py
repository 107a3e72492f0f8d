"""The code of a build, made or given: a file that was built before is only read."""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, PREBUILT_KINDS, Artifact, CodeKind, Source
from jitstudio.core.cubin import cubin_target
from jitstudio.core.kernel_resources import code_sizes
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult


def target_shown(request: BuildRequest) -> Arch:
    """Returns the target to name before anything has run: of a cubin, that of the file."""
    alone = request.sources[0] if len(request.sources) == 1 else None
    code = _given_code(request, alone.name) if alone else None
    return (cubin_target(code.content) if code else None) or request.arch


def machine_code(request: BuildRequest, result: BuildResult, name: str) -> Artifact | None:
    """Returns the cubin of a module or of the link, made or given; None where there is none."""
    return result.artifact(CodeKind.CUBIN, name) or _as_made(_given_code(request, name))


def cubins(request: BuildRequest, result: BuildResult) -> Iterator[Artifact]:
    """Yields the cubin of the link, then the cubins of the modules in order.

    The kernels of a script come last: they are no modules of the request.
    """
    names = (artifact.name for artifact in result.artifacts if artifact.kind is CodeKind.CUBIN)
    for name in dict.fromkeys((LINKED, *(source.name for source in request.sources), *names)):
        if (cubin := machine_code(request, result, name)) is not None:
            yield cubin


def cubin_of(request: BuildRequest, result: BuildResult) -> Artifact | None:
    """Returns the cubin that stands for a build: the first of `cubins`, or None."""
    return next(cubins(request, result), None)


def is_compiled(request: BuildRequest, name: str, function: str) -> bool:
    """Returns whether a build compiles a function of the machine code of a module or of the link.

    What was built before, or is built by a script, is only read or linked.
    """
    modules = [source for source in request.sources if name in (LINKED, source.name)]
    prebuilt = [source for source in modules if source.kind in PREBUILT_KINDS]
    cubins = (source for source in prebuilt if source.kind is CodeKind.CUBIN)
    is_linked = any(function in code_sizes(cubin.content) for cubin in cubins)
    return len(prebuilt) < len(modules) and not is_linked


def ptx_of(request: BuildRequest, result: BuildResult, name: str) -> dict[str, str]:
    """Returns the PTX texts that a cubin can have been made of, by the names of modules.

    After a link all modules may be in it; else the module alone.
    """
    built = ((a.name, a.content) for a in result.artifacts if a.kind is CodeKind.PTX)
    sources = ((s.name, s.content) for s in request.sources if s.kind is CodeKind.PTX)
    texts: dict[str, str] = {}
    for module, content in (*sources, *built):
        if name in (LINKED, module):
            texts[module] = content.decode("utf-8", "replace")
    return texts


def _given_code(request: BuildRequest, name: str) -> Source | None:
    if request.link is not LinkMode.NONE:
        return None
    cubins = (s for s in request.sources if s.kind is CodeKind.CUBIN)
    return next((s for s in cubins if s.name == name), None)


def _as_made(source: Source | None) -> Artifact | None:
    return Artifact(source.kind, source.name, source.content) if source else None
