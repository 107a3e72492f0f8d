"""The figures of a launch in words: times, bandwidth, what the kernel needs.

Knows `core.launch` and no widget.
"""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.launch.device import Device
from jitstudio.core.launch.result import KernelFacts, LaunchResult, Timing

# From this many milliseconds on, a time is told in this unit.
_UNITS = ((1000.0, 1000.0, "s"), (1.0, 1.0, "ms"), (0.0, 0.001, "µs"))
_DIGITS = 4


@dataclass(frozen=True)
class Figure:
    """One figure: what it is called, what it is, and what it means."""

    name: str
    text: str
    meaning: str = ""


def time_scale(ms: float) -> tuple[float, str]:
    """The unit that suits a time: its milliseconds and its name."""
    return next((scale, unit) for least, scale, unit in _UNITS if ms >= least)


def time_text(ms: float) -> str:
    """A time with its unit, in four digits: ``412.3 µs``, ``1.234 ms``, ``2.5 s``."""
    scale, unit = time_scale(ms)
    return f"{number_text(ms / scale)} {unit}"


def number_text(value: float) -> str:
    """A number in four digits, or with all before the point."""
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 1
    text = f"{value:,.{max(0, _DIGITS - whole)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def bandwidth_text(result: LaunchResult, device: Device | None) -> str:
    """The effective bandwidth, and how much of the memory's peak that is; empty if unknown."""
    bandwidth = result.bandwidth
    if not bandwidth:
        return ""
    told = f"{number_text(bandwidth / 1e9)} GB/s"
    peak = device.peak_bandwidth if device else None
    if not peak:
        return told
    return f"{told}, {bandwidth / peak * 100:.1f} % of the peak of {number_text(peak / 1e9)} GB/s"


def timing_figures(
    result: LaunchResult, timing: Timing, device: Device | None
) -> tuple[Figure, ...]:
    """What the timed launches came to."""
    first, third = timing.quartiles
    count = len(timing.samples)
    figures = (
        Figure("Median", time_text(timing.median), "Half of the launches took at most as long."),
        Figure("Shortest", time_text(timing.minimum)),
        Figure("Longest", time_text(timing.maximum)),
        Figure(
            "Quartiles",
            f"{time_text(first)} to {time_text(third)}",
            "The middle half of the launches took so long.",
        ),
        Figure("Samples", f"{count:,} launch{'' if count == 1 else 'es'}"),
        Figure(
            "Bandwidth",
            bandwidth_text(result, device),
            f"{result.moved_bytes:,} bytes, each input and output once, over the median time.",
        ),
    )
    return tuple(figure for figure in figures if figure.text)


def timing_as_text(figures: tuple[Figure, ...]) -> str:
    """The figures as lines to paste into a message."""
    width = max((len(figure.name) for figure in figures), default=0) + 1
    return "\n".join(f"{f'{figure.name}:':<{width}} {figure.text}" for figure in figures)


def timing_as_csv(timing: Timing) -> str:
    """Every sample in milliseconds, for a spreadsheet."""
    rows = (f"{number},{ms!r}" for number, ms in enumerate(timing.samples, 1))
    return "\n".join(("launch,ms", *rows))


def facts_text(result: LaunchResult) -> str:
    """GPU, registers, memory, occupancy and times in one line; what is unknown is left out."""
    facts = _kernel_facts(result.facts) if result.facts else ()
    times = (
        "" if result.start_ms is None else f"started after {time_text(result.start_ms)}",
        f"done after {time_text(result.total_ms)}" if result.total_ms else "",
    )
    return " · ".join(part for part in (result.device, *facts, *times) if part)


def _kernel_facts(facts: KernelFacts) -> tuple[str, ...]:
    return (
        f"{facts.registers:,} register{'' if facts.registers == 1 else 's'}",
        f"{facts.shared_bytes:,} bytes shared" if facts.shared_bytes else "no static shared memory",
        f"{facts.local_bytes:,} bytes local" if facts.local_bytes else "",
        "" if facts.occupancy is None else f"occupancy {occupancy_text(facts.occupancy)}",
        _blocks(facts.active_blocks),
    )


def occupancy_text(occupancy: float) -> str:
    """A share from 0 to 1 in per cent."""
    return f"{occupancy * 100:.0f} %"


def _blocks(count: int | None) -> str:
    if count is None:
        return ""
    return f"{count} block{'' if count == 1 else 's'} per multiprocessor"
