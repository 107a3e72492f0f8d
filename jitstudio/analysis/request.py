"""What an analysis is asked, and what it answers where there is nothing to read."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.result import Outcome


@dataclass(frozen=True)
class AnalysisRequest:
    """Read the machine code of a cubin.

    Attributes:
        cubin: The file's content.
        name: How messages call it.
    """

    cubin: bytes
    name: str


@dataclass(frozen=True)
class Unreadable:
    """There is no answer.

    Attributes:
        words: What happened, why, and what to do.
        outcome: How it ended.
    """

    words: str
    outcome: Outcome = Outcome.FAILED
