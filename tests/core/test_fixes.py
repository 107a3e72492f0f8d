import pytest

from jitstudio.core.diagnostics import Edit, Fix, FixKind, edit_for
from jitstudio.core.options import without_option

TEXT = "one two\ntwo three\n"


def replacement(old, new, line=None):
    return Fix("", FixKind.REPLACE_TEXT, new, "k.cu", line, old)


def insertion(text, line=None):
    return Fix("", FixKind.INSERT_TEXT, text, "k.cu", line)


def edited(fix, text=TEXT):
    edit = edit_for(fix, text)
    assert edit is not None
    return text[: edit.start] + edit.text + text[edit.end :]


def test_replaces_the_first_place_of_all():
    assert edit_for(replacement("two", "2"), TEXT) == Edit(4, 7, "2")


def test_replaces_on_the_line_that_is_meant():
    assert edited(replacement("two", "2", line=2)) == "one two\n2 three\n"


def test_text_that_is_on_another_line_only_is_left_alone():
    assert edit_for(replacement("three", "3", line=1), TEXT) is None


def test_replaces_several_lines_from_the_one_that_is_meant():
    assert edited(replacement("two\ntwo", "2", line=1)) == "one 2 three\n"


def test_inserts_whole_lines_before_a_line():
    assert edited(insertion("zero", line=1)) == "zero\none two\ntwo three\n"
    assert edited(insertion("half", line=2)) == "one two\nhalf\ntwo three\n"


@pytest.mark.parametrize(("text", "then"), [("a\n", "a\nend\n"), ("a", "a\nend\n"), ("", "end\n")])
def test_inserts_at_the_end_on_a_line_of_its_own(text, then):
    assert edited(insertion("end"), text) == then


def test_a_line_behind_the_text_is_its_end():
    assert edit_for(replacement("two", "2", line=9), TEXT) is None
    assert edited(insertion("end", line=9)) == TEXT + "end\n"


OPTIONS = ("--bogus", "--bogus=3", "libnvvm:--bogus", "-I", "my folder", "-Da=1")


@pytest.mark.parametrize(
    ("unwanted", "gone"),
    [
        ("--bogus", ("--bogus", "--bogus=3", "libnvvm:--bogus")),
        ("--bogus=3", ("--bogus=3",)),
        ("-I my folder", ("-I", "my folder")),
        ("-Da=1", ("-Da=1",)),
        ("-other", ()),
    ],
)
def test_an_option_goes_with_every_address_and_value_that_is_meant(unwanted, gone):
    left = tuple(option for option in OPTIONS if option not in gone)
    assert without_option(OPTIONS, unwanted) == left


def test_an_option_is_removed_by_the_spelling_that_a_tool_was_sent():
    assert without_option(["-G", "-maxrregcount", "5"], "--maxrregcount=5") == ("-G",)
    assert without_option(["-fmad=false"], "-fma=0") == ()
    assert without_option(["-DA", "-DB"], "-DA") == ("-DB",)
