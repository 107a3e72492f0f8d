"""The JSON object of `jitstudio passes`; see `commands.json_output`."""

from __future__ import annotations

from jitstudio.analysis.passes import FilmReading, LineOrigin, compare_step
from jitstudio.commands.json_code import hunk_objects
from jitstudio.commands.json_output import Json, diagnostic_object, places_object
from jitstudio.commands.passes import Passes
from jitstudio.core.passes import FilmStep


def passes_object(answer: Passes) -> Json:
    """Returns the films of a build."""
    result = answer.result
    return {
        "ok": result.ok and not answer.has_failed,
        "outcome": result.outcome.value,
        "arch": result.arch.sm,
        "diagnostics": [diagnostic_object(diagnostic) for diagnostic in result.diagnostics],
        "films": list(map(_film, answer.readings)),
    }


def _film(reading: FilmReading) -> Json:
    film, listed = reading.film, reading.film.pass_list
    return {
        "name": film.name,
        "tool": film.tool.value,
        "complete": bool(film.passes) and not film.problem,
        "notes": list(film.notes),
        "tried": len(film.ptx) + len(film.errors),
        "passes": [
            {"number": item.number, "name": item.name, "unit": item.unit} for item in film.passes
        ],
        "ptx": film.ptx.get(0),
        "steps": list(map(_step, film.steps)),
        "lines": list(map(_line, reading.origins)),
        "remarks": [diagnostic_object(remark) for remark in listed.remarks] if listed else [],
        "back_end": [
            {"name": code.name, "unit": code.unit, "text": code.text}
            for code in (listed.back_end if listed else ())
            if code.text
        ],
    }


def _step(step: FilmStep) -> Json:
    comparison = compare_step(step)
    return {
        "first": step.passes[0].number,
        "last": step.passes[-1].number,
        "title": step.title,
        "ptx": step.after,
        "hunks": hunk_objects(comparison),
    }


def _line(origin: LineOrigin) -> Json:
    return {
        "line": origin.line,
        "text": origin.text,
        **places_object(origin.place),
        "first": origin.step.passes[0].number if origin.step else None,
        "last": origin.step.passes[-1].number if origin.step else None,
        "moved": origin.is_moved,
    }
