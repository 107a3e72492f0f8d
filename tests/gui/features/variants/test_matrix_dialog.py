"""The window of the matrix, fed with rows by hand."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QToolButton

from jitstudio.analysis.matrix.plan import MatrixPlan, variants
from jitstudio.analysis.matrix.rows import built
from jitstudio.core.arch import Arch
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources
from jitstudio.gui.features.variants.matrix_dialog import MatrixDialog
from tests.support import KERNEL, cuda, request

PLANNED = variants(MatrixPlan((request(cuda(KERNEL)),), (Arch(80), Arch(90), Arch(100))))


def done(variant, registers, names=("a", "b")):
    kernels = tuple(Kernel("k.cu", name, f"{name}()", Resources(registers)) for name in names)
    return built(variant, BuildResult(Outcome.BUILT, variant.arch, kernels=kernels))


@pytest.fixture
def dialog(qtbot, theme):
    dialog = MatrixDialog(theme)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_rows_stand_there_from_the_start_and_fill_as_they_come(dialog):
    dialog.begin(PLANNED)
    assert dialog.is_running
    assert dialog.form.words == "0 of 3 built"
    dialog.show_row(done(PLANNED[1], 24))
    model = dialog.table.model
    assert [model.index(n, 2).data() for n in range(3)] == ["", "24", ""]
    assert dialog.form.words == "1 of 3 built"


def test_the_kernel_that_is_looked_at_comes_first_and_the_choice_is_kept(dialog):
    kernels = dialog.findChild(QComboBox, "matrixKernel")
    dialog.begin(PLANNED, "b")
    dialog.show_row(done(PLANNED[0], 24))
    assert kernels.currentData() == "b"
    kernels.setCurrentIndex(0)
    dialog.show_row(done(PLANNED[1], 25, ("a", "b", "c")))
    assert kernels.currentData() == "a"
    assert kernels.count() == 3


def test_the_current_row_stays_while_others_come(dialog):
    dialog.begin(PLANNED)
    dialog.table.table.selectRow(2)
    dialog.show_row(done(PLANNED[0], 24))
    assert dialog.table.table.currentIndex().row() == 2


def test_build_and_stop_take_turns_and_keep_the_keyboard(dialog):
    run, stop = (dialog.findChild(QToolButton, f"matrix{name}") for name in ("Run", "Stop"))
    run.setFocus()
    dialog.begin(PLANNED)
    assert not run.isVisible()
    assert stop.hasFocus()
    dialog.end()
    assert run.hasFocus()
    assert not stop.isVisible()


def test_enter_in_the_table_asks_for_a_variant(dialog, qtbot):
    dialog.begin(PLANNED)
    dialog.table.table.selectRow(1)
    with qtbot.waitSignal(dialog.table.variant_activated) as asked:
        QTest.keyClick(dialog.table.table, Qt.Key.Key_Return)
    assert asked.args[0].variant is PLANNED[1]


def test_a_worker_that_fails_is_told_above_the_table(dialog):
    dialog.begin(PLANNED)
    dialog.fail("The worker process cannot be started.")
    assert dialog.notice == "The worker process cannot be started."
    assert not dialog.is_running


def test_the_keyboard_leaves_the_options_by_tab(dialog):
    dialog.activateWindow()
    options = dialog.findChild(QPlainTextEdit, "matrixOptions")
    options.setFocus()
    QTest.keyClick(options, Qt.Key.Key_Tab)
    assert not options.hasFocus()
    assert "\t" not in options.toPlainText()


def test_ways_of_linking_are_offered_for_several_modules_only(dialog):
    form = dialog.form
    form.offer_links(several=False, chosen=LinkMode.LTO)
    assert form.links == (LinkMode.NONE,)
    form.offer_links(several=True, chosen=LinkMode.LTO)
    assert form.links == (LinkMode.NONE,)
    assert dialog.findChild(QLineEdit, "matrixTargets").accessibleName() == "Targets"


def test_closing_stops_what_runs(dialog, qtbot):
    dialog.begin(PLANNED)
    with qtbot.waitSignal(dialog.stop_requested):
        dialog.close()
