from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from jitstudio.core.code import CodeKind
from jitstudio.gui.shell.palette.view import Palette


def test_a_symbol_of_any_open_source_is_found_by_a_few_letters(started):
    started.open_sample("SAXPY")
    palette = started.find(Palette, "symbolPalette")

    def titles():
        rows = (palette.model.index(row, 0) for row in range(palette.model.rowCount()))
        return [index.data() for index in rows]

    current = started.document
    started.trigger("goToSymbolAction")
    field = started.find(QLineEdit, "symbolPaletteField")
    assert QApplication.focusWidget() is field
    # Typing need not wait for the symbols.
    QTest.keyClicks(field, "vadd")
    started.wait(lambda: titles() == ["vector_add"])
    told = palette.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert told == "vector_add, kernel in vector_add.cu, line 5"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert started.document is not current
    assert started.document.name == "vector_add.cu"
    assert started.editor.position() == (5, 1)
    assert QApplication.focusWidget() is started.editor

    # What is typed is found at the next time, those of the current source first.
    started.editor.moveCursor(QTextCursor.MoveOperation.End)
    started.editor.insertPlainText("\n#define ZOOM 2\n")
    started.trigger("goToSymbolAction")
    started.wait(lambda: "ZOOM" in titles())
    assert titles()[:2] == ["vector_add", "ZOOM"]
    assert len(titles()) > 2
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert palette.isHidden()


def test_ptx_and_llvm_ir_have_symbols_too(started):
    documents = started.state.documents
    palette = started.find(Palette, "symbolPalette")
    for action, text, name in (
        ("newPtxAction", ".visible .entry assembled()\n{\nret;\n}\n", "assembled"),
        ("newLlvmAction", "define void @intermediate() {\n ret void\n}\n", "intermediate"),
    ):
        started.trigger(action)
        started.editor.setPlainText(text)
        started.trigger("goToSymbolAction")
        started.wait(
            lambda name=name: palette.model.rowCount() and palette.model.index(0, 0).data() == name
        )
        palette.dismiss()
    assert {document.kind for document in documents} >= {CodeKind.PTX, CodeKind.LLVM_IR}
