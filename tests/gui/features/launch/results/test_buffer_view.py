import csv
import re

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QToolButton,
)

from jitstudio.gui.features.launch.results.buffer_view import BufferView, SavedAs
from tests.gui.launches import FAILED, WRONG, with_buffers

PATIENCE = 20_000
TABLE, PLOT, IMAGE = range(3)


@pytest.fixture
def view(qtbot):
    view = BufferView()
    qtbot.addWidget(view)
    view.resize(1000, 400)
    view.show()
    return view


@pytest.fixture
def filled(view, qtbot, tmp_path):
    view.show_result(with_buffers(tmp_path, WRONG))
    qtbot.waitUntil(lambda: view.shown is not None, timeout=PATIENCE)
    return view


def choose(view, name):
    combo = view.findChild(QComboBox, "bufferCombo")
    combo.setCurrentIndex(combo.findData(name))


def show(view, qtbot, name):
    choose(view, name)
    qtbot.waitUntil(lambda: bool(view.facts), timeout=PATIENCE)


def test_says_why_there_is_nothing(view):
    assert view.table.table.hint.startswith("Nothing has been run yet.")
    view.show_result(FAILED)
    assert view.table.table.hint.startswith("This launch left no buffers")


def test_a_launch_that_failed_takes_nothing_away(filled):
    before = filled.shown
    filled.show_result(FAILED)
    assert filled.shown is before
    assert filled.findChild(QLabel, "oldBuffers").isVisible()


def test_the_output_is_shown_first_with_its_figures(filled, qtbot):
    assert filled.shown.result.name == "out"
    qtbot.waitUntil(lambda: bool(filled.facts), timeout=PATIENCE)
    assert filled.facts.startswith(
        "4,096 values · min 0.5 · max 3071.5 · mean 1536 · 0 NaN · 1,024 never written"
    )
    items = filled.findChild(QComboBox, "bufferCombo")
    assert items.itemText(1) == "places: 1,000 elements of float4, inout"


def test_a_null_pointer_is_called_one(filled):
    choose(filled, "nothing")
    assert filled.table.table.hint == "'nothing' is a null pointer."


def test_keys_lead_through_the_whole_buffer(filled):
    table = filled.table.table
    QTest.keyClick(table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert filled.table.current_element == 4095
    QTest.keyClick(table, Qt.Key.Key_Up)
    assert filled.table.current_element == 4095 - filled.table.model.per_row
    QTest.keyClick(table, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    for _ in range(50):
        QTest.keyClick(table, Qt.Key.Key_Down)
    assert filled.table.current_element == 50 * filled.table.model.per_row
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    value = QGuiApplication.clipboard().text()
    assert value == f"{filled.table.current_element}.5"


def test_an_index_is_gone_to_and_so_is_what_is_marked(filled):
    field = filled.findChild(QLineEdit, "bufferIndex")
    field.setText("0x7d0")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert filled.table.current_element == 2000
    filled.table.go_to_next_marked()
    assert filled.table.current_element == 3072
    filled.table.go_to_next_marked()
    assert filled.table.current_element == 4000
    filled.table.go_to_next_marked()
    assert filled.table.current_element == 5


def test_the_number_of_columns_follows_the_width(filled):
    wide = filled.table.model.per_row
    filled.resize(420, 400)
    QApplication.processEvents()
    assert filled.width() == 420
    assert filled.table.model.per_row < wide
    assert not filled.table.table.horizontalScrollBar().isVisible()


def test_a_line_is_drawn_and_looked_at_more_closely(filled, qtbot):
    choose(filled, "image")
    filled.tabs.setCurrentIndex(PLOT)
    canvas = filled.plot.canvas
    qtbot.waitUntil(lambda: canvas.content is not None, timeout=PATIENCE)
    qtbot.waitUntil(lambda: filled.plot.curve is not None, timeout=PATIENCE)
    assert filled.plot.curve.per_point > 1
    canvas.content.first.setXRange(1000, 1100, padding=0)
    qtbot.waitUntil(lambda: filled.plot.curve.per_point == 1, timeout=PATIENCE)
    assert filled.plot.curve.start in range(990, 1001)


def test_a_picture_follows_the_choices(filled, qtbot):
    choose(filled, "image")
    filled.tabs.setCurrentIndex(IMAGE)
    qtbot.waitUntil(lambda: filled.image.facts.startswith("384 rows of 512"), timeout=PATIENCE)
    width = filled.findChild(QLineEdit, "imageWidth")
    width.setText("256")
    QTest.keyClick(width, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: filled.image.facts.startswith("768 rows of 256"), timeout=PATIENCE)


def test_parts_of_elements_can_be_chosen(filled, qtbot):
    show(filled, qtbot, "places")
    part = filled.findChild(QComboBox, "bufferPart")
    assert [part.itemText(n) for n in range(part.count())] == ["x", "y", "z", "w"]
    part.setCurrentIndex(3)
    qtbot.waitUntil(lambda: "max 499.875" in filled.facts, timeout=PATIENCE)


@pytest.mark.parametrize("kind", list(SavedAs))
def test_a_buffer_is_saved_without_holding_up_the_window(filled, qtbot, tmp_path, kind):
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    choose(filled, "image")
    path = tmp_path / f"saved{kind.value}"
    filled.save_as(kind)
    dialog = filled.findChild(QFileDialog)
    own, everything = dialog.nameFilters()
    assert re.fullmatch(rf"[\w -]+ \(\*{re.escape(kind.value)}\)", own)
    assert everything == "All files (*)"
    (button,) = filled.findChildren(QToolButton, "bufferSave")
    assert f"{own}…" in [action.text() for action in button.menu().actions()]
    dialog.selectFile(str(path))
    told = []
    filled.reported.connect(told.append)
    dialog.accept()
    qtbot.waitUntil(lambda: f"Saved {path}" in told, timeout=PATIENCE)
    match kind:
        case SavedAs.NPY:
            assert np.load(path).shape == (512 * 384,)
        case SavedAs.CSV:
            rows = list(csv.reader(path.read_text().splitlines()))
            assert (rows[0], len(rows)) == (["index", "image"], 512 * 384 + 1)
        case SavedAs.PNG:
            image = QImage(str(path))
            assert (image.width(), image.height()) == (512, 384)
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, False)


def test_a_file_that_cannot_be_written_is_told(filled, qtbot, tmp_path):
    filled.save_as(SavedAs.NPY)
    dialog = filled.findChild(QFileDialog)
    told = []
    filled.reported.connect(told.append)
    dialog.fileSelected.emit(str(tmp_path / "no" / "such.npy"))
    dialog.reject()
    qtbot.waitUntil(lambda: any("cannot be saved" in text for text in told), timeout=PATIENCE)
