"""The worker process that reads machine code: cubins by nvdisasm, and containers of cubins."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.core.library import ListRequest, TakeRequest
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.disassembly import read_cubin
from jitstudio.toolchain.library import list_kernels, take_piece
from jitstudio.worker.children.serving import CallResult, Tell, serve, take_wire
from jitstudio.worker.limits import limit_memory
from jitstudio.worker.programs.disassemble import DISASSEMBLING
from jitstudio.worker.sandbox.seal import ProgramNeeds

if TYPE_CHECKING:
    from jitstudio.toolchain.cache_folders import CacheFolders


def main(memory_limit: int) -> None:
    """Serves analyses until the parent is gone."""
    wire = take_wire()
    limit_memory(memory_limit)
    locate.announce_toolkit()
    programs = partial(locate.programs, Tool.NVDISASM, Tool.CUOBJDUMP)
    serve(wire, DISASSEMBLING, _work, ProgramNeeds(programs, choose=locate.choose))


def _work(request: AnalysisRequest | ListRequest | TakeRequest, tell: Tell) -> CallResult:
    match request:
        case AnalysisRequest(cubin, name, ptx, _, function, _, counts_live):
            return CallResult(read_cubin(cubin, name, ptx, function, counts_live=counts_live))
        case ListRequest(path) if Path(path).is_dir():
            return CallResult(_caches().list(request, tell))
        case TakeRequest(path) if Path(path).is_dir():
            return CallResult(_caches().take(request))
        case ListRequest():
            return CallResult(list_kernels(request, tell))
        case TakeRequest():
            return CallResult(take_piece(request))


@cache
def _caches() -> CacheFolders:
    from jitstudio.toolchain.cache_folders import (  # noqa: PLC0415 - few processes need it
        CacheFolders,
    )

    return CacheFolders()
