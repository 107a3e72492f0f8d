from dataclasses import replace
from threading import Event

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Fix, FixKind, Severity
from jitstudio.core.tools import Tool
from jitstudio.gui.features.problems.controller import _definers
from jitstudio.gui.features.problems.view import SEVERITY_ROLE, ProblemsModel, ProblemsView
from jitstudio.gui.kit.presentation import MARK_ROLE, SORT_ROLE
from jitstudio.gui.kit.theme import set_current_theme
from tests.gui.results import DIAGNOSTICS, UNDEFINED, UNUSED


@pytest.fixture
def view(qtbot, light):
    view = ProblemsView()
    qtbot.addWidget(view)
    set_current_theme(light)
    view.resize(900, 220)
    view.show()
    return view


@pytest.fixture
def filled(view):
    view.model.set_diagnostics(DIAGNOSTICS)
    return view


def filter_button(view, severity):
    return view.findChild(QToolButton, f"{severity.value}Filter")


def messages(view):
    model = view.table.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def click(view, row):
    table = view.table
    place = table.visualRect(table.model().index(row, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_carries_its_name(view):
    assert view.objectName() == "problemsView"


def test_focus_goes_to_the_table(view):
    view.activateWindow()
    view.setFocus()
    assert view.table.hasFocus()


def test_the_first_error_goes_before_a_warning_that_was_told_earlier(view, qtbot):
    warning = replace(UNDEFINED, severity=Severity.WARNING, line=3)
    view.model.set_diagnostics((warning, UNDEFINED))
    with qtbot.waitSignal(view.location_activated) as activated:
        view.go_to_first()
    assert activated.args[1] == UNDEFINED.line
    assert view.table.currentIndex().row() == 1


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (0, ["saxpy.cu", 12, 17]),
        (2, ["atomic_ops.cuh", 120, 0]),
        (3, ["", 0, 0]),
    ],
)
def test_a_click_goes_to_the_place(filled, qtbot, row, place):
    with qtbot.waitSignal(filled.location_activated) as activated:
        click(filled, row)
    assert activated.args == place


def test_enter_goes_to_the_place(filled, qtbot):
    filled.table.setCurrentIndex(filled.table.model().index(1, 0))
    with qtbot.waitSignal(filled.location_activated) as activated:
        QTest.keyClick(filled.table, Qt.Key.Key_Return)
    assert activated.args == ["saxpy.cu", 9, 9]


def test_enter_with_no_problem_goes_nowhere(view, qtbot):
    with qtbot.assertNotEmitted(view.location_activated):
        QTest.keyClick(view.table, Qt.Key.Key_Return)
        view.go_to_next()


def test_the_next_problem_comes_round_again(filled):
    lines = []
    filled.location_activated.connect(lambda _file, line, _column: lines.append(line))
    for _ in range(5):
        filled.go_to_next()
    filled.go_to_previous()
    assert lines == [12, 9, 120, 0, 12, 0]
    assert filled.table.currentIndex().row() == 3


def test_the_previous_problem_of_none_is_the_last(filled, qtbot):
    with qtbot.waitSignal(filled.location_activated) as activated:
        filled.go_to_previous()
    assert activated.args == ["", 0, 0]


def test_selected_problems_are_copied_one_a_line(filled):
    filled.table.selectRow(0)
    QTest.keyClick(filled.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(filled.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == (
        'saxpy.cu:12:17: error: identifier "blockIdxx" is undefined\n'
        'saxpy.cu:9:9: warning: variable "unused" was declared but never referenced [#177-D]'
    )


def test_copying_nothing_leaves_the_clipboard_alone(filled):
    QApplication.clipboard().setText("mine")
    filled.table.clearSelection()
    filled.copy_selected()
    assert QApplication.clipboard().text() == "mine"


def test_filters_count_and_hide_severities(filled):
    texts = [filter_button(filled, severity).text() for severity in Severity]
    assert texts == ["2 errors", "1 warning", "1 remark"]
    filter_button(filled, Severity.ERROR).click()
    assert messages(filled) == [DIAGNOSTICS[1].message, DIAGNOSTICS[2].message]
    filter_button(filled, Severity.ERROR).click()
    assert len(messages(filled)) == 4


def test_a_filter_outlives_the_build(filled):
    filter_button(filled, Severity.WARNING).click()
    filled.model.set_diagnostics(DIAGNOSTICS[:2])
    assert messages(filled) == [UNDEFINED.message]
    assert filter_button(filled, Severity.WARNING).text() == "1 warning"


def test_filters_are_named_for_screen_readers(filled):
    button = filter_button(filled, Severity.INFO)
    assert button.accessibleName() == "Show remarks"
    assert button.accessibleDescription() == "1 remark in this build and its last run"


def test_problems_stand_as_reported_until_a_column_is_sorted(filled):
    assert messages(filled)[0] == UNDEFINED.message
    filled.table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    model = filled.table.model()
    assert [model.index(row, 2).data() for row in range(4)] == ["", "9", "12", "120"]
    filled.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert messages(filled)[0] == UNDEFINED.message


def test_says_why_the_list_is_empty(view):
    assert view.table.hint.startswith("Nothing has been")
    view.model.set_diagnostics(())
    assert view.table.hint == "No problems"
    view.model.set_diagnostics((UNDEFINED,))
    filter_button(view, Severity.ERROR).click()
    assert view.table.hint == "The buttons above hide every problem."


def test_tab_goes_through_the_filters_to_the_table(filled):
    filled.activateWindow()
    filter_button(filled, Severity.ERROR).setFocus()
    reached = []
    for _ in range(3):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert reached == [
        filter_button(filled, Severity.WARNING),
        filter_button(filled, Severity.INFO),
        filled.table,
    ]


def test_the_icons_wear_the_theme(filled, theme):
    icon = filter_button(filled, Severity.ERROR).icon().pixmap(32, 32).toImage()
    colors = {icon.pixelColor(x, y).name() for x in range(32) for y in range(32)}
    assert theme.marks.error.name() in colors


FIX = Fix("Include <cuda/std/cstdint>", FixKind.REPLACE_TEXT, "<cuda/std/cstdint>", "k.cu", 1)
HEADER = Diagnostic(
    Severity.ERROR,
    "k.cu",
    1,
    19,
    'could not open source file "cstdint"',
    Tool.NVRTC,
    explanation="NVRTC has no headers of the host's library. " * 4,
    fix=FIX,
)
CRASH = Diagnostic(Severity.ERROR, "k.ll", None, None, "crashed", explanation="A fault of its own.")


def test_the_first_problem_is_explained_until_another_is_chosen(view):
    view.model.set_diagnostics((HEADER, CRASH, UNDEFINED))
    assert view.explanation.text == HEADER.explanation
    view.table.setCurrentIndex(view.table.model().index(1, 0))
    assert view.explanation.text == "A fault of its own."


def test_a_problem_without_an_explanation_hides_the_panel(view):
    view.model.set_diagnostics((HEADER, UNDEFINED))
    assert view.explanation.isVisible()
    view.table.setCurrentIndex(view.table.model().index(1, 0))
    assert not view.explanation.isVisible()


def test_nothing_is_explained_where_there_is_no_problem(view):
    view.model.set_diagnostics((HEADER,))
    view.model.set_diagnostics(())
    assert not view.explanation.isVisible()


def test_a_hidden_problem_is_not_explained(view):
    view.model.set_diagnostics((HEADER,))
    filter_button(view, Severity.ERROR).click()
    assert not view.explanation.isVisible()


def test_the_button_asks_for_the_fix(view, qtbot):
    view.model.set_diagnostics((HEADER,))
    button = view.findChild(QPushButton, "fixButton")
    assert button.text() == "Include <cuda/std/cstdint>"
    with qtbot.waitSignal(view.fix_requested) as requested:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert requested.args == [FIX]


def test_a_problem_that_cannot_be_mended_has_no_button(view):
    view.model.set_diagnostics((CRASH,))
    assert view.explanation.isVisible()
    assert not view.findChild(QPushButton, "fixButton").isVisible()


def test_the_fix_has_a_key_in_the_table(view, qtbot):
    view.model.set_diagnostics((HEADER, CRASH))
    view.table.setFocus()
    with qtbot.waitSignal(view.fix_requested) as requested:
        QTest.keyClick(view.table, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    assert requested.args == [FIX]
    view.table.setCurrentIndex(view.table.model().index(1, 0))
    with qtbot.assertNotEmitted(view.fix_requested):
        QTest.keyClick(view.table, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)


def test_an_explanation_wraps_and_can_be_copied(view):
    view.model.set_diagnostics((HEADER,))
    label = view.findChild(QLabel, "explanationText")
    assert label.height() >= 2 * label.fontMetrics().height()
    assert label.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse


def test_a_long_explanation_does_not_hold_the_panel_open(view):
    before = view.minimumSizeHint().height()
    view.model.set_diagnostics((HEADER,))
    assert view.minimumSizeHint().height() < before + 60


def test_all_that_can_be_fixed_has_one_button(view, qtbot):
    fixes = [Fix(name, FixKind.ADD_OPTION, name) for name in ("-DA", "-DB")]
    asking = Fix("Open", FixKind.OPEN_FILES)
    button = view.findChild(QPushButton, "fixAllButton")
    view.model.set_diagnostics((replace(UNDEFINED, fix=fixes[0]), replace(UNDEFINED, fix=asking)))
    assert not button.isVisible()
    view.model.set_diagnostics(tuple(replace(UNDEFINED, fix=f) for f in (*fixes, asking, fixes[0])))
    assert button.text() == "Fi&x all (2)"
    with qtbot.waitSignal(view.fixes_requested) as requested:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert requested.args == [tuple(fixes)]


def test_nvcc_is_offered_above_the_list_whichever_row_is_chosen(view, qtbot):
    fix = Fix("Compile with nvcc", FixKind.USE_NVCC)
    offer = replace(UNUSED, message="nvcc is on this machine.", fix=fix)
    button = view.findChild(QPushButton, "offerButton")
    view.model.set_diagnostics((HEADER, CRASH))
    assert not button.isVisible()
    view.model.set_diagnostics((HEADER, CRASH, offer))
    assert view.explanation.fix == FIX
    assert (button.isVisible(), button.text()) == (True, "Compile with nvcc")
    assert button.accessibleDescription() == "nvcc is on this machine."
    with qtbot.waitSignal(view.fix_requested) as requested:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert requested.args == [fix]


def test_the_offer_of_nvcc_keeps_its_room_where_the_pane_is_narrow(view):
    offer = replace(UNUSED, fix=Fix("Compile with nvcc", FixKind.USE_NVCC))
    view.model.set_diagnostics((UNDEFINED, offer))
    view.resize(view.fontMetrics().averageCharWidth() * 60, 220)
    button = view.findChild(QPushButton, "offerButton")
    assert button.width() >= button.sizeHint().width()
    assert filter_button(view, Severity.ERROR).text() == "1"


# ---- Which text defines a function that a linker has missed

PTX = """\
.extern .func (.param .b32 r) declared
(
.param .b32 p
)
;
.visible .func (.param .b32 r) _Z4halff(
.param .b32 p
)
{
ret;
}
"""
LLVM = "declare float @declared(float)\ndefine float @_Z4halff(float %x) {\nret float %x\n}\n"
CUDA = "__device__ int declared(int);\n__device__ float half(float x) { return x / 2; }\n"


@pytest.mark.parametrize(
    ("kind", "text"), [(CodeKind.PTX, PTX), (CodeKind.LLVM_IR, LLVM), (CodeKind.CUDA, CUDA)]
)
def test_a_text_defines_what_it_has_a_body_for(kind, text):
    missed = frozenset({"_Z4halff", "declared", "elsewhere"})
    assert _definers(missed, [("tab", kind, text)], Event()) == {"_Z4halff": "tab"}


@pytest.fixture
def model():
    model = ProblemsModel()
    model.set_diagnostics(DIAGNOSTICS)
    return model


def row(model, number, role=Qt.ItemDataRole.DisplayRole):
    return [model.index(number, column).data(role) for column in range(model.columnCount())]


def test_is_a_sound_model(model, qtmodeltester):
    qtmodeltester.check(model)
    model.set_diagnostics((UNDEFINED,))
    model.clear()


def test_shows_message_place_and_tool(model):
    titles = [
        model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())
    ]
    assert titles == ["Message", "File", "Line", "Column", "Tool"]
    assert row(model, 0) == [UNDEFINED.message, "saxpy.cu", "12", "17", "NVRTC"]
    assert row(model, 3) == ["No module takes part. …", "", "", "", "jitstudio"]


def test_marks_the_message_by_severity(model):
    assert row(model, 1, MARK_ROLE) == ["warning", None, None, None, None]
    assert row(model, 1, SEVERITY_ROLE) == [Severity.WARNING] * 5


def test_tells_a_screen_reader_what_the_icon_says(model):
    text = model.index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert text == f"info: {DIAGNOSTICS[2].message}"


def test_lines_are_sorted_as_numbers_and_files_with_their_lines(model):
    assert [model.index(n, 2).data(SORT_ROLE) for n in range(4)] == [12, 9, 120, 0]
    places = [model.index(n, 1).data(SORT_ROLE) for n in range(4)]
    assert sorted(range(4), key=places.__getitem__) == [3, 2, 1, 0]


def test_counts_by_severity(model):
    counts = [model.count(severity) for severity in Severity]
    assert counts == [2, 1, 1]


def test_a_build_without_problems_is_no_build_missing(model, qtbot):
    with qtbot.waitSignal(model.counts_changed):
        model.set_diagnostics(())
    assert (model.rowCount(), model.built, model.count(Severity.ERROR)) == (0, True, 0)
    model.clear()
    assert not model.built


def test_the_same_problems_again_leave_the_rows_alone(model, qtbot):
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.counts_changed):
        model.set_diagnostics(DIAGNOSTICS)


def test_finds_the_diagnostic_of_a_row(model):
    assert model.diagnostic_at(model.index(1, 3)) is UNUSED
    assert model.diagnostic_at(QModelIndex()) is None
