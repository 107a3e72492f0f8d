"""The occupancy of a launch as the Report pane shows this: a headline, and rows of limits."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.occupancy.calculate import (
    Limits,
    Occupancy,
    OccupancyCurve,
    Resource,
    Usage,
    allocated_registers,
    allocated_shared,
    filling_of,
    over_registers,
    over_shared,
    over_threads,
)
from jitstudio.core.arch import Arch
from jitstudio.gui.features.report.model import KernelReading
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP


@dataclass(frozen=True)
class LaunchOccupancy:
    """A launch of a kernel, as far as occupancy goes.

    Attributes:
        arch: The target.
        limits: Of a multiprocessor of the target.
        usage: The resources of a block.
        occupancy: How many fit.
    """

    arch: Arch
    limits: Limits
    usage: Usage
    occupancy: Occupancy

    def curves(self) -> tuple[OccupancyCurve, OccupancyCurve, OccupancyCurve]:
        """Over threads, registers and shared memory."""
        return (
            over_threads(self.limits, self.usage),
            over_registers(self.limits, self.usage),
            over_shared(self.limits, self.usage),
        )


@dataclass(frozen=True)
class LimitRow:
    """The limit by a resource.

    Attributes:
        name: The name of the resource.
        needed: The amount that a block takes, with the unit where there is one.
        available: The amount of the multiprocessor.
        blocks: How many blocks that is enough for.
        limits: Whether no other allows fewer, and more warps could be there.
    """

    name: str
    needed: str
    available: str
    blocks: int
    limits: bool


def launch_occupancy(
    reading: KernelReading, threads: int, dynamic_bytes: int
) -> LaunchOccupancy | None:
    """Returns the occupancy of a launch; None where the limits or the registers are unknown."""
    filling = filling_of(reading.arch, reading.report.resources, threads, dynamic_bytes)
    return LaunchOccupancy(reading.arch, *filling) if filling is not None else None


def headline(launch: LaunchOccupancy) -> str:
    """Returns the occupancy in words, and the limit of the next block: a sentence or two."""
    translate = QCoreApplication.translate
    if not launch.occupancy.blocks:
        which = ", ".join(resource.value for resource in launch.occupancy.limiting)
        return translate(
            "Occupancy", "{target}: not even one block fits, because of its {resources}"
        ).format(target=launch.arch, resources=which)
    message = translate("Occupancy", "{target}: {share:.0%}, {warps} of {most} warps").format(
        target=launch.arch,
        share=launch.occupancy.fraction,
        warps=launch.occupancy.warps,
        most=launch.limits.warps,
    )
    if launch.occupancy.warps == launch.limits.warps:
        return message
    limiting = ", ".join(resource.value for resource in launch.occupancy.limiting)
    return translate("Occupancy", "{occupancy}; limited by {resources}").format(
        occupancy=message, resources=limiting
    )


def limit_rows(launch: LaunchOccupancy) -> tuple[LimitRow, ...]:
    """Returns the limit by each resource."""
    amounts = _amounts(launch)
    return tuple(
        LimitRow(
            limiter.resource.value.capitalize(),
            *amounts[limiter.resource],
            limiter.blocks,
            # Where all warps are there, nothing prevents more.
            limits=limiter.limits and launch.occupancy.warps < launch.limits.warps,
        )
        for limiter in launch.occupancy.limiters
        if limiter.blocks is not None
    )


def _amounts(launch: LaunchOccupancy) -> dict[Resource, tuple[str, str]]:
    """Returns the amount that a block needs, and the amount available, by resource."""
    limits, usage = launch.limits, launch.usage
    warps = -(-usage.threads // limits.threads_per_warp)
    registers = allocated_registers(limits, usage.registers) * warps * limits.threads_per_warp
    bytes_ = QCoreApplication.translate("Occupancy", "{count:,} bytes")
    return {
        Resource.WARPS: (f"{warps}", f"{limits.warps}"),
        Resource.REGISTERS: (f"{registers:,}", f"{limits.registers:,}"),
        Resource.SHARED: (
            bytes_.format(count=allocated_shared(limits, usage.shared_bytes)),
            bytes_.format(count=limits.shared),
        ),
        Resource.BLOCKS: ("1", f"{limits.blocks}"),
        Resource.BARRIERS: (f"{usage.barriers}", f"{limits.barriers or 0}"),
    }


LIMIT_COLUMNS: tuple[TableColumn[LimitRow], ...] = (
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Resource"),
        lambda row: row.name,
        mark=lambda row: "warning" if row.limits else "",
    ),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Per block"), lambda row: row.needed, number=True),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Available"), lambda row: row.available, number=True),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Blocks that fit"),
        lambda row: f"{row.blocks:,}",
        sort_key=lambda row: row.blocks,
        number=True,
    ),
)
