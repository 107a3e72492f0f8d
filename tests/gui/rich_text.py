"""Reads tooltips as Qt shows them."""

from PySide6.QtGui import QTextDocument


def plain(html):
    """The lines and cells of a rich text."""
    document = QTextDocument()
    document.setHtml(html)
    return [line.strip() for line in document.toPlainText().split("\n") if line.strip()]
