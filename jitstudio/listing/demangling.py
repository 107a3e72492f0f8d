"""Lowered names in a listing, and the same lines with those names in words of C++."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_NAME = re.compile(r"(?<![\w$])_Z[\w$]+")
_PREFIX = "_Z"
# Of the code behind a name, as in `_Z1fv_param_0`, which no demangler takes for a part of it.
_BEHIND = re.compile(r"_(?:param_\d+|\d+)$")
_STAND_IN = "_"


def lowered_names(lines: Sequence[str]) -> frozenset[str]:
    """All mangled names in a listing, without what compilers hang onto them."""
    found = (match for line in lines if _PREFIX in line for match in _NAME.findall(line))
    return frozenset(_BEHIND.sub("", name) for name in found)


@dataclass(frozen=True)
class Spelling:
    """A listing with its names in words of C++.

    Attributes:
        lowered: The lines as the tools wrote them.
        lines: The lines to show.
        stand_ins: For each line that differs: the line to show with one identifier in place of
            each such name, for whoever reads code and would stumble over `f<int>(float const*)`.
        names: What each lowered name is shown as.
    """

    lowered: Sequence[str]
    lines: Sequence[str]
    stand_ins: Mapping[int, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def plain(cls, lines: Sequence[str]) -> Spelling:
        """The lines as the tools wrote them."""
        return cls(lines, lines)

    @classmethod
    def of(cls, lines: Sequence[str], names: Mapping[str, str]) -> Spelling:
        """The lines with these names replaced by what they mean."""
        shown = list(lines)
        stand_ins: dict[int, str] = {}
        for number, line in enumerate(lines):
            if _PREFIX in line:
                parts = [*_parts(line, names)]
                text = "".join(part[1] for part in parts)
                if text != line:
                    shown[number] = text
                    stand_ins[number] = "".join(
                        after if before == after else _STAND_IN * len(after)
                        for before, after in parts
                    )
        return cls(lines, tuple(shown), stand_ins, names)

    def name(self, lowered: str) -> str:
        """How a name is shown."""
        return self.names.get(lowered, lowered)

    def to_lowered(self, line: int, column: int) -> int:
        """The column in the line as the tools wrote it; within a name, where the name begins."""
        return self._move(line, column, shown=True)

    def to_shown(self, line: int, column: int) -> int:
        """The column in the line that is shown."""
        return self._move(line, column, shown=False)

    def _move(self, line: int, column: int, *, shown: bool) -> int:
        if line not in self.stand_ins:
            return column
        here = there = 0
        for part in _parts(self.lowered[line], self.names):
            source, target = reversed(part) if shown else part
            if column < here + len(source) or (source == target and column == here + len(source)):
                return there + (column - here if source == target else 0)
            here, there = here + len(source), there + len(target)
        return there + column - here


def _parts(line: str, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A line in pieces: each as it was written, and as it is shown."""
    at = 0
    for match in _NAME.finditer(line):
        name = _BEHIND.sub("", match.group())
        if name in names:
            start, end = match.start(), match.start() + len(name)
            yield line[at:start], line[at:start]
            yield name, names[name]
            at = end
    yield line[at:], line[at:]
