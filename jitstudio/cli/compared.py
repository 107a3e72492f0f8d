"""What `jitstudio diff` compares, and what it has found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jitstudio.analysis.comparing.deltas import Delta
from jitstudio.analysis.comparing.model import Comparison
from jitstudio.analysis.comparing.program import Program, data_comparable
from jitstudio.core.result import BuildResult, Resources


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two.

    Attributes:
        name: The file.
        result: The build; None where a text is taken as it is.
        lines: What is compared; unused where machine code is.
        is_kept: Whether they are PTX as machine code has kept it.
        program: The machine code; None where a text is compared, or nothing could be built.
        resources: What each kernel needs.
    """

    name: str
    result: BuildResult | None = None
    lines: tuple[str, ...] = ()
    is_kept: bool = False
    program: Program | None = None
    resources: Mapping[str, Resources] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Difference:
    """What the two have and have not in common; `comparison` is None where a build has failed."""

    sides: tuple[Side, Side]
    comparison: Comparison | None = None
    deltas: tuple[Delta, ...] = ()

    @property
    def data_compared(self) -> bool | None:
        """Whether more than code is compared; None where no machine code is."""
        left, right = (side.program for side in self.sides)
        if self.comparison is None or left is None or right is None:
            return None
        return data_comparable(left, right)
