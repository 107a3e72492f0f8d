import pytest

from jitstudio.core.launch.problems import (
    TextError,
    in_bytes,
    listing,
    parts,
    shortened,
    unknown,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("  ", []),
        ("a", ["a"]),
        (" a , b", ["a", "b"]),
        ("min(a, b), {c, [d, e]}", ["min(a, b)", "{c, [d, e]}"]),
        ("a,", ["a", ""]),
    ],
)
def test_texts_are_parted_at_commas_outside_brackets(text, found):
    assert parts(text) == found


@pytest.mark.parametrize("text", ["(a", "a)", "(a))", "{1,2"])
def test_brackets_come_in_pairs(text):
    with pytest.raises(TextError, match=r"bracket that nothing closes|that nothing opens"):
        parts(text)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([], "none"),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        ([f"k{i}" for i in range(20)], ", ".join(f"k{i}" for i in range(12)) + " and 8 more"),
    ],
)
def test_names_are_listed_in_a_sentence(names, told):
    assert listing(names) == told


def test_an_unknown_name_is_answered_with_what_was_meant_or_what_there_is():
    assert unknown("heigth", ["width", "height"]) == "Did you mean height?"
    assert unknown("q", ["width", "height"]) == "Known here: width and height."


def test_a_long_text_is_cut():
    assert shortened(" n*2 ") == "n*2"
    assert shortened("n" * 61) == "n" * 57 + "..."


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (1 << 40, "1.0 TiB")],
)
def test_sizes_are_told_in_their_unit(size, words):
    assert in_bytes(size) == words
