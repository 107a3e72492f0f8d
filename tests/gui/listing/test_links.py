import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.listing.functions import Link
from jitstudio.listing.lexers.ptx import PtxLexer

LINES = ["\tbra \t$end;", *["\tnop;"] * 300, "$end:"]
LINK = Link(0, (6, 10), (301, 0))
CTRL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(qtbot, theme):
    made = ListingView(theme)
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
