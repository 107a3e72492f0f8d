"""The figures of a launch: times, bandwidth, resources of the kernel.

Knows `core.launch` and no widget.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from jitstudio.core.launch.device import Device
from jitstudio.core.launch.result import KernelFacts, LaunchResult, Timing
from jitstudio.core.launch.simulation import Simulation
from jitstudio.gui.kit.translating import counted

# From this many milliseconds on, a time is reported in this unit.
_UNITS = ((1000.0, 1000.0, "s"), (1.0, 1.0, "ms"), (0.0, 0.001, "µs"))
_DIGITS = 4


@dataclass(frozen=True)
class LaunchFigure:
    """A figure: title, value and meaning."""

    name: str
    text: str
    meaning: str = ""


def time_scale(ms: float) -> tuple[float, str]:
    """Returns the unit that suits a time: the milliseconds of the unit, and the name."""
    # 999.96 ms are 1 s in four digits.
    rounded = float(f"{ms:.{_DIGITS}g}")
    return next((scale, unit) for least, scale, unit in _UNITS if rounded >= least)


def time_text(ms: float) -> str:
    """Returns a time with unit, in four digits: ``412.3 µs``, ``1.234 ms``, ``2.5 s``."""
    scale, unit = time_scale(ms)
    return f"{number_text(ms / scale)} {unit}"


def number_text(value: float) -> str:
    """Returns a number in four digits, or with all before the point."""
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 1
    text = f"{value:,.{max(0, _DIGITS - whole)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def bandwidth_text(result: LaunchResult, device: Device | None) -> str:
    """The effective bandwidth, and how much of the memory's peak that is; empty if unknown."""
    bandwidth = result.bandwidth
    if not bandwidth:
        return ""
    message = f"{number_text(bandwidth / 1e9)} GB/s"
    peak = device.peak_bandwidth if device else None
    if not peak:
        return message
    share = QCoreApplication.translate(
        "LaunchFigures", "{share:.1f} % of the peak of {peak} GB/s"
    ).format(share=bandwidth / peak * 100, peak=number_text(peak / 1e9))
    return f"{message}, {share}"


def timing_figures(
    result: LaunchResult, timing: Timing, device: Device | None
) -> tuple[LaunchFigure, ...]:
    """Returns the figures of the timed launches."""
    translate = QCoreApplication.translate
    first, third = map(time_text, timing.quartiles)
    figures = (
        LaunchFigure(
            translate("LaunchFigures", "Median"),
            time_text(timing.median),
            translate("LaunchFigures", "Half of the launches took at most as long."),
        ),
        LaunchFigure(translate("LaunchFigures", "Shortest"), time_text(timing.minimum)),
        LaunchFigure(translate("LaunchFigures", "Longest"), time_text(timing.maximum)),
        LaunchFigure(
            translate("LaunchFigures", "Quartiles"),
            translate("LaunchFigures", "{first} to {third}").format(first=first, third=third),
            translate("LaunchFigures", "The middle half of the launches took so long."),
        ),
        LaunchFigure(
            translate("LaunchFigures", "Samples"),
            counted(
                len(timing.samples),
                translate("LaunchFigures", "{count:,} launch"),
                translate("LaunchFigures", "{count:,} launches"),
            ),
        ),
        LaunchFigure(
            translate("LaunchFigures", "Bandwidth"),
            bandwidth_text(result, device),
            translate(
                "LaunchFigures",
                "{count:,} bytes, each input and output once, over the median time.",
            ).format(count=result.moved_bytes),
        ),
    )
    return tuple(figure for figure in figures if figure.text)


def timing_as_text(figures: tuple[LaunchFigure, ...]) -> str:
    """Returns the figures as lines to paste into a message."""
    width = max((len(figure.name) for figure in figures), default=0) + 1
    return "\n".join(f"{f'{figure.name}:':<{width}} {figure.text}" for figure in figures)


def timing_as_csv(timing: Timing) -> str:
    """Returns every sample in milliseconds, for a spreadsheet."""
    rows = (f"{number},{ms!r}" for number, ms in enumerate(timing.samples, 1))
    return "\n".join(("launch,ms", *rows))


def facts_text(result: LaunchResult) -> str:
    """Returns GPU, registers, memory, occupancy and times in a line; unknown facts are left out."""
    parts = [result.device]
    if result.facts:
        parts += _kernel_facts(result.facts)
    if result.simulation:
        parts += _counts(result.simulation)
    if result.start_ms is not None:
        started = QCoreApplication.translate("LaunchFigures", "started after {time}")
        parts.append(started.format(time=time_text(result.start_ms)))
    if result.total_ms and result.simulation:
        message = QCoreApplication.translate("LaunchFigures", "simulated within {time}")
        parts.append(message.format(time=time_text(result.total_ms)))
    elif result.total_ms:
        done = QCoreApplication.translate("LaunchFigures", "done after {time}")
        parts.append(done.format(time=time_text(result.total_ms)))
    return " · ".join(filter(None, parts))


def _counts(simulation: Simulation) -> Iterator[str]:
    """Yields the total counts of a simulated launch."""
    translate = QCoreApplication.translate
    if simulation.seed:
        yield translate("LaunchFigures", "seed {seed}").format(seed=simulation.seed)
    total = simulation.total
    executed = translate("LaunchFigures", "{count:,} instructions by warps")
    yield executed.format(count=total.executions)
    if total.sectors:
        moved = translate("LaunchFigures", "{count:,} sectors, {share} used")
        yield moved.format(count=total.sectors, share=f"{total.used_share or 0:.0%}")
    if total.wavefronts:
        yield counted(
            total.bank_conflicts,
            translate("LaunchFigures", "{count:,} bank conflict"),
            translate("LaunchFigures", "{count:,} bank conflicts"),
        )


def _kernel_facts(facts: KernelFacts) -> Iterator[str]:
    translate = QCoreApplication.translate
    yield counted(
        facts.registers,
        translate("LaunchFigures", "{count:,} register"),
        translate("LaunchFigures", "{count:,} registers"),
    )
    if facts.shared_bytes:
        shared = translate("LaunchFigures", "{count:,} bytes shared")
        yield shared.format(count=facts.shared_bytes)
    else:
        yield translate("LaunchFigures", "no static shared memory")
    if facts.local_bytes:
        local = translate("LaunchFigures", "{count:,} bytes local")
        yield local.format(count=facts.local_bytes)
    if facts.occupancy is not None:
        occupancy = translate("LaunchFigures", "occupancy {share}")
        yield occupancy.format(share=occupancy_text(facts.occupancy))
    if facts.active_blocks is not None:
        yield counted(
            facts.active_blocks,
            translate("LaunchFigures", "{count} block per multiprocessor"),
            translate("LaunchFigures", "{count} blocks per multiprocessor"),
        )


def occupancy_text(occupancy: float) -> str:
    """Returns a share from 0 to 1 in per cent."""
    return f"{occupancy * 100:.0f} %"
