import pytest
from PySide6.QtCore import Qt

from jitstudio.gui.kit.presentation import (
    SORT_ROLE,
    TableColumn,
    duration_text,
    one_line,
    plain_tooltip,
    size_text,
)

DISPLAY = Qt.ItemDataRole.DisplayRole


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("short", "short"),
        ("  padded\n", "padded"),
        ("first\nsecond", "first …"),
        ("x" * 500, "x" * 500),
        ("x" * 501, "x" * 500 + " …"),
    ],
)
def test_a_cell_shows_one_line_and_says_that_more_follows(text, shown):
    assert one_line(text) == shown


def test_a_tooltip_shows_angle_brackets_as_they_are():
    assert plain_tooltip("saxpy<float>\nx") == (
        '<p style="white-space: pre">saxpy&lt;float&gt;\nx</p>'
    )


def test_a_tooltip_of_long_lines_wraps():
    assert plain_tooltip("short\n" + "x " * 50).startswith('<p style="white-space: pre-wrap">')


def test_a_tooltip_of_nothing_is_none_at_all():
    assert plain_tooltip("") == ""


def test_a_tooltip_of_megabytes_is_cut():
    assert len(plain_tooltip("x" * 10_000_000)) < 5_000


def test_a_column_is_sorted_by_its_key_and_else_by_its_text():
    plain = TableColumn("Length", lambda row: f"{len(row)} characters")
    keyed = TableColumn("Length", lambda row: f"{len(row)} characters", len, number=True)
    assert plain.data("abc", SORT_ROLE) == "3 characters"
    assert keyed.data("abc", SORT_ROLE) == 3
    assert keyed.data("abc", DISPLAY) == "3 characters"


def test_the_header_of_a_number_stands_over_its_digits():
    column = TableColumn("Line", str, number=True)
    right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    assert column.header(Qt.ItemDataRole.TextAlignmentRole) == right
    assert column.data(7, Qt.ItemDataRole.TextAlignmentRole) == right
    assert column.header(DISPLAY) == "Line"


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (12_345, "12.3 KB"),
        (999_940, "999.9 KB"),
        (999_960, "1.0 MB"),
        (4_200_000, "4.2 MB"),
        (3e9, "3.0 GB"),
    ],
)
def test_sizes(size, words):
    assert size_text(size) == words


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0.0213, "0.021 ms"),
        (3.25, "3.2 ms"),
        (134.6, "135 ms"),
        (0.99996, "1.0 ms"),
        (999.7, "1.0 s"),
        (1250, "1.2 s"),
        (59_970, "1:00 min"),
        (119_900, "2:00 min"),
        (125_400, "2:05 min"),
    ],
)
def test_times(ms, words):
    assert duration_text(ms) == words
