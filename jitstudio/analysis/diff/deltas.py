"""What two programs need, side by side, kernel by kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from jitstudio.analysis.diff.program import CubinProgram, partners
from jitstudio.analysis.report import KernelReport, report
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.opcodes import OpcodeGroup
from jitstudio.core.result import Resources

_LIVE = "live_registers"


@dataclass(frozen=True)
class FigureDelta:
    """One figure of a function in two programs; None where it is not known.

    Attributes:
        name: The function's lowered name in the first program that has it.
        figure: Such as ``registers`` or ``instructions``; stable.
        left: Of the first program.
        right: Of the second program.
    """

    name: str
    figure: str
    left: int | None
    right: int | None

    @property
    def difference(self) -> int | None:
        """How much more it is in the second program."""
        return self.right - self.left if self.left is not None and self.right is not None else None

    @property
    def changed(self) -> bool:
        """Whether the figures differ."""
        return self.left != self.right


Needs = Mapping[str, Resources]
"""What each kernel needs, by its lowered name."""


def report_deltas(
    left: CubinProgram, right: CubinProgram, left_needs: Needs, right_needs: Needs
) -> tuple[FigureDelta, ...]:
    """The reports of all functions side by side; a figure that is not known of both is left out."""
    return tuple(
        delta
        for one, other in partners(left, right)
        for delta in _deltas(_report(one, left_needs), _report(other, right_needs))
    )


def _report(function: SassFunction | None, needs: Needs) -> KernelReport | None:
    return report(function, needs.get(function.name)) if function else None


def _deltas(left: KernelReport | None, right: KernelReport | None) -> Iterator[FigureDelta]:
    name = next(told.name for told in (left, right) if told)
    for figure, read in FIGURES.items():
        one, other = (read(told) if told else None for told in (left, right))
        known = (one is not None) + (other is not None)
        # Of a function that only one program has, the other has no figure.
        if known == 2 or (known and not (left and right)):
            yield FigureDelta(name, figure, one, other)


def changed(deltas: Iterable[FigureDelta]) -> tuple[FigureDelta, ...]:
    """Returns those that differ."""
    return tuple(delta for delta in deltas if delta.changed)


def _resource(field: str) -> Callable[[KernelReport], int | None]:
    return lambda told: getattr(told.resources, field)


def _group(group: OpcodeGroup) -> Callable[[KernelReport], int | None]:
    return lambda told: told.groups[group]


FIGURES: dict[str, Callable[[KernelReport], int | None]] = {
    "instructions": lambda told: told.instructions,
    "code_bytes": lambda told: told.code_bytes,
    **{field.name: _resource(field.name) for field in fields(Resources)},
    _LIVE: lambda told: told.peak.gpr if told.peak else None,
    **{f"{group.value}_instructions": _group(group) for group in OpcodeGroup},
}
"""How each figure is read off a report, in the order in which they are shown."""
