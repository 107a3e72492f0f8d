import pytest
from PySide6.QtCore import QDeadlineTimer

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, Artifact, CodeKind
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.services.analysis_service import AnalysisService
from jitstudio.gui.state.disassembly_cache import DisassemblyCache, cubin_of
from jitstudio.gui.state.outputs import Built
from jitstudio.worker.builder import Builder
from tests.support import KERNEL, cuda, request


def built(*artifacts):
    return Built(request(cuda(KERNEL)), BuildResult(Outcome.BUILT, Arch(90), artifacts=artifacts))


def cubin(content=b"no cubin", name="kernel.cu"):
    return Artifact(CodeKind.CUBIN, name, content)


@pytest.fixture
def readings(qapp):
    service = AnalysisService()
    yield DisassemblyCache(service)
    service.begin_closing()
    service.wait_closed(QDeadlineTimer(10_000))


def test_the_link_goes_before_its_modules():
    assert cubin_of(built(cubin(), cubin(name=LINKED))).name == LINKED
    assert cubin_of(built(cubin())).name == "kernel.cu"
    assert cubin_of(built(Artifact(CodeKind.PTX, "kernel.cu", b""))) is None


def test_a_cubin_is_read_once(readings, qtbot):
    host = Builder()
    try:
        wanted = request(cuda(KERNEL), emit="cubin")
        made = Built(wanted, host.build(wanted))
    finally:
        host.close()
    assert readings.code(made) is None
    readings.ask(made)
    readings.ask(made)
    with qtbot.waitSignal(readings.changed, timeout=60_000):
        pass
    assert readings.code(made).function("fine").is_kernel
    assert readings.problem(made) == ""
    with qtbot.assertNotEmitted(readings.changed, wait=300):
        readings.ask(made)


def test_what_cannot_be_read_is_told(readings, qtbot):
    broken = built(cubin())
    with qtbot.waitSignal(readings.changed, timeout=60_000):
        readings.ask(broken)
    assert readings.code(broken) is None
    assert "kernel.cubin" in readings.problem(broken)


def test_without_machine_code_nothing_is_asked(readings, qtbot):
    with qtbot.assertNotEmitted(readings.changed, wait=300):
        readings.ask(built())
