from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QToolButton,
    QWhatsThis,
    QWidget,
)

from jitstudio.gui.features.help.dialogs import AboutDialog
from jitstudio.gui.features.help.window import HelpWindow
from jitstudio.gui.features.options.options_tree import OptionsTree
from jitstudio.gui.kit.parts import explain_by, topic_of
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.shell.commands.spec import EDITOR
from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.help.manual import INDEX, pages
from jitstudio.help.topics import find_topic


def test_the_innermost_part_with_a_page_decides(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    pane, other = QWidget(window), QWidget(window)
    field = QWidget(pane)
    explain_by(pane, "kernels")
    assert [topic_of(part) for part in (field, pane, other, None)] == ["kernels", "kernels", "", ""]
    explain_by(field, "options")
    assert topic_of(QWidget(field)) == "options"


_INPUTS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit)


def parts_without_words(window):
    """Inputs in sight that have no answer to What's This, by the names of their parents too."""
    return [
        "/".join(filter(None, (_path(widget))))
        for kind in _INPUTS
        for widget in window.findChildren(kind)
        # Qt's own parts of other widgets belong to those.
        if widget.isVisible() and not widget.whatsThis() and not _is_inner(widget)
    ]


def _path(widget):
    while widget is not None:
        yield widget.objectName() or type(widget).__name__
        widget = widget.parentWidget()


def _is_inner(widget):
    parent = widget.parentWidget()
    return widget.objectName().startswith("qt_") or isinstance(
        parent, (QComboBox, QAbstractSpinBox, QLineEdit, QAbstractItemView)
    )


def test_help_is_about_the_pane_with_the_keyboard_and_everything_has_words(started):
    window = started.window
    leads = {spec.pane: spec.id for spec in ACTIONS if spec.pane}
    # In Build the keyboard is in a part.
    for page in (EDITOR, *(pane.name for pane in PANES if pane.name != "build"), "welcome"):
        if page in leads or page == "welcome":
            started.trigger(leads.get(page, "welcomeAction"))
        else:
            started.shell.layout.bring_up_pane(page)
        # Some are made in the place that has the keyboard.
        started.wait(lambda page=page: topic_of(QApplication.focusWidget()) == page)
        started.trigger("helpAction")
        help_window = started.find(HelpWindow, "helpWindow")
        assert help_window.topic is find_topic(page)
        help_window.close()
        window.activateWindow()

        started.trigger("whatsThisAction")
        assert QWhatsThis.inWhatsThisMode()
        QWhatsThis.leaveWhatsThisMode()
        assert parts_without_words(window) == [], page
    # A dialog has its own, and what has none the index.
    started.trigger("sweepAction")
    started.trigger("settingsAction")
    dialogs = (started.find(QWidget, f"{name}Dialog") for name in ("variants", "settings"))
    assert [topic_of(dialog) for dialog in dialogs] == ["variants", "settings"]
    for dialog in window.findChildren(QDialog):
        dialog.close()
    window.activateWindow()
    started.find(QToolButton, "gpuButton").setFocus(Qt.FocusReason.OtherFocusReason)
    started.trigger("helpAction")
    assert help_window.topic is pages()[INDEX]
    help_window.close()
    window.activateWindow()

    silent = [spec.id for spec in ACTIONS if not started.find(QAction, spec.id).whatsThis()]
    assert silent == []

    # Each option says what it does, as its tool tip does.
    model = started.find(OptionsTree, "optionsTree").model()
    group = model.index(0, 0)
    roles = Qt.ItemDataRole
    for row in range(model.rowCount(group)):
        index = model.index(row, 0, group)
        words = index.data(roles.WhatsThisRole)
        assert words
        assert words == index.data(roles.AccessibleDescriptionRole)

    # A command in the help is the command.
    started.trigger("helpAction")
    started.find(HelpWindow, "helpWindow").action_requested.emit("aboutAction")
    started.wait(lambda: started.window.findChild(AboutDialog))
    about = started.find(AboutDialog, "aboutDialog")
    assert about.isVisible()
    about.close()


def test_a_question_in_the_palette_is_answered_by_the_help(started):
    started.trigger("paletteAction")
    field = started.find(QLineEdit, "commandPaletteField")
    QTest.keyClicks(field, "why is my kernel slow")
    QTest.keyClick(field, Qt.Key.Key_Return)
    help_window = started.find(HelpWindow, "helpWindow")
    assert help_window.isVisible()
    started.wait(lambda: help_window.topic.name == "slow")
    help_window.close()
