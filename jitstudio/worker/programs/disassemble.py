"""Requests to the process that reads machine code, and checks on the answers."""

from __future__ import annotations

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.codec import MOST_TEXT
from jitstudio.core.library import (
    LATEST,
    CodePiece,
    LibraryFailure,
    LibraryListing,
    ListingProgress,
    ListRequest,
    TakenCode,
    TakeRequest,
)
from jitstudio.core.tools import ToolFile
from jitstudio.worker.protocol import LARGEST, RequestType, Unfit, WorkerProgram


def _check_list(_: ListRequest, said: ListingProgress | LibraryListing | LibraryFailure) -> None:
    if not isinstance(said, LibraryListing):
        return
    if not all(map(_is_proper, said.pieces)):
        raise Unfit("it tells of an architecture or a date that there is not")
    if not all(0 <= kernel.piece < len(said.pieces) for kernel in said.kernels):
        raise Unfit("it tells of a kernel that is nowhere")


def _check_taken(request: TakeRequest, said: TakenCode | LibraryFailure) -> None:
    kinds = (CodeKind.FATBIN, CodeKind.CAPTURED, request.piece.kind)
    if isinstance(said, TakenCode) and said.kind not in kinds:
        raise Unfit("it gives what nobody asked for")


def _is_proper(piece: CodePiece) -> bool:
    try:
        return Arch.parse(piece.arch.sm) == piece.arch and 0 <= piece.date < LATEST
    except ValueError:
        return False


DISASSEMBLING = WorkerProgram(
    "jitstudio.worker.children.disassemble",
    (
        # With a reading that may be stored comes the nvdisasm that it was made with; before that,
        # to who asks for it, the code without live registers.
        RequestType(
            AnalysisRequest,
            512 << 20,
            Disassembly | ReadingFailure,
            ToolFile | Disassembly,
            most_events=2,
            most_text=MOST_TEXT,
        ),
        # How far it is, is reported ten times a second.
        RequestType(
            ListRequest,
            512 << 20,
            LibraryListing | LibraryFailure,
            ListingProgress,
            _check_list,
            100_000,
        ),
        RequestType(TakeRequest, LARGEST, TakenCode | LibraryFailure, check=_check_taken),
    ),
)
