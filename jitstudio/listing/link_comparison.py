"""The same modules linked by PTX and by LTO, side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult, Resources
from jitstudio.core.tools import Tool
from jitstudio.listing.sass import instruction_counts

MODES = (LinkMode.PTX, LinkMode.LTO)
COMPARED = frozenset({CodeKind.CUBIN, CodeKind.SASS})
"""What both links make: all figures are read from it."""


@dataclass(frozen=True)
class LinkFigure:
    """One figure of both links; None where a link does not have it.

    Attributes:
        subject: The kernel or function by its lowered name, or empty for the whole.
        name: What is counted, with its unit.
        ptx: Of the PTX link.
        lto: Of the LTO link.
    """

    subject: str
    name: str
    ptx: float | None
    lto: float | None


@dataclass(frozen=True)
class LinkComparison:
    """Both results, and what can be said of them in figures."""

    ptx: BuildResult
    lto: BuildResult
    figures: tuple[LinkFigure, ...]


def both_ways(request: BuildRequest) -> tuple[BuildRequest, ...]:
    """The same request linked in each of `MODES`, for `compare_links`."""
    # From the cache a link would take no time at all, and time is one of the figures.
    return tuple(replace(request, link=m, emit=COMPARED, use_cache=False) for m in MODES)


def compare_links(ptx: BuildResult, lto: BuildResult) -> LinkComparison:
    """Size and time of both links, then registers, stack and instructions per function.

    Args:
        ptx: What the PTX link came to.
        lto: What the LTO link came to.
    """
    results = (ptx, lto)
    figures = [
        LinkFigure("", "cubin, bytes", *(_size(result) for result in results)),
        LinkFigure("", "link, ms", *(_link_ms(result) for result in results)),
        LinkFigure("", "whole build, ms", *(round(r.total_ms, 1) for r in results)),
    ]
    counts = [_instructions(result) for result in results]
    resources = [{k.name: k.resources or Resources() for k in result.kernels} for result in results]
    names = (*resources[0], *resources[1], *counts[0], *counts[1])
    for name in dict.fromkeys(names):
        needs = [told.get(name, Resources()) for told in resources]
        figures += [
            LinkFigure(name, "registers", *(need.registers for need in needs)),
            LinkFigure(name, "stack, bytes", *(need.stack_bytes for need in needs)),
            LinkFigure(name, "instructions", *(count.get(name) for count in counts)),
        ]
    told = tuple(f for f in figures if f.ptx is not None or f.lto is not None)
    return LinkComparison(ptx, lto, told)


def _size(result: BuildResult) -> int | None:
    cubin = result.artifact(CodeKind.CUBIN, LINKED)
    return len(cubin.content) if cubin else None


def _link_ms(result: BuildResult) -> float | None:
    times = [
        s.ms for s in result.stages if s.tool is Tool.NVJITLINK and s.source == LINKED and s.ok
    ]
    return round(times[-1], 1) if times else None


def _instructions(result: BuildResult) -> dict[str, int]:
    sass = result.artifact(CodeKind.SASS, LINKED)
    return instruction_counts(sass.text) if sass else {}
