"""What a rule has to say about a function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jitstudio.analysis.sass.model import InlineChain
from jitstudio.core.diagnostics import Severity


@dataclass(frozen=True)
class RuleHit:
    """What a rule has found, before it becomes a text.

    Attributes:
        indices: The instructions it is about, in the order of the code.
        words: What replaces the braces of the rule's text.
        form: Which of the rule's texts applies; empty for the plain one.
    """

    indices: tuple[int, ...]
    words: Mapping[str, object] = field(default_factory=dict)
    form: str = ""


@dataclass(frozen=True)
class Finding:
    """Something in a function that may cost time.

    Attributes:
        rule: The name of the rule, such as ``spills``.
        severity: How much it is worth; never an error.
        title: What it is, a few words.
        reason: What was seen and why it matters.
        remedy: What can be done about it.
        places: Where it comes from; empty where the line table does not say.
        ptx_line: The line of the PTX, counted from 1; 0 where unknown.
        indices: The instructions it is about, in the order of the code.
    """

    rule: str
    severity: Severity
    title: str
    reason: str
    remedy: str
    places: InlineChain
    ptx_line: int
    indices: tuple[int, ...]
