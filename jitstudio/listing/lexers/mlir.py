"""MLIR in the usual text form, as written by Triton and others; operations of any dialect."""

from __future__ import annotations

from typing import ClassVar

from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String

from jitstudio.listing.lexers.line_lexer import (
    NORMAL,
    STRING,
    LexerRule,
    LineLexer,
    words,
)

_NAME = r"[A-Za-z_$][\w$]*+"
_WORDS = words(
    (
        Keyword.Type,
        "index none tensor vector memref tuple complex bf16 f16 f32 f64 f80 f128 tf32 token tile",
    ),
    (Keyword.Constant, "true false unit unknown dense sparse array opaque dense_resource"),
    (Keyword.Pseudo, "module func entry global public private nested attributes loc callsite"),
    (Keyword.Pseudo, "fused affine_map"),
    (Keyword, "to step iter_args else do at return continue break"),
)


class MlirLexer(LineLexer):
    """Lexes MLIR."""

    rules: ClassVar = {
        NORMAL: (
            LexerRule(r"//.*", Comment),
            LexerRule(STRING, String),
            LexerRule(r"%[\w$.-]++(?:#\d++)?", Name.Variable),
            LexerRule(r"\^[\w$.-]++", Name.Label),
            LexerRule(rf"@(?:[\w$.-]++|{STRING})", Name.Function),
            LexerRule(r"#[\w$.]++", Name.Decorator),
            LexerRule(r"![\w$.]++", Keyword.Type),
            LexerRule(rf"{_NAME}(?>\.[\w$]++)++(?=\s*+=(?!=))", Name.Attribute),
            LexerRule(rf"{_NAME}(?>\.[\w$]++)++", Keyword),
            LexerRule(rf"{_NAME}(?=\s*+=(?!=))", Name.Attribute),
            LexerRule(r"[su]?i\d++\b|f8E\w++\b", Keyword.Type),
            LexerRule(_NAME, Name, _WORDS),
            # A dimension of a shape, such as `64x` of `tensor<64x32xf16>`.
            LexerRule(r"(?:[1-9]\d*+|\?)x(?=[\d?A-Za-z!])", Number.Integer),
            LexerRule(r"-?0x[\da-fA-F]++", Number.Hex),
            LexerRule(r"-?\d++\.\d*+(?:[eE][-+]?\d++)?", Number.Float),
            LexerRule(r"-?\d++", Number.Integer),
            LexerRule(r"->|[=:*?+-]", Operator),
            LexerRule(r"[,()\[\]{}<>]++", Punctuation),
        ),
    }
