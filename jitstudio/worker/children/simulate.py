"""The worker process of simulated launches, with neither a GPU nor a native library but NumPy.

Whatever a kernel does, it has this process only, with a bounded share of memory and disk; the
parent ends it when its time is up.
"""

from __future__ import annotations

from pathlib import Path

from jitstudio.simulator.running import launching
from jitstudio.worker.children.serving import CallResult, Tell, serve, take_wire
from jitstudio.worker.limits import limit_memory
from jitstudio.worker.programs.launch import SIMULATING, LaunchCommand
from jitstudio.worker.sandbox.seal import ProgramNeeds


def main(memory_limit: int) -> None:
    """Serves simulations until the parent is gone."""
    wire = take_wire()
    limit_memory(memory_limit)
    serve(wire, SIMULATING, _work, ProgramNeeds())


def _work(command: LaunchCommand, tell: Tell) -> CallResult:
    files = {name: Path(path) for name, path in command.prepared}
    folder = Path(command.folder)
    return CallResult(launching.launch(command.request, files, folder, command.asked_at, tell))
