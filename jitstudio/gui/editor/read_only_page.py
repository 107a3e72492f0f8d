"""The tab of a document that cannot be edited.

It is machine code, text too large or too strange, or a header of an installed package.
"""

from __future__ import annotations

from functools import partial
from threading import Event

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.fatbin import contents
from jitstudio.gui.code.languages import LANGUAGES
from jitstudio.gui.editor.source_page import SourcePage
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.parts import Banner
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.file_text import ReadOnlyReason
from jitstudio.listing.lines import split_lines
from jitstudio.listing.sass import TextExtent


class ReadOnlyPage(SourcePage):
    """Shows a document, and tells why editing is impossible.

    Attributes:
        view: The listing.
    """

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        assert document.read_only is not None
        self.view = ListingView()
        super().__init__(document, self.view, parent)
        self.view.setAccessibleName(self.tr("Content of {name}").format(name=document.name))
        self._banner = Banner(self)
        self.column.insertWidget(0, self._banner)
        self._wanted_line = 0
        self._reader = Background(self)
        self._reader.done.connect(self._on_read)
        self.view.line_changed.connect(self.line_changed)
        document.reloaded.connect(self._on_reloaded)
        document.saved.connect(self._say_why)
        self._on_reloaded()

    @property
    def code_view(self) -> ListingView:
        """The listing."""
        return self.view

    @property
    def line(self) -> int:
        """The line of the caret."""
        return self.view.line

    def go_to(self, line: int, column: int) -> None:
        """Brings a line into view."""
        self._wanted_line = line
        if line:
            self.view.go_to(line)
        self.view.setFocus()

    @Slot()
    def _say_why(self) -> None:
        if self.document.read_only is not None:
            self._banner.say(self.document.read_only.value)

    @Slot()
    def _on_reloaded(self) -> None:
        document = self.document
        self._say_why()
        if document.read_only is ReadOnlyReason.BINARY:
            self.view.clear(contents(document.kind, document.content))
            return
        self.view.clear(self.tr("Reading…"))
        # Once the tab is painted.
        read = partial(_read, document.content, document.kind)
        QTimer.singleShot(0, self, partial(self._reader.start, read))

    @Slot(object)
    def _on_read(self, text: tuple[list[str], TextExtent]) -> None:
        lines, extent = text
        kind = self.document.kind
        self.view.set_lines(lines, LANGUAGES[kind].lexer, kind, extent=extent)
        if self._wanted_line:
            self.view.go_to(self._wanted_line)


def _read(content: bytes, kind: CodeKind, _stop: Event) -> tuple[list[str], TextExtent]:
    """Returns the lines of a text and the room they take: a file may be of many megabytes."""
    text = content.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    lines = split_lines(text)
    return lines, TextExtent.of(lines, kind)
