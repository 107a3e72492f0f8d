"""What the process that simulates launches can be asked, and checks on its answers."""

from __future__ import annotations

from jitstudio.core.launch.result import LaunchEvent, LaunchResult
from jitstudio.worker.programs.launch import LaunchCommand, check_launch
from jitstudio.worker.protocol import RequestType, Unfit, WorkerProgram


def _check_simulation(call: LaunchCommand, said: LaunchEvent | LaunchResult) -> None:
    check_launch(call, said)
    if isinstance(said, LaunchResult) and (said.timing or said.counterpart or said.facts):
        raise Unfit("it tells the times of a GPU")


SIMULATING = WorkerProgram(
    "jitstudio.worker.children.simulate",
    (RequestType(LaunchCommand, 256 << 20, LaunchResult, LaunchEvent, _check_simulation, 100_000),),
)
