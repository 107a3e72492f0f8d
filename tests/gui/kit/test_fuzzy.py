import time

import pytest

from jitstudio.gui.kit.fuzzy import Ranking


def found(query, *texts):
    return [texts[match.row] for match in Ranking(texts).find(query)]


def marked(query, text):
    """The text with what matched in brackets."""
    shown = text
    for begin, end in reversed(Ranking([text]).spans(query, 0)):
        shown = f"{shown[:begin]}[{shown[begin:end]}]{shown[end:]}"
    return shown


def test_better_kinds_of_match_come_first():
    kinds = ["Build now", "Re-build", "By User ID", "Rebuild", "Bright fluid"]
    assert found("bui", *reversed(kinds)) == kinds
    assert found("build", *reversed(kinds)) == [kinds[0], kinds[1], kinds[3]]


@pytest.mark.parametrize("text", ["goToLine", "go_to_line", "Go to line", "GoTo.LINE"])
def test_beginnings_of_words_are_found(text):
    assert found("gtl", "Gentle", "gotland", text) == [text, "Gentle", "gotland"]
    assert found("gotol", "gloat over the oil", text) == [text, "gloat over the oil"]


def test_an_earlier_and_a_shorter_match_comes_first():
    assert found("ptx", "Show the PTX", "Go to PTX", "PTX view", "PTX") == [
        "PTX",
        "PTX view",
        "Go to PTX",
        "Show the PTX",
    ]


def test_the_order_given_decides_among_equals():
    assert found("ab", "ab 2", "ab 1") == ["ab 2", "ab 1"]
    assert found("", "z", "a") == ["z", "a"]


def test_blanks_and_capitals_do_not_matter():
    assert found("GO  line", "Go to line", "Go home") == ["Go to line"]


def test_what_lacks_a_letter_is_not_found():
    assert found("xyz", "Build", "xy", "zyx") == []


def test_signs_are_letters_too():
    assert found("%r1", "%r10", "r1", "%f1") == ["%r10"]
    assert found("a.*b", "a.*b", "aXXb") == ["a.*b"]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("build", "Re-build", "Re-[build]"),
        ("gtl", "goToLine", "[g]o[T]o[L]ine"),
        ("gotol", "Go to line", "[Go] [to] [l]ine"),
        ("sas", "Save as", "[S]ave [as]"),
        ("vadd", "_Z9vector_addPKf", "_Z9[v]ector_[add]PKf"),
        ("zz", "Build", "Build"),
        ("i", "İi", "İ[i]"),
    ],
)
def test_the_letters_that_match_are_told(query, text, expected):
    assert marked(query, text) == expected


def test_only_the_rows_asked_for_are_looked_at():
    ranking = Ranking(["abc", "abd", "abe"])
    assert [match.row for match in ranking.find("ab", [2, 0])] == [2, 0]


def test_thousands_of_rows_take_no_time():
    ranking = Ranking([f"kernel_template_{n:04}<float, {n}>" for n in range(5000)])
    for query in ("k", "ktm", "temp12", "zzz"):
        ranking.find(query)
        best = min(_timed(ranking, query) for _ in range(5))
        # A free machine takes a tenth of it.
        assert best < 0.1, query


def test_a_long_text_is_not_searched_in_all_ways():
    ranking = Ranking(["a_" * 5000, "ab" * 5000])
    assert _timed(ranking, "a" * 60 + "z") < 0.1


def _timed(ranking, query):
    begin = time.thread_time()
    ranking.find(query)
    return time.thread_time() - begin
