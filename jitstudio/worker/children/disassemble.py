"""The worker process that has nvdisasm read cubins, and makes columns of its text."""

from __future__ import annotations

from functools import partial

from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.disassembly import read_cubin
from jitstudio.worker.children.serving import CallResult, Tell, serve, take_wire
from jitstudio.worker.limits import limit_memory
from jitstudio.worker.programs.disassemble import DISASSEMBLING
from jitstudio.worker.sandbox.seal import ProgramNeeds


def main(memory_limit: int) -> None:
    """Serves analyses until the parent is gone."""
    wire = take_wire()
    limit_memory(memory_limit)
    locate.announce_toolkit()
    serve(wire, DISASSEMBLING, _work, ProgramNeeds(partial(locate.programs, Tool.NVDISASM)))


def _work(request: AnalysisRequest, tell: Tell) -> CallResult:
    return CallResult(read_cubin(request.cubin, request.name, request.ptx))
