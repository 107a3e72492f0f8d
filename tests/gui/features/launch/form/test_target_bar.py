from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QToolButton

from jitstudio.core.diagnostics import Fix, FixKind
from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.gui.features.launch.form.target_bar import TargetBar
from tests.devices import H200, ONE_H200
from tests.gui.launch_kernels import SAXPY, TICK
from tests.gui.rich_text import plain

TWO = DeviceList("13.0", (H200, replace(H200, ordinal=1, name="NVIDIA L4", capability="8.9")))


@pytest.fixture
def bar(qtbot):
    bar = TargetBar()
    qtbot.addWidget(bar)
    bar.show()
    return bar


def combo(bar, name):
    return bar.findChild(QComboBox, name)


def label(bar, name):
    return bar.findChild(QLabel, name)


def test_until_somebody_has_looked_there_is_nothing_to_choose(bar):
    assert combo(bar, "deviceCombo").placeholderText() == "Looking for GPUs…"
    assert "kernel to launch" in combo(bar, "kernelCombo").placeholderText()
    assert not combo(bar, "deviceCombo").isEnabled()
    assert not combo(bar, "kernelCombo").isEnabled()
    assert (bar.kernel, bar.device) == ("", None)
    assert not label(bar, "deviceHint").isVisible()


def test_without_a_gpu_it_says_what_works(bar):
    report = QAction("Go to report", bar, objectName="reportAction")
    bar.set_actions(QAction(bar), QAction(bar), (report,))
    instead = bar.findChild(QToolButton, "reportActionInstead")
    assert not instead.isVisible()
    bar.set_devices(DeviceList(problem="No driver."))
    assert (instead.isVisible(), instead.text()) == (True, "Go to report")
    assert combo(bar, "deviceCombo").currentText() == "Simulator (no GPU)"
    assert bar.device == SIMULATOR
    assert label(bar, "deviceHint").isVisible()
    assert label(bar, "deviceHint").text().startswith("No driver. The simulator")
    bar.set_devices(ONE_H200)
    assert not instead.isVisible()
    assert not label(bar, "deviceHint").isVisible()


def test_devices_are_told_with_capability_and_memory(bar):
    bar.set_devices(ONE_H200)
    device = combo(bar, "deviceCombo")
    assert device.currentText() == "0: NVIDIA H200, 9.0, 138.8 GiB free of 139.8 GiB"
    assert "Driver for CUDA 13.0" in device.itemData(0, Qt.ItemDataRole.ToolTipRole)
    assert plain(device.toolTip()) == [
        "The GPU to launch on, or the simulator",
        device.currentText(),
    ]
    assert bar.device == 0


def test_a_device_is_chosen_and_stays_so(bar, qtbot):
    bar.set_devices(TWO)
    with qtbot.waitSignal(bar.device_chosen) as chosen:
        QTest.keyClick(combo(bar, "deviceCombo"), Qt.Key.Key_Down)
    assert chosen.args == [1]
    with qtbot.assertNotEmitted(bar.device_chosen):
        bar.set_devices(TWO)
        assert bar.device == 1
        bar.set_devices(ONE_H200)
    assert bar.device == 0


def test_a_remembered_device_is_shown(bar):
    bar.set_devices(TWO)
    bar.set_device(1)
    assert bar.device == 1
    bar.set_device(7)
    assert bar.device == 0


def test_a_kernel_is_chosen_by_its_title(bar, qtbot):
    with qtbot.assertNotEmitted(bar.kernel_chosen):
        bar.set_kernels((SAXPY, TICK), "saxpy<float>")
    kernels = combo(bar, "kernelCombo")
    assert [kernels.itemText(row) for row in range(2)] == ["saxpy<float>", "tick"]
    assert "saxpy.cu, line 7" in kernels.itemData(0, Qt.ItemDataRole.ToolTipRole)
    with qtbot.waitSignal(bar.kernel_chosen) as chosen:
        QTest.keyClick(kernels, Qt.Key.Key_Down)
    assert chosen.args == ["tick"]
    assert bar.kernel == "tick"


def test_one_button_runs_or_stops(bar, qtbot):
    run, stop = QAction("Run", bar), QAction("Stop", bar)
    bar.set_actions(run, stop)
    run_button, stop_button = (bar.findChild(QToolButton, n) for n in ("runButton", "stopButton"))
    assert (run_button.isVisible(), stop_button.isVisible()) == (True, False)
    with qtbot.waitSignal(run.triggered):
        run_button.click()
    bar.activateWindow()
    run_button.setFocus()
    bar.set_running(True)
    assert (run_button.isVisible(), stop_button.isVisible()) == (False, True)
    assert stop_button.hasFocus()
    with qtbot.waitSignal(stop.triggered):
        QTest.keyClick(stop_button, Qt.Key.Key_Space)


def test_problems_of_code_device_and_launch_have_their_places(bar):
    bar.show_problems(
        (
            SpecProblem("code", "The cubin is for sm_100.", "Build for sm_90."),
            SpecProblem("device", "It is gone."),
            SpecProblem("kernel", "There are two."),
        )
    )
    assert label(bar, "deviceProblem").text() == (
        "The cubin is for sm_100. Build for sm_90.\nIt is gone."
    )
    assert label(bar, "kernelProblem").text() == "There are two."
    bar.show_general((SpecProblem("", "Something else."),))
    assert label(bar, "launchProblem").text() == "Something else."


def test_what_can_be_done_about_the_code_is_a_button(bar, qtbot):
    fix = Fix("Build for sm_90", FixKind.SET_ARCH, "sm_90")
    bar.show_problems((SpecProblem("code", "It is for another GPU.", "Build anew.", fix=fix),))
    button = bar.findChild(QPushButton, "launchFixButton")
    assert (button.isVisible(), button.text()) == (True, "Build for sm_90")
    with qtbot.waitSignal(bar.fix_requested) as asked:
        button.click()
    assert asked.args == [fix]
    bar.show_problems(())
    assert not button.isVisible()
