import pytest
from PySide6.QtGui import QTextCursor

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.completion.library import WordLibrary
from jitstudio.gui.state.documents import Document, Documents


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
