import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStatusBar, QToolTip

from jitstudio.core.code import CodeKind


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_words_folds_and_messages_reach_the_editors(started):
    editor = started.editor
    editor.setFocus()

    # Names of the text are completed, and those of another tab.
    started.trigger("newCudaAction")
    other = started.editor
    other.setPlainText("int far_away_name;\n")
    started.wait(lambda: len(other.completer._source.words(CodeKind.CUDA)) > 2)
    other.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(other, "vector_a")
    assert [word.text for word in other.completer.popup.words] == ["vector_add"]
    QTest.keyClick(other, Qt.Key.Key_Tab)
    assert other.toPlainText() == "int far_away_name;\nvector_add"
    started.state.documents.remove(started.document)

    # The message of the cursor's line is told in the status bar, and by a key.
    status = started.find(QStatusBar, "statusBar")
    started.next_result(lambda: started.replace("int i", "in i"))
    editor.go_to(1)
    assert status.currentMessage() == ""
    editor.go_to(7)
    assert status.currentMessage() == 'identifier "in" is undefined'
    started.trigger("showMessageAction")
    assert "identifier &quot;in&quot; is undefined" in QToolTip.text()
    QToolTip.hideText()
    editor.go_to(2)
    assert status.currentMessage() == ""


def test_folding_acts_on_the_view_with_the_keyboard(started):
    editor, ptx = started.editor, started.listing("ptxView")
    # Debug lines are left out at first; the comments at the top are folded.
    ptx.setFocus()
    started.trigger("unfoldAllAction")
    filtered = ptx.visibility.rows.hidden_count
    editor.setFocus()
    editor.go_to(9)
    started.trigger("foldAction")
    assert not editor.document().findBlockByNumber(8).isVisible()
    assert ptx.visibility.rows.hidden_count == filtered
    started.trigger("unfoldAction")
    assert editor.document().findBlockByNumber(8).isVisible()
    ptx.setFocus()
    started.trigger("foldAllAction")
    assert ptx.visibility.rows.hidden_count > filtered
    assert editor.document().findBlockByNumber(8).isVisible()
    started.trigger("unfoldAllAction")
    assert ptx.visibility.rows.hidden_count == filtered
    editor.setFocus()
    started.trigger("foldAllAction")
    assert editor.position()[0] == 6
    started.trigger("unfoldAllAction")
    assert editor.document().findBlockByNumber(8).isVisible()
