import pytest
from PySide6.QtCore import Qt

from jitstudio.core.axes import Axis, AxisKind, AxisText, VariantError
from jitstudio.gui.features.variants.axes_model import KIND, NAME, VALUES, WORDS, AxesModel, kinds
from jitstudio.gui.kit.presentation import MARK_ROLE, MUTED_ROLE

BLOCK = AxisText(values="64, 128")
TYPES = AxisText(AxisKind.TEMPLATE, "T", "float, double")


@pytest.fixture
def model(qapp, qtmodeltester):
    model = AxesModel()
    model.show_rows((BLOCK, TYPES))
    qtmodeltester.check(model)
    return model


@pytest.fixture
def changes(model):
    seen = []
    model.axes_changed.connect(lambda: seen.append(model.rows))
    return seen


def cells(model, row):
    return [model.index(row, column).data() for column in range(3)]


def put(model, row, column, text):
    return model.setData(model.index(row, column), text)


def test_every_kind_has_words():
    assert WORDS.keys() == set(AxisKind)
    assert len(kinds()) == len(WORDS)


@pytest.mark.parametrize("kind", AxisKind)
def test_every_example_can_be_read(kind):
    words = WORDS[kind]
    axis = AxisText(kind, words.name_example, words.example).axis()
    assert len(axis.values) >= 2


def test_a_row_for_each_axis(model):
    assert cells(model, 0) == ["block", "", "64, 128"]
    assert cells(model, 1) == ["template", "T", "float, double"]
    assert model.axes() == (
        Axis(AxisKind.BLOCK, ("64", "128")),
        Axis(AxisKind.TEMPLATE, ("float", "double"), "T"),
    )


def test_a_name_is_typed_only_where_there_is_one(model, changes):
    assert not model.index(0, NAME).flags() & Qt.ItemFlag.ItemIsEditable
    assert not put(model, 0, NAME, "U")
    assert put(model, 1, NAME, "U")
    assert changes == [(BLOCK, AxisText(AxisKind.TEMPLATE, "U", "float, double"))]


def test_what_stays_the_same_is_no_change(model, changes):
    put(model, 0, VALUES, " 64, 128 ")
    put(model, 0, KIND, "no such kind")
    assert changes == []


def test_a_row_that_says_nothing_is_marked_with_the_reason(model):
    put(model, 1, NAME, "")
    assert model.index(1, KIND).data(MARK_ROLE) == "error"
    assert "Name the template parameter" in model.index(1, NAME).data(Qt.ItemDataRole.ToolTipRole)
    assert model.index(0, KIND).data(MARK_ROLE) is None
    # An example stands where nothing is written, and is no value.
    assert model.index(1, NAME).data() == "such as T"
    assert model.index(1, NAME).data(MUTED_ROLE)
    assert model.index(1, NAME).data(Qt.ItemDataRole.EditRole) == ""


def test_axes_are_added_moved_and_removed(model, changes, qtmodeltester):
    model.insert(2, AxisText(AxisKind.MACRO, "N", "1"))
    assert model.move(2, -1)
    assert not model.move(0, -1)
    model.remove(0)
    assert [row.name for row in model.rows] == ["N", "T"]
    assert len(changes) == 3
    model.remove(0)
    model.remove(0)
    with pytest.raises(VariantError, match="Add an axis"):
        model.axes()


def test_a_new_axis_is_of_a_kind_that_is_not_there(model):
    assert model.unused_kind() is AxisKind.TEMPLATE
    model.show_rows((TYPES,))
    assert model.unused_kind() is AxisKind.BLOCK
