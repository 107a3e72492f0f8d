"""The row of a variant, out of what came of its build and its launch."""

from __future__ import annotations

from dataclasses import replace

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import KernelForm
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult
from jitstudio.core.result import BuildResult, Outcome, Resources
from jitstudio.core.sweep.plan import Variant
from jitstudio.core.sweep.result import BUILD_ENDED, CALCULATED, DRIVER, VariantResult


def unbuilt(
    variant: Variant, outcome: Outcome, message: str, compile_ms: float | None = None
) -> VariantResult:
    """Of a variant whose build made nothing to launch."""
    ended = f"{BUILD_ENDED}{outcome.value}"
    return VariantResult(variant, ended, message, compile_ms=compile_ms)


def built(variant: Variant, result: BuildResult, form: KernelForm | None) -> VariantResult:
    """Of a variant that waits for its launch; cancelled, unless that comes.

    Args:
        variant: Which one.
        result: Its build.
        form: The kernel; None where there is none of its name.
    """
    needs = (form and result.resources_of(form.lowered)) or Resources()
    return VariantResult(
        variant,
        LaunchOutcome.CANCELLED.value,
        registers=needs.registers,
        spill_bytes=needs.spill_stores,
        compile_ms=result.total_ms,
    )


def unlaunched(row: VariantResult, outcome: LaunchOutcome, message: str) -> VariantResult:
    """Of a variant that was built but never reached a GPU."""
    return replace(row, outcome=outcome.value, message=message)


def without_gpu(row: VariantResult, message: str, occupancy: float | None) -> VariantResult:
    """Of a variant that no GPU is there for, with the occupancy that was calculated."""
    source = "" if occupancy is None else CALCULATED
    row = unlaunched(row, LaunchOutcome.MISSING, message)
    return replace(row, occupancy=occupancy, occupancy_source=source)


def refused(row: VariantResult, problem: SpecProblem) -> VariantResult:
    """Of a variant whose launch makes no sense."""
    message = f"{problem.message} {problem.remedy}".rstrip()
    return unlaunched(row, LaunchOutcome.REFUSED, message)


def launched(row: VariantResult, result: LaunchResult, site: str) -> VariantResult:
    """Of a variant that was launched, however that ended."""
    facts, timing = result.facts, result.timing
    occupancy = facts.occupancy if facts else None
    return replace(
        row,
        outcome=result.outcome.value,
        message="" if result.ok else result.reason,
        registers=facts.registers if facts else row.registers,
        occupancy=occupancy,
        occupancy_source="" if occupancy is None else DRIVER,
        median_ms=timing.median if timing else None,
        minimum_ms=timing.minimum if timing else None,
        bandwidth=result.bandwidth,
        check=all(check.ok for check in result.checks) if result.checks else None,
        device=result.device,
        site=site,
    )
