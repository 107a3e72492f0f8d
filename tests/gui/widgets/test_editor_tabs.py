import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.widgets.editor_tabs import EditorTabs


@pytest.fixture
def tabs(qtbot, light):
    documents = Documents()
    tabs = EditorTabs(documents, light)
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
