"""The editor for CUDA C++, LLVM IR and PTX.

Owns the text while it is edited. Knows nothing of files, builds or other panels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QToolTip, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.code_view import Change, Span
from jitstudio.gui.code.languages import CodeLexer
from jitstudio.gui.editor.carets import Carets, ColumnSelection
from jitstudio.gui.editor.changes import (
    cursor_over,
    has_outgrown,
    place_of,
    refusal_to_insert,
    refusal_to_replace,
    replace_ranges,
    replace_spans,
)
from jitstudio.gui.editor.editor_area import EditorArea
from jitstudio.gui.editor.edits import set_tab_width, tab_width, toggle_comments
from jitstudio.gui.editor.highlights import EditorLineColours, Highlights
from jitstudio.gui.editor.host_code import HostCodeVeil
from jitstudio.gui.editor.keys import Edit, apply_key
from jitstudio.gui.editor.links import WordLink
from jitstudio.gui.editor.margin import EditorMargin, FoldSigns, PressureBars
from jitstudio.gui.editor.marks import DiagnosticMark, PlacedMark, tooltip
from jitstudio.gui.kit.fonts import FontZoom, Zoomable, show_as_code
from jitstudio.gui.kit.theme import code_palette, current_theme, follow_theme


class CodeEditor(Zoomable, EditorArea):
    """Edits a text of its own, or `document`: with `QPlainTextDocumentLayout`, and outliving this.

    Attributes:
        pressure: Bars for the registers that are alive on each line.
        host_code: The lines that are not compiled because they are for the host only.
        line_colours: Which lines belong together with PTX and SASS.
        carets: The carets besides the cursor.
        columns: Selects columns with them.
        word_link: Names that lead to their definitions.

    Signals:
        input_refused: With the reason, when a paste or drop was not taken.
        font_size_changed: With the new size in points.
        search_text_changed: When the text changed, not merely its colours.
        jumped: The cursor went to a place that a command asked for.
        message_changed: With the messages about the cursor's line, when it is another line.
        menu_opening: The context menu, empty as yet, is about to open where the cursor is.
    """

    input_refused = Signal(str)
    font_size_changed = Signal(float)
    search_text_changed = Signal()
    message_changed = Signal(str)
    menu_opening = Signal(QMenu)
    jumped = Signal()

    def __init__(
        self,
        lexer: CodeLexer | None = None,
        comment_prefix: str = "//",
        parent: QWidget | None = None,
        *,
        document: QTextDocument | None = None,
        kind: CodeKind = CodeKind.CUDA,
    ) -> None:
        super().__init__(lexer, kind, document, parent)
        self._comment_prefix = comment_prefix
        self._message = ""
        self._revision = self.document().revision()
        self._zoom = FontZoom(self)
        self._fold_signs = FoldSigns(self)
        self.pressure = PressureBars(self)
        self.line_colours = EditorLineColours(self)
        self.host_code = HostCodeVeil(self)
        self._margin = EditorMargin(self, self.pressure)
        self.carets = Carets(self)
        self.columns = ColumnSelection(self, self.carets)
        self.word_link = WordLink(self, self.carets)
        self._highlights = Highlights(self, self.carets, self.word_link)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setAccessibleName(self.tr("Source code"))
        self._connect()
        self._code_font = show_as_code(self, self._zoom.size)
        self._code_font.changed.connect(self._fit_letters)
        self._fit_letters()
        follow_theme(self, CodeEditor._apply_theme)

    def _connect(self) -> None:
        self._zoom.size_changed.connect(self._on_font_size)
        self.blockCountChanged.connect(self._margin.fit)
        self.updateRequest.connect(self._on_update_request)
        self.cursorPositionChanged.connect(self._on_cursor_moved)
        self.textChanged.connect(self._on_text_changed)
        self.folds.changed.connect(self._on_folds_changed)

    # What a window uses.

    def _apply_theme(self) -> None:
        theme = current_theme()
        colors = code_palette(theme, self.palette())
        self.setPalette(colors)
        # A style sheet of the application gives the text a palette of its own, which stays.
        self.viewport().setPalette(colors)
        self._margin.update()
        self._highlights.refresh()

    def set_language(
        self, lexer: CodeLexer | None, comment_prefix: str, kind: CodeKind = CodeKind.CUDA
    ) -> None:
        """Treats the text as another language from now on."""
        self._comment_prefix = comment_prefix
        self.folds.kind = self.completer.kind = kind
        self.highlighter.set_lexer(lexer)

    def set_tab_width(self, columns: int) -> None:
        """Puts the tab stops so many columns apart, and indents by as many."""
        if columns != tab_width(self.document()):
            set_tab_width(self.document(), columns)
            self._fit_tabs()

    def set_marks(self, marks: Iterable[DiagnosticMark]) -> None:
        """Replaces the shown errors and warnings."""
        self.marks.set_marks(marks)
        self._margin.update()
        self._highlights.refresh()
        self._report_message()

    def go_to(self, line: int, column: int | None = None) -> None:
        """Puts the cursor to a place, both counted from 1, and the place into view."""
        start = (column or 1) - 1
        self.carets.clear()
        cursor = cursor_over(self.document(), max(line, 1) - 1, (start, start))
        self.setTextCursor(cursor)
        self.centerCursor()
        self.jumped.emit()

    @Slot()
    def toggle_comments(self) -> None:
        """Comments the selected lines out or in."""
        self._edit(partial(toggle_comments, prefix=self._comment_prefix))

    @Slot()
    def undo(self) -> None:
        """Takes the last step back, at all carets."""
        self._step_in_history(super().undo)

    @Slot()
    def redo(self) -> None:
        """Does the step again that was taken back."""
        self._step_in_history(super().redo)

    @Slot()
    def show_message(self) -> None:
        """Shows the messages about the cursor's line as a tooltip."""
        block = self.textCursor().block()
        place = self.cursorRect().bottomLeft()
        self._show_marks(
            self.marks.of_lines(block, self.folds.last_of(block)),
            self.viewport().mapToGlobal(place),
        )

    # What the find bar asks for: jitstudio.gui.code.code_view.Editable.

    def show_match(self, line: int, span: Span) -> None:
        """Selects a match and brings the line into view."""
        self.carets.clear()
        self.setTextCursor(cursor_over(self.document(), line, span))

    def set_matches(self, matches: Mapping[int, Sequence[Span]]) -> None:
        """Highlights matches, by line."""
        self._highlights.set_matches(matches)

    def replace_matches(self, changes: Sequence[Change]) -> bool:
        """Replaces matches, given in text order, as a single step of undo; returns success."""
        if reason := refusal_to_replace(self.document(), changes):
            self.input_refused.emit(reason)
            return False
        line, column = place_of(self.document(), self.textCursor().position())
        if replace_spans(self.document(), changes):
            self.setTextCursor(cursor_over(self.document(), line, (column, column)))
        return True

    def apply_edits(self, edits: Sequence[tuple[int, int, str]], caret: int) -> None:
        """Changes parts of the text as a single step of undo.

        Args:
            edits: The first position, the one behind the last, and the new text; in order.
            caret: Where the cursor is then.
        """
        self.carets.clear()
        if edits and self._change(partial(replace_ranges, self.document(), edits)):
            cursor = self.textCursor()
            cursor.setPosition(min(caret, self.document().characterCount() - 1))
            self.setTextCursor(cursor)

    # What Qt calls.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edits as a programmer expects, where a plain text field does otherwise."""
        if self._zoom.take_key(event):
            return
        if self.isReadOnly():
            super().keyPressEvent(event)
        elif not (self.carets.take_key(event) or self.completer.take_key(event)):
            self._type(event)
            self.completer.follow(event)

    def _type(self, event: QKeyEvent) -> None:
        cursor = self.textCursor()
        if apply_key(event, cursor, self.pairs):
            self.setTextCursor(cursor)
            self.ensureCursorVisible()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Inserts the text of an input method at all carets."""
        if self.carets.is_many and event.commitString():
            self.carets.insert(event.commitString())
            event = QInputMethodEvent(event.preeditString(), event.attributes())
        super().inputMethodEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Opens a fold at a click on the sign; with Alt, adds a caret or selects columns."""
        is_left = event.button() == Qt.MouseButton.LeftButton
        folded = self._fold_signs.at(event.position())
        if folded is not None and is_left:
            self.folds.unfold(folded)
        elif not (is_left and self.columns.press(event)):
            if event.button() != Qt.MouseButton.RightButton:
                self.carets.clear()
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Goes on selecting, columns or text."""
        if not self.columns.drag(event):
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ends the selection of columns."""
        if not self.columns.release():
            super().mouseReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offers the actions on the word and the line here."""
        place, at = event.pos(), event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.cursorRect().bottomLeft()
            at = self.viewport().mapToGlobal(place)
        elif not self.carets.is_many:
            self._point_cursor(place)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # Commands of the window for the line and the word here come first, then what Qt has.
        self.menu_opening.emit(menu)
        usual = self.createStandardContextMenu(place)
        menu.destroyed.connect(usual.deleteLater)
        if not menu.isEmpty():
            menu.addSeparator()
        menu.addActions(usual.actions())
        menu.popup(at)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms with Ctrl, otherwise scrolls."""
        if not self._zoom.take_wheel(event):
            super().wheelEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text only: dropped files are for the window to open."""
        return source.hasText() and not source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Takes a paste or drop, unless the text would freeze the window."""
        text = source.text()
        copies = self.carets.copies(text)
        if reason := refusal_to_insert(self.textCursor(), text, copies):
            self.input_refused.emit(reason)
        elif self.carets.is_many:
            self._change(partial(self.carets.insert, text))
        else:
            super().insertFromMimeData(source)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stretches the margin along."""
        super().resizeEvent(event)
        inside = self.contentsRect()
        width = self._margin.wanted_width()
        self._margin.setGeometry(QRect(inside.left(), inside.top(), width, inside.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the layers behind the text, then text, carets and fold signs."""
        self.line_colours.paint()
        super().paintEvent(event)
        self.host_code.paint()
        self._fold_signs.paint()
        self.carets.paint()

    def viewportEvent(self, event: QEvent) -> bool:
        """Shows the message of the mark under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            position = self.cursorForPosition(event.pos()).position()
            self._show_marks(self.marks.at_position(position), event.globalPos())
            return True
        return super().viewportEvent(event)

    # How it does it.

    def _point_cursor(self, place: QPoint) -> None:
        """Puts the cursor to a place in the viewport, unless that is in the selection."""
        cursor, there = self.textCursor(), self.cursorForPosition(place)
        if not cursor.selectionStart() <= there.position() <= cursor.selectionEnd():
            self.setTextCursor(there)

    def _edit(self, edit: Edit) -> None:
        if self.carets.is_many:
            self._change(partial(self.carets.edit, edit))
            return
        cursor = self.textCursor()
        if self._change(partial(edit, cursor)):
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def _change(self, change: Callable[[], object]) -> bool:
        """Changes the text, unless the result is too large; returns whether the change stays."""
        size = self.document().characterCount()
        change()
        if self.document().characterCount() > size and (reason := has_outgrown(self.document())):
            self.undo()
            self.input_refused.emit(reason)
            return False
        return True

    def _step_in_history(self, step: Callable[[], None]) -> None:
        if self.carets.is_many:
            self.carets.step_in_history(step)
        else:
            step()

    def _show_marks(self, marks: Iterable[PlacedMark], place: QPoint) -> None:
        QToolTip.showText(place, tooltip(marks), self.viewport())

    def _report_message(self) -> None:
        block = self.textCursor().block()
        worst = self.marks.of_lines(block, block)[:1]
        message = "".join(placed.mark.message.partition("\n")[0] for placed in worst)
        if message != self._message:
            self._message = message
            self.message_changed.emit(message)

    def _fit_tabs(self) -> None:
        columns = tab_width(self.document())
        self.setTabStopDistance(columns * self.fontMetrics().horizontalAdvance(" "))

    @Slot()
    def _fit_letters(self) -> None:
        self._fit_tabs()
        self._margin.setFont(self.font())
        self._margin.fit()

    @Slot(float)
    def _on_font_size(self, points: float) -> None:
        self._code_font.set_size(points)
        self.font_size_changed.emit(points)

    @Slot(QRect, int)
    def _on_update_request(self, rect: QRect, dy: int) -> None:
        if dy:
            self._margin.scroll(0, dy)
            self._highlights.refresh()
        else:
            self._margin.update(0, rect.y(), self._margin.width(), rect.height())

    @Slot()
    def _on_cursor_moved(self) -> None:
        block = self.textCursor().block()
        if not block.isVisible():
            self.folds.reveal(block)
        self._margin.update()
        self.viewport().update()
        self._report_message()

    @Slot()
    def _on_folds_changed(self) -> None:
        self._margin.update()
        self.viewport().update()
        self._highlights.refresh()

    @Slot()
    def _on_text_changed(self) -> None:
        revision = self.document().revision()
        if revision != self._revision:
            self._revision = revision
            self.search_text_changed.emit()
