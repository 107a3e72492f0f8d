"""Explains words of code, at the mouse and at the keyboard's request.

The vocabulary is read in the background, the first time that a tip is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from threading import Event

from PySide6.QtCore import QObject, QPoint, QRect, Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication

from jitstudio.analysis.reference import (
    LONGEST_LINE,
    Reference,
    WordAt,
    openings,
    reference,
    word_at,
)
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.code_view import CodeView
from jitstudio.gui.code.hover import Tip, WordHover, constant_tip, help_tip, register_tip, word_tip
from jitstudio.gui.editor.changes import cursor_over
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.editor_area import EditorArea
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.editor.matching import in_prose
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.code_units import from_units, to_units
from jitstudio.gui.listing.links import ListingHover
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.constant_namings import ConstantNamings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.listing.word import Word

_Teller = Callable[[WordAt], Tip | None]


class Tips(QObject):
    """Explains the words of every language.

    Signals:
        known: The texts of this language are read now.
    """

    known = Signal(CodeKind)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tellers: dict[CodeKind, _Teller] = {}
        self._readings: dict[CodeKind, Background] = {}

    def is_known(self, kind: CodeKind) -> bool:
        """Returns whether the texts of a language are read."""
        return kind in self._tellers

    def want(self, kind: CodeKind) -> None:
        """Reads the texts of a language, unless that is done."""
        if kind not in self._readings:
            self._readings[kind] = reading = Background(self)
            reading.done.connect(self._on_read)
            reading.start(partial(_read, kind))

    def tip(self, kind: CodeKind, line: str, column: int) -> Tip | None:
        """Returns the tip about the word at a column, counted from 0; None without one."""
        self.want(kind)
        teller = self._tellers.get(kind)
        if teller is None or len(line) > LONGEST_LINE:
            return None
        word = word_at(kind, line, column)
        return teller(word) if word else None

    @Slot(object)
    def _on_read(self, read: tuple[CodeKind, _Teller]) -> None:
        kind, teller = read
        self._tellers[kind] = teller
        self.known.emit(kind)


def _read(kind: CodeKind, _stop: Event) -> tuple[CodeKind, _Teller]:
    from jitstudio.listing.vocabulary import vocabulary

    words = reference(kind)
    if words.entries:
        return kind, partial(_of_reference, words)
    return kind, partial(_of_vocabulary, vocabulary(kind).words)


def _of_reference(help_texts: Reference, word: WordAt) -> Tip | None:
    explanation = help_texts.explain(word.text, opens=word.opens)
    return help_tip(explanation, word.span) if explanation else None


def _of_vocabulary(words: Mapping[str, Word], word: WordAt) -> Tip | None:
    # Of `threadIdx.x` the first part is known.
    entry = words.get(word.text) or words.get(word.text.partition(".")[0])
    return word_tip(entry, word.span) if entry and entry.help else None


class HoverController(QObject):
    """Serves the listings, and each tab from the moment its document is opened."""

    def __init__(
        self,
        documents: Documents,
        constants: ConstantNamings,
        editors: EditorTabs,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(editors)
        self._constants = constants
        actions = shell.actions
        self._shell = shell
        self._editors = editors
        self._tips = Tips(self)
        # What the keyboard has asked for while the texts were still being read.
        self._awaited_kind: CodeKind | None = None
        for kind, pane in listings.items():
            find = self._name_tip if kind is CodeKind.SASS else None
            ListingHover(pane.code_view, kind, self._want, self._tips.tip, find)
        self._tips.known.connect(self._on_known)
        self._constants.known.connect(self._on_constants_known)
        documents.each(self._on_added)
        actions.bind({"explainAction": self._on_explain})
        actions.know({"explainAction": self._can_explain})

    def _want(self, kind: CodeKind) -> None:
        self._tips.want(kind)
        if kind is CodeKind.SASS:
            self._constants.want()

    def _is_known(self, kind: CodeKind) -> bool:
        is_sass = kind is CodeKind.SASS
        return self._tips.is_known(kind) and (not is_sass or self._constants.is_known)

    def _name_tip(self, line: int, text: str, column: int) -> Tip | None:
        place = self._constants.at(line, text, column)
        if place is not None:
            return constant_tip(place.constant, place.form)
        register = self._constants.register_at(line, text, column)
        return (
            register_tip(register.register, register.variables, register.span) if register else None
        )

    def _serve(self, view: CodeView, kind: CodeKind) -> None:
        if isinstance(view, CodeEditor):
            EditorHover(view, self._tips.want, self._tips.tip)
        elif isinstance(view, ListingView):
            ListingHover(view, kind, self._tips.want, self._tips.tip)

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        page = self._editors.page_of(document)
        for view, _ in page.shown if page is not None else ():
            self._serve(view, document.kind)

    def _can_explain(self) -> bool:
        """Returns whether something is known of the word at the cursor, or will be in a moment."""
        hover = _with_keyboard()
        return hover is not None and (not self._is_known(hover.kind) or hover.can_explain)

    @Slot()
    def _on_explain(self) -> None:
        hover = _with_keyboard()
        if hover is None:
            self._report(self.tr("Go to a line in an editor, PTX or SASS first"))
        elif self._is_known(hover.kind):
            tip = hover.explain()
            self._report(tip.line if tip else self.tr("There is no help on the words of this line"))
        else:
            self._awaited_kind = hover.kind
            self._want(hover.kind)

    @Slot()
    def _on_constants_known(self) -> None:
        self._on_known(CodeKind.SASS)

    @Slot(CodeKind)
    def _on_known(self, kind: CodeKind) -> None:
        if kind is self._awaited_kind and self._is_known(kind):
            self._awaited_kind = None
            self._on_explain()

    def _report(self, line: str) -> None:
        self._shell.status.show_message(line)


def _with_keyboard() -> WordHover | None:
    """Returns the tips for the view that has the keyboard."""
    focus = QApplication.focusWidget()
    return focus.findChild(WordHover) if focus is not None else None


# ---- The tooltip in an editor


class EditorHover(WordHover):
    """Shows the tips of an editor; compiler messages about a place come first.

    Args:
        editor: The editor.
        want: Called with the language when the mouse enters, as tips may be wanted.
        find: The tip for a column of a line of a language, if there is one.
    """

    def __init__(
        self,
        editor: EditorArea,
        want: Callable[[CodeKind], None],
        find: Callable[[CodeKind, str, int], Tip | None],
    ) -> None:
        self._editor = editor
        super().__init__(editor, want, find)

    @property
    def kind(self) -> CodeKind:
        """The language of the text."""
        return self._editor.kind

    def _visible_cursor(self) -> tuple[int, int]:
        self._editor.ensureCursorVisible()
        cursor = self._editor.textCursor()
        return cursor.blockNumber(), cursor.positionInBlock()

    def _below(self, at: QPoint) -> Iterator[tuple[int, int]]:
        cursor = self._editor.cursorForPosition(at)
        if not self._editor.marks.at_position(cursor.position()):
            # The cursor is the gap nearest to the mouse, on either side of the letter below it.
            yield cursor.blockNumber(), cursor.positionInBlock()
            yield cursor.blockNumber(), cursor.positionInBlock() - 1

    def _tip(self, line: int, column: int) -> Tip | None:
        block = self._editor.document().findBlockByNumber(line)
        if column < 0 or in_prose(block, column):
            return None
        text = block.text()
        return self._find(self.kind, text, from_units(text, column))

    def _openings(self, line: int) -> Iterator[int]:
        text = self._editor.document().findBlockByNumber(line).text()
        return (to_units(text, column) for column in openings(self.kind, text))

    def _area(self, line: int, tip: Tip) -> QRect:
        editor = self._editor
        word = cursor_over(editor.document(), line, tip.span)
        end = editor.cursorRect(word)
        start = QTextCursor(word)
        start.setPosition(word.selectionStart())
        return editor.cursorRect(start).united(end)
