"""The program that reads machine code."""

from __future__ import annotations

from jitstudio.analysis.model import Disassembly
from jitstudio.analysis.request import AnalysisRequest, Unreadable
from jitstudio.worker.messages import Program, Service

ANALYSING = Program(
    "jitstudio.worker.children.disassemble",
    (Service(AnalysisRequest, 512 << 20, Disassembly | Unreadable),),
)
