import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QEnterEvent, QHelpEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QToolTip

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Severity
from jitstudio.gui.code.hover import Tip
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.marks import DiagnosticMark
from jitstudio.gui.features.editing.hover import EditorHover, Tips
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def put_caret(driver, kind, opcode, column=None):
    pane = driver.listings[kind]
    driver.shell.layout.bring_up(pane)
    view = pane.code_view
    line = next(n for n, text in enumerate(view.text.lines) if opcode in text)
    at = view.text.lines[line].index(opcode) if column is None else column
    view.caret.set_place((line, at))
    view.caret_moved()


def explained(driver, begins):
    driver.trigger("explainAction")
    driver.wait(lambda: driver.shell.status.currentMessage().startswith(begins))
    return QToolTip.text()


def test_words_are_explained_by_keyboard_in_listings_and_editors(started):
    put_caret(started, CodeKind.PTX, "mad.lo")
    of_product = explained(started, "mad.lo.type d, a, b, c: ")
    assert "lower half of the product" in of_product
    put_caret(started, CodeKind.SASS, "SR_TID.X")
    assert "PTX %tid" in explained(started, "SR_TID.X: ")

    started.shell.layout.bring_up(started.editors)
    line = next(
        n
        for n, text in enumerate(started.editor.toPlainText().split("\n"), 1)
        if "blockIdx" in text
    )
    text = started.editor.document().findBlockByNumber(line - 1).text()
    started.editor.go_to(line, text.index("blockIdx") + 3)
    assert "grid" in explained(started, "uint3 blockIdx: ")

    # On none of its words, the caret asks for what the line does.
    started.editor.go_to(line, 1)
    assert "grid" in explained(started, "uint3 blockIdx: ")
    put_caret(started, CodeKind.PTX, "mad.lo", column=0)
    assert explained(started, "mad.lo.type d, a, b, c: ") == of_product
    put_caret(started, CodeKind.SASS, "SR_TID.X", column=0)
    assert explained(started, "S2R")
    put_caret(started, CodeKind.PTX, "//", column=0)
    explained(started, "There is no help on the words of this line")
    started.shell.layout.bring_up(started.pane("problems"))
    started.trigger("explainAction")
    assert "Go to a line" in started.shell.status.currentMessage()
    QToolTip.hideText()
    started.wait(lambda: not QToolTip.isVisible())


PARAMETERS = [("a", "const float*"), ("b", "const float*"), ("sum", "float*"), ("n", "int")]


def test_constants_of_sass_are_explained_by_the_names_of_the_source(started):
    started.shell.layout.bring_up(started.listings[CodeKind.SASS])
    started.wait(lambda: started.state.disassembly.current)
    code = started.state.disassembly.current.code
    bank = code.constants.parameters[code.kernels[0].name]
    for number, (name, kind) in enumerate(PARAMETERS):
        place = bank.parameters[number]
        put_caret(started, CodeKind.SASS, f"c[0x0][{bank.base + place.offset:#x}]")
        said = f"{name}: {kind}, parameter {number}, {place.size} bytes at offset {place.offset:#x}"
        assert "Declared in " in explained(started, said)
    QToolTip.hideText()
    started.wait(lambda: not QToolTip.isVisible())


def test_registers_of_a_build_for_debugging_are_explained_by_the_variables_in_them(started):
    started.shell.layout.bring_up(started.listings[CodeKind.SASS])
    started.next_result(lambda: started.set_options("-G"))
    namings, disassembly = started.state.constant_namings, started.state.disassembly
    started.wait(lambda: namings.listing is not None and namings.listing.registers)
    (function,) = disassembly.current.code.kernels
    variables = namings.listing.registers[function.name]
    index = next(v for v in variables if v.name == "i" and v.is_written)
    at = function.index_of(index.begin)
    view = started.listings[CodeKind.SASS].code_view
    row = disassembly.current.rows.line(function, at)
    view.caret.set_place((row, view.text.lines[row].index(f"R{index.register}")))
    view.caret_moved()
    view.setFocus()
    written = started.editor.document().findBlockByNumber(index.line - 1).text()
    assert "int i =" in written
    name = started.document.name
    said = f"R{index.register} holds i: int, declared in {name}, line {index.line}"
    assert "debug information" in explained(started, said)
    # Of the same register where another value is read nothing is claimed.
    assert namings.register_at(row, view.text.lines[row], len(view.text.lines[row])) is None
    QToolTip.hideText()
    started.wait(lambda: not QToolTip.isVisible())
    started.next_result(lambda: started.set_options(""))


def test_a_tab_that_is_opened_later_is_served_too(started, tmp_path):
    file = tmp_path / "mine.ptx"
    file.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
    started.next_result(lambda: started.files.open_paths([file]))
    started.shell.layout.bring_up(started.editors)
    started.editor.go_to(4, 23)
    assert "ends its thread" in explained(started, "ret: ")
    QToolTip.hideText()
    started.wait(lambda: not QToolTip.isVisible())


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


@pytest.fixture
def tips(qapp):
    return Tips()


def read(tips, qtbot, kind):
    with qtbot.waitSignal(tips.known, timeout=20_000) as told:
        tips.want(kind)
    assert told.args == [kind]


def test_nobody_waits_for_texts_that_are_not_read_yet(tips, qtbot):
    with qtbot.waitSignal(tips.known, timeout=20_000):
        assert tips.tip(CodeKind.PTX, "ret;", 0) is None
        assert not tips.is_known(CodeKind.PTX)
    assert tips.is_known(CodeKind.PTX)
    assert tips.tip(CodeKind.PTX, "ret;", 0).line.startswith("ret: Goes back")


@pytest.mark.parametrize(
    ("kind", "line", "column", "begins", "span"),
    [
        (CodeKind.PTX, "\tld.global.f32 \t%f1, [%rd8];", 4, "ld{.sem}.global", (1, 14)),
        (CodeKind.PTX, "\tmov.u32 \t%r5, %tid.x;", 20, "%tid.x .u32: The index", (15, 21)),
        (CodeKind.SASS, "  /*0070*/  @P0 EXIT ;", 17, "EXIT: Ends", (16, 20)),
        (CodeKind.CUDA, "int i = threadIdx.x;", 10, "uint3 threadIdx: ", (8, 19)),
        (CodeKind.LLVM_IR, "%c = add i32 %a, %b", 6, "%d = add", (5, 8)),
    ],
)
def test_each_language_has_its_own(tips, qtbot, kind, line, column, begins, span):
    read(tips, qtbot, kind)
    tip = tips.tip(kind, line, column)
    assert tip.line.startswith(begins)
    assert tip.span == span


@pytest.mark.parametrize(
    ("kind", "line", "column"),
    [
        (CodeKind.PTX, "call vector_add;", 6),
        (CodeKind.PTX, "ret;" + " " * 6000, 0),
        (CodeKind.CUDA, "int mine;", 5),
        (CodeKind.SASS, "", 0),
    ],
)
def test_of_other_words_nothing_is_told(tips, qtbot, kind, line, column):
    read(tips, qtbot, kind)
    assert tips.tip(kind, line, column) is None


def test_texts_are_read_once(tips, qtbot):
    read(tips, qtbot, CodeKind.SASS)
    with qtbot.assertNotEmitted(tips.known, wait=200):
        tips.want(CodeKind.SASS)


def test_a_kind_that_nobody_writes_has_none(tips, qtbot):
    read(tips, qtbot, CodeKind.CUBIN)
    assert tips.tip(CodeKind.CUBIN, "abc", 0) is None
