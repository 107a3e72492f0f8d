import pytest
from PySide6.QtCore import Qt

from jitstudio.gui.kit.presentation import SORT_ROLE, TableColumn
from jitstudio.gui.kit.tables import RowsModel

COLUMNS = (
    TableColumn("Word", str),
    TableColumn("Length", lambda w: str(len(w)), sort_key=len, number=True),
)


@pytest.fixture
def model():
    model = RowsModel(COLUMNS)
    model.set_rows(("one", "three"))
    return model


def test_is_a_sound_model(model, qtmodeltester):
    qtmodeltester.check(model)


def test_shows_what_the_columns_say(model):
    assert [model.index(1, c).data() for c in range(2)] == ["three", "5"]
    assert model.index(1, 1).data(SORT_ROLE) == 5
    horizontal = Qt.Orientation.Horizontal
    assert [model.headerData(c, horizontal) for c in range(2)] == ["Word", "Length"]
    assert model.headerData(2, horizontal) is None


def test_the_same_rows_again_change_nothing(model, qtbot):
    with qtbot.assertNotEmitted(model.modelReset):
        model.set_rows(("one", "three"))
    with qtbot.waitSignal(model.modelReset):
        model.set_rows(())
    assert model.rowCount() == 0
