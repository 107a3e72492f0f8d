import ctypes
import os

import pytest
from cuda.bindings import nvfatbin, nvjitlink, nvrtc, nvvm

from jitstudio.toolchain.result_words import WORDS, meaning_of
from jitstudio.toolchain.tool_output import STDERR, STDOUT


def test_text_of_both_descriptors_is_read_back(capture):
    mark = capture.mark()
    os.write(STDOUT, b"out\n")
    os.write(STDERR, b"caf\xc3\xa9 \xff\n")
    assert capture.since(mark) == ("out", "café \ufffd")


def test_only_what_came_after_the_mark_is_read(capture):
    os.write(STDOUT, b"before")
    mark = capture.mark()
    assert capture.since(mark) == ("", "")
    os.write(STDOUT, b"after")
    assert capture.since(mark) == ("after", "")


def test_the_c_library_does_not_keep_text_back(capture):
    mark = capture.mark()
    ctypes.CDLL(None).puts(b"from C")
    assert capture.since(mark) == ("from C", "")


def test_of_a_flood_the_end_is_kept(capture):
    mark = capture.mark()
    os.write(STDERR, b"x" * (3 << 20) + b" the end")
    _, stderr = capture.since(mark)
    assert len(stderr) == 1 << 20
    assert stderr.endswith("x the end")


CODES = (nvrtc.nvrtcResult, nvvm.Result, nvjitlink.Result, nvfatbin.Result)


@pytest.mark.parametrize("codes", CODES)
def test_every_result_code_has_words(codes):
    assert set(WORDS[codes]) == set(codes)
    assert all(text.endswith(".") for text in WORDS[codes].values())


def test_equal_numbers_of_two_libraries_have_words_of_their_own():
    assert meaning_of(nvjitlink.Result.ERROR_MISSING_ARCH).startswith(
        "ERROR_MISSING_ARCH: No target"
    )
    assert meaning_of(nvvm.Result(2)).startswith("ERROR_PROGRAM_CREATION_FAILURE: The program")
