from pathlib import Path

import pytest
from PySide6.QtWidgets import QTabBar, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.state.documents import Document, Documents


@pytest.fixture
def tabs(qtbot):
    documents = Documents()
    tabs = EditorTabs(documents)
    qtbot.addWidget(tabs)
    documents.setParent(tabs)
    documents.add(Document("k.cu", CodeKind.CUDA, b"int x;\nint y;\n"))
    return tabs


def marks(tabs):
    return [placed.mark for placed in tabs.page.editor.marks.alive()]


def test_a_mark_tells_the_message_and_below_it_the_explanation(tabs):
    explanation = "Nobody reads it. " * 8
    told = Diagnostic(Severity.WARNING, "k.cu", 1, 5, "unused", explanation=explanation)
    plain = Diagnostic(Severity.WARNING, "k.cu", 2, 5, "unused")
    tabs.set_diagnostics((told, plain))
    first, second = marks(tabs)
    message, *wrapped = first.message.split("\n")
    assert (message, second.message) == ("unused", "unused")
    assert " ".join(wrapped).split() == explanation.split()
    assert max(map(len, wrapped)) <= 80


@pytest.fixture
def home(qtbot, tabs):
    home = QWidget(windowTitle="Welcome")
    qtbot.addWidget(home)
    tabs.set_home(home, "info")
    return home


def texts(tabs):
    return [tabs.tabText(index) for index in range(tabs.count())]


def document(name):
    return Document(name, CodeKind.CUDA, b"")


def test_the_home_stands_there_only_while_no_document_is_open(tabs, home):
    documents = tabs._documents
    assert texts(tabs) == ["k.cu"]
    documents.remove(documents.current)
    assert texts(tabs) == ["Welcome"]
    assert tabs.is_at_home
    assert not tabs.tabBar().tabButton(0, QTabBar.ButtonPosition.RightSide).isVisibleTo(tabs)
    documents.add(document("a.cu"))
    assert texts(tabs) == ["a.cu"]


def test_no_document_is_current_while_the_home_is_looked_at(tabs, home):
    documents = tabs._documents
    first = documents.current
    tabs.show_home()
    assert texts(tabs) == ["Welcome", "k.cu"]
    assert documents.current is None
    documents.current = first
    assert tabs.page.document is first
    tabs.show_home()
    tabs.tabBar().tabButton(0, QTabBar.ButtonPosition.RightSide).click()
    assert texts(tabs) == ["k.cu"]
    assert documents.current is first


def test_documents_keep_their_order_around_the_home(tabs, home):
    documents = tabs._documents
    tabs.add_home()
    documents.add(document("a.cu"))
    documents.add(document("b.cu"))
    documents.reorder([documents.named(name) for name in ("b.cu", "k.cu", "a.cu")])
    assert texts(tabs) == ["Welcome", "b.cu", "k.cu", "a.cu"]
    tabs.tabBar().moveTab(0, 2)
    assert [d.name for d in documents] == ["b.cu", "k.cu", "a.cu"]
    documents.add(document("c.cu"))
    assert texts(tabs) == ["b.cu", "k.cu", "Welcome", "a.cu", "c.cu"]


def test_files_of_one_name_show_their_folders(tabs):
    documents = tabs._documents
    one, two, far, only = (
        Document(name, CodeKind.CUDA, b"", Path(path))
        for name, path in (
            ("a.cu", "/x/one/a.cu"),
            ("two/a.cu", "/x/two/a.cu"),
            ("three/a.cu", "/y/two/a.cu"),
            ("b.cu", "/x/one/b.cu"),
        )
    )
    for new in (one, two, only):
        documents.add(new)
    assert texts(tabs) == ["k.cu", "one/a.cu", "two/a.cu", "b.cu"]
    documents.add(far)
    assert texts(tabs)[1:] == ["one/a.cu", "x/two/a.cu", "b.cu", "y/two/a.cu"]
    documents.remove(far)
    one.path = Path("/x/one/other.cu")
    documents.rename(one, "other.cu")
    # A build knows it by a name that stays; who reads has no need of the folder any more.
    assert texts(tabs)[1:] == ["other.cu", "two/a.cu", "b.cu"]
    assert documents.unique_name("b.cu", Path("/x/two/b.cu")) == "two/b.cu"
    assert documents.unique_name("k.cu") == "k-2.cu"


def test_that_a_tab_has_no_file_is_told_in_the_language_of_the_window(tabs, bracketing):
    tabs._documents.add(document("a.cu"))
    assert "[in no file yet]" in tabs.tabToolTip(tabs.count() - 1)
