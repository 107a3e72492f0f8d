import getpass
import platform
import socket
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QTreeWidget

from jitstudio import __version__
from jitstudio.commands.versions import markdown_table
from jitstudio.core.arch import Arch
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.toolchain_info import ArchInfo, ToolchainInfo, ToolInfo
from jitstudio.core.tools import Tool
from jitstudio.gui.features.help.dialogs import AboutDialog, ToolchainDialog, versions
from tests.devices import H200

_HOME = str(Path.home())
INFO = ToolchainInfo(
    (
        ToolInfo(Tool.NVRTC, "13.4", f"{_HOME}/venv/libnvrtc.so", "site-packages", "nvrtc 13.4.92"),
        ToolInfo(Tool.NVVM, "2.0", f"{_HOME}/cuda/libnvvm.so", "CUDA_PATH"),
        ToolInfo(Tool.NVJITLINK, problem=f"It is not in {_HOME}/venv. Install it."),
    ),
    (),
)


def test_all_parts_are_told_with_their_versions(qapp):
    told = dict(versions(INFO, DeviceList("13.0", (H200,))))
    assert told["jitstudio"] == __version__
    assert told["Python"] == platform.python_version()
    assert told["NVRTC"] == "13.4, nvrtc 13.4.92"
    assert told["nvJitLink"] == "not found"
    assert told["driver"] == "serves CUDA 13.0"
    assert H200.name in told["GPU 0"]
    assert all(told[name][0].isdigit() for name in ("PySide6", "Qt", "cuda-core", "cuda-bindings"))


def test_what_nobody_has_looked_for_is_not_called_missing(qapp):
    told = dict(versions(None, None))
    assert told["Tools"] == told["GPU"] == "not checked yet"
    assert dict(versions(INFO, DeviceList(problem="No driver.")))["driver"] == "not found"


def test_the_report_is_a_table_that_tells_nothing_of_the_user(qapp):
    text = markdown_table(versions(INFO, DeviceList("13.0", (H200,))))
    first, second, *rows = text.rstrip("\n").split("\n")
    assert (first, second) == ("| | version |", "| --- | --- |")
    assert all(row.count("|") == 3 for row in rows)
    for private in (
        _HOME,
        f"/{getpass.getuser()}",
        socket.gethostname(),
        str(Path.cwd()),
        H200.uuid,
    ):
        assert private not in text


def test_it_lists_versions_and_copies_them_as_a_table(qtbot):
    dialog = AboutDialog((("jitstudio", "1.0"), ("NVRTC", "13.4, nvrtc | x")))
    qtbot.addWidget(dialog)
    table = dialog.findChild(QTreeWidget, "versionsTable")
    rows = [table.topLevelItem(n) for n in range(table.topLevelItemCount())]
    assert [(row.text(0), row.text(1)) for row in rows] == [
        ("jitstudio", "1.0"),
        ("NVRTC", "13.4, nvrtc | x"),
    ]
    assert dialog.findChild(QLabel, "copiedHint").text() == ""
    dialog.findChild(QPushButton, "copyReport").click()
    assert QGuiApplication.clipboard().text() == (
        "| | version |\n| --- | --- |\n| jitstudio | 1.0 |\n| NVRTC | 13.4, nvrtc / x |\n"
    )
    assert dialog.findChild(QLabel, "copiedHint").text().startswith("Copied")
    licences = dialog.findChild(QLabel, "licences").text()
    assert "Apache License 2.0" in licences
    assert "SIL Open Font License" in licences


_PROBLEM = "nvJitLink is not here. Install it."


def test_each_tool_has_a_row_and_what_is_missing_says_why(qtbot):
    tools = (
        ToolInfo(Tool.NVRTC, "13.4", "/lib/libnvrtc.so", "site-packages", "nvrtc 13.4.92"),
        ToolInfo(Tool.NVJITLINK, problem=_PROBLEM),
    )
    dialog = ToolchainDialog(ToolchainInfo(tools, (ArchInfo(Arch.parse("sm_90"), 7),)))
    qtbot.addWidget(dialog)
    table = dialog.findChild(QTreeWidget)
    rows = [table.topLevelItem(n) for n in range(table.topLevelItemCount())]
    assert [[row.text(column) for column in range(4)] for row in rows] == [
        ["NVRTC", "13.4", "nvrtc 13.4.92", "/lib/libnvrtc.so"],
        ["nvJitLink", "missing", "", _PROBLEM],
    ]
    assert dialog.findChild(QLabel).text() == f"Targets of this NVRTC: sm_90.\n{_PROBLEM}"
