from typing import NamedTuple

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.rows_table import RowsTable


class Opcode(NamedTuple):
    name: str
    count: int | None
    place: str = ""


COLUMNS = (
    TableColumn("Opcode", lambda row: row.name),
    TableColumn(
        "Count",
        lambda row: "\N{EN DASH}" if row.count is None else f"{row.count:,}",
        lambda row: row.count or 0,
        number=True,
    ),
    TableColumn("Place", lambda row: row.place, number=True),
)
ROWS = (Opcode("LDG", 900), Opcode("FFMA", 12_345_678, "(3, 4)"), Opcode("a\tb\nc", None))


@pytest.fixture
def table(qtbot):
    table = RowsTable("Opcodes", "opcodesTable", COLUMNS)
    table.set_rows(ROWS)
    qtbot.addWidget(table)
    table.show()
    return table


def names(rows):
    return [row.name for row in rows]


def test_headers_sort_by_value_and_a_third_click_restores_the_order(table):
    header = table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(1) + 20, header.height() // 2)

    def click():
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        return names(table.sorted_rows)

    ascending = ["a\tb\nc", "LDG", "FFMA"]
    assert [click() for _ in range(3)] == [ascending, ascending[::-1], names(ROWS)]
    assert names(table.rows) == names(ROWS)


def test_is_copied_with_its_headers_as_it_is_sorted(table):
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    table.add_copying()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().split("\n") == [
        "Opcode\tCount\tPlace",
        "FFMA\t12345678\t(3, 4)",
        "LDG\t900\t",
        "a b c\t\t",
    ]


def test_commands_are_about_the_current_row_in_any_order(table):
    done = []
    table.add_activation("&Go", done.append)
    table.set_rows(())
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert done == []
    table.set_rows(ROWS)
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    table.choose(1)
    assert table.currentIndex().row() == 0
    QTest.keyClick(table, Qt.Key.Key_Return)
    place = table.visualRect(table.model().index(1, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert done == [ROWS[1], ROWS[0]]
    table.choose(-1)
    assert table.current is None
