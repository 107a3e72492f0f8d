"""What the process that reads machine code can be asked."""

from __future__ import annotations

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.worker.protocol import RequestType, WorkerProgram

DISASSEMBLING = WorkerProgram(
    "jitstudio.worker.children.disassemble",
    (RequestType(AnalysisRequest, 512 << 20, Disassembly | ReadingFailure),),
)
