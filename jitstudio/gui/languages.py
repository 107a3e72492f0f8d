"""What the window knows about each kind of text: lexer, comment sign, icon, first content."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.code import CodeKind
from jitstudio.listing.lexers import (
    CudaCxxLexer,
    LineLexer,
    NvvmIrLexer,
    PtxLexer,
    SassLexer,
)


@dataclass(frozen=True)
class Language:
    """One kind of text.

    Attributes:
        lexer: Finds the tokens of a line; kept, as making one compiles its expressions.
        comment: What starts a comment to the end of the line.
        icon: A file in `resources/icons`.
    """

    lexer: LineLexer
    comment: str
    icon: str


_CUDA = Language(CudaCxxLexer(), "//", "cuda")
LANGUAGES: dict[CodeKind, Language] = {
    CodeKind.CUDA: _CUDA,
    CodeKind.HEADER: Language(_CUDA.lexer, "//", "header"),
    CodeKind.LLVM_IR: Language(NvvmIrLexer(), ";", "llvm"),
    CodeKind.PTX: Language(PtxLexer(), "//", "ptx"),
    CodeKind.SASS: Language(SassLexer(), "//", "binary"),
}

BINARY_ICON = "binary"


def icon_name(kind: CodeKind, is_header: bool) -> str:
    """The icon of a document."""
    if is_header:
        return LANGUAGES[CodeKind.HEADER].icon
    return LANGUAGES[kind].icon if kind in LANGUAGES else BINARY_ICON
