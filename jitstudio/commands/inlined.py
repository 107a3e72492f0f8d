"""PTX on the way to machine code, and the calls that a link inlined, which its PTX alone names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jitstudio.commands.workers import Workers
from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.request import BuildRequest, DemangleRequest, LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.listing.lines import split_at_newlines

if TYPE_CHECKING:
    # It loads NumPy, which few commands need.
    from jitstudio.analysis.correlation.inlined import Inlining

# On the way from these to machine code there is PTX. Of these alone LTO makes it too.
_COMPILED = frozenset({CodeKind.CUDA, CodeKind.LLVM_IR})
_WITH_PTX = {
    LinkMode.NONE: _COMPILED | {CodeKind.PTX},
    LinkMode.PTX: _COMPILED | {CodeKind.PTX},
    LinkMode.LTO: _COMPILED,
}


def makes_ptx(request: BuildRequest) -> bool:
    """Returns whether PTX lies on the way to the machine code, or a link can make some."""
    return _WITH_PTX[request.link].issuperset(source.kind for source in request.sources)


@dataclass(frozen=True)
class InlinedNamed:
    """The calls that a link inlined, with demangled names of all functions by the lowered ones."""

    inlining: Inlining
    names: Mapping[str, str]


def with_ptx(request: BuildRequest) -> BuildRequest:
    """Returns the build with the PTX of the link, whose line table alone names inlined calls."""
    return replace(request, emit=request.emit | {CodeKind.PTX})


def only_asked_for(result: BuildResult, request: BuildRequest) -> BuildResult:
    """Returns the result without PTX that the request does not ask for."""
    artifacts = (
        a for a in result.artifacts if a.kind is not CodeKind.PTX or a.kind in request.emit
    )
    return replace(result, artifacts=tuple(artifacts))


def read_inlined(result: BuildResult, workers: Workers) -> InlinedNamed | None:
    """Returns the calls that the LTO link of a build inlined; None where none made PTX.

    Raises:
        WorkerError: The worker that demangles failed.
    """
    if (ptx := result.artifact(CodeKind.PTX, LINKED)) is None:
        return None
    # It loads NumPy, which few commands need.
    from jitstudio.analysis.correlation.inlined import inlining  # noqa: PLC0415

    inlined = inlining(split_at_newlines(ptx.content.decode("utf-8", "replace")))
    names = {
        *inlined.untold,
        *(name for call in inlined.functions for name in (call.function, call.into)),
    }
    asked = DemangleRequest(tuple(sorted(names - {""})))
    return InlinedNamed(inlined, workers.builder.demangle(asked))
