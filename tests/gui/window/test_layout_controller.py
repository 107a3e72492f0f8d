"""Layouts, maximising and the keyboard between panes, in a real window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QTabBar, QToolButton

from jitstudio.core.code import CodeKind
from jitstudio.gui.kit.fonts import LETTERS
from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.shell.pane_registry import DOCKS, PaneGroup
from tests.gui.driver import Driver, pause

CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
# All others are tabs right of the editors.
_ELSEWHERE = (PaneGroup.FINDINGS, PaneGroup.FORMS)


def with_keyboard(driver):
    """The title of the pane that has the keyboard; the editors have none."""
    dock = driver.shell.layout.dock_of(QApplication.focusWidget())
    return dock.title if dock else ""


def in_front(driver):
    return {dock.title for dock in driver.shell.layout.docks if dock.is_in_front}


@pytest.mark.usefixtures("driver")
def test_layouts_are_chosen_by_keys_and_remembered(qapp, started, tmp_path):
    driver = started
    assert in_front(driver) == {"PTX", "Problems"}
    ptx = driver.find(PaneDock, "ptxDock")
    before = ptx.width() / driver.window.width()
    for size in ((1024, 700), (1440, 900)):
        driver.window.resize(*size)
        pause(20)
        assert abs(ptx.width() / size[0] - before) < 0.02
    driver.press(Qt.Key.Key_2, CTRL | ALT)
    assert in_front(driver) == {"Compare", "Problems"}
    assert driver.find(QAction, "compareLayoutAction").isChecked()
    assert not driver.find(QAction, "editLayoutAction").isChecked()
    # Chosen once more, a layout has its proportions again.
    pause(20)
    wide = driver.find(PaneDock, "compareDock").width()
    driver.window.resizeDocks(
        [driver.find(PaneDock, "compareDock")], [wide // 2], Qt.Orientation.Horizontal
    )
    pause(20)
    assert driver.find(PaneDock, "compareDock").width() < 0.6 * wide
    driver.press(Qt.Key.Key_2, CTRL | ALT)
    pause(20)
    assert driver.find(PaneDock, "compareDock").width() == wide
    driver.press(Qt.Key.Key_5, CTRL | ALT)
    assert in_front(driver) == {"PTX", "SASS", "Problems"}
    driver.press(Qt.Key.Key_3, CTRL | ALT)
    assert in_front(driver) == {"Launch", "Problems"}
    driver.press(Qt.Key.Key_4, CTRL | ALT)
    pause(0)
    assert in_front(driver) == {"Pipeline", "PTX"}
    driver.show_output("SASS")
    driver.window.close()

    again = Driver(qapp, tmp_path)
    again.start()
    assert again.find(QAction, "teachLayoutAction").isChecked()
    assert in_front(again) == {"Pipeline", "SASS"}
    again.trigger("resetLayoutAction")
    assert in_front(again) == {"Pipeline", "PTX"}
    again.press(Qt.Key.Key_1, CTRL | ALT)
    pause(0)
    assert in_front(again) == {"PTX", "Problems"}
    again.close()


def test_the_keyboard_reaches_every_pane(started):
    driver = started
    assert QApplication.focusWidget() is driver.editor
    for dock in driver.shell.layout.docks:
        dock.show()
    driver.trigger("focusEditorAction")
    assert QApplication.focusWidget() is driver.editor
    reached = []
    while True:
        driver.press(Qt.Key.Key_F6)
        if with_keyboard(driver) in ("", *reached):
            break
        reached.append(with_keyboard(driver))
    assert set(reached) == in_front(driver)
    assert QApplication.focusWidget() is driver.editor
    driver.press(Qt.Key.Key_F6, SHIFT)
    assert with_keyboard(driver) == reached[-1]

    driver.trigger("focusPtxAction")
    group = []
    while with_keyboard(driver) not in group:
        group.append(with_keyboard(driver))
        driver.press(Qt.Key.Key_PageDown, CTRL)
    tabs = [pane.title for pane in DOCKS if pane.group not in _ELSEWHERE]
    assert group == tabs
    driver.press(Qt.Key.Key_PageUp, CTRL)
    assert with_keyboard(driver) == tabs[-1]


def test_a_layout_leaves_the_keyboard_where_it_was_or_in_the_editor(started):
    driver = started
    driver.trigger("focusPtxAction")
    driver.press(Qt.Key.Key_5, CTRL | ALT)
    assert with_keyboard(driver) == "PTX"
    driver.trigger("focusSassAction")
    driver.press(Qt.Key.Key_3, CTRL | ALT)
    assert QApplication.focusWidget() is driver.editor


def test_next_tab_goes_from_editor_to_editor(started):
    driver = started
    driver.next_result(lambda: driver.trigger("newCudaAction"))
    names = [document.name for document in driver.state.documents]
    driver.editor.setFocus()
    seen = []
    for _ in range(driver.editors.count()):
        driver.press(Qt.Key.Key_PageDown, CTRL)
        current = driver.state.documents.current
        seen.append(current.name if current else "")
    assert set(names) <= set(seen)


def test_a_pane_fills_the_window_and_goes_back(started):
    driver = started
    before = {d.objectName(): d.geometry() for d in driver.shell.layout.docks if d.is_in_front}
    ptx = driver.listings[CodeKind.PTX]
    driver.trigger("focusPtxAction")
    driver.press(Qt.Key.Key_M, CTRL)
    assert in_front(driver) == {"PTX"}
    assert ptx.width() == driver.window.width()
    assert with_keyboard(driver) == "PTX"
    driver.press(Qt.Key.Key_Escape)
    pause(20)
    assert before == {
        d.objectName(): d.geometry() for d in driver.shell.layout.docks if d.is_in_front
    }

    driver.editor.setFocus()
    driver.press(Qt.Key.Key_M, CTRL)
    pause(20)
    assert in_front(driver) == set()
    assert driver.window.frame.centre.width() == driver.window.width()
    driver.press(Qt.Key.Key_M, CTRL)
    pause(20)
    assert before == {
        d.objectName(): d.geometry() for d in driver.shell.layout.docks if d.is_in_front
    }
    driver.editors.tabBarDoubleClicked.emit(0)
    assert in_front(driver) == set()
    driver.trigger("focusSassAction")
    assert "SASS" in in_front(driver)


@pytest.mark.usefixtures("driver")
def test_nothing_is_started_for_a_pane_that_nobody_sees(started):
    launches = started.state.launches
    pause(300)
    assert launches.devices is None
    started.press(Qt.Key.Key_3, CTRL | ALT)
    started.wait(lambda: launches.devices is not None)


def test_one_zoom_scales_the_whole_window_and_goes_with_the_layout(started):
    driver = started
    tab = driver.window.findChild(QTabBar, "paneTabs")
    parts = (driver.editor, driver.listing("ptxView"), driver.pane("problems"), tab, driver.window)

    def sizes():
        return [part.font().pointSizeF() for part in parts]

    before, points = sizes(), driver.state.preferences.font_size
    icons = driver.window.frame.toolbar.iconSize().width()
    driver.press(Qt.Key.Key_Equal, CTRL | SHIFT)
    driver.press(Qt.Key.Key_Equal, CTRL | SHIFT)
    assert sizes() == pytest.approx([1.25 * size for size in before])
    assert driver.window.frame.toolbar.iconSize().width() == round(1.25 * icons)
    # The size of code that the user has chosen stays what it is.
    assert driver.state.preferences.font_size == points
    pause(0)
    assert driver.shell.status.currentMessage() == "Zoom of the window: 125 %"
    state = driver.find(QToolButton, "buildState")
    assert not state.isVisible()
    driver.shell.status.clearMessage()
    assert state.isVisible()
    driver.trigger("compareLayoutAction")
    assert sizes() == before
    driver.trigger("editLayoutAction")
    driver.press(Qt.Key.Key_Minus, CTRL | SHIFT)
    assert sizes()[0] == pytest.approx(1.1 * before[0])
    driver.press(Qt.Key.Key_0, CTRL | SHIFT)
    assert sizes() == before


def test_letters_of_a_layout_come_a_turn_before_its_docks_and_the_last_choice_counts(started):
    driver, layout = started, started.shell.layout
    driver.window.resize(1440, 900)
    pause(50)
    driver.trigger("teachLayoutAction")
    assert (LETTERS.zoom, layout.layout.name) == (1.25, "edit")
    assert not driver.window.updatesEnabled()
    pause(0)
    assert layout.layout.name == "teach"
    pause(20)
    assert driver.window.updatesEnabled()
    for names, last in (("edit", "teach"), "teach"), (("edit", "read"), "read"):
        for name in names:
            driver.trigger(f"{name}LayoutAction")
        pause(20)
        zoom = {"teach": 1.25}.get(last, 1.0)
        assert (layout.layout.name, LETTERS.zoom) == (last, zoom)
        assert driver.find(QAction, f"{last}LayoutAction").isChecked()
