"""The bundled code font, and what to do on a machine that has no font at all."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from jitstudio.paths import resource

CODE_FAMILY = "JetBrains Mono"
DEFAULT_SIZE = 10.5
"""The size of code in points, until the user zooms."""

_FILES = ("fonts/JetBrainsMono-Regular.woff2", "fonts/JetBrainsMono-Bold.woff2")
# The bundled files hold Latin letters only; these are asked for the rest, in this order.
_FALLBACKS = ("DejaVu Sans Mono", "Noto Sans Mono", "Menlo", "Consolas", "monospace")
_UI_SIZE = 9.5


class FontError(RuntimeError):
    """A bundled font file cannot be read."""


def load_fonts(app: QApplication) -> None:
    """Make the bundled font known to Qt; call once, before the first window.

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


def code_font(size: float = DEFAULT_SIZE) -> QFont:
    """The font for code, in points, without ligatures: code reads as it was typed."""
    font = _font(size)
    font.setFeature(QFont.Tag("calt"), 0)
    font.setFeature(QFont.Tag("liga"), 0)
    return font


def _font(size: float) -> QFont:
    font = QFont([CODE_FAMILY, *_FALLBACKS])
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setPointSizeF(size)
    return font
