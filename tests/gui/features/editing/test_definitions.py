"""F12, Ctrl+click and F2 in a window, by real files and tabs."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from jitstudio.gui.features.editing.renaming import RenameDialog
from jitstudio.gui.shell.palette.view import Palette
from tests.gui.driver import pause

CTRL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
KERNEL = """\
#include "deep/tool.cuh"
#define TWICE(a) (2 * (a)) // tile
template <typename T> __device__ T add(T a, T b) { return a + b; }
extern "C" __global__ void run(float* tile, int n)
{
    // tile of n
    for (int i = 0; i < n; i++) tile[i] = add(tile[i], helper(TWICE(i)));
    int k = elsewhere(n) + threadIdx.x;
}
"""


@pytest.fixture
def project(tmp_path, driver):
    folder = tmp_path / "src"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "tool.cuh").write_text('#pragma once\n#include "inner.cuh"\n')
    (folder / "deep" / "inner.cuh").write_text("\n\n__device__ float helper(int i) { return i; }\n")
    (folder / "other.cu").write_text("// nothing\n__device__ int elsewhere(int n) { return n; }\n")
    (folder / "main.cu").write_text(KERNEL)
    driver.start([folder / "other.cu", folder / "main.cu"])
    return driver


def put(driver, word, nth=0):
    text, at = driver.editor.toPlainText(), -1
    for _ in range(nth + 1):
        at = text.index(word, at + 1)
    cursor = driver.editor.textCursor()
    cursor.setPosition(at + 1)
    driver.editor.setTextCursor(cursor)
    # Where a user is, before he goes on: the way back leads there.
    pause(20)


def reached(driver, name, line, column=None):
    def is_there():
        page = driver.editors.page
        at = page.code_view.search_start()
        return page.document.name == name and at[0] == line - 1 and column in (None, at[1] + 1)

    driver.wait(is_there)


def f12_leads_to_definitions_and_alt_left_back(driver):
    for word, nth, *place in (
        ("add", 1, "main.cu", 3, 36),
        ("TWICE", 1, "main.cu", 2, 9),
        ("tile[", 1, "main.cu", 4, 39),
        ("i++", 0, "main.cu", 7, 14),
        ("helper", 0, "inner.cuh", 3, 18),
        ("elsewhere", 0, "other.cu", 2, 16),
        ("tool.cuh", 0, "tool.cuh", 1, 1),
    ):
        document = next(d for d in driver.state.documents if d.name == "main.cu")
        driver.state.documents.current = document
        put(driver, word, nth)
        here = driver.editor.textCursor().position()
        driver.trigger("goToDefinitionAction")
        reached(driver, *place)
        if place[0] != "main.cu":
            pause(20)
            driver.trigger("backAction")
            driver.wait(lambda: driver.document.name == "main.cu")
            assert driver.editor.textCursor().position() == here
    status = driver.shell.status
    put(driver, "threadIdx")
    driver.trigger("goToDefinitionAction")
    driver.wait(lambda: "threadIdx belongs to CUDA C++ itself" in status.currentMessage())
    # Ctrl and the mouse: what can be clicked is underlined.
    put(driver, "helper")
    place = driver.editor.cursorRect().center() + QPoint(2, 0)
    put(driver, "#include")
    view = driver.editor.viewport()
    QTest.mouseMove(view, place)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, CTRL, place)
    reached(driver, "inner.cuh", 3, 18)


def several_definitions_are_offered(driver):
    cursor = QTextCursor(driver.editor.document())
    cursor.insertText(
        "int two(int a) { return a; }\nfloat two(float a) { return a; }\nint t = two(1);\n"
    )
    put(driver, "two(1")
    driver.trigger("goToDefinitionAction")
    palette = driver.find(Palette, "definitionPalette")
    driver.wait(palette.isVisible)
    assert palette.model.rowCount() == 2
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    reached(driver, "main.cu", 2, 7)


def f2_renames_in_one_step_and_leaves_comments(driver):
    before = driver.editor.toPlainText()
    put(driver, "tile[", 1)
    for typed, problem in (("n", "'n' is there already"), ("block", "")):
        driver.trigger("renameSymbolAction")
        driver.wait(lambda: driver.window.findChildren(RenameDialog))
        dialog = driver.window.findChildren(RenameDialog)[-1]
        field = dialog.findChild(QLineEdit)
        assert (field.text(), field.selectedText()) == ("tile", "tile")
        QTest.keyClicks(field, typed)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert dialog.isVisible() is bool(problem)
        assert problem in dialog._message.text()
        dialog.reject()
        driver.wait(lambda: not driver.window.findChildren(RenameDialog))
    after = driver.editor.toPlainText()
    assert after == before.replace("tile[", "block[").replace("float* tile", "float* block")
    line = "    for (int i = 0; i < n; i++) block[i] = add(b"
    assert driver.editor.position() == (7, len(line) + 1)
    driver.trigger("undoAction")
    assert driver.editor.toPlainText() == before
    # In tables the key edits a cell, where there is one to edit.
    driver.pane("problems").table.setFocus()
    driver.trigger("renameSymbolAction")
    put(driver, "threadIdx")
    driver.editor.setFocus()
    driver.trigger("renameSymbolAction")
    told = driver.shell.status.currentMessage
    driver.wait(lambda: "'threadIdx' is not declared" in told())


def test_definitions_and_names(project):
    """All of it in one window: to make one takes longer than all this."""
    f12_leads_to_definitions_and_alt_left_back(project)
    main = project.state.documents.named("main.cu")
    project.state.documents.current = main
    several_definitions_are_offered(project)
    project.trigger("undoAction")
    f2_renames_in_one_step_and_leaves_comments(project)
