"""`jitstudio doctor`: the compilers, GPUs and packages here, and how to get missing parts."""

from __future__ import annotations

import json
from collections.abc import Iterable

from jitstudio.command_options.other import DoctorOptions
from jitstudio.commands import exit_codes
from jitstudio.commands.json_output import OtherToolchain, doctor_object
from jitstudio.core.request import ProbeRequest
from jitstudio.core.toolchain_folders import AddedToolchains, ToolchainFolder, named, toolchain_in
from jitstudio.core.toolchain_info import (
    ToolchainInfo,
    gpu_findings,
    python_finding,
    tool_findings,
    toolchain_finding,
    window_finding,
)
from jitstudio.system.display import WindowCheck, check_window
from jitstudio.system.interpreters import Interpreter, InterpreterError, interpreter
from jitstudio.system.terminal import say
from jitstudio.worker.builder import Builder
from jitstudio.worker.host import WorkerError

_WIDTH = 13


def run(options: DoctorOptions) -> int:
    """Looks for the tools and reports; the exit status is `MISSING` if a tool is.

    Raises:
        WorkerError: The worker itself failed.
    """
    # No memory limit: a driver may reserve more than a build should take.
    builder = Builder(memory_limit=0)
    added = AddedToolchains().folders
    try:
        info = builder.probe(ProbeRequest(devices=True))
        others = tuple(
            _probed(builder, name, toolchain)
            for name, toolchain in named(map(toolchain_in, (*added, *options.toolchain))).items()
        )
    finally:
        builder.close()
    window = check_window()
    python = _python(options.python or "")
    if options.json:
        say(json.dumps(doctor_object(info, window, python, others), indent=2))
    else:
        _show(info, window, python, others)
    return exit_codes.MISSING if info.problems else exit_codes.BUILT


def _probed(builder: Builder, name: str, toolchain: ToolchainFolder) -> OtherToolchain:
    problem = toolchain.problem
    if not problem:
        try:
            info = builder.probe(ProbeRequest(toolchain=toolchain.folder))
            return OtherToolchain(name, toolchain, info, toolchain.header_problem)
        except WorkerError as error:
            # A library that is broken ends the process that loads it.
            problem = str(error)
    return OtherToolchain(name, toolchain, None, problem)


def _python(path: str) -> Interpreter | str:
    """Returns the interpreter of scripts, or why there is none to use."""
    try:
        return interpreter(path)
    except InterpreterError as error:
        return str(error)


def _show(
    info: ToolchainInfo,
    window: WindowCheck,
    python: Interpreter | str,
    others: Iterable[OtherToolchain],
) -> None:
    versions = (
        toolchain_finding(
            other.name, other.toolchain.folder, other.toolchain.files, other.info, other.problem
        )
        for other in others
    )
    driver = gpu_findings(info.driver) if info.driver else ()
    tools = (*tool_findings(info), *versions)
    scripts = (
        python_finding(problem=python)
        if isinstance(python, str)
        else python_finding(python.version, python.path, dict(python.packages), python.install)
    )
    findings = (*tools, scripts, *driver, window_finding(window.problem, window.remedy))
    for finding in findings:
        head = "MISSING: " if finding.problem and finding.is_tool else ""
        words = finding.problem or "  ".join(filter(None, (finding.state, finding.place)))
        say(f"{finding.name:<{_WIDTH}}{head}{words}".replace("\n", f"\n{'':<{_WIDTH}}"))
