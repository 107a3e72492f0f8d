"""Hidden lines, folds and rebuilds, through the view's keys and mouse."""

from time import thread_time

import pytest
from PySide6.QtCore import QPoint, Qt, QThreadPool
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import CodeKind
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.painter import FoldMarks
from jitstudio.listing.lines import LineClass
from tests.gui.driver import pause

KERNEL = """\
// {name}
.visible .entry {name}(
	.param .u64 {name}_param_0
)
{{
	.reg .b64 	%rd<4>;
	.loc	1 2 3
	ld.param.u64 	%rd1, [{name}_param_0];
$L__BB0_1:
	// why
	mov.u32 	%r1, {n};
	ret;
}}
"""


def kernels(count):
    text = "".join(KERNEL.format(name=f"k{n}", n=n) for n in range(count))
    return tuple(text.split("\n")[:-1])


LINES = kernels(40)
HEIGHT = 13  # of a kernel, in lines
ALL = frozenset({LineClass.COMMENT, LineClass.DIRECTIVE, LineClass.DEBUG})
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def view(qtbot, dark):
    made = ListingView()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    qtbot.waitExposed(made)
    made.set_lines(LINES, None, CodeKind.PTX)
    return made


def marks(view):
    return FoldMarks(view._text, view.visibility.folds, view._scrolling.grid())


def chevron(view, line):
    row = view.visibility.rows.row(line)
    return view._scrolling.grid().fold_mark(row).center()


def in_sight(view):
    """The lines in sight, the topmost first."""
    top, rows = view._scrolling.top, view.visibility.rows
    return [rows.line(row) for row in range(top, top + view._scrolling.grid().whole_lines)]


def caret_row(view):
    return view.visibility.rows.row(view.caret.line) - view._scrolling.top


def clipboard():
    return QApplication.clipboard().text()


def test_keys_pass_over_hidden_lines(view):
    view.visibility.set_filters(ALL)
    view.go_to(2)
    seen = []
    for _ in range(9):
        QTest.keyClick(view, Qt.Key.Key_Down)
        seen.append(view.line)
    assert seen == [3, 4, 5, 8, 9, 11, 12, 13, 15]
    for _ in range(9):
        QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.line == 2
    view.go_to(5)
    QTest.keyClick(view, Qt.Key.Key_End)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.caret.place == (7, 0)
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.caret.place == (4, 1)
    QTest.keyClick(view, Qt.Key.Key_Home, CTRL)
    assert view.line == 2
    before = view.visibility.rows.row(view.caret.line)
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    page = view._scrolling.grid().whole_lines
    assert view.visibility.rows.row(view.caret.line) == before + page


def test_what_is_copied_is_what_is_shown(view):
    view.visibility.set_filters(ALL)
    view.caret.select((4, 0), (8, 3))
    view.copy()
    assert clipboard() == "{\n\tld.param.u64 \t%rd1, [k0_param_0];\n$L_"
    view.select_all()
    view.copy()
    copied = clipboard().split("\n")
    assert len(copied) == len(view.visibility.rows) == 40 * 9
    assert not any(".loc" in line or "//" in line for line in copied)
    assert view.toPlainText() == "\n".join(LINES)


def test_the_scroll_bar_counts_rows(view):
    view.visibility.set_filters(ALL)
    bar = view.verticalScrollBar()
    assert bar.maximum() == 40 * 9 - view._scrolling.grid().whole_lines
    bar.setValue(bar.maximum())
    assert in_sight(view)[-1] == len(LINES) - 1


def test_a_jump_into_a_hidden_line_shows_it(view):
    view.visibility.set_filters(ALL)
    view.fold_all()
    view.go_to(2 * HEIGHT + 10)
    assert view.line == 2 * HEIGHT + 10
    assert view.visibility.rows.shows(2 * HEIGHT + 9)
    assert not view.visibility.folds.is_folded(2 * HEIGHT + 1)
    assert view.visibility.folds.is_folded(3 * HEIGHT + 1)
    assert 2 * HEIGHT + 9 in in_sight(view)
    # The other comments stay away.
    assert not view.visibility.rows.shows(2 * HEIGHT)


def test_a_match_in_a_hidden_line_is_found_and_shown(view):
    view.fold_all()
    assert view.search_lines(10, 1) == (LINES[10],)
    view.show_match(HEIGHT + 10, (1, 4))
    assert view.caret.selected_text() == "mov"
    assert view.visibility.rows.shows(HEIGHT + 10)
    assert HEIGHT + 10 in in_sight(view)


def test_a_click_on_the_mark_folds_and_unfolds(view, qtbot):
    with qtbot.waitSignal(view.visibility.hidden_count_changed) as told:
        QTest.mouseClick(view.viewport(), LEFT, NONE, chevron(view, 1))
    assert told.args == [11]
    assert in_sight(view)[:4] == [0, 1, 13, 14]
    assert view.caret.place == (0, 0)
    count = marks(view)._count_place(1, view.visibility.folds.block_at(1)).center().toPoint()
    QTest.mouseMove(view.viewport(), count)
    assert view.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
    QTest.mouseClick(view.viewport(), LEFT, NONE, count)
    assert view.visibility.rows.hidden_count == 0
    # Beside the mark, a click still selects the line.
    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(5, chevron(view, 1).y()))
    assert view.caret.selection == ((1, 0), (2, 0))


def test_the_count_of_folded_lines_is_drawn(view, dark):
    def shows(color):
        image = view.viewport().grab().toImage()
        return any(
            image.pixelColor(x, y) == color
            for x in range(200, image.width())
            for y in range(image.height())
        )

    assert not shows(dark.ui.border)
    view.visibility.toggle(1)
    assert shows(dark.ui.border)


def test_fold_and_unfold_act_on_the_block_of_the_caret(view):
    view.go_to(6)
    view.fold()
    assert (view.line, view.visibility.rows.hidden_count) == (2, 11)
    view.fold()
    assert view.visibility.rows.hidden_count == 11
    view.unfold()
    assert view.visibility.rows.hidden_count == 0
    view.fold_all()
    assert len(view.visibility.rows) == 80
    view.unfold_all()
    assert view.visibility.rows.hidden_count == 0


def test_the_caret_stays_where_it_is_in_sight_when_lines_go(view):
    view.go_to(20 * HEIGHT + 8)
    row = caret_row(view)
    view.visibility.set_filters(ALL)
    assert (view.line, caret_row(view)) == (20 * HEIGHT + 8, row)
    view.visibility.show_all()
    assert (view.line, caret_row(view)) == (20 * HEIGHT + 8, row)


def test_out_of_sight_of_the_caret_the_top_line_stays(view):
    view.verticalScrollBar().setValue(20 * HEIGHT + 1)
    view.visibility.set_filters(ALL)
    assert in_sight(view)[0] == 20 * HEIGHT + 1
    assert view.line == 2  # the comment that it was on is hidden


def test_a_rebuild_keeps_place_folds_and_filters(view):
    view.visibility.set_filters(frozenset({LineClass.DEBUG}))
    view.visibility.toggle(5 * HEIGHT + 1)
    view.go_to(20 * HEIGHT + 8)
    row = caret_row(view)
    newer = [".version 9.0", ".target sm_90", *LINES[: 3 * HEIGHT], *LINES[4 * HEIGHT :]]
    moved = 2 - HEIGHT
    view.set_lines(newer, None, CodeKind.PTX, keep_position=True)
    assert (view.line, caret_row(view)) == (20 * HEIGHT + 8 + moved, row)
    assert view.visibility.folds.is_folded(5 * HEIGHT + 1 + moved)
    assert view.visibility.rows.hidden_count == 38 + 11
    # Another text begins without folds; filters are the user's, not the text's.
    view.set_lines(LINES, None, CodeKind.PTX)
    assert (view.line, view.visibility.rows.hidden_count) == (1, 40)


def test_a_rebuild_keeps_the_place_of_lines_in_other_words(view):
    view.go_to(30 * HEIGHT + 8)
    view.respell([line.replace("k30", "space::k<30>()") for line in LINES], {})
    view.set_lines(LINES[20 * HEIGHT :], None, CodeKind.PTX, keep_position=True)
    assert view.line == 10 * HEIGHT + 8


def test_a_text_without_a_kind_has_nothing_to_hide(view):
    view.set_lines(LINES, None)
    view.visibility.set_filters(ALL)
    view.fold_all()
    assert view.visibility.rows.hidden_count == 0
    view.clear("Nothing")
    view.fold_all()
    assert view.line_count == 0


def test_a_long_text_is_read_behind_the_window(view, qtbot):
    lines = kernels(16_000)
    view.visibility.set_filters(ALL)
    start = thread_time()
    view.set_lines(lines, None, CodeKind.PTX)
    assert thread_time() - start < 1
    assert view.visibility.rows.hidden_count == 0
    view.go_to(100 * HEIGHT + 8)
    row = caret_row(view)
    qtbot.waitSignal(view.visibility.hidden_count_changed, timeout=30_000).wait()
    assert view.visibility.rows.hidden_count == 4 * 16_000
    assert (view.line, caret_row(view)) == (100 * HEIGHT + 8, row)
    view.visibility.toggle(100 * HEIGHT + 1)
    view.set_lines(("// new", *lines), None, CodeKind.PTX, keep_position=True)
    assert view.line == 100 * HEIGHT + 3  # the head of the fold
    qtbot.waitSignal(view.visibility.hidden_count_changed, timeout=30_000).wait()
    assert view.visibility.folds.is_folded(100 * HEIGHT + 2)


def test_a_newer_text_takes_the_place_of_one_that_is_still_read(view):
    view.set_lines(kernels(5000), None, CodeKind.PTX)
    view.set_lines(LINES, None, CodeKind.PTX)
    assert QThreadPool.globalInstance().waitForDone(60_000)
    pause(0)
    view.fold_all()
    assert len(view.visibility.rows) == 80
