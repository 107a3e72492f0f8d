"""NVRTC's log: what is data in there, and what only stands in the way of reading it."""

from __future__ import annotations

import re

from jitstudio.core.result import Phase
from jitstudio.toolchain.precompile import without_messages

_TIMES = re.compile(
    r"^File name, phase name, metric, unit\n(?P<rows>(?:[^\n]*, [\d.]+, ms(?:\n|\Z))*+)",
    re.MULTILINE,
)
_ROW = re.compile(r", (?P<name>[^,\n]+), (?P<ms>\d+(?:\.\d+)?), ms$", re.MULTILINE)
# A warning, the lines of source below it, and the remark that follows the first one.
_WARNING = (
    r"^(?:{folders})/[^\n]*\(\d+\): warning [^\n]*\n(?:[ \t]+[^\n]*(?:\n|\Z))*\n?"
    r"(?:Remark: The warnings can be suppressed with [^\n]*\n*)?"
)


def split_phases(log: str) -> tuple[str, tuple[Phase, ...]]:
    """The log without the table that `--time=-` puts into it, and that table."""
    match = _TIMES.search(log)
    if match is None:
        return log, ()
    rows = _ROW.finditer(match["rows"])
    phases = tuple(Phase(row["name"], float(row["ms"])) for row in rows)
    return (log[: match.start()].rstrip() + log[match.end() :]).rstrip(), phases


def tidy(log: str, folders: tuple[str, ...]) -> str:
    """The log without what the user can do nothing about.

    That is NVRTC's own words on precompiled headers, and warnings inside NVIDIA's headers, of
    which the number is told.
    """
    log = without_messages(log)
    if not folders:
        return log
    names = "|".join(map(re.escape, folders))
    log, count = re.subn(_WARNING.format(folders=names), "", log, flags=re.MULTILINE)
    if count:
        log = f"{log.rstrip()}\nWarnings inside NVIDIA's own headers left out: {count}.".lstrip()
    return log
