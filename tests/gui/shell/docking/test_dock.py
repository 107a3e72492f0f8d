from PySide6.QtWidgets import QToolButton

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
    options = scene.docks["options"]
    options.show()
    pause(20)
    assert options.titleBarWidget().objectName() == "paneTitle"
    for button in options.titleBarWidget().findChildren(QToolButton):
        assert button.accessibleName().endswith(": Options")
    options.titleBarWidget().findChild(QToolButton, "closeButton").click()
    assert options.isHidden()
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
