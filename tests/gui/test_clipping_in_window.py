"""No button, label or menu of the window is cut, at any zoom up to 200 %."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenuBar

from jitstudio.gui.kit.fonts import LETTERS
from jitstudio.gui.kit.parts import ShorteningLabel
from tests.gui.driver import pause

# Qt rounds letters to pixels.
_SLACK = 2


def cut(window):
    """Names what has less room than its words need; what scrolls is not cut."""
    parts = []
    for part in (*window.findChildren(QAbstractButton), *window.findChildren(QLabel)):
        if not part.isVisible() or not part.text() or isinstance(part, ShorteningLabel):
            continue
        wanted, place = part.sizeHint(), part.size()
        # Wrapped lines grow downwards; what has a tip in place of room shortens itself.
        if isinstance(part, QLabel) and (part.wordWrap() or part.minimumWidth() == 1):
            continue
        if wanted.width() > place.width() + _SLACK or wanted.height() > place.height() + _SLACK:
            parts.append((part.objectName(), part.text(), wanted.toTuple(), place.toTuple()))
    for bar in window.findChildren(QMenuBar):
        for action in bar.actions():
            if action.isVisible() and not QRect(bar.rect()).contains(bar.actionGeometry(action)):
                parts.append(("menu", action.text(), bar.actionGeometry(action).toTuple(), ()))
    return parts


@pytest.mark.parametrize("layout", ["edit", "teach"])
def test_no_words_are_cut(started, layout):
    driver = started
    driver.trigger(f"{layout}LayoutAction")
    driver.trigger("lessonsAction")
    found = {}
    for zoom in (1.0, 1.5, 2.0):
        LETTERS.set_zoom(zoom)
        for pane in ("ptx", "report", "kernels", "launch", "step", "problems"):
            driver.shell.layout.bring_up_pane(pane)
            pause(60)
            if parts := cut(driver.window):
                found[zoom, pane] = parts
    assert not found
