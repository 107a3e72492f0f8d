"""All that is found out about a function: its numbers, its control flow, what may cost time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jitstudio.analysis.findings.find import findings
from jitstudio.analysis.findings.model import Finding
from jitstudio.analysis.flow.graph import FlowGraph
from jitstudio.analysis.flow.sass import sass_graph
from jitstudio.analysis.model import SassFunction
from jitstudio.analysis.occupancy.calculate import Occupancy, Usage, occupancy
from jitstudio.analysis.occupancy.curves import Point, over_registers, over_shared, over_threads
from jitstudio.analysis.occupancy.kernel import usage_of, usual_block
from jitstudio.analysis.occupancy.limits import Limits, limits_of
from jitstudio.analysis.report import KernelReport, report
from jitstudio.cli.machine_code import Unit
from jitstudio.core.arch import Arch
from jitstudio.core.result import Resources


@dataclass(frozen=True, eq=False)
class Filling:
    """How full a multiprocessor is with blocks of a kernel.

    Attributes:
        limits: What it holds.
        usage: What a block needs.
        found: What that comes to.
        what_if: What other values would make of it, by the name of what is changed.
    """

    limits: Limits
    usage: Usage
    found: Occupancy
    what_if: Mapping[str, Sequence[Point]]


@dataclass(frozen=True, eq=False)
class Inspected:
    """A function with all that was found out about it.

    Attributes:
        unit: What it is in.
        function: Its code.
        report: Its numbers.
        graph: Its control flow.
        findings: What may cost time.
        filling: None for what is no kernel, and where a limit or the registers are not known.
    """

    unit: Unit
    function: SassFunction
    report: KernelReport
    graph: FlowGraph
    findings: tuple[Finding, ...]
    filling: Filling | None

    @property
    def ptx_source(self) -> str:
        """The module, if it was written in PTX."""
        return self.unit.ptx_sources.get(self.function.name, "")

    @property
    def demangled(self) -> str:
        """Its name in words of C++."""
        return self.unit.demangled.get(self.function.name, self.function.name)


def inspected(unit: Unit, function: SassFunction, block: int | None, shared: int) -> Inspected:
    """Find out all about a function.

    Args:
        unit: What it is in.
        function: Its code.
        block: Threads per block to calculate the occupancy with; None for a usual number.
        shared: Bytes of dynamic shared memory per block.
    """
    resources = unit.resources.get(function.name)
    return Inspected(
        unit,
        function,
        report(function, resources),
        sass_graph(function),
        findings(function, resources),
        _filling(unit.code.target, resources, block, shared) if resources else None,
    )


def _filling(target: str, resources: Resources, block: int | None, shared: int) -> Filling | None:
    limits = limits_of(Arch.parse(target)) if target else None
    usage = usage_of(resources, block or usual_block(resources), shared)
    if limits is None or usage is None:
        return None
    what_if = {
        "threads": over_threads(limits, usage).points,
        "registers": over_registers(limits, usage).steps,
        "shared_bytes": over_shared(limits, usage).steps,
    }
    return Filling(limits, usage, occupancy(limits, usage), what_if)
