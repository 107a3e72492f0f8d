"""Find in all tabs and outputs, in a window with what was really built."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import CodeKind
from tests.gui.driver import pause


def test_every_place_is_listed_and_each_leads_there(driver, tmp_path):
    first, second = tmp_path / "one.cu", tmp_path / "two.cu"
    kernel = 'extern "C" __global__ void {name}(float* data)\n{{\n    data[threadIdx.x] *= 3;\n}}\n'
    first.write_text(kernel.format(name="needle_one") + "// Needle in a comment\n")
    second.write_text(kernel.format(name="needle_two"))
    driver.start([first, second])
    view, panes = driver.pane("search"), driver
    driver.editor.setFocus()
    cursor = driver.editor.textCursor()
    text = driver.editor.toPlainText()
    cursor.setPosition(text.index("needle"))
    cursor.setPosition(text.index("needle") + 6, cursor.MoveMode.KeepAnchor)
    driver.editor.setTextCursor(cursor)

    def found():
        driver.wait(lambda: view.status and view._stop.isHidden() and not view._rest.isActive())
        return [(hit.title, hit.line + 1) for hit in view.model.rows]

    assert view.isHidden() or not view.isVisible()
    driver.trigger("findInAllAction")
    assert view.field.text() == "needle"
    assert QApplication.focusWidget() is view.field
    rows = found()
    assert rows[0] == ("two.cu", 1)
    assert rows[1:3] == [("one.cu", 1), ("one.cu", 5)]
    titles = [title for title, _ in rows]
    assert "PTX of two.cu" in titles
    assert "SASS of two.cu" in titles
    for kind in (CodeKind.PTX, CodeKind.SASS):
        pane = panes.listings[kind]
        lines = pane.code.spelling.lines
        there = sum(line.count("needle") for line in lines)
        assert titles.count(f"{kind.title} of {pane.listing.name}") == there
    assert view.status == f"{len(rows)} places in {len(set(titles))} texts"

    # The switches are those of the find bar.
    QTest.keyClick(view.field, Qt.Key.Key_C, Qt.KeyboardModifier.AltModifier)
    assert ("one.cu", 5) not in found()
    QTest.keyClick(view.field, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    view.field.setText("(")
    driver.wait(lambda: "a valid expression: " in view.status)
    view.field.setText(r"needle_\w+")
    driver.wait(lambda: "places" in view.status and ("one.cu", 1) in found())
    assert found()[0] == ("two.cu", 1)

    # Enter goes to the list and to the place, also where an edit has moved it; Back comes back.
    one = driver.state.documents.named("one.cu")
    editor = panes.editors.page_of(one).editor
    start = editor.textCursor()
    start.setPosition(0)
    start.insertText("\n\n")
    QTest.keyClick(view.field, Qt.Key.Key_Return)
    row = found().index(("one.cu", 1))
    view.table.selectRow(row)
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert driver.document is one
    assert editor.textCursor().selectedText() == "needle_one"
    assert editor.position()[0] == 3
    pause(20)
    driver.trigger("backAction")
    driver.wait(lambda: driver.document.name == "two.cu")

    pane = panes.listings[CodeKind.SASS]
    row = next(n for n, hit in enumerate(view.model.rows) if hit.title.startswith("SASS"))
    hit = view.model.rows[row]
    view.table.clicked.emit(view.model.index(row, 0))
    assert pane.code_view.search_selection() == hit.whole[slice(*hit.span)]
    assert pane.code_view.line == hit.line + 1
    editor.selectAll()
    editor.cut()
    row = found().index(("one.cu", 1))
    view.table.clicked.emit(view.model.index(row, 0))
    assert "has changed since" in panes.shell.status.currentMessage()
