"""What each part of a window is for, in words: given where nobody has given them."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget


def explain_parts(window: QWidget) -> None:
    """Let What's This have an answer for all that is in a window now."""
    for widget in window.findChildren(QWidget):
        if not widget.whatsThis():
            widget.setWhatsThis(_words(widget))


def _words(widget: QWidget) -> str:
    """The most that a part says of itself."""
    said = (
        widget.accessibleDescription(),
        widget.toolTip(),
        widget.placeholderText() if isinstance(widget, QLineEdit) else "",
        widget.accessibleName(),
        widget.text().replace("&", "") if isinstance(widget, QAbstractButton) else "",
    )
    return next(filter(None, said), "")
