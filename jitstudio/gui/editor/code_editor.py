"""The editor for CUDA C++, LLVM IR and PTX.

Owns the text while it is edited. Knows nothing of files, builds or other panels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QMimeData, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip, QWidget

from jitstudio.gui.editor import keys, places
from jitstudio.gui.editor.input import refusal
from jitstudio.gui.editor.margin import EditorMargin
from jitstudio.gui.editor.marks import Mark, MarkList
from jitstudio.gui.editor.matching import bracket_pair, occurrences, word_at
from jitstudio.gui.editor.places import cursor_over, ground
from jitstudio.gui.find.search import Change, Span
from jitstudio.gui.font_zoom import FontZoom, Zoomable
from jitstudio.gui.fonts import code_font
from jitstudio.gui.highlighter import LineLexer, SourceHighlighter
from jitstudio.gui.theme import Theme

_NONE = Qt.KeyboardModifier.NoModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_ALT = Qt.KeyboardModifier.AltModifier
_OCCURRENCES_DELAY = 120


class CodeEditor(Zoomable, QPlainTextEdit):
    """Edits its own text, or `document`: that has a `QPlainTextDocumentLayout` and outlives it.

    Attributes:
        marks: The errors and warnings shown, and where they have moved to.
        highlighter: Who colours the text.

    Signals:
        input_refused: With the reason in words, when a paste or drop was not taken.
        font_size_changed: With the new size in points.
        search_text_changed: When the text changed, not merely its colours.
    """

    input_refused = Signal(str)
    font_size_changed = Signal(float)
    search_text_changed = Signal()

    def __init__(
        self,
        theme: Theme,
        lexer: LineLexer | None = None,
        comment_prefix: str = "//",
        parent: QWidget | None = None,
        *,
        document: QTextDocument | None = None,
    ) -> None:
        super().__init__(parent)
        if document is not None:
            self.setDocument(document)
        self._theme = theme
        self._comment_prefix = comment_prefix
        self._matches: Mapping[int, Sequence[Span]] = {}
        self._word = ""
        self._revision = self.document().revision()
        self.marks = MarkList(self.document())
        self.highlighter = SourceHighlighter(self.document(), lexer, theme)
        self._zoom = FontZoom(self)
        self._margin = EditorMargin(self)
        self._word_timer = QTimer(self)
        self._word_timer.setSingleShot(True)
        self._word_timer.setInterval(_OCCURRENCES_DELAY)
        self._keys = self._key_table()
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setAccessibleName(self.tr("Source code"))
        self._connect()
        self._on_font_size(self._zoom.size)
        self.set_theme(theme)

    def _connect(self) -> None:
        self._zoom.size_changed.connect(self._on_font_size)
        self._word_timer.timeout.connect(self._on_word_timeout)
        self.blockCountChanged.connect(self._on_block_count)
        self.updateRequest.connect(self._on_update_request)
        self.cursorPositionChanged.connect(self._on_cursor_moved)
        self.textChanged.connect(self._on_text_changed)

    def _key_table(self) -> dict[tuple[Qt.Key, Qt.KeyboardModifier], Callable[[QTextCursor], None]]:
        key = Qt.Key
        return {
            (key.Key_Tab, _NONE): keys.indent,
            (key.Key_Backtab, _SHIFT): keys.unindent,
            (key.Key_Backtab, _NONE): keys.unindent,
            (key.Key_Return, _NONE): keys.new_line,
            (key.Key_Enter, _NONE): keys.new_line,
            # Qt would put a line separator, which is no line end to a compiler.
            (key.Key_Return, _SHIFT): keys.new_line,
            (key.Key_Enter, _SHIFT): keys.new_line,
            (key.Key_BraceRight, _NONE): keys.close_brace,
            (key.Key_Home, _NONE): partial(keys.home, select=False),
            (key.Key_Home, _SHIFT): partial(keys.home, select=True),
            (key.Key_Slash, _CTRL): self._toggle_comments,
            (key.Key_Up, _ALT): partial(keys.move_lines, down=False),
            (key.Key_Down, _ALT): partial(keys.move_lines, down=True),
            (key.Key_Down, _ALT | _SHIFT): keys.duplicate_lines,
            (key.Key_D, _CTRL | _SHIFT): keys.duplicate_lines,
        }

    # What a window asks for.

    @property
    def theme(self) -> Theme:
        """The theme worn now."""
        return self._theme

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        colors = self.palette()
        for role, color in (
            (QPalette.ColorRole.Base, theme.code.background),
            (QPalette.ColorRole.Text, theme.code.text),
            (QPalette.ColorRole.Highlight, theme.code.selection),
            (QPalette.ColorRole.HighlightedText, theme.code.selection_text),
            (QPalette.ColorRole.PlaceholderText, theme.code.placeholder),
        ):
            colors.setColor(role, color)
        self.setPalette(colors)
        if self.highlighter.theme is not theme:
            self.highlighter.set_theme(theme)
        self._margin.update()
        self._refresh()

    def set_language(self, lexer: LineLexer | None, comment_prefix: str) -> None:
        """Treat the text as another language from now on."""
        self._comment_prefix = comment_prefix
        self.highlighter.set_lexer(lexer)

    def set_marks(self, marks: Iterable[Mark]) -> None:
        """Show these errors and warnings instead of the last ones."""
        self.marks.set_marks(marks)
        self._margin.update()
        self._refresh()

    def go_to(self, line: int, column: int | None = None) -> None:
        """Put the cursor to a place, both counted from 1, and the place into view."""
        start = (column or 1) - 1
        cursor = cursor_over(self.document(), max(line, 1) - 1, (start, start))
        self.setTextCursor(cursor)
        self.centerCursor()

    def position(self) -> tuple[int, int]:
        """Line and column of the cursor, counted from 1, the column in characters."""
        line, column = places.place_of(self.document(), self.textCursor().position())
        return line + 1, column + 1

    @Slot()
    def toggle_comments(self) -> None:
        """Comment the selected lines out or in."""
        self._edit(self._toggle_comments)

    @Slot()
    def duplicate_lines(self) -> None:
        """Put a copy of the selected lines below them."""
        self._edit(keys.duplicate_lines)

    @Slot()
    def move_lines_up(self) -> None:
        """Move the selected lines up by one."""
        self._edit(partial(keys.move_lines, down=False))

    @Slot()
    def move_lines_down(self) -> None:
        """Move the selected lines down by one."""
        self._edit(partial(keys.move_lines, down=True))

    # What the find bar asks for: jitstudio.gui.find.search.Searchable.

    def search_line_count(self) -> int:
        """How many lines there are."""
        return self.blockCount()

    def search_lines(self, first: int, count: int) -> list[str]:
        """Some lines, counted from 0."""
        return places.lines(self.document(), first, count)

    def search_start(self) -> tuple[int, int]:
        """Line and column where the selection begins, counted from 0."""
        return places.place_of(self.document(), self.textCursor().selectionStart())

    def search_selection(self) -> str:
        """The selected text if it is within one line."""
        text = self.textCursor().selectedText()
        return "" if "\u2029" in text else text

    def show_match(self, line: int, span: Span) -> None:
        """Select a match and bring it into view."""
        self.setTextCursor(cursor_over(self.document(), line, span))

    def set_matches(self, matches: Mapping[int, Sequence[Span]]) -> None:
        """Highlight what was found, by line."""
        self._matches = matches
        self._refresh()

    def replace_matches(self, changes: Sequence[Change]) -> None:
        """Replace matches, given in order of their place, as one step of undo."""
        places.replace(self.document(), changes)

    # What Qt calls.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edit as a programmer expects, where a plain text field does otherwise."""
        if self._zoom.take_key(event):
            return
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.text() == "}":
            modifiers = _NONE  # which modifiers a brace needs depends on the keyboard
        edit = self._keys.get((Qt.Key(event.key()), modifiers))
        is_plain_backspace = event.key() == Qt.Key.Key_Backspace and modifiers == _NONE
        if self.isReadOnly():
            super().keyPressEvent(event)
        elif edit is not None:
            self._edit(edit)
        elif not (is_plain_backspace and keys.backspace(self.textCursor())):
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl, else scroll."""
        if not self._zoom.take_wheel(event):
            super().wheelEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text only: dropped files are for the window to open."""
        return source.hasText() and not source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Take a paste or drop, unless it would freeze the window."""
        reason = refusal(source.text())
        if reason is not None:
            self.input_refused.emit(reason)
            return
        super().insertFromMimeData(source)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stretch the margin along."""
        super().resizeEvent(event)
        inside = self.contentsRect()
        width = self._margin.wanted_width()
        self._margin.setGeometry(QRect(inside.left(), inside.top(), width, inside.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground of the current line, then the text."""
        if not self.textCursor().hasSelection():
            block = self.textCursor().block()
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
            band = QRectF(0, rect.top(), self.viewport().width(), rect.height())
            painter = QPainter(self.viewport())
            painter.fillRect(band, self._theme.code.current_line)
            painter.end()
        super().paintEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Tell the message of the mark under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            position = self.cursorForPosition(event.pos()).position()
            messages = (placed.mark.message for placed in self.marks.at_position(position))
            QToolTip.showText(event.globalPos(), "\n".join(messages), self.viewport())
            return True
        return super().viewportEvent(event)

    # What its own parts ask for.

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, QRectF]]:
        """The lines in sight and where they are."""
        block, bottom = self.firstVisibleBlock(), self.viewport().height()
        rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
        while block.isValid() and rect.top() <= bottom:
            yield block, rect
            block = block.next()
            rect = QRectF(rect.left(), rect.bottom(), rect.width(), rect.height())

    def _edit(self, edit: Callable[[QTextCursor], None]) -> None:
        cursor = self.textCursor()
        edit(cursor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _toggle_comments(self, cursor: QTextCursor) -> None:
        keys.toggle_comments(cursor, self._comment_prefix)

    def _refresh(self) -> None:
        blocks = [block for block, _ in self.visible_blocks()]
        if not blocks:
            return
        code, first = self._theme.code, blocks[0]
        last = blocks[-1].position() + blocks[-1].length() - 1
        chosen: list[QTextEdit.ExtraSelection] = []
        words = occurrences(self._word, first, last) if self._word else []
        if len(words) > 1:
            chosen += [ground(cursor, code.occurrence) for cursor in words]
        for block in blocks if self._matches else ():
            number = block.blockNumber()
            for span in self._matches.get(number, ()):
                chosen.append(ground(cursor_over(self.document(), number, span), code.match))
        for position in bracket_pair(self.textCursor()) or ():
            cursor = QTextCursor(self.document())
            cursor.setPosition(position)
            cursor.movePosition(
                QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor
            )
            chosen.append(ground(cursor, code.bracket))
        self.setExtraSelections(chosen + self.marks.selections(first.position(), last, self._theme))

    @Slot(float)
    def _on_font_size(self, points: float) -> None:
        self.setFont(code_font(points))
        self.setTabStopDistance(keys.INDENT * self.fontMetrics().horizontalAdvance(" "))
        self._margin.setFont(self.font())
        self._on_block_count()
        self.font_size_changed.emit(points)

    @Slot()
    def _on_block_count(self) -> None:
        width = self._margin.wanted_width()
        self.setViewportMargins(width, 0, 0, 0)
        self._margin.resize(width, self._margin.height())

    @Slot(QRect, int)
    def _on_update_request(self, rect: QRect, dy: int) -> None:
        if dy:
            self._margin.scroll(0, dy)
            self._refresh()
        else:
            self._margin.update(0, rect.y(), self._margin.width(), rect.height())

    @Slot()
    def _on_cursor_moved(self) -> None:
        self._word = ""
        self._word_timer.start()
        self._margin.update()
        self.viewport().update()
        self._refresh()

    @Slot()
    def _on_word_timeout(self) -> None:
        word = word_at(self.textCursor())
        if word:
            self._word = word
            self._refresh()

    @Slot()
    def _on_text_changed(self) -> None:
        revision = self.document().revision()
        if revision != self._revision:
            self._revision = revision
            self.search_text_changed.emit()
