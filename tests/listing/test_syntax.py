"""Syntax trees of long texts, which are read in pieces."""

from itertools import pairwise
from threading import Event, Thread
from time import perf_counter

from tree_sitter import Parser

from jitstudio.listing.cuda.syntax import _LANGUAGE, parse, within

KERNEL = "__global__ void k%d(float* p) { /* \u20ac */ if (threadIdx.x < %d) p[0] = 2.0f; }\n"
LONG = "".join(KERNEL % (n, n) + "foo bar( { [\n" * (n % 5 == 0) for n in range(10_000)).encode()


def test_nodes_of_a_long_text_are_those_of_the_text_at_once():
    text = LONG[: 1 << 17]
    known = within(Parser(_LANGUAGE).parse(text).root_node)
    assert [(n.type, n.text) for n in within(parse(text))] == [(n.type, n.text) for n in known]


def longest_pause():
    """The longest time that another thread stands still while a broken text is parsed, of all."""
    ended, times = Event(), [perf_counter()]

    def ticks():
        while not ended.wait(0.001):
            times.append(perf_counter())

    thread = Thread(target=ticks)
    thread.start()
    start = perf_counter()
    parse(LONG)
    whole = perf_counter() - start
    times.append(perf_counter())
    ended.set()
    thread.join()
    return max(b - a for a, b in pairwise(times)) / whole


def test_other_threads_run_while_a_long_text_with_errors_is_parsed():
    assert min(longest_pause() for _ in range(3)) < 0.15  # some 0.07
