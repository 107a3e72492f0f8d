import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.vocabulary import vocabulary

LANGUAGES = (CodeKind.CUDA, CodeKind.PTX, CodeKind.LLVM_IR)


def count(kind, *groups):
    words = vocabulary(kind).words.values()
    return sum(bool(word.help) and word.group in groups for word in words)


def test_enough_words_are_told_about():
    keywords = ("a keyword", "a directive", "a header")
    cuda = vocabulary(CodeKind.CUDA).words.values()
    assert sum(bool(w.help) and w.group not in keywords for w in cuda) >= 150
    assert count(CodeKind.PTX, "an instruction", "a special register") >= 120
    assert count(CodeKind.LLVM_IR, "an instruction", "an intrinsic") >= 100


@pytest.mark.parametrize("kind", LANGUAGES)
def test_what_is_told_is_one_line_that_fits(kind):
    told = [w for w in vocabulary(kind).words.values() if w.help]
    assert [w.text for w in told if len(w.help) > 90 or not w.help.endswith((".", "…"))] == []
    assert [w.text for w in told if "{}" in w.usage + w.help + w.text or "\n" in w.help] == []


@pytest.mark.parametrize("kind", LANGUAGES)
def test_all_words_of_the_lexer_are_there(kind):
    words = vocabulary(kind).words
    known = {CodeKind.CUDA: "while", CodeKind.PTX: ".f32", CodeKind.LLVM_IR: "nounwind"}
    assert known[kind] in words


def test_a_row_may_stand_for_several_words():
    words = vocabulary(CodeKind.CUDA).words
    assert words["__fadd_rz"].usage == "float __fadd_rz(float x, float y)"
    assert words["atomicAdd"].usage == "T atomicAdd(T* address, T value)"
    assert words["atomicAdd_block"].group == "an atomic"


def test_headers_are_apart():
    known = vocabulary(CodeKind.HEADER)
    assert known.headers["cub/cub.cuh"].group == "a header"
    assert "cub/cub.cuh" not in known.words
    assert vocabulary(CodeKind.SASS).words == {}
