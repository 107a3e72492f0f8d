"""Without a driver only its absence can be tested; the rest needs a GPU."""

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.kernel_resources import cubin_resources
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import driver, driver_jit
from jitstudio.toolchain.tool_output import ToolMissing
from tests.support import ptx

K = CodeKind
BODY = ".visible .entry k() { .reg .b32 %r<2>; mov.u32 %r1, 1; ret; }"


def assembled(body, *options):
    source = ptx("k.ptx", body)
    inputs = ((Ref(K.PTX, "k.ptx"), source.content),)
    return driver_jit.assemble(Job(Tool.DRIVER, "k.ptx", inputs, (K.CUBIN,), options))


def arch():
    capability = driver.describe().devices[0].capability
    return f"-arch=sm_{capability.replace('.', '')}"


@pytest.mark.skipif(not driver.describe().problem, reason="a driver is here")
def test_without_a_driver_the_words_say_what_else_to_do():
    with pytest.raises(ToolMissing, match=r"^PTX cannot be assembled by the driver: .*nvJitLink"):
        driver_jit.version()


@pytest.mark.gpu
def test_the_driver_tells_its_version():
    assert driver_jit.version() == driver.describe().driver_version


@pytest.mark.gpu
def test_ptx_becomes_a_cubin_with_its_log():
    report = assembled(BODY, arch(), "-lineinfo")
    assert report.ok, report.error_log
    assert tuple(cubin_resources(report.code[K.CUBIN])) == ("k",)
    assert "k" in report.log
    assert report.options == (arch(), "-lineinfo", "-verbose")


@pytest.mark.gpu
def test_what_the_driver_refuses_is_told_by_its_log():
    report = assembled(".visible .entry k() { frobnicate; }", arch())
    assert not report.ok
    assert "line 4" in report.error_log
    assert report.code == {}


@pytest.mark.gpu
def test_an_option_that_the_driver_lacks_is_not_sent():
    report = assembled(BODY, arch(), "-Xptxas=-v", "-maxrregcount=32", "-O3")
    assert report.ok, report.error_log
    assert report.options == (arch(), "-maxrregcount=32", "-O3", "-verbose")


@pytest.mark.gpu
def test_a_ptx_version_newer_than_the_driver_is_refused_in_words():
    source = ptx("k.ptx", BODY).content.replace(b".version 8.0", b".version 99.0")
    inputs = ((Ref(K.PTX, "k.ptx"), source),)
    report = driver_jit.assemble(Job(Tool.DRIVER, "k.ptx", inputs, (K.CUBIN,), (arch(),)))
    assert not report.ok
    assert "99.0" in report.error_log


@pytest.mark.gpu
def test_the_gpus_are_listed():
    found = driver.describe()
    assert found.problem == ""
    assert [device.ordinal for device in found.devices] == list(range(len(found.devices)))
    first = found.devices[0]
    assert first.name.strip()
    assert first.name.isprintable()
    assert first.memory > 1 << 30
    assert float(first.capability) >= 7.5
