"""Moving about in PTX and SASS, and taking them away, in a real window with a real worker."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.listing.output_header import FunctionList
from tests.gui.driver import pause

CTRL = Qt.KeyboardModifier.ControlModifier
FLOAT, DOUBLE = "_Z5saxpyIfEvT_PKS0_PS0_i", "_Z5saxpyIdEvT_PKS0_PS0_i"
FLOAT_WORDS, DOUBLE_WORDS = "saxpy<float>", "saxpy<double>"


def line_of(view, text):
    """The first line with this text, counted from 0."""
    return next(number for number, line in enumerate(view.text.lines) if text in line)


def put_caret(view, line, text):
    view.caret.set_place((line, view.text.lines[line].index(text) + 1))
    view.caret_moved()


def click(view, line, text, modifiers=CTRL):
    grid = view._scrolling.grid()
    column = view.text.lines[line].index(text) + 1
    x = grid.x(view.text.cell(line, column) + 0.5)
    at = QPoint(round(x), grid.y(view.visibility.rows.row(line)) + grid.height // 2)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, modifiers, at)


def test_links_history_marks_and_kernels(started):
    started.open_sample("SAXPY")
    ptx = started.listing("ptxView")
    pane = started.listings[CodeKind.PTX]
    started.wait(lambda: pane.header.functions.count() == 2)

    # Back and forward are there once something was left.
    started.state.documents.current = started.state.documents.named("saxpy.cu")
    started.trigger("focusPtxAction")
    branch = line_of(ptx, "bra")
    label = ptx.text.lines[branch].split()[-1].rstrip(";")
    ptx.go_to(branch + 1)
    pause(20)
    click(ptx, branch, label)
    assert ptx.text.lines[ptx.caret.line].startswith(f"{label}:")
    pause(20)
    there = ptx.line

    started.trigger("backAction")
    assert ptx.line == branch + 1
    started.trigger("forwardAction")
    assert ptx.line == there
    pause(20)

    # The keyboard follows as well, and says so where there is nothing.
    put_caret(ptx, branch, label)
    started.press(Qt.Key.Key_Return, CTRL)
    assert ptx.line == there
    put_caret(ptx, branch, "bra")
    started.press(Qt.Key.Key_Return, CTRL)
    assert "nothing to follow" in started.shell.status.currentMessage()

    started.editor.setFocus()
    started.press(Qt.Key.Key_Return, CTRL)
    assert "go there first" in started.shell.status.currentMessage()

    # A register is marked within its function and counted.
    register = line_of(ptx, "mul.wide.s32")
    put_caret(ptx, register, "%rd")
    word = ptx.text.lines[register].split()[1].rstrip(",")
    first, last = pane.code.code.functions[0].line, pane.code.code.functions[0].end
    text = "\n".join(ptx.text.lines[first:last])
    count = sum(text.count(f"{word}{end}") for end in ",;]+\n")
    marked = started.find(QLabel, "ptxMarked")
    started.wait(lambda: marked.text() == f"{word}: {count}\N{MULTIPLICATION SIGN}")

    # The list of kernels follows the caret and goes to a kernel by keys.
    functions = started.find(FunctionList, "ptxFunctionList")
    assert functions.currentText().startswith("saxpy<double> · ")
    functions.setFocus()
    QTest.keyClick(functions, Qt.Key.Key_Down)
    assert f".entry {FLOAT_WORDS}(" in ptx.text.lines[ptx.caret.line]
    assert QApplication.focusWidget() is ptx
    pause(20)

    # Back leads over panes and tabs to where it all began.
    for _ in range(20):
        if not started.find(QAction, "backAction").isEnabled():
            break
        started.trigger("backAction")
        pause(5)
    assert started.document.name == "vector_add.cu"
    assert QApplication.focusWidget() is started.editor


def test_names_in_words_are_found_followed_and_remembered(started):
    started.open_sample("SAXPY")
    ptx, sass = started.listing("ptxView"), started.listing("sassView")
    for view in (ptx, sass):
        started.wait(lambda view=view: FLOAT_WORDS in view.toPlainText())
        assert FLOAT not in view.toPlainText()
    assert started.find(FunctionList, "ptxFunctionList").itemText(1).startswith("saxpy<float> · ")

    # Find sees what is seen, and counts it.
    started.trigger("focusPtxAction")
    bar = started.listings[CodeKind.PTX].find_bar
    started.trigger("findAction")
    bar.field.setText(FLOAT_WORDS)
    count = ptx.toPlainText().count(FLOAT_WORDS)
    started.wait(lambda: f"of {count}" in bar.status)
    bar.find_next()
    started.wait(lambda: bar.status == f"2 of {count}")
    bar.close_bar()

    # A parameter leads to its declaration through its name in words.
    use = line_of(ptx, f"[{FLOAT_WORDS}_param_2]")
    ptx.go_to(use + 1)
    click(ptx, use, FLOAT_WORDS)
    assert ptx.text.lines[ptx.caret.line].split()[0] == ".param"
    assert ptx.text.lines[ptx.caret.line][ptx.caret.place[1] :].startswith(FLOAT_WORDS)

    # The next build is shown so, too; what was asked for is known and remembered.
    started.next_result(lambda: started.trigger("buildAction"))
    started.wait(lambda: FLOAT_WORDS in ptx.toPlainText())
    started.trigger("demangleAction")
    assert started.state.preferences.value("listings.demangle") is False
    assert FLOAT_WORDS not in ptx.toPlainText()
    assert FLOAT in ptx.toPlainText()


def test_listings_come_up_where_the_first_kernel_of_the_source_begins(started):
    started.open_sample("SAXPY")
    for name, instruction in (("ptxView", "ld.param"), ("sassView", "MOV R1, c[0x0][0x28]")):
        view, pane = started.listing(name), started.listings[CodeKind(name[:-4])]
        started.wait(lambda pane=pane: DOUBLE_WORDS in pane.header.functions.currentText())
        line, rows = view.caret.line, view.visibility.rows
        assert instruction in view.text.lines[line]
        # Its head is at the top, after the folded lines about its section.
        top = rows.line(view.verticalScrollBar().value())
        head = next(n for n in range(line - 1, 0, -1) if DOUBLE_WORDS in view.text.lines[n])
        assert top <= head < line
        # Comments at the start, sections and padding are a line each; all lines keep their number.
        assert rows.hidden_count > 0
        folded = [n for n in range(len(view.text)) if view.visibility.folds.is_folded(n)]
        assert view.text.lines[folded[0]].startswith(("//", "\t.target"))
        nops = [n for n, text in enumerate(view.text.lines) if "NOP" in text and rows.shows(n)]
        assert len(nops) == (2 if name == "sassView" else 0)
        assert len(rows) + rows.hidden_count == len(view.text)

    # A caret that was moved stays where it is, and what was opened stays open in the next build.
    sass = started.listing("sassView")
    sass.visibility.toggle(folded[1])
    sass.go_to(5)
    started.next_result(lambda: started.replace("a * x[i]", "a * x[i] * x[i]"))
    assert not sass.visibility.folds.is_folded(folded[1])
    assert sass.visibility.folds.is_folded(folded[0])
    assert sass.line < 8


def test_a_listing_and_its_cubin_are_saved_as_the_tools_wrote_them(started, tmp_path, monkeypatch):
    result = started.open_sample("SAXPY")
    asked = []

    def answer(_dialogs, proposed):
        asked.append(proposed.name)
        return tmp_path / proposed.name

    monkeypatch.setattr(Dialogs, "file_to_save", answer)
    ptx = started.listing("ptxView")
    started.wait(lambda: FLOAT_WORDS in ptx.toPlainText())
    started.trigger("focusPtxAction")
    started.trigger("saveListingAction")
    cubin = tmp_path / "saxpy.cubin"
    started.wait((tmp_path / "saxpy.ptx").exists)
    started.trigger("sassSaveCubinAction")
    started.wait(cubin.exists)
    started.trigger("sassSaveSassAction")
    started.wait((tmp_path / "saxpy.sass").exists)
    assert asked == ["saxpy.ptx", "saxpy.cubin", "saxpy.sass"]
    for kind in (CodeKind.PTX, CodeKind.SASS, CodeKind.CUBIN):
        saved = (tmp_path / f"saxpy{kind.ending}").read_bytes()
        assert saved.strip() == result.artifact(kind, "saxpy.cu").content.strip()

    # A place that cannot be written is told in words.
    asked.clear()
    (tmp_path / "saxpy.ptx").unlink()
    (tmp_path / "saxpy.ptx").mkdir()
    started.trigger("ptxSavePtxAction")
    notice = started.shell.notices
    started.wait(lambda: any("saxpy.ptx" in label.text() for label in notice.findChildren(QLabel)))


def test_a_module_that_is_ptx_is_listed_as_it_is(started, tmp_path, monkeypatch):
    path = tmp_path / "m.ptx"
    text = (
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry _Z1kPi(.param .u64 p)\n{\n\tret;\n}\n"
    )
    path.write_text(text)
    started.next_result(lambda: started.files.open_paths([path]))
    ptx, pane = started.listing("ptxView"), started.listings[CodeKind.PTX]
    started.wait(lambda: ".visible .entry k(" in ptx.toPlainText())
    assert ptx.toPlainText() == text.rstrip("\n").replace("_Z1kPi", "k")
    # Saved it is what the file is.
    saved = tmp_path / "saved.ptx"
    monkeypatch.setattr(Dialogs, "file_to_save", lambda _dialogs, _proposed: saved)
    pane.save_requested.emit(CodeKind.PTX)
    started.wait(saved.exists)
    started.wait(lambda: saved.read_text() == text)


def test_problems_name_functions_as_people_write_them(started, tmp_path):
    path = tmp_path / "missing.cu"
    path.write_text("__device__ int helper(int);\n__global__ void k(int* p) { *p = helper(1); }\n")
    started.next_result(lambda: started.files.open_paths([path]))
    model = started.pane("problems").model
    started.wait(lambda: model.rowCount() and "helper" in model.rows[0].message)
    started.wait(lambda: "_Z6helperi" not in model.rows[0].message)
    # What is mended is still known by the name that the linker needs.
    assert model.rows[0].fix.value == "_Z6helperi"
