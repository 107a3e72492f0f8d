"""Services end together, however long each of them takes."""

import threading
import time

import pytest
from PySide6.QtCore import QDeadlineTimer

from jitstudio.gui.services.serving import ServingThread, close_all
from jitstudio.worker.queue import Dispatcher

PATIENCE_MS = 60_000


class SlowDesk:
    """Takes a while to let go, as one does whose driver hangs."""

    def __init__(self, let_go):
        self.close = let_go

    def work(self, ticket, request):
        raise AssertionError("nothing was asked for")

    def cancel(self, ticket):
        raise AssertionError("nothing was asked for")


@pytest.fixture
def serve():
    made = []

    def make(let_go):
        made.append(ServingThread(Dispatcher(SlowDesk(let_go), None), "slow"))
        return made[-1]

    yield make
    for thread in made:
        thread.wait_closed(QDeadlineTimer(PATIENCE_MS))


def test_all_end_at_the_same_time(qapp, serve, monkeypatch):
    monkeypatch.setattr("jitstudio.gui.services.serving._LAST_WAIT_MS", PATIENCE_MS)
    # None lets go before all have been asked to.
    together = threading.Barrier(3)
    threads = [serve(together.wait) for _ in range(3)]
    close_all(threads)
    assert all(thread.isFinished() for thread in threads)
    assert not together.broken


def test_hung_ones_are_given_up_for_all_at_one_time(qapp, serve, monkeypatch):
    monkeypatch.setattr("jitstudio.gui.services.serving._LAST_WAIT_MS", 100)
    released = threading.Event()
    threads = [serve(released.wait) for _ in range(100)]
    start = time.monotonic()
    close_all(threads)
    # One after the other would take ten seconds.
    assert 0.1 <= time.monotonic() - start < 5
    released.set()
