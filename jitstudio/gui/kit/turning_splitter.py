"""Two views in one pane: next to each other in a wide one, one above the other in a high one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QSplitter, QWidget


class TurningSplitter(QSplitter):
    """Shares its room between two views until the user shares it otherwise.

    Args:
        first: What comes first.
        second: What comes second.
        shares: How much of the room each gets, in any unit.
        wide: From how many times its height on it counts as wide.
    """

    def __init__(
        self,
        first: QWidget,
        second: QWidget,
        shares: tuple[int, int],
        wide: float,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(Qt.Orientation.Vertical, parent, childrenCollapsible=False)
        self.addWidget(first)
        self.addWidget(second)
        self._shares = shares
        self._wide = wide
        self._is_shared_by_user = False
        self.splitterMoved.connect(self._on_moved)

    def fit(self, pane: QSize, least: int = 0) -> None:
        """Turns as the pane asks for; calls it whenever that is resized.

        Args:
            pane: Its size.
            least: The width from which on both fit side by side, in pixels.
        """
        is_wide = pane.width() > self._wide * pane.height() and pane.width() >= least
        wanted = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if wanted != self.orientation():
            self.setOrientation(wanted)
            self._is_shared_by_user = False
        if not self._is_shared_by_user:
            # A dock is resized many times before it settles; stretch factors would keep the first.
            length = pane.width() if is_wide else pane.height()
            self.setSizes([length * share // sum(self._shares) for share in self._shares])

    @Slot()
    def _on_moved(self) -> None:
        self._is_shared_by_user = True
