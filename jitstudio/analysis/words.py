"""The word at a place of a line of code; an opcode or register whole, with its modifiers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jitstudio.core.code import CodeKind

# A directive is one word, also where the next one follows without a gap.
_WORD = re.compile(r"(?<![\w$%])%?[A-Za-z_$][\w$]*(?:(?:\.|::)\w+)*|\.[A-Za-z_]\w*(?:::\w+)*")
_NAME = re.compile(r"[@#]?\b[A-Za-z_]\w*(?:\.\w+)*")
_COMMENT = "//"
# What may stand before the word that a statement begins with: a label, an address, a guard.
_BEFORE = {
    CodeKind.PTX: re.compile(r"(?:.*[;{}]|\s*[\w$]+:)?\s*(?:@!?%?[\w$]+\s+)?\Z"),
    CodeKind.SASS: re.compile(r"\s*+(?:/\*[\da-fA-F]++\*/)?\s*+(?:\{\s*+)?(?:@!?\w++\s++)?\Z"),
}


@dataclass(frozen=True)
class WordAt:
    """A word where it stands.

    Attributes:
        text: The word with all its modifiers, such as ``ld.global.f32``.
        span: Its first column, counted from 0, and the one behind its last.
        opens: Whether a statement begins with it, as with an opcode or a directive.
    """

    text: str
    span: tuple[int, int]
    opens: bool


def word_at(kind: CodeKind, line: str, column: int) -> WordAt | None:
    """The word that covers a column, counted from 0; None in between and in comments."""
    code = line.partition(_COMMENT)[0]
    before = _BEFORE.get(kind)
    words = (_WORD if before else _NAME).finditer(code)
    found = next((word for word in words if word.start() <= column < word.end()), None)
    if found is None:
        return None
    is_label = code[found.end() :].lstrip().startswith(":")
    opens = before is not None and not is_label and bool(before.match(code[: found.start()]))
    return WordAt(found[0], found.span(), opens)
