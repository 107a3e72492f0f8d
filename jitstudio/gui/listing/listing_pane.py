"""The base of panes that show the listings of a kind of code, a single listing at a time."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.find_bar import FindBar
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.state.outputs import Output


class ListingPane(QWidget):
    """Has the listing that is shown.

    Attributes:
        code_view: The listing.
        find_bar: Searches it.

    Signals:
        reported: A message about something that was done.
        listing_changed: There is another listing, or none any more.
        save_requested: This kind of the shown code shall be saved.
    """

    reported = Signal(str)
    listing_changed = Signal()
    save_requested = Signal(CodeKind)

    def __init__(self, kind: CodeKind, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = kind
        self._output = Output()
        self._shown: Listing | None = None
        self.code_view = ListingView()
        self.code_view.setObjectName(object_name)
        self.code_view.setAccessibleName(kind.title)
        self.find_bar = FindBar()
        self.find_bar.set_target(self.code_view)

    @property
    def kind(self) -> CodeKind:
        """The kind of code."""
        return self._kind

    @property
    def listing(self) -> Listing | None:
        """The listing that is shown, if any."""
        return self._shown

    @property
    def output(self) -> Output:
        """The shown output."""
        return self._output

    @property
    def is_old(self) -> bool:
        """Whether the listing that is shown is not of the newest text."""
        return self._shown is not None and self._shown.name in self._output.old
