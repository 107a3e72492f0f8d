"""SASS as printed by nvdisasm, and the ELF directives around."""

from __future__ import annotations

from typing import ClassVar

from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String

from jitstudio.listing.lexers.line_lexer import (
    IN_COMMENT,
    NORMAL,
    STRING,
    LexerRule,
    LineLexer,
    comment_rules,
    in_comment_rules,
    words,
)

# Both are left at the end of the line.
_OPERANDS, _DIRECTIVE = 2, 3

_TYPES = words(
    (
        Keyword.Type,
        """
        .8 .16 .32 .64 .128 .256 .U8 .U16 .U32 .U64 .S8 .S16 .S32 .S64 .U4 .S4 .B1 .F16 .F32 .F64
        .BF16 .BF16_V2 .TF32 .F16_V2 .F16x2 .E4M3 .E5M2 .E6M9 .E8M0 .E2M1 .E2M3 .E3M2 .U16x2 .S16x2
        """,
    )
)
_WORDS = words(
    (Name.Builtin, "c cx a desc gdesc tmem idesc"),
    (Number.Float, "INF NAN QNAN SNAN"),
    (Name.Variable, "CC PR"),
)

_COMMENTS = (
    *comment_rules(),
    LexerRule(r"//##.*", Comment.Preproc),
    LexerRule(r"//.*", Comment),
    LexerRule(r"\(\*.*?(?:\*\)|\Z)", Comment),
)
_NUMBERS = (
    LexerRule(r"0x[\da-fA-F]++", Number.Hex),
    LexerRule(r"\d++(?:\.\d*+(?:e[-+]?\d++)?|e[-+]?\d++)", Number.Float),
    LexerRule(r"\d\w*+", Number.Integer),
)
_LABEL = LexerRule(r"\.L_\w++", Name.Label)
_LAST = (
    LexerRule(r"[,:\[\](){}`]++|;", Punctuation),
    LexerRule(r"[-+*/|~!=&?^@<>]", Operator),
    LexerRule(STRING, String),
    LexerRule(r"\S", Error),
)


class SassLexer(LineLexer):
    """Lexes SASS listings."""

    rules: ClassVar = {
        NORMAL: (
            *_COMMENTS,
            LexerRule(r"(?<![\w.$@])[.$A-Za-z_][\w.$@]*+(?=:)", Name.Label),
            LexerRule(r"(?<=[@!])U?P(?:\d++|T\b)", Name.Variable),
            LexerRule(r"[A-Za-z_]\w*+", Keyword, then=_OPERANDS),
            LexerRule(r"\.\w++", Keyword.Pseudo, then=_DIRECTIVE),
            LexerRule(r"@!?", Operator),
            *_NUMBERS,
            *_LAST,
        ),
        IN_COMMENT: in_comment_rules(),
        _OPERANDS: (
            _LABEL,
            LexerRule(r"\.\w++(?>::\w++)*+", Name.Attribute, _TYPES),
            LexerRule(r"(?:U?R(?:Z|\d++)|U?P(?:T|\d++)|S?B\d++)\b", Name.Variable),
            LexerRule(r"SR_\w++(?:\.[XYZ]\b)?", Name.Builtin.Pseudo),
            *_NUMBERS,
            LexerRule(r"[A-Za-z_$][\w$]*+", Name, _WORDS),
            LexerRule(r";", Punctuation, then=NORMAL),
            *_COMMENTS,
            *_LAST,
        ),
        _DIRECTIVE: (
            *_NUMBERS,
            _LABEL,
            LexerRule(r"@\w++", Name.Attribute),
            LexerRule(r"[.$A-Za-z_][\w.$]*+", Name),
            *_COMMENTS,
            *_LAST,
        ),
    }
    line_ends: ClassVar = {_OPERANDS: NORMAL, _DIRECTIVE: NORMAL}
