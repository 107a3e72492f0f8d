"""What a simulated run has shown takes the place of what rules guess."""

from __future__ import annotations

from dataclasses import replace

from jitstudio.analysis.findings.measured import measured, with_measured
from jitstudio.analysis.findings.model import Finding
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.simulation import (
    AccessKind,
    AccessSample,
    LineCounts,
    Simulation,
    StateSpace,
    ThreadPlace,
)


def access(ptx_line: int, space: StateSpace, kind: AccessKind) -> AccessSample:
    place = ThreadPlace("k.cu", ptx_line // 10, ptx_line, (0, 0, 0), (0, 0, 0))
    return AccessSample(ptx_line, space, kind, 4, place, ((0, 0),), 1)


# A hundred warps whose lanes all access global memory.
EACH = {"requests": 100, "sector_requests": 100}
RUN = Simulation(
    *(1, 0.1, 1, 1),
    lines=(
        LineCounts("k.cu", 2, 20, 100, 3200, 50),
        LineCounts("k.cu", 3, 30, 100, 3200, **EACH, sectors=3200, bytes_used=12800),
        LineCounts("k.cu", 4, 40, 100, 3200, **EACH, sectors=400, bytes_used=12800),
        LineCounts("k.cu", 5, 50, 100, 3200, requests=100, wavefronts=200, bank_conflicts=100),
        LineCounts(
            *("", 0, 60, 100, 3200), **EACH, sectors=100, bytes_used=400, lanes_per_address=32
        ),
    ),
    samples=(
        access(30, StateSpace.GLOBAL, AccessKind.READ),
        access(40, StateSpace.GLOBAL, AccessKind.WRITE),
        access(50, StateSpace.SHARED, AccessKind.WRITE),
        access(60, StateSpace.GLOBAL, AccessKind.ATOMIC),
    ),
)


def test_each_cost_is_told_with_its_figures_and_line():
    found = measured(RUN)
    assert [(finding.rule, finding.ptx_line) for finding in found] == [
        ("sectors", 30),
        ("banks", 50),
        ("parted", 20),
        ("atomics", 60),
    ]
    uncoalesced, banks, parted, atomics = found
    assert uncoalesced.title == "Uncoalesced load of global memory"
    assert "took 32 sectors of 32 bytes per request of a warp; 4 would do" in uncoalesced.reason
    assert "which are 12% of those moved" in uncoalesced.reason
    assert "took 2 passes through the banks of shared memory per request" in banks.reason
    assert "50 of 100 times" in parted.reason
    assert (parted.places[0].file, parted.places[0].line) == ("k.cu", 2)
    assert "up to 32 lanes" in atomics.reason
    assert atomics.places == ()


def test_guesses_give_way_to_what_was_shown():
    guessed = [
        Finding(rule, Severity.WARNING, "", "", "", (), 0, ()) for rule in ("strided", "spills")
    ]
    assert with_measured(guessed, None) == tuple(guessed)
    assert [one.rule for one in with_measured(guessed, RUN)][-2:] == ["atomics", "spills"]


def test_an_unrolled_loop_is_told_once_a_line():
    first = LineCounts("k.cu", 2, 20, 100, 3200, 50)
    lines = (first, replace(first, ptx_line=25), replace(first, line=3, ptx_line=30))
    found = measured(replace(RUN, lines=lines))
    assert [(finding.rule, finding.ptx_line) for finding in found] == [
        ("parted", 20),
        ("parted", 30),
    ]
