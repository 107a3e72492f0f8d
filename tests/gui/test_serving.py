"""Services end together, however long each of them takes."""

import threading
import time

import pytest
from PySide6.QtCore import QDeadlineTimer

from jitstudio.gui.serving import ServingThread, close_all
from jitstudio.worker.dispatcher import Dispatcher

LONG = 0.6


class SlowDesk:
    """Takes a while to let go, as one does whose driver hangs."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.released = threading.Event()

    def work(self, ticket, request):
        raise AssertionError("nothing was asked for")

    def cancel(self, ticket):
        raise AssertionError("nothing was asked for")

    def close(self):
        self.released.wait(self.seconds)


@pytest.fixture
def serve():
    made = []

    def make(seconds):
        made.append((desk := SlowDesk(seconds), ServingThread(Dispatcher(desk, None), "slow")))
        return made[-1][1]

    yield make
    for desk, thread in made:
        desk.released.set()
        thread.wait_closed(QDeadlineTimer(10_000))


def test_all_take_as_long_as_the_slowest(qapp, serve):
    threads = [serve(LONG) for _ in range(3)]
    start = time.monotonic()
    close_all(threads)
    assert LONG <= time.monotonic() - start < 2 * LONG
    assert all(thread.isFinished() for thread in threads)


def test_a_hung_one_is_given_up_for_all_at_one_time(qapp, serve, monkeypatch):
    monkeypatch.setattr("jitstudio.gui.serving._LAST_WAIT_MS", 300)
    threads = [serve(10) for _ in range(3)]
    start = time.monotonic()
    close_all(threads)
    assert 0.3 <= time.monotonic() - start < 0.8
