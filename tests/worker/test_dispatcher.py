"""The queue in front of a real worker."""

import threading
import time
from contextlib import contextmanager

import pytest
from jitstudio.worker.build_desk import BuildDesk, EmptyCache
from jitstudio.worker.dispatcher import Dispatcher

from jitstudio.cache.store import Store
from jitstudio.core.request import ProbeRequest
from jitstudio.core.result import Outcome
from jitstudio.core.tools import Tool
from jitstudio.worker.builder import Builder
from tests.support import CRASHING, GOOD, SLOW, cuda, request

pytestmark = pytest.mark.tools

PATIENCE = 30.0


class Diary:
    """A listener that writes everything down."""

    def __init__(self):
        self.entries = []
        self._written = threading.Condition()

    def started(self, ticket):
        self._write("started", ticket)

    def told(self, ticket, event):
        self._write("told", ticket, event)

    def built(self, ticket, result):
        self._write("built", ticket, result)

    def probed(self, ticket, info):
        self._write("probed", ticket, info)

    def emptied(self, ticket, size):
        self._write("emptied", ticket, size)

    def broke(self, ticket, message):
        self._write("broke", ticket, message)

    def dropped(self, ticket):
        self._write("dropped", ticket)

    def _write(self, *entry):
        with self._written:
            self.entries.append(entry)
            self._written.notify_all()

    def wait_for(self, what, ticket):
        """The first entry of this kind about this ticket, as soon as it is written."""

        def found():
            return next((e for e in self.entries if e[:2] == (what, ticket)), None)

        with self._written:
            assert self._written.wait_for(found, PATIENCE), f"{what} {ticket} never came"
            return found()

    def outcome(self, ticket):
        return self.wait_for("built", ticket)[2].outcome

    def tickets(self, what):
        return [entry[1] for entry in self.entries if entry[0] == what]


@pytest.fixture
def diary():
    return Diary()


@contextmanager
def serving(diary, grace):
    queue = Dispatcher(BuildDesk(Builder(), diary, timeout=60), diary, grace=grace)
    thread = threading.Thread(target=queue.serve)
    thread.start()
    yield queue
    queue.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()


@pytest.fixture
def dispatcher(diary):
    with serving(diary, grace=0.1) as queue:
        yield queue


@pytest.fixture
def patient(diary):
    """Leaves any build but a slow one enough time to end."""
    with serving(diary, grace=PATIENCE) as queue:
        yield queue


def edit(number):
    """What the user has typed after so many keys."""
    text = f'extern "C" __global__ void k{number}() {{}}\n'
    return request(cuda(text))


def test_a_build_starts_tells_and_ends(dispatcher, diary):
    ticket = dispatcher.submit("build", GOOD)
    assert diary.outcome(ticket) is Outcome.BUILT
    kinds = [entry[0] for entry in diary.entries if entry[1] == ticket]
    assert kinds == ["started", "told", "told", "built"]


def test_of_a_queue_of_quick_edits_the_newest_wins(dispatcher, diary):
    # Whatever is typed within a build of something else.
    other = dispatcher.submit("other", SLOW)
    diary.wait_for("started", other)
    tickets = [dispatcher.submit("build", edit(n)) for n in range(30)]
    dispatcher.cancel("other")
    result = diary.wait_for("built", tickets[-1])[2]
    assert result.ok
    assert [kernel.name for kernel in result.kernels] == ["k29"]
    assert diary.tickets("started") == [other, tickets[-1]]
    assert diary.tickets("dropped") == tickets[:-1]


def test_a_slow_build_makes_way_for_a_newer_one_after_the_grace(dispatcher, diary):
    slow = dispatcher.submit("build", SLOW)
    diary.wait_for("told", slow)
    start = time.monotonic()
    newer = dispatcher.submit("build", GOOD)
    assert diary.outcome(slow) is Outcome.CANCELLED
    assert time.monotonic() - start >= 0.1
    assert diary.outcome(newer) is Outcome.BUILT


def test_a_build_that_is_done_within_the_grace_is_not_killed(patient, diary):
    tickets = [patient.submit("build", edit(1))]
    diary.wait_for("started", tickets[0])
    tickets.append(patient.submit("build", edit(2)))
    assert [diary.outcome(ticket) for ticket in tickets] == [Outcome.BUILT, Outcome.BUILT]


def test_the_end_of_a_grace_harms_no_later_build(dispatcher, diary):
    first = dispatcher.submit("build", edit(1))
    diary.wait_for("started", first)
    second = dispatcher.submit("build", edit(2))
    # Whether the first one was in time is another matter.
    assert diary.outcome(first) in (Outcome.BUILT, Outcome.CANCELLED)
    assert diary.outcome(second) is Outcome.BUILT
    time.sleep(0.2)
    assert diary.outcome(dispatcher.submit("build", edit(3))) is Outcome.BUILT


def test_cancel_drops_what_waits_and_kills_what_runs(dispatcher, diary):
    running = dispatcher.submit("build", SLOW)
    diary.wait_for("told", running)
    other = dispatcher.submit("other", GOOD)
    waiting = dispatcher.submit("build", GOOD)
    dispatcher.cancel("build")
    diary.wait_for("dropped", waiting)
    assert diary.outcome(running) is Outcome.CANCELLED
    assert diary.outcome(other) is Outcome.BUILT
    assert waiting not in diary.tickets("started")


def test_cancel_of_one_tag_leaves_the_other_alone(dispatcher, diary):
    running = dispatcher.submit("build", SLOW)
    diary.wait_for("told", running)
    waiting = dispatcher.submit("other", GOOD)
    dispatcher.cancel("other")
    diary.wait_for("dropped", waiting)
    assert running not in diary.tickets("built")
    dispatcher.cancel("build")
    assert diary.outcome(running) is Outcome.CANCELLED


def test_cancel_with_nothing_to_cancel_is_no_error(dispatcher, diary):
    dispatcher.cancel("build")
    assert diary.outcome(dispatcher.submit("build", GOOD)) is Outcome.BUILT


def test_a_crash_does_not_stop_the_queue(dispatcher, diary):
    crash = dispatcher.submit("build", CRASHING)
    assert diary.outcome(crash) is Outcome.CRASHED
    assert diary.outcome(dispatcher.submit("build", GOOD)) is Outcome.BUILT


def test_a_probe_and_a_build_share_the_worker(dispatcher, diary):
    probe = dispatcher.submit("probe", ProbeRequest())
    build = dispatcher.submit("build", GOOD)
    assert len(diary.wait_for("probed", probe)[2].tools) == len(Tool) - 1
    assert diary.outcome(build) is Outcome.BUILT


def test_the_cache_is_emptied_between_two_builds(diary, tmp_path):
    queue = Dispatcher(BuildDesk(Builder(store=Store(tmp_path / "cache")), diary), diary)
    thread = threading.Thread(target=queue.serve)
    thread.start()
    builds = []
    for empties in (False, False, True):
        if empties:
            emptied = queue.submit("cache", EmptyCache())
        builds.append(queue.submit("build", GOOD))
        diary.wait_for("built", builds[-1])
    results = [diary.wait_for("built", ticket)[2] for ticket in builds]
    queue.close()
    thread.join(PATIENCE)
    assert [result.stages[0].cached for result in results] == [False, True, False]
    assert diary.wait_for("emptied", emptied)[2] > 500


def test_submit_and_cancel_never_wait_for_the_worker(patient, diary):
    running = patient.submit("build", SLOW)
    diary.wait_for("told", running)
    start = time.monotonic()
    for number in range(50):
        patient.submit("build", edit(number))
    assert diary.tickets("started") == [running]
    patient.cancel("build")
    # Far less than the build takes.
    assert time.monotonic() - start < 5


def test_close_ends_a_running_build_quickly(diary):
    queue = Dispatcher(BuildDesk(Builder(), diary), diary)
    thread = threading.Thread(target=queue.serve)
    thread.start()
    diary.wait_for("told", queue.submit("build", SLOW))
    queue.close()
    # Far less than the build takes.
    thread.join(PATIENCE)
    assert not thread.is_alive()
