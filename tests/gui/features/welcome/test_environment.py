from jitstudio.core.launch.device import DeviceList
from jitstudio.core.toolchain_info import DoctorFinding, ToolchainInfo, ToolInfo
from jitstudio.core.tools import Tool
from jitstudio.gui.features.welcome.controller import Environment


def test_what_nobody_has_looked_for_is_neither_found_nor_wrong(qapp):
    assert Environment().findings == (DoctorFinding("driver"), DoctorFinding("window"))


def test_findings_come_in_one_by_one_and_keep_the_order_of_the_command_line(qtbot):
    environment = Environment()
    environment.take_devices(DeviceList("13.0", problem="There is no GPU."))
    environment.take_toolchain(ToolchainInfo((ToolInfo(Tool.NVRTC, "13.4"),), ()))
    with qtbot.waitSignal(environment.changed):
        environment.check_window()
    names = [finding.name for finding in environment.findings]
    assert names == ["NVRTC", "targets", "driver", "window"]
    # The tests themselves have a platform that needs no display.
    assert environment.findings[-1].found == "can be opened"
