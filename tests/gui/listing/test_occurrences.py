import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jitstudio.gui.listing.listing_text import ListingText
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.occurrences import MarkedWord, marked_at
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lexers.sass import SassLexer

PTX = [
    ".visible .entry f()",
    "{",
    "\tadd.s32 \t%r1, %r12, 1;",
    "\tadd.f32 \t%f1, %f1, %f2; // %r12",
    "\t@%p1 bra \t$L__BB0_3;",
    "$L__BB0_3:",
    "}",
    ".visible .entry g()",
    "{",
    "\tadd.s32 \t%r12, %r12, %tid.x;",
    "}",
]
SASS = [
    "        /*0000*/              @!P0 IADD3 R12, R12.reuse, -0x1, R1 ;",
    "        /*0010*/                   LDG.E R1, desc[UR4][R12+0x10] ;",
    "        /*0020*/                   BRA `(.L_x_12) ;",
    ".L_x_12:",
]
CTRL = Qt.KeyboardModifier.ControlModifier


def marked(lines, lexer, line, word, function=range(7)):
    text = ListingText(lines, lexer)
    found = marked_at(text, (line, lines[line].index(word)), function)
    if found is None:
        return None
    return found.word, sum(len(found.spans(n, each)) for n, each in enumerate(lines))


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        (2, "%r12", ("%r12", 2)),
        (2, "%r1", ("%r1", 1)),
        (3, "%f1", ("%f1", 2)),
        (2, "add", ("add", 3)),
        (4, "$L__BB0_3", ("$L__BB0_3", 2)),
        (4, "%p1", ("%p1", 1)),
        (0, ".visible", None),
        (1, "{", None),
        (2, "1;", None),
    ],
)
def test_words_of_ptx(line, word, expected):
    assert marked(PTX, PtxLexer(), line, word) == expected


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        (0, "R12", ("R12", 3)),
        (0, "P0", ("P0", 1)),
        (1, "UR4", ("UR4", 1)),
        (1, "R1,", ("R1", 2)),
        (1, "LDG", ("LDG", 1)),
        (2, ".L_x_12", (".L_x_12", 2)),
        (0, "/*0000", None),
    ],
)
def test_words_of_sass(line, word, expected):
    assert marked(SASS, SassLexer(), line, word, range(4)) == expected


def test_a_word_is_marked_in_its_lines_only():
    assert MarkedWord("%r12", range(7)).spans(9, PTX[9]) == []
    assert MarkedWord("%r12", range(7, 11)).spans(9, PTX[9]) == [(10, 14), (16, 20)]


@pytest.fixture
def view(qtbot, light):
    made = ListingView()
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    made.set_lines(PTX, PtxLexer())
    made.marks.set_scope(lambda line: range(7) if line < 7 else range(7, 11))
    return made


def go(view, line, column):
    view.caret.set_place((line, column))
    view.caret_moved()


def test_marks_follow_the_caret_and_are_counted(view, qtbot):
    with qtbot.waitSignal(view.marks.counted) as told:
        go(view, 2, PTX[2].index("%r12") + 2)
    assert told.args == ["%r12: 2\N{MULTIPLICATION SIGN}"]
    assert view.marks.spans(2) == [(15, 19)]
    assert view.marks.spans(9) == []
    with qtbot.waitSignal(view.marks.counted) as told:
        QTest.keyClick(view, Qt.Key.Key_Escape)
    assert told.args == [""]
    assert view.marks.spans(2) == ()


def test_keys_go_from_mark_to_mark_and_around(view):
    go(view, 2, PTX[2].index("add"))
    places = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        QTest.keyClick(view, key, CTRL)
        places.append(view.caret.selection[0])
        assert view.caret.selected_text() == "add"
    assert places == [(3, 1), (9, 1), (2, 1), (9, 1)]


def test_marks_are_drawn(view, light):
    def grounds():
        image = view.viewport().grab().toImage()
        wanted = light.code.occurrence.name()
        width, height = image.width(), image.height()
        return sum(
            image.pixelColor(x, y).name() == wanted
            for x in range(0, width, 3)
            for y in range(0, height, 3)
        )

    assert grounds() == 0
    go(view, 9, PTX[9].index("%r12"))
    assert grounds() > 20


def test_nothing_is_marked_for_other_selections_and_hints(view):
    view.select_all()
    assert view.marks.spans(2) == ()
    view.clear("Nothing here.")
    assert view.marks.spans(0) == ()
