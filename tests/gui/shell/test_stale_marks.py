import pytest
from PySide6.QtWidgets import QToolButton

from jitstudio.gui.kit.theme import STALE_BAR
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.shell.stale_marks import StaleMark


@pytest.fixture
def view(qtbot):
    view = ListingView()
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.set_lines(["MOV R1, c[0x0][0x28] ;"] * 100, None)
    view.show()
    return view


def picture(view, height):
    """The upper part of the text, below the bar."""
    place = view.viewport().rect().adjusted(0, STALE_BAR, 0, 0)
    place.setHeight(height)
    return view.grab(place).toImage()


def test_nothing_moves_and_nothing_pales(view, light):
    mark = StaleMark(view)
    before = picture(view, 200)
    mark.show_state(True, "Build failed, line 3. Shown is the build of 12:00:00.")
    assert mark.bar.isVisible()
    assert mark.bar.height() == STALE_BAR
    assert mark.text.startswith("Build failed, line 3.")
    assert picture(view, 200) == before
    color = view.grab().toImage().pixelColor(250, 1)
    assert color == light.marks.warning
    mark.show_state(False, "")
    assert not mark.bar.isVisible()
    assert mark.text == ""


def test_the_words_lie_over_the_lower_edge_and_are_never_high(view, light):
    mark = StaleMark(view)
    mark.show_state(True, "short")
    one_line = mark.banner.height()
    mark.show_state(True, "a long story " * 10)
    wrapped = mark.banner.height()
    mark.show_state(True, "a long story " * 1000)
    assert one_line < wrapped <= mark.banner.height() < 6 * one_line
    view.resize(1200, 300)
    mark.show_state(True, "a long story " * 10)
    assert mark.banner.height() < wrapped
    assert mark.banner.geometry().bottom() == view.viewport().geometry().bottom()
    assert mark.bar.width() == view.contentsRect().width()


def test_words_that_were_closed_stay_away_until_all_was_new_again(view, light):
    mark = StaleMark(view)
    mark.show_state(True, "why")
    mark.banner.findChild(QToolButton).click()
    mark.show_state(True, "another reason")
    assert mark.text == ""
    assert mark.bar.isVisible()
    mark.show_state(False, "")
    mark.show_state(True, "why")
    assert mark.text == "why"
