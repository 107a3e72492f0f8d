import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QEnterEvent, QHelpEvent
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.hover import EditorHover
from jitstudio.gui.listing.hover import ListingHover
from jitstudio.gui.listing.listing_view import ListingView


@pytest.mark.parametrize("view_type", [CodeEditor, ListingView])
def test_the_mouse_may_come_when_python_has_emptied_it(qtbot, light, view_type):
    view, wanted = view_type(light), []
    qtbot.addWidget(view)
    kind = () if view_type is CodeEditor else (CodeKind.PTX,)
    hover_type = EditorHover if view_type is CodeEditor else ListingHover
    hover = hover_type(view, *kind, wanted.append, lambda *_: None)
    at = QPointF(5, 5)

    def come():
        QApplication.sendEvent(view.viewport(), QEnterEvent(at, at, at))
        help_event = QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), QPoint(5, 5))
        QApplication.sendEvent(view.viewport(), help_event)

    come()
    assert len(wanted) == 1
    # As the garbage collector does, before Qt destroys it.
    hover.__dict__.clear()
    come()
    assert len(wanted) == 1
