from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from jitstudio.core.arch import Arch
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources
from jitstudio.gui.features.report.kernels import KernelsView
from jitstudio.gui.kit.theme import set_current_theme

SMALL = Kernel("a.cu", "small", "small", Resources(registers=10, spill_stores=0, max_threads=1024))
LARGE = Kernel("a.cu", "_Z5largef", "large(float)", Resources(registers=255, spill_stores=1456))
UNKNOWN = Kernel("b.ptx", "q", "q")
UNKNOWN_FIGURE = "\N{EN DASH}"
RESULT = BuildResult(Outcome.BUILT, Arch(90), kernels=(SMALL, LARGE, UNKNOWN))


@pytest.fixture
def view(qtbot, light):
    view = KernelsView()
    set_current_theme(light)
    qtbot.addWidget(view)
    view.resize(900, 200)
    view.show()
    return view


def row(view, number):
    model = view.table.model()
    return [model.index(number, column).data() for column in range(4)]


def test_says_what_will_appear_before_the_first_build(view):
    assert "Nothing has been" in view.table.hint
    view.show_result(BuildResult(Outcome.BUILT, Arch(90)))
    assert view.table.hint == "There is no kernel in this build."


def test_shows_readable_names_and_figures(view):
    view.show_result(RESULT)
    assert row(view, 0) == ["small", "10", "0", UNKNOWN_FIGURE]
    assert row(view, 1) == ["large(float)", "255", "1,456", UNKNOWN_FIGURE]
    assert row(view, 2) == ["q", UNKNOWN_FIGURE, UNKNOWN_FIGURE, UNKNOWN_FIGURE]
    tips = [view.table.model().index(2, n).data(Qt.ItemDataRole.ToolTipRole) for n in (1, 2)]
    assert "no machine code of this kernel was made" in tips[0]
    assert "machine code does not keep them" in tips[1]


def test_kernels_of_one_name_are_told_apart_by_their_modules(view):
    modules = ("add[BLOCK=256]", "add[BLOCK=512]", "add.cu")
    kernels = (*(Kernel(module, "add", "add") for module in modules), UNKNOWN)
    view.show_result(BuildResult(Outcome.BUILT, Arch(90), kernels=kernels))
    titles = [row(view, n)[0] for n in range(4)]
    assert titles == ["add[BLOCK=256]", "add[BLOCK=512]", "add.cu", "q"]


def test_figures_sort_as_numbers(view):
    view.show_result(RESULT)
    view.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert [row(view, n)[0] for n in range(3)] == ["large(float)", "small", "q"]


def test_enter_asks_for_the_code_of_the_kernel(view, qtbot):
    view.show_result(RESULT)
    view.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    view.table.selectRow(0)
    with qtbot.waitSignal(view.kernel_activated) as told:
        QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert told.args == [LARGE]


def test_the_table_can_be_copied_for_a_spreadsheet(view):
    view.show_result(RESULT)
    view.table.copy()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[0].split("\t")[:3] == ["Kernel", "Registers", "Spill stores"]
    assert lines[2].split("\t")[:4] == ["large(float)", "255", "1456", ""]


def test_the_kernel_can_be_read_however_narrow_the_table_is(view):
    view.show_result(RESULT)
    view.resize(420, 200)
    header = view.table.horizontalHeader()
    assert sum(header.isSectionHidden(n) for n in range(header.count())) > 2
    assert header.sectionSize(0) >= view.fontMetrics().horizontalAdvance("large(float)")


def test_it_is_as_high_as_its_rows_up_to_some(view):
    heights = []
    for count in (1, 2, 6, 200):
        view.show_result(replace(RESULT, kernels=(SMALL,) * count))
        heights.append(view.sizeHint().height())
    line = view.table.verticalHeader().defaultSectionSize()
    assert [b - a for a, b in pairwise(heights)] == [line, 4 * line, 0]
