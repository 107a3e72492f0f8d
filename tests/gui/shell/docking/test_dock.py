from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QTabBar, QToolButton

from tests.gui.driver import pause


def test_a_pane_behind_a_tab_shows_nothing_and_has_no_title_bar(scene):
    ptx, sass = scene.docks["ptx"], scene.docks["sass"]
    assert ptx.content.isVisible()
    assert not sass.content.isVisible()
    assert ptx.titleBarWidget().objectName() != "paneTitle"
    scene.stage.uncover(sass.content)
    assert sass.content.isVisible()
    assert not ptx.content.isVisible()


def test_a_pane_that_stands_alone_has_a_title_bar_with_names_for_its_buttons(scene):
    build = scene.docks["build"]
    build.show()
    pause(20)
    assert build.titleBarWidget().objectName() == "paneTitle"
    for button in build.titleBarWidget().findChildren(QToolButton):
        assert button.accessibleName().endswith(": Build")
    build.titleBarWidget().findChild(QToolButton, "closeButton").click()
    assert build.isHidden()
    scene.docks["log"].close()
    pause(20)
    assert scene.docks["problems"].titleBarWidget().objectName() == "paneTitle"


def test_a_pane_can_float_and_come_back(scene):
    sass = scene.docks["sass"]
    sass.float_out()
    pause(20)
    assert sass.isFloating()
    assert sass.content.isVisible()
    assert sass.titleBarWidget() is None
    sass.setFloating(False)
    pause(20)
    assert not sass.isFloating()


def tabs_with(scene, title):
    """The bar with a tab of this title, and where the tab is."""
    for bar in scene.window.findChildren(QTabBar, "paneTabs"):
        titles = [bar.tabText(index) for index in range(bar.count())]
        if title in titles:
            return bar, bar.tabRect(titles.index(title)).center()
    raise AssertionError(title)


def test_titles_of_tabs_are_not_cut(scene):
    bar, _place = tabs_with(scene, "Ptx")
    assert bar.elideMode() is Qt.TextElideMode.ElideNone
    assert bar.accessibleName()


def test_the_menu_of_a_tab_can_do_what_a_title_bar_can(scene):
    bar, place = tabs_with(scene, "Sass")
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    assert scene.docks["sass"].is_in_front
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, bar.mapToGlobal(place))
    QApplication.sendEvent(bar, asked)
    menu = bar.findChild(QMenu)
    words = {action.text().replace("&", ""): action for action in menu.actions()}
    assert list(words) == ["Maximise", "Float", "Close"]
    words["Close"].trigger()
    menu.close()
    assert scene.docks["sass"].isHidden()


def test_a_double_click_on_tab_or_title_maximises_and_brings_back(scene):
    before = scene.places()
    bar, place = tabs_with(scene, "Ptx")
    QTest.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=place)
    assert scene.stage.alone is scene.docks["ptx"]
    QTest.mouseDClick(scene.docks["ptx"].titleBarWidget(), Qt.MouseButton.LeftButton)
    pause(20)
    assert scene.stage.alone is None
    assert scene.places() == before


def test_a_tab_that_is_dragged_away_becomes_a_window(scene):
    bar, place = tabs_with(scene, "Sass")
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=place)
    for step in range(10, 270, 20):
        QTest.mouseMove(bar, place + QPoint(-step, step))
        pause(10)
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=place + QPoint(-260, 260))
    pause(20)
    assert scene.docks["sass"].isFloating()
    assert scene.front() == {"ptx", "sass", "problems"}
    scene.stage.reset()
    pause(20)
    assert scene.front() == {"ptx", "problems"}


def test_a_count_stands_in_tab_and_title_bar_and_nowhere_else(scene):
    problems, log = scene.docks["problems"], scene.docks["log"]
    before = scene.stage.group(problems)
    scene.stage.show_count("problems", 1234)
    bar, place = tabs_with(scene, "Problems (1,234)")
    assert scene.stage.group(problems) == before
    assert log in before
    assert problems.title == problems.toggleViewAction().text() == "Problems"
    # The tab with a count is found by the mouse as before.
    QTest.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=place)
    pause(20)
    assert scene.stage.alone is problems
    title = problems.titleBarWidget()
    assert title.findChild(QLabel).text() == "Problems (1,234)"
    scene.stage.show_count("problems", 0)
    assert title.findChild(QLabel).text() == "Problems"
    assert all(":" in b.accessibleName() for b in title.findChildren(QToolButton))
    scene.stage.give_back()
    pause(20)
    tabs_with(scene, "Problems")
    assert scene.stage.group(problems) == before
