"""Sweeps in a real window with real workers; here without a driver, or with any GPU."""

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton

from jitstudio.core.sweep.draft import AxisText
from jitstudio.core.sweep.plan import AxisKind
from jitstudio.gui.features.variants.axes import KIND, VALUES
from jitstudio.gui.features.variants.sweep_dialog import SweepDialog
from jitstudio.toolchain.driver import describe
from tests.gui.driver import Driver
from tests.gui.processes import children, sweeping_threads
from tests.support import SLOW_CUDA

WITHOUT_DRIVER = pytest.mark.skipif(not describe().problem, reason="there is a driver")
SOON = 30.0


def opened(driver):
    """The window of the sweep, for the kernel of the launch form."""
    driver.launch_form()
    driver.trigger("sweepAction")
    return driver.find(SweepDialog, "sweepDialog")


def button(dialog, name):
    return dialog.findChild(QToolButton, name)


def swept(driver, dialog):
    """The rows of a sweep of what the window says."""
    button(dialog, "sweepRun").click()
    assert dialog.is_running
    driver.wait(lambda: not dialog.is_running)
    return [row.result for row in dialog.table.model.rows]


@pytest.fixture
def saxpy(started):
    assert started.open_sample("SAXPY").ok
    started.wait(lambda: started.launch_form().form.title.startswith("saxpy"))
    return started


@pytest.fixture
def dialog(saxpy):
    return opened(saxpy)


@pytest.fixture
def slow(started):
    """The window of a sweep whose builds take minutes."""
    started.launch_form()
    dialog = opened(started)
    started.state.settings.auto_build = False
    started.editor.selectAll()
    started.editor.insertPlainText(SLOW_CUDA)
    dialog.editor.model.show_rows((AxisText(AxisKind.MACRO, "N", "1, 2, 3"),))
    dialog.editor.edited.emit()
    return dialog


def test_a_fresh_sweep_varies_blocks_and_types(dialog):
    assert dialog.editor.draft.kernel == "saxpy<{T}>"
    assert [axis.title for axis in dialog.editor.axes()] == ["block", "T"]
    assert dialog.editor.words.startswith("8 variants, ")
    assert not dialog.isModal()


def test_every_variant_is_a_row_with_its_registers(saxpy, dialog):
    button(dialog, "sweepRun").click()
    saxpy.wait(lambda: not dialog.is_running)
    rows = [row.result for row in dialog.table.model.rows]
    assert len(rows) == 8
    assert all(row.registers for row in rows)
    assert {row.variant.spec.kernel for row in rows} == {"saxpy<float>", "saxpy<double>"}
    assert dialog.bar.words.startswith("8 of 8, ")


@WITHOUT_DRIVER
def test_without_a_driver_that_is_told_once(saxpy, dialog):
    assert {row.outcome for row in swept(saxpy, dialog)} == {"missing"}
    assert "No NVIDIA driver is installed" in dialog.notice
    assert dialog.table.facts == "8 of 8 variants are built"


def test_what_makes_no_sense_is_told_and_cannot_be_run(dialog):
    dialog.editor.model.remove(1)
    assert "No axis gives values for {T}" in dialog.editor.words
    assert not button(dialog, "sweepRun").isEnabled()
    dialog.editor.model.insert(1, AxisText(AxisKind.TEMPLATE, "T", "int"))
    assert dialog.editor.words.startswith("4 variants, ")
    assert button(dialog, "sweepRun").isEnabled()


def test_the_keyboard_alone_sweeps(saxpy):
    saxpy.launch_form()
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(saxpy.window, Qt.Key.Key_E, modifiers)
    dialog = saxpy.find(SweepDialog, "sweepDialog")
    saxpy.wait(lambda: QApplication.focusWidget() is dialog.editor.table)
    saxpy.press(Qt.Key.Key_Return)
    saxpy.press(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(QApplication.focusWidget(), "32, 96")
    # The text of the open cell counts, too.
    saxpy.press(Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    saxpy.wait(lambda: not dialog.is_running and dialog.table.model.rows)
    assert {row.result.variant.values[0] for row in dialog.table.model.rows} == {"32", "96"}


def test_a_variant_goes_into_the_launch_form_and_the_settings(saxpy, dialog):
    dialog.editor.model.show_rows(
        (
            AxisText(values="96"),
            AxisText(AxisKind.TEMPLATE, "T", "int"),
            AxisText(AxisKind.TARGET, "", "sm_80, sm_90"),
            AxisText(AxisKind.OPTIONS, "", "; --use_fast_math"),
        )
    )
    dialog.editor.edited.emit()
    swept(saxpy, dialog)
    dialog.table.table.selectRow(1)
    table = dialog.table.table
    built = saxpy.next_result(lambda: table.doubleClicked.emit(table.currentIndex()))
    assert built.ok
    assert str(saxpy.state.settings.arch) == "sm_80"
    assert saxpy.state.settings.options == "--use_fast_math"
    form = saxpy.pane("launch").form
    saxpy.wait(lambda: form.form is not None and form.form.title == "saxpy<int>")
    assert form.spec().block == "96"
    assert saxpy.state.launch_specs.spec.block == "96"


def test_the_axes_of_a_kernel_are_kept(saxpy, dialog):
    index = dialog.editor.model.index(0, VALUES)
    dialog.editor.model.setData(index, "32")
    dialog.close()
    saxpy.open_sample("Vector add")
    form = saxpy.launch_form()
    saxpy.wait(lambda: form.form.title == "vector_add")
    assert opened(saxpy).editor.draft.kernel == "vector_add"
    saxpy.open_sample("SAXPY")
    saxpy.wait(lambda: form.form.title.startswith("saxpy"))
    assert opened(saxpy).editor.model.index(0, VALUES).data() == "32"


def test_without_a_kernel_there_is_nothing_to_sweep(started):
    started.next_result(lambda: started.replace('extern "C" __global__', "__device__"))
    form = started.pane("launch").form
    started.wait(lambda: form.form is None)
    started.trigger("sweepAction")
    dialog = started.find(SweepDialog, "sweepDialog")
    assert "There is no kernel to sweep" in dialog.editor.words
    assert not button(dialog, "sweepRun").isEnabled()


def test_a_sweep_is_stopped(started, slow):
    before = children()
    button(slow, "sweepRun").click()
    started.wait(lambda: children() - before)
    assert slow.is_running
    start = time.monotonic()
    QTest.keyClick(slow, Qt.Key.Key_Escape)
    started.wait(lambda: not slow.is_running)
    assert time.monotonic() - start < SOON
    assert slow.bar.words.startswith("Stopped: 0 of 3")
    assert {row.result.outcome for row in slow.table.model.rows} == {"build-cancelled"}


def test_closing_the_main_window_ends_a_sweep(qapp, tmp_path):
    before = children()
    driver = Driver(qapp, tmp_path)
    driver.start()
    dialog = opened(driver)
    driver.state.settings.auto_build = False
    driver.editor.selectAll()
    driver.editor.insertPlainText(SLOW_CUDA)
    dialog.findChild(QLineEdit, "sweptKernel").setText("slow")
    without = children()
    button(dialog, "sweepRun").click()
    driver.wait(lambda: children() - without and sweeping_threads())
    assert dialog.is_running
    start = time.monotonic()
    driver.close()
    assert time.monotonic() - start < SOON
    assert children() <= before
    assert sweeping_threads() == []


@pytest.mark.gpu
def test_a_sweep_finds_the_fastest(saxpy, dialog):
    saxpy.wait(lambda: saxpy.state.launches.has_devices)
    rows = swept(saxpy, dialog)
    assert {row.outcome for row in rows} == {"ran"}
    assert all(row.median_ms and row.occupancy for row in rows)
    assert "best: block=" in dialog.table.facts
    assert dialog.editor.model.index(0, KIND).data() == "block"
