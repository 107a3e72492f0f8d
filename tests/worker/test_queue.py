"""The queue in front of a real worker."""

import threading
import time

import pytest

from jitstudio.cache.store import Store
from jitstudio.core.request import ProbeRequest
from jitstudio.core.result import Outcome
from jitstudio.core.tools import Tool
from jitstudio.worker.builder import Builder
from jitstudio.worker.host import WorkerError
from jitstudio.worker.queue import GRACE, RequestQueue
from jitstudio.worker.queue import RequestState as State
from tests.support import CRASHING, GOOD, SLOW, cuda, request

pytestmark = pytest.mark.tools

PATIENCE = 30.0


class Diary:
    """An observer that writes everything down."""

    def __init__(self):
        self.entries = []
        self._written = threading.Condition()

    def __call__(self, ticket, state, value):
        with self._written:
            self.entries.append((state, ticket, value))
            self._written.notify_all()

    def wait_for(self, what, ticket):
        """The first entry of this kind about this ticket, as soon as it is written."""

        def found():
            return next((e for e in self.entries if e[:2] == (what, ticket)), None)

        with self._written:
            assert self._written.wait_for(found, PATIENCE), f"{what} {ticket} never came"
            return found()

    def outcome(self, ticket):
        return self.wait_for(State.FINISHED, ticket)[2].outcome

    def tickets(self, what):
        return [entry[1] for entry in self.entries if entry[0] == what]


@pytest.fixture
def diary():
    return Diary()


class Builds:
    """A queue in front of a builder, and the thread that serves it."""

    def __init__(self, diary, grace=GRACE, store=None):
        self.builder = Builder(store=store)
        self.queue = RequestQueue(self.builder, diary, grace=grace)
        self.cancel = self.queue.cancel
        self.thread = threading.Thread(target=self.queue.serve)
        self.thread.start()

    def submit(self, tag, wanted):
        def work(ticket, report):
            return self.builder.build(wanted, ticket=ticket, on_event=report, timeout=60)

        return self.queue.submit(tag, work)

    def close(self):
        self.queue.close()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@pytest.fixture
def builds(diary):
    made = Builds(diary, grace=0.1)
    yield made
    made.close()


@pytest.fixture
def patient(diary):
    """Leaves any build but a slow one enough time to end."""
    made = Builds(diary, grace=PATIENCE)
    yield made
    made.close()


def edit(number):
    """What the user has typed after so many keys."""
    text = f'extern "C" __global__ void k{number}() {{}}\n'
    return request(cuda(text))


def test_a_build_starts_tells_and_ends(builds, diary):
    ticket = builds.submit("build", GOOD)
    assert diary.outcome(ticket) is Outcome.BUILT
    kinds = [entry[0] for entry in diary.entries if entry[1] == ticket]
    assert kinds == [State.STARTED, State.PROGRESSED, State.PROGRESSED, State.FINISHED]


def test_of_a_queue_of_quick_edits_the_newest_wins(builds, diary):
    # Whatever is typed within a build of something else.
    other = builds.submit("other", SLOW)
    diary.wait_for(State.STARTED, other)
    tickets = [builds.submit("build", edit(n)) for n in range(30)]
    builds.cancel("other", other)
    result = diary.wait_for(State.FINISHED, tickets[-1])[2]
    assert result.ok
    assert [kernel.name for kernel in result.kernels] == ["k29"]
    assert diary.tickets(State.STARTED) == [other, tickets[-1]]
    assert diary.tickets(State.DROPPED) == tickets[:-1]


def test_a_slow_build_makes_way_for_a_newer_one_after_the_grace(builds, diary):
    slow = builds.submit("build", SLOW)
    diary.wait_for(State.PROGRESSED, slow)
    start = time.monotonic()
    newer = builds.submit("build", GOOD)
    assert diary.outcome(slow) is Outcome.CANCELLED
    assert time.monotonic() - start >= 0.1
    assert diary.outcome(newer) is Outcome.BUILT


def test_a_build_that_is_done_within_the_grace_is_not_killed(patient, diary):
    tickets = [patient.submit("build", edit(1))]
    diary.wait_for(State.STARTED, tickets[0])
    tickets.append(patient.submit("build", edit(2)))
    assert [diary.outcome(ticket) for ticket in tickets] == [Outcome.BUILT, Outcome.BUILT]


def test_the_end_of_a_grace_harms_no_later_build(builds, diary):
    first = builds.submit("build", edit(1))
    diary.wait_for(State.STARTED, first)
    second = builds.submit("build", edit(2))
    # Whether the first one was in time is another matter.
    assert diary.outcome(first) in (Outcome.BUILT, Outcome.CANCELLED)
    assert diary.outcome(second) is Outcome.BUILT
    time.sleep(0.2)
    assert diary.outcome(builds.submit("build", edit(3))) is Outcome.BUILT


def test_cancel_drops_what_waits_and_kills_what_runs(builds, diary):
    running = builds.submit("build", SLOW)
    diary.wait_for(State.PROGRESSED, running)
    other = builds.submit("other", GOOD)
    waiting = builds.submit("build", GOOD)
    builds.cancel("build", waiting)
    diary.wait_for(State.DROPPED, waiting)
    assert diary.outcome(running) is Outcome.CANCELLED
    assert diary.outcome(other) is Outcome.BUILT
    assert waiting not in diary.tickets(State.STARTED)


def test_cancel_of_one_tag_leaves_the_other_alone(builds, diary):
    running = builds.submit("build", SLOW)
    diary.wait_for(State.PROGRESSED, running)
    waiting = builds.submit("other", GOOD)
    builds.cancel("other", waiting)
    diary.wait_for(State.DROPPED, waiting)
    assert running not in diary.tickets(State.FINISHED)
    builds.cancel("build", running)
    assert diary.outcome(running) is Outcome.CANCELLED


def test_an_old_request_that_is_cancelled_takes_no_newer_one_with_it(patient, diary):
    old = patient.submit("build", GOOD)
    assert diary.outcome(old) is Outcome.BUILT
    running = patient.submit("build", SLOW)
    diary.wait_for(State.PROGRESSED, running)
    waiting = patient.submit("build", edit(2))
    patient.cancel("build", old)
    assert diary.tickets(State.DROPPED) == []
    patient.cancel("build", running)
    assert diary.outcome(running) is Outcome.CANCELLED
    assert diary.outcome(waiting) is Outcome.BUILT


def test_cancel_with_nothing_to_cancel_is_no_error(builds, diary):
    builds.cancel("build", 1)
    assert diary.outcome(builds.submit("build", GOOD)) is Outcome.BUILT


def test_a_crash_does_not_stop_the_queue(builds, diary):
    crash = builds.submit("build", CRASHING)
    assert diary.outcome(crash) is Outcome.CRASHED
    assert diary.outcome(builds.submit("build", GOOD)) is Outcome.BUILT


def test_a_probe_and_a_build_share_the_worker(builds, diary):
    probe = builds.queue.submit("probe", lambda *_: builds.builder.probe(ProbeRequest()))
    build = builds.submit("build", GOOD)
    # The driver and Python are looked for elsewhere.
    assert len(diary.wait_for(State.FINISHED, probe)[2].tools) == len(Tool) - 2
    assert diary.outcome(build) is Outcome.BUILT


def test_the_cache_is_emptied_between_two_builds(diary, tmp_path):
    builds = Builds(diary, store=Store(tmp_path / "cache"))
    tickets = []
    for empties in (False, False, True):
        if empties:
            emptied = builds.queue.submit("cache", lambda *_: builds.builder.empty_cache())
        tickets.append(builds.submit("build", GOOD))
        diary.wait_for(State.FINISHED, tickets[-1])
    results = [diary.wait_for(State.FINISHED, ticket)[2] for ticket in tickets]
    builds.close()
    assert [result.stages[0].cached for result in results] == [False, True, False]
    assert diary.wait_for(State.FINISHED, emptied)[2] > 500


def test_work_that_fails_is_reported_and_the_next_is_done(builds, diary):
    def unwelcome(_ticket, _report):
        raise WorkerError("No start.")

    def wrong(_ticket, _report):
        raise KeyError("surprise")

    tickets = [builds.queue.submit(name, work) for name, work in (("a", unwelcome), ("b", wrong))]
    assert diary.wait_for(State.FAILED, tickets[0])[2] == "No start."
    message = diary.wait_for(State.FAILED, tickets[1])[2]
    assert message.startswith("A bug in")
    assert "surprise" in message
    assert diary.outcome(builds.submit("build", GOOD)) is Outcome.BUILT


def test_submit_and_cancel_never_wait_for_the_worker(patient, diary):
    running = patient.submit("build", SLOW)
    diary.wait_for(State.PROGRESSED, running)
    start = time.monotonic()
    for number in range(50):
        newest = patient.submit("build", edit(number))
    assert diary.tickets(State.STARTED) == [running]
    patient.cancel("build", newest)
    # Far less than the build takes.
    assert time.monotonic() - start < 5


def test_close_ends_a_running_build_quickly(diary):
    builds = Builds(diary)
    diary.wait_for(State.PROGRESSED, builds.submit("build", SLOW))
    # Far less than the build takes.
    builds.close()
