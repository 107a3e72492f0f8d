"""The worker process that reads machine code: cubins by nvdisasm, and containers of cubins."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.library import ListRequest, TakeRequest
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.cubin_reading import is_repeatable, read_cubin
from jitstudio.toolchain.tool_files import stamped
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
        case AnalysisRequest():
            return _read(request, tell)
        case ListRequest(path) if Path(path).is_dir():
            return CallResult(_caches().list(request, tell))
        case TakeRequest(path) if Path(path).is_dir():
            return CallResult(_caches().take(request))
    # It loads nvJitLink, which the reading of a cubin does not need.
    from jitstudio.toolchain import library  # noqa: PLC0415

    if isinstance(request, ListRequest):
        return CallResult(library.list_kernels(request, tell))
    return CallResult(library.take_piece(request))


def _read(request: AnalysisRequest, tell: Tell) -> CallResult:
    code = read_cubin(
        request.cubin,
        request.name,
        request.ptx,
        request.function,
        counts_live=request.counts_live,
        on_code=tell if request.tells_early else lambda code: None,
    )
    is_lasting = isinstance(code, Disassembly) and is_repeatable(code)
    file = stamped(locate.nvdisasm()) if is_lasting else None
    return CallResult(code, last_events=() if file is None else (file,))


@cache
def _caches() -> CacheFolders:
    from jitstudio.toolchain.cache_folders import (  # noqa: PLC0415 - few processes need it
        CacheFolders,
    )

    return CacheFolders()
