"""The bar next to every picture: how near it is looked at, and the way into a file."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from jitstudio.gui.kit.diagrams.canvas import PictureCanvas
from jitstudio.gui.kit.parts import bare_button

_SPACING = 6


class PictureButtons(QWidget):
    """Zooms a picture, and asks for it to be saved.

    Args:
        name: How the object names of the buttons begin.
        canvas: What shows the picture.
        saving: What saving it is called.

    Signals:
        picture_requested: The user wants the picture in a file.
    """

    picture_requested = Signal()

    def __init__(self, name: str, canvas: PictureCanvas, saving: str, parent: QWidget) -> None:
        super().__init__(parent)
        buttons = {
            "minus": bare_button(self, self.tr("Smaller"), canvas.zoom_out, "minus"),
            "plus": bare_button(self, self.tr("Larger"), canvas.zoom_in, "plus"),
            "fit": bare_button(self, self.tr("Show all of it"), canvas.fit, "fit"),
            "save": bare_button(self, saving, self.picture_requested, "save"),
        }
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_SPACING)
        for kind, button in buttons.items():
            button.setObjectName(f"{name}{kind.capitalize()}Button")
            row.addWidget(button)
