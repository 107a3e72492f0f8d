from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit

from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.gui.features.launch.form.run_options import RunOptionsForm
from tests.gui.launch_kernels import FULL
from tests.gui.rich_text import plain

FIELDS = (
    "warmup",
    "repeats",
    "load",
    "sanitizer",
    "timeout",
    "blocks",
    "seed",
    "seeds",
    "both",
    "flush_l2",
    "poison",
    "guards",
)


@pytest.fixture
def options(qtbot):
    options = RunOptionsForm()
    qtbot.addWidget(options)
    options.show()
    return options


def retype(options, place, text):
    line = options.findChild(QLineEdit, f"{place}Field")
    line.selectAll()
    QTest.keyClicks(line, text)


@pytest.mark.parametrize("spec", [FULL, LaunchSpec()])
def test_gives_back_what_it_shows(options, spec, qtbot):
    with qtbot.assertNotEmitted(options.changed):
        options.show_spec(spec)
    other = LaunchSpec(warmup=9, repeats=9, timeout=9.0, blocks=9, seed=9, seeds=9)
    wanted = replace(other, **{name: getattr(spec, name) for name in FIELDS})
    assert options.apply_to(other) == wanted


@pytest.mark.parametrize(
    ("place", "text", "number"),
    [("warmup", "0", 0), ("repeats", "500", 500), ("timeout", "0.5", 0.5), ("seed", "7", 7)],
)
def test_numbers_are_typed(options, qtbot, place, text, number):
    with qtbot.waitSignal(options.changed):
        retype(options, place, text)
    assert getattr(options.apply_to(LaunchSpec()), place) == number


@pytest.mark.parametrize(
    ("place", "text", "words"),
    [
        ("warmup", "-1", "Warm-up launches: '-1' is not "),
        ("repeats", "2.5", "Timed launches: '2.5' is not "),
        ("timeout", "0", "Time limit: '0' is not "),
        ("timeout", "nan", "Time limit: 'nan' is not "),
    ],
)
def test_what_is_no_number_is_said_and_not_taken(options, place, text, words):
    retype(options, place, text)
    told = next(p for p in options.findChildren(QLabel) if p.text().startswith(words))
    assert told.isVisible()
    assert [problem.where for problem in options.unreadable] == [place]
    assert options.apply_to(LaunchSpec()) == LaunchSpec()
    retype(options, place, "3")
    assert not told.isVisible()


def test_other_problems_stay_while_a_number_is_typed(options):
    options.show_problems((SpecProblem("load", "There is no PTX."),))
    retype(options, "warmup", "x")
    assert options.findChild(QLabel, "loadProblem").text() == "There is no PTX."


@pytest.mark.parametrize("place", ["flush_l2", "poison", "guards"])
def test_ticks_switch(options, qtbot, place):
    with qtbot.waitSignal(options.changed):
        options.findChild(QCheckBox, f"{place}Field").click()
    assert getattr(options.apply_to(LaunchSpec()), place) is not getattr(LaunchSpec(), place)


def test_choices_are_made_by_keyboard(options, qtbot):
    with qtbot.waitSignal(options.changed):
        QTest.keyClick(options.findChild(QComboBox, "loadField"), Qt.Key.Key_Down)
    QTest.keyClick(options.findChild(QComboBox, "sanitizerField"), Qt.Key.Key_Down)
    spec = options.apply_to(LaunchSpec())
    assert (spec.load, spec.sanitizer) == (LoadMode.DRIVER_JIT, Sanitizer.MEMCHECK)


def test_a_missing_sanitizer_is_greyed_with_the_reason(options):
    combo = options.findChild(QComboBox, "sanitizerField")
    options.set_sanitizer_problem("There is none here.")
    assert [combo.model().item(row).isEnabled() for row in range(5)] == [True] + [False] * 4
    for told in (combo.toolTip(), combo.model().item(1).toolTip()):
        assert plain(told) == ["There is none here."]
    options.set_sanitizer_problem("")
    assert all(combo.model().item(row).isEnabled() for row in range(5))


def test_the_summary_tells_what_matters(options):
    assert options.summary == "1 warm-up, 10 timed, Cubin"
    options.show_spec(FULL)
    assert options.summary.startswith("3 warm-up, 0 timed, PTX, ")
    assert options.summary.endswith(", racecheck")


def test_what_has_no_meaning_where_it_is_launched_is_greyed_with_the_reason(options):
    options.show_spec(replace(FULL, blocks=0))
    options.set_simulated(True)
    grey = {place for place, field in options.places.items() if not field.isEnabled()}
    assert grey == {"warmup", "repeats", "load", "sanitizer", "flush_l2", "guards"}
    assert "the simulator has no times" in options.findChild(QLineEdit, "warmupField").toolTip()
    assert options.findChild(QLabel, "simulatedHint").isVisible()
    assert options.summary == "all blocks, seed 5, 2 orders"
    options.set_simulated(False)
    grey = {place for place, field in options.places.items() if not field.isEnabled()}
    assert grey == {"blocks", "seed", "seeds"}
    assert "For the simulator only" in options.findChild(QLineEdit, "seedField").toolTip()
    assert options.apply_to(LaunchSpec()).seed == 5
