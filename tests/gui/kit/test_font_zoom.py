import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent

from jitstudio.gui.kit.fonts import DEFAULT_SIZE, LARGEST, SMALLEST, FontZoom

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE, KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier


@pytest.fixture
def zoom(qapp):
    parent = QObject()
    yield FontZoom(parent)
    parent.deleteLater()


def key(name, modifiers=CTRL):
    return QKeyEvent(QEvent.Type.KeyPress, name, modifiers)


def wheel(turned, modifiers=CTRL):
    return QWheelEvent(
        QPointF(),
        QPointF(),
        QPoint(),
        QPoint(0, turned),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )


def test_the_size_stays_within_what_can_be_read(zoom, qtbot):
    zoom.set_size(1)
    assert zoom.size == SMALLEST
    zoom.set_size(1000)
    assert zoom.size == LARGEST
    with qtbot.assertNotEmitted(zoom.size_changed):
        zoom.step(1)


@pytest.mark.parametrize(
    ("name", "modifiers", "change"),
    [
        (Qt.Key.Key_Plus, CTRL, 1),
        (Qt.Key.Key_Equal, CTRL, 1),
        (Qt.Key.Key_Plus, CTRL | KEYPAD, 1),
        (Qt.Key.Key_Minus, CTRL, -1),
    ],
)
def test_keys_change_the_size(zoom, qtbot, name, modifiers, change):
    with qtbot.waitSignal(zoom.size_changed) as changed:
        assert zoom.take_key(key(name, modifiers))
    assert changed.args == [DEFAULT_SIZE + change]


@pytest.mark.parametrize(
    ("name", "modifiers"),
    [(Qt.Key.Key_Plus, NONE), (Qt.Key.Key_A, CTRL), (Qt.Key.Key_0, SHIFT), (0x419, CTRL)],
)
def test_other_keys_are_left_to_others(zoom, name, modifiers):
    assert not zoom.take_key(QKeyEvent(QEvent.Type.KeyPress, int(name), modifiers))
    assert zoom.size == DEFAULT_SIZE


def test_ctrl_0_goes_back(zoom):
    zoom.set_size(20)
    assert zoom.take_key(key(Qt.Key.Key_0))
    assert zoom.size == DEFAULT_SIZE


def test_small_turns_of_a_touchpad_add_up(zoom):
    for _ in range(3):
        assert zoom.take_wheel(wheel(50))
    assert zoom.size == DEFAULT_SIZE + 1
    # 30 of the last turn are left.
    assert zoom.take_wheel(wheel(-270))
    assert zoom.size == DEFAULT_SIZE - 1


def test_a_turn_without_ctrl_scrolls(zoom):
    assert not zoom.take_wheel(wheel(120, NONE))
    assert zoom.size == DEFAULT_SIZE
