import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QEnterEvent, QHelpEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QToolTip

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Severity
from jitstudio.gui.code.hover import Tip
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.marks import DiagnosticMark
from jitstudio.gui.features.editing.hover import EditorHover
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
TEXT = "/*\N{ROCKET}*/ int i = clock();\n// clock\nint k;\n"


class Source:
    def __init__(self):
        self.wanted = []

    def want(self, kind):
        self.wanted.append(kind)

    def find(self, kind, line, column):
        assert kind is CodeKind.CUDA
        start = line.find("clock")
        is_known = start >= 0 and start <= column < start + 5
        return Tip("<b>the time</b>", "the time", (start, start + 5)) if is_known else None


@pytest.fixture
def source():
    return Source()


@pytest.fixture
def editor(qtbot, light, source):
    made = CodeEditor(CudaCxxLexer())
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.setPlainText(TEXT)
    made.show()
    EditorHover(made, source.want, source.find)
    yield made
    QToolTip.hideText()


def rest(editor, line, word, offset=0):
    """Rest the mouse on the left half of a letter of a word."""
    block = editor.document().findBlockByNumber(line)
    cursor = QTextCursor(block)
    units = block.text()[: block.text().index(word) + offset].encode("utf-16-le")
    cursor.setPosition(block.position() + len(units) // 2)
    at = editor.cursorRect(cursor).center()
    at.setX(at.x() + 2)
    event = QHelpEvent(QEvent.Type.ToolTip, at, editor.viewport().mapToGlobal(at))
    QApplication.sendEvent(editor.viewport(), event)
    return QToolTip.text()


@pytest.mark.parametrize("offset", [0, 2, 4])
def test_the_word_below_the_mouse_is_told_of(editor, offset):
    assert "the time" in rest(editor, 0, "clock", offset)


@pytest.mark.parametrize(("line", "word"), [(0, "();"), (0, "int"), (1, "clock"), (2, "k;")])
def test_other_words_and_comments_are_not(editor, line, word):
    assert rest(editor, line, word) == ""


def test_what_the_compiler_says_comes_first(editor):
    editor.set_marks([DiagnosticMark(1, 15, Severity.ERROR, "no such name")])
    told = rest(editor, 0, "clock", 1)
    assert "no such name" in told
    assert "the time" not in told


def test_texts_are_wanted_when_the_mouse_comes(editor, source):
    source.wanted.clear()
    at = QPointF(5, 5)
    QApplication.sendEvent(editor.viewport(), QEnterEvent(at, at, at))
    assert source.wanted == [CodeKind.CUDA]


@pytest.mark.parametrize("column", [15, 17, 20])
def test_the_word_at_the_cursor_is_told_of_also_behind_its_end(editor, column):
    editor.go_to(1, column)
    assert editor.findChild(EditorHover).explain().line == "the time"
    assert "the time" in QToolTip.text()


def test_without_a_word_there_is_no_tip(editor):
    editor.go_to(3, 1)
    assert editor.findChild(EditorHover).explain() is None
