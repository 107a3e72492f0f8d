"""What is said of functions without a line table, and the button that gives them one."""

from PySide6.QtWidgets import QPushButton

from jitstudio.core.diagnostics import FixKind
from jitstudio.gui.features.link.inlined import InlinedList


def test_functions_without_a_line_table_get_a_button(qtbot):
    view = InlinedList()
    qtbot.addWidget(view)
    button = view.findChild(QPushButton, "buildWithLines")
    view.show_rows((), ())
    assert button.isHidden()
    view.show_rows((), ("scale",))
    assert "scale" in view.untold
    with qtbot.waitSignal(view.fix_requested) as asked:
        button.click()
    (fix,) = asked.args
    assert (fix.kind, fix.value) == (FixKind.ADD_OPTION, "-lineinfo")
