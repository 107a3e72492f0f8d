"""Panes as tabs within the dock of another pane."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from jitstudio.gui.kit.parts import explain_by


class PartTabs(QTabWidget):
    """The parts of a pane, each with a tab once shown; a part that is alone needs no tab.

    Args:
        titles: The titles of all parts by name, in the order of their tabs.

    Signals:
        part_wanted: A part, by name, can be seen that is not made yet.
    """

    part_wanted = Signal(str)

    def __init__(self, titles: Mapping[str, str]) -> None:
        super().__init__()
        self.setObjectName("partTabs")
        self.setDocumentMode(True)
        self.setTabBarAutoHide(True)
        self.tabBar().setAccessibleName(self.tr("Parts of the pane"))
        self._titles = titles
        self._pages = {name: self._page(name) for name in titles}
        self.currentChanged.connect(self._want_part)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the parts that have a tab, in the order of the tabs."""
        return tuple(name for name, page in self._pages.items() if self.indexOf(page) >= 0)

    @property
    def current(self) -> str:
        """The name of the part in front; empty before any is shown."""
        page = self.currentWidget()
        return next((name for name, other in self._pages.items() if other is page), "")

    def page(self, name: str) -> QWidget:
        """Returns the parent of a part."""
        return self._pages[name]

    def fill(self, name: str, part: QWidget) -> None:
        """Puts a part into the page of the part, which may be in front already."""
        page = self._pages[name]
        layout = page.layout()
        assert layout is not None
        layout.addWidget(part)

    def show_part(self, name: str) -> None:
        """Shows a part, behind the tabs of the parts before."""
        page = self._pages[name]
        if self.indexOf(page) < 0:
            before = [*self._pages.values()][: [*self._pages].index(name)]
            self.insertTab(sum(self.indexOf(p) >= 0 for p in before), page, self._titles[name])

    def turn_to_part(self, name: str) -> None:
        """Brings a part to the front."""
        self.show_part(name)
        self.setCurrentWidget(self._pages[name])

    def turn_to(self, widget: QWidget) -> None:
        """Brings the part that a widget is in to the front."""
        for name, page in self._pages.items():
            if page is widget or page.isAncestorOf(widget):
                self.turn_to_part(name)

    @property
    def wanted(self) -> str:
        """The name of the part in front while that is not made, or empty."""
        page = self.currentWidget()
        layout = page.layout() if page is not None else None
        return self.current if layout is not None and not layout.count() else ""

    def showEvent(self, event: QShowEvent) -> None:
        """Asks for the part in front."""
        super().showEvent(event)
        self._want_part()

    @Slot()
    def _want_part(self) -> None:
        if self.isVisible() and (name := self.wanted):
            self.part_wanted.emit(name)

    def _page(self, name: str) -> QWidget:
        page = QWidget(self)
        page.hide()
        explain_by(page, name)
        QVBoxLayout(page).setContentsMargins(0, 0, 0, 0)
        return page
