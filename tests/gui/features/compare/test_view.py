import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from jitstudio.analysis.diff.program import FigureDelta
from jitstudio.core.arch import Arch
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.features.compare.model import (
    BuildComparison,
    ComparedBuild,
    CompareMode,
    compare,
)
from jitstudio.gui.features.compare.view import CompareView
from tests.gui.keyboards import tab_stops
from tests.gui.sass_code import sass
from tests.support import cuda, request

LEFT = [f"int x{n} = {n};" for n in range(200)]
RIGHT = [*LEFT[:20], "int y = 1;", *LEFT[20:120], "int x120 = 7;", *LEFT[121:]]


def compared(left=LEFT, right=RIGHT, deltas=()):
    sides = (
        ComparedBuild(request(cuda("\n".join(text))), BuildResult(Outcome.BUILT, Arch(90)))
        for text in (left, right)
    )
    found = compare(CompareMode.SOURCE, *sides)
    return BuildComparison(found.matter, found.comparison, found.left, found.right, deltas)


@pytest.fixture
def view(qtbot):
    view = CompareView()
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    return view


@pytest.fixture
def filled(view):
    view.show_baselines(("before", "fast"), 1)
    view.show_compared(compared(), "fast", "Now: k.cu")
    return view


def test_carries_its_name(view):
    assert view.objectName() == "compareView"


def test_says_why_nothing_is_compared(view):
    view.show_hint("Pin a result.")
    assert view.hint == "Pin a result."
    assert not view.next.isEnabled()
    assert not view.remove.isEnabled()
    assert view.pin.isEnabled()
    view.activateWindow()
    view.setFocus()
    assert view.pin.hasFocus()


def test_counts_the_differences_and_goes_to_the_first(filled):
    assert filled.hint == ""
    assert filled.count == "2 differences"
    assert filled.texts.left.line == 21
    assert filled.texts.right.line == 21


def test_goes_from_one_difference_to_the_next_and_back(filled):
    filled.next.click()
    assert filled.texts.right.line == 122
    filled.next.click()
    assert filled.texts.right.line == 21
    filled.previous.click()
    assert (filled.texts.left.line, filled.texts.right.line) == (122, 122)


def test_both_texts_scroll_together(filled):
    left, right = filled.texts.left, filled.texts.right
    for one, other in ((left, right), (right, left)):
        for value in (40, 3):
            one.verticalScrollBar().setValue(value)
            assert other.verticalScrollBar().value() == value


def test_rows_without_a_line_are_empty_and_have_no_number(filled):
    assert filled.texts.left.text.lines[20] == ""
    assert filled.texts.right.text.lines[20] == "int y = 1;"
    assert len(filled.texts.left.text) == len(filled.texts.right.text)


def test_grounds_show_what_differs(filled, theme):
    filled.texts.go_to(20)
    image = filled.texts.right.viewport().grab().toImage()
    colors = {image.pixelColor(image.width() - 4, y).name() for y in range(0, image.height(), 4)}
    assert theme.diff.added.name() in colors
    assert theme.code.background.name() in colors
    other = filled.texts.left.viewport().grab().toImage()
    colors = {other.pixelColor(other.width() - 4, y).name() for y in range(0, other.height(), 4)}
    assert theme.diff.missing.name() in colors


def test_both_texts_have_one_size(filled):
    filled.texts.left.zoom_in()
    assert filled.texts.right.font_size == filled.texts.left.font_size
    filled.texts.right.zoom_out()
    filled.texts.right.zoom_out()
    assert filled.texts.right.font_size == filled.texts.left.font_size


def test_equal_texts_have_nowhere_to_go(view):
    view.show_compared(compared(LEFT, LEFT), "a", "b")
    assert view.count == "No difference"
    assert not view.next.isEnabled()
    assert "are the same" in view.deltas.hint
    view.go_to_next()
    assert view.texts.left.line == 1


def test_figures_are_in_a_table(view):
    view.show_compared(compared(deltas=(FigureDelta("k", "registers", 24, 10),)), "a", "b")
    model = view.deltas.model()
    assert [model.index(0, column).data() for column in range(5)] == [
        "k",
        "Registers",
        "24",
        "10",
        "-14",
    ]


def test_what_is_chosen_is_told(filled, qtbot):
    with qtbot.waitSignal(filled.matter_changed):
        filled.matters.setCurrentIndex(filled.matters.findData(CompareMode.NORMALISED))
    assert filled.matter is CompareMode.NORMALISED
    with qtbot.waitSignal(filled.baseline_chosen) as chosen:
        QTest.keyClick(filled.baselines, Qt.Key.Key_Up)
    assert chosen.args == [0]
    with qtbot.waitSignal(filled.removal_requested) as removed:
        filled.remove.click()
    assert removed.args == [0]
    with qtbot.waitSignal(filled.pin_requested):
        filled.pin.click()


def test_a_name_that_is_typed_is_told(filled, qtbot):
    line = filled.baselines.lineEdit()
    line.selectAll()
    QTest.keyClicks(line, "slow")
    with qtbot.waitSignal(filled.baseline_renamed) as renamed:
        QTest.keyClick(line, Qt.Key.Key_Return)
    assert renamed.args == [1, "slow"]


def test_everything_has_a_name_for_screen_readers(filled):
    for button in filled.findChildren(QToolButton):
        if button.objectName():
            assert button.accessibleName()
    assert filled.baselines.accessibleName()
    assert filled.matters.accessibleName()
    assert filled.deltas.accessibleName()
    assert filled.texts.left.accessibleName() != filled.texts.right.accessibleName()


def test_tab_leads_through_all_of_it(filled):
    assert tab_stops(filled.baselines, 9) == [
        "baselines",
        "pinBaseline",
        "removeBaseline",
        "compareMatter",
        "previousDifference",
        "nextDifference",
        "compareLeft",
        "compareRight",
        "compareDeltas",
    ]


@pytest.mark.parametrize(("width", "is_beside"), [(1200, True), (700, False), (450, False)])
def test_instructions_have_room_for_their_operands(view, width, is_beside):
    side = ComparedBuild(request(cuda("")), BuildResult(Outcome.BUILT, Arch(90)), code=sass()[1])
    view.resize(width, 600)
    view.show_compared(compare(CompareMode.SASS, side, side), "fast", "Now: k.cu")
    left, right = view.texts.left, view.texts.right
    assert (left.mapTo(view, QPoint()).x() < right.mapTo(view, QPoint()).x()) is is_beside
    for text in (left, right):
        lengths = (len(line.rstrip(" ;")) for line in text.text.lines if "/*" in line)
        code = max(lengths) - len("  /*0000*/ ")
        assert text.text.extent.code == code
        assert text.grid.text_width >= text.text.extent.usual * text.grid.cell
