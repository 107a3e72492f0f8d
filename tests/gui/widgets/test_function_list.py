import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jitstudio.core.code import CodeKind
from jitstudio.gui.widgets.function_list import FunctionList
from jitstudio.listing.demangling import Spelling
from jitstudio.listing.functions import Function

FUNCTIONS = (
    Function("declared", 2, 4, False, is_defined=False),
    Function("_Z1fIiEvT_", 10, 20, True),
    Function("g", 21, 1500, False),
    Function("h", 1500, 1600, True),
)
PLAIN = Spelling.plain(())


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
    functions.show_functions(FUNCTIONS, Spelling((), (), {}, {"_Z1fIiEvT_": "void f<int>(int)"}))
    assert titles(functions)[0] == "f<int> · 11"
    assert "void f&lt;int&gt;(int)" in functions.itemData(0, Qt.ItemDataRole.ToolTipRole)
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


def test_a_long_name_is_cut_in_its_middle(functions):
    name = "_ZN8analysis6kernelINS_9ConvolverIfEEEEvPKT_PS3_i"
    functions.show_functions((Function(name, 0, 9, True),), PLAIN)
    assert titles(functions) == ["_ZN8analysis6kernelIN…vPKT_PS3_i · 1"]
    assert name in functions.itemData(0, Qt.ItemDataRole.ToolTipRole)
