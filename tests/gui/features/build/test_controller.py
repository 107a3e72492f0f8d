from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QToolButton

from jitstudio.core.result import Outcome
from jitstudio.gui.shell.status_line import StatusLine
from tests.support import QUICK_ARCH

# Compiled for minutes.
_ENDLESS = """
template <int N> __device__ int slow(int x) { return slow<N - 1>(x) + slow<N - 1>(x + N); }
template <> __device__ int slow<0>(int x) { return x; }
"""


def test_the_status_bar_follows_text_gpu_and_build(started, tmp_path):
    status = started.find(StatusLine, "statusBar")
    encoding = started.find(QLabel, "encodingLabel")
    gpu = started.find(QToolButton, "gpuButton")
    assert encoding.text() == "UTF-8 · LF"
    assert started.find(QLabel, "targetLabel").text() == str(QUICK_ARCH)
    assert started.find(QLabel, "builtLabel").text().startswith("Built at ")
    assert gpu.text() == "GPU: not checked yet"

    file = tmp_path / "windows.cu"
    file.write_bytes(b"__global__ void k() {}\r\n")
    started.next_result(lambda: started.files.open_paths([file]))
    assert encoding.text() == "UTF-8 · CRLF"
    started.trigger("welcomeAction")
    assert encoding.text() == ""
    assert started.find(QLabel, "positionLabel").text() == ""

    gpu.click()
    started.wait(lambda: started.state.launches.devices is not None)
    assert gpu.text() == started.state.launches.devices.choices[0].name

    # A build that goes on can be cancelled here.
    started.state.documents.current = started.state.documents.named("windows.cu")
    cancel = started.find(QToolButton, "cancelBuild")
    assert not cancel.isVisible()
    started.editor.setPlainText(f"{_ENDLESS}__global__ void k(int* p) {{ *p = slow<28>(*p); }}")
    started.trigger("buildAction")
    started.wait(cancel.isVisible)
    assert started.find(QAction, "cancelAction").isEnabled()
    assert status.state.endswith(" s")
    assert started.next_result(cancel.click).outcome is Outcome.CANCELLED
    assert not cancel.isVisible()


def test_each_field_of_the_bar_is_named_for_screen_readers(started):
    target = started.find(QComboBox, "archCombo").lineEdit()
    options = started.find(QLineEdit, "optionsEdit")
    named = {target: "Target architecture", options: "Compiler and linker options"}
    for field, name in named.items():
        spoken = QAccessible.queryAccessibleInterface(field)
        assert spoken.text(QAccessible.Text.Name) == name
