"""Marks views whose content is older than the text: a thin bar, and a sentence over the content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QHBoxLayout, QWidget

from jitstudio.gui.kit.parts import Banner, bare_button, show_icon, show_tip
from jitstudio.gui.kit.theme import STALE_BAR, current_theme, follow_theme
from jitstudio.gui.state.outputs import OldOutput
from jitstudio.gui.state.staleness import Staleness

_CLOSE_SIZE = QSize(12, 12)


class StaleMark(QObject):
    """Lies over a view, whose layout and colours stay as they are.

    Attributes:
        bar: At the upper edge, as long as the content is old.
        banner: Says why, at the lower edge, until the user closes it.
    """

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        self._is_closed = False
        self.bar = QFrame(view)
        self.bar.setObjectName("staleBar")
        self.banner = QFrame(view)
        self.banner.setObjectName("staleBanner")
        self._words = Banner(self.banner)
        self._close = bare_button(
            self.banner, self.tr("Hide this message"), self._on_close, "close"
        )
        show_icon(self._close, "close", "code.banner_text")
        self._close.setIconSize(_CLOSE_SIZE)
        self._close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        row = QHBoxLayout(self.banner)
        row.setContentsMargins(0, 0, 4, 0)
        row.setSpacing(0)
        row.addWidget(self._words, 1)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignVCenter)
        for part in (self.bar, self.banner):
            part.setAutoFillBackground(True)
            part.hide()
        follow_theme(self, StaleMark._apply_theme)
        view.installEventFilter(self)

    @property
    def text(self) -> str:
        """The words of the banner; empty while hidden."""
        return "" if self.banner.isHidden() else self._words.text()

    def show_state(self, is_old: bool, words: str) -> None:
        """Marks the content as old or not, and says why; nothing at first."""
        self.bar.setHidden(not is_old)
        if not is_old:
            self._is_closed = False
        is_told = is_old and bool(words) and not self._is_closed
        self._words.say(words if is_told else "")
        show_tip(self.bar, words)
        self.banner.setHidden(not is_told)
        self._place()

    def _apply_theme(self) -> None:
        theme = current_theme()
        for part, color in ((self.bar, theme.marks.warning), (self.banner, theme.code.banner)):
            colors = part.palette()
            colors.setColor(QPalette.ColorRole.Window, color)
            part.setPalette(colors)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Keeps to the edges of the view."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.LayoutRequest):
            self._place()
        return False

    def _place(self) -> None:
        if self.bar.isHidden():
            return
        view = self._view
        inside = view.contentsRect()
        self.bar.setGeometry(inside.left(), inside.top(), inside.width(), STALE_BAR)
        self.bar.raise_()
        width, bottom = inside.width(), inside.bottom()
        if isinstance(view, QAbstractScrollArea):
            # Next to and above the scroll bars.
            width -= view.verticalScrollBar().width() * view.verticalScrollBar().isVisible()
            bottom = view.viewport().geometry().bottom()
        height = self._words.wanted_height(width - self._close.sizeHint().width())
        self.banner.setGeometry(inside.left(), bottom + 1 - height, width, height)
        self.banner.raise_()

    @Slot()
    def _on_close(self) -> None:
        self._is_closed = True
        self.banner.hide()


@dataclass(frozen=True)
class _Marked:
    mark: StaleMark
    is_old: Callable[[], bool]
    says_why: bool
    why: str


class StaleMarks(QObject):
    """The marks of all panes of a window, which all look the same.

    Signals:
        changed: The marks have been brought up to date.
    """

    changed = Signal()

    def __init__(self, staleness: Staleness, parent: QObject) -> None:
        super().__init__(parent)
        self._staleness = staleness
        self._marked: list[_Marked] = []
        staleness.changed.connect(self.update)

    def add(
        self, view: QWidget, is_old: Callable[[], bool], *, says_why: bool = True, why: str = ""
    ) -> None:
        """Marks a view from now on.

        Args:
            view: The view that the mark lies over.
            is_old: Whether its content is older than the text.
            says_why: Whether a sentence says why; other panes do where not.
            why: That sentence; empty for the reason known of the last build.
        """
        self._marked.append(_Marked(StaleMark(view), is_old, says_why, why))
        self._show(self._marked[-1])

    @Slot()
    def update(self) -> None:
        """Shows the marks of old content."""
        for marked in self._marked:
            self._show(marked)
        self.changed.emit()

    def _show(self, marked: _Marked) -> None:
        reason = self._staleness.reason
        words = self._words(reason) if marked.says_why and reason is not None else ""
        marked.mark.show_state(marked.is_old(), marked.why or words)

    def _words(self, old: OldOutput) -> str:
        reason = self.tr("This has changed and is not built yet.")
        if old.failed is not None:
            reason = old.failed.reason
        if old.built_at is None:
            return reason
        text = self.tr("{reason} Shown is the build of {time:%H:%M:%S}.")
        return text.format(reason=reason, time=old.built_at)
