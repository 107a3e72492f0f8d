"""The Tile IR of a module, as text."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jitstudio.core.code import CodeKind, split_variant
from jitstudio.gui.code.languages import LANGUAGES
from jitstudio.gui.listing.hints import output_hint
from jitstudio.gui.listing.listing_pane import ListingPane
from jitstudio.gui.listing.output_exports import OutputExports
from jitstudio.gui.listing.output_header import OutputHeader
from jitstudio.gui.state.outputs import Output

_KIND = CodeKind.TILEIR


class TileIrView(ListingPane):
    """Shows the Tile IR of a module; see `ListingPane`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_KIND, "tileirView", parent)
        self._header = OutputHeader(_KIND)
        self._header.functions.hide()
        exports = OutputExports(_KIND, self.code_view)
        self._exports = exports
        self._header.add_tool(exports.copy_button, "copy")
        self._header.add_tool(exports.save_button, "save")
        self.addActions(exports.commands)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self.find_bar)
        column.addWidget(self.code_view, 1)
        self.setFocusProxy(self.code_view)
        self._header.module_chosen.connect(self._show_chosen)
        exports.reported.connect(self.reported)
        exports.save_requested.connect(self.save_requested)
        self._show_chosen()

    def show_output(self, output: Output) -> None:
        """Shows another output; the chosen module stays chosen where still present."""
        self._output = output
        self._header.show_modules([listing.name for listing in output.listings])
        self._show_chosen()

    def choose(self, module: str) -> None:
        """Shows the listing of a module, if present."""
        of_module = (listing.name for listing in self._output.listings)
        if name := next((n for n in of_module if split_variant(n)[0] == module), ""):
            self._header.choose(name)

    @Slot()
    def _show_chosen(self) -> None:
        listings = self._output.listings
        before, self._shown = self._shown, None
        if listings:
            listing = self._shown = listings[self._header.module_index]
            if listing is before:
                return
            keep = before is not None and before.name == listing.name
            lexer = LANGUAGES[_KIND].lexer
            self.code_view.set_lines(
                listing.lines, lexer, _KIND, keep_position=keep, extent=listing.extent
            )
        else:
            self.code_view.clear(output_hint(_KIND, self._output))
        self._header.show_line_count(len(self._shown.lines) if self._shown else 0)
        self._exports.set_available(bool(listings))
        self.listing_changed.emit()
