"""Saves a listing, and copies text, HTML or Markdown for mails, issues and slides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from itertools import groupby
from threading import Event

from pygments.token import Token
from PySide6.QtCore import QMimeData, QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QToolButton

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.languages import CodeLexer
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.theme import Theme, TokenStyle
from jitstudio.gui.listing.listing_text import LONG_LINE
from jitstudio.gui.listing.listing_view import ListingView

_FENCE = "```"
# A comment that began farther above is taken for code, as in the listing itself.
_LOOK_BACK = 100
_PRE = (
    "font-family:'JetBrains Mono',Menlo,Consolas,monospace;font-size:10pt;line-height:1.35;"
    "color:{color};background:{ground};padding:8px"
)

MOST_LINES = 50_000
"""More lines as HTML make a clipboard that hardly any program takes."""
# What a fenced block calls each kind, and what else can be saved.
_FENCES = {CodeKind.TILEIR: "mlir", CodeKind.PTX: "ptx", CodeKind.SASS: "asm"}
_SAVED = {
    CodeKind.TILEIR: (CodeKind.TILEIR,),
    CodeKind.PTX: (CodeKind.PTX,),
    CodeKind.SASS: (CodeKind.SASS, CodeKind.CUBIN),
}
_LIGHT = "light"


@dataclass(frozen=True)
class CopiedColumns:
    """The columns of a listing, copied in front of the lines, each of a fixed width.

    Attributes:
        heading: The names of the columns.
        text: Returns the texts of a line; nothing where the line is no instruction.
    """

    heading: str
    text: Callable[[int], str]

    def of(self, line: int) -> str:
        """Returns the columns of a line, as wide as the heading."""
        return self.text(line).ljust(len(self.heading))


@dataclass(frozen=True)
class ListingExcerpt:
    """A part of a listing.

    Attributes:
        lines: The whole listing.
        parts: The parts to take: a line, the first column, and the column behind the last.
        stand_ins: Lines as the lexer shall see them; see `listing.kernel_names.DemangledListing`.
        columns: The columns to copy in front of each line; None for none.
    """

    lines: Sequence[str]
    parts: Sequence[tuple[int, int, int]]
    stand_ins: Mapping[int, str] = field(default_factory=dict)
    columns: CopiedColumns | None = None

    @property
    def text(self) -> str:
        """The part as plain text."""
        rows = (self.lines[line][start:end] for line, start, end in self.parts)
        if self.columns is None:
            return "\n".join(rows)
        cells = (self.columns.of(line) for line, _, _ in self.parts)
        joined = (before + row for before, row in zip(cells, rows, strict=True))
        return "\n".join(row.rstrip() for row in (self.columns.heading, *joined))


def as_markdown(excerpt: ListingExcerpt, language: str) -> str:
    """Returns a fenced block of code."""
    text = excerpt.text
    fence = _FENCE
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}\n"


def as_html(excerpt: ListingExcerpt, lexer: CodeLexer | None, theme: Theme) -> str:
    """Returns a `<pre>` that needs no style sheet, in the colours of a theme."""
    base = theme.token_style(Token)
    style = _PRE.format(color=theme.code.text.name(), ground=theme.code.background.name())
    lines = [
        "".join(_span(text, style, base) for style, text in pieces)
        for pieces in _styled(excerpt, lexer, theme)
    ]
    if (copied := excerpt.columns) is not None:
        plain = TokenStyle(theme.ui.muted_text)
        columns = (_span(copied.of(line), plain, base) for line, _, _ in excerpt.parts)
        joined = (before + row for before, row in zip(columns, lines, strict=True))
        lines = [_span(copied.heading, plain, base), *joined]
    return f'<pre style="{style}">{chr(10).join(lines)}</pre>'


def _span(text: str, style: TokenStyle, base: TokenStyle) -> str:
    inside = escape(text, quote=False)
    if style == base or not text.strip():
        return inside
    look = f"color:{style.color.name()}"
    look += ";font-weight:bold" if style.bold else ""
    look += ";font-style:italic" if style.italic else ""
    return f'<span style="{look}">{inside}</span>'


def _styled(
    excerpt: ListingExcerpt, lexer: CodeLexer | None, theme: Theme
) -> Iterator[Iterator[tuple[TokenStyle, str]]]:
    """Yields the pieces of each part, with the style of each piece."""
    if not excerpt.parts:
        return
    wanted = {line: (start, end) for line, start, end in excerpt.parts}
    first, last = excerpt.parts[0][0], excerpt.parts[-1][0]
    state = 0
    for number in range(max(0, first - _LOOK_BACK), last + 1):
        text = excerpt.lines[number]
        styles = [theme.token_style(Token)] * len(text)
        if lexer is not None and len(text) <= LONG_LINE:
            runs, state = lexer.lex_line(excerpt.stand_ins.get(number, text), state)
            for at, length, token in runs:
                styles[at : at + length] = [theme.token_style(token)] * length
        if number in wanted:
            start, end = wanted[number]
            yield _pieces(text[start:end], styles[start:end])


def _pieces(text: str, styles: Sequence[TokenStyle]) -> Iterator[tuple[TokenStyle, str]]:
    at = 0
    for style, same in groupby(styles):
        length = len(list(same))
        yield style, text[at : at + length]
        at += length


@dataclass(frozen=True)
class _Copied:
    """A part of a listing for the clipboard, with the name of the form."""

    excerpt: ListingExcerpt
    text: str
    form: str = ""
    html: str = ""


class OutputExports(QObject):
    """Copies parts of a listing, and asks for files to be saved.

    Attributes:
        copy_button: A menu of the forms to copy it in.
        save_button: A menu of the kinds of files to save.
        commands: The actions of both menus.

    Signals:
        reported: A message about the finished action.
        save_requested: This kind of the shown code shall be saved.
    """

    reported = Signal(str)
    save_requested = Signal(CodeKind)

    def __init__(self, kind: CodeKind, view: ListingView) -> None:
        super().__init__(view)
        self._kind = kind
        self._view = view
        self._copied_columns: Callable[[], CopiedColumns | None] | None = None
        self._making = Background(self)
        self._making.done.connect(self._on_made)
        self._making.failed.connect(self.reported)
        self.copy_button = self._make_button(self.tr("Copy {kind}"), "copy")
        self.save_button = self._make_button(self.tr("Save {kind}"), "save")
        self.commands: list[QAction] = []
        self._add_menus()
        self.set_available(False)

    def set_available(self, there: bool) -> None:
        """Says whether there is a listing."""
        self.copy_button.setEnabled(there)
        self.save_button.setEnabled(there)
        for action in self.copy_button.menu().actions():
            action.setEnabled(there)

    def offer_columns(self, columns: Callable[[], CopiedColumns | None]) -> None:
        """Offers copying the columns of the listing, too."""
        self._copied_columns = columns
        copy = self.copy_button.menu()
        plain = self._add(copy, self.tr("Copy as &plain text"), "copyPlain")
        plain.setToolTip(self.tr("The selected lines, or all if nothing is selected"))
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
        scope = self.tr("The selected lines, or all if nothing is selected")
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
        self.commands.append(action)
        return action

    def _columns(self) -> CopiedColumns | None:
        """Returns the columns to copy with the lines, if they are wanted and known."""
        if self._copied_columns is None or not self._with_columns.isChecked():
            return None
        return self._copied_columns()

    def _all(self) -> ListingExcerpt:
        text = self._view.text
        parts = [(line, 0, len(content)) for line, content in enumerate(text.lines)]
        return ListingExcerpt(text.lines, parts, text.stand_ins, self._columns())

    def _excerpt(self) -> ListingExcerpt:
        """Returns the selected part, or the whole listing."""
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
            for line in caret.rows.copied(first, last)
        ]
        return ListingExcerpt(text.lines, parts, text.stand_ins, self._columns())

    def _say(self, count: int, form: str) -> None:
        singular = self.tr("Copied 1 line of {kind} {form}")
        said = singular if count == 1 else self.tr("Copied {count:,} lines of {kind} {form}")
        named = self.tr(", demangled names") if self._view.text.stand_ins else ""
        self.reported.emit(
            said.format(count=count, kind=self._kind.title, form=form).strip() + named
        )

    def _hand_out(self, excerpt: ListingExcerpt, make: Callable[[], _Copied]) -> None:
        """Puts something onto the clipboard; the columns of many lines take their time."""
        if excerpt.columns is None:
            self._on_made(make())
        else:
            self._making.start(lambda _stop: make())

    @Slot()
    def _on_copy(self) -> None:
        excerpt = self._all()
        self._hand_out(excerpt, lambda: _Copied(excerpt, f"{excerpt.text}\n"))

    @Slot()
    def _on_copy_plain(self) -> None:
        excerpt = self._excerpt()
        self._hand_out(excerpt, lambda: _Copied(excerpt, f"{excerpt.text}\n"))

    @Slot()
    def _on_copy_markdown(self) -> None:
        excerpt, form, fence = self._excerpt(), self.tr("as Markdown"), _FENCES[self._kind]
        self._hand_out(excerpt, lambda: _Copied(excerpt, as_markdown(excerpt, fence), form))

    @Slot()
    def _on_copy_html(self) -> None:
        excerpt, lexer, form = self._excerpt(), self._view.text.lexer, self.tr("as HTML")
        if len(excerpt.parts) > MOST_LINES:
            said = self.tr("That is too much for HTML: select at most {count:,} lines")
            self.reported.emit(said.format(count=MOST_LINES))
            return

        def copy(_stop: Event) -> _Copied:
            # A page is white, whatever the theme of the window.
            html = as_html(excerpt, lexer, Theme.load(_LIGHT))
            return _Copied(excerpt, excerpt.text, form, html)

        self._making.start(copy)

    @Slot(object)
    def _on_made(self, copied: _Copied) -> None:
        data = QMimeData()
        data.setText(copied.text)
        if copied.html:
            data.setHtml(copied.html)
        QApplication.clipboard().setMimeData(data)
        self._say(len(copied.excerpt.parts), copied.form)
