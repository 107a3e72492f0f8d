"""Each lesson from the list to its end, with the widgets that its text names."""

import re

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QPushButton, QTextBrowser

from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.core.result import Outcome
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.help.lesson_solutions import EXPLANATION
from jitstudio.help.lessons import SOLUTION, lessons
from tests.support import one_in

LESSONS = lessons()
PATIENCE = 240
_KEY = re.compile(r"([A-Z][\w ]+) \(((?:Ctrl\+|Shift\+)*F\d+)\)")
# Opcodes of SASS, such as `LDG.E` and `CALL`.
_OPCODE = re.compile(r"`([A-Z][A-Z0-9]{2,}(?:\.[A-Z0-9]+)*)`")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


class Walk:
    """A pupil at a window with the pane of lessons.

    Attributes:
        driver: The window.
        lesson: The lesson that is worked on.
    """

    def __init__(self, driver, lesson):
        self.driver, self.lesson = driver, lesson
        driver.trigger("lessonsAction")
        self._view = driver.pane("lessons")
        self.choice = self._view.findChild(QComboBox, "lessonChoice")
        driver.wait(lambda: self.choice.count() == len(LESSONS))

    @property
    def text(self):
        """The text of the lesson as it is shown."""
        return self._view.findChild(QTextBrowser, "lessonText").toPlainText()

    @property
    def goals(self):
        """The results of the check."""
        return self._view.findChild(QPlainTextEdit, "lessonGoals").toPlainText()

    @property
    def sass(self):
        """The listings of SASS that the last build has made."""
        listings = self.driver.state.outputs.output(CodeKind.SASS).listings
        return "\n".join(line for listing in listings for line in listing.lines)

    def wait(self, what):
        self.driver.wait(what, PATIENCE)

    def click(self, name):
        button = self._view.findChild(QPushButton, name)
        self.wait(button.isEnabled)
        button.click()

    def open(self):
        """Opens the lesson from the list, and waits for the first build of its project."""
        self.choice.setCurrentIndex(LESSONS.index(self.lesson))
        self.click("openLesson")
        self.wait(lambda: self.is_open(self.lesson))
        self.wait(lambda: self.driver.state.outputs.result is not None)
        self.driver.settle()

    def is_open(self, lesson):
        """Whether the project of a lesson is open, and its text is shown."""
        path = self.driver.state.project.path
        is_there = path is not None and path.parent.name == lesson.name
        return is_there and self.text.startswith(lesson.title)

    def follow(self, command):
        """Clicks on a command in the text, and sees that it does what it says."""
        state, action = self.driver.state, self.driver.shell.actions[command]
        assert action.isEnabled(), command
        browser = self._view.findChild(QTextBrowser, "lessonText")
        link = QUrl(f"action:{command}")
        match command:
            case "buildAction":
                result = self.driver.next_result(lambda: browser.anchorClicked.emit(link))
                assert result.outcome is Outcome.BUILT
            case "simulateAction":
                browser.anchorClicked.emit(link)
                self.wait(lambda: state.launches.result is not None)
                assert state.launches.result.simulation.instructions > 0
            case "stepAction":
                browser.anchorClicked.emit(link)
                self.wait(lambda: state.stepping.is_open)
                state.stepping.end()
            case "linkLtoAction":
                browser.anchorClicked.emit(link)
                assert state.settings.link is LinkMode.LTO
            case _:
                raise AssertionError(f"nothing is known of {command}")

    def type_solution(self):
        """Replaces the texts by those of the solution, in the editor."""
        solution = self.lesson.folder / SOLUTION
        for document in self.driver.state.documents:
            path = solution / document.name
            if path.is_file() and path.name != EXPLANATION:
                self.driver.state.documents.current = document
                cursor = self.driver.editor.textCursor()
                cursor.select(QTextCursor.SelectionType.Document)
                cursor.insertText(path.read_text())


@pytest.fixture
def walk(started, tmp_path, monkeypatch, request):
    """The pupil of a lesson, who has passed nothing yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("JITSTUDIO_CONFIG_DIR", str(tmp_path / "settings"))
    return Walk(started, request.param)


@pytest.mark.parametrize("walk", one_in(10, LESSONS), indirect=True, ids=lambda x: x.name)
def test_a_lesson_is_done_in_the_window_as_its_text_says(walk):
    lesson, driver = walk.lesson, walk.driver
    walk.open()
    for pane in lesson.panes:
        assert driver.shell.layout.pane(pane) is not None
    walk.click("checkLesson")
    walk.wait(lambda: "✗" in walk.goals or "!" in walk.goals)
    assert "The lesson is passed." not in walk.goals
    before = walk.sass
    for command in re.findall(r"\]\(action:(\w+)\)", lesson.text):
        walk.follow(command)
    for words, key in _KEY.findall(lesson.text):
        titles = [spec.text.replace("&", "").strip("…") for spec in ACTIONS if key in spec.keys]
        assert any(title.lower() in words.lower() for title in titles), (words, titles)
    walk.type_solution()
    walk.click("checkLesson")
    walk.wait(lambda: "The lesson is passed." in walk.goals or "✗" in walk.goals)
    assert "The lesson is passed." in walk.goals
    driver.settle()
    both = f"{before}\n{walk.sass}"
    assert [name for name in _OPCODE.findall(lesson.text) if name not in both] == []
    heading = (lesson.folder / SOLUTION / EXPLANATION).read_text().split("\n")[0].lstrip("# ")
    walk.wait(lambda: heading in walk.text)
    assert "Before → after" in walk.text
    assert " → " in walk.text.split("Before → after")[1].split("\n")[1]
    place = LESSONS.index(lesson)
    walk.wait(lambda: walk.choice.itemText(place).endswith("(passed)"))
    walk.click("nextLesson")
    following = LESSONS[(place + 1) % len(LESSONS)]
    walk.wait(lambda: walk.is_open(following))
