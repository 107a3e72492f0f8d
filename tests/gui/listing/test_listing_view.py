from math import ceil
from time import thread_time

import pytest
from pygments.token import Comment, Keyword, Name, Text
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.fonts import DEFAULT_SIZE
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.listing.lexers.sass import SassLexer

PTX = [
    ".visible .entry scale(",
    "\t.param .u64 scale_param_0",
    ")",
    "{",
    "\tld.param.u64 \t%rd1, [scale_param_0];",
    "\tret; // done",
    "}",
]
MANY = [f"mov.u32 %r{number}, {number};" for number in range(1000)]
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


class Lexer:
    """Directives, words and comments; remembers which lines it has seen."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def lex_line(self, line, state=0):
        self.seen.append(line)
        code, slashes, comment = line.partition("//")
        tokens, column = [], 0
        for word in code.split(" "):
            tokens.append((column, len(word), Keyword if "." in word else Name))
            column += len(word) + 1
        if slashes:
            tokens.append((len(code), len(comment) + 2, Comment))
        return tokens, state


@pytest.fixture
def view(qtbot):
    made = ListingView()
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def many(view):
    view.set_lines(MANY, Lexer())
    return view


def press(view, key, modifiers=NONE, times=1):
    for _ in range(times):
        QTest.keyClick(view, key, modifiers)


def point(view, line, column):
    """The middle of the left half of a character."""
    metrics = view.fontMetrics()
    cell = view._text.cell(line, column)
    x = view.margin_width + round((cell + 0.25) * metrics.horizontalAdvance("0"))
    top = view.verticalScrollBar().value()
    return QPoint(x - view.horizontalScrollBar().value(), round((line - top + 0.5) * height(view)))


def height(view):
    return view._scrolling.grid().height


def colors(view):
    """All colours in sight, as names."""
    image = view.viewport().grab().toImage()
    return {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }


def first_visible(view):
    return view.verticalScrollBar().value()


# Content.


def test_lines_are_shown_and_told(view, qtbot):
    with qtbot.waitSignal(view.search_text_changed):
        view.set_lines(PTX, Lexer())
    assert view.toPlainText() == "\n".join(PTX)
    assert view.line_count == view.search_line_count() == len(PTX)
    assert view.line == 1


def test_a_hint_stands_where_there_is_nothing(view, dark):
    view.set_lines(PTX, Lexer())
    view.clear("No code.\nPress Ctrl+B.")
    assert (view.toPlainText(), view.line_count) == ("", 0)
    assert view.accessibleDescription() == ""
    assert view.verticalScrollBar().maximum() == view.horizontalScrollBar().maximum() == 0
    assert dark.code.hint.name() in colors(view)
    assert dark.code.current_line.name() not in colors(view)


def test_keys_and_mouse_do_nothing_while_a_hint_is_shown(view, qtbot):
    view.clear("Nothing")
    with qtbot.assertNotEmitted(view.line_changed):
        for key in (Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_PageDown):
            press(view, key)
        QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(100, 100))
        QTest.mouseDClick(view.viewport(), LEFT, NONE, QPoint(100, 100))
    assert not view.caret.has_selection


def test_tokens_are_drawn_in_the_colours_of_the_theme(view, theme):
    view.set_lines([".visible // x"], Lexer())
    seen = colors(view)
    for token in (Keyword, Comment):
        assert theme.token_style(token).color.name() in seen
    assert theme.code.current_line.name() in seen


def test_what_a_lexer_leaves_out_is_drawn_all_the_same(view, dark):
    class Mute:
        def lex_line(self, line, state=0):
            return [], state

    view.set_lines(["ret ret ret"], Mute())
    assert dark.token_style(Text).color.name() in colors(view)


def test_only_lines_in_sight_are_lexed(view):
    lexer = Lexer()
    view.set_lines([f"line {number}" for number in range(300_000)], lexer)
    view.viewport().grab()
    page = view.verticalScrollBar().pageStep() + 2
    assert 0 < len(lexer.seen) <= page
    view.go_to(200_000)
    view.viewport().grab()
    # The lines above are lexed as well, to know whether a comment is open.
    assert len(lexer.seen) <= 2 * page + 101
    assert "line 199999" in lexer.seen


def test_hundreds_of_thousands_of_lines_are_shown_and_left_at_once(view):
    lines = MANY * 300
    start = thread_time()
    view.set_lines(lines, Lexer())
    view.go_to(len(lines))
    view.viewport().grab()
    # A view that laid out every line would take ten times as long.
    assert thread_time() - start < 2
    assert view.line == 300_000
    assert first_visible(view) == view.verticalScrollBar().maximum()


def test_a_line_of_megabytes_can_be_walked(view):
    view.set_lines(["ld.param.u64 %rd1; " * 550_000, "end"], Lexer())
    start = thread_time()
    press(view, Qt.Key.Key_End)
    view.viewport().grab()
    assert thread_time() - start < 2
    assert view.caret.place == (0, 19 * 550_000)
    bar = view.horizontalScrollBar()
    assert bar.value() == bar.maximum() > 10_000_000
    press(view, Qt.Key.Key_Home)
    assert bar.value() == 0


@pytest.mark.parametrize(
    "line", ["\tld\t%r1", "\u4e2d\u6587 e\u0301 \N{ROCKET}!", "\t" * 6000, "ä" * 6000]
)
def test_tabs_and_wide_characters_are_drawn(view, dark, line):
    view.set_lines([line, "x"], None)
    view.select_all()
    assert dark.code.selection.name() in colors(view)


# The caret.


@pytest.mark.parametrize(
    ("key", "modifiers", "place"),
    [
        (Qt.Key.Key_Down, NONE, (6, 4)),
        (Qt.Key.Key_Up, NONE, (4, 4)),
        (Qt.Key.Key_Right, NONE, (5, 5)),
        (Qt.Key.Key_Left, NONE, (5, 3)),
        (Qt.Key.Key_Right, CTRL, (5, 8)),
        (Qt.Key.Key_Left, CTRL, (5, 3)),
        (Qt.Key.Key_Home, NONE, (5, 0)),
        (Qt.Key.Key_End, NONE, (5, 15)),
        (Qt.Key.Key_Home, CTRL, (0, 0)),
        (Qt.Key.Key_End, CTRL, (999, 19)),
    ],
)
def test_keys_move_the_caret_and_select_with_shift(many, key, modifiers, place):
    many.caret.set_place((5, 4))
    press(many, key, modifiers)
    assert many.caret.place == many.caret.anchor == place
    many.caret.set_place((5, 4))
    press(many, key, modifiers | SHIFT)
    assert (many.caret.anchor, many.caret.place) == ((5, 4), place)


def test_pages_are_turned(many):
    page = many.verticalScrollBar().pageStep()
    press(many, Qt.Key.Key_PageDown, times=2)
    assert many.line == 1 + 2 * page
    press(many, Qt.Key.Key_PageUp, SHIFT)
    assert many.caret.selection == ((page, 0), (2 * page, 0))


def test_the_view_follows_the_caret(many):
    press(many, Qt.Key.Key_End, CTRL)
    assert first_visible(many) == many.verticalScrollBar().maximum()
    press(many, Qt.Key.Key_Up, times=many.verticalScrollBar().pageStep() + 5)
    assert first_visible(many) == many.line - 1
    press(many, Qt.Key.Key_Home, CTRL)
    assert first_visible(many) == 0


def test_a_line_is_told_when_the_caret_comes_to_it(many, qtbot):
    with qtbot.waitSignal(many.line_changed) as changed:
        press(many, Qt.Key.Key_Down)
    assert changed.args == [2]
    with qtbot.assertNotEmitted(many.line_changed):
        press(many, Qt.Key.Key_Right)


def test_going_to_a_line_puts_it_into_the_middle(many, qtbot):
    with qtbot.waitSignal(many.line_changed):
        many.go_to(500)
    assert (many.line, many.caret.place) == (500, (499, 0))
    middle = first_visible(many) + many.verticalScrollBar().pageStep() // 2
    assert abs(middle - 499) <= 1
    many.go_to(99_999)
    assert many.line == 1000


def test_a_screen_reader_is_told_the_line(many):
    many.setAccessibleName("PTX")
    many.go_to(3)
    assert many.accessibleDescription() == "Line 3: mov.u32 %r2, 2;"
    assert many.accessibleName() == "PTX"


def test_the_caret_is_visible_with_the_keyboard_only(many, qtbot, dark):
    other = QLabel("other", focusPolicy=Qt.FocusPolicy.StrongFocus)
    qtbot.addWidget(other)
    many.set_lines([""] * 3, None)
    many.activateWindow()
    many.setFocus()
    qtbot.waitUntil(many.hasFocus)
    at = QPoint(many.margin_width, height(many) // 2)
    assert many.viewport().grab().toImage().pixelColor(at) == dark.code.text
    many.clearFocus()
    assert many.viewport().grab().toImage().pixelColor(at) == dark.code.current_line


def test_the_view_stays_where_it_is_for_a_newer_text(many):
    many.go_to(500)
    top = first_visible(many)
    many.set_lines([line.upper() for line in MANY], None, keep_position=True)
    assert (many.line, first_visible(many)) == (500, top)
    many.set_lines(MANY[:100], None, keep_position=True)
    assert (many.line, first_visible(many)) == (100, many.verticalScrollBar().maximum())
    many.set_lines(MANY, None)
    assert (many.line, first_visible(many)) == (1, 0)


# Selection.


def test_select_all_and_copy(view):
    view.set_lines(PTX, Lexer())
    press(view, Qt.Key.Key_A, CTRL)
    press(view, Qt.Key.Key_C, CTRL)
    assert QApplication.clipboard().text() == "\n".join(PTX)
    assert first_visible(view) == 0


def test_copying_nothing_leaves_the_clipboard_alone(view):
    QApplication.clipboard().setText("mine")
    view.set_lines(PTX, Lexer())
    press(view, Qt.Key.Key_C, CTRL)
    assert QApplication.clipboard().text() == "mine"


def test_a_click_places_the_caret_and_shift_extends(many):
    QTest.mouseClick(many.viewport(), LEFT, NONE, point(many, 3, 5))
    assert many.caret.place == many.caret.anchor == (3, 5)
    QTest.mouseClick(many.viewport(), LEFT, SHIFT, point(many, 5, 2))
    assert many.caret.selection == ((3, 5), (5, 2))


def test_clicks_behind_the_text_go_to_its_end(view):
    view.set_lines(PTX, Lexer())
    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(480, 290))
    assert view.caret.place == (6, 1)


def test_a_drag_selects(many):
    QTest.mousePress(many.viewport(), LEFT, NONE, point(many, 1, 4))
    QTest.mouseMove(many.viewport(), point(many, 2, 7))
    QTest.mouseRelease(many.viewport(), LEFT, NONE, point(many, 2, 7))
    assert many.caret.selected_text() == "u32 %r1, 1;\nmov.u32"


def test_a_double_click_selects_a_word_and_a_third_the_line(view):
    view.set_lines(PTX, Lexer())
    at = point(view, 4, 15)
    QTest.mouseClick(view.viewport(), LEFT, NONE, at)
    QTest.mouseDClick(view.viewport(), LEFT, NONE, at)
    assert view.caret.selected_text() == "%rd1"
    QTest.mousePress(view.viewport(), LEFT, NONE, at)
    assert view.caret.selected_text() == PTX[4] + "\n"


def test_the_right_half_of_the_last_letter_is_in_the_word(view):
    view.set_lines(["mov add"], None)
    at = point(view, 0, 2) + QPoint(view.fontMetrics().horizontalAdvance("0") // 2, 0)
    QTest.mouseDClick(view.viewport(), LEFT, NONE, at)
    assert view.caret.selected_text() == "mov"


def test_the_line_numbers_select_lines(many):
    QTest.mousePress(many.viewport(), LEFT, NONE, QPoint(5, point(many, 2, 0).y()))
    assert many.caret.selected_text() == MANY[2] + "\n"
    QTest.mouseMove(many.viewport(), QPoint(5, point(many, 4, 0).y()))
    QTest.mouseRelease(many.viewport(), LEFT, NONE, QPoint(5, point(many, 4, 0).y()))
    assert many.caret.selected_text() == "\n".join(MANY[2:5]) + "\n"


def test_a_drag_beyond_the_edge_scrolls_until_it_ends(many, qtbot):
    QTest.mousePress(many.viewport(), LEFT, NONE, point(many, 1, 0))
    below = QPoint(200, many.viewport().height() + 40)
    QTest.mouseMove(many.viewport(), below)
    qtbot.waitUntil(lambda: first_visible(many) > 20)
    assert many.caret.anchor == (1, 0)
    assert many.caret.line > 20
    QTest.mouseRelease(many.viewport(), LEFT, NONE, below)
    top = first_visible(many)
    qtbot.wait(100)
    assert first_visible(many) == top


def test_the_selection_is_drawn(many, theme):
    assert theme.code.selection.name() not in colors(many)
    many.caret.select((1, 0), (3, 4))
    many.caret_moved()
    assert {theme.code.selection.name(), theme.code.selection_text.name()} <= colors(many)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_menu_offers_what_can_be_done(many, qtbot):
    at = many.mapToGlobal(QPoint(100, 50))
    reason = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(many.viewport(), QContextMenuEvent(reason, QPoint(100, 50), at))
    menu = many.findChild(QMenu)
    copy, select_all = menu.actions()
    assert not copy.isEnabled()
    select_all.trigger()
    assert many.caret.selection == ((0, 0), (999, 19))
    with qtbot.waitSignal(menu.destroyed):
        menu.close()


# Size.


def test_keys_and_wheel_change_the_size(many, qtbot):
    with qtbot.waitSignal(many.font_size_changed) as changed:
        press(many, Qt.Key.Key_Plus, CTRL)
    assert changed.args == [DEFAULT_SIZE + 1]
    wheel = QWheelEvent(
        QPointF(50, 50),
        QPointF(50, 50),
        QPoint(),
        QPoint(0, -240),
        Qt.MouseButton.NoButton,
        CTRL,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(many.viewport(), wheel)
    assert many.font_size == DEFAULT_SIZE - 1
    press(many, Qt.Key.Key_0, CTRL)
    assert many.font_size == DEFAULT_SIZE
    assert first_visible(many) == 0


def test_larger_text_leaves_fewer_lines_in_sight(many):
    page = many.verticalScrollBar().pageStep()
    many.set_font_size(2 * DEFAULT_SIZE)
    assert 0 < many.verticalScrollBar().pageStep() <= page // 2 + 1
    many.zoom_out()
    many.zoom_out()
    many.zoom_in()
    assert many.font_size == 2 * DEFAULT_SIZE - 1
    many.zoom_reset()
    assert many.verticalScrollBar().pageStep() == page


# Search.


def test_lines_and_the_selection_are_given_to_a_search(many):
    assert many.search_lines(998, 10) == MANY[998:]
    many.caret.select((2, 12), (2, 8))
    assert many.search_start() == (2, 8)
    assert many.search_selection() == "%r2,"
    many.caret.select((2, 0), (3, 0))
    assert many.search_selection() == ""


def test_a_match_is_selected_and_shown(many):
    many.show_match(700, (8, 13))
    assert many.caret.selected_text() == "%r700"
    assert first_visible(many) < 700 < first_visible(many) + many.verticalScrollBar().pageStep()


def test_a_match_in_sight_does_not_scroll(many):
    many.show_match(3, (0, 3))
    assert first_visible(many) == 0


def test_a_match_far_to_the_right_is_shown(view):
    view.set_lines(["x" * 3000 + "needle"], None)
    view.show_match(0, (3000, 3006))
    shift = view.horizontalScrollBar().value()
    assert shift > 0
    assert point(view, 0, 3005).x() < view.viewport().width()


def test_matches_are_highlighted(many, dark):
    assert dark.code.match.name() not in colors(many)
    many.set_matches({1: [(0, 3)]})
    assert dark.code.match.name() in colors(many)
    many.set_lines(MANY, None)
    assert dark.code.match.name() not in colors(many)


def test_addresses_are_a_column_that_is_found_selected_and_copied(view, qtbot):
    lines = ["f:", "/*0010*/ @P0 MOV R0, R1 ;", "/*0020*/     EXIT ;"]
    view.set_lines(lines, SassLexer(), CodeKind.SASS)
    grid = view.grid
    assert grid.lead == ceil(5 * grid.cell)
    assert grid.margin + grid.lead == grid.text_left
    # The code begins where a label does; digits alone are drawn in front of it.
    assert [view.text.cell(1, column) for column in (0, 2, 6, 8, 9, 10)] == [-5, -5, -1, -1, 0, 1]
    assert view.place_at(QPoint(round(grid.x(-5)) + 1, 3 + grid.height)) == (1, 2)
    assert view.place_at(QPoint(round(grid.x(4)) + 1, 3 + grid.height)) == (1, 13)
    view.caret.set_place((1, 25))
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert view.caret.place == (1, 9)
    view.select_all()
    assert view.caret.selected_text() == "\n".join(lines)
    assert view.search_lines(1, 1) == [lines[1]]
    view.show_match(2, (2, 6))
    assert view.caret.selected_text() == "0020"
    view.set_addresses(False)
    assert view.grid.lead == 0
    assert view.grid.x(view.text.cell(2, 9)) == view.grid.x(view.text.cell(0, 0))
