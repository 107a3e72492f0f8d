"""Findings from a run in the simulator: counts in place of guesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import ceil

from jitstudio.analysis.findings.model import Finding, RuleHit, grouped, once_a_line, text_of
from jitstudio.analysis.sass.model import InlineChain, SourceLocation
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.simulation import (
    ASSUMED,
    SECTOR_BYTES,
    WORD_BYTES,
    AccessKind,
    AccessSample,
    LibraryBranch,
    LineCounts,
    Simulation,
    StateSpace,
)

# The least ratio of bytes moved to bytes needed that is reported.
_WASTE = 2
# The least shares of requests with conflicts, and of branches that part lanes.
_SHARE_OF_CONFLICTS, _SHARE_OF_BRANCHES = 0.25, 0.1
_MEETING_LANES = 8
_UNBRANCHED = (
    "SASS has no branch at this line: it executes both ways by predicates or selects "
    "for all lanes, so that nothing is gained by a condition that is the same for a warp."
)
_NO_STRIDE = (
    "The threads access what is not the same number of bytes apart, such as by an index that was "
    "loaded: no order of threads or of fields was found that takes less."
)
_NO_LAYOUT = (
    "Rows with some elements more and swizzled columns were tried on the addresses of the run: "
    "each of them has conflicts, too, or takes more passes elsewhere."
)
_KINDS = {AccessKind.READ: "load", AccessKind.WRITE: "store", AccessKind.ATOMIC: "atomic"}

_FIXED = frozenset({"locals", "parted", "atomics"})
"""Rules whose remedy is the same for all counts."""

GUESSED = frozenset({"strided", "narrow", "divergent", "banks", "parted", "atomics"})
"""Rules that guess counts which a run measures."""


def with_measured(guessed: Iterable[Finding], simulation: Simulation | None) -> tuple[Finding, ...]:
    """Returns the findings of a kernel, measured in place of guessed ones where a run exists.

    Args:
        guessed: The findings of the rules.
        simulation: A run of the same code; None where there was none.
    """
    if simulation is None:
        return tuple(guessed)
    others = (finding for finding in guessed if finding.rule not in GUESSED)
    return grouped((*measured(simulation), *others))


def measured(simulation: Simulation) -> tuple[Finding, ...]:
    """Returns the findings of a run, once a line; likely costs before possible ones."""
    samples = {sample.ptx_line: sample for sample in simulation.samples}
    parting = Counter((line.file, line.line) for line in simulation.lines if line.divergent)
    library = {branch.ptx_line: branch for branch in simulation.library}
    findings = []
    for line in simulation.lines:
        sample, branch = samples.get(line.ptx_line), library.get(line.ptx_line)
        of_line = parting[line.file, line.line] if line.line else 1
        for rule, hit in _hits(line, sample, of_line, branch):
            remedy = _remedy(rule, line, sample, simulation)
            if simulation.is_of_tiles:
                remedy = ""  # which thread accesses what is not the author's choice
            findings.append(_finding(rule, hit, _place(rule, line, branch), line.ptx_line, remedy))
    return once_a_line(
        sorted(findings, key=lambda finding: finding.severity is not Severity.WARNING)
    )


def _hits(
    line: LineCounts, sample: AccessSample | None, parting: int, library: LibraryBranch | None
) -> Iterator[tuple[str, RuleHit]]:
    """Yields the hits of a line of the PTX.

    Args:
        line: The counts of the line.
        sample: The costliest access of the line.
        parting: How many branches of the source line part lanes.
        library: The library that the branch may be of.
    """
    if sample is not None and line.sectors:
        needed = _needed_sectors(line, sample)
        words = {
            "what": f"{_KINDS[sample.kind]} of {sample.space.value} memory",
            "sectors": f"{line.sectors_per_request:.4g}",
            "needed": needed,
            "used": f"{line.used_share or 0:.0%}",
        }
        # Consecutive bytes take one sector more where they begin in the middle of a sector.
        is_spread = line.sectors > (needed + 1) * line.requests
        if sample.kind is AccessKind.ATOMIC and line.lanes_per_address > 1:
            is_spread = False  # a sector for each lane at an address: "atomics" tells of these
        if is_spread and line.sectors >= _WASTE * needed * line.requests:
            if sample.space is StateSpace.LOCAL:
                yield "locals", RuleHit((), words)
            else:
                words["advice"] = sample.advice or _NO_STRIDE
                yield "sectors", RuleHit((), words)
    if sample is not None and line.bank_conflicts >= _SHARE_OF_CONFLICTS * line.requests > 0:
        words = {
            "what": _KINDS[sample.kind],
            "wavefronts": f"{line.wavefronts / line.requests:.4g}",
            "needed": f"{(line.wavefronts - line.bank_conflicts) / line.requests:.4g}",
            "advice": sample.advice or _NO_LAYOUT,
        }
        yield "banks", RuleHit((), words)
    if line.divergent >= _SHARE_OF_BRANCHES * line.executions > 0:
        words = {
            "parted": f"{line.divergent:,}",
            "all": f"{line.executions:,}",
            "branches": parting,
        }
        form = "several" if parting > 1 else ""
        if library is not None:
            words["functions"] = " or ".join(library.functions)
            # A line table has no lines of libdevice: the loop of fmodf has the line of its call.
            form = "library" if library.is_alone else form or "either"
        yield "parted", RuleHit((), words, form)
    if line.lanes_per_address >= _MEETING_LANES:
        # Shared memory has no sectors. There is a sample only where an access costs extra.
        space = "global" if line.sectors else "shared"
        words = {"lanes": line.lanes_per_address, "space": space}
        yield "atomics", RuleHit((), words)


def _needed_sectors(line: LineCounts, sample: AccessSample) -> int:
    """Returns the sectors of a request whose lanes access consecutive bytes."""
    needed = max(1, ceil(line.bytes_used / line.requests / SECTOR_BYTES))
    if sample.space is StateSpace.LOCAL:
        # A sector has the same word of some lanes: few lanes fill none, however many words each.
        parts = {lane * WORD_BYTES // SECTOR_BYTES for lane, _ in sample.lanes}
        needed = max(needed, len(parts) * ceil(sample.size / WORD_BYTES))
    return needed


def _remedy(
    rule: str, line: LineCounts, sample: AccessSample | None, simulation: Simulation
) -> str:
    """Returns the pattern of a remedy, with braces for the text of the rule.

    The pattern tells where machine code differs from the counted PTX, and where nobody read that
    code.
    """
    if rule == "parted" and (line.file, line.line) in simulation.unbranched:
        return _UNBRANCHED
    if sample is not None and sample.otherwise and rule != "parted":
        return sample.otherwise
    return "{}" if simulation.is_read or rule not in _FIXED else f"{{}} {ASSUMED}"


def _place(rule: str, line: LineCounts, library: LibraryBranch | None) -> InlineChain:
    """Returns the line to look at: for a branch of a library the line of the call."""
    if rule == "parted" and library is not None:
        return (SourceLocation(library.file, library.line),)
    return (SourceLocation(line.file, line.line),) if line.line else ()


def _finding(rule: str, hit: RuleHit, places: InlineChain, ptx_line: int, remedy: str) -> Finding:
    finding = text_of(rule, hit, places)
    # Code that is not the author's has no remedy, for the machine code or not.
    remedy = finding.remedy and remedy.format(finding.remedy)
    return replace(finding, remedy=remedy, places=places, lines=places, ptx_line=ptx_line)
