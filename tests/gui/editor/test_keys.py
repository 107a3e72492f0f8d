import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer


@pytest.fixture
def editor(qtbot, dark):
    made = CodeEditor(CudaCxxLexer())
    qtbot.addWidget(made)
    return made


def typed(editor, keys):
    """What stands there after these keys: `\n` is Enter, `\b` is Backspace; | is the cursor."""
    special = {"\n": Qt.Key.Key_Return, "\b": Qt.Key.Key_Backspace}
    for key in keys:
        QTest.keyClick(editor, special.get(key, key))
    text, at = editor.toPlainText(), editor.textCursor().position()
    return f"{text[:at]}|{text[at:]}"


@pytest.mark.parametrize(
    ("keys", "after"),
    [
        ("f(", "f(|)"),
        ("f(a[", "f(a[|])"),
        ("f(a[i])", "f(a[i])|"),
        ("f()", "f()|"),
        ('s = "', 's = "|"'),
        ('s = "a"', 's = "a"|'),
        ("c = '", "c = '|'"),
        ("1'000", "1'000|"),
        ("// it's (", "// it's (|"),
        ('"(', '"(|"'),
        ("/* (", "/* (|"),
        ('"a" (', '"a" (|)'),
        ("f(\b", "f|"),
        ("f()\b", "f(|"),
        ("if (x) {\n", "if (x) {\n    |\n}"),
        ("{\ny;\n}", "{\n    y;\n}|"),
        ("{\ny;}", "{\n    y;\n}|"),
        ("{\n}", "{\n}|"),
        ("\\'", "\\'|"),
    ],
)
def test_pairs_close_themselves_where_that_helps(editor, keys, after):
    assert typed(editor, keys) == after


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [("x", "(", "(|x"), (" x", "(", "(|) x"), (");", "[", "[|]);"), ("x", '"', '"|x')],
)
def test_what_follows_decides(editor, before, key, after):
    editor.setPlainText(before)
    assert typed(editor, key) == after


def test_a_closing_sign_that_was_there_before_is_not_typed_over(editor):
    editor.setPlainText(")")
    assert typed(editor, ")") == ")|)"


def test_a_pair_is_forgotten_when_the_cursor_was_elsewhere(editor):
    editor.setPlainText("\n\n\n")
    typed(editor, "(")
    editor.go_to(4)
    typed(editor, "x")
    editor.go_to(1, 2)
    assert typed(editor, ")") == "()|)\n\n\nx"


@pytest.mark.parametrize(("key", "after"), [("(", "(a b)"), ('"', '"a b"'), ("{", "{a b}")])
def test_a_selection_is_wrapped_and_stays(editor, key, after):
    editor.setPlainText("a b")
    editor.selectAll()
    typed(editor, key)
    assert editor.toPlainText() == after
    assert editor.textCursor().selectedText() == "a b"
    editor.undo()
    assert editor.toPlainText() == "a b"


def test_a_pair_is_one_step_of_undo(editor):
    editor.setPlainText("f")
    editor.go_to(1, 2)
    assert typed(editor, "(") == "f(|)"
    editor.undo()
    assert editor.toPlainText() == "f"
