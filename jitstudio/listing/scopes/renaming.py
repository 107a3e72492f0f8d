"""Where a name in a text of CUDA C++ is defined, and the changes by renaming."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from jitstudio.core.code import CodeKind
from jitstudio.listing.find_symbols import symbols
from jitstudio.listing.lexers.cuda_cxx import WORDS
from jitstudio.listing.scopes.names import CudaSource, Occurrence
from jitstudio.listing.scopes.tree import ScopeKind

Span = tuple[int, int]
"""The first column and the one behind the last, in characters from 0."""


class Lines:
    """The lines of a text.

    Attributes:
        content: The text in UTF-8.
    """

    def __init__(self, text: str) -> None:
        self._lines = [line.encode("utf-8", "replace") for line in text.split("\n")]
        self.content = b"\n".join(self._lines)
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)][:-1]

    def byte(self, line: int, column: int) -> int:
        """Returns the byte at a place; outside of the text, the nearest end."""
        line = min(max(line, 0), len(self._lines) - 1)
        before = self._lines[line].decode("utf-8")[: max(column, 0)]
        return self._starts[line] + len(before.encode("utf-8"))

    def place(self, byte: int) -> tuple[int, int]:
        """Returns the line and the column of a byte, both from 0."""
        line = bisect_right(self._starts, byte) - 1
        before = self._lines[line][: byte - self._starts[line]]
        return line, len(before.decode("utf-8", "replace"))

    def span(self, byte: int, length: int) -> tuple[int, Span]:
        """Returns the line and the columns of so many bytes of a line."""
        line, column = self.place(byte)
        return line, (column, self.place(byte + length)[1])


Place = tuple[int, int]
"""A line and a column in characters, both from 0."""

_CUDA = (CodeKind.CUDA, CodeKind.HEADER)
_INCLUDE = re.compile(r"\s*#\s*include(?:_next)?\s*(?:\"([^\"]+)\"|<([^>]+)>)")
# What PTX and LLVM IR call names; a label is defined without the sign that it is used with.
_ANY_NAME = re.compile(r'[@%$.\w]*"[^"]*"|[-@%$.\w]+')


@dataclass(frozen=True)
class SymbolQuery:
    """The symbol that a place in a text asks for.

    Attributes:
        name: The name there; empty where there is none.
        include: The file that the line includes.
        places: Where the name is defined, or announced if it is defined nowhere in the text.
        is_member: Whether it may belong to a class.
        is_built_in: Whether it is a word of the language.
    """

    name: str = ""
    include: str = ""
    places: tuple[Place, ...] = ()
    is_member: bool = False
    is_built_in: bool = False


def question(kind: CodeKind, text: str, line: int, column: int) -> SymbolQuery:
    """Returns the query at a place, counted from 0, in characters. May take a while."""
    if kind not in _CUDA:
        return _question_by_symbols(kind, text, line, column)
    include = _INCLUDE.match(text.split("\n")[line])
    if include:
        return SymbolQuery(include=include[1] or include[2])
    lines = Lines(text)
    source = CudaSource(lines.content)
    name, here = source.at(lines.byte(line, column))
    if here is None:
        return SymbolQuery()
    word, occurrences = name.decode("utf-8", "replace"), source.occurrences(name)
    if here.scope is not None:
        occurrences = tuple(o for o in occurrences if o.scope == here.scope)
    elif here.is_certain:
        occurrences = ()
    places = _places(lines, [o for o in occurrences if o.declares], here)
    return SymbolQuery(word, "", places, here.may_be_member, word in WORDS)


def defined_in(text: str, name: str, may_be_member: bool) -> tuple[Place, ...]:
    """Returns where a text in CUDA C++ defines a name that others can use.

    Args:
        text: The text.
        name: The name.
        may_be_member: Whether members of classes count.
    """
    if name not in text:
        return ()
    lines = Lines(text)
    occurrences = CudaSource(lines.content).occurrences(name.encode("utf-8", "replace"))
    kinds = (ScopeKind.OPEN, ScopeKind.CLASS) if may_be_member else (ScopeKind.OPEN,)
    known = [o for o in occurrences if o.declares and (o.kind in kinds or o.scope == "")]
    return _places(lines, known, None)


def _places(lines: Lines, declared: list[Occurrence], here: Occurrence | None) -> tuple[Place, ...]:
    """Returns the definitions, otherwise the declarations; rather not where we are."""
    defined = [o for o in declared if o.is_definition] or declared
    if here is not None and any(o.start == here.start for o in defined):
        # From a definition to what announced it, and between overloads in turn.
        others = [o for o in declared if o.start != here.start]
        behind = [o for o in others if o.start > here.start]
        defined = (behind or others or [here])[:1]
    return tuple(lines.place(o.start) for o in defined)


def _question_by_symbols(kind: CodeKind, text: str, line: int, column: int) -> SymbolQuery:
    spans = _ANY_NAME.finditer(text.split("\n")[line])
    word = next((m[0] for m in spans if m.start() <= column <= m.end()), "")
    wanted = {word, word.lstrip("@%"), word.lstrip("@%").strip('"')}
    lines = [symbol.line for symbol in symbols(kind, text) if symbol.name in wanted and word]
    return SymbolQuery(word, places=tuple((number - 1, 0) for number in lines[:1]))


_NEW_NAME = re.compile(r"[^\W\d]\w*")


class RenameError(ValueError):
    """A name cannot be renamed; the message says why, and names the remedy."""


@dataclass(frozen=True)
class SymbolRenaming:
    """A name that can be changed.

    Attributes:
        name: What it is now.
        places: Where it is: a line from 0, and its columns in characters.
        refusal: Says why another name cannot be taken; empty for one that can.
    """

    name: str
    places: tuple[tuple[int, Span], ...]
    refusal: Callable[[str], str]


def renaming(kind: CodeKind, text: str, line: int, column: int) -> SymbolRenaming:
    """Finds out the changes by renaming. May take a while.

    Args:
        kind: What the text holds.
        text: What it is.
        line: Where the name is, from 0.
        column: Any of its columns, in characters from 0, or the one behind it.

    Raises:
        RenameError: See the class.
    """
    if kind not in (CodeKind.CUDA, CodeKind.HEADER):
        raise RenameError(
            f"Names can be changed in CUDA C++. In {kind.title}, use Find and replace (Ctrl+H)."
        )
    lines = Lines(text)
    source = CudaSource(lines.content)
    name, here = source.at(lines.byte(line, column))
    if here is None:
        raise RenameError("There is no name at the cursor. Put it on a name in code, then rename.")
    word, occurrences = name.decode("utf-8", "replace"), source.occurrences(name)
    declared = [o for o in occurrences if o.declares and o.scope == here.scope]
    if here.scope is None or not declared:
        raise RenameError(_unknown(here, word))
    doubtful = next((o for o in occurrences if not o.is_certain), None)
    if doubtful is not None and any(o.kind is ScopeKind.CLASS for o in declared):
        raise RenameError(
            f"'{word}' in line {lines.place(doubtful.start)[0] + 1} is a member of something whose "
            "type is not written down, so that it may be another. Nothing was changed; Find and "
            "replace (Ctrl+H) shows each place."
        )
    meant = [o for o in occurrences if o.scope == here.scope]
    places = tuple(lines.span(o.start, len(name)) for o in meant)
    return SymbolRenaming(word, places, lambda new: _refusal(source, lines, here, word, new))


def _unknown(here: Occurrence, name: str) -> str:
    if not here.is_certain:
        return (
            f"The type of what '{name}' is a member of is not written down here, so that nobody "
            "can tell which member it is. Rename it where it is declared, or use Find and replace."
        )
    return (
        f"'{name}' is not declared in this file, so that it cannot be renamed here. Go to its "
        "definition (F12) and rename it there."
    )


def _refusal(source: CudaSource, lines: Lines, here: Occurrence, old: str, new: str) -> str:
    if new == old:
        return ""
    if not _NEW_NAME.fullmatch(new):
        return "A name has letters, digits and _, and begins with none of the digits."
    if new in WORDS:
        return f"'{new}' is a word of CUDA C++."
    # Whatever has that name anywhere in the scope could be hidden, or hide this.
    scope = here.scope or ""
    body = next((n for n in here.path if scope.endswith(f"@{n.start_byte}")), here.path[0])
    for start, path in source.words(new.encode(), body.start_byte, body.end_byte):
        if any(around.key == scope for around in source.scopes(path, len(path))):
            return f"'{new}' is there already, in line {lines.place(start)[0] + 1}."
    return ""
