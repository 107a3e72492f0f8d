"""Completion as it is used: keys go to the editor, and the list follows."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QTreeView, QVBoxLayout, QWidget
from shiboken6 import delete

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.completion.word_pools import WordLibrary
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer
from jitstudio.listing.lexers.ptx import PtxLexer

KEY = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def documents():
    return Documents()


@pytest.fixture
def editor(qtbot, documents):
    window = QWidget()
    library = WordLibrary(documents, window)
    document = Document("a.cu", CodeKind.CUDA, b"")
    documents.add(document)
    made = CodeEditor(CudaCxxLexer(), document=document.text)
    made.completer.set_source(library)
    # What a language has is read in the background, when it is first asked for.
    qtbot.waitUntil(lambda: all(library.words(kind) for kind in (CodeKind.CUDA, CodeKind.PTX)))
    layout = QVBoxLayout(window)
    layout.addWidget(made)
    layout.addWidget(QLineEdit())
    window.resize(700, 400)
    window.show()
    qtbot.waitActive(window)
    made.setFocus()
    yield made
    # Before the document that it shows.
    delete(window)


def press(editor, *keys, modifiers=Qt.KeyboardModifier.NoModifier):
    for key in keys:
        QTest.keyClick(editor, key, modifiers)


def offered(editor):
    return [word.text for word in editor.completer.popup.words]


def test_words_come_up_after_three_letters_and_tab_takes_the_best(editor):
    press(editor, *"th")
    assert not editor.completer.is_open
    press(editor, "r")
    assert offered(editor)[0] == "threadIdx"
    meaning = editor.window().findChild(QLabel, "completionMeaning").text()
    assert meaning == "uint3 threadIdx\nThe index of this thread in its block."
    press(editor, KEY.Key_Tab)
    assert editor.toPlainText() == "threadIdx"
    assert not editor.completer.is_open
    editor.undo()
    assert editor.toPlainText() == "thr"


def test_enter_stays_enter_until_a_word_is_chosen(editor):
    press(editor, *"blo", KEY.Key_Return)
    assert editor.toPlainText() == "blo\n"
    assert not editor.completer.is_open
    press(editor, *"blo")
    second = offered(editor)[1]
    press(editor, KEY.Key_Down, KEY.Key_Down, KEY.Key_Return)
    assert editor.toPlainText() == f"blo\n{second}"


def test_the_choice_goes_round_and_by_pages(editor):
    press(editor, *"ato")
    words = offered(editor)
    popup = editor.completer.popup
    press(editor, KEY.Key_Up)
    assert popup.chosen.text == words[-1]
    press(editor, KEY.Key_Down)
    assert popup.chosen.text == words[0]
    press(editor, KEY.Key_PageDown)
    assert popup.chosen.text == words[8]
    press(editor, KEY.Key_PageUp, KEY.Key_PageUp)
    assert popup.chosen.text == words[0]


def test_escape_and_leaving_the_word_close_the_list(editor):
    press(editor, *"thr", KEY.Key_Escape)
    assert not editor.completer.is_open
    press(editor, "e")
    assert editor.completer.is_open
    press(editor, " ")
    assert not editor.completer.is_open
    press(editor, *"thr")
    editor.go_to(1, 1)
    assert not editor.completer.is_open
    editor.window().findChild(QLineEdit).setFocus()
    editor.setFocus()
    press(editor, *"blo")
    assert editor.completer.is_open
    editor.window().findChild(QLineEdit).setFocus()
    assert not editor.completer.is_open


def test_a_key_of_the_list_is_no_shortcut_of_the_window(editor):
    pressed = []
    QShortcut("Esc", editor.window(), lambda: pressed.append("Esc"))
    press(editor, *"thr", KEY.Key_Escape)
    assert not editor.completer.is_open
    assert pressed == []
    press(editor, KEY.Key_Escape)
    assert pressed == ["Esc"]


def test_it_can_be_asked_for_and_follows_backspace(editor):
    press(editor, *"gr")
    press(editor, KEY.Key_Space, modifiers=CTRL)
    assert editor.completer.popup.chosen.text == "gridDim"
    press(editor, KEY.Key_Backspace, "l")
    assert editor.toPlainText() == "gl"
    assert "__global__" in offered(editor)
    press(editor, KEY.Key_Return)
    assert editor.toPlainText() == "__global__"


@pytest.mark.parametrize("text", ["// thr", '"thr', "/* thr", "'thr", "0x1ff", "12345"])
def test_nothing_is_offered_in_comments_strings_and_numbers(editor, text):
    press(editor, *text)
    assert not editor.completer.is_open
    press(editor, KEY.Key_Space, modifiers=CTRL)
    assert editor.completer.is_open == text.isalnum()


def test_headers_are_offered_where_one_is_included(editor, documents):
    documents.add(Document("tools.cuh", CodeKind.CUDA, b""))
    press(editor, *"#include <")
    assert "cuda_fp16.h" in offered(editor)
    press(editor, *"too", KEY.Key_Tab)
    assert editor.toPlainText() == "#include <tools.cuh"


def test_names_of_the_text_are_offered_as_soon_as_they_are_known(editor, qtbot):
    editor.setPlainText("int velocity_x;\n")
    editor.go_to(2)
    press(editor, *"velo")
    assert not editor.completer.is_open
    qtbot.waitUntil(lambda: editor.completer.is_open)
    words = editor.completer.popup.words
    assert [(word.text, word.group) for word in words] == [("velocity_x", "in a.cu")]


def test_another_language_has_other_words(editor):
    editor.set_language(PtxLexer(), "//", CodeKind.PTX)
    press(editor, *"setp.")
    press(editor, *"lt")
    assert ".ltu" in offered(editor)
    press(editor, KEY.Key_Tab, *".f32 %p, %cl")
    assert "%clock" in offered(editor)


def test_a_click_takes_a_word_and_the_keyboard_stays(editor):
    press(editor, *"gri")
    listed = editor.window().findChild(QTreeView, "completionList")
    row = offered(editor).index("gridDim")
    place = listed.visualRect(listed.model().index(row, 0)).center()
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert editor.toPlainText() == "gridDim"
    assert editor.hasFocus()


def test_the_list_stays_within_the_window(editor, theme):
    editor.setPlainText("\n" * 30 + " " * 60)
    editor.go_to(31, 61)
    press(editor, *"ato")
    popup = editor.completer.popup
    assert editor.window().rect().contains(popup.geometry())
    place = editor.mapTo(editor.window(), editor.cursorRect().center())
    assert not popup.geometry().contains(place)
    assert popup.grab().toImage().pixelColor(0, 0) == theme.ui.border


def test_without_words_nothing_comes_up(qtbot):
    editor = CodeEditor(CudaCxxLexer())
    qtbot.addWidget(editor)
    press(editor, *"thr")
    assert not editor.completer.is_open
