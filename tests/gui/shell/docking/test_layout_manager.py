import json
import random

import pytest
from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QTabBar

from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.shell.docking.saved_states import VERSION, seal, unseal
from jitstudio.help.lessons import PANES
from tests.gui.driver import pause


def test_what_the_user_made_of_each_layout_is_remembered(scene, make_scene):
    scene.docks["log"].close()
    scene.stage.choose("read")
    pause(20)
    assert not scene.docks["log"].isHidden()
    scene.window.resizeDocks([scene.docks["sass"]], [300], Qt.Orientation.Horizontal)
    scene.stage.choose("edit")
    assert scene.docks["log"].isHidden()
    scene.stage.choose("read")
    pause(20)
    scene.stage.save()
    before = scene.places()

    again = make_scene()
    again.stage.restore()
    again.window.show()
    bars = again.window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    shown_at_first = [bar for bar in bars if bar.isVisible()]
    pause(20)
    assert again.stage.layout.name == "read"
    assert again.places() == before
    # None of those that Qt made for nothing lies over the menus, not even at first.
    assert shown_at_first
    assert all(bar.count() for bar in shown_at_first)
    again.stage.choose("edit")
    assert again.docks["log"].isHidden()


def test_reset_puts_back_the_layout_worn_and_no_other(scene):
    scene.docks["log"].close()
    scene.stage.choose("read")
    pause(20)
    before = scene.places()
    scene.docks["sass"].close()
    scene.docks["ptx"].float_out()
    scene.stage.reset()
    pause(20)
    assert scene.places() == before
    scene.stage.choose("edit")
    assert scene.docks["log"].isHidden()


@pytest.mark.parametrize("change", [lambda stage: stage.choose("read"), LayoutManager.reset])
def test_a_window_is_painted_in_a_turn_of_its_own_once_its_docks_are_laid_out(scene, change):
    class Paints(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint:
                sizes.append(watched.size())
            return False

    sizes, paints = [], Paints()
    text = scene.docks["problems"].content.viewport()
    text.installEventFilter(paints)
    change(scene.stage)
    QCoreApplication.sendPostedEvents()
    assert not sizes
    pause(20)
    assert set(sizes) == {text.size()}
    assert scene.window.updatesEnabled()


@pytest.mark.parametrize("name", ["ptx", "problems", "build"])
def test_a_maximised_pane_has_the_window_and_gives_it_back(scene, name):
    scene.docks["build"].show()
    scene.stage.uncover(scene.docks[name].content)
    pause(20)
    before, told = scene.places(), []
    scene.stage.maximised.connect(told.append)
    scene.stage.maximise(scene.docks[name])
    pause(20)
    assert scene.front() == {name}
    assert scene.docks[name].width() == scene.window.width()
    assert scene.docks[name].titleBarWidget().objectName() == "paneTitle"
    assert QApplication.focusWidget() is scene.docks[name].content
    scene.stage.give_back()
    pause(20)
    assert scene.places() == before
    assert told == [True, False]
    assert scene.stage.alone is None


def test_the_middle_of_the_window_can_be_maximised_too(scene):
    before = scene.places()
    scene.stage.maximise(scene.centre)
    pause(20)
    assert scene.front() == set()
    assert scene.centre.width() == scene.window.width()
    scene.stage.give_back()
    pause(20)
    assert scene.places() == before


def test_another_pane_that_is_wanted_ends_maximising(scene):
    scene.stage.maximise(scene.docks["ptx"])
    scene.stage.uncover(scene.docks["log"].content)
    assert scene.stage.alone is None
    assert scene.docks["log"].is_in_front
    scene.stage.maximise(scene.docks["ptx"])
    scene.docks["build"].toggleViewAction().trigger()
    assert scene.stage.alone is None
    assert scene.docks["build"].is_in_front


def test_all_panes_that_a_lesson_may_want_are_shown_while_one_is_maximised(scene):
    scene.stage.maximise(scene.docks["problems"])
    scene.stage.show_wanted(PANES)
    assert scene.stage.alone is None
    shown = {name for name, dock in scene.docks.items() if not dock.isHidden()}
    # The kernels are a part of the report.
    assert {*PANES} - {"kernels"} <= shown


def test_the_keyboard_goes_on_to_the_pane_that_covers_the_one_that_has_it(scene):
    panes = {name: dock.content for name, dock in scene.docks.items()}
    scene.stage.bring_up(panes["ptx"])
    assert QApplication.focusWidget() is panes["ptx"]
    scene.stage.uncover(panes["launch"])
    assert QApplication.focusWidget() is panes["launch"]
    # Else it stays.
    scene.stage.uncover(panes["log"])
    assert QApplication.focusWidget() is panes["launch"]


def test_a_state_saved_while_maximised_is_the_one_before(scene, make_scene):
    before = scene.places()
    scene.stage.maximise(scene.docks["sass"])
    scene.stage.save()
    again = make_scene()
    again.stage.restore()
    again.window.show()
    pause(20)
    assert again.places() == before


def test_a_damaged_state_is_ignored(scene, make_scene):
    scene.stage.choose("read")
    pause(20)
    before = scene.places()
    scene.stage.save()
    dice = random.Random(5)
    for key in ("geometry", "current", "arrangement-read", "arrangement-edit"):
        whole = scene.preferences.layout(key).data()
        for _ in range(8):
            damaged = bytearray(whole)
            damaged[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
            scene.preferences.set_layout(key, QByteArray(bytes(damaged)))
            scene.stage.restore()
            assert scene.stage.layout.name in ("edit", "read")
    scene.preferences.set_layout("current", seal(QByteArray(b"nowhere")))
    scene.stage.restore()
    scene.stage.choose("read")
    pause(20)
    scene.stage.reset()
    pause(20)
    assert scene.places() == before


def test_a_whole_state_of_another_window_leaves_all_panes_within_reach(scene):
    for foreign in (b"", b"\x00\x00\x00\xff\x00", b"garbage" * 50):
        scene.preferences.set_layout("arrangement-teach", seal(QByteArray(foreign)))
        scene.stage.choose("teach")
        pause(20)
        assert "pipeline" in scene.front()
        scene.stage.choose("edit")


def test_a_window_beyond_all_screens_comes_back(scene, make_scene):
    scene.window.move(QPoint(30_000, 20_000))
    scene.stage.save()
    again = make_scene()
    again.stage.restore()
    again.window.show()
    screen = again.window.screen().availableGeometry()
    assert screen.intersects(again.window.geometry())


def test_a_layout_left_in_a_larger_window_leaves_the_editors_their_part(scene):
    scene.window.resize(1400, 700)
    scene.stage.choose("compare")
    pause(20)
    scene.stage.choose("edit")
    scene.window.resize(900, 700)
    scene.stage.choose("compare")
    pause(20)
    assert scene.window.width() == 900
    assert scene.centre.width() == pytest.approx(0.31 * 900, abs=20)


def test_each_layout_has_its_zoom_and_teach_starts_larger(scene, make_scene):
    stage, told = scene.stage, []
    stage.zoom_changed.connect(told.append)
    stage.zoom_by(1)
    assert stage.zoom == told[-1] == 1.1
    stage.choose("teach")
    # This window has no room for larger letters.
    assert told[-1] == stage.zoom == 1.0
    scene.window.resize(1200, 700)
    pause(0)
    assert told[-1] == stage.zoom == 1.25
    stage.zoom_by(2)
    stage.choose("edit")
    assert told[-1] == 1.1
    for _ in range(20):
        stage.zoom_by(1)
    assert told[-1] == 3
    stage.zoom_by(0)
    assert told[-1] == 1
    again = make_scene()
    again.stage.choose("teach")
    assert again.stage.zoom == 1.75
    again.preferences.set_zoom("teach", float("nan"))
    assert again.stage.zoom == 1.0


STATE = QByteArray(b"\x00\x01any state\xff")


def test_what_was_kept_comes_back():
    assert unseal(seal(STATE)) == STATE
    assert unseal(seal(QByteArray())) == QByteArray()


@pytest.mark.parametrize(
    "kept",
    [
        None,
        QByteArray(),
        QByteArray(b"garbage"),
        STATE,
        seal(STATE).chopped(1),
        seal(STATE).first(20),
        seal(STATE) + b"x",
        seal(STATE).replace(b"layout %d" % VERSION, b"layout 4"),
        seal(STATE).replace(b"layout %d" % VERSION, b"layout 0"),
        seal(STATE).replace(b"any", b"eny"),
    ],
)
def test_what_is_damaged_foreign_or_of_another_version_is_not_taken(kept):
    assert unseal(kept) is None


EARLIER = (1_765_789_666, "ptx sass names link options problems")
"""The version of states of windows that had these docks, among others."""


def test_a_pane_that_became_a_part_of_another_leaves_it_its_place(scene):
    version, names = EARLIER
    before = QMainWindow()
    for name in names.split():
        dock = QDockWidget(name, before, objectName=f"{name}Dock")
        at_top = name in ("options", "link")
        side = (
            Qt.DockWidgetArea.TopDockWidgetArea if at_top else Qt.DockWidgetArea.RightDockWidgetArea
        )
        before.addDockWidget(side, dock)
        dock.setVisible(name != "problems")
    state = seal(before.saveState(version))
    mark = b"layout %d"
    scene.preferences.set_layout("arrangement-edit", state.replace(mark % VERSION, mark % version))
    scene.stage.restore()
    pause(20)
    build = scene.docks["build"]
    assert not build.isHidden()
    assert scene.window.dockWidgetArea(build) is Qt.DockWidgetArea.TopDockWidgetArea
    assert scene.window.dockWidgetArea(scene.docks["ptx"]) is Qt.DockWidgetArea.RightDockWidgetArea
    assert scene.docks["problems"].isHidden()


def test_a_pane_opens_behind_the_others_once_it_has_something_to_show(scene):
    assert scene.docks["compare"].isHidden()
    front = scene.front()
    scene.stage.offer("compare")
    pause(20)
    assert not scene.docks["compare"].isHidden()
    assert scene.front() == front
    scene.stage.choose("teach")
    pause(20)
    assert not scene.docks["compare"].isHidden()


def test_a_floating_pane_that_qt_closes_before_the_window_is_there_again(scene, make_scene):
    scene.docks["compare"].show()
    scene.docks["compare"].setFloating(True)
    pause(20)
    scene.docks["compare"].close()
    scene.stage.save()

    again = make_scene()
    again.stage.restore()
    again.window.show()
    assert not again.docks["compare"].isHidden()
    assert again.docks["compare"].isFloating()


@pytest.mark.parametrize("is_older", [False, True], ids=["now", "saved by an older version"])
def test_a_pane_that_the_user_has_closed_is_not_opened_again(scene, make_scene, is_older):
    scene.stage.offer("compare")
    scene.docks["compare"].close()
    scene.stage.choose("read")
    scene.stage.choose("edit")
    assert scene.docks["compare"].isHidden()
    scene.stage.save()
    if is_older:
        without = {"size": scene.window.size().toTuple(), "docks": {}}
        sealed = seal(QByteArray(json.dumps(without).encode()))
        scene.preferences.set_layout("shares-edit", sealed)

    again = make_scene()
    again.stage.restore()
    again.window.show()
    again.stage.offer("compare")
    pause(20)
    assert again.docks["compare"].isHidden()
    again.stage.reset()
    assert not again.docks["compare"].isHidden()


def test_a_pane_opens_once_the_maximised_one_gives_the_window_back(scene):
    scene.stage.maximise(scene.docks["ptx"])
    scene.stage.offer("compare")
    pause(20)
    assert scene.front() == {"ptx"}
    scene.stage.give_back()
    pause(20)
    assert not scene.docks["compare"].isHidden()
    assert "ptx" in scene.front()


def test_a_pane_comes_forward_without_the_keyboard_and_covers_no_keyboard(scene):
    problems, log = scene.docks["problems"], scene.docks["log"]
    scene.centre.setFocus()
    scene.stage.uncover(log.content)
    scene.stage.bring_forward("problems")
    assert problems.is_in_front
    assert scene.centre.hasFocus()
    # Someone reads or searches there.
    scene.stage.bring_up(log.content)
    scene.stage.bring_forward("problems")
    assert log.is_in_front
    assert log.isAncestorOf(QApplication.focusWidget())
    # Wherever the user has moved the tab.
    scene.window.tabifyDockWidget(scene.docks["ptx"], problems)
    scene.stage.uncover(scene.docks["ptx"].content)
    scene.centre.setFocus()
    scene.stage.bring_forward("problems")
    assert problems.is_in_front
    assert not scene.docks["ptx"].is_in_front
    problems.close()
    scene.stage.bring_forward("problems")
    assert problems.isHidden()
    scene.stage.maximise(log)
    scene.stage.bring_forward("problems")
    assert scene.stage.alone is log
    assert problems.isHidden()
