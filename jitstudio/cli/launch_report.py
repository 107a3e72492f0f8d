"""What a launch looks like in a terminal: what came of it on stdout, what went wrong on stderr."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from jitstudio.cli.terminal import say, tell
from jitstudio.core.diagnostics import diagnostic_line
from jitstudio.core.launch.device import Device
from jitstudio.core.launch.result import CheckResult, LaunchResult

_PROSE_WIDTH = 92
_NAMES = 11


def print_launch(result: LaunchResult, device: Device | None) -> None:
    """All but what the kernel has printed; the device is for its peak."""
    for name, text in _lines(result, device):
        say(f"{name:<{_NAMES}}{text}")
    if result.jit_log:
        say("driver's compiler:")
        say(_indented(result.jit_log.rstrip("\n")))
    for diagnostic in result.diagnostics:
        tell(diagnostic_line(diagnostic))
        if diagnostic.explanation:
            tell(_indented(textwrap.fill(diagnostic.explanation, _PROSE_WIDTH)))
    tell(f"{result.outcome.value.replace('-', ' ')} in {result.total_ms:.0f} ms")


def _lines(result: LaunchResult, device: Device | None) -> Iterator[tuple[str, str]]:
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
    for check in result.checks:
        yield from _check_lines(check)


def _check_lines(check: CheckResult) -> Iterator[tuple[str, str]]:
    said = f"{check.buffer} = {check.expression}"
    if check.problem:
        yield "CHECK", f"{said}: {check.problem}"
        return
    errors = f"largest error {check.largest_absolute:.3g}, relative {check.largest_relative:.3g}"
    if check.ok:
        yield "check", f"{said}: all {check.count:,} elements as expected, {errors}"
        return
    yield "WRONG", f"{said}: {check.wrong:,} of {check.count:,} elements differ, {errors}"
    for mismatch in check.mismatches:
        index = ", ".join(map(str, mismatch.index))
        yield "", f"{check.buffer}[{index}] is {mismatch.got}, expected {mismatch.expected}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
