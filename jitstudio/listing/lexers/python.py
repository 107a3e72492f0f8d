"""Python, as used for kernels of a GPU."""

from __future__ import annotations

from typing import ClassVar

from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String

from jitstudio.listing.lexers.line_lexer import NORMAL, LexerRule, LineLexer, words

_IN_DOUBLE, _IN_SINGLE = 1, 2
_PREFIX = r"(?<!\w)(?i:[rbuft]|[bft]r|r[bft])?"
_WORDS = words(
    (Keyword.Constant, "None True False Ellipsis NotImplemented"),
    (Keyword, "if elif else for while break continue return yield try except finally raise"),
    (Keyword, "with as assert pass del global nonlocal lambda async await import from"),
    (Keyword.Pseudo, "def class"),
    (Operator.Word, "and or not in is"),
    (Name.Builtin.Pseudo, "self cls"),
    (
        Name.Builtin,
        """
        abs all any bool bytearray bytes callable chr complex dict dir divmod enumerate eval
        filter float format frozenset getattr hasattr hash hex id input int isinstance issubclass
        iter len list map max memoryview min next object oct open ord pow print property range
        repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars
        zip
        """,
    ),
)


def _rest_of_string(quote: str) -> tuple[LexerRule, ...]:
    """Returns rules for the rest of a string in three quotation marks."""
    inside = rf"(?>[^\\{quote}]|\\.|{quote}(?!{quote}{quote}))"
    return (
        LexerRule(rf"{inside}*+{quote * 3}", String, then=NORMAL),
        LexerRule(rf"(?>{inside}|[\\{quote}])++", String),
    )


class PythonLexer(LineLexer):
    """Lexes Python."""

    rules: ClassVar = {
        NORMAL: (
            LexerRule(r"#.*", Comment),
            LexerRule(_PREFIX + r'"""', String, then=_IN_DOUBLE),
            LexerRule(_PREFIX + r"'''", String, then=_IN_SINGLE),
            LexerRule(_PREFIX + r'"(?>[^"\\]++|\\.?)*+"?', String),
            LexerRule(_PREFIX + r"'(?>[^'\\]++|\\.?)*+'?", String),
            LexerRule(r"(?<![^\s])@[A-Za-z_][\w.]*+", Name.Decorator),
            LexerRule(r"(?<=def )[^\W\d]\w*+", Name.Function),
            LexerRule(r"(?<=class )[^\W\d]\w*+", Name.Class),
            LexerRule(r"[^\W\d]\w*+", Name, _WORDS),
            LexerRule(r"0[xX][\da-fA-F_]++", Number.Hex),
            LexerRule(r"0[bB][01_]++", Number.Bin),
            LexerRule(r"0[oO][0-7_]++", Number.Oct),
            LexerRule(
                r"(?:\d[\d_]*+(?:\.[\d_]*+)?|\.\d[\d_]*+)[eE][-+]?\d++[jJ]?"
                r"|\d[\d_]*+\.[\d_]*+[jJ]?|\.\d[\d_]*+[jJ]?",
                Number.Float,
            ),
            LexerRule(r"\d[\d_]*+[jJ]?", Number.Integer),
            LexerRule(r"[-+*/%@&|^~<>=!:]++", Operator),
            LexerRule(r"[,.;()\[\]{}]++", Punctuation),
        ),
        _IN_DOUBLE: _rest_of_string('"'),
        _IN_SINGLE: _rest_of_string("'"),
    }
