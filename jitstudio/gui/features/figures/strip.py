"""The strip of key figures over a text: a kernel, its figures, and the list of all kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from jitstudio.analysis.key_figures import Alarm, Figure
from jitstudio.gui.features.figures.model import KernelEntry, ShownFigure, StripContent
from jitstudio.gui.kit.fonts import fit_strip, scaled, show_bold
from jitstudio.gui.kit.parts import ShorteningLabel, explain_by, muted, show_tip
from jitstudio.gui.kit.theme import current_theme, follow_theme

# The figure that goes first where there is no room comes first.
_LEAST_IMPORTANT = (
    Figure.SECTORS,
    Figure.INSTRUCTIONS,
    Figure.CONFLICTS,
    Figure.CHECKS,
    Figure.OCCUPANCY,
    Figure.REGISTERS,
    Figure.SPILLS,
)
# Those that make room for the note that figures are old.
_GO_BEFORE_NOTE = frozenset(_LEAST_IMPORTANT[:4])
_MOST_LISTED = 60
# Of the name, where there is no room for more, and where there is.
_LEAST_LETTERS, _MOST_LETTERS = 12, 32


class FigureButton(QToolButton):
    """A figure as a button that leads to the cause."""

    def __init__(self, figure: Figure, parent: QWidget) -> None:
        super().__init__(parent, autoRaise=True)
        self.setObjectName(f"{figure.value}Figure")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.figure = figure
        self.shown: ShownFigure | None = None
        follow_theme(self, FigureButton._paint)

    def show_figure(self, shown: ShownFigure, reason: str) -> None:
        """Shows the figure, with the reason why it is old if it is."""
        was, self.shown = self.shown, shown
        self.setText(shown.words.text)
        self.setAccessibleName(shown.words.text)
        show_tip(self, f"{shown.words.meaning} {reason if shown.is_old else ''}".strip())
        if was is None or (was.is_old, was.words.alarm) != (shown.is_old, shown.words.alarm):
            self._paint()

    def _paint(self) -> None:
        shown, theme = self.shown, current_theme()
        if shown is None:
            return
        color = ""
        if shown.is_old:
            color = theme.ui.muted_text.name()
        elif shown.words.alarm is not Alarm.NONE:
            color = getattr(theme.marks, shown.words.alarm.value).name()
        self.setStyleSheet(f"color: {color}" if color else "")


class FiguresStrip(QWidget):
    """A kernel with its figures in a line; the least important go where there is no room.

    Args:
        entries: Returns the first kernels of the build, so many.

    Signals:
        figure_activated: The user wants to see the cause of this figure.
        kernel_activated: The user wants to see where the kernel is written.
        kernel_chosen: The user wants the figures of this kernel, by module and lowered name.
        all_requested: The user wants to see all kernels of a long list.
    """

    figure_activated = Signal(Figure)
    kernel_activated = Signal()
    kernel_chosen = Signal(tuple)
    all_requested = Signal()

    def __init__(
        self, entries: Callable[[int], Iterable[KernelEntry]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._entries = entries
        self.setObjectName("figuresStrip")
        self.setAccessibleName(self.tr("Key figures"))
        explain_by(self, "figures")
        fit_strip(self)
        self.content = StripContent()
        self._kernel = self._make_kernel()
        self._buttons = {figure: FigureButton(figure, self) for figure in Figure}
        self._note = muted(QLabel(self))
        self._note.setObjectName("figuresNote")
        self._hint = muted(ShorteningLabel(self))
        self._hint.setObjectName("figuresHint")
        for label in (self._note, self._hint):
            label.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 0, 6, 0)
        row.setSpacing(0)
        row.addWidget(self._kernel)
        for button in self._buttons.values():
            button.clicked.connect(partial(self.figure_activated.emit, button.figure))
            button.hide()
            row.addWidget(button)
        row.addWidget(self._hint, 1)
        row.addStretch()
        row.addWidget(self._note)
        self._kernel.hide()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that there is room for: the kernel, and the figures."""
        buttons = (self._kernel, *self._buttons.values())
        return tuple(button.text() for button in buttons if not button.isHidden())

    @property
    def hint(self) -> str:
        """The words in place of figures."""
        return self._hint.text()

    def button(self, figure: Figure) -> FigureButton:
        """Returns the button of a figure, which may be hidden."""
        return self._buttons[figure]

    def minimumSizeHint(self) -> QSize:
        """Next to nothing: a narrow pane is not kept wide by figures."""
        return QSize(1, self.minimumHeight())

    def show_content(self, content: StripContent) -> None:
        """Shows another kernel, or other figures of it."""
        if content == self.content:
            return
        self.content = content
        for shown in content.figures:
            self._buttons[shown.words.figure].show_figure(shown, content.reason)
        self._hint.setText(content.hint)
        self._note.setText(content.note)
        show_tip(self._note, content.reason)
        lines = "\n".join(shown.words.text for shown in content.figures)
        show_tip(self._kernel, f"{content.title}\n{lines}")
        self._kernel.setAccessibleName(self.tr("Kernel {name}").format(name=content.title))
        has_others = content.kernels > 1
        if has_others != (self._kernel.menu() is not None):
            self._offer_list(has_others)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shows the figures that there is room for."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Shows the figures anew, once all parts have their new letters."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            QTimer.singleShot(0, self, self._fit)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Goes from figure to figure by the arrow keys."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        buttons = [b for b in (self._kernel, *self._buttons.values()) if not b.isHidden()]
        focus = self.focusWidget()
        if event.key() not in steps or focus not in buttons:
            super().keyPressEvent(event)
            return
        at = buttons.index(focus) + steps[Qt.Key(event.key())]
        buttons[at % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)

    def take_keyboard(self) -> None:
        """Gives the keyboard to the first of the strip."""
        if not self._kernel.isHidden():
            self._kernel.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _make_kernel(self) -> QToolButton:
        button = QToolButton(self, autoRaise=True)
        button.setObjectName("figuresKernel")
        show_bold(button)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self.kernel_activated)
        self._menu = QMenu(button)
        self._menu.setObjectName("figuresKernels")
        self._menu.aboutToShow.connect(self._on_list_wanted)
        return button

    def _offer_list(self, on: bool) -> None:
        """Lets a click on the name open the list of all kernels, or lead to the kernel."""
        modes = QToolButton.ToolButtonPopupMode
        self._kernel.setMenu(self._menu if on else None)  # type: ignore[arg-type]  # for none
        self._kernel.setPopupMode(modes.InstantPopup if on else modes.DelayedPopup)
        # The room for the arrow follows from the mode.
        self._kernel.style().polish(self._kernel)

    @Slot()
    def _fit(self) -> None:
        """Hides figures without room, the least important first; an alarm stays longest."""
        content, room = self.content, self.contentsRect().width() - scaled(14)
        figures = {shown.words.figure: shown.words.alarm for shown in content.figures}
        widths: dict[QWidget, int] = {
            self._buttons[figure]: self._buttons[figure].sizeHint().width() for figure in figures
        }
        widths[self._note] = self._note.sizeHint().width() if content.note else 0
        buttons = [self._buttons[figure] for figure in _LEAST_IMPORTANT if figure in figures]
        quiet = [button for button in buttons if figures[button.figure] is Alarm.NONE]
        first = [button for button in quiet if button.figure in _GO_BEFORE_NOTE]
        rest = [button for button in (*quiet, *buttons) if button not in first]
        order: list[QWidget] = [*first, self._note, *dict.fromkeys(rest)]
        self._show_name(_MOST_LETTERS)
        if self._name_width() + sum(widths.values()) > room:
            self._show_name(_LEAST_LETTERS)
        while order and self._name_width() + sum(widths.values()) > room:
            del widths[order.pop(0)]
        for part in (*self._buttons.values(), self._note):
            part.setVisible(bool(widths.get(part)))
        self._kernel.setVisible(bool(content.title))
        self._hint.setVisible(bool(content.hint))

    def _name_width(self) -> int:
        return self._kernel.sizeHint().width() if self.content.title else 0

    def _show_name(self, letters: int) -> None:
        metrics = self._kernel.fontMetrics()
        room = metrics.averageCharWidth() * letters
        shown = metrics.elidedText(self.content.title, Qt.TextElideMode.ElideMiddle, room)
        # A single ampersand in a name would become a mnemonic.
        if (text := shown.replace("&", "&&")) != self._kernel.text():
            self._kernel.setText(text)

    @Slot()
    def _on_list_wanted(self) -> None:
        self._menu.clear()
        for entry in self._entries(_MOST_LISTED):
            action = self._menu.addAction(entry.line.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(entry.key == self.content.key)
            action.triggered.connect(partial(self.kernel_chosen.emit, entry.key))
        if self.content.kernels > _MOST_LISTED:
            every = self.tr("All {count:,} kernels…").format(count=self.content.kernels)
            self._menu.addAction(every).triggered.connect(self.all_requested)
