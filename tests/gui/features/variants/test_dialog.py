"""The window of variants, fed with rows as builds, a GPU or its absence leave them."""

import csv
import io
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QSpinBox, QTabBar, QToolButton

from jitstudio.core.axes import Axis, AxisKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources
from jitstudio.gui.features.variants.dialog import Preset, VariantsDialog
from jitstudio.gui.kit.lazy_widget import LazyWidget
from jitstudio.gui.kit.presentation import MARK_ROLE
from jitstudio.variants.plan import VariantPlan, expand
from jitstudio.variants.rows import VariantRow, VariantTable
from tests.gui.launches import sweep
from tests.support import KERNEL, cuda, request

NO_DRIVER = "No driver."
SWEEP = VariantPlan(sweep().axes, BuildRequest(()), LaunchSpec(kernel="saxpy<{T}>"))
TARGETS = VariantPlan(
    (Axis(AxisKind.TARGET, ("sm_80", "sm_90", "sm_100")),), request(cuda(KERNEL)), launches=False
)
PLANNED = expand(TARGETS)


@pytest.fixture
def dialog(qtbot):
    dialog = VariantsDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


@pytest.fixture
def stops(dialog):
    seen = []
    dialog.stop_requested.connect(lambda: seen.append(True))
    return seen


def done(variant, registers, names=("a", "b")):
    kernels = tuple(Kernel("k.cu", name, f"{name}()", Resources(registers)) for name in names)
    result = BuildResult(Outcome.BUILT, variant.build.arch, kernels=kernels)
    return VariantRow(variant, "built", result=result)


def unlaunched():
    rows = tuple(
        replace(row, outcome="missing", message=NO_DRIVER, median_ms=None, occupancy=None)
        for row in sweep().rows
    )
    return replace(sweep(), rows=rows)


def feed(dialog, table, plan=SWEEP):
    dialog.begin(plan, len(table.rows))
    for row in table.rows:
        dialog.show_row(row)
    dialog.end(table)


def compared(dialog, reference=None):
    rows = tuple(done(variant, 20 + 4 * variant.index) for variant in PLANNED)
    dialog.begin(TARGETS, 3, "b", reference)
    dialog.end(VariantTable(TARGETS.axes, rows, 1000.0))
    return rows


def column(dialog, place=0):
    model = dialog.table.table.model()
    return [model.index(n, place).data() for n in range(model.rowCount())]


def test_an_empty_window_says_what_to_do(dialog):
    assert dialog.table.table.hint.startswith("Nothing has been built")
    assert not dialog.findChild(QToolButton, "showDifferences").isVisible()


def test_rows_wait_and_fill_in_the_order_of_the_plan(dialog, qtbot):
    dialog.begin(TARGETS, 3)
    assert dialog.bar.text == "Starting…"
    for row in (*map(VariantRow, PLANNED), done(PLANNED[1], 24)):
        dialog.show_row(row)
    qtbot.waitUntil(lambda: len(dialog.table.model.rows) == 3)
    assert column(dialog, 2) == ["", "24", ""]
    assert dialog.bar.text == "1 of 3, 0 s"


def test_the_end_says_what_is_best_and_plots_the_times(dialog, qtbot):
    feed(dialog, sweep())
    assert dialog.bar.text == "10 of 10, 4.0 s · 8 ran and are right · best: block=256 T=float"
    plot = dialog.findChild(LazyWidget, "variantsPlot")
    assert plot.isVisible()
    qtbot.waitUntil(lambda: plot.content is not None, timeout=20_000)
    legend = QTextDocumentFragment.fromHtml(plot.content.legend.text()).toPlainText()
    assert legend.split() == ["●", "float", "■", "double"]
    assert dialog.notice == ""


def test_a_missing_gpu_is_said_once_and_is_no_error_of_a_row(dialog):
    feed(dialog, unlaunched())
    assert dialog.notice.count(NO_DRIVER) == 1
    model = dialog.table.model
    assert {model.index(n, 0).data(MARK_ROLE) for n in range(10)} == {"info"}
    assert dialog.bar.text.endswith("10 built")
    assert not dialog.findChild(LazyWidget, "variantsPlot").isVisible()
    # Nothing failed.
    dialog.findChild(QCheckBox, "variantsHideFailed").click()
    assert len(column(dialog)) == 10


def test_what_failed_is_counted_and_can_be_left_out(dialog):
    feed(dialog, sweep())
    dialog.findChild(QCheckBox, "variantsHideFailed").click()
    assert column(dialog) == ["1", "3", "4", "5", "6", "7", "8", "9"]
    failed = VariantRow(PLANNED[0], "build-failed", "Build failed.")
    feed(dialog, VariantTable(TARGETS.axes, (failed, done(PLANNED[1], 24))), TARGETS)
    assert dialog.bar.text.endswith("1 built, 1 failed")


def test_times_sort_as_numbers_and_the_current_row_stays(dialog):
    feed(dialog, sweep())
    dialog.table.table.sortByColumn(3, Qt.SortOrder.AscendingOrder)
    assert (column(dialog)[0], column(dialog)[-1]) == ("5", "10")
    dialog.table.table.selectRow(3)
    chosen = column(dialog)[3]
    dialog.end(sweep())
    assert dialog.table.table.currentIndex().siblingAtColumn(0).data() == chosen


def test_escape_stops_first_and_closes_then(dialog, stops):
    dialog.begin(SWEEP, 10)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert stops == [True]
    assert dialog.isVisible()
    assert dialog.bar.text == "Stopping…"
    some = [*sweep().rows[:3], *(replace(r, outcome="cancelled") for r in sweep().rows[3:])]
    dialog.end(VariantTable(SWEEP.axes, tuple(some), 1500.0))
    assert dialog.bar.text.startswith("Stopped: 3 of 10, 1.5 s")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert stops == [True]


def test_closing_the_window_stops_the_run(dialog, stops):
    dialog.begin(SWEEP, 10)
    dialog.close()
    assert stops == [True]


def test_run_and_stop_take_turns(dialog, qtbot, stops):
    run, stop = (dialog.findChild(QToolButton, n) for n in ("variantsRun", "variantsStop"))
    with qtbot.waitSignal(dialog.run_requested):
        QTest.keyClick(dialog, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    run.setFocus()
    dialog.begin(SWEEP, 10)
    assert (run.isVisible(), stop.isVisible(), stop.hasFocus()) == (False, True, True)
    stop.click()
    assert stops == [True]
    dialog.fail("The run failed: no more processes")
    assert (run.isVisible(), run.hasFocus()) == (True, True)
    assert dialog.notice == "The run failed: no more processes"


def test_several_gpus_can_share_the_launches(dialog):
    share = dialog.findChild(QCheckBox, "variantsAllGpus")
    dialog.bar.show_ways(launches=True, timed=False)
    dialog.bar.set_gpus(1)
    assert not share.isVisible()
    dialog.bar.set_gpus(4)
    assert share.isVisible()
    assert "all 4" in share.text()
    dialog.findChild(QCheckBox, "variantsLaunch").click()
    assert not share.isVisible()


def test_presets_are_tabs(dialog, qtbot):
    dialog.show_preset(Preset.TARGETS)
    tabs = dialog.findChild(QTabBar, "variantsPresets")
    assert tabs.tabText(tabs.currentIndex()) == "Targets and options"
    with qtbot.waitSignal(dialog.preset_changed) as chosen:
        tabs.setCurrentIndex(2)
    assert chosen.args == [Preset.LINKS]


def test_the_kernel_that_is_looked_at_comes_first_and_the_choice_is_kept(dialog):
    kernels = dialog.findChild(QComboBox, "variantsShownKernel")
    dialog.begin(TARGETS, 3, "b")
    dialog.end(VariantTable(TARGETS.axes, (done(PLANNED[0], 24),)))
    assert kernels.currentData() == "b"
    kernels.setCurrentIndex(0)
    dialog.end(VariantTable(TARGETS.axes, (done(PLANNED[0], 25, ("a", "b", "c")),)))
    assert kernels.currentData() == "a"
    assert kernels.count() == 3


def test_the_block_is_chosen_where_no_launch_says_it(dialog):
    threads = dialog.findChild(QSpinBox, "variantsThreads")
    dialog.begin(SWEEP, 10)
    assert not threads.isVisible()
    assert dialog.table.view.kernel == ""
    compared(dialog)
    assert threads.isVisible()
    threads.setValue(128)
    assert dialog.table.view.threads == 128


def test_enter_asks_for_a_variant(dialog, qtbot):
    compared(dialog)
    dialog.table.table.selectRow(1)
    with qtbot.waitSignal(dialog.table.variant_activated) as asked:
        QTest.keyClick(dialog.table.table, Qt.Key.Key_Return)
    assert asked.args[0].variant is PLANNED[1]


def test_rows_are_compared_with_the_reference(dialog, qtbot):
    compared(dialog)
    button = dialog.findChild(QToolButton, "showDifferences")
    dialog.table.table.selectRow(0)
    QTest.keyClick(dialog.table.table, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert column(dialog, 2) == ["20", "24  +20 %", "28  +40 %"]
    # It is not known yet with which of the two.
    assert (button.isVisible(), button.isEnabled()) == (True, False)
    dialog.table.table.selectRow(2)
    with qtbot.waitSignal(dialog.table.differences_requested) as asked:
        button.click()
    assert [row.variant for row in asked.args] == [PLANNED[0], PLANNED[2]]


def test_the_table_is_copied_and_saved_as_it_is_sorted(dialog, tmp_path):
    compared(dialog)
    view = dialog.table
    view.table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = list(csv.DictReader(io.StringIO(QApplication.clipboard().text())))
    assert [line["target"] for line in lines] == ["sm_100", "sm_90", "sm_80"]
    view.save(str(tmp_path / "v.csv"))
    assert (tmp_path / "v.csv").read_text() == QApplication.clipboard().text()
    view.copy_markdown()
    assert QApplication.clipboard().text().startswith("| target | registers |")
    said = []
    view.reported.connect(said.append)
    view.save(str(tmp_path / "no" / "v.csv"))
    assert said[0].startswith("The table cannot be saved:")


def test_an_edit_says_that_the_table_is_of_older_code(dialog):
    dialog.show_outdated()
    assert dialog.notice == ""
    compared(dialog)
    dialog.show_outdated()
    assert "The code has changed" in dialog.notice
