import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton

from jitstudio.gui.features.launch.form.section import Section


@pytest.fixture
def section(qtbot, theme):
    section = Section("runSection", "&Run", QLineEdit(), opened=False)
    qtbot.addWidget(section)
    section.set_theme(theme)
    section.set_remark("10 times")
    section.show()
    return section


def test_folded_away_it_shows_its_remark_instead(section):
    assert not section.opened
    assert not section.findChild(QLineEdit).isVisible()
    assert section.findChild(QLabel, "runSectionRemark").text() == "10 times"
    assert section.findChild(QLabel, "runSectionRemark").isVisible()


def test_the_heading_opens_it_by_keyboard(section):
    heading = section.findChild(QToolButton, "runSectionHeading")
    assert heading.toolTip() == "Show or hide: Run"
    QTest.keyClick(heading, Qt.Key.Key_Space)
    assert section.opened
    assert section.findChild(QLineEdit).isVisible()
    assert not section.findChild(QLabel, "runSectionRemark").isVisible()


def test_the_arrow_points_to_what_a_press_does(section):
    heading = section.findChild(QToolButton, "runSectionHeading")
    closed = heading.icon().pixmap(16, 16).toImage()
    section.open()
    assert heading.icon().pixmap(16, 16).toImage() != closed
