import pytest

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.listing.hints import output_hint
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.output_header import HiddenLines
from jitstudio.gui.listing.output_pane import ListingCode, OutputPane
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.state.outputs import SHOWN_KINDS, Absence, Output
from jitstudio.listing.kernel_names import DemangledListing

LINES = (".visible .entry _Z1fi(", ")", "{", "\tbra \t$L;", "\tcall _Z1fi; bra $L;", "$L:", "}")
NAMES = {"_Z1fi": "f<int>(int)", "_Z1gv": "g()"}


@pytest.fixture
def code(qtbot):
    made = ListingCode(CodeKind.PTX)
    with qtbot.waitSignal(made.read):
        made.set_lines(LINES)
    return made


def test_functions_are_read_in_the_background(code):
    assert [(f.name, f.line, f.end) for f in code.code.functions] == [("_Z1fi", 0, 7)]
    assert code.spelling.lines == LINES


def test_names_are_asked_for_only_when_wanted(code, qtbot):
    asked = []
    code.names_wanted.connect(asked.append)
    code.learn(NAMES)
    assert asked == []
    code.set_demangled(True)
    assert asked == [{"_Z1fi"}]
    with qtbot.waitSignal(code.spelt):
        code.learn(NAMES)
    assert code.spelling.lines[0] == ".visible .entry f<int>("
    with qtbot.waitSignal(code.names_wanted):
        code.set_lines(("_Z1hv", "_Z1fi"))
    assert code.spelling == DemangledListing.plain(("_Z1hv", "_Z1fi"))


def test_a_listing_whose_names_are_known_is_spelt_at_once_and_once(code, qtbot):
    code.set_demangled(True)
    with qtbot.waitSignal(code.spelt):
        code.learn(NAMES)
    with qtbot.waitSignal(code.names_wanted):
        code.set_lines(LINES[:2])
        assert code.spelling.lines == (".visible .entry f<int>(", ")")
    with qtbot.assertNotEmitted(code.spelt, wait=50):
        code.learn(NAMES)


def test_names_that_others_learn_before_a_listing_is_read_leave_it_spelt(code, qtbot):
    code.set_demangled(True)
    with qtbot.waitSignal(code.spelt):
        code.learn(NAMES)
    with qtbot.waitSignal(code.read):
        code.set_lines(LINES[:2])
        # Another pane has asked; of this listing no name is known to be in it yet.
        code.learn(NAMES)
    qtbot.wait(50)
    assert code.spelling.lines == (".visible .entry f<int>(", ")")


def test_names_as_the_tools_wrote_them_come_back_at_once(code, qtbot):
    code.set_demangled(True)
    with qtbot.waitSignal(code.spelt):
        code.learn(NAMES)
    with qtbot.waitSignal(code.spelt):
        code.set_demangled(False)
    assert code.spelling.lines == LINES


def test_links_are_found_in_what_is_shown(code, qtbot):
    assert code.link_at((4, 19)).target == (5, 0)
    code.set_demangled(True)
    with qtbot.waitSignal(code.spelt):
        code.learn(NAMES)
    shown = code.spelling.lines[4]
    assert shown == "\tcall f<int>; bra $L;"
    assert code.link_at((4, shown.index("$L"))).span == (18, 20)
    link = code.link_at((4, shown.index("int")))
    assert link.target == (0, 16)
    assert shown[slice(*link.span)] == "f<int>"


_SASS = (
    ".text.first:",
    "\t.type first,@function",
    "first:",
    "/*0000*/ EXIT ;",
    ".section .text.second",
    "\t.type second,@function",
    ".text.second:",
    "second:",
    "/*0000*/ EXIT ;",
)


@pytest.fixture
def pane(qtbot):
    made = OutputPane(CodeKind.SASS, "sassView")
    qtbot.addWidget(made)
    made.resize(600, 400)
    return made


def test_it_goes_to_a_kernel_as_soon_as_its_functions_are_known(pane, qtbot):
    with qtbot.waitSignal(pane.code.read):
        pane.show_output(Output((Listing(CodeKind.SASS, "k.cu", _SASS),)))
        pane.go_to_kernel("k.cu", "second")
        assert pane.code_view.line == 1
    assert pane.code_view.line == 7
    pane.code_view.go_to(1)
    pane.go_to_kernel("k.cu", "second")
    assert pane.code_view.line == 7


def test_a_kernel_that_is_nowhere_is_not_waited_for_in_another_listing(pane, qtbot):
    with qtbot.waitSignal(pane.code.read):
        pane.show_output(Output((Listing(CodeKind.SASS, "k.cu", _SASS[:4]),)))
    pane.go_to_kernel("k.cu", "second")
    with qtbot.waitSignal(pane.code.read):
        pane.show_output(Output((Listing(CodeKind.SASS, "k.cu", _SASS),)))
    assert pane.code_view.line == 1


@pytest.mark.parametrize("absence", Absence)
def test_each_absence_has_words_of_its_own(absence):
    hints = [output_hint(kind, Output(absence=absence)) for kind in SHOWN_KINDS]
    others = {output_hint(CodeKind.PTX, Output(absence=a)) for a in Absence if a is not absence}
    assert not others.intersection(hints)
    assert (hints[0] != hints[1]) is (absence is Absence.NOT_MADE)


def test_a_failed_build_says_how_and_a_held_one_by_which_keys(monkeypatch):
    reason = "Build failed, line 3: expected a '{' (and 1 more)."
    hint = output_hint(CodeKind.PTX, Output(absence=Absence.FAILED, reason=reason))
    assert hint == f"{reason}\nThe Problems list says more."
    monkeypatch.setattr(COMMAND_KEYS, "words", lambda name: {"buildAction": "F9"}[name])
    assert output_hint(CodeKind.SASS, Output(absence=Absence.HELD)).endswith("To build: F9.")


def test_hidden_lines_are_counted_for_the_listing_alone(qtbot):
    pane = OutputPane(CodeKind.SASS, "sassView")
    qtbot.addWidget(pane)
    pane.add_cover(ListingView())
    count, visibility = pane.findChild(HiddenLines), pane.code_view.visibility
    pane.show_cover(True)
    visibility.hidden_count_changed.emit(3)
    assert count.isHidden()
    pane.show_cover(False)
    assert not count.isHidden()
    visibility.hidden_count_changed.emit(0)
    pane.show_cover(True)
    pane.show_cover(False)
    assert count.isHidden()
