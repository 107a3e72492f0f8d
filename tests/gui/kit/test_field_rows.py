import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QWidget

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.gui.kit.field_rows import FieldRows, NumberField, ProblemLabel


@pytest.fixture
def rows(qtbot):
    rows = FieldRows()
    qtbot.addWidget(rows)
    first, second = QLineEdit(rows), QLineEdit(rows)
    rows.add("First", first, places={"first": first, "one": first})
    rows.add("Second", second, places={"second": second})
    rows.show()
    return rows


def said(rows, place):
    return rows.findChild(ProblemLabel, f"{place}Problem")


def test_problems_stand_below_their_fields(rows):
    assert list(rows.places) == ["first", "one", "second"]
    rows.show_problems(
        (
            SpecProblem("one", "Wrong.", "Right it."),
            SpecProblem("first", "Odd.", severity=Severity.WARNING),
            SpecProblem("elsewhere", "Not here."),
        )
    )
    assert said(rows, "first").text() == "Wrong. Right it.\nOdd."
    assert not said(rows, "second").isVisible()


def test_a_warning_is_no_error(rows, theme):
    rows.show_problems((SpecProblem("second", "Odd.", severity=Severity.WARNING),))
    assert said(rows, "second").styleSheet() == f"color: {theme.marks.warning.name()}"
    rows.show_problems((SpecProblem("second", "Wrong."),))
    assert said(rows, "second").styleSheet() == f"color: {theme.marks.error.name()}"


def test_titles_are_labels_of_their_fields(rows):
    titles = {label.text(): label.buddy() for label in rows.findChildren(QLabel) if label.buddy()}
    assert list(titles) == ["First", "Second"]
    assert all(isinstance(field, QLineEdit) for field in titles.values())


def test_markup_in_a_problem_is_text(rows):
    rows.show_problems((SpecProblem("first", "saxpy<b>"),))
    assert said(rows, "first").textFormat() == Qt.TextFormat.PlainText


def turn_wheel(widget):
    middle = widget.rect().center()
    event = QWheelEvent(
        QPointF(middle),
        QPointF(widget.mapToGlobal(middle)),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event


def test_the_wheel_changes_a_field_only_where_the_keyboard_is(qtbot):
    rows = FieldRows()
    qtbot.addWidget(rows)
    combo = QComboBox(rows)
    combo.addItems(["a", "b", "c"])
    rows.add("Choice", QLineEdit(rows), combo)
    rows.show()
    rows.activateWindow()
    assert not turn_wheel(combo).isAccepted()
    assert combo.currentIndex() == 0
    combo.setFocus()
    qtbot.waitUntil(combo.hasFocus)
    turn_wheel(combo)
    assert combo.currentIndex() == 1


@pytest.fixture
def make(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)

    def field(**kind):
        return NumberField(parent, "timeout", "Time limit", "What it means", **kind)

    return field


@pytest.mark.parametrize(
    ("kind", "text", "number"),
    [
        ({}, "1e-5", 1e-5),
        ({}, "0", 0),
        ({}, "-0.5", None),
        ({}, "nan", None),
        ({}, "inf", None),
        ({"whole": True}, " 7 ", 7),
        ({"whole": True}, "7.5", None),
        ({"positive": True}, "0", None),
        ({"positive": True}, "0.1", 0.1),
    ],
)
def test_reads_what_it_can_be(make, kind, text, number):
    field = make(**kind)
    field.setText(text)
    assert field.number == number
    assert (field.problem is None) == (number is not None)


def test_says_what_is_wrong(make):
    field = make(positive=True)
    field.setText("long")
    assert field.problem.where == "timeout"
    assert field.problem.message == "Time limit: 'long' is not a number above 0."


@pytest.mark.parametrize(("number", "text"), [(30.0, "30"), (2.5, "2.5"), (1e-5, "1e-05")])
def test_shows_numbers_in_short(make, number, text):
    field = make()
    field.show_number(number)
    assert field.text() == text


def test_the_same_number_stays_as_it_was_typed(make):
    field = make()
    field.setText("0.000010")
    field.show_number(1e-5)
    assert field.text() == "0.000010"


def test_carries_its_names(make):
    field = make()
    assert (field.objectName(), field.accessibleName()) == ("timeoutField", "Time limit")
    assert field.toolTip() == "What it means"
