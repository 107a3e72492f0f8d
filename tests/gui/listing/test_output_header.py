import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from jitstudio.core.code import CodeKind
from jitstudio.gui.listing.output_header import FilterButton, FunctionList, HiddenLines
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.state.outputs import Output
from jitstudio.listing.functions import Function
from jitstudio.listing.kernel_names import DemangledListing
from jitstudio.listing.lines import LineClass

FUNCTIONS = (
    Function("declared", 2, 4, False, is_defined=False),
    Function("_Z1fIiEvT_", 10, 20, True),
    Function("g", 21, 1500, False),
    Function("h", 1500, 1600, True),
)
PLAIN = DemangledListing.plain(())


@pytest.fixture
def functions(qtbot):
    made = FunctionList(CodeKind.PTX)
    qtbot.addWidget(made)
    return made


def titles(functions):
    return [functions.itemText(index) for index in range(functions.count())]


def test_kernels_and_functions_with_their_lines(functions):
    assert functions.isHidden()
    functions.show_functions(FUNCTIONS, PLAIN)
    assert titles(functions) == ["_Z1fIiEvT_ · 11", "g · 22", "h · 1,501"]
    functions.show_functions(FUNCTIONS, DemangledListing((), (), {}, {"_Z1fIiEvT_": "f<int>"}))
    assert titles(functions)[0] == "f<int> · 11"
    assert "f&lt;int&gt;\n_Z1fIiEvT_" in functions.itemData(0, Qt.ItemDataRole.ToolTipRole)
    assert not functions.isHidden()
    functions.show_functions((), PLAIN)
    assert functions.isHidden()


@pytest.mark.parametrize(("line", "index"), [(1, -1), (10, -1), (11, 0), (20, 0), (1500, 1)])
def test_the_list_follows_the_caret_without_a_word(functions, line, index):
    functions.show_functions(FUNCTIONS, PLAIN)
    asked = []
    functions.line_requested.connect(asked.append)
    functions.follow(line)
    assert functions.currentIndex() == index
    assert asked == []


def test_the_keyboard_goes_to_a_kernel(functions, qtbot):
    functions.show_functions(FUNCTIONS, PLAIN)
    functions.follow(11)
    functions.show()
    with qtbot.waitSignal(functions.line_requested) as asked:
        QTest.keyClick(functions, Qt.Key.Key_Down)
    assert asked.args == [22]


def test_long_names_are_cut_where_they_are_alike(functions):
    name = "analysis::kernel<analysis::Convolver<analysis::Half, 16>, 128, 4>"
    names = [name.replace("Half", "Float"), name, name.replace(" 4", " 8"), "k", 40 * "a"]
    made = [Function(one, 0, 9, True) for one in names]
    functions.show_functions(made, PLAIN)
    assert titles(functions) == [
        "analysis::ke…ysis::Float, 16>, … · 1",
        "analysis::ke…:Half, 16>, 128, 4> · 1",
        "analysis::ke…:Half, 16>, 128, 8> · 1",
        "k · 1",
        f"{31 * 'a'}… · 1",
    ]
    assert names[0].replace("<", "&lt;").replace(">", "&gt;") in functions.itemData(
        0, Qt.ItemDataRole.ToolTipRole
    )


LINES = ("// a", "// b", ".version 9.4", ".entry k()", "{", ".loc 1 1 1", "ret;", "}")
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def pane(qtbot, dark):
    made = OutputPane(CodeKind.PTX, "ptxView")
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
    assert pane.code_view.visibility.filters == {LineClass.DEBUG}


def test_a_click_on_the_count_shows_all(pane, button, told):
    check(button, "hideCommentAction")
    pane.code_view.fold_all()
    assert told.text() == "6 hidden"
    QTest.mouseClick(told, LEFT)
    assert pane.code_view.visibility.rows.hidden_count == 0
    assert not told.isVisible()
    assert not button.isChecked()
    assert not any(action.isChecked() for action in button.menu().actions())


def test_the_menu_shows_all_while_anything_is_hidden(pane, button):
    show_all = button.menu().actions()[-1]
    assert not show_all.isEnabled()
    pane.code_view.fold_all()
    assert show_all.isEnabled()
    show_all.trigger()
    assert (pane.code_view.visibility.rows.hidden_count, show_all.isEnabled()) == (0, False)


def test_filters_hold_for_the_next_output(pane, button, told):
    check(button, "hideCommentAction")
    pane.show_output(Output())
    assert not told.isVisible()
    pane.show_output(Output((Listing(CodeKind.PTX, "other.cu", ("// c", *LINES)),)))
    assert told.text() == "3 hidden"
