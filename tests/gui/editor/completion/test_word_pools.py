from time import thread_time

import pytest
from PySide6.QtGui import QTextCursor

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.completion import word_pools
from jitstudio.gui.editor.completion.word_pools import (
    DocumentWords,
    Offers,
    WordLibrary,
    WordPool,
    header_pool,
    language_pool,
)
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.listing.word import Word

NAMES = "threadCount thread_count Threads theCount width_ratio kernelSize"


def pool(names=NAMES):
    return WordPool.of(Word(name, "in a.cu") for name in names.split())


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


@pytest.mark.bench
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


def test_names_are_collected_once_they_are_asked_for_after_an_edit(qtbot, monkeypatch):
    monkeypatch.setattr(word_pools, "_REST_MS", 1)
    document = Document("a.cu", CodeKind.CUDA, b"int alpha;")
    words = DocumentWords(document)
    for text in ("int beta;", "int gamma;"):
        with qtbot.waitSignal(words.changed):
            _ = words.pools
        # Nobody asks: a long text is not read again and again, nor at each letter.
        with qtbot.assertNotEmitted(words.changed, wait=50):
            QTextCursor(document.text).insertText(text)
        with qtbot.waitSignal(words.changed):
            _ = words.pools
        assert text.split()[1][:-1] in str(words.pools)
        document.edited.emit()


def test_a_document_without_a_text_has_no_names(qtbot):
    words = DocumentWords(Document("a.cubin", CodeKind.CUBIN, b"\x7fELF"))
    with qtbot.assertNotEmitted(words.changed, wait=50):
        assert words.pools == ()


@pytest.fixture
def documents():
    return Documents()


@pytest.fixture
def library(documents, qtbot):
    made = WordLibrary(documents)
    # What a language has is read in the background, when it is first asked for.
    kinds = (CodeKind.CUDA, CodeKind.PTX)
    qtbot.waitUntil(lambda: all(made.words(kind) for kind in kinds))
    return made


def names(library, kind=CodeKind.CUDA):
    """The names of the documents, with their origin."""
    _, *pools = library.words(kind)
    return {word.text: word.group for pool in pools for word in pool.words}


def test_the_names_of_all_documents_of_the_language_are_offered(documents, library, qtbot):
    documents.add(Document("a.cu", CodeKind.CUDA, b"int alpha; // omega"))
    documents.add(Document("b.cuh", CodeKind.HEADER, b"int beta;"))
    documents.add(Document("c.ptx", CodeKind.PTX, b"mov.b32 gamma, 1;"))
    expected = {"int": "in b.cuh", "alpha": "in a.cu", "beta": "in b.cuh"}
    qtbot.waitUntil(lambda: names(library) == expected)
    qtbot.waitUntil(lambda: "gamma" in names(library, CodeKind.PTX))


def test_an_edit_is_read_after_a_while_and_a_closed_document_forgotten(documents, library, qtbot):
    document = Document("a.cu", CodeKind.CUDA, b"int alpha;")
    documents.add(document)
    qtbot.waitUntil(lambda: "alpha" in names(library))
    QTextCursor(document.text).insertText("int zeta; ")
    qtbot.waitUntil(lambda: "zeta" in names(library))
    documents.remove(document)
    assert names(library) == {}


def test_headers_in_memory_are_offered_with_those_that_are_always_there(documents, library):
    documents.add(Document("mine.cuh", CodeKind.CUDA, b""))
    documents.add(Document("kernel.cu", CodeKind.CUDA, b""))
    told = {w.text: w.group for pool in library.headers(CodeKind.CUDA) for w in pool.words}
    assert told["mine.cuh"] == "in memory"
    assert "cuda_fp16.h" in told
    assert "kernel.cu" not in told
