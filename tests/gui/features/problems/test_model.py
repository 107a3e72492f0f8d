import pytest
from PySide6.QtCore import QModelIndex, Qt

from jitstudio.core.diagnostics import Severity
from jitstudio.gui.features.problems.view import SEVERITY_ROLE, ProblemsModel
from jitstudio.gui.kit.presentation import MARK_ROLE, SORT_ROLE
from tests.gui.results import DIAGNOSTICS, UNDEFINED, UNUSED


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
    assert text == "info: The warnings can be suppressed"


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
