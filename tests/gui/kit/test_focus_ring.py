"""Whoever works by keyboard sees where it is, in every pane."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from tests.gui.driver import pause

# Of a pane; behind them Tab goes on to what is like them.
_MOST_STEPS = 12
_LEAST_PIXELS = 20


def picture(widget):
    pause(0)
    return widget.grab().toImage()


def pictures(window, part):
    """With the keyboard and without it; of one size, as its pane may only just have come up."""
    while True:
        with_it = picture(part)
        window.setFocus()
        without = picture(part)
        part.setFocus(Qt.FocusReason.TabFocusReason)
        if with_it.size() == without.size():
            return with_it, without


def changed(one, other):
    """How many pixels differ."""
    pixels = [np.frombuffer(image.constBits(), np.uint32) for image in (one, other)]
    return np.count_nonzero(pixels[0] != pixels[1])


def test_each_part_of_each_pane_shows_that_it_has_the_keyboard(started):
    driver, seen, faint = started, 0, []
    driver.trigger("focusSassAction")
    driver.wait(lambda: driver.state.disassembly.current is not None)
    for dock in driver.shell.layout.docks:
        dock.show()
    for view in (driver.editors, *(dock.content for dock in driver.shell.layout.docks)):
        driver.shell.layout.bring_up(view)
        pause(0)
        for _ in range(_MOST_STEPS):
            part = QApplication.focusWidget()
            if part is None or not view.isAncestorOf(part):
                break
            edge = 2 * (part.width() + part.height())
            least = edge if isinstance(part, QAbstractScrollArea) else _LEAST_PIXELS
            seen += 1
            if changed(*pictures(driver.window, part)) < least:
                faint.append((view.objectName(), type(part).__name__, part.objectName()))
            QTest.keyClick(part, Qt.Key.Key_Tab)
            if QApplication.focusWidget() is part:
                # A text takes Tab for itself.
                break
    assert not faint
    assert seen > len(driver.shell.layout.docks)
