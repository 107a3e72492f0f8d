"""The worker process that has nvdisasm read cubins, and makes columns of its text."""

from __future__ import annotations

from functools import partial

from jitstudio.analysis.correlation.chains import corrected
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.core.tools import Tool
from jitstudio.listing.lines import split_at_newlines
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
    read = read_cubin(request.cubin, request.name)
    if isinstance(read, ReadingFailure):
        return CallResult(read)
    texts = request.ptx.items()
    modules = {name: read_ptx_lines(split_at_newlines(text)) for name, text in texts}
    return CallResult(corrected(read, modules))
