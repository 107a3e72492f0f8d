"""The functions that were inlined, by the line table of the PTX that an LTO link made.

Each `.loc` of inlined code names the function and the call (PTX ISA, `.loc`: `function_name`,
`inlined_at`). A call of which no instruction is left is in no table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from jitstudio.analysis.correlation.ptx_lines import PtxLines, read_ptx_lines
from jitstudio.analysis.sass.model import InlineChain, SourceLocation
from jitstudio.listing.functions import Function
from jitstudio.listing.lines import NOWHERE


@dataclass(frozen=True)
class Inlined:
    """A function that was inlined through a call, or through several calls on the same line.

    Attributes:
        function: The lowered name; empty where the table does not say.
        into: The lowered name of the kernel or function that contains the code now.
        calls: The line of the call; then, if that was inlined too, the call's call...
        place: The first line of the function with code.
        ptx_line: The first PTX line of the code, counted from 1.
        instructions: How many PTX instructions the function has, with all inlined into it.
    """

    function: str
    into: str
    calls: InlineChain
    place: SourceLocation
    ptx_line: int
    instructions: int


@dataclass(frozen=True)
class Inlining:
    """The inlined functions in a PTX text.

    Attributes:
        functions: The inlined functions, by the function of the PTX in order, then by call.
        untold: The lowered names of the functions without a line table.
    """

    functions: tuple[Inlined, ...]
    untold: tuple[str, ...]


def inlining(lines: Sequence[str]) -> Inlining:
    """Returns the inlined functions of a PTX text."""
    ptx = read_ptx_lines(lines)
    all_inlined: list[Inlined] = []
    untold = []
    for function in ptx.functions:
        codes = _codes(function, ptx)
        if not codes:
            untold.append(function.name)
        inlined = _inlined(function.name, codes, ptx.callees)
        all_inlined += sorted(inlined, key=lambda call: (call.calls[::-1], call.function))
    return Inlining(tuple(all_inlined), tuple(untold))


class _Code(NamedTuple):
    """The instructions of a function that come from the same place."""

    places: InlineChain
    first_line: int
    instructions: int


def _codes(function: Function, ptx: PtxLines) -> list[_Code]:
    """Returns the instructions of a function by place, as far as the line table says."""
    lines = np.arange(function.line + 1, function.end + 1)
    # An instruction over several lines counts once.
    lines = lines[ptx.starts[lines] == lines]
    places_with_counts = np.unique(ptx.place_ids[lines], return_index=True, return_counts=True)
    columns = (
        column.tolist()
        for column in (places_with_counts[0], lines[places_with_counts[1]], places_with_counts[2])
    )
    codes = (
        _Code(ptx.places[place], first, count)
        for place, first, count in zip(*columns, strict=True)
        if place != NOWHERE
    )
    return [code for code in codes if code.places]


def _inlined(
    into: str, codes: Iterable[_Code], callees: Mapping[InlineChain, str]
) -> Iterable[Inlined]:
    by_call: dict[tuple[str, InlineChain], Inlined] = {}
    for code in codes:
        for depth in range(len(code.places) - 1):
            place, *calls = code.places[depth:]
            function = callees.get(code.places[depth:], "")
            new = Inlined(function, into, tuple(calls), place, code.first_line, code.instructions)
            was = by_call.get((function, new.calls), new)
            by_call[function, new.calls] = replace(
                new,
                place=min(was.place, place),
                ptx_line=min(was.ptx_line, new.ptx_line),
                instructions=new.instructions + (was.instructions if was is not new else 0),
            )
    return by_call.values()
