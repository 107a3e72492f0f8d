import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QLabel, QListWidget

from jitstudio.gui.listing.columns.dialog import ColumnsDialog
from jitstudio.gui.listing.columns.sass_columns import BY_KEY, ColumnChoice

ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def dialog(qtbot):
    made = ColumnsDialog(ColumnChoice.usual(), is_left=False)
    qtbot.addWidget(made)
    made.choices = []
    made.chosen.connect(made.choices.append)
    made.chosen.connect(made.show_choice)
    made.show()
    return made


def rows(dialog):
    return dialog.findChild(QListWidget, "columnList")


def keys(choice):
    return [one.key for one in choice.columns]


def ticked(dialog):
    found = rows(dialog)
    items = (found.item(row) for row in range(found.count()))
    checked = (item.text() for item in items if item.checkState() == Qt.CheckState.Checked)
    return [text.partition(":")[0] for text in checked]


def test_what_is_shown_is_ticked(dialog):
    assert rows(dialog).count() == len(BY_KEY)
    assert ticked(dialog) == ["Live", "Stall", "Wait"]


def test_the_space_bar_shows_a_column(dialog):
    QTest.keyClick(rows(dialog), Qt.Key.Key_Space)
    assert dialog.choices[-1] == ColumnChoice.usual().show("opcode", True)
    assert ticked(dialog)[0] == "Opcode"


def test_alt_with_an_arrow_moves_a_column(dialog):
    QTest.keyClick(rows(dialog), Qt.Key.Key_Down, ALT)
    QTest.keyClick(rows(dialog), Qt.Key.Key_Down, ALT)
    assert keys(dialog.choices[-1])[:3] == ["operands", "source", "opcode"]
    assert rows(dialog).currentItem().text() == "Opcode"
    QTest.keyClick(rows(dialog), Qt.Key.Key_Up, ALT)
    assert keys(dialog.choices[-1])[:3] == ["operands", "opcode", "source"]


def test_a_dragged_row_is_a_moved_column(dialog):
    root = QModelIndex()
    assert rows(dialog).model().moveRow(root, 4, root, 0)
    assert keys(dialog.choices[-1])[:2] == ["gpr", "opcode"]


def test_at_the_ends_nothing_moves(dialog):
    QTest.keyClick(rows(dialog), Qt.Key.Key_Up, ALT)
    assert dialog.choices == []


def test_the_column_at_hand_is_explained(dialog):
    rows(dialog).setCurrentRow(keys(ColumnChoice.usual()).index("stall"))
    assert BY_KEY["stall"].tip in [label.text() for label in dialog.findChildren(QLabel)]


def test_the_side_is_told(dialog, qtbot):
    with qtbot.waitSignal(dialog.side_chosen) as told:
        dialog.findChild(QCheckBox, "columnsLeft").click()
    assert told.args == [True]


def test_the_usual_columns_come_back(dialog):
    QTest.keyClick(rows(dialog), Qt.Key.Key_Down, ALT)
    QTest.keyClick(rows(dialog), Qt.Key.Key_Space)
    buttons = dialog.findChild(QDialogButtonBox)
    buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).click()
    assert dialog.choices[-1] == ColumnChoice.usual()
    assert rows(dialog).item(0).text() == "Opcode"
    assert ticked(dialog) == ["Live", "Stall", "Wait"]
