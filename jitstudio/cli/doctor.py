"""`jitstudio doctor`: what is here, what is missing, and how to get it."""

from __future__ import annotations

import argparse
import json

from jitstudio.cli import exit_codes
from jitstudio.cli.json_output import doctor_object
from jitstudio.cli.terminal import say
from jitstudio.core.doctor_text import gpu_findings, tool_findings, window_finding
from jitstudio.core.request import ProbeRequest
from jitstudio.core.toolchain_info import ToolchainInfo
from jitstudio.display import WindowCheck, check_window
from jitstudio.worker.builder import Builder

_WIDTH = 11


def run(arguments: argparse.Namespace) -> int:
    """Looks for the tools and reports; the exit status is `MISSING` if a tool is.

    Raises:
        WorkerError: The worker itself failed.
    """
    # No memory limit: a driver may reserve more than a build should take.
    builder = Builder(memory_limit=0)
    try:
        info = builder.probe(ProbeRequest(devices=True))
    finally:
        builder.close()
    window = check_window()
    if arguments.json:
        say(json.dumps(doctor_object(info, window), indent=2))
    else:
        _show(info, window)
    return exit_codes.MISSING if info.problems else exit_codes.BUILT


def _show(info: ToolchainInfo, window: WindowCheck) -> None:
    driver = gpu_findings(info.driver) if info.driver else ()
    findings = (*tool_findings(info), *driver, window_finding(window.problem, window.remedy))
    for finding in findings:
        head = "MISSING: " if finding.problem and finding.is_tool else ""
        words = finding.problem or "  ".join(filter(None, (finding.found, finding.place)))
        say(f"{finding.name:<{_WIDTH}}{head}{words}".replace("\n", f"\n{'':<{_WIDTH}}"))
