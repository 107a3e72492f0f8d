import re
from html import unescape

from PySide6.QtGui import QTextDocument

from jitstudio.gui.listing.copying import Beside, Excerpt, as_html, as_markdown
from jitstudio.listing.kernel_names import Spelling
from jitstudio.listing.lexers.ptx import PtxLexer

LINES = [
    "/* one",
    "   two */ .visible .entry f(",
    "\tmov.u32 \t%r1, 0x10; // a < b && c",
    "```",
]
ALL = [(number, 0, len(line)) for number, line in enumerate(LINES)]


def test_html_says_the_text_and_nothing_else(light):
    html = as_html(Excerpt(LINES, ALL), PtxLexer(), light)
    assert html.startswith("<pre style=")
    assert unescape(re.sub(r"<[^>]*>", "", html)) == "\n".join(LINES)


def test_html_is_coloured_as_the_listing(light):
    html = as_html(Excerpt(LINES, ALL), PtxLexer(), light)
    tokens = {str(token): style for token, style in light.tokens.items()}
    keyword = tokens["Token.Keyword"].color.name()
    assert re.search(rf'<span style="color:{keyword}[^"]*">mov</span>', html)
    comment = tokens["Token.Comment"].color.name()
    assert f'<span style="color:{comment};font-style:italic">/* one</span>' in html
    assert f'color:{comment};font-style:italic">// a &lt; b &amp;&amp; c</span>' in html


def test_qt_reads_it_back(light, qapp):
    document = QTextDocument()
    document.setHtml(as_html(Excerpt(LINES, ALL), PtxLexer(), light))
    assert document.toPlainText().strip() == "\n".join(LINES)


def test_a_part_begins_and_ends_within_lines_and_skips_hidden_ones(light):
    excerpt = Excerpt(LINES, [(1, 10, 18), (3, 0, 3)])
    assert excerpt.text == ".visible\n```"
    html = as_html(excerpt, PtxLexer(), light)
    assert unescape(re.sub(r"<[^>]*>", "", html)) == excerpt.text
    # The comment that began above is known.
    assert "italic" not in html


def test_names_in_words_have_one_colour(light):
    spelling = Spelling.of([".entry _Z1fIiEvv()"], {"_Z1fIiEvv": "void f<int>()"})
    excerpt = Excerpt(spelling.lines, [(0, 0, 22)], spelling.stand_ins)
    assert "void f&lt;int&gt;()" in as_html(excerpt, PtxLexer(), light)


def test_markdown_has_a_fence_that_the_text_does_not_close():
    assert as_markdown(Excerpt(LINES, [(2, 1, 8)]), "ptx") == "```ptx\nmov.u32\n```\n"
    assert as_markdown(Excerpt(LINES, [(3, 0, 3)]), "asm") == "````asm\n```\n````\n"


def test_nothing_is_nothing(light):
    assert unescape(re.sub(r"<[^>]*>", "", as_html(Excerpt([], []), None, light))) == ""


def beside(line):
    return {2: "4 regs "}.get(line, "")


def test_columns_stand_in_front_of_the_lines(light):
    parts = [(1, 7, 14), (2, 1, 8)]
    excerpt = Excerpt(LINES, parts, beside=Beside("Live   ", beside))
    told = ["Live", f"       {LINES[1][7:14]}".rstrip(), "4 regs mov.u32"]
    assert excerpt.text.splitlines() == told
    assert as_markdown(excerpt, "asm") == "\n".join(["```asm", *told, "```", ""])
    html = unescape(re.sub(r"<[^>]*>", "", as_html(excerpt, PtxLexer(), light)))
    assert [line.rstrip() for line in html.splitlines()] == told


def test_columns_have_a_colour_of_their_own(light):
    excerpt = Excerpt(LINES, [(2, 1, 8)], beside=Beside("Live   ", beside))
    assert f'color:{light.ui.muted_text.name()}">4 regs ' in as_html(excerpt, PtxLexer(), light)
