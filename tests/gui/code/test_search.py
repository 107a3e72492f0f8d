import pytest

from jitstudio.gui.code import search as search_module
from jitstudio.gui.code.search import (
    MOST_MATCHES,
    Matcher,
    PatternError,
    Query,
    TextSearch,
    TooComplex,
)

ROCKET = "\N{ROCKET}"


class Lines:
    """The part of a `Searchable` that a search needs."""

    def __init__(self, lines):
        self.lines = lines

    def search_line_count(self):
        return len(self.lines)

    def search_lines(self, first, count):
        return self.lines[first : first + count]


@pytest.fixture
def searched(qtbot):
    def run(lines, query, until_done=True):
        search = TextSearch(Lines(lines), Matcher(query))
        search.start()
        if until_done:
            qtbot.waitUntil(lambda: search.is_finished)
        return search

    return run


@pytest.mark.parametrize(
    ("query", "line", "spans"),
    [
        (Query("mul"), "mul.MUL", [(0, 3), (4, 7)]),
        (Query("mul", case=True), "mul.MUL", [(0, 3)]),
        (Query("mul", word=True), "mul mulx _mul", [(0, 3)]),
        (Query("a.b"), "a.b axb", [(0, 3)]),
        (Query("%r"), "%r1 %r2", [(0, 2), (4, 6)]),
        (Query("aa"), "aaaa", [(0, 2), (2, 4)]),
        (Query(r"%r\d+", regex=True), "%r1, %r22", [(0, 3), (5, 9)]),
        (Query("a|B", regex=True), "ab", [(0, 1), (1, 2)]),
        (Query("a|B", regex=True, case=True), "ab", [(0, 1)]),
        (Query("a|b", regex=True, word=True), "a ab b", [(0, 1), (5, 6)]),
        (Query("x*", regex=True), "axxb", [(1, 3)]),
        (Query("^ld", regex=True), "ld ld", [(0, 2)]),
        (Query(r"\w+$", regex=True), "a bc", [(2, 4)]),
        (Query(r"b", regex=True), f"{ROCKET}b{ROCKET}b", [(1, 2), (3, 4)]),
        (Query("b"), f"{ROCKET}b", [(1, 2)]),
    ],
)
def test_matches_of_a_line(query, line, spans):
    assert Matcher(query).spans(line) == spans


def test_an_expression_that_is_none_is_explained():
    with pytest.raises(PatternError, match=r"^Not a valid expression: .*\(at 3\)$"):
        Matcher(Query("(a", regex=True))


def test_an_expression_that_would_take_hours_gives_up():
    with pytest.raises(TooComplex):
        Matcher(Query(r"(a+)+$", regex=True)).spans("a" * 60 + "b")


def test_matches_of_one_huge_line_are_limited():
    assert len(Matcher(Query("a")).spans("a" * 1_000_000)) == MOST_MATCHES


@pytest.mark.parametrize(
    ("query", "line", "span", "template", "text"),
    [
        (Query("a"), "xa", (1, 2), r"\1$1\n", r"\1$1\n"),
        (Query(r"(\w)=(\w)", regex=True), "a=b", (0, 3), r"\2=$1", "b=a"),
        (Query(r"(\w)=(\w)", regex=True), f"{ROCKET}a=b", (1, 4), r"\2", "b"),
        (Query("a", regex=True), "a", (0, 1), r"\n\t\\\$1", "\n\t\\$1"),
        (Query("a", regex=True), "a", (0, 1), "<$0>$7", "<a>"),
    ],
)
def test_a_replacement_may_speak_of_groups(query, line, span, template, text):
    assert Matcher(query).replacement(line, span, template) == text


def test_all_lines_are_searched(searched):
    search = searched(["a", "", "ba a"], Query("a"))
    assert search.matches == [(0, (0, 1)), (2, (1, 2)), (2, (3, 4))]
    assert search.by_line == {0: [(0, 1)], 2: [(1, 2), (3, 4)]}
    assert not search.is_capped


def test_a_long_text_is_searched_in_slices(searched, qtbot, monkeypatch):
    monkeypatch.setattr(search_module, "_SLICE", 0.0)
    search = searched(["a"] * 50, Query("a"), until_done=False)
    assert len(search.matches) == 1
    assert search.has_reached(0)
    assert not search.has_reached(1)
    with qtbot.waitSignal(search.progressed):
        pass
    assert len(search.matches) >= 2
    qtbot.waitUntil(lambda: search.is_finished)
    assert len(search.matches) == 50


def test_a_stopped_search_is_silent(searched, qtbot, monkeypatch):
    monkeypatch.setattr(search_module, "_SLICE", 0.0)
    search = searched(["a"] * 50, Query("a"), until_done=False)
    search.stop()
    with qtbot.assertNotEmitted(search.progressed, wait=20):
        pass
    assert not search.is_finished


def test_a_search_ends_at_the_most_it_keeps(searched, monkeypatch):
    monkeypatch.setattr(search_module, "MOST_MATCHES", 10)
    search = searched(["a a a"] * 100, Query("a"))
    assert search.is_capped
    assert 10 <= len(search.matches) <= 12


def test_lines_that_are_too_complex_are_counted(searched):
    search = searched(["aaa", "a" * 60 + "b"], Query("(a+)+$", regex=True))
    assert search.skipped == 1
    assert search.matches == [(0, (0, 3))]


@pytest.mark.parametrize(
    ("place", "strictly", "number"),
    [
        ((0, 0), False, 0),
        ((0, 0), True, 1),
        ((0, 1), False, 1),
        ((1, 0), False, 2),
        ((2, 1), True, None),
    ],
)
def test_the_match_behind_a_place(searched, place, strictly, number):
    assert searched(["a a", "", "a"], Query("a")).after(place, strictly) == number


@pytest.mark.parametrize(
    ("place", "number"), [((0, 0), None), ((0, 1), 0), ((2, 0), 1), ((9, 9), 2)]
)
def test_the_match_before_a_place(searched, place, number):
    assert searched(["a a", "", "a"], Query("a")).before(place) == number


def test_changes_are_told_for_a_range_of_matches(searched):
    search = searched(["a1 a2", "a3"], Query(r"a(\d)", regex=True))
    assert search.changes(1, 3, r"b\1") == [(0, (3, 5), "b2"), (1, (0, 2), "b3")]
