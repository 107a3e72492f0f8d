"""What the window knows about each kind of text: lexer, comment sign, icon, first content."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from jitstudio.core.code import CodeKind

if TYPE_CHECKING:
    from jitstudio.listing.lexers.line_lexer import LineLexer


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
        """Finds the tokens of a line; made when it is first asked for, and kept."""
        return _lexer(self.lexer_place)


@cache
def _lexer(place: str) -> LineLexer:
    """Only the languages in sight are paid for: making a lexer compiles its expressions."""
    lexer: LineLexer = resolve_name(f"jitstudio.listing.lexers.{place}")()
    return lexer


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
