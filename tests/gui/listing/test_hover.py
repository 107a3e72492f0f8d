import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QEnterEvent, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.hover_text import Tip
from jitstudio.gui.listing.hover import ListingHover
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.listing.lexers.ptx import PtxLexer

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
LINES = ["\tadd.s32 \t%r1, %r2, 1;", *["\tret;"] * 300]


class Source:
    """Knows one word of the first line."""

    def __init__(self):
        self.wanted = []

    def want(self, kind):
        self.wanted.append(kind)

    def find(self, kind, line, column):
        assert kind is CodeKind.PTX
        is_known = line == LINES[0] and 1 <= column < 8
        return Tip("<b>the sum</b>", "add: the sum", (1, 8)) if is_known else None


@pytest.fixture
def source():
    return Source()


@pytest.fixture
def view(qtbot, light, source):
    made = ListingView(light)
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    made.set_lines(LINES, PtxLexer())
    ListingHover(made, CodeKind.PTX, source.want, source.find)
    yield made
    QToolTip.hideText()


def point(view, line, column):
    x = view.grid.x(view.text.cell(line, column) + 0.5)
    return QPoint(round(x), view.grid.y(line) + view.grid.height // 2)


def rest(view, at):
    event = QHelpEvent(QEvent.Type.ToolTip, at, view.viewport().mapToGlobal(at))
    QApplication.sendEvent(view.viewport(), event)
    return QToolTip.text() if QToolTip.isVisible() else ""


def test_the_word_below_the_mouse_is_told_of(view):
    assert "the sum" in rest(view, point(view, 0, 1))
    assert "the sum" in rest(view, point(view, 0, 7))


@pytest.mark.parametrize(("line", "column"), [(0, 10), (0, 18), (1, 2)])
def test_of_other_words_nothing_is_told(view, qtbot, line, column):
    rest(view, point(view, 0, 2))
    rest(view, point(view, line, column))
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_beside_the_text_nothing_is_told(view):
    assert rest(view, QPoint(2, point(view, 0, 1).y())) == ""
    view.clear("nothing yet")
    assert rest(view, QPoint(100, 5)) == ""


def test_texts_are_wanted_when_the_mouse_comes(view, source):
    source.wanted.clear()
    at = QPointF(5, 5)
    QApplication.sendEvent(view.viewport(), QEnterEvent(at, at, at))
    assert source.wanted == [CodeKind.PTX]


@pytest.mark.parametrize("column", [1, 5, 8])
def test_the_word_at_the_caret_is_told_of_also_behind_its_end(view, column):
    hover = view.findChild(ListingHover)
    view.caret.set_place((0, column))
    assert hover.explain().line == "add: the sum"
    assert "the sum" in QToolTip.text()


def test_a_caret_out_of_sight_comes_into_it(view):
    view.scroll_by(0, 200)
    assert view.grid.top == 200
    view.findChild(ListingHover).explain()
    assert view.grid.top == 0


def test_without_a_word_or_a_text_there_is_no_tip(view):
    hover = view.findChild(ListingHover)
    view.caret.set_place((5, 0))
    assert hover.explain() is None
    view.clear()
    assert hover.explain() is None
