import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import CodeKind
from jitstudio.gui.listing import output_exports
from jitstudio.gui.listing.copying import Beside
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.output_exports import OutputExports
from jitstudio.listing.lexers.sass import SassLexer

SASS = [".text.k:", "        /*0000*/   IADD3 R1, R2, R3 ;", "        /*0010*/   EXIT ;"]


@pytest.fixture
def view(qtbot, dark):
    made = ListingView(dark)
    qtbot.addWidget(made)
    made.set_lines(SASS, SassLexer())
    return made


@pytest.fixture
def exports(view):
    made = OutputExports(CodeKind.SASS, view)
    made.set_available(True)
    return made


def action(exports, name):
    found = exports.copy_button.findChild(QAction, name)
    return found or exports.save_button.findChild(QAction, name)


def told(exports, qtbot, act):
    with qtbot.waitSignal(exports.told) as said:
        act()
    return said.args[0]


def test_all_is_copied_as_it_is(exports, qtbot):
    copy = action(exports, "sassCopyAllAction")
    assert told(exports, qtbot, copy.trigger) == "Copied 3 lines of SASS"
    assert QApplication.clipboard().text() == "\n".join(SASS) + "\n"


def test_markdown_of_the_selection_or_of_all(exports, view, qtbot):
    copy = action(exports, "sassCopyMarkdownAction")
    assert told(exports, qtbot, copy.trigger) == "Copied 3 lines of SASS as Markdown"
    assert QApplication.clipboard().text() == "\n".join(["```asm", *SASS, "```", ""])
    view.caret.select((1, 19), (1, 24))
    assert told(exports, qtbot, copy.trigger) == "Copied 1 line of SASS as Markdown"
    assert QApplication.clipboard().text() == "```asm\nIADD3\n```\n"
    view.caret.select_lines((0, 0), (1, 0))
    assert told(exports, qtbot, copy.trigger) == "Copied 2 lines of SASS as Markdown"
    assert QApplication.clipboard().text() == "\n".join(["```asm", *SASS[:2], "```", ""])


def test_html_comes_with_plain_text_in_light_colours(exports, view, qtbot, light, dark):
    view.caret.select((1, 19), (2, 8))
    copy = action(exports, "sassCopyHtmlAction")
    assert told(exports, qtbot, copy.trigger) == "Copied 2 lines of SASS as HTML"
    data = QApplication.clipboard().mimeData()
    assert data.text() == "IADD3 R1, R2, R3 ;\n        "
    assert f"background:{light.code.background.name()}" in data.html()
    assert dark.code.background.name() not in data.html()


def test_too_much_for_html_is_said(exports, qtbot, monkeypatch):
    monkeypatch.setattr(output_exports, "MOST_LINES", 2)
    copy = action(exports, "sassCopyHtmlAction")
    assert "select at most 2 lines" in told(exports, qtbot, copy.trigger)


def test_names_in_words_are_told(exports, view, qtbot):
    view.respell([".text.f():", *SASS[1:]], {0: ".text.___:"})
    copy = action(exports, "sassCopyAllAction")
    assert told(exports, qtbot, copy.trigger).endswith(", names in words of C++")
    assert QApplication.clipboard().text().startswith(".text.f():\n")


def test_saving_is_asked_for(exports, qtbot):
    for name, kind in (
        ("sassSaveSassAction", CodeKind.SASS),
        ("sassSaveCubinAction", CodeKind.CUBIN),
    ):
        with qtbot.waitSignal(exports.save_requested) as asked:
            action(exports, name).trigger()
        assert asked.args == [kind]


def test_without_a_listing_nothing_can_be_taken(exports, view):
    exports.set_available(False)
    assert not exports.copy_button.isEnabled()
    assert not exports.save_button.isEnabled()
    assert [a.isEnabled() for a in view.actions()] == [False, False]


def test_columns_are_copied_only_if_they_shall_be(exports, view, qtbot):
    known = [Beside("Live  ", lambda line: "  24  " if line == 1 else ""), None]
    exports.offer_columns(lambda: known[0])
    exports.set_available(True)
    plain, switch = (action(exports, f"sassCopy{name}Action") for name in ("Plain", "Columns"))
    view.caret.select_lines((1, 0), (2, 0))
    told(exports, qtbot, plain.trigger)
    assert QApplication.clipboard().text() == "\n".join([*SASS[1:], ""])
    switch.trigger()
    assert told(exports, qtbot, plain.trigger) == "Copied 2 lines of SASS"
    with_columns = ["Live", f"  24  {SASS[1]}", f"      {SASS[2]}", ""]
    assert QApplication.clipboard().text() == "\n".join(with_columns)
    told(exports, qtbot, action(exports, "sassCopyMarkdownAction").trigger)
    assert QApplication.clipboard().text() == "\n".join(["```asm", *with_columns[:3], "```", ""])
    told(exports, qtbot, action(exports, "sassCopyHtmlAction").trigger)
    assert "  24  " in QApplication.clipboard().mimeData().html()
    told(exports, qtbot, action(exports, "sassCopyAllAction").trigger)
    assert QApplication.clipboard().text().splitlines()[:2] == ["Live", f"      {SASS[0]}"]
    # Not known yet: the lines alone.
    known[0] = None
    told(exports, qtbot, plain.trigger)
    assert QApplication.clipboard().text() == "\n".join([*SASS[1:], ""])
