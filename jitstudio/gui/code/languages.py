"""Properties of each kind of text, and the colours of tokens.

Lexer, sign of comments and icon by language; the highlighter of an editor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument, QTextLayout

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.code_units import is_plain, to_units
from jitstudio.gui.kit.theme import TokenType, current_theme, follow_theme

if TYPE_CHECKING:
    from jitstudio.core.captured import KernelLanguage

LONGEST_LINE = 5000
"""A longer line stays plain: laying out thousands of formats would freeze the editor."""

# The user state of a block that no lexer has seen; Qt's own word for it. Lexer states are stored
# one higher, so that lexing a block for the first time is always a change.
_UNLEXED = -1
_SLICE = 0.008
# Text is painted before its colours are looked for: at first that compiles the expressions of its
# language, which takes as long as half of a slice.
_PAINTED_MS = 15
# Behind a key press the rest can wait: only new text may take the whole slice.
_EDIT_SLICE = 0.0012
BINARY_ICON = "binary"


class CodeLexer(Protocol):
    """Splits a line into tokens. States are 0 or more; the first line has state 0."""

    def lex_line(self, line: str, state: int = 0) -> tuple[list[tuple[int, int, TokenType]], int]:
        """Returns tokens as (start, length, type), and the state behind the line."""
        ...


class SourceHighlighter(QObject):
    """Colours a document with a line lexer, in slices, in the styles of the theme.

    Where the theme changes, old colours stay until their turn comes.

    Attributes:
        lexer: Finds the tokens; None for plain text.
    """

    def __init__(self, document: QTextDocument, lexer: CodeLexer | None) -> None:
        super().__init__(document)
        self._document = document
        self._lexer = lexer
        # What waits for its turn. Cursors, as they move along with edits.
        self._waiting: tuple[QTextCursor, QTextCursor] | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_turn)
        self._has_begun = document.isEmpty()
        QTimer.singleShot(0, self, self._begin)
        document.contentsChange.connect(self._on_contents_change)
        follow_theme(self, SourceHighlighter._put_all_off)

    @property
    def lexer(self) -> CodeLexer | None:
        """Finds the tokens; None for plain text."""
        return self._lexer

    @property
    def is_complete(self) -> bool:
        """Whether every block shows the final colours."""
        return self._waiting is None

    def set_lexer(self, lexer: CodeLexer | None) -> None:
        """Colours as another language, in slices."""
        self._lexer = lexer
        self._put_all_off()

    @property
    def _end(self) -> int:
        return self._document.characterCount() - 1

    def _put_all_off(self) -> None:
        self._put_off(self._document.begin(), self._end)

    def _put_off(self, block: QTextBlock, until: int) -> None:
        """Leaves the blocks from `block` to the block at a position for the next turn."""
        position = block.position()
        if self._waiting is not None:
            first, last = (cursor.position() for cursor in self._waiting)
            position, until = min(position, first), max(until, last)
        ends = QTextCursor(self._document), QTextCursor(self._document)
        for cursor, at in zip(ends, (position, until), strict=True):
            cursor.setPosition(at)
        ends[0].setKeepPositionOnInsert(True)
        self._waiting = ends
        if self._has_begun:
            self._timer.start(0)

    def _colour(self, block: QTextBlock, until: int, seconds: float) -> None:
        """Colours from a block to the block at a position, and on while states change."""
        deadline = perf_counter() + seconds
        must_follow = True
        while block.isValid() and (must_follow or block.position() <= until):
            must_follow = self._colour_block(block)
            block = block.next()
            if perf_counter() > deadline:
                if block.isValid() and (must_follow or block.position() <= until):
                    self._put_off(block, max(until, block.position()))
                return

    def _colour_block(self, block: QTextBlock) -> bool:
        """Colours a block; returns whether the state behind the block has changed."""
        text, layout, before = block.text(), block.layout(), block.userState()
        state = max(0, block.previous().userState() - 1)
        formats: list[QTextLayout.FormatRange] = []
        if self._lexer is not None and len(text) <= LONGEST_LINE:
            tokens, state = self._lexer.lex_line(text, state)
            formats = self._formats(text, tokens)
        # What an input method is composing has formats of its own, which must stay.
        if (formats or layout.formats()) and not layout.preeditAreaText():
            layout.setFormats(formats)
            self._document.markContentsDirty(block.position(), block.length())
        block.setUserState(state + 1)
        return state + 1 != before

    def _formats(
        self, text: str, tokens: list[tuple[int, int, TokenType]]
    ) -> list[QTextLayout.FormatRange]:
        plain = is_plain(text)
        formats: list[QTextLayout.FormatRange] = []
        for start, length, token in tokens:
            span = QTextLayout.FormatRange()
            span.start = start if plain else to_units(text, start)
            span.length = length if plain else to_units(text, start + length) - span.start
            span.format = current_theme().token_format(token)
            formats.append(span)
        return formats

    @Slot(int, int, int)
    def _on_contents_change(self, position: int, _removed: int, added: int) -> None:
        block = self._document.findBlock(position)
        is_new = block.userState() == _UNLEXED
        # Qt counts the end of the last block in where a whole text is set.
        until = min(position + added, self._end)
        if self._has_begun:
            self._colour(block, until, _SLICE if is_new else _EDIT_SLICE)
        else:
            self._put_off(block, until)

    @Slot()
    def _begin(self) -> None:
        """Waits for the text to be painted, now that events are handled."""
        self._timer.start(_PAINTED_MS)

    @Slot()
    def _on_turn(self) -> None:
        self._has_begun = True
        if self._waiting is None:
            return
        first, last = self._waiting
        self._waiting = None
        self._colour(first.block(), last.position(), _SLICE)


class Language(NamedTuple):
    """A kind of text.

    Attributes:
        make_lexer: Imports and makes the lexer.
        comment: The sign that starts a comment to the end of the line.
        icon: A file in `resources/icons`.
    """

    make_lexer: Callable[[], CodeLexer]
    comment: str
    icon: str

    @property
    def lexer(self) -> CodeLexer:
        """Finds the tokens of a line; the same for the same language."""
        return _lexer(self.make_lexer)


class _LateLexer:
    """A lexer that is made for the first line: compiling the expressions takes a while.

    A window is painted before its first line is coloured.
    """

    def __init__(self, make: Callable[[], CodeLexer]) -> None:
        self._make = make

    def lex_line(self, line: str, state: int = 0) -> tuple[list[tuple[int, int, TokenType]], int]:
        """Returns tokens as (start, length, type), and the state behind the line."""
        return self._lexer.lex_line(line, state)

    @cached_property
    def _lexer(self) -> CodeLexer:
        return self._make()


@cache
def _lexer(make: Callable[[], CodeLexer]) -> CodeLexer:
    return _LateLexer(make)


def _cuda_lexer() -> CodeLexer:
    from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer

    return CudaCxxLexer()


def _nvvm_lexer() -> CodeLexer:
    from jitstudio.listing.lexers.nvvm_ir import NvvmIrLexer

    return NvvmIrLexer()


def _ptx_lexer() -> CodeLexer:
    from jitstudio.listing.lexers.ptx import PtxLexer

    return PtxLexer()


def _sass_lexer() -> CodeLexer:
    from jitstudio.listing.lexers.sass import SassLexer

    return SassLexer()


def _mlir_lexer() -> CodeLexer:
    from jitstudio.listing.lexers.mlir import MlirLexer

    return MlirLexer()


def _python_lexer() -> CodeLexer:
    from jitstudio.listing.lexers.python import PythonLexer

    return PythonLexer()


LANGUAGES: dict[CodeKind, Language] = {
    CodeKind.CUDA: Language(_cuda_lexer, "//", "cuda"),
    CodeKind.HEADER: Language(_cuda_lexer, "//", "header"),
    CodeKind.PYTHON: Language(_python_lexer, "#", "python"),
    CodeKind.LLVM_IR: Language(_nvvm_lexer, ";", "llvm"),
    CodeKind.TILEIR: Language(_mlir_lexer, "//", "llvm"),
    CodeKind.PTX: Language(_ptx_lexer, "//", "ptx"),
    CodeKind.SASS: Language(_sass_lexer, "//", "binary"),
}

# By the value of a `KernelLanguage`, which takes long to import.
_STAGE_LEXERS: dict[str, Callable[[], CodeLexer]] = {
    "python": _python_lexer,
    "cuda": _cuda_lexer,
    "mlir": _mlir_lexer,
    "ttir": _mlir_lexer,
    "ttgir": _mlir_lexer,
    "llvm-ir": _nvvm_lexer,
}


def stage_lexer(language: KernelLanguage) -> CodeLexer | None:
    """Returns the lexer of a representation of a captured kernel."""
    make = _STAGE_LEXERS.get(language.value)
    return _lexer(make) if make is not None else None


def icon_name(kind: CodeKind, is_header: bool) -> str:
    """Returns the icon of a document."""
    if is_header:
        return LANGUAGES[CodeKind.HEADER].icon
    return LANGUAGES[kind].icon if kind in LANGUAGES else BINARY_ICON
