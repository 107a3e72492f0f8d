import threading

import pytest

from jitstudio.variants.tasks import ToolPool


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
    pool = ToolPool(Hammer)
    with pool.borrow() as (first, ticket):
        pass
    with pool.borrow() as (again, later):
        assert again is first
        assert later != ticket


def test_two_at_a_time_have_their_own():
    pool = ToolPool(Hammer)
    with pool.borrow() as (one, _), pool.borrow() as (other, _):
        assert one is not other


def test_a_tool_comes_back_even_from_an_error():
    pool = ToolPool(Hammer)
    with pytest.raises(KeyError), pool.borrow() as (broken, _):
        raise KeyError
    with pool.borrow() as (tool, _):
        assert tool is broken


def test_only_calls_in_progress_are_interrupted():
    pool = ToolPool(Hammer)
    with pool.borrow() as (used, ticket):
        with pool.borrow() as (free, _):
            pass
        pool.interrupt()
    assert used.cancelled == [ticket]
    assert free.cancelled == []


def test_closing_ends_those_in_use_too():
    pool = ToolPool(Hammer)
    with pool.borrow() as (used, _):
        with pool.borrow() as (free, _):
            pass
        closer = threading.Thread(target=pool.close)
        closer.start()
        closer.join()
        assert used.closed
        assert free.closed
