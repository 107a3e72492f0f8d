"""Searching many texts, without a window."""

import re
import time

import pytest

from jitstudio.gui.code.search import Matcher, Query
from jitstudio.gui.features.search.find_all import MOST_HITS, SearchAll, SearchedText


@pytest.fixture
def search(qtbot):
    made = SearchAll()
    made.hits = []
    made.found.connect(made.hits.extend)
    return made


def texts(**lines):
    return [SearchedText(name, name, lambda text=text: text) for name, text in lines.items()]


def test_each_place_is_told_with_what_is_around_it(search, qtbot):
    given = {
        "a": ["int foo;", "\tfoo(Foo); // foo"],
        "b": ["nothing"],
        "c": ["x" * 500 + " foo " + "y" * 500, "😀 foo"],
    }
    for query, pattern in (
        (Query("foo"), r"(?i)foo"),
        (Query("Foo", case=True), "Foo"),
        (Query("fo", word=True), r"\bfo\b"),
        (Query(r"f(o+)\b", regex=True), r"(?i)f(o+)\b"),
    ):
        search.hits.clear()
        with qtbot.waitSignal(search.ended):
            search.start(Matcher(query), texts(**given))
        expected = [
            (name, number, match.span())
            for name, lines in given.items()
            for number, line in enumerate(lines)
            for match in re.finditer(pattern, line)
        ]
        assert [(hit.place, hit.line, hit.span) for hit in search.hits] == expected
        assert (search.count, search.texts) == (len(expected), len({e[0] for e in expected}))
        for hit in search.hits:
            start, end = hit.marked
            assert re.fullmatch(pattern, hit.shown[start:end])
            assert len(hit.shown) < 400


def test_a_newer_search_ends_the_one_before_and_esc_too(search, qtbot):
    many = texts(**{f"t{number}": ["foo bar"] * 20_000 for number in range(5)})
    search.start(Matcher(Query("foo")), many)
    search.start(Matcher(Query("bar")), many[:1])
    with qtbot.waitSignal(search.ended):
        pass
    assert {hit.span for hit in search.hits} == {(4, 7)}
    assert (search.count, search.is_capped) == (MOST_HITS, True)
    search.start(Matcher(Query("o")), many)
    search.stop()
    before = len(search.hits)
    assert not search.is_busy
    qtbot.wait(50)
    assert len(search.hits) == before


def test_it_is_busy_until_the_last_text(search, qtbot):
    busy = []
    search.found.connect(lambda _: busy.append(search.is_busy))
    with qtbot.waitSignal(search.ended):
        search.start(Matcher(Query("foo")), texts(a=["foo"], b=["foo"], c=["foo"]))
    assert busy == [True, True, False]
    assert not search.is_busy


@pytest.mark.bench
def test_twice_the_text_takes_twice_the_time_and_a_wild_expression_gives_up(search, qtbot):
    spent = []
    for size in (20_000, 40_000):
        start = time.perf_counter()
        with qtbot.waitSignal(search.ended):
            search.start(Matcher(Query("needle")), texts(a=["some line of code"] * size))
        spent.append(time.perf_counter() - start)
    assert spent[1] < 4 * spent[0]
    with qtbot.waitSignal(search.ended):
        search.start(Matcher(Query("(a+)+$", regex=True)), texts(a=["a" * 40 + "!", "aaa"]))
    assert (search.skipped, [hit.line for hit in search.hits]) == (1, [1])
