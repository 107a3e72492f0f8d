"""What the window knows about each kind of text: lexer, comment sign, icon, first content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.highlighter import LineLexer
from jitstudio.gui.kit.theme import TokenType


@dataclass(frozen=True)
class Language:
    """One kind of text.

    Attributes:
        make_lexer: Imports and makes the lexer.
        comment: What starts a comment to the end of the line.
        icon: A file in `resources/icons`.
    """

    make_lexer: Callable[[], LineLexer]
    comment: str
    icon: str

    @property
    def lexer(self) -> LineLexer:
        """Finds the tokens of a line; the same for the same language."""
        return _lexer(self.make_lexer)


class _LateLexer:
    """A lexer that is made for the first line: that compiles its expressions, which takes a while.

    A window is painted before its first line is coloured.
    """

    def __init__(self, make: Callable[[], LineLexer]) -> None:
        self._make = make

    def lex_line(self, line: str, state: int = 0) -> tuple[list[tuple[int, int, TokenType]], int]:
        """Tokens as (start, length, type), and the state behind the line."""
        return self._lexer.lex_line(line, state)

    @cached_property
    def _lexer(self) -> LineLexer:
        return self._make()


@cache
def _lexer(make: Callable[[], LineLexer]) -> LineLexer:
    return _LateLexer(make)


def _cuda_lexer() -> LineLexer:
    from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer

    return CudaCxxLexer()


def _nvvm_lexer() -> LineLexer:
    from jitstudio.listing.lexers.nvvm_ir import NvvmIrLexer

    return NvvmIrLexer()


def _ptx_lexer() -> LineLexer:
    from jitstudio.listing.lexers.ptx import PtxLexer

    return PtxLexer()


def _sass_lexer() -> LineLexer:
    from jitstudio.listing.lexers.sass import SassLexer

    return SassLexer()


LANGUAGES: dict[CodeKind, Language] = {
    CodeKind.CUDA: Language(_cuda_lexer, "//", "cuda"),
    CodeKind.HEADER: Language(_cuda_lexer, "//", "header"),
    CodeKind.LLVM_IR: Language(_nvvm_lexer, ";", "llvm"),
    CodeKind.PTX: Language(_ptx_lexer, "//", "ptx"),
    CodeKind.SASS: Language(_sass_lexer, "//", "binary"),
}

BINARY_ICON = "binary"


def icon_name(kind: CodeKind, is_header: bool) -> str:
    """The icon of a document."""
    if is_header:
        return LANGUAGES[CodeKind.HEADER].icon
    return LANGUAGES[kind].icon if kind in LANGUAGES else BINARY_ICON
