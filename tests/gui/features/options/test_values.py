import pytest

from jitstudio.core.options import find
from jitstudio.gui.features.options.values import OptionValues

FTZ, REGISTERS, MACRO, INFO = (
    find(flag)[0] for flag in ("-ftz", "--maxrregcount", "-D", "-lineinfo")
)


def test_a_text_is_seen_as_values():
    values = OptionValues("-lineinfo -ftz=1 -maxrregcount 64 -DN=4 -D 'NAME=a b'")
    assert values.values(INFO) == (None,)
    assert values.values(FTZ) == ("true",)
    assert values.values(REGISTERS) == ("64",)
    assert values.values(MACRO) == ("N=4", "NAME=a b")
    assert values.other == ""


@pytest.mark.parametrize(
    "option",
    [
        "--bogus",
        "nvrtc:-lineinfo",
        "-ftz=maybe",
        "-ftz",
        "--maxrregcount=many",
        "--maxrregcount=1000",
        "--std=c++99",
        "-lineinfo=1",
        "-arch=sm_80",
    ],
)
def test_what_no_row_can_show_is_kept_among_the_others(option):
    values = OptionValues(f"-G {option} -DN=4")
    assert values.other == option
    values.set_values(INFO, (None,))
    assert values.text == f"-G {option} -DN=4 -lineinfo"


def test_an_option_for_the_only_tool_that_takes_it_is_shown():
    assert OptionValues("nvjitlink:-O0").values(find("-O0")[0]) == ("0",)


def test_a_change_leaves_the_words_of_all_others():
    values = OptionValues("-fma=0 -I include -maxrregcount 64 --bogus")
    values.set_values(REGISTERS, ("32",))
    assert values.text == "-fma=0 -I include --maxrregcount=32 --bogus"
    values.set_values(REGISTERS, ())
    assert values.text == "-fma=0 -I include --bogus"


def test_the_last_of_two_counts_and_one_is_left_after_a_change():
    values = OptionValues("-ftz=true -G -ftz=false")
    assert values.values(FTZ) == ("false",)
    values.set_values(FTZ, ("true",))
    assert values.text == "-ftz=true -G"


def test_text_is_kept_as_typed_until_something_is_changed():
    typed = '  -DNAME="a b"   -lineinfo '
    values = OptionValues(typed)
    assert values.text == typed
    values.set_values(INFO, ())
    assert values.text == "'-DNAME=a b'"


def test_an_open_quote_is_a_problem_and_loses_nothing():
    values = OptionValues("-lineinfo")
    values.set_text("-lineinfo -DNAME='a")
    assert values.text == "-lineinfo -DNAME='a"
    assert "No closing quotation" in values.problem
    assert values.values(INFO) == (None,)
    values.set_text("-G")
    assert values.problem == ""
    assert values.values(INFO) == ()


def test_what_will_be_refused_is_warned_of():
    assert "Target field" in OptionValues("-arch=sm_80").warning
    assert OptionValues("-lineinfo").warning == ""


def test_the_others_can_be_replaced():
    values = OptionValues("--one -lineinfo --two")
    values.set_other("--three 'a b'")
    assert values.text == "--three 'a b' -lineinfo"
    with pytest.raises(ValueError, match="Check the quotes"):
        values.set_other("'")
    assert values.other == "--three 'a b'"


def test_a_reset_keeps_the_others():
    values = OptionValues("-lineinfo --one -ftz=1 -DN=1 nvrtc:-G")
    values.reset()
    assert values.text == "--one nvrtc:-G"
