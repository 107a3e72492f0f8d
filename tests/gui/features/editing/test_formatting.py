"""Alt+Shift+F in a window: the text, the caret, undo, and whose style file counts."""

import pytest

from jitstudio.commands.project_files import read_project
from jitstudio.commands.trust import RESTRICTED
from jitstudio.core.code import CodeKind
from jitstudio.core.project.format import dump
from jitstudio.core.project.project import Member, Project
from jitstudio.gui.services import formatting
from tests.gui.driver import pause

pytest.importorskip("clang_format")
MESSY = "// 😀\n__global__ void k(int*p){p[threadIdx.x]=1;}\nvoid f(  ){}\n"


def test_formatting(driver, tmp_path, monkeypatch):
    source, style = tmp_path / "messy.cu", tmp_path / ".clang-format"
    source.write_text(MESSY)
    style.write_text("IndentWidth: 5\nAllowShortFunctionsOnASingleLine: Empty\n")
    driver.start([source])
    editor, status = driver.editor, driver.shell.status

    def put(word):
        cursor = editor.textCursor()
        cursor.setPosition(len(editor.toPlainText().partition(word)[0].encode("utf-16-le")) // 2)
        editor.setTextCursor(cursor)
        return cursor

    def formatted(told):
        status.clearMessage()
        driver.trigger("formatAction")
        driver.wait(lambda: told in status.currentMessage())
        return editor.toPlainText()

    put("threadIdx")
    after = formatted(f"Formatted as {style} says")
    assert "{\n     p[threadIdx.x] = 1;\n}\nvoid f() {}" in after
    behind = editor.textCursor().block().text()[editor.textCursor().positionInBlock() :]
    assert behind == "threadIdx.x] = 1;"
    formatted("Already formatted")
    driver.trigger("undoAction")
    assert editor.toPlainText() == MESSY
    # Of many changes one is made, to the same effect.
    monkeypatch.setattr("jitstudio.gui.editor.changes.MOST_SINGLE", 2)
    put("threadIdx")
    assert formatted("says") == after
    assert editor.textCursor().block().text().strip() == "p[threadIdx.x] = 1;"
    driver.trigger("undoAction")
    # The selected lines alone.
    cursor = put("void f")
    cursor.movePosition(cursor.MoveOperation.EndOfBlock, cursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    assert formatted(f"{style} says") == MESSY.replace("(  ){}", "() {}")
    driver.trigger("undoAction")

    # What others have written waits for the user's trust.
    monkeypatch.undo()
    own, project, folder = driver.document, driver.state.project, tmp_path / "theirs"
    folder.mkdir()
    (folder / "theirs.cu").write_text(MESSY)
    (folder / "p.jitproj").write_bytes(
        dump(Project((Member("theirs.cu", CodeKind.CUDA, None, "theirs.cu"),)))
    )
    project.open(read_project(folder / "p.jitproj"), RESTRICTED)
    theirs = driver.state.documents.named("theirs.cu")
    driver.state.documents.current = theirs
    editor = driver.editor
    assert "{ p[threadIdx.x] = 1; }" in formatted("waits for your trust")
    driver.trigger("undoAction")
    project.close()
    theirs.confined_to = str(folder)
    assert "{ p[threadIdx.x] = 1; }" in formatted("waits for your trust")
    driver.trigger("undoAction")
    project.open(read_project(folder / "p.jitproj"), RESTRICTED)
    # The user's own file elsewhere has its own style.
    driver.state.documents.current = own
    editor = driver.editor
    assert formatted(f"Formatted as {style} says") == after
    driver.trigger("undoAction")
    project.close()

    # An edit in the meantime is not overwritten.
    driver.trigger("formatAction")
    editor.insertPlainText("x")
    driver.wait(lambda: "format once more" in status.currentMessage())
    editor.undo()
    monkeypatch.setattr(formatting, "clang_format", lambda: None)
    driver.trigger("formatAction")
    driver.wait(lambda: driver.shell.notices.isVisible())
    pause(10)
    assert editor.toPlainText() == MESSY
    driver.files.new_ptx()
    driver.trigger("formatAction")
    driver.wait(lambda: "PTX stays as it is" in status.currentMessage())
