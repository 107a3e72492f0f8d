"""What screen readers read of texts that are painted."""

import gc

import pytest
import shiboken6
from PySide6.QtGui import QAccessible

from jitstudio.gui.listing.listing_view import ListingView

LINES = ("alpha", "beta gamma", "")


@pytest.fixture
def view(qtbot):
    view = ListingView()
    qtbot.addWidget(view)
    view.set_lines(LINES, None)
    view.show()
    return view


@pytest.fixture
def spoken(view):
    return QAccessible.queryAccessibleInterface(view).textInterface()


def test_a_listing_is_one_text_that_is_only_read(view, spoken):
    assert spoken.text(0, spoken.characterCount()) == "\n".join(LINES)
    assert spoken.text(6, 10) == "beta"
    assert spoken.text(4, 8) == "a\nbe"
    state = QAccessible.queryAccessibleInterface(view).state()
    assert state.readOnly
    assert state.multiLine


def test_caret_and_selection_are_those_of_the_listing(view, spoken):
    view.go_to(2)
    assert spoken.cursorPosition() == 6
    assert spoken.selectionCount() == 0
    spoken.setSelection(0, 6, 10)
    assert view.caret.selected_text() == "beta"
    assert (spoken.selectionCount(), spoken.selection(0)) == (1, (6, 10))
    spoken.setCursorPosition(3)
    assert view.caret.place == (0, 3)


def test_another_text_takes_the_place_of_the_one_before(view, spoken):
    view.respell(("alpha", "b g", ""), {})
    assert spoken.text(0, spoken.characterCount()) == "alpha\nb g\n"
    view.clear("Nothing is built yet.")
    assert spoken.text(0, spoken.characterCount()) == "Nothing is built yet."
    assert spoken.cursorPosition() == 0


def test_interfaces_go_with_their_widgets(qapp):
    was_active = QAccessible.isActive()
    QAccessible.setActive(True)
    for _ in range(50):
        view = ListingView()
        view.set_lines(LINES, None)
        view.go_to(2)
        assert QAccessible.queryAccessibleInterface(view).textInterface().cursorPosition() == 6
        shiboken6.delete(view)
        gc.collect()
    QAccessible.setActive(was_active)
