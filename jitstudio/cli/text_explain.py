"""Meanings of words in lines of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jitstudio.core.wrapping import wrapped
from jitstudio.help.explaining import WordExplanation

_INDENT = "  "


def meanings_text(meanings: Iterable[WordExplanation], width: int) -> str:
    """Returns all meanings of a word, in lines of at most `width` columns."""
    return "\n\n".join("\n".join(_lines(meaning, width)) for meaning in meanings)


def _lines(meaning: WordExplanation, width: int) -> Iterator[str]:
    """Yields the kind with the form, the text, operands and modifiers, and the first target."""
    yield f"{meaning.kind}: {meaning.title}"
    yield from wrapped(_INDENT + meaning.text, width, _INDENT)
    for table in filter(None, (meaning.operands, meaning.modifiers)):
        yield ""
        column = max(len(name) for name, _ in table)
        for name, text in table:
            head = f"{_INDENT}{name:<{column}}{_INDENT}"
            yield from wrapped(head + text, width, " " * len(head))
    if meaning.since:
        yield from ("", f"{_INDENT}{meaning.since}")
