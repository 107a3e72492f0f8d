"""Has the SASS that is looked at read, and knows which function the caret is in."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.notice_bar import NoticeAction
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.function_listings import FunctionListings

_USER = "sass"
_FAILED = "reading"


class DisassemblyController(QObject):
    """Ties the pane of SASS to what is known of its code."""

    def __init__(
        self,
        disassembly: CurrentDisassembly,
        function_listings: FunctionListings,
        listings: Mapping[CodeKind, OutputPane],
        shell: Shell,
    ) -> None:
        super().__init__(disassembly)
        self._disassembly = disassembly
        self._function_listings = function_listings
        self._status, self._notice = shell.status, shell.notices
        self._told = ""
        self._pane = listings[CodeKind.SASS]
        self._visibility = Visibility(self._pane, self)
        self._visibility.changed.connect(self._on_visibility_changed)
        self._pane.listing_changed.connect(self._on_listing_changed)
        self._pane.function_wanted.connect(self._on_function_wanted)
        function_listings.began.connect(self._on_function_began)
        function_listings.failed.connect(self._on_function_failed)
        self._pane.code_view.line_changed.connect(self._on_line_changed)
        self._disassembly.changed.connect(self._on_changed)
        self._on_visibility_changed(self._pane.isVisible())
        self._on_listing_changed()

    @Slot(bool)
    def _on_visibility_changed(self, visible: bool) -> None:
        self._disassembly.want(_USER, visible)

    @Slot()
    def _on_listing_changed(self) -> None:
        self._disassembly.look_at(self._pane.listing)

    @Slot(str)
    def _on_function_wanted(self, name: str) -> None:
        if name:
            self._disassembly.set_kernel(name)
        elif self._pane.listing is not None:
            self._function_listings.show_all(self._pane.listing)

    @Slot(str)
    def _on_function_began(self, name: str) -> None:
        shown = self._pane.code.spelling.name(name)
        self._status.show_message(self.tr("Disassembling {name}").format(name=shown))

    @Slot(str)
    def _on_function_failed(self, message: str) -> None:
        self._notice.show_message(message)
        # The list names what is shown, not what is not to be had.
        self._pane.header.functions.follow(self._pane.code_view.line)

    @Slot()
    def _on_changed(self) -> None:
        disassembly = self._disassembly
        inspection = disassembly.current
        for note in inspection.code.notes if inspection is not None else ():
            self._status.show_message(note)
        if not disassembly.may_read_again:
            self._notice.withdraw(_FAILED)
        elif self._told != disassembly.problem:
            again = NoticeAction("readAgain", self.tr("Read Again"), disassembly.read_again)
            self._notice.ask(_FAILED, disassembly.problem, (again,))
        self._told = disassembly.problem

    @Slot(int)
    def _on_line_changed(self, line: int) -> None:
        inspection = self._disassembly.current
        spot = inspection.rows.spot(line - 1) if inspection is not None else None
        if spot is not None:
            self._disassembly.set_kernel(spot.function.name)
