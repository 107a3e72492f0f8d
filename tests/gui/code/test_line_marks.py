import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QApplication

from jitstudio.analysis.correlation.hues import PLAIN, UNMAPPED
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.line_marks import NO_LINE
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.listing.listing_view import ListingView

HUES = [PLAIN, 1, 2, 1, UNMAPPED]


def editor():
    made = CodeEditor()
    made.setPlainText("\n".join("abcde"))
    # A ground of its own, which is not looked for here.
    cursor = made.textCursor()
    cursor.movePosition(cursor.MoveOperation.NextCharacter, cursor.MoveMode.KeepAnchor)
    made.setTextCursor(cursor)
    return made


def listing():
    made = ListingView()
    made.set_lines([*"abcde"], None, CodeKind.PTX)
    made.select_all()
    made.caret.set_place((4, 0))
    made.caret_moved()
    return made


@pytest.fixture(params=[editor, listing], ids=["editor", "listing"])
def view(request, qtbot, theme):
    made = request.param()
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def line_height(view):
    return (
        view.fontMetrics().height() if isinstance(view, ListingView) else view.cursorRect().height()
    )


def middle(view, line):
    if isinstance(view, ListingView):
        return view.below(line) - line_height(view) // 2
    block = view.document().findBlockByNumber(line)
    top = view.blockBoundingGeometry(block).translated(view.contentOffset()).top()
    return round(top) + line_height(view) // 2


def ground(view, line, x=300):
    picture = view.viewport().grab().toImage()
    return QColor(picture.pixel(x, middle(view, line)))


def test_lines_have_the_colours_of_their_hues(view, theme):
    view.line_colours.show_hues(HUES.__getitem__)
    assert [ground(view, line).name() for line in (1, 2, 3)] == [
        theme.bands[0].name(),
        theme.bands[1].name(),
        theme.bands[0].name(),
    ]
    assert ground(view, 0) == theme.code.background
    view.line_colours.show_hues(None)
    assert ground(view, 1) == theme.code.background


def test_lines_that_match_stand_out(view, theme):
    view.line_colours.show_hues(HUES.__getitem__)
    view.line_colours.show_matched([0, 2])
    assert ground(view, 2) == theme.matched[1]
    assert ground(view, 1) == theme.bands[0]
    assert ground(view, 0) == theme.code.occurrence


def edge(view):
    return view.margin_width - 5 if isinstance(view, ListingView) else 1


def test_what_matches_has_a_bar_and_what_is_not_mapped_has_dots(view, theme):
    view.line_colours.show_hues(HUES.__getitem__)
    view.line_colours.show_matched([2])
    assert ground(view, 2, edge(view)) == theme.ui.accent
    picture = view.viewport().grab().toImage()
    top = middle(view, 4) - line_height(view) // 2
    column = {QColor(picture.pixel(edge(view), top + y)).name() for y in range(2, 12)}
    assert theme.code.margin_text.name() in column
    assert len(column) > 1


def move(view, at):
    point = QPointF(at)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        point,
        view.viewport().mapToGlobal(point),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_the_mouse_points_at_a_line(view):
    told = []
    view.line_colours.pointed.connect(told.append)
    move(view, QPoint(120, middle(view, 1)))
    move(view, QPoint(140, middle(view, 1)))
    move(view, QPoint(140, middle(view, 3)))
    move(view, QPoint(140, 280))
    move(view, QPoint(140, middle(view, 0)))
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert told == [1, 3, NO_LINE, 0, NO_LINE]


def test_an_editor_brings_a_line_into_sight_without_moving_its_cursor(qtbot, theme):
    view = editor()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.setPlainText("\n".join(map(str, range(400))))
    view.show()
    view.line_colours.scroll_to(200)
    seen = [block.blockNumber() for block, _ in view.visible_blocks()]
    assert abs(seen[len(seen) // 2] - 200) <= 2
    assert view.textCursor().blockNumber() == 0
    top = view.verticalScrollBar().value()
    view.line_colours.scroll_to(201)
    assert view.verticalScrollBar().value() == top


def test_a_listing_brings_a_line_into_sight_without_moving_its_caret(qtbot):
    view = ListingView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.set_lines([*map(str, range(400))], None, CodeKind.PTX)
    view.show()
    view.show_line(200)
    assert view.line == 1
    height = view.below(1) - view.below(0)
    assert 0 < view.below(200) < 300
    assert abs(view.below(200) - 150) < 3 * height
    top = view.verticalScrollBar().value()
    view.show_line(201)
    assert view.verticalScrollBar().value() == top
