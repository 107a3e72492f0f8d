from jitstudio.core.arch import Arch
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.toolchain_info import (
    ArchInfo,
    DoctorFinding,
    ToolchainInfo,
    ToolInfo,
    gpu_findings,
    tool_findings,
    window_finding,
)
from jitstudio.core.tools import Tool

_MISSING = "libnvJitLink was not found. Install it with: python3 -m pip install x"


def test_tools_are_told_with_version_origin_and_file_or_with_what_to_do():
    info = ToolchainInfo(
        (
            ToolInfo(Tool.NVRTC, "13.4", "/lib/libnvrtc.so", "site-packages", "nvrtc 13.4.92"),
            ToolInfo(Tool.NVVM, "2.0", "/lib/libnvvm.so", "CUDA_PATH"),
            ToolInfo(Tool.NVJITLINK, problem=_MISSING),
        ),
        (ArchInfo(Arch.parse("sm_90"), 7), ArchInfo(Arch.parse("sm_100"), None)),
    )
    assert list(tool_findings(info)) == [
        DoctorFinding("NVRTC", "13.4, nvrtc 13.4.92", "/lib/libnvrtc.so", is_tool=True),
        DoctorFinding("libNVVM", "2.0, CUDA_PATH", "/lib/libnvvm.so", is_tool=True),
        DoctorFinding("nvJitLink", problem=_MISSING, is_tool=True),
        DoctorFinding("targets", "sm_90 (LLVM 7)  sm_100"),
    ]


def test_without_nvrtc_no_targets_are_promised():
    *_, targets = tool_findings(ToolchainInfo((), ()))
    assert targets.state == ""
    assert "NVRTC" in targets.problem


def test_a_driver_without_a_gpu_has_both_its_version_and_its_problem():
    found = list(gpu_findings(DeviceList("13.0", problem="There is no GPU.")))
    assert found == [DoctorFinding("driver", "serves CUDA 13.0", problem="There is no GPU.")]


def test_a_window_that_cannot_be_opened_comes_with_the_remedy():
    assert window_finding("", "") == DoctorFinding("window", "can be opened")
    told = window_finding("Qt needs libxcb.", "apt-get install -y libxcb1")
    assert told.problem == "Qt needs libxcb.\nOn Debian and Ubuntu: apt-get install -y libxcb1"
    assert told.state == ""
