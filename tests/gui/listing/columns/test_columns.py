import re
from time import thread_time

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from jitstudio.analysis.occupancy.calculate import RegisterCost
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.simulation import LineCounts
from jitstudio.gui.kit.fonts import LETTERS
from jitstudio.gui.kit.theme import set_current_theme
from jitstudio.gui.listing.columns.columns import Columns
from jitstudio.gui.listing.columns.count_columns import COUNT_COLUMNS, PtxCells
from jitstudio.gui.listing.columns.sass_cells import PAD, ColumnGeometry, SassCells
from jitstudio.gui.listing.columns.sass_columns import COLUMNS, ColumnChoice
from jitstudio.gui.listing.columns.strip import PeakMark
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lexers.sass import SassLexer
from tests.gui.sass_code import line_of, rows, sass

NONE, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
KEYS = [column.key for column in COLUMNS]
EVERYTHING = ColumnChoice.read([f"{column.key}:{column.cells}" for column in COLUMNS])


@pytest.fixture
def view(qtbot):
    made = ListingView()
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def columns(view):
    made = Columns(view)
    view.set_lines(sass()[0], SassLexer())
    made.show_choice(ColumnChoice.read(["ptx:7", "gpr:13", "wait:8"]))
    made.show_cells(SassCells(rows(), RegisterCost(spills={"histogram": 6})))
    made.chosen.connect(made.show_choice)
    return made


def shown(columns):
    return [one.key for one in columns.choice.shown]


def section(columns, key):
    """Left edge and width of a name."""
    number = KEYS.index(key)
    header = columns.header
    return header.sectionViewportPosition(number), header.sectionSize(number)


def pixels(widget):
    image = widget.grab().toImage()
    return {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }


def color_at(columns, line, share):
    """The colour of the gutter where a bar of this length would just reach."""
    start, width = ColumnGeometry(columns.choice, columns._view.grid.cell).bar()
    grid = columns._view.grid
    y = grid.y(columns._view.visibility.rows.row(line)) + grid.height // 2
    return columns.gutter.grab().toImage().pixelColor(round(start + width * share) - 2, y)


# Room and place.


def test_columns_take_room_beside_the_text_and_above_it(view, columns):
    width = ColumnGeometry(columns.choice, view.grid.cell).width
    inside = view.viewport().geometry()
    assert width == round(PAD + 28 * view.grid.cell)
    assert columns.gutter.geometry().topLeft() == QPoint(inside.right() + 1, inside.top())
    assert columns.gutter.size().toTuple() == (width, inside.height())
    assert columns.header.geometry().bottom() + 1 == inside.top()
    assert columns.header.width() == width
    assert view.viewport().width() + width + view.verticalScrollBar().width() >= 890


def test_columns_stand_left_if_they_shall(view, columns):
    right = view.viewport().width()
    columns.set_left(True)
    assert columns.gutter.geometry().right() + 1 == view.viewport().geometry().left()
    assert view.viewport().width() == right


def test_without_columns_the_text_has_all_the_room(view, columns):
    columns.show_choice(ColumnChoice(()))
    assert view.viewport().geometry().topLeft() == QPoint(0, 0)
    assert not columns.gutter.isVisible()
    assert not columns.header.isVisible()


def test_a_hint_has_all_the_room(view, columns):
    view.clear("Nothing yet")
    assert not columns.gutter.isVisible()
    assert view.viewport().geometry().top() == 0
    view.set_lines(sass()[0], SassLexer())
    assert columns.gutter.isVisible()


def test_instructions_have_room_before_any_column(view, columns):
    lines = [*sass()[0], *2 * ["/*00c0*/ " + 40 * "x"]]
    view.set_lines(lines, SassLexer(), CodeKind.SASS)
    columns.show_choice(ColumnChoice.usual().show("source", True))
    seen = []
    for width in range(1000, 300, -10):
        view.resize(width, 400)
        grid, cells = view.grid, {one.key: one.cells for one in columns.fitting.shown}
        if (grid.lead, cells) not in seen:
            seen.append((grid.lead, cells))
        if grid.lead or cells:
            assert grid.text_width >= 40 * grid.cell, width
    # The last one chosen goes first, narrower at first; the address goes last of all.
    lead, shown = seen[0]
    assert (lead > 0, shown) == (True, {"source": 19, "gpr": 13, "stall": 6, "wait": 8})
    fits = [shown for _, shown in seen]
    assert {"source": 10, "gpr": 13, "stall": 6, "wait": 8} in fits
    order = [fits.index(next(s for s in fits if key not in s)) for key in ("source", "wait", "gpr")]
    assert order == sorted(set(order))
    assert {"gpr": 5} in fits
    assert (seen[-2][0] > 0, seen[-2][1]) == (True, {})
    assert seen[-1] == (0, {})
    assert columns.left_out[0] == "Source"
    # What the user has chosen stays chosen, and comes back with the room.
    assert len(columns.choice.shown) == 4
    view.resize(1000, 400)
    assert columns.left_out == ()


def test_one_very_long_instruction_takes_no_column_from_all_others(view, columns):
    view.resize(700, 400)
    columns.show_choice(ColumnChoice.usual())
    usual = [one.key for one in columns.fitting.shown]
    assert usual == ["gpr", "stall", "wait"]
    long = f"/*00c0*/ HGMMA.64x256x16.F32.BF16 R24, {40 * 'g'}, gsb0 ;"
    view.set_lines([*sass()[0], long], SassLexer(), CodeKind.SASS)
    assert [one.key for one in columns.fitting.shown] == usual
    # It is cut, with a sign; no other line is.
    grid, line = view.grid, view.line_count - 1
    right = grid.cells_in_sight[1]
    cut = view.text.cut(line, right)
    assert cut == 9 + int(right) - 1
    instructions = [at for at in range(line) if "/*00" in view.text.lines[at][:20]]
    assert instructions
    assert all(view.text.cut(at, right) is None for at in instructions)
    view.go_to(line + 1)
    at = QPoint(view.viewport().width() - 3, view.below(line) - 3)
    assert view.cut_at(at) == line
    hover = QHelpEvent(QEvent.Type.ToolTip, at, view.viewport().mapToGlobal(at))
    QApplication.sendEvent(view.viewport(), hover)
    assert "gsb0" in QToolTip.text()
    # Where all of it has room, nothing is cut.
    view.resize(1400, 400)
    assert view.text.cut(line, view.grid.cells_in_sight[1]) is None


def turn(widget, angle, modifiers=NONE):
    at = QPointF(20, 20)
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        angle,
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def test_a_larger_font_makes_wider_columns(view, columns):
    view.resize(1900, 400)
    before = columns.gutter.width()
    view.set_font_size(20)
    assert columns.gutter.width() > 1.5 * before
    assert columns.header.width() == columns.gutter.width()


# What is drawn.


def test_a_bar_is_as_long_as_its_share(columns, dark):
    ground = dark.code.background
    assert color_at(columns, line_of(7), 1.0) == dark.pressure[-1]
    assert color_at(columns, line_of(8), 4 / 6) == dark.pressure[0]
    assert color_at(columns, line_of(8), 5 / 6) == ground


def test_bands_go_on_below_the_columns(view, columns, dark):
    view.line_colours.show_hues(lambda line: 2 if line == line_of(8) else 0)
    assert color_at(columns, line_of(8), 5 / 6) == dark.bands[1]
    view.line_colours.show_matched([line_of(8)])
    assert color_at(columns, line_of(8), 5 / 6) == dark.matched[1]
    assert color_at(columns, line_of(8), 4 / 6) == dark.pressure[0]


def test_nothing_is_drawn_until_it_is_known(columns, dark):
    columns.show_cells(None)
    drawn = pixels(columns.gutter)
    assert drawn <= {
        dark.code.background.name(),
        dark.code.current_line.name(),
        dark.ui.border.name(),
    }
    assert columns.peak_marks.marks == ()


def test_the_line_of_the_caret_goes_on_beside_the_text(view, columns, dark):
    view.go_to(line_of(8) + 1)
    assert color_at(columns, line_of(8), 1.0) == dark.code.current_line
    assert color_at(columns, line_of(9), 1.0) == dark.code.background


def test_columns_wear_the_theme_of_the_text(view, columns, light):
    set_current_theme(light)
    assert color_at(columns, line_of(7), 1.0) == light.pressure[-1]


def test_rows_stay_beside_their_lines(view, columns, dark):
    view.resize(900, 160)
    view.verticalScrollBar().setValue(7)
    assert color_at(columns, line_of(7), 1.0) == dark.pressure[-1]


def test_peaks_are_marked_in_the_scroll_bar(view, columns, dark):
    view.resize(900, 160)
    assert dark.pressure[-1].name() not in pixels(columns.peak_marks)
    columns.peak_marks.show_marks(
        [PeakMark(line_of(7), 1.0, 1.0), PeakMark(line_of(10), 5 / 6, 0.8)]
    )
    assert columns.peak_marks.isVisible()
    assert columns.peak_marks.size() == view.verticalScrollBar().size()
    drawn = pixels(columns.peak_marks)
    assert {dark.pressure[-1].name(), dark.step(0.8).name()} <= drawn


# Mouse and keyboard.


def test_a_click_puts_the_caret_into_the_line(view, columns):
    y = view.grid.y(view.visibility.rows.row(line_of(5))) + 3
    QTest.mouseClick(columns.gutter, Qt.MouseButton.LeftButton, NONE, QPoint(30, y))
    assert view.caret.place == (line_of(5), 0)


def test_the_wheel_scrolls_the_listing(view, columns):
    view.resize(900, 160)
    turn(columns.gutter, QPoint(0, -120))
    assert view.verticalScrollBar().value() > 0


def test_a_cell_tells_what_it_says_and_means(view, columns):
    y = view.grid.y(view.visibility.rows.row(line_of(8))) + 3
    left, width = section(columns, "wait")
    at = QPoint(left + width // 2, y)
    event = QHelpEvent(QEvent.Type.ToolTip, at, columns.gutter.mapToGlobal(at))
    QApplication.sendEvent(columns.gutter, event)
    assert "Wait: 01····" in QToolTip.text()
    assert "waits for" in QToolTip.text()
    QToolTip.hideText()


def test_names_are_explained(columns):
    model = columns.header.model()
    for number, column in enumerate(COLUMNS):
        told = model.headerData(number, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        assert column.title in told


def test_a_column_is_moved_by_its_name(columns):
    columns.header.moveSection(columns.header.visualIndex(KEYS.index("wait")), 0)
    assert shown(columns) == ["wait", "ptx", "gpr"]


def test_a_column_is_made_wider_by_its_edge(view, columns):
    columns.header.resizeSection(KEYS.index("gpr"), round(30.4 * view.grid.cell))
    assert columns.choice.of("gpr").cells == 30
    assert section(columns, "gpr")[1] == pytest.approx(30 * view.grid.cell, abs=1)
    assert columns.gutter.width() == ColumnGeometry(columns.choice, view.grid.cell).width


def test_the_keyboard_chooses_moves_widens_and_hides(columns):
    header = columns.header
    header.setFocus()
    assert header.current == "ptx"
    QTest.keyClick(header, Qt.Key.Key_Right)
    assert (header.current, header.accessibleDescription()) == ("gpr", "Live")
    QTest.keyClick(header, Qt.Key.Key_Right, ALT)
    assert shown(columns) == ["ptx", "wait", "gpr"]
    QTest.keyClick(header, Qt.Key.Key_Left, SHIFT)
    assert columns.choice.of("gpr").cells == 12
    QTest.keyClick(header, Qt.Key.Key_Delete)
    assert shown(columns) == ["ptx", "wait"]
    assert header.current == "ptx"
    QTest.keyClick(header, Qt.Key.Key_Left)
    assert header.current == "wait"


def test_the_menu_shows_and_hides(columns, qtbot):
    menu = columns.menu()
    actions = {action.data(): action for action in menu.actions() if action.data()}
    assert [key for key, action in actions.items() if action.isChecked()] == shown(columns)
    actions["stall"].trigger()
    actions["wait"].trigger()
    assert shown(columns) == ["ptx", "gpr", "stall"]
    with qtbot.waitSignal(columns.dialog_requested):
        menu.actions()[-1].trigger()


@pytest.mark.parametrize("part", ["header", "gutter"])
def test_the_menu_opens_where_columns_are(columns, part):
    getattr(columns, part).customContextMenuRequested.emit(QPoint(5, 5))
    menu = QApplication.activePopupWidget()
    assert [action.data() for action in menu.actions() if action.data()] == [
        one.key for one in columns.choice.columns
    ]
    menu.close()


# What the text keeps.


@pytest.mark.parametrize("is_left", [False, True])
def test_text_is_selected_and_found_beside_columns(view, columns, is_left):
    columns.set_left(is_left)
    grid, line = view.grid, line_of(8)
    y = grid.y(line) + 3
    start, end = (QPoint(round(grid.x(cell)) + 1, y) for cell in (18, 21))
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, NONE, start)
    QTest.mouseMove(view.viewport(), end)
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, NONE, end)
    assert view.caret.selected_text() == "LEA"
    view.show_match(line_of(10), (18, 21))
    assert view.caret.selected_text() == "STS"


def test_the_columns_of_a_line_are_told_to_who_cannot_see_them(view, columns):
    view.go_to(line_of(8) + 1)
    assert view.accessibleDescription().splitlines() == [
        f"Line {line_of(8) + 1}: /*0080*/  LEA R0, R5, R0, 0x18 ;",
        "PTX 43, Live 4, Wait 01····",
    ]
    columns.show_choice(ColumnChoice(()))
    view.go_to(line_of(9) + 1)
    assert len(view.accessibleDescription().splitlines()) == 1


def test_what_is_copied_with_the_lines(columns):
    beside = columns.copied()
    assert beside.heading == "   PTX  Live         Wait   "
    assert beside.of(line_of(8)) == "    43   4           01···· "
    assert beside.of(0) == " " * len(beside.heading)
    columns.show_cells(None)
    assert columns.copied() is None


# As NVRTC prints it.
PTX = """\
.visible .entry add(
\t.param .u64 .ptr .align 1 add_param_0,
\t.param .u32 add_param_1
)
{
\t.reg .pred \t%p<2>;
\tld.param.u64 \t%rd1, [add_param_0];
\tld.param.u32 \t%r2, [add_param_1];
\tmov.u32 \t%r3, %ctaid.x;
\tmov.u32 \t%r4, %ntid.x;
\tmad.lo.s32 \t%r1, %r3, %r4, %r5;
\tsetp.ge.s32 \t%p1, %r1, %r2;
\t@%p1 bra \t$L__BB0_2;
\tcvta.to.global.u64 \t%rd4, %rd1;
\tmul.wide.s32 \t%rd5, %r1, 4;
\tadd.s64 \t%rd6, %rd4, %rd5;
\tld.global.nc.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd6];
\tadd.f32 \t%f3, %f1, %f2;
\tst.global.f32 \t[%rd10], %f3;
$L__BB0_2:
\tret;
}
"""


def test_no_width_at_which_columns_or_indents_drop_cuts_operands_of_ptx(qtbot, dark):
    lines = PTX.split("\n")
    code = [n for n, line in enumerate(lines) if re.match(r"\t(?:@\S+ )?[a-z]", line)]
    assert len(code) > 8
    view = ListingView()
    qtbot.addWidget(view)
    columns = Columns(view, CodeKind.PTX)
    columns.show_choice(ColumnChoice.usual(COUNT_COLUMNS))
    counts = [LineCounts("", 0, line + 1, executions=1) for line in code]
    view.show()
    view.set_lines(lines, PtxLexer(), CodeKind.PTX)
    columns.show_cells(PtxCells(counts))
    seen = set()
    longest = max(len(lines[n].expandtabs(2).rstrip(" ;")) for n in code)
    for width in range(1100, 250, -10):
        view.resize(width, 400)
        right = view.grid.cells_in_sight[1]
        cut = [n for n in code if view.text.cut(n, right) is not None]
        shown = len(columns.fitting.shown) if columns.gutter.isVisible() else 0
        seen.add((shown, view.text.tab))
        if shown or right >= longest:
            assert not cut, (width, [lines[n] for n in cut])
    # Columns go first, then the room of tabs.
    assert {tab for shown, tab in seen if shown} == {8}
    assert {tab for shown, tab in seen if not shown} == {8, 2}


@pytest.mark.bench
def test_a_page_of_a_long_listing_costs_little_more(view, columns):
    """All columns beside 300,000 lines: as smooth as the text alone."""
    view.resize(1400, 900)
    lines = sass()[0] * (300_000 // len(sass()[0]) + 1)
    view.set_lines(lines, SassLexer())
    columns.show_cells(SassCells(Repeated(), RegisterCost()))
    columns.show_choice(ColumnChoice(()))
    alone = page_time(view, columns)
    columns.show_choice(EVERYTHING)
    assert columns.gutter.isVisible()
    assert page_time(view, columns) < 2 * alone + 0.004


class Repeated:
    """The same two kernels over and over."""

    def __init__(self):
        self._rows, self._count = rows(), len(sass()[0])

    def spot(self, line):
        return self._rows.spot(line % self._count)


def page_time(view, columns):
    """Seconds of this thread for a page, the median of many."""
    times = []
    for page in range(30):
        view.verticalScrollBar().setValue(1000 + page * 50)
        QApplication.processEvents()
        start = thread_time()
        view.viewport().repaint()
        columns.gutter.repaint()
        times.append(thread_time() - start)
    return sorted(times)[15]


def test_the_letters_of_the_names_follow_each_zoom(columns):
    header = columns.header
    painted = []
    for zoom in (1.0, 1.25, 1.75, 1.25, 1.0):
        LETTERS.set_zoom(zoom)
        painted.append(header.viewport().font().pointSizeF() / QApplication.font().pointSizeF())
    assert painted == [1.0] * 5
