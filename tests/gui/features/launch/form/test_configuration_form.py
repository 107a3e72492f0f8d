import random
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPushButton, QRadioButton

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.gui.features.launch.form.configuration_form import ConfigurationForm
from tests.gui.launch_kernels import FULL


@pytest.fixture
def form(qtbot):
    form = ConfigurationForm()
    qtbot.addWidget(form)
    form.show_spec(LaunchSpec(cover="n"))
    form.show()
    return form


def line(form, place):
    return form.findChild(QLineEdit, f"{place}Field")


def problem(form, place):
    return form.findChild(QLabel, f"{place}Problem")


@pytest.mark.parametrize("spec", [FULL, LaunchSpec(cover="n*m, k"), LaunchSpec(grid="3")])
def test_gives_back_what_it_shows(form, spec):
    form.show_spec(spec)
    assert form.apply_to(spec) == spec
    bare = LaunchSpec()
    shown = form.apply_to(bare)
    fields = ("grid", "cover", "block", "cluster", "shared", "cooperative")
    assert shown == replace(bare, **{name: getattr(spec, name) for name in fields})


def test_showing_is_no_edit(form, qtbot):
    with qtbot.assertNotEmitted(form.changed):
        form.show_spec(FULL)
        form.show_spec(LaunchSpec(cover="n"))


@pytest.mark.parametrize("place", ["cover", "block", "cluster", "shared"])
def test_typing_changes_the_launch(form, qtbot, place):
    line(form, place).clear()
    with qtbot.waitSignal(form.changed):
        QTest.keyClicks(line(form, place), "8")
    assert getattr(form.apply_to(LaunchSpec()), place) == "8"


def test_either_elements_are_covered_or_blocks_are_counted(form, qtbot):
    assert not line(form, "grid").isEnabled()
    with qtbot.waitSignal(form.changed):
        form.findChild(QRadioButton, "gridChoice").click()
    QTest.keyClicks(line(form, "grid"), "64,64")
    spec = form.apply_to(LaunchSpec())
    assert (spec.grid, spec.cover) == ("64,64", "")
    form.findChild(QRadioButton, "coverChoice").click()
    spec = form.apply_to(LaunchSpec())
    assert (spec.grid, spec.cover) == ("", "n")


def test_showing_the_same_keeps_the_cursor(form):
    line(form, "block").setText("1024")
    line(form, "block").setCursorPosition(1)
    form.show_spec(form.apply_to(LaunchSpec()))
    assert line(form, "block").cursorPosition() == 1


def test_cooperation_is_a_tick(form, qtbot):
    with qtbot.waitSignal(form.changed):
        form.findChild(QCheckBox, "cooperativeField").click()
    assert form.apply_to(LaunchSpec()).cooperative


def test_the_suggested_block_is_taken_by_a_press(form, qtbot):
    button = form.findChild(QPushButton, "suggestedBlock")
    assert not button.isVisible()
    form.set_suggestion(512, 0.94)
    assert button.text() == "Suggested: 512 (94%)"
    with qtbot.waitSignal(form.changed):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert form.apply_to(LaunchSpec()).block == "512"
    assert not button.isEnabled()
    form.set_suggestion(512, None)
    assert button.text() == "Suggested: 512"
    form.set_suggestion(None, None)
    assert not button.isVisible()


@pytest.mark.parametrize("seed", range(20))
def test_a_suggestion_is_to_be_pressed_where_the_block_is_another(form, seed):
    """After anything that changes block or suggestion, in any order."""
    rng, button = random.Random(seed), form.findChild(QPushButton, "suggestedBlock")
    suggested = None

    def suggest():
        nonlocal suggested
        suggested = rng.choice([None, 64, 128])
        form.set_suggestion(suggested, rng.choice([None, 0.5]))

    def show():
        form.show_spec(LaunchSpec(cover="n", block=rng.choice(["64", "128", "8, 8"])))

    def type_block():
        line(form, "block").clear()
        QTest.keyClicks(line(form, "block"), rng.choice(["64", " 128 ", "None", "8"]))

    for _ in range(20):
        rng.choice([suggest, show, type_block, button.click])()
        block = form.apply_to(LaunchSpec()).block
        is_offered = button.isVisible() and button.isEnabled()
        assert is_offered == (suggested is not None and block != str(suggested))


def test_a_problem_stands_below_its_field_with_its_remedy(form, theme):
    form.show_problems((SpecProblem("block", "2048 threads are too many.", "Take 1024."),))
    said = problem(form, "block")
    assert said.text() == "2048 threads are too many. Take 1024."
    assert said.isVisible()
    assert theme.marks.error.name() in said.styleSheet()
    assert not problem(form, "cover").isVisible()
    form.show_problems(())
    assert not said.isVisible()


def test_what_it_comes_to_is_said(form):
    summary = form.findChild(QLabel, "configurationSummary")
    assert not summary.isVisible()
    form.show_summary("4,096 blocks")
    assert summary.text() == "4,096 blocks"
    assert summary.isVisible()
