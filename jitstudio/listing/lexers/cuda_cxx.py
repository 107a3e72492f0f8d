"""CUDA C++: C++20 with CUDA's qualifiers, types, variables and intrinsics."""

from __future__ import annotations

import re
from typing import ClassVar
from zlib import crc32

from pygments.token import Comment, Error, Name, Number, Operator, Punctuation, String

from jitstudio.listing.lexers.cuda_words import WORDS
from jitstudio.listing.lexers.line_lexer import (
    IN_COMMENT,
    NORMAL,
    LineLexer,
    Rule,
    Tokens,
    comment_rules,
    in_comment_rules,
    in_string_rules,
    string_rules,
)

_DIRECTIVE, _COMMENT_IN_DIRECTIVE, _INCLUDE = 2, 3, 4
_STRING, _STRING_IN_DIRECTIVE, _LINE_COMMENT = 5, 6, 7

# A line ends these, unless a backslash at its end leads to the state given here, which has no
# rules and becomes the first again where the next line starts.
_CONTINUED = {_DIRECTIVE: 8, _STRING: 9, _STRING_IN_DIRECTIVE: 10, _LINE_COMMENT: 11}

_RAW_OPENED = 12

_RAW = 1 << 24
"""From here on a state is that of a raw string, and holds a checksum of its delimiter."""

_PREFIX = r"(?:u8|[uUL])?"
_RAW_DELIMITER = r'[^()\\\s"]{0,16}'
_RAW_START = rf'{_PREFIX}R"({_RAW_DELIMITER})\('
_RAW_WHOLE = rf'{_PREFIX}R"(?P<delimiter>{_RAW_DELIMITER})\(.*?\)(?P=delimiter)"'
_RAW_END = re.compile(rf'\)(?=({_RAW_DELIMITER})")')

_ESCAPE = r"\\(?:x[\da-fA-F]++|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|.)"
_NAME = r"[^\W\d][\w$]*+"
_DIGITS = r"\d(?:'?\d)*+"
_EXPONENT = rf"[eE][-+]?{_DIGITS}"

_NUMBERS = (
    Rule(r"0[xX](?:'?[\da-fA-F])*+(?:\.[\da-fA-F']*+)?[pP][-+]?\d++\w*+", Number.Float),
    Rule(r"0[xX](?:'?[\da-fA-F])++\w*+", Number.Hex),
    Rule(r"0[bB](?:'?[01])++\w*+", Number.Bin),
    Rule(rf"(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS})(?:{_EXPONENT})?\w*+", Number.Float),
    Rule(rf"{_DIGITS}{_EXPONENT}\w*+", Number.Float),
    Rule(rf"{_DIGITS}\w*+", Number.Integer),
)
_CLASS_KEYS = ("class", "struct", "union", "enum", "concept", "typename")
_BEHIND_CLASS_KEY = "|".join(rf"(?<=\b{key}\s)" for key in _CLASS_KEYS)


def _code(comment: int, string: int) -> tuple[Rule, ...]:
    """The rules of code, with the states of what may go on in the next line."""
    return (
        Rule(r"//.*(?<=\\)\Z", Comment, then=_CONTINUED[_LINE_COMMENT]),
        Rule(r"//.*", Comment),
        *comment_rules(comment),
        Rule(_RAW_WHOLE, String),
        Rule(_RAW_START + "(?s:.*)", String, then=_RAW_OPENED),
        *string_rules(string, _PREFIX),
        Rule(_PREFIX + r"'(?>[^'\\]++|\\.?)*+'?", String.Char),
        Rule(rf"(?:{_BEHIND_CLASS_KEY}){_NAME}", Name.Class, WORDS),
        Rule(rf"{_NAME}(?=\s*+\()", Name.Function, WORDS),
        Rule(rf"{_NAME}(?=\s*+::)", Name.Namespace, WORDS),
        Rule(_NAME, Name, WORDS),
        *_NUMBERS,
        Rule(r"\[\[[\w\s:,]++(?:\([^()]*+\)\s*+)?\]\]", Name.Decorator),
        Rule(r"[(){};,\]]++|\[", Punctuation),
        Rule(r"[-+*%&|^!~<>=?:]++|/=?|\.++", Operator),
    )


_CODE = _code(IN_COMMENT, _STRING)
_IN_DIRECTIVE = (
    Rule(r"\\\Z", Comment.Preproc, then=_CONTINUED[_DIRECTIVE]),
    Rule(r"##?", Operator),
    *_code(_COMMENT_IN_DIRECTIVE, _STRING_IN_DIRECTIVE),
    Rule(r"\S", Error),
)


def _in_string(state: int, after: int) -> tuple[Rule, ...]:
    continued = Rule(r"\\\Z", String.Escape, then=_CONTINUED[state])
    return continued, *in_string_rules(_ESCAPE, after)


def _raw_state(delimiter: str) -> int:
    return _RAW | crc32(delimiter.encode("utf-8", "surrogatepass")) >> 8


def _end_of_raw(line: str, state: int) -> int:
    """Where a raw string from a line above ends, or 0 if it goes on."""
    for closing in _RAW_END.finditer(line):
        if _raw_state(closing[1]) == state:
            return closing.end(1) + 1
    return 0


class CudaCxxLexer(LineLexer):
    """Lexes CUDA C++."""

    rules: ClassVar = {
        NORMAL: (
            *_CODE,
            Rule(r"#\s*+(?:error|warning)\b.*", Comment.Preproc),
            Rule(r"#\s*+(?:include|include_next|import)\b", Comment.Preproc, then=_INCLUDE),
            Rule(r"#\s*+\w*+", Comment.Preproc, then=_DIRECTIVE),
            Rule(r"\\\Z", Punctuation),
            Rule(r"\S", Error),
        ),
        IN_COMMENT: in_comment_rules(),
        _DIRECTIVE: _IN_DIRECTIVE,
        _COMMENT_IN_DIRECTIVE: in_comment_rules(_DIRECTIVE),
        _INCLUDE: (
            Rule(r'<[^>]*+>?|"[^"]*+"?', Comment.PreprocFile, then=_DIRECTIVE),
            *_IN_DIRECTIVE,
        ),
        _STRING: _in_string(_STRING, NORMAL),
        _STRING_IN_DIRECTIVE: _in_string(_STRING_IN_DIRECTIVE, _DIRECTIVE),
        _LINE_COMMENT: (
            Rule(r".*\\\Z", Comment, then=_CONTINUED[_LINE_COMMENT]),
            Rule(r".+", Comment, then=NORMAL),
        ),
    }
    line_ends: ClassVar = dict.fromkeys((*_CONTINUED, _INCLUDE), NORMAL)
    line_starts: ClassVar = {after: state for state, after in _CONTINUED.items()}

    def _lex_part(self, line: str, start: int, state: int, tokens: Tokens) -> int:
        if state >= _RAW:
            start = _end_of_raw(line, state)
            if not start:
                if line:
                    tokens.append((0, len(line), String))
                return state
            tokens.append((0, start, String))
        state = super()._lex_part(line, start, state, tokens)
        if state != _RAW_OPENED:
            return state
        opened = re.compile(_RAW_START).match(line, tokens[-1][0])
        assert opened is not None
        return _raw_state(opened[1])
