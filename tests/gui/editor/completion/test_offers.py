from time import thread_time

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.completion.offers import Offers, Pool, header_pool, language_pool
from jitstudio.listing.word import Word

NAMES = "threadCount thread_count Threads theCount width_ratio kernelSize"


def pool(names=NAMES):
    return Pool.of(Word(name, "in a.cu") for name in names.split())


def offered(typed, *pools, loosely=False):
    return [word.text for word in Offers(pools or (pool(),)).find(typed, loosely=loosely)]


def test_words_that_begin_so_come_first_and_in_the_same_case_before_all():
    assert offered("thr") == ["threadCount", "thread_count", "Threads"]
    assert offered("Thr") == ["Threads", "threadCount", "thread_count"]


def test_the_beginnings_of_the_parts_of_a_word_will_do():
    assert offered("tc") == ["threadCount", "theCount", "thread_count"]


def test_words_about_as_long_stay_in_the_order_of_the_vocabulary():
    found = offered("atomic", language_pool(CodeKind.CUDA))
    assert found[:3] == ["atomicAdd", "atomicSub", "atomicExch"]


@pytest.mark.parametrize(("loosely", "found"), [(False, []), (True, ["width_ratio"])])
def test_other_letters_will_do_when_asked_for(loosely, found):
    assert offered("ratio", loosely=loosely) == found


def test_the_word_itself_is_no_offer():
    assert offered("theCount") == []


def test_more_letters_and_fewer_find_the_same_as_from_the_start():
    offers = Offers((pool(), language_pool(CodeKind.CUDA)))
    for typed in ("th", "thr", "thread", "thread_", "thr", "kern"):
        anew = Offers((pool(), language_pool(CodeKind.CUDA))).find(typed, loosely=False)
        assert offers.find(typed, loosely=False) == anew, typed
        assert anew


def test_a_word_of_the_language_is_told_about_as_such():
    pools = (language_pool(CodeKind.CUDA), pool("threadIdx threadId"))
    found = Offers(pools).find("threadI", loosely=False)
    assert [(word.text, word.group) for word in found] == [
        ("threadIdx", "a variable"),
        ("threadId", "in a.cu"),
    ]


@pytest.mark.parametrize(
    ("kind", "typed", "first"),
    [
        (CodeKind.CUDA, "__shfl_d", "__shfl_down_sync"),
        (CodeKind.CUDA, "sync", "__syncwarp"),
        (CodeKind.CUDA, "#inc", "#include"),
        (CodeKind.PTX, ".vis", ".visible"),
        (CodeKind.PTX, "%nct", "%nctaid"),
        (CodeKind.LLVM_IR, "@llvm.nvvm.bar.w", "@llvm.nvvm.bar.warp.sync"),
    ],
)
def test_the_words_of_each_language_are_found(kind, typed, first):
    assert offered(typed, language_pool(kind))[0] == first


def test_headers_are_found_by_their_parts():
    found = offered("coop", header_pool(CodeKind.CUDA))
    assert found[0] == "cooperative_groups.h"


def test_a_letter_in_a_long_text_is_answered_at_once():
    names = " ".join(f"{name}_{n}" for n in range(400) for name in ("value", "kernel", "index"))
    pools = (language_pool(CodeKind.CUDA), pool(names))
    seconds = []
    for _ in range(5):
        begun = thread_time()
        Offers(pools).find("val", loosely=False)
        seconds.append(thread_time() - begun)
    # Measured at 1 ms; the margin is for slow machines.
    assert min(seconds) < 0.02
