"""Two launches of the same kernel, built in two ways, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jitstudio.core.launch.result import BufferResult, LaunchResult
from jitstudio.mcp.answers import Json
from jitstudio.mcp.summaries import totals
from jitstudio.mcp.wording import in_our_words


def run_changes(before: LaunchResult, after: LaunchResult) -> Json:
    """Returns the totals and outcomes that differ between two launches, and whether outputs do."""
    outcomes = (before.outcome.value, after.outcome.value)
    head: Json = {"outcome": outcomes[0] if outcomes[0] == outcomes[1] else " → ".join(outcomes)}
    if before.simulation and after.simulation:
        head["simulated"] = (
            _changes(totals(before.simulation), totals(after.simulation)) or "as before"
        )
    if before.timing and after.timing:
        head["median_ms"] = f"{before.timing.median:.4g} → {after.timing.median:.4g}"
    if not after.ok:
        head["b"] = in_our_words(after.reason)
    head["outputs"] = _agreement(before.buffers, after.buffers)
    return head


def _agreement(before: tuple[BufferResult, ...], after: tuple[BufferResult, ...]) -> str:
    """Returns whether two launches have left the same in the buffers, or how far they are apart."""
    # They load NumPy, which few tools need.
    from jitstudio.core.launch.request import Expectation  # noqa: PLC0415
    from jitstudio.numerics.compare import Tolerance, compare  # noqa: PLC0415
    from jitstudio.numerics.dtypes import as_expressions_see, open_buffer  # noqa: PLC0415

    ours, theirs = ({b.name: b for b in side if b.path} for side in (before, after))
    texts = [
        f"{name} is left by one of the two only" for name in sorted(ours.keys() ^ theirs.keys())
    ]
    for name in sorted(ours.keys() & theirs.keys()):
        buffer, other = ours[name], theirs[name]
        if (buffer.element, buffer.length) != (other.element, other.length):
            texts.append(f"{buffer.name} has another type or length")
            continue
        left, right = (open_buffer(side.path, side.element) for side in (buffer, other))
        check = compare(
            right,
            as_expressions_see(left, buffer.element),
            Expectation(buffer.name, "as in a"),
            buffer.element,
            Tolerance(),
        )
        if check.problem:
            texts.append(check.verdict)
        elif check.wrong:
            texts.append(
                f"{check.wrong:,} of {check.count:,} elements of {buffer.name} differ, by at most "
                f"{check.largest_absolute:.3g} (relative {check.largest_relative:.3g})"
            )
    return "; ".join(texts) or ("agree" if ours else "none to compare")


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """Returns the values of two objects that differ: ``24 → 32``."""
    names = [*before, *(name for name in after if name not in before)]
    return {
        name: f"{before.get(name, 0)} → {after.get(name, 0)}"
        for name in names
        if before.get(name, 0) != after.get(name, 0)
    }
