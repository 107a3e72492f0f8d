"""`jitstudio build --compare-links`: the same modules linked by PTX and by LTO, side by side."""

from __future__ import annotations

import json
from dataclasses import asdict

from jitstudio.cli import exit_codes, text_output
from jitstudio.cli.json_output import result_object
from jitstudio.cli.terminal import say, table_lines, tell
from jitstudio.core.plan import with_idle_options
from jitstudio.core.request import BuildRequest
from jitstudio.listing.link_comparison import LinkComparison, both_ways, compare_links
from jitstudio.worker.builder import Builder

_HEADINGS = ("function", "figure", "PTX link", "LTO link")


def run(request: BuildRequest, timeout: float, *, as_json: bool) -> int:
    """Link both ways and print the figures; the exit status of the worse of the two."""
    comparison = _build(request, timeout)
    both = (comparison.ptx, comparison.lto)
    if as_json:
        told = {
            "ok": all(result.ok for result in both),
            "ptx": result_object(comparison.ptx),
            "lto": result_object(comparison.lto),
            "figures": [asdict(figure) for figure in comparison.figures],
        }
        say(json.dumps(told, indent=2))
    else:
        for result in both:
            text_output.print_stages(result)
            text_output.print_summary(result)
        _print(comparison)
    return max(exit_codes.OF_OUTCOME[result.outcome] for result in both)


def _build(request: BuildRequest, timeout: float) -> LinkComparison:
    builder = Builder()
    try:
        return compare_links(
            *(
                with_idle_options(way, builder.build(way, timeout=timeout))
                for way in both_ways(request)
            )
        )
    finally:
        builder.close()


def _print(comparison: LinkComparison) -> None:
    tell("")
    rows: list[tuple[str, str, str, str]] = [_HEADINGS]
    for figure in comparison.figures:
        ptx, lto = ("-" if v is None else f"{v:,}" for v in (figure.ptx, figure.lto))
        rows.append((figure.subject or "the whole", figure.name, ptx, lto))
    for line in table_lines(rows, left=2):
        say(line)
