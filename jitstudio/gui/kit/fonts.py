"""The letters of the whole application: the family of code, the common zoom, the gestures.

A widget with sizes of its own (icons, fixed heights, a font of code) uses `follow_letters`,
`show_as_code` or `show_bold`, so that it follows the zoom of the window and the font of code; a
font that is set once is lost with the next style sheet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QFont, QFontDatabase, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QBoxLayout,
    QFormLayout,
    QGridLayout,
    QLayout,
    QWidget,
)

from jitstudio.gui.kit.widget_turns import WidgetTurns
from jitstudio.system.paths import resource

CODE_FAMILY = "JetBrains Mono"
"""The family of code until the user chooses another: it comes along."""
DEFAULT_SIZE = 10.5
"""The size of code in points, until the user zooms."""

_FILES = ("fonts/JetBrainsMono-Regular.woff2", "fonts/JetBrainsMono-Bold.woff2")
# The bundled files hold Latin letters only; these are asked for the rest, in this order.
_FALLBACKS = ("DejaVu Sans Mono", "Noto Sans Mono", "Menlo", "Consolas", "monospace")
_UI_SIZE = 9.5
# What a dialog leaves of the screen is for the frame of its window.
_SCREEN_SHARE = 0.95
_AT_ONE = "marginsAtOne"
# Of what letters grow by; all of it would leave them no room.
_GAP_GROWTH = 0.4
_AROUND_LETTERS = 9


class FontSettings(QObject):
    """The size of letters, and the font family of code.

    Attributes:
        family: Of code.
        zoom: The factor for all sizes; 1 is that of the desktop.

    Signals:
        changed: Sizes or the family are others: all that was measured before is no longer right.
        settled: Widgets out of sight have letters of the size of `changed`, too.
    """

    changed = Signal()
    settled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.family = CODE_FAMILY
        self.zoom = 1.0
        # That of the desktop, in points.
        self._ui_size = 0.0
        # Where a style sheet is at work, Qt notifies only the windows.
        self._turns = WidgetTurns(_renew_font, self)
        self._turns.done.connect(self.settled)

    @property
    def is_settling(self) -> bool:
        """Whether widgets out of sight have letters of a zoom before."""
        return self._turns.is_busy

    def set_family(self, family: str) -> None:
        """Shows code in another family; an unknown family falls back to the bundled font."""
        if family != self.family:
            self.family = family
            self.changed.emit()

    def set_zoom(self, zoom: float) -> None:
        """Scales the letters of all windows."""
        if zoom == self.zoom:
            return
        font = QApplication.font()
        self._ui_size = self._ui_size or font.pointSizeF()
        self.zoom = zoom
        font.setPointSizeF(self._ui_size * zoom)
        QApplication.setFont(font)
        self._turns.start()
        self.changed.emit()


def _renew_font(widget: QWidget) -> None:
    QApplication.sendEvent(widget, QEvent(QEvent.Type.ApplicationFontChange))


LETTERS = FontSettings()
"""Those of the application: there is one, as there is one `QApplication.font()`."""


class SignalFollower(QObject):
    """Calls a function with the parent at each signal."""

    def __init__(
        self, parent: QObject, do: Callable[[Any], object], changed: SignalInstance
    ) -> None:
        super().__init__(parent)
        self._do = do
        changed.connect(self._again)

    @Slot()
    def _again(self) -> None:
        self._do(self.parent())


class _LettersWatch(QObject):
    """Calls back whenever the letters change; out of sight once the widget has the letters.

    Before that moment the widget measures letters of the zoom before.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._is_waiting = False
        LETTERS.changed.connect(self._on_changed)
        LETTERS.settled.connect(self._on_settled)

    def _follow(self) -> None:
        raise NotImplementedError

    @Slot()
    def _on_changed(self) -> None:
        self._is_waiting = LETTERS.is_settling and self._is_out_of_sight()
        if not self._is_waiting:
            self._follow()

    @Slot()
    def _on_settled(self) -> None:
        if self._is_waiting:
            self._is_waiting = False
            self._follow()

    def _is_out_of_sight(self) -> bool:
        owner = self.parent()
        while owner is not None and not isinstance(owner, QWidget):
            owner = owner.parent()
        return owner is not None and not owner.isVisible()


class _LetterFollower(_LettersWatch):
    """Calls a function with the parent whenever the letters change."""

    def __init__(self, parent: QObject, do: Callable[[Any], object]) -> None:
        super().__init__(parent)
        self._do = do

    def _follow(self) -> None:
        self._do(self.parent())


def follow_letters(owner: QObject, do: Callable[[Any], object]) -> None:
    """Calls `do` with `owner` now, and again at changes of letters, as long as `owner` lives."""
    do(owner)
    when_letters_change(owner, do)


def when_letters_change(owner: QObject, do: Callable[[Any], object]) -> None:
    """Calls `do` with `owner` whenever the letters change, as long as `owner` lives."""
    _LetterFollower(owner, do)


def scaled(pixels: int) -> int:
    """So many pixels at the zoom that there is now."""
    return round(pixels * LETTERS.zoom)


def fit_strip(strip: QWidget) -> None:
    """Makes a strip over a text as high as a line of letters with a little room, at any zoom."""

    def fit(it: QWidget) -> None:
        it.setFixedHeight(it.fontMetrics().height() + scaled(_AROUND_LETTERS))

    follow_letters(strip, fit)


def fit_dialog(dialog: QWidget, size: tuple[int, int]) -> None:
    """Makes a dialog so large, in pixels at the usual zoom; no larger than the screen has room."""
    usual = QSize(*size)
    last = dialog.size()
    zoom = LETTERS.zoom

    def fit(it: QWidget) -> None:
        nonlocal usual, last, zoom
        if it.size() != last:
            # The user has given it another size.
            usual = it.size() / zoom
        zoom = LETTERS.zoom
        last = (usual * zoom).boundedTo(it.screen().availableSize() * _SCREEN_SHARE)
        it.resize(last)

    follow_letters(dialog, fit)


def gap(pixels: int) -> int:
    """So many pixels between things at the zoom that there is now: they grow less than letters."""
    return round(pixels * (1 + (LETTERS.zoom - 1) * _GAP_GROWTH))


def scale_margins(root: QWidget) -> None:
    """Scales the margins and spacings of all layouts in a widget.

    Their sizes at a zoom of 1 are taken when this is called for the first time.
    """
    layouts = [root.layout(), *root.findChildren(QLayout)]
    for layout in layouts:
        if not isinstance(layout, QBoxLayout | QGridLayout | QFormLayout):
            continue
        sizes_at_one = layout.property(_AT_ONE)
        if sizes_at_one is None:
            if LETTERS.zoom == 1:
                continue
            sides = layout.contentsMargins()
            sizes_at_one = (
                sides.left(),
                sides.top(),
                sides.right(),
                sides.bottom(),
                layout.spacing(),
            )
            layout.setProperty(_AT_ONE, sizes_at_one)
        *margins, between = sizes_at_one
        layout.setContentsMargins(*map(gap, margins))
        if between > 0:
            layout.setSpacing(gap(between))


class KeptFont(_LettersWatch):
    """Gives a widget the font again whenever Qt has replaced the font.

    Below a style sheet Qt drops the font of a widget that gets another parent, theme or zoom.

    Args:
        widget: The widget, which becomes the parent.
        size: The argument for `font`.
        font: Returns the font as it is to be now.

    Signals:
        changed: The widget has its font again, or one of another size.
    """

    changed = Signal()

    def __init__(self, widget: QWidget, size: float, font: Callable[[float], QFont]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._size = size
        self._font = font
        self._is_setting = False
        widget.installEventFilter(self)
        self._follow()

    def set_size(self, size: float) -> None:
        """Has letters of another size from now on."""
        self._size = size
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Sets the font again."""
        if event.type() == QEvent.Type.FontChange and not self._is_setting:
            self._follow()
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        self._is_setting = True
        font = self._font(self._size)
        self._widget.setFont(font)
        if isinstance(self._widget, QAbstractScrollArea):
            # Below a style sheet it keeps that of a zoom before; placeholders are drawn in it.
            self._widget.viewport().setFont(font)
        self._is_setting = False
        self.changed.emit()


def show_as_code(widget: QWidget, size: float) -> KeptFont:
    """Gives a widget the font of code from now on, so many points at a zoom of 1."""
    return KeptFont(widget, size, code_font)


def show_bold(widget: QWidget, scale: float = 1.0) -> None:
    """Gives a widget bold letters from now on, larger than others by a factor."""
    KeptFont(widget, scale, _bold_font)


def _bold_font(scale: float) -> QFont:
    font = QApplication.font()
    font.setBold(True)
    font.setPointSizeF(font.pointSizeF() * scale)
    return font


class FontError(RuntimeError):
    """A bundled font file cannot be read."""


def load_fonts(app: QApplication) -> None:
    """Makes the bundled font known to Qt; called once, before the first window.

    Raises:
        FontError: If Qt cannot read a bundled file.
    """
    families = QFontDatabase.families()
    if CODE_FAMILY not in families:
        for name in _FILES:
            if QFontDatabase.addApplicationFont(str(resource(name))) < 0:
                raise FontError(f"Qt cannot read the font {resource(name)}")
    if not families:
        # Without this the offscreen and minimal platforms draw every letter as a box.
        app.setFont(_font(_UI_SIZE))


def code_font(size: float = DEFAULT_SIZE, *, zoomed: bool = True) -> QFont:
    """Returns the font for code, without ligatures: code reads as typed.

    Args:
        size: In points, at a zoom of 1.
        zoomed: Whether it is for the zoom that there is now; not for pictures, which are scaled.
    """
    font = _font(size * LETTERS.zoom if zoomed else size)
    font.setFeature(QFont.Tag("calt"), 0)
    font.setFeature(QFont.Tag("liga"), 0)
    return font


def _font(size: float) -> QFont:
    font = QFont(list(dict.fromkeys((LETTERS.family, CODE_FAMILY, *_FALLBACKS))))
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setPointSizeF(size)
    return font


# ---- The size of code and the gestures that change it, shared by editor and listing

SMALLEST, LARGEST = 6.0, 48.0
_NOTCH = 120
_KEY_STEPS = {Qt.Key.Key_Equal: 1, Qt.Key.Key_Plus: 1, Qt.Key.Key_Minus: -1}


class FontZoom(QObject):
    """A font size in points that wheel and keys change.

    Signals:
        size_changed: With the new size in points.
    """

    size_changed = Signal(float)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._size = DEFAULT_SIZE
        self._turned = 0

    @property
    def size(self) -> float:
        """The size in points."""
        return self._size

    def set_size(self, points: float) -> None:
        """Changes the size, within legible limits."""
        points = min(LARGEST, max(SMALLEST, points))
        if points != self._size:
            self._size = points
            self.size_changed.emit(points)

    def step(self, steps: int) -> None:
        """Makes the text larger by `steps` points, or smaller."""
        self.set_size(self._size + steps)

    def reset(self) -> None:
        """Back to the size that a new editor has."""
        self.set_size(DEFAULT_SIZE)

    def take_wheel(self, event: QWheelEvent) -> bool:
        """Zooms if Ctrl is held; returns whether the event is used up."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        # A touchpad turns in small parts: they add up to notches.
        self._turned += event.angleDelta().y()
        steps = int(self._turned / _NOTCH)
        self._turned -= steps * _NOTCH
        self.step(steps)
        event.accept()
        return True

    def take_key(self, event: QKeyEvent) -> bool:
        """Zooms on Ctrl with =, + or -, reset on Ctrl+0; returns whether the event is used up.

        With Shift the same keys zoom the whole window.
        """
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers != Qt.KeyboardModifier.ControlModifier:
            return False
        if event.key() == Qt.Key.Key_0:
            self.reset()
            return True
        steps = _KEY_STEPS.get(Qt.Key(event.key()), 0)
        self.step(steps)
        return steps != 0


class Zoomable:
    """The interface of widgets whose code can be zoomed; the widget makes the zoom."""

    _zoom: FontZoom

    @property
    def font_size(self) -> float:
        """The size of the text in points."""
        return self._zoom.size

    @Slot(float)
    def set_font_size(self, points: float) -> None:
        """Changes the size of the text."""
        self._zoom.set_size(points)

    @Slot()
    def zoom_in(self) -> None:
        """Makes the text larger by a point."""
        self._zoom.step(1)

    @Slot()
    def zoom_out(self) -> None:
        """Makes the text smaller by a point."""
        self._zoom.step(-1)

    @Slot()
    def zoom_reset(self) -> None:
        """Gives the text the usual size again."""
        self._zoom.reset()
