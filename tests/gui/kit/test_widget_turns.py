from time import sleep

from PySide6.QtWidgets import QWidget

from jitstudio.gui.kit.widget_turns import WidgetTurns

# Longer than a turn: each changes a single widget out of sight.
_CHANGE = 0.005
# Those that have their turn before the next picture of 16 ms, and one more.
_MOST_BEFORE = 5


def test_widgets_that_come_in_sight_meanwhile_are_next(qtbot):
    changed = []
    shown, *hidden = widgets = [QWidget() for _ in range(60)]
    for widget in widgets:
        qtbot.addWidget(widget)

    def change(widget):
        if widget in widgets:
            changed.append(widget)
            sleep(_CHANGE)

    turns = WidgetTurns(change)
    shown.show()
    turns.start()
    assert changed == [shown]
    assert turns.is_busy
    appearing = hidden[::6]
    for widget in appearing:
        widget.show()
    with qtbot.waitSignal(turns.done):
        qtbot.waitUntil(lambda: set(appearing) <= set(changed))
        last = max(map(changed.index, appearing))
        assert last <= len(appearing) + _MOST_BEFORE
    assert not turns.is_busy
    assert len(changed) == len(set(changed)) == len(widgets)
