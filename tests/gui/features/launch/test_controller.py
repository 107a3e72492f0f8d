"""What the launch panel says and where it leads to; real builds, but no GPU is needed."""

from dataclasses import replace

import pytest
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QToolButton

from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.launch.result import LaunchOutcome, SimulationForecast
from jitstudio.gui.features.launch.models.arguments_model import VALUE
from tests.devices import ONE_H200
from tests.gui.driver import pause


@pytest.fixture
def panel(started):
    """The launch panel of a window with a kernel and a GPU."""
    started.launch_form()
    started.wait(lambda: started.state.launches.devices is not None)
    started.state.launches.take_devices(ONE_H200)
    started.window.activateWindow()
    return started.pane("launch")


def write(panel, place, text):
    field = panel.form.findChild(QLineEdit, f"{place}Field")
    field.selectAll()
    QTest.keyClicks(field, text)
    return field


def heading(panel, name):
    return panel.form.findChild(QToolButton, f"{name}Heading")


def is_in_view(panel, name):
    pause(50)
    return not panel.form.findChild(QLabel, name).visibleRegion().isEmpty()


def test_a_number_that_cannot_be_read_is_told_and_led_to(started, panel):
    heading(panel, "runSection").setChecked(True)
    field = write(panel, "timeout", "abc")
    heading(panel, "runSection").setChecked(False)
    started.trigger("runAction")
    assert "Time limit: 'abc' is not a number above 0" in panel.results.result.headline.text
    assert heading(panel, "runSection").isChecked()
    assert QApplication.focusWidget() is field
    assert is_in_view(panel, "timeoutProblem")


def test_a_problem_that_forbids_the_launch_is_led_to(started, panel):
    field = write(panel, "block", "2048")
    heading(panel, "configurationSection").setChecked(False)
    started.trigger("runAction")
    assert panel.results.result.headline.text.startswith("vector_add: This cannot be launched: ")
    assert heading(panel, "configurationSection").isChecked()
    assert QApplication.focusWidget() is field
    assert is_in_view(panel, "blockProblem")
    assert not started.find(QAction, "stopRunAction").isEnabled()


def test_an_argument_that_makes_no_sense_is_led_to(started, panel):
    specs = started.state.launch_specs
    arguments = {**dict(specs.spec.arguments), "n": "many"}
    specs.show(replace(specs.spec, arguments=tuple(arguments.items())))
    heading(panel, "argumentsSection").setChecked(False)
    started.trigger("runAction")
    table = QApplication.focusWidget()
    assert table.objectName() == "argumentsView"
    assert (table.currentIndex().row(), table.currentIndex().column()) == (3, VALUE)


def test_while_a_run_waits_it_can_be_stopped(started, panel):
    launches = started.state.launches
    started.replace("a[i] + b[i]", "a[i] - b[i]")
    started.trigger("runAction")
    assert panel.results.result.headline.text == "Running: waiting for the build…"
    assert started.find(QAction, "stopRunAction").isEnabled()
    assert not started.find(QAction, "runAction").isEnabled()
    started.trigger("stopRunAction")
    assert panel.results.result.headline.text == "vector_add: Launch cancelled."
    assert started.find(QAction, "runAction").isEnabled()
    assert launches.has_devices


def test_without_the_sanitizer_its_tools_cannot_be_chosen(started, panel):
    combo = panel.form.findChild(QComboBox, "sanitizerField")
    assert all(combo.model().item(row).isEnabled() for row in range(combo.count()))
    without = replace(ONE_H200, sanitizer=False)
    started.state.launches.take_devices(without)
    assert [combo.model().item(row).isEnabled() for row in range(3)] == [True, False, False]
    assert "comes with the CUDA toolkit" in combo.toolTip()


def test_what_is_typed_is_what_would_be_launched_and_kept(started, panel):
    write(panel, "block", "96")
    specs = started.state.launch_specs
    assert specs.spec.block == "96"
    assert specs.spec in specs.specs
    assert panel.form.spec() == specs.spec


def test_a_long_simulation_is_told_and_can_be_one_of_fewer_blocks(started):
    started.launch_form()
    started.wait(lambda: started.state.launches.devices is not None)
    launches, results = started.state.launches, []
    launches.choose_device(SIMULATOR)
    launches.finished.connect(results.append)
    started.trigger("runAction")
    launches.foretold.emit(SimulationForecast(40.0, 2, 4096))
    button = started.find(QPushButton, "simulateFewer")
    assert button.text() == "Simulate 2 of 4,096 blocks instead"
    button.click()
    started.wait(lambda: len(results) == 2)
    assert results[0].outcome is LaunchOutcome.CANCELLED
    assert (results[1].simulation.blocks, results[1].simulation.of_blocks) == (2, 4096)
    assert started.state.launch_specs.spec.blocks == 2
