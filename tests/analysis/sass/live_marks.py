"""What `nvdisasm -lrm narrow` marks: which registers each instruction reads, writes and keeps.

It is the judge of all that is read of operands: it knows the encodings.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from jitstudio.analysis.sass.operands import GPR, PRED, UGPR, UPRED

OPTIONS = ("-c", "-lrm", "narrow")

_FIRST = {"GPR": GPR, "UGPR": UGPR, "PRED": PRED, "UPRED": UPRED}
_ADDRESS = re.compile(r"\s+/\*([0-9a-f]{4,})\*/")
_SECTION = re.compile(r"\s*\.section\s+\.text\.(\S+?),")


class Marks(NamedTuple):
    """Sets of registers: those read, those written, and all that are alive."""

    reads: int
    writes: int
    live: int


def read_marks(text: str) -> dict[str, dict[int, Marks]]:
    """By function and address; code that control never comes to has none."""
    found: dict[str, dict[int, Marks]] = {}
    marks: dict[int, Marks] = {}
    head: list[str] = []
    columns: list[tuple[int, int]] = []
    for line in text.splitlines():
        if section := _SECTION.match(line):
            marks, head, columns = found.setdefault(section[1], {}), [], []
            continue
        code, bar, table = line.partition("// |")
        if not bar:
            continue
        if not columns:
            head.append(table)
            columns = list(_columns(head)) if " # " in table else []
        elif address := _ADDRESS.match(code):
            cells = [(table[at : at + 1], 1 << number) for at, number in columns]
            marks[int(address[1], 16)] = Marks(
                sum(bit for cell, bit in cells if cell and cell in "vx"),
                sum(bit for cell, bit in cells if cell and cell in "^x"),
                sum(bit for cell, bit in cells if cell.strip()),
            )
    return found


def _columns(head: list[str]) -> Iterator[tuple[int, int]]:
    """The places of registers in a row; their numbers stand above them, a digit in each line."""
    title = next(line for line in head if "GPR" in line)
    digits = [line for line in head if re.fullmatch(r"[\d\s|#]*\d[\d\s|#]*", line)]
    for group in re.finditer(r"[^|]+", title):
        name = group[0].strip()
        for at in range(digits[-1].index("#", group.start()) + 2, group.end()) if name else ():
            number = "".join(line[at : at + 1] for line in digits).strip()
            if number:
                yield at, _FIRST[name] + int(number)
