"""The worker process that films passes, by processes that are forked for each compile."""

from __future__ import annotations

from jitstudio.core.passes import PassesRequest
from jitstudio.toolchain import locate
from jitstudio.toolchain.passes import film
from jitstudio.worker.children.build import COMPILERS
from jitstudio.worker.children.serving import CallResult, Tell, serve, take_wire
from jitstudio.worker.limits import limit_files, limit_memory, limit_processes
from jitstudio.worker.pool import cores
from jitstudio.worker.programs.passes import FILMING

_MOST_AT_A_TIME = 8


def main(memory_limit: int) -> None:
    """Serves calls until the parent is gone."""
    wire = take_wire()
    limit_memory(memory_limit)
    limit_processes()
    limit_files()
    locate.announce_toolkit()
    serve(wire, FILMING, _work, COMPILERS)


def _work(request: PassesRequest, tell: Tell) -> CallResult:
    width = min(cores(), _MOST_AT_A_TIME)
    return CallResult(film(request, tell, width))
