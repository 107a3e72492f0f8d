import pytest
from PySide6.QtCore import Qt

from jitstudio.core.launch.result import Mismatch
from jitstudio.gui.features.launch.models.buffer_data import BufferData
from jitstudio.gui.features.launch.results.buffer_table import BufferTableModel
from jitstudio.gui.kit.presentation import MARK_ROLE
from tests.gui.launches import lanes, vector


@pytest.fixture
def model(qapp, tmp_path):
    model = BufferTableModel()
    model.set_room(10)
    model.set_buffer(BufferData(vector(tmp_path, 1001, unwritten=1), (Mismatch((5,), "1", "2"),)))
    return model


def text(model, row, column):
    return model.index(row, column).data()


def row_title(model, row):
    return model.headerData(row, Qt.Orientation.Vertical)


def test_keeps_the_rules_of_models(model, qtmodeltester):
    qtmodeltester.check(model)


def test_has_only_the_rows_that_there_is_room_for(model):
    assert (model.rowCount(), model.columnCount(), model.total_rows) == (10, 8, 126)
    assert (text(model, 1, 2), row_title(model, 1)) == ("10.5", "8")


def test_moves_along_the_buffer(model, qtbot):
    with qtbot.waitSignal(model.moved):
        model.move_to(120)
    assert (model.rowCount(), row_title(model, 0), text(model, 0, 0)) == (6, "960", "960.5")
    assert text(model, 5, 1) is None
    model.move_to(9999)
    assert model.first_row == 125


def test_the_first_element_stays_in_view_when_rows_get_narrower(model):
    model.move_to(100)
    model.set_per_row(4)
    assert (row_title(model, 0), model.columnCount()) == ("800", 4)


def test_bits_instead_of_numbers(model):
    model.set_hexadecimal(True)
    assert text(model, 0, 0) == "0x3f000000"


def test_what_is_wrong_or_unwritten_is_marked_and_said(model):
    assert model.index(0, 5).data(MARK_ROLE) == "error"
    said = model.index(0, 5).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "out[5] = 5.5 (0x40b00000)\nWrong: 2 was expected."
    model.move_to(125)
    assert model.index(0, 0).data(MARK_ROLE) == "warning"
    assert "Never written." in model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert model.index(0, 1).data(MARK_ROLE) is None


def test_elements_of_several_numbers_have_a_row_each(model, tmp_path):
    model.set_buffer(BufferData(lanes(tmp_path)))
    assert (model.columnCount(), model.total_rows) == (4, 1000)
    assert model.headerData(2, Qt.Orientation.Horizontal) == "z"
    assert model.describe(1, 2).startswith("places[1].z = 0.75")


def test_nothing_has_no_rows(model):
    model.set_buffer(None)
    assert (model.rowCount(), model.columnCount()) == (0, 0)
