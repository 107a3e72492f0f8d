from PySide6.QtWidgets import QLabel

from jitstudio.core.doctor_text import Finding
from jitstudio.gui.features.welcome.environment import EnvironmentList
from tests.gui.rich_text import plain

FINDINGS = (
    Finding("NVRTC", "13.4", "/lib/libnvrtc.so", is_tool=True),
    Finding("nvJitLink", problem="Install it with: pip install x", is_tool=True),
    Finding("driver", problem="No driver."),
    Finding("window"),
)


def rows(shown):
    """Each line as its name, its mark in words, and what is said."""
    layout = shown.layout()
    lines = (
        [layout.itemAtPosition(row, column).widget() for column in range(3)]
        for row in range(len(shown.findings))
    )
    return [(name.text(), mark.accessibleName(), words.text()) for mark, name, words in lines]


def test_each_finding_has_a_mark_in_words_and_says_what_to_do(qtbot, theme):
    shown = EnvironmentList(theme)
    qtbot.addWidget(shown)
    shown.show_findings(FINDINGS)
    told = [
        ("NVRTC", "found", "13.4"),
        ("nvJitLink", "missing", "Install it with: pip install x"),
        ("driver", "not here", "No driver."),
        ("window", "not looked for yet", "not looked for yet"),
    ]
    assert rows(shown) == told
    assert plain(shown.findChild(QLabel, "NVRTCFinding").toolTip()) == ["/lib/libnvrtc.so"]


def test_new_findings_take_the_place_of_the_old(qtbot, light, dark):
    shown = EnvironmentList(light)
    qtbot.addWidget(shown)
    shown.show_findings(FINDINGS)
    shown.set_theme(dark)
    shown.show_findings((Finding("window", "can be opened"),))
    assert rows(shown) == [("window", "found", "can be opened")]
    assert [label.text() for label in shown.findChildren(QLabel) if not label.isHidden()][1:] == [
        "window",
        "can be opened",
    ]
