"""The rows of variants: outcomes, figures, and the best variants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from jitstudio.analysis.occupancy.calculate import limits_of, occupancy_at
from jitstudio.analysis.report import KernelReport, report
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.axes import Axis
from jitstudio.core.code import LINKED
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult
from jitstudio.core.prebuilt import cubin_of
from jitstudio.core.result import BuildResult, Outcome, Resources
from jitstudio.core.tools import Tool
from jitstudio.variants.plan import Variant

Value = float | int | None

BUILD_ENDED = "build-"
"""The prefix of the outcome of a build without anything to launch."""
CANCELLED_OUTCOMES = frozenset(
    {LaunchOutcome.CANCELLED.value, f"{BUILD_ENDED}{Outcome.CANCELLED.value}"}
)
"""The outcomes of variants that were waiting or in progress when the run was stopped."""
DRIVER, CALCULATED = "driver", "calculated"
"""Sources of an occupancy: the driver of the GPU, or the machine code and its target."""


@dataclass(frozen=True)
class BlockResources:
    """The properties of a launch that determine its occupancy.

    Attributes:
        threads: Per block; None where the launch does not say, or where it has clusters: the number
            of resident clusters depends on the way a GPU groups its multiprocessors.
        shared: Bytes of dynamic shared memory per block.
    """

    threads: int | None
    shared: int = 0


@dataclass(frozen=True)
class VariantRow:
    """The state and the figures of a variant.

    Attributes:
        variant: The variant.
        outcome: The value of a `LaunchOutcome`; that of an `Outcome` behind `BUILD_ENDED` where the
            build gave nothing to launch; ``built`` where nothing is to be launched; empty before
            the build has ended.
        message: Why the variant did not run or is wrong, what depends on the order of blocks and
            warps, or which figures are missing and why, a sentence; empty where all is well.
        result: The build, without artifacts unless asked for; None where there is none.
        kernel: The key of the kernel that the plan names (`BuildResult.kernel_keys`): the lowered
            name, with the module where several have the name; empty where the plan names no kernel.
        block: The block of the launch; None where the plan does not say.
        reports: The reports on the functions of the machine code, by key.
        notes: Facts of the machine code that could not be read, and why, in sentences.
        cubin_bytes: The size of the machine code.
        driver_registers: 32-bit registers per thread by the driver; None where not launched.
        occupancy: Resident warps over the most possible, from 0 to 1, at `block`.
        occupancy_source: `DRIVER` or `CALCULATED`; empty without an occupancy.
        median_ms: The median time of a launch.
        minimum_ms: The shortest time.
        bandwidth: Bytes per second, see `LaunchResult.bandwidth`.
        executed: Instructions of the PTX that the simulator executed, once for each thread; None
            where a GPU was used.
        sectors: 32-byte sectors of global and local memory in the simulator.
        bank_conflicts: Bank conflicts of shared memory in the simulator; see `LineCounts`.
        check: Whether all checks passed; None without checks.
        device: The GPU's name; empty where none was reached.
        site: The machine or process that has the GPU.
    """

    variant: Variant
    outcome: str = ""
    message: str = ""
    result: BuildResult | None = None
    kernel: str = ""
    block: BlockResources | None = None
    reports: Mapping[str, KernelReport] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    cubin_bytes: int | None = None
    driver_registers: int | None = None
    occupancy: float | None = None
    occupancy_source: str = ""
    median_ms: float | None = None
    minimum_ms: float | None = None
    bandwidth: float | None = None
    executed: int | None = None
    sectors: int | None = None
    bank_conflicts: int | None = None
    check: bool | None = None
    device: str = ""
    site: str = ""

    @property
    def is_waiting(self) -> bool:
        """Whether the build has not ended."""
        return not self.outcome

    @property
    def ok(self) -> bool:
        """Whether the variant ran and every check passed."""
        return self.outcome == LaunchOutcome.RAN.value

    @property
    def is_built(self) -> bool:
        """Whether the variant was built but not launched: not asked for, or there is no GPU."""
        return self.outcome in (Outcome.BUILT.value, LaunchOutcome.MISSING.value)

    @property
    def is_cancelled(self) -> bool:
        """Whether the run was stopped before this variant was done."""
        return self.outcome in CANCELLED_OUTCOMES

    @property
    def registers(self) -> int | None:
        """The registers of the plan's kernel, by the driver if launched, otherwise by the build."""
        if self.driver_registers is not None:
            return self.driver_registers
        needs = self.resources(self.kernel)
        return needs.registers if needs else None

    @property
    def compile_ms(self) -> float | None:
        """Milliseconds from the request of the build to the result, also of a failed build."""
        return self.result.total_ms if self.result else None

    @property
    def link_ms(self) -> float | None:
        """Milliseconds of the last link inside nvJitLink."""
        stages = self.result.stages if self.result else ()
        links = [s for s in stages if s.tool is Tool.NVJITLINK and s.source == LINKED and s.ok]
        return links[-1].ms if links else None

    def resources(self, kernel: str) -> Resources | None:
        """Returns the resources of a kernel; None where the variant lacks the kernel."""
        return self.result.resources_of(kernel) if self.result else None


class VariantFigure(Enum):
    """A figure of a variant; the value is the heading in CSV and Markdown."""

    MEDIAN = "median ms"
    MINIMUM = "minimum ms"
    BANDWIDTH = "bytes per second"
    EXECUTED = "executed instructions"
    SECTORS = "sectors"
    CONFLICTS = "bank conflicts"
    REGISTERS = "registers"
    SPILLED = "spilled bytes"
    STACK = "stack bytes"
    LIVE = "peak live registers"
    INSTRUCTIONS = "instructions"
    CODE = "code bytes"
    SHARED = "shared bytes"
    OCCUPANCY = "occupancy"
    CUBIN = "cubin bytes"
    LINK = "link ms"
    BUILD = "build ms"


MEASURED = frozenset({VariantFigure.MEDIAN, VariantFigure.MINIMUM, VariantFigure.BANDWIDTH})
"""The figures of a launch on a GPU."""
SIMULATED = frozenset({VariantFigure.EXECUTED, VariantFigure.SECTORS, VariantFigure.CONFLICTS})
"""The figures of a launch in the simulator."""
MORE_IS_BETTER = frozenset({VariantFigure.OCCUPANCY, VariantFigure.BANDWIDTH})
"""For these figures more is better, for all others less."""
_WITH_CALLEES = {VariantFigure.INSTRUCTIONS: "instructions", VariantFigure.CODE: "code_bytes"}
"""The figures to which callees add, with the fields of a `KernelReport`."""
_BOUGHT_BY_SPILLS = {VariantFigure.REGISTERS, VariantFigure.LIVE, VariantFigure.OCCUPANCY}
"""The figures that become better where registers are spilled."""


@dataclass(frozen=True)
class VariantView:
    """The subject of the figures of a table.

    Attributes:
        kernel: The key of a kernel; empty for the kernel that the plan names.
        threads: Per block, for the occupancy of variants whose launch does not say.
    """

    kernel: str = ""
    threads: int = 256

    def kernel_of(self, row: VariantRow) -> str:
        """Returns the key of the kernel whose figures a row shows."""
        return self.kernel or row.kernel


def value(figure: VariantFigure, row: VariantRow, view: VariantView) -> Value:
    """Returns a figure of a variant; None where unknown."""
    return _VALUES[figure](row, view)


def missing(row: VariantRow, view: VariantView) -> Iterator[str]:
    """Yields why figures of a variant are unknown although it was built and read, in sentences."""
    kernel_report = row.reports.get(view.kernel_of(row))
    if kernel_report is None:
        return
    if not kernel_report.peak:
        yield from row.notes or (
            "The live registers are not known: nvdisasm could not count them.",
        )
    if limits_of(row.variant.build.arch) is None:
        yield "The occupancy is not known: NVIDIA has published no limits of this target."


def whole(figure: VariantFigure, row: VariantRow, view: VariantView) -> Value:
    """Returns a figure of a variant with that of all functions that the kernel calls.

    None where the kernel or a callee is unknown. A figure to which callees do not add is the same
    as `value`.
    """
    if figure not in _WITH_CALLEES:
        return value(figure, row, view)
    names, total = [view.kernel_of(row)], 0
    # The list grows on the way; functions may call each other.
    for name in names:
        kernel_report = row.reports.get(name)
        if kernel_report is None:
            return None
        total += getattr(kernel_report, _WITH_CALLEES[figure])
        names += [callee for callee in sorted(kernel_report.callees) if callee not in names]
    return total


def best(figure: VariantFigure, rows: Iterable[VariantRow], view: VariantView) -> frozenset[int]:
    """Returns the variants that are the best in a figure, by their indices.

    Empty where fewer than two differ. A figure is the best only under its conditions: times of
    variants that ran and passed their checks, instructions with those of callees, and few registers
    where no other variant spills less.
    """
    able = [row for row in rows if row.ok or figure not in MEASURED | SIMULATED]
    figures = {row.variant.index: v for row in able if (v := whole(figure, row, view)) is not None}
    if len(set(figures.values())) < 2:
        return frozenset()
    winner = max(figures.values()) if figure in MORE_IS_BETTER else min(figures.values())
    winners = frozenset(index for index, v in figures.items() if v == winner)
    if figure in _BOUGHT_BY_SPILLS:
        spilled = {row.variant.index: value(VariantFigure.SPILLED, row, view) or 0 for row in able}
        least = min(spilled[index] for index in figures)
        winners = frozenset(index for index in winners if spilled[index] == least)
    return winners


def kernels_in(rows: Iterable[VariantRow]) -> dict[str, str]:
    """Returns the kernels of all variants: keys with names for people."""
    return {
        key: row.result.kernel_titles[place]
        for row in rows
        if row.result
        for place, key in row.result.kernel_keys.items()
    }


def functions_in(rows: Iterable[VariantRow]) -> dict[str, str]:
    """Returns the kernels of all variants, then the other functions, by their keys."""
    rows = tuple(rows)
    return kernels_in(rows) | {
        name: name for row in rows for name in row.reports if row.resources(name) is None
    }


@dataclass(frozen=True)
class VariantTable:
    """All rows, in the order of the plan.

    Attributes:
        axes: The axes of the plan.
        rows: The row of each variant; variants that were not reached end as cancelled.
        total_ms: Milliseconds from the start to the last row.
    """

    axes: tuple[Axis, ...]
    rows: tuple[VariantRow, ...]
    total_ms: float = 0.0

    @property
    def best(self) -> int | None:
        """The index of the fastest variant that ran and passed its checks, or None."""
        times = {
            row.variant.index: row.median_ms
            for row in self.rows
            if row.ok and row.median_ms is not None
        }
        return min(times, key=lambda index: times[index], default=None)


@dataclass(frozen=True)
class VariantReading:
    """The machine code of a variant, read.

    Attributes:
        reports: See `VariantRow`.
        notes: See `VariantRow`.
    """

    reports: Mapping[str, KernelReport]
    notes: tuple[str, ...] = ()


def reports_of(result: BuildResult, module: str, code: Disassembly) -> dict[str, KernelReport]:
    """Returns the reports on the functions of a module's machine code, the kernels first."""
    functions = sorted(code.functions, key=lambda function: not function.is_kernel)
    return {
        result.kernel_keys.get((module, f.name), f.name): report(
            f, result.resources_of(f.name, module)
        )
        for f in functions
    }


def unbuilt(
    variant: Variant, outcome: Outcome, message: str, result: BuildResult | None = None
) -> VariantRow:
    """Returns the row of a variant whose build gave nothing to launch."""
    return VariantRow(variant, f"{BUILD_ENDED}{outcome.value}", message, result)


def built(
    variant: Variant, result: BuildResult, kernel: str, block: BlockResources | None
) -> VariantRow:
    """Returns the row of a variant that was built.

    Args:
        variant: The variant.
        result: The build.
        kernel: The key of the kernel that the plan names.
        block: The block of the launch.
    """
    occupancy = _occupancy_at(result, kernel, block) if block else None
    cubin = cubin_of(variant.build, result)
    return VariantRow(
        variant,
        Outcome.BUILT.value,
        result=result,
        kernel=kernel,
        block=block,
        cubin_bytes=len(cubin.content) if cubin else None,
        occupancy=occupancy,
        occupancy_source="" if occupancy is None else CALCULATED,
    )


def unlaunched(row: VariantRow, outcome: LaunchOutcome, message: str) -> VariantRow:
    """Returns the row of a variant that was built but never reached a GPU."""
    row = replace(row, outcome=outcome.value, message=message)
    if outcome is LaunchOutcome.MISSING:
        return row
    # Where there are GPUs, only their driver knows the occupancy.
    return replace(row, occupancy=None, occupancy_source="")


def refused(row: VariantRow, problem: SpecProblem) -> VariantRow:
    """Returns the row of a variant whose launch makes no sense."""
    message = f"{problem.message} {problem.remedy}".rstrip()
    return unlaunched(row, LaunchOutcome.REFUSED, message)


def launched(row: VariantRow, result: LaunchResult, site: str) -> VariantRow:
    """Returns the row of a variant that was launched, whatever the outcome."""
    facts, timing, simulation = result.facts, result.timing, result.simulation
    occupancy = facts.occupancy if facts else None
    total = simulation.total if simulation else None
    differences = simulation.differences if simulation else ()
    depends = next((difference.message for difference in differences), "")
    return replace(
        row,
        outcome=result.outcome.value,
        message=depends if result.ok else result.reason,
        driver_registers=facts.registers if facts else None,
        occupancy=occupancy,
        occupancy_source="" if occupancy is None else DRIVER,
        median_ms=timing.median if timing else None,
        minimum_ms=timing.minimum if timing else None,
        bandwidth=result.bandwidth,
        executed=simulation.instructions if simulation else None,
        sectors=total.sectors if total else None,
        bank_conflicts=total.bank_conflicts if total else None,
        check=all(check.ok for check in result.checks) if result.checks else None,
        device=result.device,
        site=site,
    )


def _needs(name: str) -> Callable[[VariantRow, VariantView], Value]:
    def of(row: VariantRow, view: VariantView) -> Value:
        figure: Value = getattr(row.resources(view.kernel_of(row)), name, None)
        return figure

    return of


def _read(name: str) -> Callable[[VariantRow, VariantView], Value]:
    def of(row: VariantRow, view: VariantView) -> Value:
        figure: Value = getattr(row.reports.get(view.kernel_of(row)), name, None)
        return figure

    return of


def _measured(name: str) -> Callable[[VariantRow, VariantView], Value]:
    """Returns a reader of a figure of the launch, known for the plan's kernel only."""

    def of(row: VariantRow, view: VariantView) -> Value:
        figure: Value = getattr(row, name) if view.kernel_of(row) == row.kernel else None
        return figure

    return of


def _registers(row: VariantRow, view: VariantView) -> Value:
    own = view.kernel_of(row) == row.kernel
    return row.registers if own else _needs("registers")(row, view)


def _live(row: VariantRow, view: VariantView) -> Value:
    kernel_report = row.reports.get(view.kernel_of(row))
    return kernel_report.peak.gpr if kernel_report and kernel_report.peak else None


def _occupancy(row: VariantRow, view: VariantView) -> Value:
    kernel = view.kernel_of(row)
    if row.result is None or (row.block and kernel == row.kernel):
        return row.occupancy
    return _occupancy_at(row.result, kernel, row.block or BlockResources(view.threads))


def _occupancy_at(result: BuildResult, kernel: str, block: BlockResources) -> float | None:
    needs = result.resources_of(kernel)
    if needs is None or block.threads is None:
        return None
    return occupancy_at(result.arch, needs, block.threads, block.shared)


_VALUES: dict[VariantFigure, Callable[[VariantRow, VariantView], Value]] = {
    VariantFigure.MEDIAN: _measured("median_ms"),
    VariantFigure.MINIMUM: _measured("minimum_ms"),
    VariantFigure.BANDWIDTH: _measured("bandwidth"),
    VariantFigure.EXECUTED: _measured("executed"),
    VariantFigure.SECTORS: _measured("sectors"),
    VariantFigure.CONFLICTS: _measured("bank_conflicts"),
    VariantFigure.REGISTERS: _registers,
    VariantFigure.SPILLED: _needs("spill_stores"),
    VariantFigure.STACK: _needs("stack_bytes"),
    VariantFigure.LIVE: _live,
    VariantFigure.INSTRUCTIONS: _read("instructions"),
    VariantFigure.CODE: _read("code_bytes"),
    VariantFigure.SHARED: _needs("shared_bytes"),
    VariantFigure.OCCUPANCY: _occupancy,
    VariantFigure.CUBIN: lambda row, _view: row.cubin_bytes,
    VariantFigure.LINK: lambda row, _view: row.link_ms,
    VariantFigure.BUILD: lambda row, _v: row.compile_ms if row.result and row.result.ok else None,
}


def figures_known(rows: Sequence[VariantRow], view: VariantView) -> tuple[VariantFigure, ...]:
    """Returns the figures that are known of any variant."""
    return tuple(f for f in VariantFigure if any(value(f, row, view) is not None for row in rows))
