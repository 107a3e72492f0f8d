import os
import threading
from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.codec import CodecError
from jitstudio.core.events import StageFinished, StageStarted
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.worker.host import ChildDeath, WorkerError, WorkerHost
from jitstudio.worker.protocol import Call, Done
from tests.support import CRASHING_IR, KERNEL, SLOW_CUDA

pytestmark = [pytest.mark.tools, pytest.mark.usefixtures("own_workers")]


def job(text, tool=Tool.NVRTC, kind=CodeKind.CUDA, arch="compute_90"):
    source = (Ref(kind, "k"), text.encode())
    return Job(tool, "k", (source,), (CodeKind.PTX,), (f"-arch={arch}",))


GOOD_JOB, SLOW_JOB = job(KERNEL), job(SLOW_CUDA)
CRASHING_JOB = job(CRASHING_IR, Tool.NVVM, CodeKind.LLVM_IR, "compute_100")


@pytest.fixture
def worker():
    host = WorkerHost(memory_limit=0)
    yield host
    host.close()


def ask(host, wanted, ticket=1):
    events = []
    return host.ask(Call(ticket, wanted), events.append), events


def test_a_job_is_told_of_and_ends_with_the_file_of_its_tool(worker):
    answer, events = ask(worker, GOOD_JOB)
    assert [type(event) for event in events] == [StageStarted, StageFinished]
    assert "nvrtc" in answer.answer.tool.path
    assert os.path.isfile(answer.answer.tool.path)


def test_a_worker_says_whether_it_has_served(worker):
    worker.start()
    assert not worker.has_served
    ask(worker, GOOD_JOB)
    assert worker.has_served
    ask(worker, CRASHING_JOB)
    assert not worker.has_served


def test_a_crash_is_a_death_by_itself(worker):
    answer, events = ask(worker, CRASHING_JOB)
    assert isinstance(answer, ChildDeath)
    assert (answer.killed, answer.status, answer.by_itself) == (False, -4, True)
    assert [type(event) for event in events] == [StageStarted]
    assert isinstance(ask(worker, GOOD_JOB)[0], Done)


@pytest.mark.parametrize("error", [OSError("full"), EOFError("end"), CodecError("mine")])
def test_an_error_of_who_hears_the_child_is_no_death_of_the_child(worker, error):
    def hear(_event):
        raise error

    with pytest.raises(type(error), match=str(error)):
        worker.ask(Call(1, GOOD_JOB), hear)
    assert isinstance(ask(worker, GOOD_JOB, ticket=2)[0], Done)


def test_a_kill_ends_the_call_that_it_names(worker):
    def told(event):
        threading.Thread(target=worker.kill, args=(5,)).start()

    answer = worker.ask(Call(5, SLOW_JOB), told)
    assert (answer.killed, answer.by_itself) == (True, False)
    assert isinstance(ask(worker, GOOD_JOB, ticket=6)[0], Done)


def test_a_kill_of_another_call_harms_nobody(worker):
    worker.start()
    pid = worker.pid
    worker.kill(4)
    assert isinstance(ask(worker, GOOD_JOB, ticket=5)[0], Done)
    worker.kill(5)  # too late
    assert isinstance(ask(worker, GOOD_JOB, ticket=6)[0], Done)
    assert worker.pid == pid


def test_a_kill_that_comes_first_ends_the_call_before_it_begins(worker):
    worker.kill(5)
    answer, events = ask(worker, SLOW_JOB, ticket=5)
    assert answer.killed
    assert events == []


def test_a_rest_ends_the_process_and_the_next_call_starts_another(worker):
    worker.start()
    pid = worker.pid
    worker.rest()
    assert worker.pid is None
    assert isinstance(ask(worker, GOOD_JOB)[0], Done)
    assert worker.pid not in (None, pid)


def test_closed_it_answers_nobody(worker):
    worker.start()
    worker.close()
    assert worker.pid is None
    with pytest.raises(WorkerError, match="closed"):
        ask(worker, GOOD_JOB)


def test_a_bug_of_the_childs_own_is_told_with_its_place(worker):
    with pytest.raises(WorkerError, match="A bug in jitstudio broke this call"):
        ask(worker, replace(GOOD_JOB, inputs=()))
    assert isinstance(ask(worker, GOOD_JOB)[0], Done)
