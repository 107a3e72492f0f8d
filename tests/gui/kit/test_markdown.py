"""Code in Markdown keeps its lines, and is as large as the text around it at each zoom."""

import pytest
from PySide6.QtWidgets import QTextBrowser

from jitstudio.gui.kit.markdown import set_markdown

TEXT = "# A `heading`\n\nA word, `code`, and more.\n\n    a  b\n\n```\nc  d\n```\n\n- `item`\n"


@pytest.fixture
def view(qapp):
    shown = QTextBrowser()
    set_markdown(shown, TEXT)
    return shown


def blocks_of(view):
    block = view.document().begin()
    while block.isValid():
        yield block
        block = block.next()


def test_lines_of_code_are_not_broken(view):
    whole = {block.text() for block in blocks_of(view) if block.blockFormat().nonBreakableLines()}
    assert {"a  b", "c  d"} <= whole
    assert "A word, code, and more." not in whole
    view.resize(20, 100)
    block = next(block for block in blocks_of(view) if block.text() == "a  b")
    view.grab()
    assert block.layout().lineCount() == 1


def test_code_follows_the_size_of_the_text(view):
    letters = view.font()
    letters.setPointSizeF(2 * letters.pointSizeF())
    view.setFont(letters)
    for block in blocks_of(view):
        sizes = {part.format.fontPointSize() for part in block.textFormats()}
        assert sizes <= {0.0}, block.text()


def test_the_text_is_as_it_was(view):
    plain = QTextBrowser()
    plain.setMarkdown(TEXT)
    assert view.toPlainText() == plain.toPlainText()
    assert view.document().begin().blockFormat().headingLevel() == 1
