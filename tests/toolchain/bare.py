"""Builds what `told.json` in each of some folders describes, with the libraries alone.

For tests that show what a library does when nobody keeps it from it: no worker, nothing confined.
Each build has a process of its own, in its folder, and writes what it says into the file `log`.
"""

import json
import os
import sys
from pathlib import Path

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.events import Event, StageFinished
from jitstudio.core.options import split_options
from jitstudio.core.plan import plan
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.toolchain.runner import run
from jitstudio.toolchain.tool_output import Capture
from jitstudio.worker.execution import Schedule


def main() -> None:
    """Build, and print what fails: the files that appear tell the rest."""
    told = json.loads(Path("told.json").read_text())
    sources = (Source(told["name"], CodeKind(told["kind"]), told["text"].encode()),)
    request = BuildRequest(
        sources,
        emit=frozenset({CodeKind.PTX}),
        link=LinkMode(told["link"]),
        options=split_options(told["options"]),
        unsafe_options=True,
    )
    schedule = Schedule(request, plan(request))

    def told_by_tool(event: Event) -> None:
        if isinstance(event, StageFinished):
            schedule.add(event.artifacts)
            print(event.stage.error_log, file=sys.stderr)

    while ready := schedule.take_ready():
        for _, job in ready:
            run(job, told_by_tool, Capture())
    Path("done").touch()


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        if not (child := os.fork()):
            os.chdir(folder)
            log = os.open("log", os.O_CREAT | os.O_RDWR | os.O_APPEND)
            for stream in (sys.stdout, sys.stderr):
                os.dup2(log, stream.fileno())
            main()
            sys.exit()
        os.waitpid(child, 0)
