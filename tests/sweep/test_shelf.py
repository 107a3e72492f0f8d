import threading

import pytest

from jitstudio.sweep.shelf import Shelf


class Hammer:
    """A tool that remembers what was done with it."""

    def __init__(self):
        self.cancelled = []
        self.closed = False

    def cancel(self, ticket):
        self.cancelled.append(ticket)

    def close(self):
        self.closed = True


def test_a_tool_that_is_free_is_used_again():
    shelf = Shelf(Hammer)
    with shelf.borrow() as (first, ticket):
        pass
    with shelf.borrow() as (again, later):
        assert again is first
        assert later != ticket


def test_two_at_a_time_have_their_own():
    shelf = Shelf(Hammer)
    with shelf.borrow() as (one, _), shelf.borrow() as (other, _):
        assert one is not other


def test_a_tool_comes_back_even_from_an_error():
    shelf = Shelf(Hammer)
    with pytest.raises(KeyError), shelf.borrow() as (broken, _):
        raise KeyError
    with shelf.borrow() as (tool, _):
        assert tool is broken


def test_only_calls_in_progress_are_interrupted():
    shelf = Shelf(Hammer)
    with shelf.borrow() as (used, ticket):
        with shelf.borrow() as (free, _):
            pass
        shelf.interrupt()
    assert used.cancelled == [ticket]
    assert free.cancelled == []


def test_closing_ends_those_in_use_too():
    shelf = Shelf(Hammer)
    with shelf.borrow() as (used, _):
        with shelf.borrow() as (free, _):
            pass
        closer = threading.Thread(target=shelf.close)
        closer.start()
        closer.join()
        assert used.closed
        assert free.closed
