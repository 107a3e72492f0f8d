from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from jitstudio.analysis.findings.model import nothing_found
from jitstudio.analysis.key_figures import Figure
from jitstudio.gui.features.report.view import ReportView
from jitstudio.gui.shell.navigation import CausePlace
from tests.gui.features.report.test_model import PEAK
from tests.gui.keyboards import tab_stops
from tests.gui.readings import FAST_KERNEL, SLOW_KERNEL, reading

KERNELS = (("slow", "slow(float)"), ("_Z4fastv", "fast()"))


@pytest.fixture
def view(qtbot):
    view = ReportView()
    qtbot.addWidget(view)
    view.resize(760, 640)
    view.show()
    return view


@pytest.fixture
def slow(view):
    view.show_kernels(KERNELS, "slow")
    view.show_reading(reading(SLOW_KERNEL))
    return view


def drawn(page):
    """How many plots of a page show something by now."""
    plots = page.plots.content.plots if page.plots.content is not None else ()
    return sum(bool(plot.getPlotItem().items) for plot in plots)


def test_says_why_it_is_empty(view):
    view.show_hint("Nothing yet.")
    assert view.hint == "Nothing yet."
    assert view.findChild(QLabel, "reportHint").isVisible()


def test_a_reading_takes_the_place_of_the_hint(slow):
    assert slow.hint == ""
    assert slow.kernels.currentText() == "slow(float)"
    assert slow.tabs.tabText(0) == "Overview (2)"


def test_a_kernel_is_chosen(slow, qtbot):
    with qtbot.waitSignal(slow.kernel_chosen) as chosen:
        QTest.keyClick(slow.kernels, Qt.Key.Key_Down)
    assert chosen.args == ["_Z4fastv"]


def test_the_first_finding_is_explained_until_another_is_chosen(slow):
    page = slow.overview.findings
    assert page.words.startswith("Neighbouring threads are 256 bytes apart")
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Down)
    QTest.keyClick(page.table, Qt.Key.Key_Down)
    assert "DMUL" in page.words


def test_enter_goes_to_the_source_and_ctrl_enter_to_the_instructions(slow, qtbot):
    table = slow.overview.findings.table
    table.setCurrentIndex(table.model().index(1, 0))
    with qtbot.waitSignal(slow.location_activated) as gone:
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert gone.args[0].endswith("kernel.cu")
    assert gone.args[1] == 6
    with qtbot.waitSignal(slow.instruction_activated) as shown:
        QTest.keyClick(table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert reading(SLOW_KERNEL).function[shown.args[0]].opcode == "DMUL"


def test_without_a_source_the_ptx_is_gone_to(slow, qtbot):
    found = slow.overview.findings
    found.show_findings(tuple(replace(one, places=()) for one in found.findings))
    with qtbot.waitSignal(slow.ptx_line_activated) as gone:
        QTest.keyClick(found.table, Qt.Key.Key_Return)
    assert gone.args == [found.findings[0].ptx_line]


def test_a_click_goes_to_the_source(slow, qtbot):
    table = slow.overview.findings.table
    place = table.visualRect(table.model().index(0, 0)).center()
    with qtbot.waitSignal(slow.location_activated) as gone:
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert gone.args[1] == 4


def test_the_peak_goes_to_its_instruction(slow, qtbot):
    table = slow.overview.figures_table
    names = [figure.name for figure in slow.overview.figures]
    table.setCurrentIndex(table.model().index(names.index(PEAK), 0))
    with qtbot.waitSignal(slow.instruction_activated) as shown:
        QTest.keyClick(table, Qt.Key.Key_Return)
    found = reading(SLOW_KERNEL)
    assert found.function.live_at(shown.args[0]).gpr == found.report.peak.gpr


def test_of_a_clean_kernel_it_is_told_what_was_looked_for(view):
    view.show_reading(reading(FAST_KERNEL))
    assert view.overview.findings.table.hint == "No rule applies to this code."
    assert view.overview.findings.words == nothing_found()
    assert view.tabs.tabText(0) == "Overview"


def test_all_figures_are_seen_at_once(slow):
    table = slow.overview.figures_table
    last = table.visualRect(table.model().index(len(slow.overview.figures) - 1, 0))
    assert table.viewport().rect().contains(last)


def test_tables_are_copied(slow):
    slow.overview.figures_table.setFocus()
    QTest.keyClick(slow.overview.figures_table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "shared memory\t4,096" in QGuiApplication.clipboard().text()
    slow.tabs.setCurrentWidget(slow.instructions)
    QTest.keyClick(slow.instructions.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "memory\tglobal load, 32 bit\t1\t" in QGuiApplication.clipboard().text()


def test_the_block_size_can_be_typed_and_stays(slow):
    page = slow.occupancy
    slow.tabs.setCurrentWidget(page)
    assert page.threads.text() == "128"
    page.threads.selectAll()
    QTest.keyClicks(page.threads, "32")
    assert page.words == "sm_90: 50%, 32 of 64 warps; limited by blocks"
    assert [row.name for row in page.rows if row.limits] == ["Blocks"]
    slow.show_reading(reading(FAST_KERNEL))
    assert page.threads.text() == "32"


def test_the_block_of_a_launch_is_that_of_its_kernel_only(slow):
    page = slow.occupancy
    slow.show_cause(CausePlace(Figure.OCCUPANCY, "slow", 64, 1024))
    slow.show_reading(reading(SLOW_KERNEL))
    assert (page.threads.number, page.dynamic.number) == (64, 1024)
    slow.show_reading(reading(FAST_KERNEL))
    # The usual block where the kernel bounds nothing.
    assert (page.threads.number, page.dynamic.number) == (256, 0)
    # From the strip to a kernel that is not read yet: its reading comes later.
    slow.show_cause(CausePlace(Figure.OCCUPANCY, "slow", 64, 1024))
    slow.show_reading(reading(SLOW_KERNEL))
    assert (page.threads.number, page.dynamic.number) == (64, 1024)


@pytest.mark.parametrize("field", ["threads", "dynamic"])
def test_what_is_typed_over_a_launch_stays(slow, field):
    page = slow.occupancy
    slow.show_cause(CausePlace(Figure.OCCUPANCY, "slow", 64, 1024))
    getattr(page, field).selectAll()
    QTest.keyClicks(getattr(page, field), "32")
    numbers = page.threads.number, page.dynamic.number
    slow.show_reading(reading(FAST_KERNEL))
    assert (page.threads.number, page.dynamic.number) == numbers
    assert 32 in numbers


def test_a_build_leaves_the_row_that_the_user_has_gone_to(slow):
    table = slow.overview.figures_table
    assert table.current is None
    slow.show_cause(CausePlace(Figure.REGISTERS, "slow"))
    assert table.current.name == "Registers"
    last = len(slow.overview.figures) - 1
    table.choose(last)
    slow.show_reading(reading(SLOW_KERNEL))
    assert table.current == slow.overview.figures[last]
    # The kernel of the figure is read first, and that leads there once.
    slow.show_cause(CausePlace(Figure.REGISTERS, "fast"))
    table.choose(last)
    slow.show_reading(reading(FAST_KERNEL))
    assert table.current.name == "Registers"
    table.choose(-1)
    slow.show_reading(reading(FAST_KERNEL))
    assert table.current is None


def test_what_is_no_number_is_told(slow):
    page = slow.occupancy
    slow.tabs.setCurrentWidget(page)
    page.dynamic.selectAll()
    QTest.keyClicks(page.dynamic, "many")
    assert "'many' is not a whole" in page.words
    assert page.rows == ()
    assert not page.table.isVisible()


def test_a_target_without_published_limits_is_told(view):
    view.show_reading(reading(FAST_KERNEL, told="sm_199"))
    assert "sm_199" in view.occupancy.words
    assert "not published" in view.occupancy.words


def test_the_curves_are_drawn_once_they_are_looked_at(slow, qtbot):
    page = slow.occupancy
    assert page.plots.content is None
    slow.tabs.setCurrentWidget(page)
    qtbot.waitUntil(lambda: drawn(page) == 3)
    for plot, value in zip(page.plots.content.plots, (128, None, 4), strict=True):
        steps, ring = plot.listDataItems()[0], plot.getPlotItem().items[1]
        assert max(steps.yData) == 64
        assert value is None or ring.data["x"][0] == value


def test_the_mix_is_drawn_once_it_is_looked_at(slow, qtbot):
    page = slow.instructions
    assert page.plots.content is None
    slow.tabs.setCurrentWidget(page)
    qtbot.waitUntil(lambda: drawn(page) == 2)
    groups = page.plots.content.plots[0].getPlotItem().items[0]
    assert sum(groups.opts["width"]) == reading(SLOW_KERNEL).report.instructions


def test_fits_a_narrow_and_a_flat_pane(slow):
    for width, height in ((300, 500), (1000, 180)):
        slow.resize(width, height)
        assert (slow.width(), slow.height()) == (width, height)
    slow.tabs.setCurrentWidget(slow.occupancy)
    assert slow.occupancy.plots.width() > slow.occupancy.width() / 2


@pytest.mark.parametrize(
    ("page", "stops"),
    [
        (0, ["figuresTable", "findingsTable"]),
        (1, ["occupancyThreadsField", "occupancySharedField", "limitsTable"]),
        (2, ["classesTable"]),
    ],
)
def test_tab_leads_from_the_kernel_through_the_page_in_front(slow, page, stops):
    slow.tabs.setCurrentIndex(page)
    wanted = ["reportKernel", "qt_tabwidget_tabbar", *stops]
    assert tab_stops(slow.kernels, len(wanted)) == wanted
