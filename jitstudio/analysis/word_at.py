"""The word at a place of a line of code; an opcode or register whole, with its modifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from jitstudio.core.code import CodeKind

LONGEST_LINE = 5000
"""Longer lines are not searched for words: it would take too long."""

# A directive is one word, also where the next one follows without a gap.
_WORD = re.compile(r"(?<![\w$%])%?[A-Za-z_$][\w$]*(?:(?:\.|::)\w+)*|\.[A-Za-z_]\w*(?:::\w+)*")
_NAME = re.compile(r"[@#]?\b[A-Za-z_]\w*(?:\.\w+)*")
_COMMENT = "//"
# What may come before the word that a statement begins with: a label, an address, a guard.
_BEFORE = {
    CodeKind.PTX: re.compile(r"(?:.*[;{}]|\s*[\w$]+:)?\s*(?:@!?%?[\w$]+\s+)?\Z"),
    CodeKind.SASS: re.compile(r"\s*+(?:/\*[\da-fA-F]++\*/)?\s*+(?:\{\s*+)?(?:@!?\w++\s++)?\Z"),
}


@dataclass(frozen=True)
class WordAt:
    """A word where it is.

    Attributes:
        text: The word with all its modifiers, such as ``ld.global.f32``.
        span: Its first column, counted from 0, and the one behind its last.
        opens: Whether a statement begins with it, as with an opcode or a directive.
    """

    text: str
    span: tuple[int, int]
    opens: bool


def word_at(kind: CodeKind, line: str, column: int) -> WordAt | None:
    """Returns the word that covers a column, counted from 0; None in between and in comments."""
    code = line.partition(_COMMENT)[0]
    words = (_WORD if kind in _BEFORE else _NAME).finditer(code)
    found = next((word for word in words if word.start() <= column < word.end()), None)
    return WordAt(found[0], found.span(), _opens(kind, code, found)) if found else None


def openings(kind: CodeKind, line: str) -> Iterator[int]:
    """Yields the columns of the words that say what the line does: of PTX and SASS the opcode's.

    In other languages any word may.
    """
    code = line.partition(_COMMENT)[0] if len(line) <= LONGEST_LINE else ""
    for word in (_WORD if kind in _BEFORE else _NAME).finditer(code):
        if kind not in _BEFORE or _opens(kind, code, word):
            yield word.start()


def _opens(kind: CodeKind, code: str, word: re.Match[str]) -> bool:
    before = _BEFORE.get(kind)
    is_label = code[word.end() :].lstrip().startswith(":")
    return before is not None and not is_label and bool(before.match(code[: word.start()]))
