"""The buttons, labels and strips that panels are made of, and the page of the manual about each.

A tip with names or paths in it is set by `show_tip`, or made by `plain_tooltip` where there is no
widget. F1 shows the topic that `explain_by` names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Slot
from PySide6.QtGui import (
    QAction,
    QFontMetrics,
    QFontMetricsF,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QToolButton,
    QWidget,
)

from jitstudio.gui.kit.command_keys import COMMAND_KEYS, follow_keys
from jitstudio.gui.kit.fonts import fit_strip, follow_letters, scaled, show_bold
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.kit.theme import current_theme, follow_theme

FRAMED = "isFramed"
"""The property of a tool button that has a frame, as `application.qss` draws it."""

_ICON, _COLOR = "iconName", "iconColor"
_ICON_SIDE = 16
_LEAST_LETTERS = 4
_TOPIC = "helpTopic"
_BANNER_LINES, _BANNER_MARGIN = 4, 6


def show_tip(widget: QWidget, text: str) -> None:
    """Shows a tooltip with `<float>` as is; a screen reader, too, reads the text, not HTML."""
    widget.setToolTip(plain_tooltip(text))
    # Without one Qt would have it read the markup of the tooltip.
    widget.setAccessibleDescription(text)


def icon_button(
    parent: QWidget, text: str, what: str, icon_name: str, keys: str = "", *, command: str = ""
) -> QToolButton:
    """Returns a button with a word next to an icon.

    Args:
        parent: The panel it belongs to.
        text: The word.
        what: The action, for the tool tip and for screen readers.
        icon_name: A file in `resources/icons`.
        keys: The keys with the same effect, which never change; named in the tool tip.
        command: The command that does the same; the tool tip has its key.
    """
    button = QToolButton(parent)
    button.setText(text)
    if command:
        follow_keys(button, lambda it: it.setToolTip(COMMAND_KEYS.tip(what, command)))
    else:
        button.setToolTip(f"{what} ({QKeySequence(keys).toString()})" if keys else what)
    button.setAccessibleName(what)
    show_icon(button, icon_name)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    fit_icon(button)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def bare_button(parent: QWidget, what: str, slot: object, icon_name: str) -> QToolButton:
    """Returns a button that is nothing but an icon.

    Args:
        parent: The panel it belongs to.
        what: The action, for the tool tip and for screen readers.
        slot: The function that a click calls, or the signal that it sends.
        icon_name: A file in `resources/icons`.
    """
    button = QToolButton(parent, autoRaise=True)
    button.setToolTip(what)
    button.setAccessibleName(what)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    show_icon(button, icon_name)
    fit_icon(button, _ICON_SIDE)
    button.clicked.connect(slot)
    return button


def choice_box(parent: QWidget, object_name: str, name: str) -> QComboBox:
    """Returns a box that is as wide as its choices, with a name for screen readers."""
    box = QComboBox(parent)
    box.setObjectName(object_name)
    box.setAccessibleName(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return box


def fill_choices(box: QComboBox, choices: Iterable[tuple[str, object]]) -> None:
    """Replaces the choices, pairs of a title and a value, in silence; the chosen value stays."""
    chosen = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for title, value in choices:
            box.addItem(title, value)
        box.setCurrentIndex(max(0, box.findData(chosen)))


def heading(text: str, scale: float) -> QLabel:
    """Returns a line in bold letters, larger than others by a factor."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    show_bold(label, scale)
    return label


def fit_icon(button: QAbstractButton, side: int = 0) -> None:
    """Draws the icon of a button in this size, in pixels, or as high as the letters."""

    def fit(it: QAbstractButton) -> None:
        pixels = scaled(side) or QFontMetrics(it.font()).height()
        it.setIconSize(QSize(pixels, pixels))

    follow_letters(button, fit)


def show_icon(button: QAbstractButton | QAction, icon_name: str, color: str = "ui.text") -> None:
    """Draws an icon of `resources/icons` on a button, in a colour that `Theme.color` knows."""
    is_new = button.property(_ICON) is None
    button.setProperty(_ICON, icon_name)
    button.setProperty(_COLOR, color)
    if is_new:
        follow_theme(button, _draw_icon)
    else:
        _draw_icon(button)


def _draw_icon(button: QAbstractButton | QAction) -> None:
    theme = current_theme()
    color = theme.color(button.property(_COLOR))
    button.setIcon(icon(button.property(_ICON), color, theme.ui.disabled_text))


def place_of_pages(tabs: QTabWidget) -> QWidget:
    """Returns the parent for the pages of tabs.

    A page that is made elsewhere and moves with all in it, Qt dresses again as a whole.
    """
    place = tabs.findChild(QStackedWidget)
    assert place is not None
    return place


def text_label(parent: QWidget, object_name: str) -> QLabel:
    """A label for words that come from outside: no markup, and wrapped where they are long."""
    label = QLabel(parent)
    label.setObjectName(object_name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def muted(label: QLabel) -> QLabel:
    """Shows the text of a label in the muted colour of the theme, and returns the label."""
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def mark_as(label: QLabel, severity: str) -> QLabel:
    """Shows the text of a label in the colour of a severity, and returns the label."""

    def paint(it: QLabel) -> None:
        it.setStyleSheet(f"color: {getattr(current_theme().marks, severity).name()}")

    follow_theme(label, paint)
    return label


class FieldName(QLabel):
    """The name of a field, with a mnemonic: `Alt` and the letter behind the ``&``.

    Args:
        text: The name.
        field: The field with the name.
        parent: The parent of both.
    """

    def __init__(self, text: str, field: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setBuddy(field)

    def minimumSizeHint(self) -> QSize:
        """Returns a size with room for the whole name."""
        return super().minimumSizeHint() + self._apart()

    def sizeHint(self) -> QSize:
        """Returns a size with room for the whole name."""
        return super().sizeHint() + self._apart()

    def _apart(self) -> QSize:
        """Returns the room that Qt leaves out: Qt measures letters kerned, and draws them apart."""
        before, mark, behind = self.text().partition("&")
        if not mark:
            return QSize(0, 0)
        metrics = QFontMetricsF(self.font())
        parts = (before, behind[:1], behind[1:])
        apart = sum(map(metrics.horizontalAdvance, parts))
        return QSize(math.ceil(max(0.0, apart - metrics.horizontalAdvance("".join(parts)))), 0)


class ShorteningLabel(QLabel):
    """A line of plain text that is cut with an ellipsis, and goes where no word has room."""

    _is_whole = False

    def minimumSizeHint(self) -> QSize:
        """Next to nothing: a narrow pane is not kept wide by words."""
        return QSize(1, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draws as much as there is room for."""
        area, metrics = self.contentsRect(), self.fontMetrics()
        shown = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, area.width())
        least = _LEAST_LETTERS * metrics.averageCharWidth()
        if shown != self.text() and (self._is_whole or area.width() < least):
            return
        where = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        role = self.foregroundRole()
        with QPainter(self) as painter:
            self.style().drawItemText(
                painter, area, where, self.palette(), self.isEnabled(), shown, role
            )


class WholeLabel(ShorteningLabel):
    """A line of plain text that goes rather than be cut: half a number is another number."""

    _is_whole = True


class StripRoom(QWidget):
    """The room for a strip over a text, from the first picture on: the text never moves for it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        fit_strip(self)

    def fill(self, strip: QWidget) -> None:
        """Puts the strip there."""
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(strip)


def explain_by(widget: QWidget, topic: str) -> None:
    """Lets F1 show a topic of the manual while the keyboard is in a widget."""
    widget.setProperty(_TOPIC, topic)


def topic_of(widget: QWidget | None) -> str:
    """Returns the topic of a widget, or of the innermost ancestor with a topic."""
    while widget is not None:
        if topic := widget.property(_TOPIC):
            return str(topic)
        widget = widget.parentWidget()
    return ""


class Banner(QLabel):
    """The strip above a text that is old or not editable, with the reason; hidden without words."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        # Contents margins would be lost when the application's style sheet is set anew.
        self.setMargin(_BANNER_MARGIN)
        self.setIndent(_BANNER_MARGIN)
        self.setAutoFillBackground(True)
        follow_theme(self, Banner._apply_theme)
        self.hide()

    def _apply_theme(self) -> None:
        theme = current_theme()
        colors = self.palette()
        colors.setColor(QPalette.ColorRole.Window, theme.code.banner)
        colors.setColor(QPalette.ColorRole.WindowText, theme.code.banner_text)
        self.setPalette(colors)

    def say(self, text: str) -> None:
        """Shows a text, or hides the strip; a long text is cut, and whole in the tool tip."""
        self.setText(text)
        show_tip(self, text)
        self.setVisible(bool(text))

    def wanted_height(self, width: int) -> int:
        """Returns the height necessary at a width; 0 while hidden."""
        if self.isHidden():
            return 0
        most = _BANNER_LINES * self.fontMetrics().lineSpacing() + 2 * _BANNER_MARGIN
        return min(self.heightForWidth(width), most)


class TurningSplitter(QSplitter):
    """Shares the room between two views until the user shares otherwise.

    Args:
        first: The first view.
        second: The second view.
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
        """Turns as the pane's shape demands; to be called whenever the pane is resized.

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
