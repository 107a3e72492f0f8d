import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from jitstudio.core.launch.device import DeviceList
from jitstudio.core.toolchain_info import DoctorFinding, ToolchainInfo, ToolInfo
from jitstudio.core.tools import Tool
from jitstudio.gui.features.welcome.controller import Environment
from jitstudio.gui.features.welcome.view import EnvironmentList, WelcomeCard
from jitstudio.gui.kit.theme import set_current_theme
from tests.gui.rich_text import plain


@pytest.fixture
def card(qtbot):
    card = WelcomeCard("Vector add", "The first kernel of everyone: c = a + b.", "cuda")
    qtbot.addWidget(card)
    card.show()
    return card


def test_it_is_pressed_by_enter_space_and_mouse(card):
    pressed = []
    card.clicked.connect(lambda: pressed.append(True))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
        QTest.keyClick(card, key)
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert len(pressed) == 4


def test_a_narrow_one_is_higher_as_its_sentence_is_wrapped(card):
    assert card.heightForWidth(160) > card.heightForWidth(600)
    assert card.accessibleName() == "Vector add"
    assert "c = a + b" in card.accessibleDescription()


def test_it_is_higher_with_larger_letters(card):
    before, font = card.heightForWidth(600), card.font()
    font.setPointSizeF(2 * font.pointSizeF())
    card.setFont(font)
    assert card.heightForWidth(600) > before


def test_a_path_stays_on_one_line_and_is_whole_in_the_tool_tip(qtbot):
    path = "/a/very/long/path/that/goes/on/and/on/and/on/and/on"
    card = WelcomeCard("k.cu", path, "open", is_path=True)
    qtbot.addWidget(card)
    assert card.heightForWidth(120) == card.heightForWidth(900)
    assert card.toolTip() == path


def test_the_frame_shows_where_the_keyboard_is(card):
    card.resize(300, 60)
    card.clearFocus()
    before = card.grab().toImage().pixelColor(150, 0)
    card.setFocus()
    QTest.qWaitForWindowActive(card)
    assert card.hasFocus()
    assert card.grab().toImage().pixelColor(150, 0) != before


FINDINGS = (
    DoctorFinding("NVRTC", "13.4", "/lib/libnvrtc.so", is_tool=True),
    DoctorFinding("nvJitLink", problem="Install it with: pip install x", is_tool=True),
    DoctorFinding("driver", problem="No driver."),
    DoctorFinding("window"),
)


def rows(shown):
    """Each line as its name, its mark in words, and what is said."""
    layout = shown.layout()
    lines = (
        [layout.itemAtPosition(row, column).widget() for column in range(3)]
        for row in range(len(shown.findings))
    )
    return [(name.text(), mark.accessibleName(), words.text()) for mark, name, words in lines]


def test_each_finding_has_a_mark_in_words_and_says_what_to_do(qtbot):
    shown = EnvironmentList()
    qtbot.addWidget(shown)
    shown.show_findings(FINDINGS)
    told = [
        ("NVRTC", "found", "13.4"),
        ("nvJitLink", "missing", "Install it with: pip install x"),
        ("driver", "not here", "No driver."),
        ("window", "not checked yet", "not checked yet"),
    ]
    assert rows(shown) == told
    assert plain(shown.findChild(QLabel, "NVRTCFinding").toolTip()) == ["/lib/libnvrtc.so"]


def test_new_findings_take_the_place_of_the_old(qtbot, dark_theme):
    shown = EnvironmentList()
    qtbot.addWidget(shown)
    shown.show_findings(FINDINGS)
    set_current_theme(dark_theme)
    shown.show_findings((DoctorFinding("window", "can be opened"),))
    assert rows(shown) == [("window", "found", "can be opened")]
    assert [label.text() for label in shown.findChildren(QLabel) if not label.isHidden()][1:] == [
        "window",
        "can be opened",
    ]


def test_what_nobody_has_looked_for_is_neither_found_nor_wrong(qapp):
    assert Environment().findings == (DoctorFinding("driver"), DoctorFinding("window"))


def test_findings_come_in_one_by_one_and_keep_the_order_of_the_command_line(qtbot):
    environment = Environment()
    environment.take_devices(DeviceList("13.0", problem="There is no GPU."))
    environment.take_toolchain(ToolchainInfo((ToolInfo(Tool.NVRTC, "13.4"),), ()))
    with qtbot.waitSignal(environment.changed):
        environment.check_window()
    names = [finding.name for finding in environment.findings]
    assert names == ["NVRTC", "targets", "driver", "window"]
    # The tests themselves have a platform that needs no display.
    assert environment.findings[-1].state == "can be opened"
