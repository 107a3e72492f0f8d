"""Requests have handles of their own, and services end together, however long each takes."""

import gc
import subprocess
import sys
import threading
import time

import pytest
from PySide6.QtCore import QDeadlineTimer

from jitstudio.gui.services.request_queue import ServingThread, WorkerService, close_all
from jitstudio.worker.host import WorkerError
from jitstudio.worker.queue import RequestQueue

PATIENCE_MS = 60_000


class SlowWorker:
    """Takes a while to let go, as one does whose driver hangs."""

    def __init__(self, let_go):
        self.close = let_go

    def cancel(self, ticket):
        raise AssertionError("nobody cancels here")


class Echo(WorkerService):
    """Answers what it is asked with the same, once it is let go on."""

    def __init__(self):
        super().__init__()
        self.go_on = threading.Event()
        self._serve("echo", SlowWorker(self.go_on.set))

    def ask(self, value, tag="ask"):
        def work(_ticket, report):
            report(value)
            assert self.go_on.wait(PATIENCE_MS / 1000)
            if isinstance(value, Exception):
                raise value
            return value

        return self._submit(tag, work)


@pytest.fixture
def serve():
    made = []

    def make(let_go):
        made.append(ServingThread(RequestQueue(SlowWorker(let_go), None), "slow"))
        return made[-1]

    yield make
    for thread in made:
        thread.wait_closed(QDeadlineTimer(PATIENCE_MS))


def test_all_end_at_the_same_time(qapp, serve, monkeypatch):
    monkeypatch.setattr("jitstudio.gui.services.request_queue._LAST_WAIT_MS", PATIENCE_MS)
    # None lets go before all have been asked to.
    together = threading.Barrier(3)
    threads = [serve(together.wait) for _ in range(3)]
    close_all(threads)
    assert all(thread.isFinished() for thread in threads)
    assert not together.broken


def test_hung_ones_are_given_up_for_all_at_one_time(qapp, serve, monkeypatch):
    monkeypatch.setattr("jitstudio.gui.services.request_queue._LAST_WAIT_MS", 100)
    released = threading.Event()
    threads = [serve(released.wait) for _ in range(100)]
    start = time.monotonic()
    close_all(threads)
    # One after the other would take ten seconds.
    assert 0.1 <= time.monotonic() - start < 5
    released.set()


_HANGS = """
import gc, sys, time
from PySide6.QtCore import QCoreApplication, QDeadlineTimer
from jitstudio.gui.services.request_queue import WorkerService, leave

class Hung(WorkerService):
    def __init__(self):
        super().__init__()
        self._serve("hung", self)
        self._submit("wait", lambda ticket, report: time.sleep(600))

    def cancel(self, ticket): pass
    def close(self): pass

app = QCoreApplication([])
service = Hung()
while service._queue._running is None:
    time.sleep(0.01)
service.begin_closing()
service.wait_closed(QDeadlineTimer(100))
del service
gc.collect()
print("left")
sys.exit(leave(3))
"""


def test_the_program_ends_in_order_while_a_thread_hangs():
    ended = subprocess.run(
        [sys.executable, "-c", _HANGS], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "left\n", "")


@pytest.fixture
def echo(qapp):
    made = Echo()
    yield made
    close_all((made,))


def heard(handle):
    """What comes of a request, in order."""
    entries = []
    handle.started.connect(lambda: entries.append("started"))
    handle.progressed.connect(lambda value: entries.append(("progressed", value)))
    handle.finished.connect(lambda value: entries.append(("finished", value)))
    handle.failed.connect(lambda message: entries.append(("failed", message)))
    handle.dropped.connect(lambda: entries.append("dropped"))
    return entries


def test_each_request_tells_what_comes_of_it_and_of_no_other(echo, qtbot):
    first, second = echo.ask("first"), echo.ask("second", "other")
    of_first, of_second = heard(first), heard(second)
    assert not of_first, "signals come after the call that makes the handle"
    with qtbot.waitSignal(second.finished, timeout=PATIENCE_MS):
        echo.go_on.set()
    assert of_first == ["started", ("progressed", "first"), ("finished", "first")]
    assert of_second == ["started", ("progressed", "second"), ("finished", "second")]


def test_a_newer_request_takes_the_place_of_one_that_waits(echo, qtbot):
    running = echo.ask(1)
    with qtbot.waitSignal(running.started, timeout=PATIENCE_MS):
        pass
    older, newer = echo.ask(2, "x"), None
    of_older = heard(older)
    newer = echo.ask(3, "x")
    of_newer = heard(newer)
    with qtbot.waitSignal(newer.finished, timeout=PATIENCE_MS):
        echo.go_on.set()
    assert of_older == ["dropped"]
    assert of_newer[-1] == ("finished", 3)


def test_an_ignored_request_tells_nothing_any_more_not_even_that_it_is_cancelled(echo, qtbot):
    running = echo.ask(1)
    with qtbot.waitSignal(running.started, timeout=PATIENCE_MS):
        pass
    ignored, other = echo.ask(2, "x"), echo.ask(3, "y")
    entries = heard(ignored)
    ignored.ignore()
    ignored.cancel()
    with qtbot.waitSignal(other.finished, timeout=PATIENCE_MS):
        echo.go_on.set()
    assert entries == []


def test_a_failure_reaches_the_request_and_those_who_watch_the_worker(echo, qtbot):
    handle = echo.ask(WorkerError("The pipe is gone."))
    entries = heard(handle)
    with qtbot.waitSignal(echo.broke, timeout=PATIENCE_MS) as broke:
        echo.go_on.set()
    assert broke.args == ["The pipe is gone."]
    assert entries[-1] == ("failed", "The pipe is gone.")


def test_a_handle_that_nobody_keeps_lives_until_its_end(echo, qtbot):
    answers = []
    for value in range(50):
        echo.ask(value, f"tag {value}").finished.connect(answers.append)
    gc.collect()
    echo.go_on.set()
    qtbot.waitUntil(lambda: len(answers) == 50, timeout=PATIENCE_MS)
    assert answers == list(range(50))
