"""Builds of a file that was built before: nothing is compiled, it is only read."""

from __future__ import annotations

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind, Source
from jitstudio.core.cubin import cubin_target
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult


def target_shown(request: BuildRequest) -> Arch:
    """The target to name before anything has run: that of the file where a cubin is read."""
    alone = request.sources[0] if len(request.sources) == 1 else None
    code = _given_code(request, alone.name) if alone else None
    return (cubin_target(code.content) if code else None) or request.arch


def machine_code(request: BuildRequest, result: BuildResult, name: str) -> Artifact | None:
    """Returns the cubin of a module or of the link, made or given; None where there is none."""
    return result.artifact(CodeKind.CUBIN, name) or _as_made(_given_code(request, name))


def _given_code(request: BuildRequest, name: str) -> Source | None:
    if request.link is not LinkMode.NONE:
        return None
    cubins = (s for s in request.sources if s.kind is CodeKind.CUBIN)
    return next((s for s in cubins if s.name == name), None)


def _as_made(source: Source | None) -> Artifact | None:
    return Artifact(source.kind, source.name, source.content) if source else None
