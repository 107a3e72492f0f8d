"""What renaming a name in a text of CUDA C++ changes, or why it cannot be done."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from jitstudio.core.code import CodeKind
from jitstudio.listing.lexers.cuda_words import WORDS
from jitstudio.listing.scopes.lines import Lines, Span
from jitstudio.listing.scopes.names import Occurrence, Source
from jitstudio.listing.scopes.tree import Kind

_NAME = re.compile(r"[^\W\d]\w*")


class RenameError(ValueError):
    """It cannot be renamed; the message says why, and what can be done."""


@dataclass(frozen=True)
class Renaming:
    """A name that can be changed.

    Attributes:
        name: What it is now.
        places: Where it stands: a line from 0, and its columns in characters.
        refusal: Says why another name cannot be taken; empty for one that can.
    """

    name: str
    places: tuple[tuple[int, Span], ...]
    refusal: Callable[[str], str]


def renaming(kind: CodeKind, text: str, line: int, column: int) -> Renaming:
    """Find out what renaming would change. May take a while.

    Args:
        kind: What the text holds.
        text: What it is.
        line: Where the name stands, from 0.
        column: Any of its columns, in characters from 0, or the one behind it.

    Raises:
        RenameError: See the class.
    """
    if kind not in (CodeKind.CUDA, CodeKind.HEADER):
        raise RenameError(
            f"Names can be changed in CUDA C++. In {kind.title}, use Find and replace (Ctrl+H)."
        )
    lines = Lines(text)
    source = Source(lines.content)
    name, here = source.at(lines.byte(line, column))
    if here is None:
        raise RenameError("There is no name at the cursor. Put it on a name in code, then rename.")
    told, occurrences = name.decode("utf-8", "replace"), source.occurrences(name)
    declared = [o for o in occurrences if o.declares and o.scope == here.scope]
    if here.scope is None or not declared:
        raise RenameError(_unknown(here, told))
    doubtful = next((o for o in occurrences if not o.is_certain), None)
    if doubtful is not None and any(o.kind is Kind.CLASS for o in declared):
        raise RenameError(
            f"'{told}' in line {lines.place(doubtful.start)[0] + 1} is a member of something whose "
            "type is not written down, so that it may be another. Nothing was changed; Find and "
            "replace (Ctrl+H) shows each place."
        )
    meant = [o for o in occurrences if o.scope == here.scope]
    places = tuple(lines.span(o.start, len(name)) for o in meant)
    return Renaming(told, places, lambda new: _refusal(source, lines, here, told, new))


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


def _refusal(source: Source, lines: Lines, here: Occurrence, old: str, new: str) -> str:
    if new == old:
        return ""
    if not _NAME.fullmatch(new):
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
