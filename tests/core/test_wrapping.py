from jitstudio.core.wrapping import filled, wrapped

COMMAND = "/home/somebody/projects/kernels/.venv/bin/python -m pip install 'numba-cuda[cu13]'"


def test_what_is_copied_from_prose_breaks_at_spaces_only():
    lines = wrapped(f"Install it with: {COMMAND}", 24)
    assert all(word in " ".join(lines).split() for word in COMMAND.split())
    assert max(map(len, lines)) == len(COMMAND.split()[0])


def test_lines_but_the_first_are_indented():
    assert wrapped("one two three", 9, "  ") == ["one two", "  three"]


def test_a_text_without_words_has_no_line():
    assert filled("", 20) == ""
    assert filled("one two three", 8) == "one two\nthree"
