import pytest

from jitstudio.core.options import (
    OPTIONS,
    OptionGroup,
    ValueKind,
    find,
    have_effects,
    join_options,
    leave_traces,
    options_for,
    read,
    refusal,
    split_options,
    without,
)
from jitstudio.core.tools import Tool
from jitstudio.gui.features.build.option_completion import is_half_typed, suggestions


def sent(option, front_end=Tool.NVRTC):
    """What each tool gets of one option."""
    each = {tool: options_for(tool, [option], front_end) for tool in Tool}
    return {tool: options[0] for tool, options in each.items() if options}


def test_options_are_split_like_a_shell_does():
    text = "-lineinfo  --maxrregcount=32 -DNAME='a b'"
    assert split_options(text) == ("-lineinfo", "--maxrregcount=32", "-DNAME=a b")


def test_an_open_quote_is_told_in_words():
    with pytest.raises(ValueError, match="options cannot be read: No closing quotation"):
        split_options("-DNAME='a")


def test_line_info_reaches_compiler_and_linker_but_not_libnvvm():
    tile = {Tool.TILEIRAS: "--lineinfo"}
    assert sent("-lineinfo") == {Tool.NVRTC: "-lineinfo", Tool.NVJITLINK: "-lineinfo"} | tile
    assert sent("--generate-line-info") == sent("-lineinfo")


def test_each_tool_gets_its_own_spelling():
    expected = {Tool.NVRTC: "-fmad=false", Tool.NVVM: "-fma=0", Tool.NVJITLINK: "-fma=0"}
    assert sent("--fmad=false") == expected
    packed = {Tool.NVJITLINK: "-g", Tool.NVFATBIN: "-g", Tool.TILEIRAS: "--device-debug"}
    assert sent("-G") == {Tool.NVRTC: "-G", Tool.NVVM: "-g"} | packed


def test_options_of_the_linker_go_there_only():
    assert sent("-verbose") == {Tool.NVJITLINK: "-verbose"}
    assert sent("-O3") == {Tool.NVJITLINK: "-O3"}
    assert sent("-O=3") == {Tool.NVJITLINK: "-O3"}


@pytest.mark.parametrize("front_end", [Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK])
def test_an_unknown_option_goes_to_the_front_end_as_it_is(front_end):
    assert sent("--bogus=1", front_end) == {front_end: "--bogus=1"}


def test_an_address_sends_any_option_to_one_tool():
    assert sent("nvjitlink:-lineinfo") == {Tool.NVJITLINK: "-lineinfo"}
    assert sent("nvvm:-opt=0") == sent("libnvvm:-opt=0") == {Tool.NVVM: "-opt=0"}
    assert sent("nvdisasm:-hex") == {Tool.NVDISASM: "-hex"}


def test_a_colon_alone_is_no_address():
    assert sent("-DPATH=a:b") == {Tool.NVRTC: "-DPATH=a:b"}


@pytest.mark.parametrize(
    "option",
    [
        "--optimization-info=inline",
        "nvrtc:-opt-info=inline",
        "-Xopt",
        "nvvm:-opt-bisect-limit=0",
        "-Xnvvm=-Xopt",
        "-Xcudafe",
        "-Xptxas=--options-file=f",
        "--not-in-the-table",
    ],
)
def test_options_that_may_outlast_a_build_are_known(option):
    assert leave_traces(["-lineinfo", option])
    assert have_effects(["-lineinfo", option])


@pytest.mark.parametrize("options", [("-G",), ("-Xptxas=-v",), ("-Xptxas", "-O1"), ("-I", "f")])
def test_others_leave_nothing_behind(options):
    assert not leave_traces(["-lineinfo", *options])
    assert not have_effects(["-lineinfo", *options])


@pytest.mark.parametrize("option", ["--time=f", "--fdevice-time-trace=f", "-time", "--no-cache"])
def test_what_is_more_than_a_result_is_known(option):
    assert have_effects([option])
    assert not leave_traces([option])


def test_options_of_one_compiler_do_not_reach_the_other():
    assert sent("-DN=4", Tool.NVVM) == sent("--define-macro=N=4") == {Tool.NVRTC: "-DN=4"}
    assert sent("-opt=0", Tool.NVRTC) == {Tool.NVVM: "-opt=0"}


@pytest.mark.parametrize("written", ["-fma=0", "-fma=false", "--fmad=0", "-fmad=false"])
def test_truth_is_written_as_each_tool_reads_it(written):
    expected = {Tool.NVRTC: "-fmad=false", Tool.NVVM: "-fma=0", Tool.NVJITLINK: "-fma=0"}
    assert sent(written) == expected


def test_a_tool_that_wants_words_gets_them():
    flag = "--device-stack-protector=true"
    assert sent("--device-stack-protector=1") == {Tool.NVRTC: flag, Tool.NVJITLINK: flag}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("-I", "include"), "-Iinclude"),
        (("-I include",), "-Iinclude"),
        (("-D", "N=4"), "-DN=4"),
        (("--maxrregcount", "32"), "--maxrregcount=32"),
        (("--std", "c++20"), "--std=c++20"),
        (("-Xptxas", "-v"), "--ptxas-options=-v"),
    ],
)
def test_a_value_may_be_a_word_of_its_own(words, expected):
    assert options_for(Tool.NVRTC, words, Tool.NVRTC) == (expected,)


@pytest.mark.parametrize("next_word", ["-lineinfo", "nvrtc:-lineinfo"])
def test_an_option_is_not_taken_for_the_value_of_another(next_word):
    sent = options_for(Tool.NVRTC, ["--std", next_word], Tool.NVRTC)
    assert sent == ("--std", "-lineinfo")


def test_a_longer_flag_is_no_flag_with_its_value():
    assert find("-Ofc=min")[0].flag == "--Ofast-compile"
    assert find("-Obogus") == (None, None)
    assert find("-O3")[1] == "3"


def test_what_is_read_can_be_written_again():
    text = "-DNAME='a b' -I include nvjitlink:-O0 --bogus -lineinfo"
    given = read(split_options(text))
    assert [g.value for g in given] == ["NAME=a b", "include", "0", None, None]
    assert [g.tool for g in given] == [None, None, Tool.NVJITLINK, None, None]
    words = [word for g in given for word in g.words]
    assert split_options(join_options(words)) == split_options(text)


@pytest.mark.parametrize(
    ("option", "where"),
    [
        ("-arch=sm_80", "Target field"),
        ("--gpu-architecture=sm_80", "Target field"),
        ("nvvm:-arch=compute_80", "Target field"),
        ("-dlto", "Link LTO"),
        ("-ptx", "--emit"),
        ("--pch", "the worker"),
    ],
)
def test_what_jitstudio_sends_itself_is_refused_with_the_place_to_set_it(option, where):
    told = refusal(["-lineinfo", option])
    assert told.startswith(f"Take '{option}' out of the options: ")
    assert where in told


def test_all_else_is_sent():
    sent_anyway = (o.written(o.value.example or None) for o in OPTIONS if not o.managed)
    assert refusal([*sent_anyway, "--bogus", "nvdisasm:-ptx"]) == ""


def test_versions_are_compared_as_numbers():
    spec, _ = find("--use-bundled-headers")
    assert spec.too_new_for(Tool.NVRTC, "13.2")
    assert not spec.too_new_for(Tool.NVRTC, "13.3")
    assert not spec.too_new_for(Tool.NVRTC, "13.10")
    assert not spec.too_new_for(Tool.NVRTC, "")
    assert not find("-lineinfo")[0].too_new_for(Tool.NVRTC, "13.0")


def test_no_flag_means_two_options():
    flags = [flag for row in OPTIONS for flag in row.flags]
    assert len(flags) == len(set(flags))


def test_every_option_has_a_name_of_its_own():
    names = [row.name for row in OPTIONS]
    assert len(names) == len(set(names)) > 80


def test_every_option_is_explained_in_a_sentence():
    assert all(row.help.endswith(".") for row in OPTIONS)


def test_the_table_goes_group_by_group():
    order = list(OptionGroup)
    places = [order.index(row.group) for row in OPTIONS]
    assert places == sorted(places)
    assert set(places) == set(range(len(order)))


def test_a_default_is_a_value_that_could_be_given():
    for row in OPTIONS:
        if row.value.kind is ValueKind.CHOICE and row.default:
            assert row.default in row.value.choices
        if row.value.kind is ValueKind.TRUTH:
            assert row.default in ("true", "false")
        if row.value.kind is ValueKind.NUMBER and row.default:
            assert row.value.low <= int(row.default) <= row.value.high


def words(typed):
    return [offer.word for offer in suggestions(typed)]


def test_a_flag_is_completed_by_every_spelling_of_it():
    assert words("-line") == ["-lineinfo"]
    assert words("--fma") == ["--fmad=", "--fmax-errors="]
    assert "-D" in words("-")


def test_a_value_is_completed_where_there_is_a_choice():
    assert words("--std=c++2") == ["--std=c++20", "--std=c++23"]
    assert words("-fma=") == ["-fma=true", "-fma=false"]
    assert words("-DTILE=") == []


def test_an_address_stays_and_narrows_the_choice():
    assert words("nvjitlink:-v") == ["nvjitlink:-verbose", "nvjitlink:-variables-used="]
    assert words("nvdisasm:-verb") == []


@pytest.mark.parametrize("typed", ["", "lineinfo", "-lineinfo", "--bogus=", "-arc"])
def test_nothing_is_offered_that_would_not_help(typed):
    assert words(typed) == []


def test_an_offer_says_what_it_is():
    (offer,) = suggestions("-lineinf")
    assert offer.help.startswith("Line information: Line information for tools, without changing")


@pytest.mark.parametrize(
    ("words", "others", "kept"),
    [
        (("--std=c++17", "-lineinfo"), ("-std=c++20",), ("-lineinfo",)),
        (("-std", "c++17", "-G"), ("--std=c++20",), ("-G",)),
        (("-DA", "-DB"), ("-DA=2",), ("-DA", "-DB")),
        (("nvjitlink:-O0",), ("-O3",), ("nvjitlink:-O0",)),
        (("--unheard-of=1",), ("--unheard-of=2",), ("--unheard-of=1",)),
    ],
)
def test_an_option_gives_way_to_another_value_of_itself(words, others, kept):
    assert without(words, others) == kept


@pytest.mark.parametrize(
    "text",
    [
        "-linein|",
        "-G -linein|",
        "-linein| -G",
        "--maxrregcount|",
        "--maxrregcount=|",
        "--maxrregcount=x|",
        "--std=c++|",
        "-I|",
        "-I |",
        "-DX='a|",
        "nvjitlink|",
        "nvjitlink:|",
        "nvjitlink:-verb|",
        "--no-such-option|",
    ],
)
def test_an_option_is_half_typed(text):
    assert is_half_typed(text.replace("|", ""), text.index("|"))


@pytest.mark.parametrize(
    "text",
    [
        "|",
        "-lineinfo|",
        "-lineinfo |",
        "-linein -G|",
        "--maxrregcount=32|",
        "--maxrregcount 32|",
        "--std=c++17|",
        "-Iinclude|",
        "-I include|",
        "-DX='a b'|",
        "nvjitlink:-verbose|",
        "--no-such-option |",
        "-l|ineinfo",
    ],
)
def test_an_option_is_typed_to_its_end(text):
    assert not is_half_typed(text.replace("|", ""), text.index("|"))
