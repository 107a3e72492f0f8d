"""How much it costs that so many registers are alive at an instruction.

Up to a count every warp of the multiprocessor finds room in the register file, and more live
registers cost nothing. Beyond it fewer warps are resident: the rule is that of registers in
`calculate`. Where ptxas found no more registers, it spilled, which costs most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from jitstudio.analysis.occupancy.calculate import Limits, warps_by_registers
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.pressure import live_gprs
from jitstudio.core.result import Kernel

HARMLESS = 0.5
"""Levels below this one cost no warp."""

# A kernel spills where most registers are alive: from this part of the highest count on.
_NEAR_TOP = 0.9


@dataclass(frozen=True)
class RegisterCost:
    """What live registers cost on a target.

    Attributes:
        limits: Of its multiprocessors; None where NVIDIA has published none.
        spills: Of each function that spills, from how many live registers on that happens.
    """

    limits: Limits | None = None
    spills: Mapping[str, int] = field(default_factory=dict)

    def spills_at(self, function: str, live: int) -> bool:
        """Returns whether a function spills where so many registers are alive."""
        return function in self.spills and live >= self.spills[function]

    def level(self, live: int, spills: bool = False) -> float:
        """Returns what so many live registers of a thread cost.

        Returns:
            Below `HARMLESS` if all warps fit, by how much of their room is taken; from there to 1
            by the share of warps that do not fit; 1 where registers are spilled. An estimate: a
            kernel takes what it needs at its highest place and a few registers more, and large
            blocks fit less well.
        """
        if spills:
            return 1.0
        if self.limits is None:
            return 0.0
        lost = 1 - warps_by_registers(self.limits, live) / self.limits.warps
        if lost:
            return HARMLESS + lost * (1 - HARMLESS)
        room = self.limits.registers // (self.limits.warps * self.limits.threads_per_warp)
        return HARMLESS * live / (room + 1)


def register_cost_of(
    functions: Iterable[SassFunction], kernels: Iterable[Kernel], limits: Limits | None
) -> RegisterCost:
    """Returns what live registers cost in some code.

    Args:
        functions: The code.
        kernels: What the tools report of each kernel.
        limits: Of the multiprocessors of its target.
    """
    resources = {kernel.name: kernel.resources for kernel in kernels if kernel.resources}
    spilling = {
        name for name, needs in resources.items() if needs.spill_stores or needs.spill_loads
    }
    tops = {f.name: max(live_gprs(f), default=0) for f in functions if f.name in spilling}
    return RegisterCost(limits, {name: round(_NEAR_TOP * top) for name, top in tops.items() if top})
