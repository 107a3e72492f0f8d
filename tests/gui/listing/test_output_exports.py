import re
from html import unescape

import pytest
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import CodeKind
from jitstudio.gui.listing import output_exports
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.output_exports import (
    CopiedColumns,
    ListingExcerpt,
    OutputExports,
    as_html,
    as_markdown,
)
from jitstudio.listing.kernel_names import DemangledListing
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lexers.sass import SassLexer

LINES = [
    "/* one",
    "   two */ .visible .entry f(",
    "\tmov.u32 \t%r1, 0x10; // a < b && c",
    "```",
]
ALL = [(number, 0, len(line)) for number, line in enumerate(LINES)]


def test_html_says_the_text_and_nothing_else(light):
    html = as_html(ListingExcerpt(LINES, ALL), PtxLexer(), light)
    assert html.startswith("<pre style=")
    assert unescape(re.sub(r"<[^>]*>", "", html)) == "\n".join(LINES)


def test_html_is_coloured_as_the_listing(light):
    html = as_html(ListingExcerpt(LINES, ALL), PtxLexer(), light)
    tokens = {str(token): style for token, style in light.tokens.items()}
    keyword = tokens["Token.Keyword"].color.name()
    assert re.search(rf'<span style="color:{keyword}[^"]*">mov</span>', html)
    comment = tokens["Token.Comment"].color.name()
    assert f'<span style="color:{comment};font-style:italic">/* one</span>' in html
    assert f'color:{comment};font-style:italic">// a &lt; b &amp;&amp; c</span>' in html


def test_qt_reads_it_back(light, qapp):
    document = QTextDocument()
    document.setHtml(as_html(ListingExcerpt(LINES, ALL), PtxLexer(), light))
    assert document.toPlainText().strip() == "\n".join(LINES)


def test_a_part_begins_and_ends_within_lines_and_skips_hidden_ones(light):
    excerpt = ListingExcerpt(LINES, [(1, 10, 18), (3, 0, 3)])
    assert excerpt.text == ".visible\n```"
    html = as_html(excerpt, PtxLexer(), light)
    assert unescape(re.sub(r"<[^>]*>", "", html)) == excerpt.text
    # The comment that began above is known.
    assert "italic" not in html


def test_names_in_words_have_one_colour(light):
    spelling = DemangledListing.of([".entry _Z1fIiEvv()"], {"_Z1fIiEvv": "void f<int>()"})
    excerpt = ListingExcerpt(spelling.lines, [(0, 0, 22)], spelling.stand_ins)
    assert "void f&lt;int&gt;()" in as_html(excerpt, PtxLexer(), light)


def test_markdown_has_a_fence_that_the_text_does_not_close():
    assert as_markdown(ListingExcerpt(LINES, [(2, 1, 8)]), "ptx") == "```ptx\nmov.u32\n```\n"
    assert as_markdown(ListingExcerpt(LINES, [(3, 0, 3)]), "asm") == "````asm\n```\n````\n"


def test_nothing_is_nothing(light):
    assert unescape(re.sub(r"<[^>]*>", "", as_html(ListingExcerpt([], []), None, light))) == ""


def beside(line):
    return {2: "4 regs "}.get(line, "")


def test_columns_stand_in_front_of_the_lines(light):
    parts = [(1, 7, 14), (2, 1, 8)]
    excerpt = ListingExcerpt(LINES, parts, columns=CopiedColumns("Live   ", beside))
    told = ["Live", f"       {LINES[1][7:14]}".rstrip(), "4 regs mov.u32"]
    assert excerpt.text.splitlines() == told
    assert as_markdown(excerpt, "asm") == "\n".join(["```asm", *told, "```", ""])
    html = unescape(re.sub(r"<[^>]*>", "", as_html(excerpt, PtxLexer(), light)))
    assert [line.rstrip() for line in html.splitlines()] == told


def test_columns_have_a_colour_of_their_own(light):
    excerpt = ListingExcerpt(LINES, [(2, 1, 8)], columns=CopiedColumns("Live   ", beside))
    assert f'color:{light.ui.muted_text.name()}">4 regs ' in as_html(excerpt, PtxLexer(), light)


SASS = [".text.k:", "        /*0000*/   IADD3 R1, R2, R3 ;", "        /*0010*/   EXIT ;"]


@pytest.fixture
def view(qtbot, dark):
    made = ListingView()
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
    with qtbot.waitSignal(exports.reported) as said:
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
    assert told(exports, qtbot, copy.trigger).endswith(", demangled names")
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
    known = [CopiedColumns("Live  ", lambda line: "  24  " if line == 1 else ""), None]
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
