import random

import pytest

from jitstudio.gui.state.file_text import line_changes


def applied(old, new):
    lines = list(old)
    for change in reversed(line_changes(old, new)):
        lines[change.old] = new[change.new]
    return lines


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("abc", "abc", []),
        ("", "", []),
        ("abc", "aXc", [((1, 2), (1, 2))]),
        ("abc", "ac", [((1, 2), (1, 1))]),
        ("ac", "abc", [((1, 1), (1, 2))]),
        ("aaa", "aa", [((2, 3), (2, 2))]),
        ("1abc2", "3abc4", [((0, 1), (0, 1)), ((4, 5), (4, 5))]),
    ],
)
def test_only_lines_that_differ_change(old, new, changes):
    found = line_changes(old, new)
    assert [((c.old.start, c.old.stop), (c.new.start, c.new.stop)) for c in found] == changes


def test_the_changes_make_the_old_lines_the_new_ones():
    chance = random.Random(5)
    for _ in range(300):
        old, new = (chance.choices("abcd", k=chance.randrange(12)) for _ in range(2))
        assert applied(old, new) == new


def test_far_too_many_lines_are_one_change():
    old = [f"old {number}" for number in range(5000)]
    new = [f"new {number}" for number in range(5000)]
    (change,) = line_changes(["same", *old, "same"], ["same", *new, "same"])
    assert (change.old, change.new) == (slice(1, 5001), slice(1, 5001))
