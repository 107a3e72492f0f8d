"""Files that were built before, opened in a real window like any other."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.result import Outcome
from tests.support import KERNEL, QUICK_ARCH, cuda, request


@pytest.fixture(scope="module")
def files(builder, tmp_path_factory):
    """A cubin for sm_80, a fatbin for two targets and the PTX of one of them."""
    folder = tmp_path_factory.mktemp("built")
    source = cuda(KERNEL, "k.cu")
    made = builder.build(request(source, emit="cubin,ptx", arch="sm_80"))
    whole = replace(request(source, emit="fatbin"), fat_archs=(QUICK_ARCH, Arch(80)))
    packed = builder.build(whole)
    for artifact in (*made.artifacts, *packed.artifacts):
        (folder / artifact.file_name).write_bytes(artifact.content)
    (folder / "broken.fatbin").write_bytes(packed.artifacts[0].content[:300])
    (folder / "broken.cubin").write_bytes(made.artifacts[0].content[:300])
    return folder


def shown(driver, kind):
    return "\n".join(driver.state.outputs.output(kind).listings[0].lines)


@pytest.mark.parametrize(("name", "target"), [("k.cubin", "sm_80"), ("k.fatbin", "sm_75")])
def test_a_file_is_read_like_the_output_of_a_build(start, files, name, target):
    driver = start(files / name)
    result = driver.results[-1]
    assert (result.ok, str(result.arch)) == (True, target)
    assert ".text.fine:" in shown(driver, CodeKind.SASS)
    assert ".entry fine(" in shown(driver, CodeKind.PTX)
    assert [kernel.name for kernel in result.kernels] == ["fine"]
    assert result.kernels[0].resources.registers > 0
    assert driver.find(QLabel, "targetLabel").text() == target
    disassembly = driver.state.disassembly
    disassembly.want("test", True)
    driver.wait(lambda: disassembly.current)
    assert disassembly.function.name == "fine"
    disassembly.want("test", False)


def test_another_target_shows_the_other_code_of_a_fatbin(start, files):
    driver = start(files / "k.fatbin")
    settings = driver.state.settings
    result = driver.next_result(lambda: setattr(settings, "arch", Arch(86)))
    assert (result.ok, result.arch) == (True, Arch(80))
    result = driver.next_result(lambda: setattr(settings, "arch", Arch(120)))
    assert result.outcome is Outcome.FAILED
    assert "machine code for sm_75 and sm_80" in result.diagnostics[0].message
    assert result.diagnostics[0].fix.value == "sm_80"


def test_a_damaged_file_is_told_in_words(start, files):
    driver = start(files / "broken.cubin")
    other = driver.next_result(lambda: driver.files.open_paths([files / "broken.fatbin"]))
    for result in (driver.results[0], other):
        assert not result.ok
        assert result.diagnostics
        assert "Traceback" not in result.diagnostics[0].message
