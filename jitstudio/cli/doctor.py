"""`jitstudio doctor`: what is here, what is missing, and how to get it."""

from __future__ import annotations

import argparse
import json

from jitstudio.cli import exit_codes
from jitstudio.cli.terminal import say
from jitstudio.core.json_form import toolchain_object
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.texts.phrases import in_bytes
from jitstudio.core.request import ProbeRequest
from jitstudio.core.tools import ToolchainInfo, ToolInfo
from jitstudio.display import WindowCheck, check_window
from jitstudio.worker.builder import Builder


def run(arguments: argparse.Namespace) -> int:
    """Look around and report; the exit status is `MISSING` if a tool is.

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
        told = toolchain_object(info)
        told["window"] = {
            "problem": window.problem or None,
            "missing": list(window.missing),
            "remedy": window.remedy or None,
        }
        say(json.dumps(told, indent=2))
    else:
        _show(info, window)
    return exit_codes.MISSING if any(tool.problem for tool in info.tools) else exit_codes.BUILT


def _show(info: ToolchainInfo, window: WindowCheck) -> None:
    for tool in info.tools:
        say(f"{tool.tool.value:<11}{_tool_line(tool)}")
    archs = "  ".join(_with_dialect(a.arch.sm, a.llvm) for a in info.archs)
    say(f"{'targets':<11}{archs or 'unknown without NVRTC'}")
    say(f"{'driver':<11}{_driver_line(info.driver)}")
    for device in info.driver.devices if info.driver else ():
        say(
            f"{f'GPU {device.ordinal}':<11}{device.name}, compute capability "
            f"{device.capability}, {in_bytes(device.memory)}"
        )
    say(f"{'window':<11}{window.problem or 'can be opened'}")
    if window.remedy:
        say(f"{'':<11}On Debian and Ubuntu: {window.remedy}")


def _tool_line(tool: ToolInfo) -> str:
    if tool.problem:
        return f"MISSING: {tool.problem}"
    origin = tool.package or tool.found_via
    return f"{tool.version:<6} {origin}  {tool.path}"


def _with_dialect(arch: str, llvm: int | None) -> str:
    return f"{arch} (LLVM {llvm})" if llvm else arch


def _driver_line(driver: DeviceList | None) -> str:
    if driver is None:
        return "not asked"
    return driver.problem or f"serves CUDA {driver.driver_version}"
