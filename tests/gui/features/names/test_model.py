import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFont

from jitstudio.core.result import Kernel
from jitstudio.gui.features.names.model import DEMANGLED, EXPRESSION, LOWERED, NamesModel
from jitstudio.gui.kit.presentation import MARK_ROLE, MUTED_ROLE
from tests.gui.results import PLAIN_KERNEL, REFUSED_NAME, SAXPY, SAXPY_KERNEL

EXPRESSIONS = ("saxpy<float>", "saxpy<nothing>", "saxpy<double>")


@pytest.fixture
def model():
    model = NamesModel()
    model.show_source("saxpy.cu", EXPRESSIONS, editable=True)
    return model


def row(model, number, role=Qt.ItemDataRole.DisplayRole):
    return [model.index(number, column).data(role) for column in range(model.columnCount())]


def build(model):
    model.show_result((SAXPY, REFUSED_NAME), (SAXPY_KERNEL, PLAIN_KERNEL))


def test_is_a_sound_model_through_all_its_changes(model, qtmodeltester):
    qtmodeltester.check(model)
    build(model)
    model.add("saxpy<int>")
    model.remove({0, 2})
    model.setData(model.index(0, EXPRESSION), "saxpy<short>")
    model.show_result((), ())
    model.show_source("kernel.ptx", (), editable=False)


def test_before_a_build_names_are_unknown(model):
    assert row(model, 0) == ["saxpy<float>", "not built yet", ""]
    assert row(model, 0, MUTED_ROLE) == [False, True, False]


def test_a_build_fills_in_the_names(model):
    build(model)
    assert row(model, 0) == ["saxpy<float>", SAXPY.lowered, SAXPY.demangled]
    error = 'identifier "nothing" is undefined'
    assert row(model, 1) == ["saxpy<nothing>", "refused", error]
    assert [row(model, number, MARK_ROLE)[LOWERED] for number in (0, 1)] == [None, "error"]
    assert row(model, 2) == ["saxpy<double>", "not built yet", ""]


def test_kernels_that_nobody_named_follow_the_expressions(model):
    build(model)
    assert model.rowCount() == 4
    assert row(model, 3) == ["(no expression)", "vector_add", "vector_add"]
    assert row(model, 3, MUTED_ROLE) == [True, True, True]


def test_kernels_of_other_modules_are_not_shown(model):
    model.show_result((), (Kernel("other.cu", "k", "k"),))
    assert model.rowCount() == 3


def test_filling_in_leaves_rows_and_expressions_alone(model, qtbot):
    with (
        qtbot.assertNotEmitted(model.modelReset),
        qtbot.waitSignal(model.dataChanged) as changed,
    ):
        build(model)
    first, last = changed.args[:2]
    assert (first.row(), first.column()) == (0, LOWERED)
    assert (last.row(), last.column()) == (2, DEMANGLED)


def test_adding_an_expression_tells_all_of_them(model, qtbot):
    with qtbot.waitSignal(model.expressions_edited) as edited:
        assert model.add("  saxpy<int>\t")
    assert edited.args == [(*EXPRESSIONS, "saxpy<int>")]
    assert model.expressions == (*EXPRESSIONS, "saxpy<int>")


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("saxpy<float>", "“saxpy<float>” is in the list already."),
        ("  ", "A name expression cannot be empty. Remove the row instead."),
    ],
)
def test_an_expression_is_refused_in_words(model, qtbot, typed, reason):
    with (
        qtbot.assertNotEmitted(model.expressions_edited),
        qtbot.waitSignal(model.edit_refused) as refused,
    ):
        assert not model.add(typed)
    assert refused.args == [reason]
    assert model.expressions == EXPRESSIONS


def test_a_source_without_expressions_takes_none(qtbot):
    model = NamesModel()
    model.show_source("kernel.ptx", (), editable=False)
    with qtbot.waitSignal(model.edit_refused) as refused:
        assert not model.add("k")
    assert refused.args == ["This source has no name expressions."]
    assert not model.remove({0})


def test_editing_in_place_tells_and_forgets_the_old_names(model, qtbot):
    build(model)
    index = model.index(0, EXPRESSION)
    with qtbot.waitSignal(model.expressions_edited) as edited:
        assert model.setData(index, "saxpy<half>")
    assert edited.args == [("saxpy<half>", *EXPRESSIONS[1:])]
    assert row(model, 0) == ["saxpy<half>", "not built yet", ""]
    # Its kernel is in the build still, but has lost its expression.
    assert row(model, 3) == ["(no expression)", SAXPY.lowered, SAXPY.demangled]


def test_editing_to_the_same_text_is_no_edit(model, qtbot):
    with qtbot.assertNotEmitted(model.expressions_edited):
        assert model.setData(model.index(0, EXPRESSION), "saxpy<float> ")


@pytest.mark.parametrize(("number", "column"), [(0, LOWERED), (3, EXPRESSION)])
def test_made_names_and_kernels_cannot_be_edited(model, number, column):
    build(model)
    index = model.index(number, column)
    assert not model.flags(index) & Qt.ItemFlag.ItemIsEditable
    assert not model.setData(index, "mine")


def test_removing_leaves_kernels_alone(model, qtbot):
    build(model)
    with qtbot.waitSignal(model.expressions_edited) as edited:
        assert model.remove({0, 1, 3})
    assert edited.args == [("saxpy<double>",)]
    assert [row(model, n)[1] for n in range(model.rowCount())] == [
        "not built yet",
        SAXPY.lowered,
        "vector_add",
    ]
    assert not model.remove({1})


def test_showing_the_same_source_again_changes_nothing(model, qtbot):
    with qtbot.assertNotEmitted(model.modelReset):
        model.show_source("saxpy.cu", EXPRESSIONS, editable=True)


def test_the_lowered_name_is_what_a_launch_needs(model):
    build(model)
    assert [model.lowered_name(n) for n in range(4)] == [SAXPY.lowered, "", "", "vector_add"]


def test_names_are_in_the_code_font_and_hints_are_not(model):
    font = QFont("Code")
    model.set_code_font(font)
    fonts = row(model, 0, Qt.ItemDataRole.FontRole)
    assert fonts == [font, None, font]


def test_an_invalid_index_has_no_data(model):
    assert model.data(QModelIndex()) is None
    assert not model.is_expression(QModelIndex())
