import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QHelpEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.hover import Tip
from jitstudio.gui.listing.links import ListingHover
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.listing.code_links import CodeLink
from jitstudio.listing.lexers.ptx import PtxLexer

LINES = ["\tbra \t$end;", *["\tnop;"] * 300, "$end:"]
LINK = CodeLink(0, (6, 10), (301, 0))
CTRL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(qtbot):
    made = ListingView()
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    made.set_lines(LINES, PtxLexer())
    made.links.set_finder(lambda place: LINK if place[0] == 0 and 6 <= place[1] < 10 else None)
    return made


def point(view, line, column):
    grid = view._scrolling.grid()
    x = grid.x(view.text.cell(line, column) + 0.5)
    return QPoint(round(x), grid.y(line) + grid.height // 2)


def hover(view, at, modifiers):
    where = QPointF(at)
    move = QMouseEvent(
        QEvent.Type.MouseMove,
        where,
        view.viewport().mapToGlobal(where),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        modifiers,
    )
    QApplication.sendEvent(view.viewport(), move)


def link_pixels(view, theme):
    image = view.viewport().grab().toImage()
    y = view._scrolling.grid().height - 2
    row = (image.pixelColor(x, y).name() for x in range(image.width()))
    return sum(color == theme.ui.link.name() for color in row)


def test_a_link_is_underlined_while_ctrl_is_held(view, theme):
    at = point(view, 0, 7)
    hover(view, at, NONE)
    assert view.links.hovered is None
    assert link_pixels(view, theme) == 0
    hover(view, at, CTRL)
    assert view.links.hovered == LINK
    assert view.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
    assert link_pixels(view, theme) > 20
    hover(view, point(view, 0, 2), CTRL)
    assert view.links.hovered is None
    hover(view, at, CTRL)
    QTest.keyRelease(view, Qt.Key.Key_Control)
    assert view.links.hovered is None
    assert view.viewport().cursor().shape() is not Qt.CursorShape.PointingHandCursor


def test_a_click_with_ctrl_follows(view, qtbot):
    with qtbot.waitSignal(view.jumped):
        QTest.mouseClick(view.viewport(), LEFT, CTRL, point(view, 0, 7))
    assert view.line == 302
    assert not view.caret.has_selection


def test_a_click_without_ctrl_or_beside_a_link_only_puts_the_caret(view):
    QTest.mouseClick(view.viewport(), LEFT, NONE, point(view, 0, 7))
    assert view.caret.place[0] == 0
    QTest.mouseClick(view.viewport(), LEFT, CTRL, point(view, 3, 2))
    assert view.caret.place[0] == 3


def test_enter_follows_the_link_at_the_caret(view, qtbot):
    view.caret.set_place((0, 8))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert view.line == 302
    with qtbot.waitSignal(view.links.missed):
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert view.line == 302


def test_the_menu_offers_the_link_below_the_mouse(view):
    def offered(column):
        at = point(view, 0, column)
        where = view.viewport().mapToGlobal(at)
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(view.viewport(), QContextMenuEvent(reason, at, where))
        menu = view.findChildren(QMenu)[-1]
        texts = {action.text().partition("\t")[0]: action for action in menu.actions()}
        menu.close()
        return texts

    assert "&Follow the link" not in offered(2)
    offered(7)["&Follow the link"].trigger()
    assert view.line == 302


pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
EXPLAINED = ["\tadd.s32 \t%r1, %r2, 1;", *["\tret;"] * 300]


class Source:
    """Knows one word of the first line."""

    def __init__(self):
        self.wanted = []

    def want(self, kind):
        self.wanted.append(kind)

    def find(self, kind, line, column):
        assert kind is CodeKind.PTX
        is_known = line == EXPLAINED[0] and 1 <= column < 8
        return Tip("<b>the sum</b>", "add: the sum", (1, 8)) if is_known else None


@pytest.fixture
def source():
    return Source()


@pytest.fixture
def explained(qtbot, source):
    made = ListingView()
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    made.set_lines(EXPLAINED, PtxLexer())
    ListingHover(made, CodeKind.PTX, source.want, source.find)
    yield made
    QToolTip.hideText()


def point_at(explained, line, column):
    x = explained.grid.x(explained.text.cell(line, column) + 0.5)
    return QPoint(round(x), explained.grid.y(line) + explained.grid.height // 2)


def rest(explained, at):
    event = QHelpEvent(QEvent.Type.ToolTip, at, explained.viewport().mapToGlobal(at))
    QApplication.sendEvent(explained.viewport(), event)
    return QToolTip.text() if QToolTip.isVisible() else ""


def test_the_word_below_the_mouse_is_told_of(explained):
    assert "the sum" in rest(explained, point_at(explained, 0, 1))
    assert "the sum" in rest(explained, point_at(explained, 0, 7))


@pytest.mark.parametrize(("line", "column"), [(0, 10), (0, 18), (1, 2)])
def test_of_other_words_nothing_is_told(explained, qtbot, line, column):
    rest(explained, point_at(explained, 0, 2))
    rest(explained, point_at(explained, line, column))
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_beside_the_text_nothing_is_told(explained):
    assert rest(explained, QPoint(2, point_at(explained, 0, 1).y())) == ""
    explained.clear("nothing yet")
    assert rest(explained, QPoint(100, 5)) == ""


def test_texts_are_wanted_when_the_mouse_comes(explained, source):
    source.wanted.clear()
    at = QPointF(5, 5)
    QApplication.sendEvent(explained.viewport(), QEnterEvent(at, at, at))
    assert source.wanted == [CodeKind.PTX]


@pytest.mark.parametrize("column", [1, 5, 8])
def test_the_word_at_the_caret_is_told_of_also_behind_its_end(explained, column):
    hover = explained.findChild(ListingHover)
    explained.caret.set_place((0, column))
    assert hover.explain().line == "add: the sum"
    assert "the sum" in QToolTip.text()


def test_a_caret_out_of_sight_comes_into_it(explained):
    explained.scroll_by(0, 200)
    assert explained.grid.top == 200
    explained.findChild(ListingHover).explain()
    assert explained.grid.top == 0


def test_without_a_word_or_a_text_there_is_no_tip(explained):
    hover = explained.findChild(ListingHover)
    explained.caret.set_place((5, 0))
    assert hover.explain() is None
    explained.clear()
    assert hover.explain() is None
