import shutil
from pathlib import Path

import pytest

from jitstudio.core.request import ProbeRequest
from jitstudio.core.tools import NO_COMPILERS, OPTIONAL_TOOLS, Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.probe import probe
from jitstudio.toolchain.tool_files import identity
from jitstudio.toolchain.tool_output import ToolMissing


def test_every_tool_is_here_with_version_and_package():
    info = probe(ProbeRequest())
    assert [tool.tool for tool in info.tools] == [tool for tool in Tool if tool not in NO_COMPILERS]
    assert info.problems == ()
    needed = [tool for tool in info.tools if tool.tool not in OPTIONAL_TOOLS]
    assert all(tool.version and tool.path and not tool.problem for tool in needed)
    packages = [tool.package for tool in info.tools if "site-packages" in tool.path]
    assert all(package.startswith(("nvidia-", "cuda-tile ")) for package in packages)


def test_each_target_comes_with_its_dialect():
    dialects = {a.arch.sm: a.llvm for a in probe(ProbeRequest()).archs}
    assert dialects["sm_90"] == 7
    assert dialects["sm_100"] > 15


def test_the_driver_is_asked_for_on_demand_only():
    assert probe(ProbeRequest()).driver is None
    driver = probe(ProbeRequest(devices=True)).driver
    assert driver is not None
    assert bool(driver.problem) is not bool(driver.driver_version)


@pytest.mark.parametrize("tool", [Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK, Tool.NVDISASM])
def test_a_tool_is_known_by_its_files(tool):
    file = identity(tool)
    assert file.path == locate.locate(tool)[0]
    assert file.path in {part.path for part in file.parts}
    assert file.is_there
    assert identity(tool) is file


@pytest.mark.parametrize(
    ("tool", "part"), [(Tool.NVRTC, "libnvrtc-builtins.so"), (Tool.NVVM, "libdevice.10.bc")]
)
def test_what_a_tool_loads_by_itself_belongs_to_it(tool, part):
    names = [Path(found.path).name for found in identity(tool).parts]
    assert any(name.startswith(part) for name in names)


def test_a_tool_that_has_changed_since_the_process_began_is_not_known(tmp_path, monkeypatch):
    program = tmp_path / "nvdisasm"
    shutil.copy2(locate.locate(Tool.NVDISASM)[0], program)
    monkeypatch.setattr(locate, "locate", lambda tool: (str(program), ""))
    identity.cache_clear()
    assert identity(Tool.NVDISASM) is None
    identity.cache_clear()


def test_a_tool_that_is_missing_has_no_file(monkeypatch):
    def missing(tool):
        raise ToolMissing(tool, "not here")

    monkeypatch.setattr(locate, "locate", missing)
    identity.cache_clear()
    assert identity(Tool.NVRTC) is None
    identity.cache_clear()
