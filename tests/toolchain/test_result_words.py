import pytest
from cuda.bindings import nvfatbin, nvjitlink, nvrtc, nvvm

from jitstudio.toolchain.result_words import WORDS, meaning_of

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
