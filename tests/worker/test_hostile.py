"""Whatever a worker process says: nothing of it runs here, and the next call works."""

import itertools
import re
import threading
import time
import tracemalloc
from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job, Ref
from jitstudio.core.request import DemangleRequest
from jitstudio.core.result import Outcome
from jitstudio.core.tools import Tool
from jitstudio.worker.builder import Builder
from jitstudio.worker.host import ChildDeath, WorkerError, WorkerHost
from jitstudio.worker.pool import Pool
from jitstudio.worker.programs.build import BUILDING
from jitstudio.worker.protocol import Call, Done
from tests.support import KERNEL, cuda, request

pytestmark = [pytest.mark.tools, pytest.mark.usefixtures("own_workers")]

HOSTILE = replace(BUILDING, module="tests.worker.hostile_child")
QUICK = 20.0


tickets = itertools.count(1)


@pytest.fixture(scope="module")
def harm(tmp_path_factory):
    """A file that a hostile worker would have this process make."""
    path = tmp_path_factory.mktemp("hostile") / "harm"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARM", str(path))
        yield path


@pytest.fixture(scope="module")
def worker(harm):
    host = WorkerHost(0, HOSTILE)
    yield host
    host.close()


def ask(host, trick, ticket=None):
    call = Call(ticket or next(tickets), DemangleRequest((trick,)))
    return host.ask(call, lambda event: None)


def ask_job(host, trick, on_event):
    job = Job(Tool.NVRTC, trick, ((Ref(CodeKind.CUDA, trick), b""),), (CodeKind.PTX,), ())
    return host.ask(Call(next(tickets), job), on_event)


def assert_next_call_works(host):
    answer = ask(host, "good")
    assert isinstance(answer, Done)
    assert answer.answer == {"good": "good"}


@pytest.mark.parametrize(
    ("trick", "words"),
    [
        ("pickle", "its head has"),
        ("over-long", "4,294,967,295 bytes are more than the 268,435,456 that there may be"),
        ("claim", "1,073,741,824 bytes are more than the 268,435,456"),
        ("no frame", "bytes are more than"),
        ("empty", "unpack_from"),
        ("nesting", "RecursionError"),
        ("deep text", "list of 4"),
        ("head lies", ""),
        ("fields", "7 is not a list"),
        ("more fields", "list of 4"),
        ("trailing", "1 bytes are left"),
        ("ticket", "it answers another call"),
        ("other program", ""),
        ("event", "EventMessage"),
        ("other names", "names that nobody asked for"),
        ("wide text", "its texts take more than 268,435,456 bytes of memory"),
        ("long head", "its head has"),
    ],
)
def test_what_is_no_answer_is_a_death_and_the_next_call_works(worker, harm, trick, words):
    answer = ask(worker, trick)
    assert isinstance(answer, ChildDeath)
    assert (answer.killed, answer.by_itself) == (False, True)
    assert answer.nonsense
    assert re.search(words, answer.nonsense), answer.nonsense
    assert not harm.exists()
    assert_next_call_works(worker)


@pytest.mark.parametrize(
    ("trick", "words"),
    [
        ("flood", "it tells of more than 1,000 events"),
        ("other tool", "work that is not its own"),
        ("other module", "work that is not its own"),
        ("other kind", "it made what nobody asked for"),
        ("fix", "it offers to change a text or a setting"),
        ("tool file", "what lies at no place"),
        ("search", "what lies at no place"),
    ],
)
def test_an_answer_to_a_job_that_leads_astray_is_a_death(worker, trick, words):
    events = []
    answer = ask_job(worker, trick, on_event=events.append)
    assert isinstance(answer, ChildDeath)
    assert words in answer.nonsense
    assert len(events) == (1_000 if trick == "flood" else 0)
    assert_next_call_works(worker)


def test_a_text_with_one_wide_letter_takes_no_more_memory_than_its_frame(worker):
    tracemalloc.start()
    start = time.monotonic()
    try:
        answer = ask(worker, "wide text")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The frame, and a copy; as a text it would be 800 MB.
    assert most < 450_000_000
    assert time.monotonic() - start < QUICK
    assert "its texts take" in answer.nonsense


def test_half_a_frame_waits_no_longer_than_the_call_may(worker):
    ticket = next(tickets)
    threading.Timer(0.5, worker.kill, (ticket,)).start()
    start = time.monotonic()
    answer = ask(worker, "half a frame", ticket)
    assert (answer.killed, answer.nonsense) == (True, "")
    assert time.monotonic() - start < QUICK
    assert_next_call_works(worker)


def test_who_holds_the_pipe_of_a_killed_worker_holds_nobody_up(worker):
    worker.start()
    ticket = next(tickets)
    threading.Timer(2, worker.kill, (ticket,)).start()
    start = time.monotonic()
    assert ask(worker, "outlived", ticket).killed
    # The one left behind lives for eight seconds.
    assert time.monotonic() - start < 7
    assert_next_call_works(worker)


def test_a_call_that_nobody_reads_waits_no_longer_than_it_may(worker):
    assert ask(worker, "deaf").answer == {"deaf": "deaf"}
    ticket = next(tickets)
    threading.Timer(0.5, worker.kill, (ticket,)).start()
    assert ask(worker, "x" * 1_000_000, ticket).killed
    assert_next_call_works(worker)


@pytest.mark.parametrize("trick", ["late event", "chatter"])
def test_what_is_said_between_two_calls_is_answer_to_none(worker, trick):
    assert ask(worker, trick).answer == {trick: trick}
    pid = worker.pid
    time.sleep(0.5)
    assert_next_call_works(worker)
    assert worker.pid != pid


def test_what_is_printed_is_no_answer(worker):
    assert ask(worker, "noise").answer == {"noise": "noise"}
    pid = worker.pid
    assert_next_call_works(worker)
    assert worker.pid == pid


def hostile_builder():
    builder = Builder(workers=1)
    builder._pool = Pool([WorkerHost(0, HOSTILE)])
    return builder


@pytest.mark.parametrize(
    ("trick", "words"),
    [
        ("flood", "more than 1,000 events"),
        ("nothing", "it ended without a result"),
        ("pickle", "its head has"),
    ],
)
def test_a_build_with_a_hostile_worker_is_a_crash_in_words(harm, trick, words):
    builder = hostile_builder()
    try:
        result = builder.build(request(cuda(KERNEL, trick)))
        assert result.outcome is Outcome.CRASHED
        assert result.crash.signal == "no answer"
        assert result.crash.message.startswith("NVRTC sent ")
        assert words in result.crash.message
        assert "Traceback" not in result.crash.message
        assert not harm.exists()
    finally:
        builder.close()


def test_a_question_to_a_hostile_worker_is_answered_with_an_error_in_words():
    builder = hostile_builder()
    try:
        with pytest.raises(WorkerError, match=r"^The worker process sent what is not an answer \("):
            builder.demangle(DemangleRequest(("fields",)))
        assert builder.demangle(DemangleRequest(("good",))) == {"good": "good"}
    finally:
        builder.close()
