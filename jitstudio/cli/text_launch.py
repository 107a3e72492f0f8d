"""Launches in a terminal."""

from __future__ import annotations

from jitstudio.analysis.findings.measured import measured
from jitstudio.cli.text_code import print_finding
from jitstudio.cli.text_output import indented, print_diagnostics
from jitstudio.core.launch.count_lines import COUNT_HEADINGS, count_rows, lines_shown
from jitstudio.core.launch.device import Device
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.launch.result_lines import WORDS, launch_lines
from jitstudio.core.launch.simulation import Simulation
from jitstudio.system.terminal import print_error, say, table_lines

_INDENT = "  "


def print_launch(result: LaunchResult, device: Device | None) -> None:
    """Prints a launch but for the kernel's own output; the device is for the peak."""
    for name, text in launch_lines(result, device):
        say(f"{name:<{WORDS}}{text}")
    if result.jit_log:
        say("driver's compiler:")
        say(indented(result.jit_log.rstrip("\n")))
    if result.simulation:
        _print_counts(result.simulation)
    print_diagnostics(result.diagnostics)
    simulated = " of simulation" if result.simulation else ""
    print_error(f"{result.outcome.value.replace('-', ' ')} in {result.total_ms:.0f} ms{simulated}")


def _print_counts(simulation: Simulation) -> None:
    """Prints the counts of each source line; of code without a line table, each line of the PTX."""
    rows = [COUNT_HEADINGS, *count_rows(lines_shown(simulation))]
    for row in table_lines(rows):
        say(f"{_INDENT}{row}")
    for finding in measured(simulation):
        print_finding(finding)
