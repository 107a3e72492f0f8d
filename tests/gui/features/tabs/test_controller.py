import pytest

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.tabs.controller import ClosedTabs
from jitstudio.gui.state.build_settings import CodeTrust
from jitstudio.gui.state.documents import Document, Documents
from tests.gui.own_settings import own_settings


@pytest.fixture
def documents(qapp):
    return Documents()


def close_new(documents):
    document = Document("k.cu", CodeKind.CUDA, b"int k;\n")
    documents.add(document)
    documents.remove(document)


def test_the_text_of_an_untrusted_project_stays_in_its_folder(documents):
    settings = own_settings(documents)
    closed = ClosedTabs(documents, settings)
    close_new(documents)
    settings.trust = CodeTrust("/theirs", is_trusted=False)
    close_new(documents)
    theirs, own = closed.take(), closed.take()
    # As long as its project is open, that says what it may.
    assert closed.confined_to(theirs) == ""
    for origin in (CodeTrust(), CodeTrust("/trusted")):
        settings.trust = origin
        assert closed.confined_to(theirs) == "/theirs"
        assert closed.confined_to(own) == ""


def test_what_was_only_looked_at_is_not_among_them(documents):
    closed = ClosedTabs(documents, own_settings(documents))
    document = Document("found.h", CodeKind.HEADER, b"int k;\n")
    document.is_preview = True
    documents.add(document)
    documents.remove(document)
    assert len(closed) == 0
