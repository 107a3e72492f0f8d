"""Options of a tab alone, in a window: where they are shown, kept and sent."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit

from jitstudio.core.code import CodeKind
from jitstudio.core.options import find
from jitstudio.core.project.format import dump, load
from jitstudio.core.request import LinkMode
from jitstudio.core.tools import Tool
from jitstudio.gui.features.options.view import OptionsForm
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.session import reopened, saved_document

FMAD, LINK_LEVEL = (find(flag)[0] for flag in ("-fmad", "-O0"))
TEXT = b"__global__ void k(float* o, float a) { o[0] = o[1] * a + o[2]; }\n"


@pytest.fixture
def tabs(started):
    """Two tabs, the second of which is in front, beside the options of all."""
    documents, settings = started.state.documents, started.state.settings
    settings.options = "-DALL"
    opened = [Document(name, CodeKind.CUDA, TEXT) for name in ("plain.cu", "fast.cu")]
    for document in opened:
        documents.add(document)
    started.next_result(started.state.build_controller.build)
    started.trigger("optionsAction")
    yield opened
    for document in opened:
        documents.remove(document)
    settings.options, settings.link = "", LinkMode.NONE


def choose(started, key):
    started.find(QComboBox, "optionsScope").setFocus()
    started.press(key)


def sent(result, name="fast.cu"):
    stages = [s for s in result.stages if s.tool is Tool.NVRTC and s.source == name]
    return [option for option in stages[0].options if option.startswith(("-D", "-fmad"))]


def test_a_tab_is_built_with_its_own_options_and_others_with_those_of_all(started, tabs):
    plain, fast = tabs
    scope, form = started.find(QComboBox, "optionsScope"), started.find(OptionsForm, "optionsForm")
    field, titles = started.find(QLineEdit, "optionsEdit"), started.editors

    def title(document):
        return titles.tabText(titles.indexOf(titles.page_of(document)))

    started.next_result(lambda: choose(started, Qt.Key.Key_End))
    assert (fast.options, scope.currentText()) == ("-DALL", "for fast.cu alone")
    result = started.next_result(lambda: form.model.set_values(FMAD, ("false",)))
    assert sent(result) == ["-DALL", "-fmad=false"]
    assert field.text() == fast.options == "-DALL -fmad=false"
    assert "◆" in title(fast)
    assert "-fmad=false" in titles.tabToolTip(titles.indexOf(titles.page_of(fast)))
    # The other tab, and back.
    result = started.next_result(lambda: setattr(started.state.documents, "current", plain))
    assert sent(result, "plain.cu") == ["-DALL"]
    assert (field.text(), scope.currentText()) == ("-DALL", "for all sources")
    assert "◆" not in title(plain)
    started.next_result(lambda: setattr(started.state.documents, "current", fast))
    # What is given up is there again.
    assert sent(started.next_result(lambda: choose(started, Qt.Key.Key_Home))) == ["-DALL"]
    assert (fast.options, field.text()) == (None, "-DALL")
    result = started.next_result(lambda: choose(started, Qt.Key.Key_End))
    assert sent(result) == ["-DALL", "-fmad=false"]
    # In a link, the compiler takes them and the linker does not.
    result = started.next_result(lambda: setattr(started.state.settings, "link", LinkMode.PTX))
    assert [sent(result, d.name) for d in tabs] == [["-DALL"], ["-DALL", "-fmad=false"]]
    started.wait(lambda: form.model.why_not(LINK_LEVEL))
    choose(started, Qt.Key.Key_Home)
    started.wait(lambda: not form.model.why_not(LINK_LEVEL))


def test_a_half_typed_option_of_one_tab_holds_no_build_of_another(started, tabs):
    plain, fast = tabs
    state, field = started.state, started.find(QLineEdit, "optionsEdit")
    fast.options = ""
    started.settle()
    field.setFocus()
    QTest.keyClicks(field, "-DN=1 --maxrreg")
    assert (fast.options, state.settings.is_drafting) == ("-DN=1 --maxrreg", True)
    result = started.next_result(lambda: setattr(state.documents, "current", plain))
    assert (sent(result, "plain.cu"), field.text()) == (["-DALL"], "-DALL")
    started.next_result(lambda: started.type("// typed "))


def test_in_a_link_a_fix_changes_the_options_that_have_failed(started, tabs):
    plain, fast = tabs
    settings, fixer = started.state.settings, started.builder.context.fixer
    settings.options, fast.options = "-DALL -arch=sm_90", "-DFAST"
    result = started.next_result(lambda: setattr(settings, "link", LinkMode.PTX))
    started.next_result(lambda: fixer.apply(result.diagnostics[0].fix))
    assert (settings.options, fast.options) == ("-DALL", "-DFAST")
    # Of the tab that is not looked at: refused, then by its compiler.
    for wrong in ("-arch=sm_90", "--no-such-option"):
        started.state.documents.current = plain
        result = started.next_result(lambda wrong=wrong: setattr(fast, "options", f"-DX {wrong}"))
        assert result.diagnostics[0].fix.file == "fast.cu"
        started.next_result(lambda r=result: fixer.apply(r.diagnostics[0].fix))
        assert (settings.options, plain.options, fast.options) == ("-DALL", None, "-DX")


def test_what_is_typed_in_the_form_is_of_the_tab_that_it_was_typed_for(started, tabs):
    plain, fast = tabs
    state, form = started.state, started.find(OptionsForm, "optionsForm")
    other = started.find(QLineEdit, "otherOptions")
    started.next_result(lambda: setattr(fast, "options", "-DALL"))
    # The texts of both are alike.
    other.setFocus()
    QTest.keyClicks(other, "--unknown=1")
    state.documents.current = plain
    started.editor.setFocus()
    assert (fast.options, state.settings.options) == ("-DALL --unknown=1", "-DALL")
    assert other.text() == ""
    state.documents.current = fast
    started.wait(lambda: form.model.values.text == fast.options)
    form.search("maxrregcount")
    form.tree.enter()
    form.tree.edit_current()
    QTest.keyClicks(QApplication.focusWidget(), "32")
    state.documents.current = plain
    started.editor.setFocus()
    assert (fast.options, state.settings.options) == (
        "-DALL --unknown=1 --maxrregcount=32",
        "-DALL",
    )
    form.search("")


def test_a_quote_that_is_not_closed_is_told_with_its_tab(started, tabs):
    plain, fast = tabs
    settings = started.state.settings
    started.state.documents.current = plain
    started.next_result(lambda: setattr(settings, "link", LinkMode.PTX))
    result = started.next_result(lambda: setattr(fast, "options", "-DX='"))
    assert "'fast.cu': " in result.reason
    # What no tool is sent is in nobody's way.
    library = Document("l.ll", CodeKind.LLVM_IR, b"")
    library.options, library.is_library = "'", True
    assert library.as_source().options is None


def test_own_options_are_kept_by_project_and_session(started, tabs):
    _, fast = tabs
    fast.options = ""
    project = load(dump(started.state.project.capture(Path("/p/p.jitproj"))))
    assert {module.name: module.options for module in project.modules[-2:]} == {
        "plain.cu": None,
        "fast.cu": "",
    }
    saved = saved_document(fast)
    assert reopened(saved, saved.content, started.state.documents).options == ""


def test_options_are_grey_where_nothing_is_compiled(started, tabs):
    documents, field = started.state.documents, started.find(QLineEdit, "optionsEdit")
    scope = started.find(QComboBox, "optionsScope")
    assert (field.isEnabled(), scope.isEnabled()) == (True, True)
    cubin = next(a for a in started.state.outputs.result.artifacts if a.kind is CodeKind.CUBIN)
    shown = Document("k.cubin", CodeKind.CUBIN, cubin.content)
    documents.add(shown)
    assert (field.isEnabled(), scope.isEnabled()) == (False, False)
    assert "as it was compiled" in field.placeholderText()
    # A link takes options whatever is linked.
    started.state.settings.link = LinkMode.PTX
    assert field.isEnabled()
    documents.remove(shown)


def test_undo_of_the_options_field_stays_with_the_tab(started, tabs):
    plain, fast = tabs
    field = started.find(QLineEdit, "optionsEdit")

    def turn_to(document):
        started.next_result(lambda: setattr(started.state.documents, "current", document))

    def undo():
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        return field.text()

    started.next_result(lambda: choose(started, Qt.Key.Key_End))
    field.setFocus()
    field.end(False)
    QTest.keyClicks(field, " -G")
    QTest.keyClick(field, Qt.Key.Key_Home)
    QTest.keyClicks(field, "-DX ")
    assert fast.options == "-DX -DALL -G"
    # The other tab happens to have the same options.
    started.state.settings.options = fast.options
    turn_to(plain)
    assert (field.text(), field.isUndoAvailable()) == (fast.options, False)
    assert (undo(), started.state.settings.options) == (fast.options, fast.options)
    field.end(False)
    QTest.keyClicks(field, " -O1")
    turn_to(fast)
    assert [field.text(), undo(), undo(), undo()] == ["-DX -DALL -G", "-DALL -G", "-DALL", "-DALL"]
    assert (fast.options, started.state.settings.options) == ("-DALL", "-DX -DALL -G -O1")
    turn_to(plain)
    assert (undo(), started.state.settings.options) == ("-DX -DALL -G", "-DX -DALL -G")
    assert fast.options == "-DALL"


def test_redo_of_the_options_field_stays_with_the_tab(started, tabs):
    plain, fast = tabs
    field = started.find(QLineEdit, "optionsEdit")

    def go_and_return():
        for document in (plain, fast):
            started.next_result(lambda d=document: setattr(started.state.documents, "current", d))

    started.next_result(lambda: choose(started, Qt.Key.Key_End))
    field.end(False)
    QTest.keyClicks(field, " -G")
    field.clear()
    QTest.keyClicks(field, "-DX")
    shown = [field.text()]
    for _ in range(3):
        field.undo()
        shown.append(field.text())
    assert shown == ["-DX", "", "-DALL -G", "-DALL"]
    field.redo()
    assert (field.text(), fast.options) == ("-DALL -G", "-DALL -G")
    go_and_return()
    assert (field.text(), fast.options) == ("-DALL -G", "-DALL -G")
    field.undo()
    assert (field.text(), field.isUndoAvailable()) == ("-DALL", False)
    go_and_return()
    again = [field.text()]
    while field.isRedoAvailable():
        field.redo()
        again.append(field.text())
    assert again == shown[::-1]
