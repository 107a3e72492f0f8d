"""The worker process of launches: the only place where a GPU is used.

It shares nothing with the process that compiles, so a kernel that hangs or breaks its context
disturbs no build; after an error that poisons the context it says that it is spent and is replaced.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from jitstudio.core.launch.request import InspectRequest
from jitstudio.toolchain.driver import GpuError, describe, why_unusable
from jitstudio.toolchain.gpu import launch_runner as runner
from jitstudio.toolchain.gpu.gpu_session import free_memory, session
from jitstudio.toolchain.tool_output import STDERR, STDOUT, Capture
from jitstudio.worker.children.serving import CallResult, Tell, serve, take_wire
from jitstudio.worker.programs.launch import LAUNCHING, LaunchCommand, ListDevices, WarmUp
from jitstudio.worker.sandbox import seal
from jitstudio.worker.sandbox.seal import ProgramNeeds

_SEALED = (
    "If other programs can use the GPU, the sandbox of this process may be too narrow for this "
    f"driver: {seal.SWITCH}=off starts jitstudio without it."
)


def main(_memory_limit: int) -> None:
    """Serves calls until the parent is gone. A driver needs more memory than a limit allows."""
    wire = take_wire()
    # C's own buffer would keep back what a kernel prints.
    Capture()
    serve(wire, LAUNCHING, _work, ProgramNeeds())


def _work(request: LaunchCommand | InspectRequest | ListDevices | WarmUp, tell: Tell) -> CallResult:
    match request:
        case LaunchCommand(wanted, prepared, folder, asked_at):
            _forget_printed()
            files = {name: Path(path) for name, path in prepared}
            ran = runner.launch(wanted, files, Path(folder), asked_at, tell)
            return CallResult(ran.result, spent=ran.spent)
        case InspectRequest():
            facts, spent = runner.inspect(request)
            return CallResult(facts, spent=spent)
        case ListDevices():
            return CallResult(_devices())
        case WarmUp(device):
            return CallResult(spent=not _warm(device))


def _devices() -> object:
    listed = describe()
    if listed.problem and seal.guards_gpu():
        listed = replace(listed, problem=f"{listed.problem} {_SEALED}")
    devices = (replace(d, memory_free=free_memory(d.ordinal)) for d in listed.devices)
    return replace(listed, devices=tuple(devices))


def _warm(device: int) -> bool:
    """Returns whether all is well; a GPU that cannot be opened says why at the launch."""
    try:
        if not why_unusable():
            session(device)
    except GpuError:
        return False
    return True


def _forget_printed() -> None:
    """Empties the file of printed text: a kernel can print a lot, launch after launch."""
    for descriptor in (STDOUT, STDERR):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
