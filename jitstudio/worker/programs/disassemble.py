"""What the process that reads machine code can be asked."""

from __future__ import annotations

from jitstudio.analysis.reading_request import AnalysisRequest, Unreadable
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.worker.protocol import Program, Service

DISASSEMBLING = Program(
    "jitstudio.worker.children.disassemble",
    (Service(AnalysisRequest, 512 << 20, Disassembly | Unreadable),),
)
