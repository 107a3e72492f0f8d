import pytest

from jitstudio.core.options import OPTIONS, leave_traces, options_for, split_options
from jitstudio.core.tools import Tool


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
    assert sent("-lineinfo") == {Tool.NVRTC: "-lineinfo", Tool.NVJITLINK: "-lineinfo"}
    assert sent("--generate-line-info") == sent("-lineinfo")


def test_each_tool_gets_its_own_spelling():
    expected = {Tool.NVRTC: "-fmad=false", Tool.NVVM: "-fma=0", Tool.NVJITLINK: "-fma=0"}
    assert sent("--fmad=false") == expected
    assert sent("-G") == {Tool.NVRTC: "-G", Tool.NVVM: "-g", Tool.NVJITLINK: "-g"}


def test_options_of_the_linker_go_there_only():
    assert sent("-verbose") == {Tool.NVJITLINK: "-verbose"}
    assert sent("-O3") == {Tool.NVJITLINK: "-O3"}
    assert sent("-O=3") == {Tool.NVJITLINK: "-O=3"}


@pytest.mark.parametrize("front_end", [Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK])
def test_an_unknown_option_goes_to_the_front_end_as_it_is(front_end):
    assert sent("--bogus=1", front_end) == {front_end: "--bogus=1"}


def test_an_address_sends_any_option_to_one_tool():
    assert sent("nvjitlink:-lineinfo") == {Tool.NVJITLINK: "-lineinfo"}
    assert sent("nvvm:-opt=0") == sent("libnvvm:-opt=0") == {Tool.NVVM: "-opt=0"}
    assert sent("nvdisasm:-hex") == {Tool.NVDISASM: "-hex"}


def test_a_colon_alone_is_no_address():
    assert sent("-DPATH=a:b") == {Tool.NVRTC: "-DPATH=a:b"}


@pytest.mark.parametrize("option", ["--optimization-info=inline", "nvrtc:-opt-info=inline"])
def test_options_that_outlast_a_build_are_known(option):
    assert leave_traces(["-lineinfo", option])
    assert not leave_traces(["-lineinfo", "-G"])


def test_no_flag_means_two_options():
    flags = [flag for row in OPTIONS for flag in row.flags]
    assert len(flags) == len(set(flags))


def test_every_option_is_explained_in_a_sentence():
    assert all(row.help.endswith(".") for row in OPTIONS)
