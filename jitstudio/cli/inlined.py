"""What an LTO link inlined, for the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.deferred import at_place
from jitstudio.core.request import BuildRequest, DemangleRequest
from jitstudio.core.result import BuildResult
from jitstudio.listing.lines import split_at_newlines
from jitstudio.worker.builder import Builder

if TYPE_CHECKING:
    from jitstudio.analysis.correlation.inlined import Inlining

# It loads NumPy, which few commands need.
_INLINING = "jitstudio.analysis.correlation.inlined:inlining"


@dataclass(frozen=True)
class InlinedNamed:
    """What was inlined, with all functions of it in words of C++ by their lowered names."""

    inlining: Inlining
    names: Mapping[str, str]


def with_ptx(request: BuildRequest) -> BuildRequest:
    """The build with the PTX of the link, whose line table alone names what was inlined."""
    return replace(request, emit=request.emit | {CodeKind.PTX})


def only_asked_for(result: BuildResult, request: BuildRequest) -> BuildResult:
    """The result without PTX that nobody asked for."""
    kept = (a for a in result.artifacts if a.kind is not CodeKind.PTX or a.kind in request.emit)
    return replace(result, artifacts=tuple(kept))


def read_inlined(result: BuildResult) -> InlinedNamed | None:
    """What the LTO link of a build inlined; None where none made PTX.

    Raises:
        WorkerError: The worker that demangles failed.
    """
    if (ptx := result.artifact(CodeKind.PTX, LINKED)) is None:
        return None
    found: Inlining = at_place(_INLINING)(split_at_newlines(ptx.content.decode("utf-8", "replace")))
    names = {*found.untold, *(name for one in found.found for name in (one.function, one.into))}
    builder = Builder(workers=1)
    try:
        return InlinedNamed(found, builder.demangle(DemangleRequest(tuple(sorted(names - {""})))))
    finally:
        builder.close()
