import pytest
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel, QWidget

from jitstudio.gui.kit.lazy_widget import LazyWidget, Visibility
from tests.gui.driver import pause


class _Plot(QLabel):
    def show_value(self, value):
        self.setText(value)


class _PlotOfClosing(_Plot):
    """Its window is closed before the event loop turns once more."""

    def __init__(self, parent):
        super().__init__(parent)
        parent.parent().deleteLater()


@pytest.fixture
def shown(qtbot):
    def show(load):
        parent = QWidget()
        parent.show()
        lazy = LazyWidget(load, "Nothing yet.", parent)
        lazy.show_value("42")
        lazy.show()
        return parent, lazy

    return show


def test_a_widget_is_made_when_there_is_a_value_to_be_seen(qtbot, shown):
    parent, lazy = shown(lambda: _Plot)
    qtbot.addWidget(parent)
    qtbot.waitUntil(lambda: lazy.content is not None)
    assert lazy.content.text() == "42"


def test_one_that_goes_while_its_content_is_made_is_left_alone(qtbot, shown):
    parent, lazy = shown(lambda: _PlotOfClosing)
    qtbot.waitUntil(lambda: not shiboken6.isValid(parent))
    pause(20)
    assert lazy.content is None


class _Listener(QObject):
    def __init__(self, widget):
        super().__init__(widget)
        self.seen = []
        self.visibility = Visibility(widget, self, self.hear)

    def hear(self, is_seen):
        self.seen.append(is_seen)


def test_who_listens_hears_of_each_change_until_python_has_emptied_it(qtbot):
    """At the end of the program Python empties objects in any order, while Qt hides widgets."""
    widget = QWidget()
    qtbot.addWidget(widget)
    listener = _Listener(widget)
    seen = listener.seen
    widget.show()
    widget.hide()
    assert seen == [False, True, False]
    vars(listener).clear()
    widget.show()
    vars(_Listener(widget).visibility).clear()
    widget.hide()
    assert seen == [False, True, False]
