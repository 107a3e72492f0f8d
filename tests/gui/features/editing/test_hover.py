import pytest
from PySide6.QtWidgets import QToolTip

from jitstudio.core.code import CodeKind

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
    assert "lower half of the product" in explained(started, "mad.lo.type d, a, b, c: ")
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
    assert "lower half of the product" in explained(started, "mad.lo.type d, a, b, c: ")
    put_caret(started, CodeKind.SASS, "SR_TID.X", column=0)
    assert explained(started, "S2R")
    put_caret(started, CodeKind.PTX, "//", column=0)
    explained(started, "Nothing is known of the words of this line")
    started.shell.layout.bring_up(started.pane("problems"))
    started.trigger("explainAction")
    assert "Go to a line" in started.shell.status.currentMessage()
    QToolTip.hideText()
    started.wait(lambda: not QToolTip.isVisible())


def test_a_tab_that_is_opened_later_is_served_too(started, tmp_path):
    file = tmp_path / "mine.ptx"
    file.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
    started.next_result(lambda: started.files.open_paths([file]))
    started.shell.layout.bring_up(started.editors)
    started.editor.go_to(4, 23)
    assert "ends its thread" in explained(started, "ret: ")
    QToolTip.hideText()
    started.wait(lambda: not QToolTip.isVisible())
