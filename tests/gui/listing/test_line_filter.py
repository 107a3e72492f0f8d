import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from jitstudio.core.code import CodeKind
from jitstudio.gui.listing.line_filter import FilterButton, HiddenLines
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.state.outputs import Output
from jitstudio.listing.lines import LineClass

LINES = ("// a", "// b", ".version 9.4", ".entry k()", "{", ".loc 1 1 1", "ret;", "}")
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def pane(qtbot, dark):
    made = OutputPane(CodeKind.PTX, "ptxView", dark)
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    qtbot.waitExposed(made)
    made.show_output(Output((Listing(CodeKind.PTX, "k.cu", LINES),)))
    # The comments that it begins with.
    made.code_view.unfold_all()
    return made


@pytest.fixture
def button(pane):
    return pane.findChild(FilterButton, "ptxFilterButton")


@pytest.fixture
def told(pane):
    return pane.findChild(HiddenLines, "ptxHiddenLines")


def check(button, name):
    button.menu().findChild(QAction, name).trigger()


def test_each_check_hides_its_lines_and_the_header_says_how_many(pane, button, told):
    assert (told.isVisible(), button.isChecked()) == (False, False)
    counts = []
    for name in ("hideCommentAction", "hideDirectiveAction", "hideDebugAction"):
        check(button, name)
        counts.append(told.text())
    assert counts == ["2 hidden", "3 hidden", "4 hidden"]
    assert (told.isVisible(), button.isChecked()) == (True, True)
    for name in ("hideCommentAction", "hideDirectiveAction"):
        check(button, name)
    assert told.text() == "1 hidden"
    assert pane.code_view.shown.filters == {LineClass.DEBUG}


def test_a_click_on_the_count_shows_all(pane, button, told):
    check(button, "hideCommentAction")
    pane.code_view.fold_all()
    assert told.text() == "6 hidden"
    QTest.mouseClick(told, LEFT)
    assert pane.code_view.shown.rows.hidden_count == 0
    assert not told.isVisible()
    assert not button.isChecked()
    assert not any(action.isChecked() for action in button.menu().actions())


def test_the_menu_shows_all_while_anything_is_hidden(pane, button):
    show_all = button.menu().actions()[-1]
    assert not show_all.isEnabled()
    pane.code_view.fold_all()
    assert show_all.isEnabled()
    show_all.trigger()
    assert (pane.code_view.shown.rows.hidden_count, show_all.isEnabled()) == (0, False)


def test_filters_hold_for_the_next_output(pane, button, told):
    check(button, "hideCommentAction")
    pane.show_output(Output(hint="Nothing"))
    assert not told.isVisible()
    pane.show_output(Output((Listing(CodeKind.PTX, "other.cu", ("// c", *LINES)),)))
    assert told.text() == "3 hidden"
