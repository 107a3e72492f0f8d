import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QEnterEvent, QHelpEvent
from PySide6.QtWidgets import QApplication

from jitstudio.analysis.reference import reference
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.hover import help_tip, word_tip
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.features.editing.hover import EditorHover
from jitstudio.gui.listing.links import ListingHover
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.listing.word import Word
from tests.gui.rich_text import plain


def tip(kind, word):
    return help_tip(reference(kind).explain(word, opens=True), (2, 9))


def test_a_tip_has_form_text_operands_modifiers_and_origin(qapp):
    told = tip(CodeKind.PTX, "cp.async.cg.shared.global.L2::128B")
    lines = plain(told.html)
    assert lines[0] == "cp.async.cg.shared.global [d], [a], 16"
    assert lines[1].startswith("Copies 16 bytes from global to shared memory")
    assert lines[2:4] == ["d", "the address in shared memory"]
    assert lines[-3:-1] == [".L2::128B", "Brings 128B to the L2 along with it."]
    assert lines[-1] == "PTX 7.0, sm_80 and later"
    assert told.span == (2, 9)
    assert told.line == f"{lines[0]}: {lines[1]}"


@pytest.mark.parametrize(
    ("kind", "word", "since"),
    [
        (CodeKind.PTX, "add.s32", "PTX 1.0"),
        (CodeKind.PTX, "wgmma.fence.sync.aligned", "PTX 8.0, sm_90a"),
        (CodeKind.SASS, "LDGSTS.E", "sm_80 and later"),
    ],
)
def test_what_brought_a_word_is_said_as_far_as_it_is_known(qapp, kind, word, since):
    assert plain(tip(kind, word).html)[-1] == since


def test_where_nothing_is_known_of_that_nothing_is_said(qapp):
    assert plain(tip(CodeKind.SASS, "FADD").html)[-1] == "the addends"


def test_what_looks_like_a_tag_is_shown_as_it_is(qapp):
    told = tip(CodeKind.PTX, ".reg")
    assert plain(told.html)[0] == ".reg .type name<count>;"


def test_a_word_of_another_language_has_its_use_and_its_meaning(qapp):
    told = word_tip(Word("f", "a function", "T f(T* p)", "Does it."), (0, 1))
    assert plain(told.html) == ["T f(T* p)", "Does it."]
    assert told.line == "T f(T* p): Does it."
    assert plain(word_tip(Word("f", "a function", "", "Does it."), (0, 1)).html)[0] == "f"


def test_words_around_the_data_are_translated(qapp, bracketing):
    assert plain(tip(CodeKind.SASS, "LDGSTS").html)[-1] == "[sm_80 and later]"


@pytest.mark.parametrize("view_type", [CodeEditor, ListingView])
def test_the_mouse_may_come_when_python_has_emptied_it(qtbot, view_type):
    view, wanted = view_type(), []
    qtbot.addWidget(view)
    kind = () if view_type is CodeEditor else (CodeKind.PTX,)
    hover_type = EditorHover if view_type is CodeEditor else ListingHover
    hover = hover_type(view, *kind, wanted.append, lambda *_: None)
    at = QPointF(5, 5)

    def come():
        QApplication.sendEvent(view.viewport(), QEnterEvent(at, at, at))
        help_event = QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), QPoint(5, 5))
        QApplication.sendEvent(view.viewport(), help_event)

    come()
    assert len(wanted) == 1
    # As the garbage collector does, before Qt destroys it.
    hover.__dict__.clear()
    come()
    assert len(wanted) == 1
