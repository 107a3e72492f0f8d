"""Capturing a program from the window. What a GPU loads is tested in tests/python."""

import os
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QLineEdit, QPlainTextEdit

from jitstudio.gui.features.capture.controller import CaptureDialog
from tests.support import ROOT

_Ok = QDialogButtonBox.StandardButton.Ok


@pytest.fixture
def dialog(qtbot, tmp_path):
    dialog = CaptureDialog(tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def start(dialog, program):
    dialog.findChild(QLineEdit, "captureProgram").setText(program)
    dialog.findChild(QDialogButtonBox).button(_Ok).click()


def problem(dialog):
    return dialog.findChild(QLabel, "captureProblem").text()


def test_the_command_opens_the_dialog_once(started):
    shown = partial(started.window.findChildren, CaptureDialog)
    for _ in range(2):
        started.trigger("captureAction")
        started.wait(lambda: any(dialog.isVisible() for dialog in shown()))
    (dialog,) = shown()
    dialog.close()


def test_nothing_runs_without_a_program(dialog):
    assert not dialog.findChild(QDialogButtonBox).button(_Ok).isEnabled()
    start(dialog, "python3 'half")
    assert problem(dialog) == "The program cannot be read: No closing quotation."


@pytest.mark.slow
def test_without_a_gpu_the_dialog_says_so(dialog, qtbot, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    start(dialog, "python3 -c pass")
    assert dialog.is_running
    assert not dialog.findChild(QLineEdit, "captureProgram").isEnabled()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=30_000)
    assert "jitstudio build script.py" in problem(dialog)
    assert "driver" in dialog.findChild(QPlainTextEdit, "capturePrinted").toPlainText()


def test_a_folder_that_is_not_there(dialog, qtbot):
    dialog.findChild(QLineEdit, "captureFolder").setText("/no/such/folder")
    start(dialog, "python3 -c pass")
    qtbot.waitUntil(lambda: bool(problem(dialog)))
    assert "cannot be started in /no/such/folder" in problem(dialog)
    assert not dialog.is_running


@pytest.mark.gpu
def test_what_a_program_loads_is_handed_over(dialog, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))))
    script = tmp_path / "p.py"
    script.write_text(
        "from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch\n"
        "Device(0).set_current()\n"
        "arch = 'sm_' + ''.join(map(str, Device(0).compute_capability))\n"
        "source = 'extern \"C\" __global__ void k() { __syncthreads(); }'\n"
        "code = Program(source, 'c++', ProgramOptions(arch=arch)).compile('cubin')\n"
        "stream = Device(0).create_stream()\n"
        "launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel('k'))\n"
        "stream.sync()\n"
        "print('done', flush=True)\n"
    )
    with qtbot.waitSignal(dialog.captured, timeout=60_000) as captured:
        start(dialog, f"python3 {script}")
    (files,) = captured.args
    assert any(Path(file).name.startswith("k-") for file in files)
    assert "done" in dialog.findChild(QPlainTextEdit, "capturePrinted").toPlainText()
