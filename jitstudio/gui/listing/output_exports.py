"""The buttons that take a listing away: onto the clipboard in several forms, or into a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Event

from PySide6.QtCore import QMimeData, QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QToolButton

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.listing.copying import Beside, Excerpt, as_html, as_markdown
from jitstudio.gui.listing.listing_view import ListingView

MOST_LINES = 50_000
"""More lines as HTML make a clipboard that hardly any program takes."""

# What a fenced block calls each kind, and what can be saved beside it.
_FENCES = {CodeKind.PTX: "ptx", CodeKind.SASS: "asm"}
_SAVED = {CodeKind.PTX: (CodeKind.PTX,), CodeKind.SASS: (CodeKind.SASS, CodeKind.CUBIN)}
_LIGHT = "light"


@dataclass(frozen=True)
class _Made:
    """What goes onto the clipboard, and what it is called."""

    excerpt: Excerpt
    text: str
    form: str = ""
    html: str = ""


class OutputExports(QObject):
    """Copies from one listing, and asks for it to be saved.

    Attributes:
        copy_button: A menu of the forms to copy it in.
        save_button: A menu of what can be saved.

    Signals:
        told: What was done, in words.
        save_requested: This kind of what is shown shall be saved.
    """

    told = Signal(str)
    save_requested = Signal(CodeKind)

    def __init__(self, kind: CodeKind, view: ListingView) -> None:
        super().__init__(view)
        self._kind = kind
        self._view = view
        self._beside: Callable[[], Beside | None] | None = None
        self._making = Background(self)
        self._making.done.connect(self._on_made)
        self._making.failed.connect(self.told)
        self.copy_button = self._make_button(self.tr("Copy {kind}"), "copy")
        self.save_button = self._make_button(self.tr("Save {kind}"), "save")
        self._add_menus()
        self.set_available(False)

    def set_available(self, there: bool) -> None:
        """Say whether there is a listing."""
        self.copy_button.setEnabled(there)
        self.save_button.setEnabled(there)
        for action in self.copy_button.menu().actions():
            action.setEnabled(there)

    def offer_columns(self, beside: Callable[[], Beside | None]) -> None:
        """Let what stands beside the listing be copied with it."""
        self._beside = beside
        copy = self.copy_button.menu()
        plain = self._add(copy, self.tr("Copy as &plain text"), "copyPlain")
        plain.setToolTip(self.tr("The selected lines, or all where nothing is selected"))
        plain.triggered.connect(self._on_copy_plain)
        copy.addSeparator()
        self._with_columns = self._add(copy, self.tr("With the &columns"), "copyColumns")
        self._with_columns.setToolTip(self.tr("What is shown beside each instruction, too"))
        self._with_columns.setCheckable(True)

    def _make_button(self, text: str, name: str) -> QToolButton:
        button = QToolButton(autoRaise=True)
        button.setObjectName(f"{self._kind.value}{name.title()}Button")
        button.setToolTip(text.format(kind=self._kind.title))
        button.setAccessibleName(button.toolTip())
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _add_menus(self) -> None:
        copy, save = QMenu(self.copy_button), QMenu(self.save_button)
        copy.setToolTipsVisible(True)
        self._add(copy, self.tr("Copy &all"), "copyAll").triggered.connect(self._on_copy)
        scope = self.tr("The selected lines, or all where nothing is selected")
        for text, act, name in (
            (self.tr("Copy as &HTML"), self._on_copy_html, "copyHtml"),
            (self.tr("Copy as &Markdown"), self._on_copy_markdown, "copyMarkdown"),
        ):
            action = self._add(copy, text, name)
            action.setToolTip(scope)
            action.triggered.connect(act)
            # The context menu of the listing shows its actions.
            self._view.addAction(action)
        for kind in _SAVED[self._kind]:
            action = self._add(save, self.tr("Save {kind}…"), f"save{kind.value.title()}")
            action.setText(action.text().format(kind=kind.title))
            action.triggered.connect(partial(self.save_requested.emit, kind))
        self.copy_button.setMenu(copy)
        self.save_button.setMenu(save)

    def _add(self, menu: QMenu, text: str, name: str) -> QAction:
        action = menu.addAction(text)
        action.setObjectName(f"{self._kind.value}{name[0].upper()}{name[1:]}Action")
        return action

    def _columns(self) -> Beside | None:
        """What to copy beside the lines, if that is wanted and known."""
        if self._beside is None or not self._with_columns.isChecked():
            return None
        return self._beside()

    def _all(self) -> Excerpt:
        text = self._view.text
        parts = [(line, 0, len(content)) for line, content in enumerate(text.lines)]
        return Excerpt(text.lines, parts, text.stand_ins, self._columns())

    def _excerpt(self) -> Excerpt:
        """What is selected, or all."""
        caret, text = self._view.caret, self._view.text
        if not caret.has_selection:
            return self._all()
        (first, start), (last, end) = caret.selection
        if end == 0 and last > first:
            # Whole lines are selected, up to where the next one begins.
            last -= 1
            end = len(text.lines[last])
        parts = [
            (
                line,
                start if line == first else 0,
                end if line == last else len(text.lines[line]),
            )
            for line in caret.rows.between(first, last)
        ]
        return Excerpt(text.lines, parts, text.stand_ins, self._columns())

    def _say(self, count: int, form: str) -> None:
        one = self.tr("Copied 1 line of {kind} {form}")
        said = one if count == 1 else self.tr("Copied {count:,} lines of {kind} {form}")
        named = self.tr(", names in words of C++") if self._view.text.stand_ins else ""
        self.told.emit(said.format(count=count, kind=self._kind.title, form=form).strip() + named)

    def _hand_out(self, excerpt: Excerpt, make: Callable[[], _Made]) -> None:
        """Put something onto the clipboard; the columns of many lines take their time."""
        if excerpt.beside is None:
            self._on_made(make())
        else:
            self._making.start(lambda _stop: make())

    @Slot()
    def _on_copy(self) -> None:
        excerpt = self._all()
        self._hand_out(excerpt, lambda: _Made(excerpt, f"{excerpt.text}\n"))

    @Slot()
    def _on_copy_plain(self) -> None:
        excerpt = self._excerpt()
        self._hand_out(excerpt, lambda: _Made(excerpt, f"{excerpt.text}\n"))

    @Slot()
    def _on_copy_markdown(self) -> None:
        excerpt, form, fence = self._excerpt(), self.tr("as Markdown"), _FENCES[self._kind]
        self._hand_out(excerpt, lambda: _Made(excerpt, as_markdown(excerpt, fence), form))

    @Slot()
    def _on_copy_html(self) -> None:
        excerpt, lexer, form = self._excerpt(), self._view.text.lexer, self.tr("as HTML")
        if len(excerpt.parts) > MOST_LINES:
            said = self.tr("That is too much for HTML: select at most {count:,} lines")
            self.told.emit(said.format(count=MOST_LINES))
            return

        def made(_stop: Event) -> _Made:
            # A page is white, whatever the window wears.
            html = as_html(excerpt, lexer, Theme.load(_LIGHT))
            return _Made(excerpt, excerpt.text, form, html)

        self._making.start(made)

    @Slot(object)
    def _on_made(self, made: _Made) -> None:
        data = QMimeData()
        data.setText(made.text)
        if made.html:
            data.setHtml(made.html)
        QApplication.clipboard().setMimeData(data)
        self._say(len(made.excerpt.parts), made.form)
