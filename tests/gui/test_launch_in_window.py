"""The launch panel in a real window with real workers; here without a driver, or with any GPU."""

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QTableView, QToolButton

from jitstudio.core.arch import Arch
from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.launch.result import LaunchOutcome
from jitstudio.core.request import LinkMode
from jitstudio.gui.features.launch.models.arguments_model import DIRECTION, FILL, VALUE
from jitstudio.gui.features.launch.models.launch_text import notes_of
from jitstudio.gui.features.variants.dialog import VariantsDialog
from jitstudio.toolchain.driver import describe
from tests.gui.driver import Driver, pause
from tests.support import ROOT

WITHOUT_DRIVER = pytest.mark.skipif(not describe().problem, reason="there is a driver")
KERNELS = """\
extern "C" __global__ void twice(const int* x, int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
"""
ENDLESS = """\
extern "C" __global__ void endless(volatile int* out) { for (;;) *out = 1; }
"""
WILD = """\
extern "C" __global__ void wild(int* out) { out[1ll << 40] = 1; }
"""
BOX = """\
extern "C" __global__ void box(cudaTextureObject_t from, cudaSurfaceObject_t to,
                               int width, int height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    uchar4 left = tex2D<uchar4>(from, x - 0.5f, y + 0.5f);
    uchar4 right = tex2D<uchar4>(from, x + 1.5f, y + 0.5f);
    surf2Dwrite(make_uchar4((left.x + right.x) / 2, (left.y + right.y) / 2,
                            (left.z + right.z) / 2, (left.w + right.w) / 2), to, x * 4, y);
}
"""
TALKING = """\
extern "C" __global__ void talk() { printf("thread %d speaks\\n", threadIdx.x); }
"""


def write(driver, text):
    """Put another source into the current tab, and wait for its kernels."""

    def put():
        driver.editor.selectAll()
        driver.editor.insertPlainText(text)

    assert driver.next_result(put).ok
    form = driver.launch_form()
    driver.wait(lambda: form.form is not None and form.form.lowered in text)
    return form


def arguments(form):
    return dict(form.spec().arguments)


def test_the_form_is_made_of_the_signature(started):
    form = started.launch_form()
    assert [p.name for p in form.form.parameters] == ["a", "b", "sum", "n"]
    assert form.spec().expectations == ("sum = a + b",)
    combo = started.find(QComboBox, "kernelCombo")
    assert combo.currentText() == "vector_add"


def test_what_was_typed_stays_when_the_signature_changes(started):
    form = started.launch_form()
    model = form._arguments.model
    row = [p.name for p in form.form.parameters].index("n")
    model.setData(model.index(row, VALUE), "12345", Qt.ItemDataRole.EditRole)
    assert arguments(form)["n"] == "12345"
    started.next_result(lambda: started.replace("float* sum, int n", "float* sum, int n, int more"))
    started.wait(lambda: "more" in arguments(form))
    assert arguments(form)["n"] == "12345"


def test_it_is_all_there_after_the_next_start(qapp, tmp_path):
    first = Driver(qapp, tmp_path)
    first.start()
    form = first.launch_form()
    model = form._arguments.model
    model.setData(model.index(3, VALUE), "77", Qt.ItemDataRole.EditRole)
    first.close()
    second = Driver(qapp, tmp_path)
    try:
        second.start()
        assert arguments(second.launch_form())["n"] == "77"
    finally:
        second.close()


def test_a_value_that_cannot_be_is_marked_where_it_stands(started):
    form = started.launch_form()
    model = form._arguments.model
    model.setData(model.index(3, VALUE), "many", Qt.ItemDataRole.EditRole)
    tip = model.index(3, VALUE).data(Qt.ItemDataRole.ToolTipRole)
    assert "many" in tip


def test_the_keyboard_alone_fills_in_and_runs(started):
    QTest.keyClick(started.window, Qt.Key.Key_9, Qt.KeyboardModifier.ControlModifier)
    form = started.launch_form()
    table = started.find(QTableView, "argumentsView")
    table.setCurrentIndex(form._arguments.model.index(3, VALUE))
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_F2)
    started.press(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    for key in "4096":
        started.press(Qt.Key(ord(key)))
    # The text of the open cell counts, too.
    result = started.launch()
    assert arguments(form)["n"] == "4096"
    assert result.outcome is LaunchOutcome.RAN


@WITHOUT_DRIVER
def test_without_a_driver_the_simulator_runs_checks_and_counts(started):
    started.launch_form()
    result = started.launch()
    assert (result.outcome, [check.ok for check in result.checks]) == (LaunchOutcome.RAN, [True])
    results = started.pane("launch").results
    assert results.result.headline.text == "vector_add: Ran. The check passed."
    sectors = 3 * (1 << 20) * 4 // 32
    assert f"{sectors:,} sectors, 100% used" in results.result.headline.facts
    assert [row.line for row in results.counts.rows] == [5, 7, 8, 9, 11]
    assert results.counts.rows[3].requests == 3 * (1 << 20) // 32
    pane = started.pane("ptx")
    counted = [pane.columns.cells.row(n) for n, line in enumerate(pane.listing.lines) if line]
    assert sum(row.counts.sectors for row in counted if row) == sectors


@WITHOUT_DRIVER
def test_each_of_several_linked_modules_has_its_counts(started):
    """512 threads are 16 warps, which come to each instruction of both modules once."""
    assert started.open_sample("Link by PTX or LTO").ok
    state, pane = started.state, started.pane("ptx")
    assert started.next_result(lambda: setattr(state.settings, "link", LinkMode.PTX)).ok
    started.launch_form()
    spec = state.launch_specs.spec
    given = dict(spec.arguments) | {"n": "512"}
    state.launch_specs.edit(replace(spec, arguments=tuple(given.items())))
    assert started.launch().outcome is LaunchOutcome.RAN
    for name, function in (("user_transform.cu", ".func"), ("apply_transform.cu", ".entry")):
        pane.choose(name)
        lines, cells = pane.listing.lines, pane.columns.cells
        counted = {n: row.counts for n in range(len(lines)) if (row := cells.row(n))}
        body = next(n for n, line in enumerate(lines) if function in line and ".extern" not in line)
        # A call takes several lines, and is counted at the first of them.
        code = [n for n in range(body, len(lines)) if re.match(r"\t(\w.*;|@.*;|call.*)$", lines[n])]
        assert list(counted) == code, name
        assert {one.executions for one in counted.values()} == {16}
        loads = [n for n in code if "ld.global" in lines[n] or "st.global" in lines[n]]
        assert [counted[n].sectors for n in loads] == [64] * len(loads)
        assert [n for n in code if counted[n].requests] == loads
    counts = started.pane("launch").results.counts
    first = min(r.ptx_line for r in counts.rows if r.file.endswith("user_transform.cu"))
    counts.ptx_line_activated.emit(first)
    assert pane.listing.name == "user_transform.cu"
    assert "ld.param" in pane.listing.lines[pane.code_view.caret.line]


def test_bank_conflicts_of_a_transposition_are_drawn_and_gone_with_a_padded_tile(started):
    """As on any machine without a GPU: the tile of 32 by 32 floats, and that of 32 by 33."""
    path = ROOT / "tests/data/simulator/transpose.cu"
    assert started.next_result(lambda: started.files.open_paths([path])).ok
    started.launch_form()
    state, results = started.state, started.pane("launch").results
    started.wait(lambda: state.launches.devices is not None)
    state.launches.choose_device(SIMULATOR)
    for kernel, conflicts in (("tiled", 4 * 32 * 31), ("padded", 0)):
        arguments = (("out", "n*n:out"), ("in", "n*n:random"), ("n", "64"))
        state.launch_specs.choose(kernel)
        state.launch_specs.edit(
            replace(
                state.launch_specs.spec,
                grid="2,2",
                cover="",
                block="32,32",
                arguments=arguments,
                expectations=("out = in.reshape(64, 64).T",),
            )
        )
        result = started.launch()
        assert (result.ok, result.simulation.total.bank_conflicts) == (True, conflicts)
        lanes = [row.lanes for row in results.counts.picture.rows]
        if conflicts:
            # Each pass serves one lane, all of the same bank.
            assert lanes == [{0: (lane,)} for lane in range(32)]
            assert "[32 + 1] instead of [32]" in results.counts.words
            assert "Bank conflicts" in [note.text for note in notes_of(result)]
        else:
            assert len(lanes) == 1


@WITHOUT_DRIVER
@WITHOUT_DRIVER
def test_a_texture_is_bound_and_a_surface_is_looked_at(started):
    form = write(started, BOX)
    started.wait(lambda: arguments(form).get("to") == "uchar4[width,height]:zeros:out")
    assert arguments(form)["from"] == "uchar4[width,height]:random"
    model = form._arguments.model
    for row, column, text in (
        (0, FILL, "random(1,0,255)"),
        (0, DIRECTION, "border,linear"),
        (2, VALUE, "40"),
        (3, VALUE, "24"),
    ):
        assert model.setData(model.index(row, column), text, Qt.ItemDataRole.EditRole)
    problem = started.find(QLabel, "argumentsProblem")
    started.wait(lambda: "A linear filter works on floats" in problem.text())
    model.setData(model.index(0, DIRECTION), "border", Qt.ItemDataRole.EditRole)
    started.wait(lambda: not problem.isVisible())
    result = started.launch()
    assert result.outcome is LaunchOutcome.RAN, result.reason
    _, written = result.buffers
    assert (written.name, written.shape, written.unwritten) == ("to", (40, 24), 0)
    results = started.pane("launch").results
    results.tabs.setCurrentWidget(results.buffers)
    results.buffers.tabs.setCurrentWidget(results.buffers.image)
    width = started.find(QLineEdit, "imageWidth")
    started.wait(lambda: width.text() == "40")


def test_without_a_driver_it_says_once_what_can_be_done_next(started):
    started.launch_form()
    started.wait(lambda: not started.state.launches.has_devices)
    started.wait(lambda: started.state.launches.devices is not None)
    labels = started.pane("launch").findChildren(QLabel)
    (told,) = (label for label in labels if "No NVIDIA driver" in label.text())
    assert "The simulator runs the kernel here" in told.text()
    started.find(QToolButton, "sweepActionInstead").click()
    sweep = started.find(VariantsDialog, "variantsDialog")
    assert sweep.isVisible()
    sweep.close()
    started.find(QToolButton, "focusReportActionInstead").click()
    assert started.pane("report").isVisible()
    # Compiling goes on as ever.
    assert started.next_result(lambda: started.replace("a[i] + b[i]", "a[i] - b[i]")).ok


def test_without_a_kernel_there_is_nothing_to_run(started):
    started.next_result(lambda: started.replace('extern "C" __global__', "__device__"))
    form = started.pane("launch").form
    started.trigger("focusLaunchAction")
    started.wait(lambda: form.form is None)
    assert started.launch().outcome is LaunchOutcome.REFUSED


@pytest.mark.gpu
def test_a_sample_runs_and_is_checked(started):
    started.launch_form()
    started.wait(lambda: started.state.launches.has_devices)
    settings, number = started.state.settings, started.state.launches.device.number
    # libNVVM reads another dialect for newer targets.
    dialect = "opaque" if number >= 100 else "typed"
    for title in ("SAXPY", "Link by PTX or LTO", "Histogram", f"LLVM IR, {dialect}"):
        assert started.open_sample(title).ok
        # The sample's own target need not be that of this GPU.
        if settings.arch != Arch(number):
            assert started.next_result(lambda: setattr(settings, "arch", Arch(number))).ok
        started.launch_form()
        expected = started.pane("launch").form
        started.wait(lambda form=expected: form.spec().expectations)
        result = started.launch()
        assert result.ok, (title, result)
        assert result.checks


@pytest.mark.gpu
def test_an_endless_kernel_is_stopped_and_the_next_runs(started):
    write(started, ENDLESS)
    started.wait(lambda: started.state.launches.has_devices)
    came = []
    started.state.launches.finished.connect(came.append)
    started.trigger("runAction")
    pause(1500)
    assert started.find(QAction, "stopRunAction").isEnabled()
    # The window is alive: a build goes on meanwhile.
    assert started.next_result(lambda: started.replace("endless", "without_end")).ok
    started.trigger("stopRunAction")
    started.wait(lambda: came)
    assert came[0].outcome is LaunchOutcome.CANCELLED
    write(started, KERNELS)
    assert started.launch().ok


@pytest.mark.gpu
def test_an_illegal_address_is_explained_and_the_next_launch_works(started):
    write(started, WILD)
    started.wait(lambda: started.state.launches.has_devices)
    result = started.launch()
    assert result.outcome is LaunchOutcome.FAILED
    assert "memory that is" in started.pane("launch").results.result.headline.text
    write(started, KERNELS)
    assert started.launch().ok


@pytest.mark.gpu
def test_what_a_kernel_prints_is_in_the_console(started):
    write(started, TALKING)
    started.wait(lambda: started.state.launches.has_devices)
    assert started.launch().ok
    assert "thread 0 speaks" in started.pane("launch").results.console.text
