from jitstudio.cli.table import table_lines


def test_words_stand_left_and_numbers_right():
    rows = [("kernel", "target", "ms"), ("k", "sm_90", "12.5")]
    assert table_lines(rows, left=2) == [
        "kernel  target    ms",
        "k       sm_90   12.5",
    ]


def test_no_line_ends_in_spaces():
    assert table_lines([("a", ""), ("b", "")], left=2) == ["a", "b"]
