"""What a C++ text may include, read from its text alone: no preprocessor, so rather too much."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPLICE = re.compile(rb"\\[ \t]*\r?\n")
# Possessive and short, so that no text makes it look at the same bytes again and again.
_BLANK = rb"(?:[ \t\f\v]|/\*.{0,200}?\*/)*+"
_NAME = rb'(?:"([^"\n]{1,250}+)"|<([^>\n]{1,250}+)>)'
# `%:` and `??=` are `#` by other names.
_HASH = rb"(?:#|%:|\?\?=)" + _BLANK
_WORD = rb"(?:include|include_next|import|embed)\b" + _BLANK
# A comment that does not end soon, on its line, may hide what follows.
_DIRECTIVE = re.compile(_HASH + rb"(?:(/\*)|" + _WORD + rb"(?:" + _NAME + rb"|(\S))?)")
_QUESTION = re.compile(rb"__has_(?:include|include_next|embed)\s*\(\s*" + _NAME + rb"?")
_FARTHEST = 200


@dataclass(frozen=True)
class Includes:
    """The names that a text includes or asks for.

    Attributes:
        names: As written between quotes or brackets; some may stand in comments, in strings, or in
            code that is left out.
        computed: Whether a macro names a file, or may, so that `names` may lack some.
    """

    names: frozenset[str]
    computed: bool


def includes(text: bytes) -> Includes:
    """Everything that the preprocessor may look for on behalf of this text."""
    spliced = _SPLICE.sub(b"", text)
    names: set[bytes] = set()
    computed = False
    for match in _DIRECTIVE.finditer(spliced):
        hidden, quoted, angled, other = match.groups()
        if quoted or angled:
            names.add(quoted or angled)
        elif (hidden or other) and _may_begin(spliced, match.start()):
            computed = True
    for match in _QUESTION.finditer(spliced):
        quoted, angled = match.groups()
        if quoted or angled:
            names.add(quoted or angled)
        else:
            computed = True
    return Includes(frozenset(name.decode("utf-8", "surrogateescape") for name in names), computed)


def _may_begin(text: bytes, at: int) -> bool:
    """Whether a directive may stand here: at the start of a line, comments aside."""
    start = text.rfind(b"\n", max(0, at - _FARTHEST), at) + 1
    before = text[max(start, at - _FARTHEST) : at]
    return not before.strip() or b"*/" in before or len(before) == _FARTHEST
