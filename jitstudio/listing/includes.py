"""Possible includes of a C++ text, read without a preprocessor, so rather too many."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields

_SPLICE = re.compile(rb"\\[ \t]*\r?\n")
# Up to C++ 14 these are other letters, before all else: [lex.trigraph].
_TRIGRAPH = re.compile(rb"\?\?([=/'()!<>-])")
_LETTERS = dict(
    zip((b"=", b"/", b"'", b"(", b")", b"!", b"<", b">", b"-"), b"#\\^[]|{}~", strict=True)
)
# Possessive and short, so that no text makes it look at the same bytes again and again.
_BLANK = rb"(?>[ \t\f\v]|/\*.{0,200}?\*/)*+"
_NAME = rb'(?:"([^"\n]{1,250}+)"|<([^>\n]{1,250}+)>)'
# `%:` is `#` by another name.
_HASH = rb"(?:#|%:)" + _BLANK
_WORD = rb"(?:include|include_next|import|embed)\b" + _BLANK
# A comment that does not end soon, on its line, may hide what follows.
_DIRECTIVE = re.compile(_HASH + rb"(?:(/\*)|" + _WORD + rb"(?:" + _NAME + rb"|(\S))?)")
_QUESTION = re.compile(
    rb"__has_(?:include|include_next|embed)(?:__)?\b(?:\s*\(\s*" + _NAME + rb")?"
)
# Macros that ask, as CCCL's `_CCCL_HAS_INCLUDE(<cuda_fp8.h>)`, by the names that they have. Without
# the name of a file, as in `#define MY _CCCL_HAS_INCLUDE`, they may ask for any; `HAS_EMBEDDED` is
# another word.
_ASKING_MACRO = re.compile(
    rb"HAS_(?:INCLUDE|EMBED)(?!D)\w{0,32}+(?:\s{0,9}+\(\s{0,9}+(?:" + _NAME + rb")?)?"
)
# To ask whether there are such questions is none. Anywhere else these words may be macros.
_ABOUT = re.compile(
    rb"[ \t]*+(?:#|%:)[ \t]*+(?:(?:ifdef|ifndef|elifdef|elifndef)[ \t]++"
    rb"|(?:if|elif)\b[^\n]*\bdefined[ \t(]{0,9})\w{0,32}"
)
_CLOCK = re.compile(rb"__(?:TIME|DATE|TIMESTAMP)__")
# What `##` can make a question or a clock of: long beginnings, and the ends for short ones.
_PARTS = (
    re.compile(
        rb"__(?:ha(?:s|s_(?:i(?:nc?|ncl|nclu|nclud)?)?)?"
        rb"|TI(?:M|ME_?|MES|MEST|MESTA|MESTAMP?|MESTAMP_)?|DA(?:T|TE_?)?)\b"
    ),
    re.compile(rb"as_include(?<!__has_include)\b"),
    re.compile(rb"IME__(?<!__TIME__)\b"),
    re.compile(rb"ATE__(?<!__DATE__)\b"),
    re.compile(rb"STAMP__(?<!__TIMESTAMP__)\b"),
    re.compile(rb"_HA(?:S|S_(?:I(?:N|NC|NCL|NCLU|NCLUD)?|E(?:M|MB|MBE)?)?)?\b"),
    re.compile(rb"(?<!H)AS_(?:INCLUDE|EMBED)\b"),
)
_PASTES = (b"##", b"%:%:")
_FARTHEST = 200


@dataclass(frozen=True)
class Includes:
    """The names that a text includes or asks for.

    Attributes:
        names: As written between quotes or brackets; some may be in comments, in strings, or in
            code that is left out.
        quoted: Those between quotes, which are looked for in the folder of the text, too.
        computed: Whether a macro names a file, or may, so that `names` may lack some.
        clock: Whether it asks for the time.
        pastes: Whether macros paste words together.
        parts: Whether it has words that may be pasted to one that asks for a file or the time.
    """

    names: frozenset[str]
    quoted: frozenset[str]
    computed: bool
    clock: bool = False
    pastes: bool = False
    parts: bool = False


def includes(text: bytes) -> Includes:
    """Returns everything that the preprocessor may look for on behalf of this text."""
    scan = _includes(text)
    if _TRIGRAPH.search(text):
        old = _includes(_TRIGRAPH.sub(lambda match: bytes([_LETTERS[match[1]]]), text))
        scan = Includes(*(getattr(scan, x.name) | getattr(old, x.name) for x in fields(scan)))
    return scan


def _includes(text: bytes) -> Includes:
    spliced = _SPLICE.sub(b"", text)
    names: set[bytes] = set()
    in_quotes: set[bytes] = set()
    computed = False
    for match in _DIRECTIVE.finditer(spliced):
        hidden, quoted, angled, other = match.groups()
        if quoted or angled:
            names.add(quoted or angled)
            in_quotes.add(quoted)
        elif (hidden or other) and _may_begin(spliced, match.start()):
            computed = True
    for match in (*_QUESTION.finditer(spliced), *_ASKING_MACRO.finditer(spliced)):
        quoted, angled = match.groups()
        if quoted or angled:
            names.add(quoted or angled)
            in_quotes.add(quoted)
        elif not _ABOUT.fullmatch(spliced, _line_start(spliced, match.start()), match.start()):
            computed = True
    return Includes(
        _decoded(names),
        _decoded(in_quotes - {None}),
        computed,
        bool(_CLOCK.search(spliced)),
        any(paste in spliced for paste in _PASTES),
        any(part.search(spliced) for part in _PARTS),
    )


def may_include(text: bytes) -> bool:
    """Returns whether a text has any character with which a directive may begin."""
    return any(mark in text for mark in b"#%?")


def _decoded(names: Iterable[bytes]) -> frozenset[str]:
    return frozenset(name.decode("utf-8", "surrogateescape") for name in names)


def _may_begin(text: bytes, at: int) -> bool:
    """Returns whether a directive may be here: at the start of a line, comments aside."""
    before = text[_line_start(text, at) : at]
    return not before.strip() or b"*/" in before or len(before) == _FARTHEST


def _line_start(text: bytes, at: int) -> int:
    """Returns where a line begins, or a nearer place if that is too far."""
    farthest = max(0, at - _FARTHEST)
    return max(text.rfind(b"\n", farthest, at) + 1, farthest)
