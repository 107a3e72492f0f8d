import pytest
from PySide6.QtWidgets import QWidget

from jitstudio.gui.kit.number_field import NumberField


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
    assert field.problem.message == "Time limit: 'long' is no number above 0."


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
