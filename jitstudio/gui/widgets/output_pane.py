"""One kind of generated code: PTX or SASS, of one module or of the link."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.gui.find.find_bar import FindBar
from jitstudio.gui.icons import icon
from jitstudio.gui.languages import LANGUAGES
from jitstudio.gui.service import Listing
from jitstudio.gui.state.outputs import Output
from jitstudio.gui.theme import Theme
from jitstudio.gui.viewer.listing_view import ListingView


class OutputPane(QWidget):
    """Shows the listings of one kind, one at a time.

    Attributes:
        code_view: The listing.
        find_bar: Searches it.

    Signals:
        told: Something was done that cannot be seen, in words.
    """

    told = Signal(str)

    def __init__(
        self, kind: CodeKind, object_name: str, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._kind = kind
        self._output = Output()
        self._shown: Listing | None = None
        self.code_view = ListingView(theme)
        self.code_view.setObjectName(object_name)
        self.code_view.setAccessibleName(kind.title)
        self.find_bar = FindBar(theme)
        self.find_bar.set_target(self.code_view)
        self._choice = QComboBox()
        self._choice.setAccessibleName(f"Module whose {kind.title} is shown")
        self._title = QLabel()
        self._facts = QLabel()
        self._facts.setEnabled(False)
        self._copy = QToolButton(autoRaise=True)
        self._copy.setToolTip(f"Copy all {kind.title}")
        self._copy.setAccessibleName(f"Copy all {kind.title}")
        self._lay_out()
        self._choice.currentIndexChanged.connect(self._on_chosen)
        self._copy.clicked.connect(self._on_copy)
        self.set_theme(theme)
        self.show_output(Output())

    @property
    def output(self) -> Output:
        """What the pane shows."""
        return self._output

    def show_output(self, output: Output) -> None:
        """Show another output; the chosen module stays chosen where it is still there."""
        self._output = output
        names = [listing.name for listing in output.listings]
        before = self._choice.currentText()
        with QSignalBlocker(self._choice):
            self._choice.clear()
            self._choice.addItems(names)
            preferred = before if before in names else LINKED
            self._choice.setCurrentIndex(names.index(preferred) if preferred in names else 0)
        self._choice.setVisible(len(names) > 1)
        self._title.setVisible(len(names) == 1)
        self._show_chosen()

    def choose(self, name: str) -> None:
        """Show the listing of this module, if there is one."""
        index = self._choice.findText(name)
        if index >= 0:
            self._choice.setCurrentIndex(index)

    def go_to(self, name: str, line: int) -> bool:
        """Go to a line of the listing of this module; whether there is one.

        Args:
            name: What an assembler calls it: the module's name, or that of its file of this kind.
            line: Counted from 1.
        """
        stem = name.removesuffix(self._kind.ending)
        for listing in self._output.listings:
            if listing.name == name or PurePath(listing.name).stem == stem:
                self.choose(listing.name)
                self.code_view.go_to(line)
                return True
        return False

    def go_to_kernel(self, module: str, name: str) -> None:
        """Show where the code of this kernel begins, if it is in the listing of this module."""
        self.choose(module)
        heads = (f".text.{name}:", f".entry {name}(")
        lines = self._shown.lines if self._shown else ()
        found = (n for n, line in enumerate(lines, 1) if any(head in line for head in heads))
        if (line := next(found, None)) is not None:
            self.code_view.go_to(line)

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self.code_view.set_theme(theme)
        self.find_bar.set_theme(theme)
        self._copy.setIcon(icon("copy", theme.ui.text))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(10, 3, 4, 3)
        head.setSpacing(10)
        head.addWidget(self._choice)
        head.addWidget(self._title)
        head.addWidget(self._facts)
        head.addStretch(1)
        head.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.find_bar)
        column.addWidget(self.code_view, 1)
        self.setFocusProxy(self.code_view)

    def _show_chosen(self) -> None:
        listings = self._output.listings
        self._copy.setEnabled(bool(listings))
        if not listings:
            self._shown = None
            self._title.setVisible(False)
            self._facts.setText("")
            self.code_view.clear(self._output.hint)
            return
        listing = listings[max(0, self._choice.currentIndex())]
        keep = self._shown is not None and self._shown.name == listing.name
        if listing is not self._shown:
            lexer = LANGUAGES[self._kind].lexer
            self.code_view.set_lines(listing.lines, lexer, keep_position=keep)
        self._shown = listing
        self._title.setText(listing.name)
        count = len(listing.lines)
        self._facts.setText(f"{count:,} line{'' if count == 1 else 's'}")
        old = listing.name in self._output.old
        self.code_view.set_stale(old, self._output.stale if old else "")

    @Slot(int)
    def _on_chosen(self, _index: int) -> None:
        self._show_chosen()

    @Slot()
    def _on_copy(self) -> None:
        if self._shown is not None:
            QApplication.clipboard().setText("\n".join(self._shown.lines) + "\n")
            self.told.emit(f"Copied the {self._kind.title} of {self._shown.name}")
