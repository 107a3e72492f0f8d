"""Reads what `nvdisasm -c -lrm count` prints: how many registers are alive at an instruction."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import replace

from jitstudio.analysis.sass.model import Disassembly, LiveRegisters, SassFunction

OPTIONS = ("-c", "-lrm", "count")
"""What makes nvdisasm print what is read here."""

_SECTION = re.compile(r"\s*+\.section\s++(\S+?),")
_TEXT = ".text."
# `// | GPR   | PRED   | UGPR   |`; which columns there are depends on the section.
_HEAD = re.compile(r".*// \|((?: [A-Z]+\s*+\|)+)\s*\Z")
# `        /*0010*/     S2R R0, SR_TID.X ;       // |   2   |        |   1    |`
_ROW = re.compile(r"\s++/\*([0-9a-f]{4,})\*/.*// \|((?:\s*+\d*+\s*+\|)+)\s*\Z")
_LEGEND = "// Legend:"
_COLUMNS = {name.upper(): at for at, name in enumerate(LiveRegisters._fields)}
_NONE = LiveRegisters(0, 0, 0, 0)

Counts = dict[int, LiveRegisters]
"""By the address of the instruction."""


def read_live(text: str) -> dict[str, Counts]:
    """What is alive at each address of each section, by the name of its function.

    A table that breaks off before its legend is left out.
    """
    found: dict[str, Counts] = {}
    counts: Counts = {}
    name = ""
    columns: Sequence[int] = ()
    for line in text.splitlines():
        if row := _ROW.match(line):
            values = list(_NONE)
            for at, cell in zip(columns, row[2].split("|"), strict=False):
                if cell := cell.strip():
                    values[at] = int(cell)
            counts[int(row[1], 16)] = LiveRegisters(*values)
        elif section := _SECTION.match(line):
            columns = ()
            counts = {}
            name = section[1].removeprefix(_TEXT) if section[1].startswith(_TEXT) else ""
        elif name and counts and _LEGEND in line:
            found[name] = counts
        elif not columns and (head := _HEAD.match(line)):
            names = [cell.strip() for cell in head[1].split("|") if cell.strip()]
            columns = [_COLUMNS[name] for name in names if name in _COLUMNS]
    return found


def with_live(code: Disassembly, live: dict[str, Counts]) -> Disassembly:
    """The same code with what is alive; a function whose table breaks off stays without."""
    return replace(
        code, functions=tuple(_with_live(one, live.get(one.name, {})) for one in code.functions)
    )


def _with_live(function: SassFunction, counts: Counts) -> SassFunction:
    if not counts:
        return function
    live = array("H")
    for address in function.addresses:
        # nvdisasm leaves out what control never comes to: nothing is alive there.
        live.extend(counts.get(address, _NONE))
    return replace(function, live=live)
