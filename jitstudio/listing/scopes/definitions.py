"""Where a name in a text is defined: in the text itself, or in another that it includes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jitstudio.core.code import CodeKind
from jitstudio.listing.lexers.cuda_words import WORDS
from jitstudio.listing.scopes.lines import Lines
from jitstudio.listing.scopes.names import Occurrence, Source
from jitstudio.listing.scopes.tree import Kind
from jitstudio.listing.symbols.find import symbols

Place = tuple[int, int]
"""A line and a column in characters, both from 0."""

_CUDA = (CodeKind.CUDA, CodeKind.HEADER)
_INCLUDE = re.compile(r"\s*#\s*include(?:_next)?\s*(?:\"([^\"]+)\"|<([^>]+)>)")
# What PTX and LLVM IR call names; a label is defined without the sign that it is used with.
_NAME = re.compile(r'[@%$.\w]*"[^"]*"|[-@%$.\w]+')


@dataclass(frozen=True)
class Question:
    """What a place in a text asks for.

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


def question(kind: CodeKind, text: str, line: int, column: int) -> Question:
    """What is asked for at a place, counted from 0, in characters. May take a while."""
    if kind not in _CUDA:
        return _question_by_symbols(kind, text, line, column)
    include = _INCLUDE.match(text.split("\n")[line])
    if include:
        return Question(include=include[1] or include[2])
    lines = Lines(text)
    source = Source(lines.content)
    name, here = source.at(lines.byte(line, column))
    if here is None:
        return Question()
    word, found = name.decode("utf-8", "replace"), source.occurrences(name)
    if here.scope is not None:
        found = tuple(o for o in found if o.scope == here.scope)
    elif here.is_certain:
        found = ()
    places = _places(lines, [o for o in found if o.declares], here)
    return Question(word, "", places, here.may_be_member, word in WORDS)


def defined_in(text: str, name: str, may_be_member: bool) -> tuple[Place, ...]:
    """Where a text in CUDA C++ defines a name that others can use.

    Args:
        text: The text.
        name: The name.
        may_be_member: Whether members of classes count.
    """
    if name not in text:
        return ()
    lines = Lines(text)
    found = Source(lines.content).occurrences(name.encode("utf-8", "replace"))
    kinds = (Kind.OPEN, Kind.CLASS) if may_be_member else (Kind.OPEN,)
    known = [o for o in found if o.declares and (o.kind in kinds or o.scope == "")]
    return _places(lines, known, None)


def _places(lines: Lines, declared: list[Occurrence], here: Occurrence | None) -> tuple[Place, ...]:
    """The definitions, or where there are none, what is announced; rather not where we are."""
    defined = [o for o in declared if o.is_definition] or declared
    if here is not None and any(o.start == here.start for o in defined):
        # From a definition to what announced it, and between overloads in turn.
        others = [o for o in declared if o.start != here.start]
        behind = [o for o in others if o.start > here.start]
        defined = (behind or others or [here])[:1]
    return tuple(lines.place(o.start) for o in defined)


def _question_by_symbols(kind: CodeKind, text: str, line: int, column: int) -> Question:
    spans = _NAME.finditer(text.split("\n")[line])
    word = next((m[0] for m in spans if m.start() <= column <= m.end()), "")
    wanted = {word, word.lstrip("@%"), word.lstrip("@%").strip('"')}
    found = [symbol.line for symbol in symbols(kind, text) if symbol.name in wanted and word]
    return Question(word, places=tuple((number - 1, 0) for number in found[:1]))
