"""The section of a report on the passes of the optimiser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import PurePath

from jitstudio.analysis.diff.unified import unified
from jitstudio.analysis.passes import FilmReading, compare_step
from jitstudio.core.diagnostics import diagnostic_line

_MARKS = {"+": "ins", "-": "del"}


def passes_section(readings: Iterable[FilmReading]) -> Iterator[str]:
    """Yields the passes that change the PTX, each with a diff, and the remarks."""
    for reading in readings:
        film = reading.film
        yield f"<h2>Passes of {escape(PurePath(film.name).name)}</h2>"
        facts = f"{len(film.passes):,} passes, {len(film.steps):,} change the PTX."
        yield f'<p class="muted">{escape(" ".join((facts, *film.notes)))}</p>'
        for step in film.steps:
            lines = "\n".join(map(_line, unified(compare_step(step))))
            yield f"<details><summary>{escape(step.title)}</summary><pre>{lines}</pre></details>"
        remarks = film.pass_list.remarks if film.pass_list else ()
        if remarks:
            lines = "\n".join(escape(diagnostic_line(remark)) for remark in remarks)
            yield f"<details><summary>Remarks</summary><pre>{lines}</pre></details>"


def _line(line: str) -> str:
    tag = _MARKS.get(line[:1])
    return f"<{tag}>{escape(line)}</{tag}>" if tag else escape(line)
