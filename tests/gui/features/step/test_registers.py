"""The table of registers at a step, as filters and steps change its rows."""

from PySide6.QtWidgets import QTableView

from jitstudio.gui.features.step.registers import RegistersModel
from jitstudio.simulator.stepping.requests import RegisterRow

_INTEGERS = tuple(RegisterRow(f"%r{n}", "b32", bytes(128)) for n in range(2))
_PREDICATES = tuple(RegisterRow(f"%p{n}", "pred", bytes(32)) for n in range(3))


def test_a_filter_that_predicates_alone_do_not_match_takes_their_row_away(qtbot):
    model, table = RegistersModel("Register"), QTableView()
    qtbot.addWidget(table)
    table.setModel(model)
    shown = table.verticalHeader()
    model.show(_INTEGERS + _PREDICATES, 0)
    assert shown.count() == model.rowCount() == 3
    model.set_filter("r")
    assert shown.count() == model.rowCount() == 2
    model.set_filter("")
    assert shown.count() == model.rowCount() == 3
    # A function without predicates is called.
    model.show(_INTEGERS, 0)
    assert shown.count() == model.rowCount() == 2
