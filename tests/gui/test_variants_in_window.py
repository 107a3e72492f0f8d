"""Variants in a real window with real workers; here without a driver, or with any GPU."""

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
)

from jitstudio.core.arch import Arch
from jitstudio.core.axes import AxisKind, AxisText
from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.features.compare.model import CompareMode
from jitstudio.gui.features.variants.axes_model import KIND, VALUES
from jitstudio.gui.features.variants.dialog import VariantsDialog
from jitstudio.toolchain.driver import describe
from jitstudio.variants.export import COMPARED_FIGURES
from jitstudio.variants.rows import VariantFigure, value
from tests.gui.driver import Driver, pause
from tests.gui.processes import children, running_threads
from tests.support import QUICK_ARCH, SAMPLES, SLOW_CUDA, refusal

SOON = 30.0


def opened(driver, action="matrixAction"):
    """The window of variants; with the launch, for the kernel of the launch form."""
    if action == "sweepAction":
        driver.launch_form()
    driver.trigger(action)
    return driver.find(VariantsDialog, "variantsDialog")


def button(dialog, name):
    return dialog.findChild(QToolButton, name)


def vary(dialog, *axes):
    dialog.editor.model.show_rows(tuple(AxisText(*axis) for axis in axes))
    dialog.editor.edited.emit()


def vary_targets(dialog, targets, options=""):
    vary(dialog, (AxisKind.TARGET, "", targets), (AxisKind.OPTIONS, "", options))


def ended(driver, dialog):
    driver.wait(lambda: not dialog.is_running)
    return dialog.rows


def run(driver, dialog):
    button(dialog, "variantsRun").click()
    assert dialog.is_running
    return ended(driver, dialog)


@pytest.fixture
def targets(started):
    return opened(started)


@pytest.fixture
def saxpy(started):
    assert started.open_sample("SAXPY").ok
    started.wait(lambda: started.launch_form().form.title.startswith("saxpy"))
    specs = started.state.launch_specs
    short = dict(specs.spec.arguments) | {"n": "4096"}
    specs.edit(replace(specs.spec, arguments=tuple(short.items())))
    specs.replaced.emit()
    return started


@pytest.fixture
def dialog(saxpy):
    return opened(saxpy, "sweepAction")


def slow(driver, dialog):
    """Three builds that take minutes."""
    driver.state.settings.auto_build = False
    driver.editor.selectAll()
    driver.editor.insertPlainText(SLOW_CUDA)
    vary(dialog, (AxisKind.MACRO, "N", "1, 2, 3"))


@pytest.mark.usefixtures("driver")
def test_targets_begin_with_common_ones_and_only_what_makes_sense_is_run(started, targets):
    assert not targets.isModal()
    assert targets.editor.model.index(0, VALUES).data() == "sm_75, sm_80, sm_90, sm_100, sm_120"
    assert targets.editor.text == "5 variants, 5 builds"
    assert targets.bar.is_timed
    assert not targets.bar.launches
    start = button(targets, "variantsRun")
    for archs, sets, words in (
        ("sm_90, sm9", "", refusal(Arch.parse, "sm9")),
        ("", "", "The axis 'target' has no values"),
        ("sm_90", "-D'", "quot"),
    ):
        vary_targets(targets, archs, sets)
        assert words in targets.editor.text
        assert not start.isEnabled()
    vary(targets, (AxisKind.LINK, "", "ptx"))
    assert start.isEnabled()
    started.document.included = False
    started.state.settings.changed.emit()
    assert "tick at least" in targets.editor.text


@pytest.mark.usefixtures("driver")
def test_every_combination_is_a_row_with_all_figures_or_says_why_not(started, targets):
    vary_targets(targets, "sm_20, sm_90", "; -maxrregcount=16")
    rows = run(started, targets)
    assert [row.variant.values for row in rows] == [
        *(("sm_20", ""), ("sm_20", "-maxrregcount=16")),
        *(("sm_90", ""), ("sm_90", "-maxrregcount=16")),
    ]
    view = targets.table.view
    good = rows[2:]
    assert all(value(figure, row, view) is not None for row in good for figure in COMPARED_FIGURES)
    assert not any(stage.cached for row in good for stage in row.result.stages)
    assert targets.bar.text.endswith("2 built, 2 failed")
    model = targets.table.model
    assert model.index(0, model.columnCount() - 1).data().startswith("Build failed")
    # The panes still show what they showed.
    assert started.state.outputs.result.arch == QUICK_ARCH
    assert len(started.results) == 1


def test_the_window_builds_meanwhile(started, targets):
    vary_targets(targets, "sm_75, sm_80, sm_90")
    button(targets, "variantsRun").click()
    assert started.next_result(lambda: started.trigger("buildAction")).ok
    assert all(row.reports for row in ended(started, targets))


def test_a_row_becomes_a_baseline_and_what_the_window_builds(started, targets):
    vary_targets(targets, "sm_80", "; -O1")
    run(started, targets)
    table, baselines = targets.table.table, started.state.baselines
    table.selectRow(1)
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    QTest.keyClick(table, Qt.Key.Key_B, keys)
    started.wait(lambda: baselines.items)
    (baseline,) = baselines.items
    assert baseline.name == "sm_80, -O1"
    kinds = {artifact.kind for artifact in baseline.built.result.artifacts}
    assert kinds == {CodeKind.PTX, CodeKind.SASS, CodeKind.CUBIN}
    result = started.next_result(lambda: QTest.keyClick(table, Qt.Key.Key_Return))
    assert (result.ok, result.arch) == (True, Arch(80))
    assert started.state.settings.options == "-O1"
    assert started.find(QLabel, "targetLabel").text() == "sm_80"


def test_rows_that_are_pinned_at_once_are_all_pinned_under_their_names(started, targets):
    vary_targets(targets, "sm_80, sm_90", "-O1")
    run(started, targets)
    rows, baselines = targets.table.model.rows, started.state.baselines
    for row in rows:
        targets.table.pin_requested.emit(row)
    started.wait(lambda: len(baselines.items) == 2)
    pinned = [(each.name, each.built.request.arch) for each in baselines.items]
    assert pinned == [("sm_80, -O1", Arch(80)), ("sm_90, -O1", Arch(90))]


@pytest.mark.usefixtures("driver")
def test_links_are_an_axis_that_is_proposed_for_several_modules(started, targets):
    assert [row.kind for row in targets.editor.model.rows] == [AxisKind.TARGET, AxisKind.OPTIONS]
    started.open_sample("Link by PTX or LTO")
    opened(started)
    assert targets.editor.model.rows[2] == AxisText(AxisKind.LINK, "", "lto")
    vary(targets, (AxisKind.LINK, "", "none, ptx"), (AxisKind.MACRO, "N", "1, 2"))
    rows = run(started, targets)
    # Alone the kernel calls what is in the other module.
    assert [row.outcome for row in rows] == ["build-failed"] * 2 + ["built"] * 2
    assert [len(row.variant.build.sources) for row in rows] == [1, 1, 2, 2]


@pytest.mark.usefixtures("driver")
def test_block_and_kernel_choose_what_the_figures_are_about(started, targets, tmp_path):
    file = tmp_path / "two.cu"
    file.write_text(
        'extern "C" __global__ void __launch_bounds__(128) a(int* p) { *p = 1; }\n'
        'extern "C" __global__ void b(int* p) { __shared__ int s[9]; s[*p] = 1; *p = s[3]; }\n'
    )
    started.next_result(lambda: started.files.open_paths([file]))
    vary_targets(targets, "sm_90")
    (row,) = run(started, targets)
    kernels = targets.table._kernel
    assert {kernels.itemText(n) for n in range(kernels.count())} == {"a", "b"}
    kernels.setCurrentText("b")
    assert value(VariantFigure.SHARED, row, targets.table.view) == 36
    kernels.setCurrentText("a")
    assert value(VariantFigure.OCCUPANCY, row, targets.table.view) is None
    # The axes of a launch say the block also where nothing is launched.
    targets.findChild(QLineEdit, "variantsKernel").setText("a")
    vary(targets, (AxisKind.BLOCK, "", "64, 128"))
    assert [row.occupancy for row in run(started, targets)] == [1.0, 1.0]


def test_both_links_are_compared_at_once_and_line_by_line(started):
    started.open_sample("Link by PTX or LTO")
    started.state.settings.auto_build = False
    before = started.listing("sassView").toPlainText()
    started.find(QPushButton, "compareLinks").click()
    dialog = started.find(VariantsDialog, "variantsDialog")
    ptx, lto = ended(started, dialog)
    view = dialog.table.view
    assert view.kernel == "apply_transform"
    called, inlined = (value(VariantFigure.INSTRUCTIONS, row, view) for row in (ptx, lto))
    assert 0 < inlined < called
    assert "user_transform" in ptx.reports
    assert lto.cubin_bytes < ptx.cubin_bytes
    assert all(row.link_ms > 0 for row in (ptx, lto))
    # What the panes show is left alone.
    assert started.listing("sassView").toPlainText() == before
    started.next_result(button(dialog, "showDifferences").click)
    compare = started.pane("compare")
    for matter in (CompareMode.SASS, CompareMode.PTX):
        compare.matters.setCurrentIndex(compare.matters.findData(matter))
        started.wait(lambda m=matter: compare.compared and compare.compared.matter is m)
        assert any("user_transform" in line for line in compare.compared.left.lines)
        assert not any("user_transform" in line for line in compare.compared.right.lines)
    assert compare.baselines.currentText() == "PTX link, sm_75"
    assert started.state.settings.link is LinkMode.LTO


def test_a_link_that_fails_says_why(started):
    started.open_sample("Link by PTX or LTO")
    document = started.state.documents.named("user_transform.cu")
    started.next_result(lambda: setattr(document, "included", False))
    started.trigger("compareLinksAction")
    dialog = started.find(VariantsDialog, "variantsDialog")
    for row in ended(started, dialog):
        assert "user_transform" in row.message
    assert not button(dialog, "showDifferences").isEnabled()


def test_nothing_ticked_is_said(started):
    started.state.settings.auto_build = False
    started.document.included = False
    started.trigger("compareLinksAction")
    assert "tick at least one module" in started.shell.notices.text


def test_a_text_without_modules_is_said(start):
    driver = start(SAMPLES / "atomic_ops.cuh")
    assert "nothing to build: open" in opened(driver).editor.text


def test_a_fresh_launch_varies_blocks_and_types_and_needs_values_for_each(dialog):
    assert dialog.editor.draft.kernel == "saxpy<{T}>"
    assert [axis.title for axis in dialog.editor.axes()] == ["block", "T"]
    assert dialog.editor.text.startswith("8 variants, ")
    assert dialog.bar.launches
    assert not dialog.bar.is_timed
    # One that makes no sense cannot be run.
    dialog.editor.model.remove(1)
    assert "values for {T}. " in dialog.editor.text
    assert not button(dialog, "variantsRun").isEnabled()
    dialog.editor.model.insert(1, AxisText(AxisKind.TEMPLATE, "T", "int"))
    assert dialog.editor.text.startswith("4 variants, ")
    assert button(dialog, "variantsRun").isEnabled()


def test_every_variant_is_a_row_with_its_registers(saxpy, dialog):
    beats, last = [], time.perf_counter()
    button(dialog, "variantsRun").click()
    while dialog.is_running:
        pause(1)
        now = time.perf_counter()
        beats.append(now - last)
        last = now
    assert len(dialog.rows) == 8
    assert all(row.registers and row.reports for row in dialog.rows)
    assert {row.variant.spec.kernel for row in dialog.rows} == {"saxpy<float>", "saxpy<double>"}
    # A machine that is busy may hold it up now and then, but not for the run.
    assert max(beats) < max(0.5, sum(beats) / 3)
    assert dialog.bar.text.startswith("8 of 8, ")
    assert {row.outcome for row in dialog.rows} == {"ran"}
    if describe().problem:
        assert {row.device for row in dialog.rows} == {"Simulator (no GPU)"}
        assert all(row.executed and row.median_ms is None for row in dialog.rows)


@pytest.mark.usefixtures("driver")
def test_the_keyboard_alone_runs(saxpy):
    saxpy.launch_form()
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(saxpy.window, Qt.Key.Key_E, modifiers)
    dialog = saxpy.find(VariantsDialog, "variantsDialog")
    saxpy.wait(lambda: QApplication.focusWidget() is dialog.editor.table)
    saxpy.press(Qt.Key.Key_Return)
    saxpy.press(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(QApplication.focusWidget(), "32, 96")
    # The text of the open cell counts, too.
    saxpy.press(Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    saxpy.wait(lambda: not dialog.is_running and dialog.rows)
    assert {row.variant.values[0] for row in dialog.rows} == {"32", "96"}


def test_a_variant_goes_into_the_launch_form_and_the_settings(saxpy, dialog):
    vary(
        dialog,
        (AxisKind.BLOCK, "", "96"),
        (AxisKind.TEMPLATE, "T", "int"),
        (AxisKind.TARGET, "", "sm_80, sm_90"),
        (AxisKind.OPTIONS, "", "; --use_fast_math"),
    )
    run(saxpy, dialog)
    table = dialog.table.table
    table.selectRow(1)
    built = saxpy.next_result(lambda: table.doubleClicked.emit(table.currentIndex()))
    assert built.ok
    assert str(saxpy.state.settings.arch) == "sm_80"
    assert saxpy.state.settings.options == "--use_fast_math"
    form = saxpy.pane("launch").form
    saxpy.wait(lambda: form.form is not None and form.form.title == "saxpy<int>")
    assert form.spec().block == "96"
    assert saxpy.state.launch_specs.spec.block == "96"


def test_each_preset_and_each_kernel_keeps_its_axes(saxpy, dialog):
    dialog.editor.model.setData(dialog.editor.model.index(0, VALUES), "32")
    vary_targets(opened(saxpy), "sm_75")
    assert opened(saxpy, "sweepAction").editor.model.index(0, VALUES).data() == "32"
    assert opened(saxpy).editor.model.index(0, VALUES).data() == "sm_75"
    dialog.close()
    saxpy.open_sample("Vector add")
    form = saxpy.launch_form()
    saxpy.wait(lambda: form.form.title == "vector_add")
    assert opened(saxpy, "sweepAction").editor.draft.kernel == "vector_add"
    saxpy.open_sample("SAXPY")
    saxpy.wait(lambda: form.form.title.startswith("saxpy"))
    assert opened(saxpy, "sweepAction").editor.model.index(0, VALUES).data() == "32"


def test_without_a_kernel_there_is_nothing_to_launch(started):
    started.next_result(lambda: started.replace('extern "C" __global__', "__device__"))
    form = started.pane("launch").form
    started.wait(lambda: form.form is None)
    dialog = opened(started, "matrixAction")
    dialog.findChild(QCheckBox, "variantsLaunch").click()
    assert "There is no kernel to sweep" in dialog.editor.text
    assert not button(dialog, "variantsRun").isEnabled()


def test_a_run_is_stopped_and_the_window_closes_then(started):
    dialog = opened(started, "sweepAction")
    slow(started, dialog)
    before = children()
    button(dialog, "variantsRun").click()
    started.wait(lambda: children() - before)
    start = time.monotonic()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    rows = ended(started, dialog)
    assert time.monotonic() - start < SOON
    assert dialog.bar.text.startswith("Stopped: 0 of 3")
    assert {row.outcome for row in rows} == {"build-cancelled"}
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_run_that_is_stopped_before_the_text_is_kept_never_begins(started, monkeypatch):
    dialog = opened(started, "sweepAction")
    slow(started, dialog)
    waiting = []
    monkeypatch.setattr(started.state.session, "save_before", waiting.append)
    button(dialog, "variantsRun").click()
    assert (len(waiting), dialog.is_running) == (1, True)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.is_running
    (begin,) = waiting
    begin()
    assert not started.state.variant_service.is_running


def test_closing_the_main_window_ends_a_run(qapp, tmp_path):
    before = children()
    driver = Driver(qapp, tmp_path)
    driver.start()
    dialog = opened(driver, "sweepAction")
    slow(driver, dialog)
    dialog.findChild(QLineEdit, "variantsKernel").setText("slow")
    without = children()
    button(dialog, "variantsRun").click()
    driver.wait(lambda: children() - without and running_threads())
    start = time.monotonic()
    driver.close()
    assert time.monotonic() - start < SOON
    assert children() <= before
    assert running_threads() == []


@pytest.mark.gpu
def test_the_fastest_is_found(saxpy, dialog):
    saxpy.wait(lambda: saxpy.state.launches.has_devices)
    rows = run(saxpy, dialog)
    assert {row.outcome for row in rows} == {"ran"}
    assert all(row.median_ms and row.occupancy and row.reports for row in rows)
    assert "best: block=" in dialog.bar.text
    assert dialog.editor.model.index(0, KIND).data() == "block"


@pytest.mark.usefixtures("driver")
def test_other_compilers_are_an_axis_and_can_be_those_of_the_window(started, twin):
    combo = started.find(QComboBox, "toolchainCombo")
    assert not combo.isVisible()
    started.state.other_toolchains.add(twin.folder)
    started.wait(lambda: combo.count() == 2)
    assert combo.itemText(1) == f"CUDA {twin.version}"
    dialog = opened(started)
    axis = AxisText(AxisKind.TOOLCHAIN, "", f"own; {twin.version}")
    assert dialog.editor.model.rows[-1] == axis
    vary(dialog, (AxisKind.TARGET, "", "sm_90"), (axis.kind, "", axis.values))
    rows = run(started, dialog)
    assert [row.variant.build.toolchain for row in rows] == ["", twin.folder]
    assert {row.outcome for row in rows} == {"built"}
    result = started.next_result(lambda: dialog.table.variant_activated.emit(rows[1]))
    assert result.ok
    assert started.state.outputs.good.request.toolchain == twin.folder
    assert combo.currentData() == twin.folder
    started.next_result(lambda: combo.activated.emit(0))
    assert started.state.outputs.good.request.toolchain == ""
