"""What the window knows about each kind of text: lexer, comment sign, icon, first content."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from jitstudio.core.code import CodeKind
from jitstudio.core.deferred import at_place
from jitstudio.gui.code.highlighter import LineLexer
from jitstudio.gui.kit.theme import TokenType


@dataclass(frozen=True)
class Language:
    """One kind of text.

    Attributes:
        lexer_place: Module and name of the lexer's class.
        comment: What starts a comment to the end of the line.
        icon: A file in `resources/icons`.
    """

    lexer_place: str
    comment: str
    icon: str

    @property
    def lexer(self) -> LineLexer:
        """Finds the tokens of a line; the same for the same language."""
        return _lexer(self.lexer_place)


class _LateLexer:
    """A lexer that is made for the first line: that compiles its expressions, which takes a while.

    A window is painted before its first line is coloured.
    """

    def __init__(self, place: str) -> None:
        self._place = place

    def lex_line(self, line: str, state: int = 0) -> tuple[list[tuple[int, int, TokenType]], int]:
        """Tokens as (start, length, type), and the state behind the line."""
        return self._lexer.lex_line(line, state)

    @cached_property
    def _lexer(self) -> LineLexer:
        lexer: LineLexer = at_place(f"jitstudio.listing.lexers.{self._place}")()
        return lexer


@cache
def _lexer(place: str) -> LineLexer:
    return _LateLexer(place)


LANGUAGES: dict[CodeKind, Language] = {
    CodeKind.CUDA: Language("cuda_cxx:CudaCxxLexer", "//", "cuda"),
    CodeKind.HEADER: Language("cuda_cxx:CudaCxxLexer", "//", "header"),
    CodeKind.LLVM_IR: Language("nvvm_ir:NvvmIrLexer", ";", "llvm"),
    CodeKind.PTX: Language("ptx:PtxLexer", "//", "ptx"),
    CodeKind.SASS: Language("sass:SassLexer", "//", "binary"),
}

BINARY_ICON = "binary"


def icon_name(kind: CodeKind, is_header: bool) -> str:
    """The icon of a document."""
    if is_header:
        return LANGUAGES[CodeKind.HEADER].icon
    return LANGUAGES[kind].icon if kind in LANGUAGES else BINARY_ICON
