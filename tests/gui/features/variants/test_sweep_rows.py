from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from jitstudio.core.sweep.result import SweepResult
from jitstudio.gui.features.variants.sweep_rows import SweepModel, sweep_chart, sweep_rows
from jitstudio.gui.kit.presentation import MARK_ROLE, SORT_ROLE
from tests.gui.launches import sweep


@pytest.fixture
def model(qapp, qtmodeltester):
    model = SweepModel()
    model.show_sweep(sweep())
    qtmodeltester.check(model)
    return model


def titles(model):
    columns = range(model.columnCount())
    return [model.headerData(n, Qt.Orientation.Horizontal) for n in columns]


def row(model, number):
    return [model.index(number, column).data() for column in range(model.columnCount())]


def test_every_axis_has_a_column_before_the_figures(model):
    assert titles(model) == [
        *("#", "block", "T", "Registers", "Spilled"),
        *("Occupancy", "Time", "Speed", "Check", "Build", "Note"),
    ]


def test_a_variant_is_told_with_its_speed_and_the_best_by_a_word(model):
    assert row(model, 4) == [
        *("5", "256", "float", "32", "0 B", "75 %", "400 µs", "100 %", "passed", "90 ms", "best")
    ]
    assert row(model, 0)[6:8] == ["500 µs", "80 %"]


def test_what_failed_says_why(model):
    assert row(model, 1)[8:] == ["failed", "90 ms", "12 of 4,096 are wrong."]
    assert row(model, 9)[3:] == [*[""] * 7, "no instance of T matches"]
    marks = [model.index(n, 0).data(MARK_ROLE) for n in (0, 1, 9)]
    assert marks == ["success", "error", "error"]


def test_an_occupancy_that_was_calculated_says_so(model):
    result = sweep()
    missing = replace(result.rows[0], outcome="missing", occupancy_source="calculated")
    model.show_sweep(replace(result, rows=(missing, *result.rows[1:])))
    place = titles(model).index("Occupancy")
    told = [model.index(number, place).data() for number in (0, 1)]
    assert told == ["75 %, calculated", "75 %"]
    assert "no GPU was asked" in model.index(0, place).data(Qt.ItemDataRole.ToolTipRole)


def test_values_of_an_axis_sort_as_numbers_and_the_unknown_last(model):
    assert model.index(0, 1).data(SORT_ROLE) < model.index(2, 1).data(SORT_ROLE)
    assert model.index(9, 6).data(SORT_ROLE) > model.index(8, 6).data(SORT_ROLE)


def test_the_chart_has_a_line_for_each_value_of_the_second_axis():
    chart = sweep_chart(sweep())
    assert (chart.axis, chart.ticks) == ("block", ("64", "128", "256", "512", "1024"))
    by_name = {line.name: line for line in chart.lines}
    assert [place for place, _ in by_name["float"].points] == [0, 1, 2, 3, 4]
    assert [place for place, _ in by_name["double"].points] == [1, 2, 3]
    assert (by_name["float"].best, by_name["double"].best) == (2, None)


def test_there_is_no_chart_of_nothing():
    result = sweep()
    failed = tuple(replace(row, outcome="failed") for row in result.rows)
    assert sweep_chart(SweepResult(result.axes, failed)) is None
    assert sweep_chart(SweepResult((), ())) is None
    assert not any(row.is_best for row in sweep_rows(SweepResult(result.axes, failed)))


def test_the_best_is_marked_beside_its_speed(model):
    speeds = titles(model).index("Speed")
    marked = [n for n in range(model.rowCount()) if model.index(n, speeds).data(MARK_ROLE)]
    assert marked == [4]


def test_what_was_built_without_a_gpu_is_no_failure():
    result = sweep()
    rows = (replace(result.rows[0], outcome="missing", message="No driver."), *result.rows[1:])
    first = sweep_rows(SweepResult(result.axes, rows))[0]
    assert (first.mark, first.note) == ("info", "built, not launched")
