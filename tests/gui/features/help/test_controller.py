from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QWhatsThis,
)

from jitstudio.gui.features.help.about_dialog import AboutDialog
from jitstudio.gui.features.help.controller import page_for
from jitstudio.gui.features.help.window import HelpWindow
from jitstudio.gui.features.options.options_tree import OptionsTree
from jitstudio.gui.shell.commands.table import ACTIONS
from jitstudio.manual import INDEX


def test_the_innermost_pane_decides_and_the_index_is_for_the_rest():
    assert page_for(["", "kernelsTable", "kernelsView", "kernelsDock", "window"]) == "kernels"
    assert page_for(["findingsTable", "reportTabs", "reportView", "reportDock"]) == "report"
    assert page_for(["optionsEdit", "editorTabs"]) == "options"
    assert page_for([]) == page_for(["toolbar"]) == INDEX


_INPUTS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit)
_PANES = {
    "focusEditorAction": "editor",
    "focusPtxAction": "ptx",
    "focusSassAction": "sass",
    "focusKernelsAction": "kernels",
    "focusNamesAction": "names",
    "focusLinkAction": "link",
    "focusLaunchAction": "launch",
    "focusPipelineAction": "pipeline",
    "focusProblemsAction": "problems",
    "focusLogAction": "log",
    "optionsAction": "options",
    "welcomeAction": "welcome",
}


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
    for action, page in _PANES.items():
        started.trigger(action)
        started.wait(lambda: QApplication.focusWidget() is not None)
        started.trigger("helpAction")
        help_window = started.find(HelpWindow, "helpWindow")
        assert help_window.page == page, action
        help_window.close()
        window.activateWindow()

        started.trigger("whatsThisAction")
        assert QWhatsThis.inWhatsThisMode()
        QWhatsThis.leaveWhatsThisMode()
        assert parts_without_words(window) == [], action
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
