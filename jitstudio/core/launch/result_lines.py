"""A launch in lines, for people who read its results as text."""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.core.launch.device import Device
from jitstudio.core.launch.result import CheckResult, LaunchResult

WORDS = 11
"""The width of the words in front of the lines."""


def launch_lines(result: LaunchResult, device: Device | None = None) -> Iterator[tuple[str, str]]:
    """Yields the figures and checks of a launch: a word, and a text about it.

    Args:
        result: The launch.
        device: The GPU, for its peak; None where that is not known.
    """
    if result.kernel:
        yield "kernel", result.kernel
    if result.device:
        yield "device", result.device
    if facts := result.facts:
        occupancy = "" if facts.occupancy is None else f", occupancy {facts.occupancy:.0%}"
        shared = f"{facts.shared_bytes:,} bytes of static shared memory"
        yield "needs", f"{facts.registers} registers a thread, {shared}{occupancy}"
    if timing := result.timing:
        first, third = timing.quartiles
        middle = f"median {timing.median:.4g} ms, minimum {timing.minimum:.4g} ms"
        spread = f"quartiles {first:.4g} to {third:.4g} ms"
        yield "time", f"{middle}, {spread}, of {len(timing.samples)}"
    if result.bandwidth:
        peak = device.peak_bandwidth if device else None
        share = f", {result.bandwidth / peak:.0%} of the memory's peak" if peak else ""
        yield "bandwidth", f"{result.bandwidth / 1e9:,.4g} GB/s{share}"
    if simulation := result.simulation:
        blocks = f"{simulation.blocks:,} of {simulation.of_blocks:,} blocks"
        exact = "exact" if simulation.exact else "exact but for the functions named below"
        seed = f", seed {simulation.seed}" if simulation.seed else ""
        yield "simulated", f"{simulation.instructions:,} instructions in {blocks}, {exact}{seed}"
    for check in result.checks:
        yield from _check_lines(check)


def _check_lines(check: CheckResult) -> Iterator[tuple[str, str]]:
    formula = f"{check.target} = {check.expression}"
    if check.problem:
        yield "CHECK", f"{formula}: {check.problem}"
        return
    errors = f"largest error {check.largest_absolute:.3g}, relative {check.largest_relative:.3g}"
    if check.left_out:
        errors += f"; {check.left_out:,} others of {check.buffer} are not compared"
    if check.ok:
        nans = f", {check.nans:,} of them NaN" if check.nans else ""
        yield "check", f"{formula}: all {check.count:,} elements as expected{nans}, {errors}"
        return
    yield "WRONG", f"{formula}: {check.wrong:,} of {check.count:,} elements differ, {errors}"
    for difference in check.differences:
        yield "", difference
