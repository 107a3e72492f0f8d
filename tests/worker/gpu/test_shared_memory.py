"""Whether the driver needs /dev/shm: it may write there, and so to the files of others.

Landlock knows folders only: leave for the driver's files is leave for all. Where both tests pass on
drivers old and new, `SHARED_MEMORY` of `worker/sandbox/system_paths` can go.
"""

from dataclasses import replace

import pytest

from jitstudio.worker.host import WorkerHost
from jitstudio.worker.programs.launch import LAUNCHING, ListDevices, WarmUp
from jitstudio.worker.protocol import Call, Done
from jitstudio.worker.sandbox.access import Need, SandboxAccess
from tests.support import ROOT

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("own_workers")]

NEED = Need(SandboxAccess(gpu=True))


@pytest.fixture
def worker(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    host = WorkerHost(0, replace(LAUNCHING, module="tests.worker.gpu.without_shared_memory"))
    yield host
    host.close()


@pytest.mark.xfail(reason="not measured yet", strict=False)
def test_the_driver_opens_a_gpu_without_shared_files(worker):
    told = worker.ask(Call(1, ListDevices()), lambda event: None, NEED)
    assert isinstance(told, Done)
    assert told.answer.devices, told.answer.problem
    opened = worker.ask(Call(2, WarmUp(0)), lambda event: None, NEED)
    assert isinstance(opened, Done)
    assert not opened.spent
