"""Which page of the manual a part of a window is explained by."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

_PROPERTY = "helpPage"


def explain_by(widget: QWidget, page: str) -> None:
    """Lets F1 show this page of the manual while the keyboard is in a widget."""
    widget.setProperty(_PROPERTY, page)


def page_of(widget: QWidget | None) -> str:
    """Returns the page of a widget, or of the innermost that has one and that it is in."""
    while widget is not None:
        if page := widget.property(_PROPERTY):
            return str(page)
        widget = widget.parentWidget()
    return ""
