"""What can be read off the text of nvdisasm."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_FUNCTION = re.compile(r"\.text\.(\S+):")
# `        /*0010*/                   S2R R0, SR_TID.X ;`: the address, then the instruction.
_INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?(?P<opcode>[A-Z]\w*)")

# nvdisasm leaves room that nothing ever stands in; the encodings end as far to the right.
_ROOM = re.compile(r" {8}(/\*[0-9a-f]{4,}\*/) {4}(?= )|(?<! ) {10}(?= *+/\* 0x)")


def tightened(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a listing with ten blanks less in front of every instruction."""
    for line in lines:
        yield _ROOM.sub(_tight, line, 1) if line.startswith("        ") else line


def _tight(room: re.Match[str]) -> str:
    return f"  {room[1]}" if room[1] else ""


def instruction_counts(text: str) -> dict[str, int]:
    """Instructions per function, in the order of the text.

    Behind its code a function has a branch to itself and NOPs, which never run: they fill the
    cache line and are not counted.
    """
    opcodes: dict[str, list[str]] = {}
    function: list[str] = []
    for line in text.splitlines():
        if head := _FUNCTION.match(line):
            function = opcodes.setdefault(head[1], [])
        elif found := _INSTRUCTION.match(line):
            function.append(found["opcode"])
    return {name: _without_padding(found) for name, found in opcodes.items()}


def _without_padding(opcodes: list[str]) -> int:
    count = len(opcodes)
    while count and opcodes[count - 1] == "NOP":
        count -= 1
    return count - 1 if count and opcodes[count - 1] == "BRA" else count
