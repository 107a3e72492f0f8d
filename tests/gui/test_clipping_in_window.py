"""No button, label, menu or dialog is cut, at any zoom up to 200 %."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QListWidget, QMenu, QMenuBar

from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.kit.fonts import LETTERS
from jitstudio.gui.kit.parts import ShorteningLabel
from tests.gui.driver import pause

# Qt rounds letters to pixels.
_SLACK = 2


def cut(window):
    """Names what has less room than its words need; what scrolls is not cut."""
    parts = []
    for part in (*window.findChildren(QAbstractButton), *window.findChildren(QLabel)):
        if not part.isVisible() or not part.text() or isinstance(part, ShorteningLabel):
            continue
        wanted, place = part.sizeHint(), part.size()
        # Wrapped lines grow downwards; what has a tip in place of room shortens itself.
        if isinstance(part, QLabel) and (part.wordWrap() or part.minimumWidth() == 1):
            continue
        if wanted.width() > place.width() + _SLACK or wanted.height() > place.height() + _SLACK:
            parts.append((part.objectName(), part.text(), wanted.toTuple(), place.toTuple()))
    for rows in window.findChildren(QListWidget):
        height, wanted = rows.sizeHintForRow(0), rows.fontMetrics().height()
        if rows.isVisible() and 0 <= height < wanted:
            parts.append((rows.objectName(), rows.item(0).text(), (0, wanted), (0, height)))
    for bar in window.findChildren(QMenuBar):
        for action in bar.actions():
            if action.isVisible() and not QRect(bar.rect()).contains(bar.actionGeometry(action)):
                parts.append(("menu", action.text(), bar.actionGeometry(action).toTuple(), ()))
    return parts


@pytest.mark.parametrize("layout", ["edit", "teach"])
def test_no_words_are_cut(started, layout):
    driver = started
    driver.trigger(f"{layout}LayoutAction")
    driver.trigger("lessonsAction")
    found = {}
    for zoom in (1.0, 1.5, 2.0):
        LETTERS.set_zoom(zoom)
        for pane in ("ptx", "report", "kernels", "launch", "step", "problems"):
            driver.shell.layout.bring_up_pane(pane)
            pause(60)
            if parts := cut(driver.window):
                found[zoom, pane] = parts
    assert not found


DIALOGS = (
    *("settingsAction", "shortcutsAction", "aboutAction", "toolchainAction", "captureAction"),
    *("sweepAction", "exportAsAction", "exportAction", "helpAction", "importAction"),
    *("columnsAction", "renameSymbolAction"),
)
# A small one, at 200 %; on it menus may have two columns.
_SCREEN = QSize(1280, 720)


def opened(driver, action):
    """The window that a command opens."""
    before = {w for w in QApplication.topLevelWidgets() if w.isVisible()}
    driver.trigger(action)

    def new():
        return [w for w in QApplication.topLevelWidgets() if w.isVisible() and w not in before]

    driver.wait(new)
    pause(60)
    return new()[0]


def cut_in_menu(menu):
    """Names the entries of a menu that have less room than their words and keys."""
    menu.popup(QPoint(0, 0))
    metrics = menu.fontMetrics()
    parts = []
    for action in menu.actions():
        if not action.isVisible() or action.isSeparator():
            continue
        words = action.text().replace("&", "").partition("\t")[0]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        wanted = metrics.horizontalAdvance(words) + metrics.horizontalAdvance(keys)
        place = menu.actionGeometry(action)
        if wanted > place.width() or place.right() > max(menu.width(), _SCREEN.width()):
            parts.append((words, wanted, place.toTuple()))
    menu.close()
    return parts


def test_no_words_of_menus_and_dialogs_are_cut(started):
    driver = started
    driver.editor.go_to(5, 30)
    found = {}
    for zoom in (1.0, 1.5, 2.0):
        LETTERS.set_zoom(zoom)
        for menu in driver.window.menuBar().findChildren(QMenu):
            if parts := cut_in_menu(menu):
                found[zoom, menu.title()] = parts
        for action in DIALOGS:
            driver.editor.setFocus()
            dialog = opened(driver, action)
            room = dialog.screen().availableSize()
            parts = cut(dialog)
            if not QRect(QPoint(), room.expandedTo(_SCREEN)).contains(dialog.rect()):
                parts.append((dialog.size().toTuple(), dialog.minimumSizeHint().toTuple()))
            if parts:
                found[zoom, action] = parts
            dialog.close()
            pause(20)
    LETTERS.set_zoom(1.0)
    assert not found


def asked(dialogs, folder):
    """The questions whose answers the window waits for."""
    names = [f"a_kernel_with_a_long_name_{n}.cu" for n in range(8)]
    return {
        "all unsaved": lambda: dialogs.about_all_unsaved(names),
        "lost": lambda: dialogs.about_unkept(names, "there is no room left on the device"),
        "kept for a while": lambda: dialogs.about_unkept(names[:1], ""),
        "unsaved": lambda: dialogs.about_unsaved(names[0]),
        "changed": lambda: dialogs.about_changed_file(folder / names[0]),
        "encoding": lambda: dialogs.may_save_as_utf_8(names[0], "Latin-1 has no 'µ'"),
        "replaced": lambda: dialogs.may_replace(names, folder),
        "new name": lambda: dialogs.new_name(names[0]),
    }


def test_no_words_of_questions_are_cut(started, tmp_path):
    driver, found, seen = started, {}, []

    def look(name):
        dialog = QApplication.activeModalWidget()
        seen.append(name)
        parts = cut(dialog)
        if not QRect(QPoint(), dialog.screen().availableSize().expandedTo(_SCREEN)).contains(
            dialog.rect()
        ):
            parts.append((dialog.size().toTuple(), dialog.minimumSizeHint().toTuple()))
        if parts:
            found[LETTERS.zoom, name] = parts
        QTest.keyClick(dialog, Qt.Key.Key_Escape)

    questions = asked(Dialogs(driver.window), tmp_path)
    questions["line"] = lambda: driver.trigger("goToLineAction")
    questions["condition"] = lambda: driver.trigger("breakpointConditionAction")
    driver.editor.setFocus()
    for zoom in (1.0, 1.5, 2.0):
        LETTERS.set_zoom(zoom)
        for name, ask in questions.items():
            count = len(seen)
            QTimer.singleShot(100, lambda name=name: look(name))
            ask()
            driver.wait(lambda count=count: len(seen) > count)
    LETTERS.set_zoom(1.0)
    assert len(seen) == 3 * len(questions)
    assert not found


def test_no_words_are_cut_about_ptx_that_goes_back_to_python(started):
    started.next_result(lambda: started.trigger("editPtxAction"))
    found = {}
    for zoom in (1.0, 1.5, 2.0):
        LETTERS.set_zoom(zoom)
        dialog = opened(started, "usePtxAction")
        if parts := cut(dialog):
            found[zoom] = parts
        dialog.close()
        pause(20)
    LETTERS.set_zoom(1.0)
    assert not found
