import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QLineEdit

from jitstudio.gui.kit.parts import FieldName, ShorteningLabel, TurningSplitter, WholeLabel


def colors(label):
    shown = label.grab().toImage()
    return {shown.pixel(x, y) for x in range(shown.width()) for y in range(shown.height())}


@pytest.mark.parametrize(("share", "drawn"), [(1.0, True), (0.5, True), (0.05, False)])
def test_a_line_is_shortened_and_goes_where_no_word_has_room(qtbot, share, drawn):
    label = ShorteningLabel("vector_addition.cu")
    qtbot.addWidget(label)
    label.resize(int(label.sizeHint().width() * share), label.sizeHint().height())
    assert (len(colors(label)) > 1) is drawn
    assert label.minimumSizeHint().width() == 1


@pytest.mark.parametrize(("share", "drawn"), [(1.0, True), (0.8, False)])
def test_a_number_is_not_shortened(qtbot, share, drawn):
    label = WholeLabel("19,024 lines")
    qtbot.addWidget(label)
    label.resize(int(label.sizeHint().width() * share), label.sizeHint().height())
    assert (len(colors(label)) > 1) is drawn


def last_column(label, width):
    label.resize(width, label.sizeHint().height())
    shown = label.grab().toImage()
    columns = range(shown.width() - 1, 0, -1)
    return next(x for x in columns if len({shown.pixel(x, y) for y in range(shown.height())}) > 1)


@pytest.mark.parametrize("points", [9.5, 12.0, 17.0, 21.0])
@pytest.mark.parametrize("text", ["&Target", "To &Type", "T&o", "Plain", "No kerning here: &index"])
def test_the_name_of_a_field_has_room_for_its_last_letter(qtbot, text, points):
    field = QLineEdit()
    name = FieldName(text, field)
    qtbot.addWidget(field)
    qtbot.addWidget(name)
    font = name.font()
    font.setPointSizeF(points)
    name.setFont(font)
    least = name.minimumSizeHint().width()
    assert last_column(name, least) == last_column(name, least + 30)


@pytest.fixture
def splitter(qtbot):
    made = TurningSplitter(QLabel("first"), QLabel("second"), (3, 1), 1.5)
    qtbot.addWidget(made)
    made.resize(400, 400)
    made.show()
    return made


def test_it_turns_as_its_pane_asks_for(splitter):
    splitter.fit(QSize(800, 400))
    assert splitter.orientation() is Qt.Orientation.Horizontal
    splitter.fit(QSize(500, 400))
    assert splitter.orientation() is Qt.Orientation.Vertical


def test_the_room_is_shared_as_said(splitter):
    splitter.fit(QSize(400, 400))
    first, second = splitter.sizes()
    assert 2.5 < first / second < 3.5


def test_what_the_user_has_shared_stays_so_until_it_turns(splitter):
    splitter.fit(QSize(400, 400))
    splitter.moveSplitter(100, 1)
    moved = splitter.sizes()
    splitter.fit(QSize(400, 400))
    assert splitter.sizes() == moved
