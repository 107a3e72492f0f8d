"""The window of a sweep, fed with rows as a GPU or its absence leaves them."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QToolButton

from jitstudio.core.sweep.result import SweepResult
from jitstudio.gui.features.variants.sweep_dialog import SweepDialog
from jitstudio.gui.kit.lazy_widget import LazyWidget
from jitstudio.gui.kit.presentation import MARK_ROLE
from tests.gui.launches import sweep

NO_DRIVER = "No NVIDIA driver is installed."


@pytest.fixture
def dialog(qtbot, theme):
    dialog = SweepDialog(theme)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


@pytest.fixture
def stops(dialog):
    seen = []
    dialog.stop_requested.connect(lambda: seen.append(True))
    return seen


def unlaunched():
    result = sweep()
    rows = tuple(
        replace(row, outcome="missing", message=NO_DRIVER, median_ms=None, occupancy=None)
        for row in result.rows
    )
    return replace(result, rows=rows)


def feed(dialog, result):
    dialog.begin(result.axes, len(result.rows))
    for row in result.rows:
        dialog.add_row(row)


def test_rows_appear_as_they_come_in_the_order_of_the_plan(dialog, qtbot):
    result = sweep()
    dialog.begin(result.axes, 10)
    assert dialog.bar.words == "Starting…"
    for place in (5, 2, 3):
        dialog.add_row(result.rows[place])
    qtbot.waitUntil(lambda: len(dialog.table.model.rows) == 3)
    assert [row.result.variant.index for row in dialog.table.model.rows] == [2, 3, 5]
    assert dialog.bar.words == "3 of 10, 0 s"


def test_the_end_tells_the_best_and_plots_the_times(dialog, qtbot):
    feed(dialog, sweep())
    dialog.end(sweep())
    assert dialog.bar.words == "10 of 10, 4.0 s"
    assert dialog.table.facts.endswith("best: block=256 T=float")
    plot = dialog.findChild(LazyWidget, "sweepPlot")
    assert plot.isVisible()
    qtbot.waitUntil(lambda: plot.content is not None, timeout=20_000)
    assert dialog.notice == ""


def test_a_missing_gpu_is_told_once_and_is_no_error_of_a_row(dialog):
    feed(dialog, unlaunched())
    dialog.end(unlaunched())
    assert dialog.notice.startswith(NO_DRIVER)
    assert dialog.notice.count(NO_DRIVER) == 1
    model = dialog.table.model
    assert {model.index(n, 0).data(MARK_ROLE) for n in range(10)} == {"info"}
    assert not any(NO_DRIVER in row.note for row in model.rows)
    assert dialog.table.facts == "10 of 10 variants are built"
    assert not dialog.findChild(LazyWidget, "sweepPlot").isVisible()
    # Nothing failed.
    dialog.findChild(QCheckBox, "sweepHideFailed").click()
    assert dialog.table.table.model().rowCount() == 10


def test_the_current_row_stays_while_others_come(dialog, qtbot):
    result = sweep()
    dialog.begin(result.axes, 10)
    dialog.add_row(result.rows[4])
    qtbot.waitUntil(lambda: len(dialog.table.model.rows) == 1)
    dialog.table.table.selectRow(0)
    dialog.add_row(result.rows[0])
    qtbot.waitUntil(lambda: len(dialog.table.model.rows) == 2)
    assert dialog.table.table.currentIndex().siblingAtColumn(0).data() == "5"


def test_escape_stops_first_and_closes_then(dialog, stops):
    dialog.begin(sweep().axes, 10)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert stops == [True]
    assert dialog.isVisible()
    assert dialog.bar.words == "Stopping…"
    some = [*sweep().rows[:3], *(replace(r, outcome="cancelled") for r in sweep().rows[3:])]
    dialog.end(SweepResult(sweep().axes, tuple(some), 1500.0))
    assert dialog.bar.words == "Stopped: 3 of 10, 1.5 s"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert stops == [True]


def test_closing_the_window_stops_the_sweep(dialog, stops):
    dialog.begin(sweep().axes, 10)
    dialog.close()
    assert stops == [True]
    assert not dialog.isVisible()


def test_run_and_stop_take_turns(dialog, qtbot, stops):
    run, stop = (dialog.findChild(QToolButton, n) for n in ("sweepRun", "sweepStop"))
    with qtbot.waitSignal(dialog.run_requested):
        QTest.keyClick(dialog, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    run.setFocus()
    dialog.begin(sweep().axes, 10)
    assert (run.isVisible(), stop.isVisible(), stop.hasFocus()) == (False, True, True)
    stop.click()
    assert stops == [True]
    assert dialog.bar.words == "Stopping…"
    dialog.fail("The sweep failed: no more processes")
    assert (run.isVisible(), run.hasFocus()) == (True, True)
    assert dialog.notice == "The sweep failed: no more processes"


def test_several_gpus_can_share_the_work(dialog):
    share = dialog.findChild(QCheckBox, "sweepAllGpus")
    dialog.bar.set_gpus(1)
    assert not share.isVisible()
    dialog.bar.set_gpus(4)
    assert share.isVisible()
    assert "all 4" in share.text()
    assert not dialog.bar.uses_all_gpus
