import pytest
from PySide6.QtCore import QDeadlineTimer

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.features.compare.controller import DisassemblyCache
from jitstudio.gui.services.analysis_service import AnalysisService
from jitstudio.gui.state.outputs import Built
from jitstudio.worker.builder import Builder
from tests.support import KERNEL, cuda, request


def built(*artifacts):
    return Built(request(cuda(KERNEL)), BuildResult(Outcome.BUILT, Arch(90), artifacts=artifacts))


def cubin(content=b"no cubin", name="kernel.cu"):
    return Artifact(CodeKind.CUBIN, name, content)


@pytest.fixture
def cache(qapp):
    service = AnalysisService()
    yield DisassemblyCache(service)
    service.begin_closing()
    service.wait_closed(QDeadlineTimer(10_000))


def test_a_cubin_is_read_once(cache, qtbot):
    host = Builder()
    try:
        wanted = request(cuda(KERNEL), emit="cubin")
        made = Built(wanted, host.build(wanted))
    finally:
        host.close()
    assert cache.code(made) is None
    cache.ask(made)
    cache.ask(made)
    with qtbot.waitSignal(cache.changed, timeout=60_000):
        pass
    assert cache.code(made).function("fine").is_kernel
    assert cache.problem(made) == ""
    with qtbot.assertNotEmitted(cache.changed, wait=300):
        cache.ask(made)


def test_what_cannot_be_read_is_told(cache, qtbot):
    broken = built(cubin())
    with qtbot.waitSignal(cache.changed, timeout=60_000):
        cache.ask(broken)
    assert cache.code(broken) is None
    assert "kernel.cubin" in cache.problem(broken)


def test_without_machine_code_nothing_is_asked(cache, qtbot):
    with qtbot.assertNotEmitted(cache.changed, wait=300):
        cache.ask(built())
