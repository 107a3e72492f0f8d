"""Lines at which lanes of a warp part inside a function of the math library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.simulation import LibraryBranch, Simulation
from jitstudio.core.line_table_paths import spellings
from jitstudio.listing.cuda.math_calls import math_calls


def with_library_calls(simulation: Simulation, sources: Sequence[Source]) -> Simulation:
    """Returns a run with the lines at which a library parts lanes, or may part lanes.

    Args:
        simulation: The run.
        sources: The modules of the build; the calls in headers are unknown.
    """
    return replace(simulation, library=(*simulation.library, *_calls(simulation, sources)))


def _calls(simulation: Simulation, sources: Sequence[Source]) -> Iterator[LibraryBranch]:
    reported = {branch.ptx_line for branch in simulation.library}
    parting = [x for x in simulation.lines if x.divergent and x.line and x.ptx_line not in reported]
    for source in sources:
        names = set(spellings(source.name, source.folder))
        here = [line for line in parting if line.file in names]
        if source.kind is not CodeKind.CUDA or not here:
            continue
        calls = math_calls(source.content, {line.line for line in here})
        for line in here:
            if (call := calls.get(line.line)) is not None:
                alone = not call.has_condition
                yield LibraryBranch(line.ptx_line, line.file, line.line, call.functions, alone)
