"""Work in a thread of the pool: the newest alone is told of, and what nobody wants is not done."""

from threading import Event

import pytest
from PySide6.QtCore import QThreadPool

from jitstudio.gui.kit.background import Background, Paced, Unwanted

PATIENCE = 60_000


@pytest.fixture
def full_pool():
    """All threads are busy until the event is set."""
    pool, go_on = QThreadPool.globalInstance(), Event()
    for _ in range(pool.maxThreadCount()):
        pool.start(lambda: go_on.wait(PATIENCE / 1000) and None)
    yield go_on
    go_on.set()
    assert pool.waitForDone(PATIENCE)


def test_only_the_newest_work_is_told_of(qtbot):
    background, told = Background(), []
    background.done.connect(told.append)
    background.start(lambda _stop: "old")
    background.start(lambda _stop: "new")
    qtbot.waitUntil(lambda: bool(told))
    QThreadPool.globalInstance().waitForDone(PATIENCE)
    qtbot.wait(20)
    assert told == ["new"]


def test_who_is_gone_hears_nothing_and_the_program_goes_on(qapp):
    """Work ends just as its owner is destroyed; events of it may be under way then."""
    told = []
    for _ in range(300):
        background = Background()
        background.done.connect(told.append)
        background.start(lambda _stop: None)
        del background
        qapp.processEvents()
    QThreadPool.globalInstance().waitForDone(PATIENCE)
    qapp.processEvents()
    assert told == []


def test_what_nobody_wants_is_not_begun(qtbot, full_pool):
    background, done, told = Background(), [], []
    background.done.connect(told.append)
    background.start(lambda _stop: done.append("old"))
    background.start(lambda _stop: done.append("new"))
    full_pool.set()
    qtbot.waitUntil(lambda: bool(told))
    assert QThreadPool.globalInstance().waitForDone(PATIENCE)
    assert done == ["new"]


def test_what_nobody_wants_any_more_ends_early():
    stop, seen = Event(), []

    def see(item):
        seen.append(item)
        stop.set()

    with pytest.raises(Unwanted):
        any(map(see, Paced(range(100_000), stop)))
    assert 0 < len(seen) < 10_000


def test_a_paced_sequence_is_the_sequence():
    items = Paced(range(2500), Event())
    assert list(items) == list(range(2500))
    assert (len(items), items[7], list(items[:2])) == (2500, 7, [0, 1])


def test_a_failure_is_told_in_words(qtbot):
    background = Background()
    with qtbot.waitSignal(background.failed, timeout=PATIENCE) as told:
        background.start(lambda _stop: 1 // 0)
    assert told.args == ["integer division or modulo by zero"]
    assert not background.is_busy


def test_an_error_that_nobody_listens_for_is_a_bug_and_is_shown(qtbot, monkeypatch):
    seen = []
    monkeypatch.setattr("sys.excepthook", lambda kind, error, trace: seen.append((error, trace)))
    background = Background()

    def work(_stop):
        raise KeyError("surprise")

    background.start(work)
    qtbot.waitUntil(lambda: seen != [])
    ((error, trace),) = seen
    assert isinstance(error, KeyError)
    assert trace is not None
    assert not background.is_busy
