"""What a run in the simulator has shown that may cost time: facts, in place of guesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import ceil

from jitstudio.analysis.findings.model import Finding, RuleHit, grouped, once_a_line, text_of
from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.simulation import (
    SECTOR_BYTES,
    AccessKind,
    AccessSample,
    LineCounts,
    Simulation,
    StateSpace,
)

# By how much what was moved has to be more than what was needed.
_WASTE = 2
# Of the requests that have a conflict, and of the branches at which lanes part.
_SHARE_OF_CONFLICTS, _SHARE_OF_BRANCHES = 0.25, 0.1
_MEETING_LANES = 8
_KINDS = {AccessKind.READ: "load", AccessKind.WRITE: "store", AccessKind.ATOMIC: "atomic"}

GUESSED = frozenset({"strided", "narrow", "divergent", "banks", "parted", "atomics"})
"""Rules that guess what a run shows."""


def with_measured(guessed: Iterable[Finding], simulation: Simulation | None) -> tuple[Finding, ...]:
    """Returns the findings of a kernel, what a run has shown in place of what rules guess.

    Args:
        guessed: What the rules have to say.
        simulation: A run of the same code; None where there was none.
    """
    if simulation is None:
        return tuple(guessed)
    others = (finding for finding in guessed if finding.rule not in GUESSED)
    return grouped((*measured(simulation), *others))


def measured(simulation: Simulation) -> tuple[Finding, ...]:
    """Returns what a run has shown, once a line; what costs most kernels time before what may."""
    samples = {sample.ptx_line: sample for sample in simulation.samples}
    found = [
        _finding(rule, hit, line)
        for line in simulation.lines
        for rule, hit in _hits(line, samples.get(line.ptx_line))
    ]
    return once_a_line(sorted(found, key=lambda finding: finding.severity is not Severity.WARNING))


def _hits(line: LineCounts, sample: AccessSample | None) -> Iterator[tuple[str, RuleHit]]:
    if sample is not None and line.sectors:
        needed = max(1, ceil(line.bytes_used / line.requests / SECTOR_BYTES))
        words = {
            "what": f"{_KINDS[sample.kind]} of {sample.space.value} memory",
            "sectors": f"{line.sectors_per_request:.4g}",
            "needed": needed,
            "used": f"{line.used_share or 0:.0%}",
        }
        if line.sectors >= _WASTE * needed * line.requests:
            yield "sectors", RuleHit((), words)
    if sample is not None and line.bank_conflicts >= _SHARE_OF_CONFLICTS * line.requests > 0:
        words = {
            "what": _KINDS[sample.kind],
            "wavefronts": f"{line.wavefronts / line.requests:.4g}",
            "needed": f"{(line.wavefronts - line.bank_conflicts) / line.requests:.4g}",
            "advice": sample.suggestion
            or "Let the lanes of a warp access different banks: neighbouring words, or rows with "
            "an odd number of words.",
        }
        yield "banks", RuleHit((), words)
    if line.divergent >= _SHARE_OF_BRANCHES * line.executions > 0:
        words = {"parted": f"{line.divergent:,}", "all": f"{line.executions:,}"}
        yield "parted", RuleHit((), words)
    if line.lanes_per_address >= _MEETING_LANES:
        shared = sample is not None and sample.space is StateSpace.SHARED
        words = {"lanes": line.lanes_per_address, "space": "shared" if shared else "global"}
        yield "atomics", RuleHit((), words)


def _finding(rule: str, hit: RuleHit, line: LineCounts) -> Finding:
    places = (SourceLocation(line.file, line.line),) if line.line else ()
    made = text_of(rule, hit)
    return replace(made, places=places, lines=places, ptx_line=line.ptx_line)
