"""What the Report pane shows of a kernel: computed in the background, shown as it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice

from jitstudio.analysis.findings.find import findings
from jitstudio.analysis.findings.model import Finding
from jitstudio.analysis.occupancy.limits import Limits, limits_of
from jitstudio.analysis.report import KernelReport, report
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.core.arch import Arch
from jitstudio.core.result import Resources


@dataclass(frozen=True, eq=False)
class Reading:
    """A kernel, read.

    Attributes:
        function: Its code.
        arch: What it was compiled for.
        report: It in numbers.
        findings: What may cost time.
        opcodes: How often each opcode is there, without modifiers; the most frequent first.
        limits: Of a multiprocessor of the target; None where they are not published.
    """

    function: SassFunction
    arch: Arch
    report: KernelReport
    findings: tuple[Finding, ...]
    opcodes: tuple[tuple[str, int], ...]
    limits: Limits | None


def read(function: SassFunction, resources: Resources | None, arch: Arch) -> Reading:
    """Read a kernel, or a function that others call."""
    stems = (opcode.partition(".")[0] for opcode in islice(function.opcodes, function.code_length))
    return Reading(
        function,
        arch,
        report(function, resources),
        findings(function, resources),
        tuple(Counter(stems).most_common()),
        limits_of(arch),
    )
