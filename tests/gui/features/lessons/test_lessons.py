"""The pane of lessons, with the check that the command line does."""

import shutil

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDockWidget,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QTextBrowser,
)

from jitstudio.gui.features.lessons.class_dialog import ClassDialog
from jitstudio.gui.features.lessons.view import LessonsView
from jitstudio.gui.kit.owned_process import OwnedProcess
from jitstudio.gui.kit.rows_table import RowsTable
from jitstudio.help.lesson_copies import copy_lesson
from jitstudio.help.lesson_goals import Goal
from jitstudio.help.lessons import Lesson, find_lesson, lessons


@pytest.fixture
def view(qtbot):
    view = LessonsView()
    qtbot.addWidget(view)
    return view


def button(view, name):
    return view.findChild(QPushButton, name)


def listed(driver):
    """The pane with all lessons in its list, and the list."""
    driver.trigger("lessonsAction")
    view = driver.pane("lessons")
    choice = view.findChild(QComboBox, "lessonChoice")
    driver.wait(lambda: choice.count() == len(lessons()))
    return view, choice


def test_hints_come_one_after_the_other(view, tmp_path, qtbot):
    assert not button(view, "checkLesson").isEnabled()
    text = "# T\n\n![](file:///etc/hostname)\n"
    view.show_lesson(Lesson(tmp_path, "T", text, ("First one.", "Last one.")), -1)
    shown = view.findChild(QTextBrowser, "lessonText")
    for hint in ("First one.", "Last one."):
        assert hint not in shown.toPlainText()
        button(view, "lessonHint").click()
        assert hint in shown.toPlainText()
    assert not button(view, "lessonHint").isEnabled()
    assert shown.loadResource(2, "file:///etc/hostname") is None
    # Those of an earlier day are there again.
    view.show_lesson(Lesson(tmp_path, "T", text, ("First one.", "Last one.")), -1, 1)
    assert "First one." in shown.toPlainText()
    assert "Last one." not in shown.toPlainText()
    with qtbot.waitSignal(view.hint_shown) as counted:
        button(view, "lessonHint").click()
    assert counted.args == [2]


def test_the_list_says_what_is_passed_and_begins_with_what_is_not(view, tmp_path):
    one, two = (
        Lesson(tmp_path / folder, name, f"Text of {name}", ("A hint.",), minutes=5)
        for folder, name in (("00-one", "One"), ("02-two", "Two"))
    )
    view.show_list((one, two), frozenset({"One"}))
    choice = view.findChild(QComboBox, "lessonChoice")
    assert [choice.itemText(row) for row in range(2)] == ["0. One (passed)", "2. Two"]
    assert choice.itemData(1, Qt.ItemDataRole.ToolTipRole) == "About 5 minutes."
    assert choice.currentIndex() == 1
    shown = view.findChild(QTextBrowser, "lessonText")
    assert shown.toPlainText() == "Text of Two"
    # Another one can be read, but only the one that is open is worked on.
    view.show_lesson(two, 1)
    button(view, "lessonHint").click()
    choice.setCurrentIndex(0)
    assert shown.toPlainText() == "Text of One"
    assert not button(view, "checkLesson").isEnabled()
    choice.setCurrentIndex(1)
    assert "A hint." in shown.toPlainText()
    assert button(view, "checkLesson").isEnabled()


def test_the_keyboard_goes_from_the_check_to_its_results(view, tmp_path, qtbot):
    view.show()
    view.activateWindow()
    view.show_lesson(Lesson(tmp_path, "T", "# T\n", ("A hint.",)), -1)
    button(view, "checkLesson").setFocus()
    qtbot.waitUntil(button(view, "checkLesson").hasFocus)
    view.show_checking()
    assert view.findChild(QPlainTextEdit, "lessonGoals").hasFocus()


def test_what_is_not_reached_is_told_with_its_reason(view):
    goals = [
        Goal("A.", True, ()),
        Goal("B.", False, ("x is 1.",)),
        Goal("C.", True, (), "No GPU."),
        Goal("D.", False, (), is_judged=False),
    ]
    view.show_goals(goals, ["A fault."], "1 of 3.", "By these.")
    text = view.findChild(QPlainTextEdit, "lessonGoals").toPlainText()
    assert text.splitlines() == [
        "1 of 3.",
        "! A fault.",
        "✓ A.",
        "✗ B.",
        "    x is 1.",
        "○ C.",
        "    No GPU.",
        "? D.",
        "",
        "By these.",
    ]
    view.show_goals(goals[2:], ["An error."], "None.", "By these.")
    text = view.findChild(QPlainTextEdit, "lessonGoals").toPlainText()
    assert text.splitlines() == ["None.", "! An error.", "", "By these."]


def test_progress_and_the_next_lesson(view, tmp_path, qtbot):
    three = [Lesson(tmp_path, name, f"Text of {name}", ()) for name in ("One", "Two", "Three")]
    view.show_list(three, frozenset({"Two"}))
    assert view.findChild(QLabel, "lessonProgress").text() == "1 of 3 passed"
    view.show_lesson(three[0], 0)
    with qtbot.waitSignal(view.open_wanted) as wanted:
        button(view, "nextLesson").click()
    assert wanted.args == [2]
    view.show_lesson(three[2], 2)
    with qtbot.waitSignal(view.open_wanted) as wanted:
        button(view, "nextLesson").click()
    assert wanted.args == [0]
    view.show_list(three, frozenset({"One", "Two"}))
    assert not button(view, "nextLesson").isEnabled()


def test_the_solution_is_below_the_text_and_stays_in_sight(view, tmp_path):
    view.resize(300, 300)
    view.show()
    lesson = Lesson(tmp_path, "T", "# T\n\n" + "Text.\n\n" * 60, ())
    view.show_list((lesson,), frozenset())
    view.show_lesson(lesson, 0)
    shown = view.findChild(QTextBrowser, "lessonText")
    assert "Explained" not in shown.toPlainText()
    view.show_passed(["LDG.* (loads): 4 → 1"], "## The solution\n\nExplained.")
    assert "Before → after\nLDG.* (loads): 4 → 1\nThe solution\nExplained." in shown.toPlainText()
    seen = shown.verticalScrollBar().value()
    assert seen > 0
    # The list comes a moment later, with the lesson among the passed.
    view.show_list((lesson,), frozenset({"T"}))
    assert shown.verticalScrollBar().value() == seen
    view.show_lesson(lesson, 0)
    assert "Explained" not in shown.toPlainText()


def test_a_command_in_a_lesson_is_carried_out_if_a_lesson_may_offer_it(start, tmp_path):
    copy_lesson(find_lesson("3"), tmp_path / "mine")
    driver = start(tmp_path / "mine" / "lesson.jitproj")
    view = driver.pane("lessons")
    text = view.findChild(QTextBrowser, "lessonText")
    driver.wait(lambda: "Neighbours together" in text.toPlainText())
    text.anchorClicked.emit(QUrl("action:newCudaAction"))
    assert driver.document.path.name == "halve.cu"
    text.anchorClicked.emit(QUrl("action:simulateAction"))
    launches = driver.state.launches
    driver.wait(lambda: launches.result is not None, 60)
    assert launches.device.is_simulated
    assert launches.result.simulation.instructions > 0
    # Another project has no result of this one.
    copy_lesson(find_lesson("1"), tmp_path / "other")
    driver.projects.open_path(tmp_path / "other" / "lesson.jitproj")
    driver.wait(lambda: launches.launched is None)
    results = driver.pane("launch").results
    assert results.result.headline.text == "Nothing has been run yet."


@pytest.mark.slow
def test_a_pupil_mends_a_lesson(started, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    driver = started
    driver.trigger("optionsAction")
    view, choice = listed(driver)
    choice.setCurrentIndex(1)
    button(view, "openLesson").click()
    shown = view.findChild(QTextBrowser, "lessonText")
    driver.wait(lambda: "From a line to a machine" in shown.toPlainText())
    goals = view.findChild(QPlainTextEdit, "lessonGoals")
    # The copy is checked by the original, whatever it says itself.
    own = tmp_path / "data" / "jitstudio" / "lessons" / lessons()[1].name / "checks.toml"
    driver.wait(lambda: driver.document.path and driver.document.path.parent == own.parent)
    # A lesson has the room of other forms.
    driver.wait(driver.find(QDockWidget, "buildDock").isHidden)
    own.unlink()
    button(view, "checkLesson").click()
    driver.wait(lambda: "✗ One instruction multiplies and adds." in goals.toPlainText(), 60)
    driver.replace("float product = __fmul_rn(a, x[i]);", "")
    driver.replace("__fadd_rn(product, y[i])", "a * x[i] + y[i]")
    button(view, "checkLesson").click()
    driver.wait(lambda: "The lesson is passed." in goals.toPlainText(), 60)
    assert "are those that jitstudio came with" in goals.toPlainText()
    driver.wait(lambda: choice.itemText(1).endswith("(passed)"))
    driver.wait(lambda: "y[i] = a * x[i] + y[i];" in shown.toPlainText())
    assert ": 0 → 1" in shown.toPlainText()
    button(view, "resetLesson").click()
    driver.find(QPushButton, "resetNow").click()
    driver.wait(lambda: "__fadd_rn" in driver.editor.toPlainText())
    kept = own.parent.with_name(f"{own.parent.name}-before-1") / "axpy.cu"
    assert "a * x[i] + y[i]" in kept.read_text()
    driver.wait(lambda: "y[i] = a * x[i] + y[i];" not in shown.toPlainText())
    # At the next start the panes are as they were left.
    project = driver.state.project
    saved = project.remembered()
    project.close()
    driver.wait(goals.isHidden)
    driver.trigger("optionsAction")
    project.resume(saved)
    driver.wait(goals.isVisible)
    assert not driver.find(QDockWidget, "buildDock").isHidden()


@pytest.mark.slow
def test_a_lesson_is_checked_as_it_is_built(started, tmp_path):
    driver = started
    copy_lesson(find_lesson("1"), tmp_path / "mine")
    driver.projects.open_path(tmp_path / "mine" / "lesson.jitproj")
    view = driver.pane("lessons")
    driver.wait(lambda: button(view, "checkLesson").isEnabled())
    goals = view.findChild(QPlainTextEdit, "lessonGoals")
    driver.next_result(lambda: driver.trigger("buildAction"))
    assert goals.toPlainText() == ""
    view.findChild(QCheckBox, "checkAsBuilt").click()
    driver.wait(lambda: "✗" in goals.toPlainText(), 60)
    checks = view.findChild(OwnedProcess)
    checked = []
    checks.finished.connect(lambda: checked.append(goals.toPlainText()))
    driver.replace("float product = __fmul_rn(a, x[i]);", "")
    driver.wait(lambda: "Not checked, as the build has failed." in goals.toPlainText(), 60)
    assert not checked
    driver.replace("__fadd_rn(product, y[i])", "a * x[i] + y[i]")
    driver.wait(lambda: "The lesson is passed." in goals.toPlainText(), 60)
    assert "a * x[i] + y[i]" in (tmp_path / "mine" / "axpy.cu").read_text()
    # A build of the same text says nothing new.
    count = len(checked)
    driver.next_result(lambda: driver.trigger("buildAction"))
    assert not checks.is_running
    view.findChild(QCheckBox, "checkAsBuilt").click()
    driver.next_result(lambda: driver.replace("a * x[i]", "x[i] * a"))
    assert not checks.is_running
    assert len(checked) == count
    assert "x[i] * a" not in (tmp_path / "mine" / "axpy.cu").read_text()


@pytest.fixture
def class_dialog(started, tmp_path, monkeypatch):
    """The dialog of the class in `hand-ins`, as the button opens the dialog."""
    monkeypatch.setattr(
        "jitstudio.gui.kit.dialogs.Dialogs.folder_of_class",
        lambda _self, _folder: tmp_path / "hand-ins",
    )
    started.trigger("lessonsAction")
    button(started.pane("lessons"), "lessonClass").click()
    dialog = started.find(ClassDialog, "classDialog")
    yield dialog
    dialog.close()
    process = dialog.findChild(OwnedProcess)
    started.wait(lambda: not process.is_running)


@pytest.fixture
def hand_ins(tmp_path):
    """Hand-ins of lesson 2: the solution, the starting text, and a folder without a lesson."""
    lesson = find_lesson("2")
    for pupil in ("ada", "bob"):
        copy_lesson(lesson, tmp_path / "hand-ins" / pupil)
    shutil.copyfile(lesson.folder / "solution" / "square.cu", tmp_path / "hand-ins/ada/square.cu")
    (tmp_path / "hand-ins" / "cy").mkdir()
    return tmp_path / "hand-ins"


def table_of(dialog):
    return dialog.findChild(RowsTable, "classTable")


def state_of(dialog):
    return dialog.findChild(QLabel, "classState").text()


@pytest.mark.slow
def test_a_class_is_a_table_that_is_sorted_and_copied(started, hand_ins, class_dialog):
    started.wait(lambda: "1 of 3 pupils have passed." in state_of(class_dialog), 90)
    table, goals = table_of(class_dialog), class_dialog.findChild(QPlainTextEdit, "classGoals")
    assert [(row.pupil, row.passed, bool(row.problem)) for row in table.rows] == [
        ("ada", True, False),
        ("bob", False, False),
        ("cy", False, True),
    ]
    assert "✓ 2. Each element is squared" in goals.toPlainText()
    table.choose(1)
    assert "✗ 2. Each element is squared" in goals.toPlainText()
    table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    assert [row.pupil for row in table.sorted_rows] == ["bob", "cy", "ada"]
    button(class_dialog, "copyClass").click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["Pupil", "Lesson", "Passed", "Reached", "1", "2", "3", "4"]
    assert lines[1].split("\t")[:3] == ["bob", "Who am I?", "✗"]
    assert "is not a lesson" in lines[2]
    assert not button(class_dialog, "stopClass").isEnabled()


@pytest.mark.slow
def test_a_class_is_judged_by_the_teachers_lesson(started, hand_ins, class_dialog, monkeypatch):
    for text in hand_ins.glob("*/lesson.md"):
        text.write_text(text.read_text().replace("# Who am I?", "# Squares"))
    button(class_dialog, "stopClass").click()
    started.wait(lambda: button(class_dialog, "chooseTeacher").isEnabled())
    monkeypatch.setattr(
        "jitstudio.gui.kit.dialogs.Dialogs.folder_of_lesson",
        lambda _self, _folder: hand_ins / "ada",
    )
    button(class_dialog, "chooseTeacher").click()
    started.wait(lambda: "1 of 3 pupils have passed." in state_of(class_dialog), 90)
    assert "own folders" not in state_of(class_dialog)
    assert table_of(class_dialog).rows[1].title == "Squares"


@pytest.mark.slow
def test_a_class_is_stopped_and_those_judged_stay(started, hand_ins, class_dialog):
    started.wait(lambda: table_of(class_dialog).rows, 60)
    button(class_dialog, "stopClass").click()
    started.wait(lambda: state_of(class_dialog).startswith("Stopped."))
    assert table_of(class_dialog).rows[0].pupil == "ada"
    assert len(table_of(class_dialog).rows) < 3


@pytest.mark.slow
def test_a_class_whose_check_dies_is_not_told_as_complete(started, hand_ins, class_dialog):
    started.wait(lambda: table_of(class_dialog).rows, 60)
    class_dialog.findChild(OwnedProcess).kill()
    started.wait(lambda: not button(class_dialog, "stopClass").isEnabled())
    assert state_of(class_dialog) == "The check has ended early. 1 of the 1 judged have passed."


def test_another_class_waits_for_the_end_of_the_one_before(
    started, hand_ins, class_dialog, monkeypatch
):
    folder = class_dialog.findChild(QLabel, "classFolder")
    assert (folder.text(), button(class_dialog, "stopClass").isEnabled()) == (str(hand_ins), True)
    monkeypatch.setattr(
        "jitstudio.gui.kit.dialogs.Dialogs.folder_of_class", lambda _self, _folder: hand_ins / "cy"
    )
    of_lessons = button(started.pane("lessons"), "lessonClass")
    of_lessons.click()
    assert folder.text() == str(hand_ins)
    button(class_dialog, "stopClass").click()
    started.wait(lambda: not button(class_dialog, "stopClass").isEnabled())
    of_lessons.click()
    assert folder.text() == str(hand_ins / "cy")
    started.wait(lambda: "has no folders in it" in state_of(class_dialog))


def test_a_folder_without_hand_ins_is_refused(started, tmp_path, class_dialog):
    started.wait(lambda: "cannot be read" in state_of(class_dialog))
    assert button(class_dialog, "chooseClass").isEnabled()


@pytest.mark.slow
def test_the_link_is_chosen_where_the_lesson_says(started, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    driver = started
    view, choice = listed(driver)
    choice.setCurrentIndex([lesson.name for lesson in lessons()].index("12-linker"))
    button(view, "openLesson").click()
    shown = view.findChild(QTextBrowser, "lessonText")
    driver.wait(button(view, "checkLesson").isEnabled)
    assert "Link LTO" in shown.toPlainText()
    shown.anchorClicked.emit(QUrl("action:linkLtoAction"))
    button(view, "checkLesson").click()
    goals = view.findChild(QPlainTextEdit, "lessonGoals")
    driver.wait(lambda: "The lesson is passed." in goals.toPlainText(), 60)


@pytest.mark.slow
def test_a_check_shows_nothing_below_another_lesson(started, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    driver = started
    view, choice = listed(driver)
    goals = view.findChild(QPlainTextEdit, "lessonGoals")

    def open_lesson(row):
        choice.setCurrentIndex(row)
        button(view, "openLesson").click()
        project = (
            tmp_path / "data" / "jitstudio" / "lessons" / lessons()[row].name / "lesson.jitproj"
        )
        driver.wait(lambda: driver.state.project.path == project)
        driver.wait(button(view, "checkLesson").isEnabled)

    open_lesson(1)
    button(view, "checkLesson").click()
    assert goals.toPlainText() == "Checking…"
    open_lesson(2)
    process = view.findChild(OwnedProcess)
    driver.wait(lambda: not process.is_running)
    assert goals.toPlainText() == ""
    button(view, "checkLesson").click()
    driver.wait(lambda: "✗" in goals.toPlainText(), 60)
    assert "Each element is squared" in goals.toPlainText()
