"""The words of each language, with their usage and meaning.

Which words there are is known to the lexers; `resources/vocabulary` is about the most useful.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache

from pygments.token import Keyword, Name

from jitstudio.core.code import CodeKind
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer
from jitstudio.listing.lexers.line_lexer import LineLexer
from jitstudio.listing.lexers.nvvm_ir import NvvmIrLexer
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.word import Vocabulary, Word
from jitstudio.system.paths import resource

_FILES: dict[CodeKind, tuple[str, type[LineLexer]]] = {
    CodeKind.CUDA: ("cuda", CudaCxxLexer),
    CodeKind.HEADER: ("cuda", CudaCxxLexer),
    CodeKind.LLVM_IR: ("llvm", NvvmIrLexer),
    CodeKind.PTX: ("ptx", PtxLexer),
}
_BRACES = re.compile(r"\{([^{}]*)\}")
_HEADERS = "a header"
# What a word is of which nothing more is known; the first that fits.
_GROUPS = (
    (Keyword.Type, "a type"),
    (Keyword.Pseudo, "a directive"),
    (Keyword, "a keyword"),
    (Name.Decorator, "a qualifier"),
    (Name.Attribute, "an attribute"),
    (Name.Constant, "a macro"),
    (Name, "built in"),
)


@lru_cache
def vocabulary(kind: CodeKind) -> Vocabulary:
    """Returns the words of a kind of text; none for kinds that nobody types."""
    if kind not in _FILES:
        return Vocabulary({}, {})
    name, lexer = _FILES[kind]
    described = {word.text: word for word in _word_rows(name)}
    headers = {text: word for text, word in described.items() if word.group == _HEADERS}
    words = _of_lexer(lexer) | described
    return Vocabulary({t: w for t, w in words.items() if t not in headers}, headers)


def _word_rows(name: str) -> Iterator[Word]:
    content = tomllib.loads(resource(f"vocabulary/{name}.toml").read_text("utf-8"))
    for group, words in content.items():
        for pattern, (usage, text) in words.items():
            braces = _BRACES.search(pattern)
            for part in braces[1].split(",") if braces else ("",):
                yield Word(
                    _BRACES.sub(part, pattern),
                    group,
                    usage.replace("{}", part),
                    text.replace("{}", part),
                )


def _of_lexer(lexer: type[LineLexer]) -> dict[str, Word]:
    rows = (rule.words for rules in lexer.rules.values() for rule in rules)
    return {
        text: Word(text, next((group for kind, group in _GROUPS if token in kind), "a word"))
        for words in rows
        for text, token in words.items()
    }
