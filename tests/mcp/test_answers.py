"""Answers of the tools are fitted into their room, and lose nothing."""

import json
import time

import pytest

from jitstudio.command_options.values import UsageError
from jitstudio.mcp.answers import LONGEST, Answer, Page, Section, answer_text, text_lines

LONG = Answer(
    {"ok": True, "nothing": None, "outcome": "built"},
    {
        "few": Section([f"few {number}" for number in range(5)]),
        "many": Section([{"row": number, "text": "é" * (number % 500)} for number in range(900)]),
        "empty": Section([]),
        "aside": Section(["a log"] * 3, on_request=True),
    },
)


def said(answer, **page):
    return json.loads(answer_text(answer, Page(**page)))


def test_short_lists_are_whole_and_long_ones_take_the_rest():
    text = answer_text(LONG, Page())
    first = json.loads(text)
    assert LONGEST - 1_000 < len(text) <= LONGEST
    assert first["few"] == LONG.sections["few"].entries
    assert {"nothing", "empty", "aside"}.isdisjoint(first)
    shown = len(first["many"])
    assert first["more"] == {
        "many": f"{900 - shown} of 900 left: detail='many', offset={shown}",
        "aside": "3 of 3 left: detail='aside'",
    }


def test_pages_together_are_the_whole_list():
    entries, longest = [], 0
    while len(entries) < 900:
        page = Page("many", len(entries))
        text = answer_text(LONG, page)
        longest = max(longest, len(text))
        entries += json.loads(text)["many"]
    assert longest <= LONGEST
    assert [entry["row"] for entry in entries] == [*range(900)]


def answer_seconds(count):
    """The processor's time for an answer about so many kernels, the least of three."""
    rows = [{"kernel": f"k{number}", "figures": f"{number} registers"} for number in range(count)]
    seconds = []
    for _ in range(3):
        start = time.process_time()
        assert len(answer_text(Answer({}, {"kernels": Section(rows)}), Page())) <= LONGEST
        seconds.append(time.process_time() - start)
    return min(seconds)


def test_ten_thousand_kernels_take_time_in_proportion():
    # Ten times as many as a thousand; a hundred times, were each compared with each.
    assert answer_seconds(10_000) < 30 * answer_seconds(1_000)


def test_cut_values_are_whole_with_lines():
    cut = said(LONG, detail="many", offset=499)
    assert cut["many"][0]["text"].endswith("é …")
    assert cut["more"]["…"] == "values that end so are whole with lines=1 or more"
    (whole,) = said(LONG, detail="many", offset=499, lines=1)["many"]
    assert whole["text"] == "é" * 499


def test_long_lines_are_pieces_of_the_same_text():
    text = "x" * 2_500 + "\n\nshort"
    pieces = text_lines(text)
    assert max(map(len, pieces)) == 1_000
    assert pieces[3:] == ["", "short"]
    assert "".join(pieces) == text.replace("\n", "")


@pytest.mark.parametrize(
    ("page", "part"),
    [
        ({"detail": "lots"}, "no 'lots'. It has: few, many, aside."),
        ({"detail": "few", "offset": 5}, "'few' has 5 entries"),
        ({"offset": 5}, "needs 'detail'"),
    ],
)
def test_a_page_that_is_none_is_told(page, part):
    with pytest.raises(UsageError, match=part):
        answer_text(LONG, Page(**page))
