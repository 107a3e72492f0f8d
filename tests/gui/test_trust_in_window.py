"""Projects that others have written, in a real window with a real worker."""

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import FixKind
from jitstudio.core.options.safety import refused
from jitstudio.core.project.format import dump
from jitstudio.core.project.project import Member, Project
from jitstudio.core.request import LinkMode
from jitstudio.core.result import Outcome
from tests.gui.driver import KERNEL, Driver, write_project

CONCERN = f"options: {next(refused(['-Xcudafe', '--list=F'], (), ''))}"


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A project that writes a file into the working directory when it is built."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return write_project(folder / "p.jitproj", options="-lineinfo -Xcudafe --list=F")


def _build(driver):
    return driver.next_result(lambda: driver.trigger("buildAction"))


def test_one_question_lists_what_is_unusual_and_nothing_harmful_is_sent(start, hostile):
    driver = start()
    driver.open_project(hostile)
    notice = driver.shell.notices
    assert CONCERN in notice.text
    assert driver.window.windowTitle().endswith("p.jitproj (restricted) - jitstudio")
    action = driver.find(QAction, "trustProjectAction")
    assert (action.isEnabled(), action.isChecked()) == (True, False)

    # An edit builds by itself, as ever.
    result = driver.next_result(lambda: driver.type(" "))
    assert result.outcome is Outcome.REFUSED
    (told,) = result.diagnostics
    assert "-Xcudafe --list=F" in told.message
    assert told.fix.kind is FixKind.TRUST_PROJECT
    assert not (hostile.parent / "F").exists()

    # What the user types himself is held back too: it would work on what others have written.
    driver.state.settings.options = "--time=t.csv"
    assert _build(driver).outcome is Outcome.REFUSED
    driver.state.settings.options = "-lineinfo"
    assert _build(driver).ok


def test_trust_is_given_taken_back_and_remembered(start, hostile):
    driver = start()
    driver.open_project(hostile)
    driver.find(QPushButton, "keepRestricted").click()
    assert driver.shell.notices.text == ""
    # The command asks again.
    driver.trigger("trustProjectAction")
    assert not driver.find(QAction, "trustProjectAction").isChecked()
    driver.find(QPushButton, "trustProject").click()
    assert driver.find(QAction, "trustProjectAction").isChecked()
    assert driver.shell.notices.text == ""
    assert "restricted" not in driver.window.windowTitle()
    assert driver.state.build_controller.is_held
    assert "-Xcudafe=--list=F" in _build(driver).stages[0].options

    driver.open_project(hostile)
    assert driver.shell.notices.text == ""
    assert driver.state.project.standing.trusted
    driver.trigger("trustProjectAction")
    assert "restricted" in driver.window.windowTitle()
    assert _build(driver).outcome is Outcome.REFUSED


def test_only_another_concern_asks_anew(start, hostile):
    driver = start()
    driver.open_project(hostile)
    driver.find(QPushButton, "trustProject").click()
    driver.open_project(write_project(hostile, options="-G -Xcudafe --list=F"))
    assert driver.state.project.standing.trusted
    driver.open_project(write_project(hostile, options="-Xcudafe --list=F --time=t"))
    assert "'--time=t' writes a file" in driver.shell.notices.text
    assert not driver.state.project.standing.trusted


def test_the_problem_offers_to_trust(start, hostile):
    driver = start()
    driver.open_project(hostile)
    fix = _build(driver).diagnostics[0].fix
    result = driver.next_result(lambda: driver.pane("problems").fix_requested.emit(fix))
    assert result.outcome is not Outcome.REFUSED
    assert driver.state.project.standing.trusted


def test_an_ordinary_project_asks_nothing(start, tmp_path):
    (tmp_path / "h.h").write_text("#define H\n")
    text = f'#include "h.h"\n#include <cuda_fp16.h>\n{KERNEL}'
    path = tmp_path / "p.jitproj"
    path.write_bytes(dump(Project((Member("k.cu", CodeKind.CUDA, text),), options="-I. -G")))
    driver = start()
    driver.open_project(path)
    assert driver.shell.notices.text == ""
    assert "restricted" not in driver.window.windowTitle()
    assert _build(driver).ok
    assert driver.state.settings.trust.is_trusted is False
    driver.trigger("trustProjectAction")
    assert driver.state.settings.trust.is_trusted


def test_closing_leaves_nothing_of_it_behind(start, hostile):
    driver = start()
    settings = driver.state.settings
    settings.options, settings.link = "-DMINE", LinkMode.PTX
    driver.settle()
    driver.open_project(hostile)
    assert (settings.options, settings.link) == ("-lineinfo -Xcudafe --list=F", LinkMode.NONE)
    driver.trigger("closeProjectAction")
    assert driver.shell.notices.text == ""
    assert (settings.options, settings.link) == ("-DMINE", LinkMode.PTX)
    assert not driver.find(QAction, "trustProjectAction").isEnabled()
    driver.trigger("reopenTabAction")
    driver.wait(lambda: driver.state.documents.named("k.cu"))
    assert driver.document.confined_to == str(hostile.parent)
    driver.state.documents.remove(driver.document)
    driver.trigger("newCudaAction")
    driver.type(" ")
    driver.settle()
    assert not (hostile.parent / "F").exists()


def test_the_restriction_holds_after_a_restart(qapp, tmp_path, hostile):
    first = Driver(qapp, tmp_path)
    first.start([])
    first.open_project(hostile)
    first.close()
    second = Driver(qapp, tmp_path)
    try:
        second.start([])
        assert "(restricted)" in second.window.windowTitle()
        assert _build(second).outcome is Outcome.REFUSED
        second.trigger("trustProjectAction")
        assert CONCERN in second.shell.notices.text
        second.trigger("closeProjectAction")
        assert second.state.settings.options == ""
    finally:
        second.close()
    assert not (hostile.parent / "F").exists()


def test_unsafe_options_are_a_setting(start):
    driver = start()
    settings, preferences = driver.state.settings, driver.state.preferences
    settings.options = "-Xopt -load=./no.so"
    assert "Unsafe options" in _build(driver).diagnostics[0].message
    driver.next_result(lambda: preferences.set_value("build.unsafe_options", True))
    result = driver.results[-1]
    assert result.outcome is Outcome.FAILED
    assert "-Xopt" in result.stages[0].options
