"""The matrix in a real window with real workers."""

import csv
import io

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QToolButton,
)

from jitstudio.analysis.matrix.table import Figure, value
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.features.variants.matrix_dialog import MatrixDialog
from tests.support import SAMPLES, SLOW_CUDA


def opened(driver):
    driver.trigger("matrixAction")
    return driver.find(MatrixDialog, "matrixDialog")


def type_in(dialog, targets, *sets):
    line = dialog.findChild(QLineEdit, "matrixTargets")
    line.clear()
    QTest.keyClicks(line, targets)
    dialog.findChild(QPlainTextEdit, "matrixOptions").setPlainText("\n".join(sets))


def run(driver, dialog):
    dialog.findChild(QToolButton, "matrixRun").click()
    assert dialog.is_running
    driver.wait(lambda: not dialog.is_running)
    return dialog.rows


@pytest.fixture
def dialog(started):
    return opened(started)


def test_it_begins_with_the_target_of_the_window_and_common_ones(started, dialog):
    assert not dialog.isModal()
    assert dialog.findChild(QLineEdit, "matrixTargets").text() == "sm_80, sm_90, sm_100, sm_120"
    assert dialog.form.words == "4 builds"
    assert "Nothing has been built yet" in dialog.table.table.hint


def test_every_combination_is_a_row_with_all_figures(started, dialog):
    type_in(dialog, "sm_80, sm_90", "", "-maxrregcount=16")
    rows = run(started, dialog)
    assert [(str(row.variant.arch), row.variant.options) for row in rows] == [
        ("sm_80", ""),
        ("sm_80", "-maxrregcount=16"),
        ("sm_90", ""),
        ("sm_90", "-maxrregcount=16"),
    ]
    view = dialog.table.view
    assert all(value(figure, row, view) is not None for row in rows for figure in Figure)
    assert dialog.form.words == "4 of 4 built"
    # The panes still show what they showed.
    assert started.state.outputs.result.arch == Arch(90)
    assert len(started.results) == 1


def test_what_fails_is_told_in_its_row_and_the_others_go_on(started, dialog):
    type_in(dialog, "sm_20, sm_90")
    failed, good = run(started, dialog)
    assert failed.failed
    assert good.result.ok
    assert dialog.form.words == "1 of 2 built, 1 failed"
    model = dialog.table.model
    assert model.index(0, model.columnCount() - 1).data().startswith("Build failed")


def test_what_makes_no_sense_is_told_and_cannot_be_built(started, dialog):
    button = dialog.findChild(QToolButton, "matrixRun")
    for targets, sets, words in (
        ("sm_90, sm9", (), "'sm9' is no target architecture"),
        ("", (), "There is no target"),
        ("sm_90", ("-D'",), "quot"),
    ):
        type_in(dialog, targets, *sets)
        dialog.form.edited.emit()
        assert words in dialog.form.words
        assert not button.isEnabled()
    type_in(dialog, "sm_90")
    assert button.isEnabled()


def test_a_build_of_the_window_comes_in_between(started, dialog):
    type_in(dialog, "sm_75, sm_80, sm_86, sm_89, sm_90, sm_100")
    dialog.findChild(QToolButton, "matrixRun").click()
    result = started.next_result(lambda: started.trigger("buildAction"))
    assert result.ok
    assert any(row.is_waiting for row in dialog.rows)
    started.wait(lambda: not dialog.is_running)
    assert all(row.reports for row in dialog.rows)


def test_escape_stops_first_and_closes_then(started, dialog):
    started.state.settings.auto_build = False
    started.editor.selectAll()
    started.editor.insertPlainText(SLOW_CUDA)
    type_in(dialog, "sm_80, sm_90")
    dialog.findChild(QToolButton, "matrixRun").click()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.is_running
    assert dialog.isVisible()
    assert all(row.is_waiting for row in dialog.rows)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    # The worker is free again.
    started.editor.selectAll()
    started.editor.insertPlainText("__global__ void k(int* p) { *p = 1; }")
    assert started.next_result(lambda: started.trigger("buildAction")).ok


def test_a_row_becomes_what_the_window_builds(started, dialog):
    type_in(dialog, "sm_80", "", "-O1")
    run(started, dialog)
    table = dialog.table.table
    table.selectRow(1)
    result = started.next_result(lambda: QTest.keyClick(table, Qt.Key.Key_Return))
    assert (result.ok, result.arch) == (True, Arch(80))
    assert started.state.settings.options == "-O1"
    assert started.find(QLabel, "targetLabel").text() == "sm_80"


def test_a_row_becomes_a_baseline(started, dialog):
    type_in(dialog, "sm_80", "", "-maxrregcount=24")
    run(started, dialog)
    table = dialog.table.table
    table.selectRow(1)
    baselines = started.state.baselines
    QTest.keyClick(
        table, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    started.wait(lambda: baselines.items)
    (baseline,) = baselines.items
    assert baseline.name == "sm_80, -maxrregcount=24"
    kinds = {artifact.kind for artifact in baseline.built.result.artifacts}
    assert kinds == {CodeKind.PTX, CodeKind.SASS, CodeKind.CUBIN}


def test_links_are_rows_where_there_are_several_modules(started, dialog):
    box = dialog.findChild(QCheckBox, "matrixLinkLto")
    assert not box.isVisible()
    started.open_sample("Link by PTX or LTO")
    opened(started)
    assert box.isVisible()
    for name in ("matrixLinkNone", "matrixLinkPtx", "matrixLinkLto"):
        dialog.findChild(QCheckBox, name).setChecked(name != "matrixLinkNone")
    type_in(dialog, "sm_90")
    rows = run(started, dialog)
    assert [row.variant.link for row in rows] == [LinkMode.PTX, LinkMode.LTO]
    view = dialog.table.view
    by_ptx, by_lto = (value(Figure.REGISTERS, row, view) for row in rows)
    assert by_lto < by_ptx
    model = dialog.table.model
    headings = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())]
    assert "Link" in headings


def test_the_table_is_copied_as_it_is_sorted(started, dialog):
    type_in(dialog, "sm_90, sm_80")
    run(started, dialog)
    table = dialog.table.table
    table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = list(csv.DictReader(io.StringIO(QApplication.clipboard().text())))
    assert [line["target"] for line in lines] == ["sm_80", "sm_90"]
    dialog.table.copy_markdown()
    assert QApplication.clipboard().text().startswith("| target | options |")


def test_kernel_and_block_size_choose_what_the_figures_are_about(started, dialog, tmp_path):
    file = tmp_path / "two.cu"
    file.write_text(
        'extern "C" __global__ void __launch_bounds__(128) a(int* p) { *p = 1; }\n'
        'extern "C" __global__ void b(int* p) { __shared__ int s[9]; s[*p] = 1; *p = s[3]; }\n'
    )
    started.next_result(lambda: started.files.open_paths([file]))
    type_in(dialog, "sm_90")
    (row,) = run(started, dialog)
    kernels = dialog.findChild(QComboBox, "matrixKernel")
    assert {kernels.itemText(n) for n in range(kernels.count())} == {"a", "b"}
    kernels.setCurrentText("b")
    assert value(Figure.SHARED, row, dialog.table.view) == 36
    kernels.setCurrentText("a")
    assert value(Figure.OCCUPANCY, row, dialog.table.view) is None
    dialog.findChild(QSpinBox, "matrixThreads").setValue(128)
    assert value(Figure.OCCUPANCY, row, dialog.table.view) == 1


def test_editing_says_that_the_table_is_of_older_code(started, dialog):
    type_in(dialog, "sm_90")
    run(started, dialog)
    assert dialog.notice == ""
    started.editor.insertPlainText("\n")
    assert "The code has changed" in dialog.notice


def test_a_text_without_modules_is_told(driver):
    driver.start([SAMPLES / "atomic_ops.cuh"])
    assert "There is nothing to build" in opened(driver).form.words
