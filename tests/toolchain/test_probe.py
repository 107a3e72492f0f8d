from jitstudio.core.request import ProbeRequest
from jitstudio.core.tools import NO_COMPILERS, OPTIONAL_TOOLS, Tool
from jitstudio.toolchain.probe import probe


def test_every_tool_is_here_with_version_and_package():
    info = probe(ProbeRequest())
    assert [tool.tool for tool in info.tools] == [tool for tool in Tool if tool not in NO_COMPILERS]
    assert info.problems == ()
    needed = [tool for tool in info.tools if tool.tool not in OPTIONAL_TOOLS]
    assert all(tool.version and tool.path and not tool.problem for tool in needed)
    packages = [tool.package for tool in info.tools if "site-packages" in tool.path]
    assert all(package.startswith("nvidia-") for package in packages)


def test_each_target_comes_with_its_dialect():
    dialects = {a.arch.sm: a.llvm for a in probe(ProbeRequest()).archs}
    assert dialects["sm_90"] == 7
    assert dialects["sm_100"] > 15


def test_the_driver_is_asked_for_on_demand_only():
    assert probe(ProbeRequest()).driver is None
    driver = probe(ProbeRequest(devices=True)).driver
    assert driver is not None
    assert bool(driver.problem) is not bool(driver.driver_version)
