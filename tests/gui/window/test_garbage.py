"""Python's garbage, and in which thread it is destroyed."""

import gc
from threading import Thread, get_ident
from weakref import finalize

import pytest
from PySide6.QtCore import QObject

from tests.gui.driver import pause

_TWICE = 600  # ms: the collector has looked twice by then


@pytest.fixture
def collected():
    """The generations that are collected from now on, each with the thread that it happens in."""
    found = []

    def told(phase, facts):
        if phase == "start":
            found.append((facts["generation"], get_ident()))

    gc.collect()
    gc.callbacks.append(told)
    yield found
    gc.callbacks.remove(told)


@pytest.fixture
def thresholds():
    """Puts back what a test has set."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def _knot(destroyed):
    knot = QObject()
    knot.itself = knot
    finalize(knot, lambda: destroyed.append(get_ident()))


def test_a_cycle_of_qt_objects_is_destroyed_in_their_thread_whichever_makes_garbage(qapp):
    destroyed, kept = [], []
    _knot(destroyed)
    busy = Thread(target=lambda: kept.extend([] for _ in range(100 * gc.get_threshold()[0])))
    busy.start()
    busy.join()
    assert destroyed == []
    pause(_TWICE)
    assert destroyed == [get_ident()]


def test_what_is_due_is_collected_and_no_more(qapp, collected, thresholds):
    gc.set_threshold(100_000, 1000, 1000)
    pause(_TWICE)
    assert collected == []
    kept = [[] for _ in range(200_000)]
    pause(_TWICE)
    assert collected == [(0, get_ident())]
    # Only along with the youngest generation, of which there is nothing new.
    gc.set_threshold(100_000, 0, 1000)
    pause(_TWICE)
    assert collected == [(0, get_ident())]
    kept += [[] for _ in range(200_000)]
    pause(_TWICE)
    assert collected == [(0, get_ident()), (1, get_ident())]
