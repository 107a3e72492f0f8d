from PySide6.QtWidgets import QLabel, QTreeWidget

from jitstudio.core.arch import Arch
from jitstudio.core.toolchain_info import ArchInfo, ToolchainInfo, ToolInfo
from jitstudio.core.tools import Tool
from jitstudio.gui.features.help.dialogs import ToolchainDialog

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
