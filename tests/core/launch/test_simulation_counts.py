"""Counts of lines of the PTX, added up for each line of the source: nothing is lost or doubled."""

import random
from dataclasses import fields

import pytest

from jitstudio.core.launch.simulation import LineCounts, of_source

_PLACE = {"file", "line", "ptx_line"}
_MOST = {"executions", "thread_executions", "lanes_per_address"}
"""A line of the source was reached as often as that of its lines which was reached most."""


@pytest.mark.parametrize("seed", range(20))
def test_the_counts_of_a_source_line_are_those_of_its_lines(seed):
    chance = random.Random(seed)
    counted = [f.name for f in fields(LineCounts) if f.type == "int" and f.name not in _PLACE]
    lines = [
        LineCounts(
            file=chance.choice("ab"),
            line=chance.randint(0, 3),
            ptx_line=ptx_line,
            **{name: chance.randint(0, 99) for name in counted},
        )
        for ptx_line in range(1, chance.randint(2, 12))
    ]
    by_source = of_source(lines)
    # Line 0 is of no line of the source.
    assert {(c.file, c.line) for c in by_source} == {(c.file, c.line) for c in lines if c.line}
    for counts in by_source:
        own = [c for c in lines if (c.file, c.line) == (counts.file, counts.line)]
        assert counts.ptx_line == min(c.ptx_line for c in own)
        often = max((c.executions, c.thread_executions) for c in own)
        assert (counts.executions, counts.thread_executions) == often
        assert counts.lanes_per_address == max(c.lanes_per_address for c in own)
        for name in {*counted} - _MOST:
            assert getattr(counts, name) == sum(getattr(c, name) for c in own), name
