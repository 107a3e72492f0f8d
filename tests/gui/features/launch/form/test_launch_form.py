from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QToolButton,
    QWidget,
)

from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.launch.choice import Launchable
from jitstudio.core.launch.host_words import words_on_host_launch
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import HostLaunch
from jitstudio.core.launch.resolve import resolve
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.gui.features.launch.form.arguments_view import ArgumentsView
from jitstudio.gui.features.launch.form.launch_form import CheckForm, FormSection, LaunchForm
from jitstudio.gui.features.launch.models.arguments_model import VALUE
from jitstudio.gui.state.launch_specs import LaunchSpecs
from tests.devices import ONE_H200
from tests.gui.launch_kernels import APPLY, FULL, SAXPY, SAXPY_DOUBLE, TICK, A, N, X, Y


@pytest.fixture
def section(qtbot):
    section = FormSection("runSection", "&Run", QLineEdit(), opened=False)
    qtbot.addWidget(section)
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


@pytest.fixture
def specs():
    return LaunchSpecs()


@pytest.fixture
def form(qtbot, specs):
    form = LaunchForm(specs)
    for _ in form.fill():
        pass
    form.spec_changed.connect(specs.edit)
    form.kernel_chosen.connect(specs.choose)
    qtbot.addWidget(form)
    form.resize(420, 900)
    form.set_devices(ONE_H200)
    form.show()
    form.activateWindow()
    return form


@pytest.fixture
def filled(form, specs):
    specs.set_forms((SAXPY, APPLY, TICK))
    specs.show(FULL)
    return form


def field(form, place):
    return form.findChild(QLineEdit, f"{place}Field")


def label(form, name):
    return form.findChild(QLabel, name)


def choose_kernel(form, title):
    combo = form.findChild(QComboBox, "kernelCombo")
    combo.setCurrentIndex(combo.findData(title))
    combo.activated.emit(combo.currentIndex())


def heading(form, name):
    return form.findChild(QToolButton, f"{name}Heading")


def test_before_a_build_there_is_nothing_to_fill_in(form):
    assert form.spec() == LaunchSpec()
    assert form.form is None
    assert not field(form, "block").isEnabled()
    assert "kernel to launch" in form.findChild(ArgumentsView).table.hint


def test_a_build_brings_its_first_kernel_with_sensible_texts(form, specs):
    specs.set_forms((SAXPY, TICK))
    spec = form.spec()
    assert (spec.kernel, spec.cover) == ("saxpy<float>", "n")
    assert [name for name, _ in spec.arguments] == ["a", "x", "y", "n"]
    assert field(form, "block").isEnabled()


def test_gives_back_every_field_it_shows(filled, qtbot):
    assert filled.spec() == FULL


def test_showing_is_no_edit(form, qtbot, specs):
    with qtbot.assertNotEmitted(form.spec_changed), qtbot.assertNotEmitted(form.kernel_chosen):
        specs.set_forms((SAXPY, TICK))
        specs.show(FULL)
        specs.set_forms((TICK,))


def test_an_edit_is_told_with_the_whole_launch(filled, qtbot):
    with qtbot.waitSignal(filled.spec_changed) as changed:
        QTest.keyClicks(field(filled, "block"), "0")
    assert changed.args == [replace(FULL, block="640"), ()]
    with qtbot.waitSignal(filled.spec_changed) as changed:
        filled.findChild(QPlainTextEdit).setPlainText("y = x")
    assert changed.args[0].expectations == ("y = x",)
    view = filled.findChild(ArgumentsView)
    with qtbot.waitSignal(filled.spec_changed) as changed:
        view.model.setData(view.model.index(3, VALUE), "99")
    assert dict(changed.args[0].arguments)["n"] == "99"


def test_a_launch_by_shortcut_takes_what_is_being_typed(filled, specs):
    table = filled.findChild(ArgumentsView).table
    table.setFocus()
    table.setCurrentIndex(table.model().index(3, VALUE))
    QTest.keyClick(table, Qt.Key.Key_F2)
    table.viewport().findChild(QLineEdit).setText("77")
    assert dict(filled.spec().arguments)["n"] == "1024"
    assert specs.finish() == ""
    assert dict(filled.spec().arguments)["n"] == "77"


def test_what_was_typed_is_there_again_after_another_kernel(filled, qtbot, specs):
    with (
        qtbot.waitSignal(specs.changed),
        qtbot.waitSignal(filled.kernel_chosen) as chosen,
    ):
        choose_kernel(filled, "apply")
    assert chosen.args == ["apply"]
    assert filled.spec().kernel == "apply"
    field(filled, "block").selectAll()
    QTest.keyClicks(field(filled, "block"), "96")
    choose_kernel(filled, "saxpy<float>")
    assert filled.spec() == FULL
    choose_kernel(filled, "apply")
    assert filled.spec().block == "96"


def test_a_rebuild_keeps_kernel_and_texts(filled, specs):
    choose_kernel(filled, "tick")
    specs.set_forms((SAXPY, APPLY, TICK))
    assert filled.spec().kernel == "tick"
    choose_kernel(filled, "saxpy<float>")
    specs.set_forms((APPLY, replace(SAXPY, parameters=(N, X, Y)), TICK))
    assert filled.spec() == replace(
        FULL, arguments=(("n", "1024"), ("x", "n:random(1)"), ("y", "n:zeros:out"))
    )
    specs.set_forms((replace(SAXPY, parameters=(A, X, Y, N)),))
    assert filled.spec() == FULL


def test_a_build_that_fails_forgets_nothing(filled, specs):
    specs.set_forms(())
    specs.set_forms((SAXPY, APPLY, TICK))
    assert filled.spec() == FULL


def test_another_instance_takes_over_what_was_typed(filled, specs):
    specs.set_forms((SAXPY_DOUBLE,))
    assert filled.spec() == replace(FULL, kernel="saxpy<double>")


@pytest.mark.parametrize("kernel", ["saxpy<float>", "_Z5saxpyIfE"])
def test_a_launch_waits_for_its_kernel_to_be_built(form, kernel, specs):
    specs.show(replace(FULL, kernel=kernel))
    assert form.spec() == replace(FULL, kernel=kernel)
    specs.set_forms((TICK,))
    assert form.spec().kernel == "tick"
    specs.set_forms((TICK, SAXPY))
    assert form.spec() == FULL


def test_a_launch_without_a_name_is_one_of_the_first_kernel(form, specs):
    specs.show(replace(FULL, kernel=""))
    specs.set_forms((SAXPY, TICK))
    assert form.spec() == FULL


def test_what_it_gives_for_a_fresh_kernel_can_be_launched_as_it_is(form, specs):
    specs.set_forms((SAXPY,))
    found = resolve(form.spec(), Launchable(SAXPY, _cubin()), ONE_H200, 0)
    assert [p.message for p in found.problems if p.where != "code"] == []


def _cubin():
    return Artifact(CodeKind.CUBIN, "saxpy.cu", b"")


def test_each_problem_stands_where_it_belongs(filled):
    filled.show_problems(
        (
            SpecProblem("block", "Too many."),
            SpecProblem("arguments.n", "No number."),
            SpecProblem("arguments.gone", "No argument."),
            SpecProblem("code", "Too new."),
            SpecProblem("expectations", "No buffer."),
        )
    )
    told = {
        name: label(filled, f"{name}Problem").text()
        for name in ("block", "arguments", "launch", "device", "expectations")
    }
    assert told == {
        "block": "Too many.",
        "arguments": "No number.",
        "launch": "No argument.",
        "device": "Too new.",
        "expectations": "No buffer.",
    }


def test_a_folded_section_opens_for_its_problem(filled):
    assert not heading(filled, "runSection").isChecked()
    filled.show_problems((SpecProblem("timeout", "Too long."),))
    assert heading(filled, "runSection").isChecked()
    assert label(filled, "timeoutProblem").isVisible()


def test_a_folded_section_says_what_is_in_it(filled):
    remark = label(filled, "runSectionRemark")
    assert remark.text() == "3 warm-up, 0 timed, PTX, by the driver's JIT, racecheck"
    heading(filled, "runSection").click()
    assert not remark.isVisible()
    assert field(filled, "warmup").isVisible()


def test_a_field_that_holds_no_number_is_told(filled, specs):
    heading(filled, "runSection").click()
    field(filled, "warmup").selectAll()
    QTest.keyClicks(field(filled, "warmup"), "few")
    assert [problem.where for problem in filled.unreadable] == ["warmup"]
    assert filled.spec() == FULL
    filled.show_problems(filled.unreadable)
    said = label(filled, "warmupProblem")
    assert said.text() == "Warm-up launches: 'few' is not a whole number from 0 on."
    assert specs.unreadable == said.text()
    field(filled, "warmup").selectAll()
    QTest.keyClicks(field(filled, "warmup"), "3")
    assert not said.isVisible()
    assert specs.unreadable == ""
    QTest.keyClicks(field(filled, "warmup"), "x")
    assert specs.finish().startswith("Warm-up launches: '3x' is not ")
    # What is shown instead can be read.
    specs.show(specs.spec)
    assert (specs.finish(), field(filled, "warmup").text()) == ("", "3")


def test_tab_goes_through_the_form_as_it_is_read(filled):
    filled.findChild(QComboBox, "kernelCombo").setFocus()
    reached = []
    for _ in range(15):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget().objectName())
    assert reached == [
        "deviceCombo",
        "runButton",
        "argumentsSectionHeading",
        "argumentsView",
        "configurationSectionHeading",
        "coverChoice",
        "gridField",
        "blockField",
        "clusterField",
        "sharedField",
        "cooperativeField",
        "checkSectionHeading",
        "expectationsField",
        "relativeField",
        "absoluteField",
    ]


PLACES = {
    "kernel": "kernelCombo",
    "device": "deviceCombo",
    "code": "deviceCombo",
    "block": "blockField",
    "cooperative": "cooperativeField",
    "repeats": "repeatsField",
    "guards": "guardsField",
    "expectations": "expectationsField",
    "absolute": "absoluteField",
    "arguments.x": "argumentsView",
}


@pytest.mark.parametrize("place", PLACES)
def test_each_place_of_a_problem_is_a_field_to_go_to(filled, place):
    filled.reveal(place)
    assert QApplication.focusWidget().objectName() == PLACES[place]


def test_every_field_has_a_name_and_a_tooltip(filled):
    heading(filled, "runSection").click()
    kinds = (QLineEdit, QComboBox, QPlainTextEdit, QToolButton)
    named = [
        w
        for kind in kinds
        for w in filled.findChildren(kind)
        if w.objectName() and not w.objectName().startswith("qt_") and w.parent().objectName()
    ]
    assert len(named) > 15
    buttons = {"runButton", "stopButton"}  # named by the actions that they get
    assert [
        w.objectName()
        for w in named
        if w.objectName() not in buttons
        and not (w.toolTip() and (w.accessibleName() or isinstance(w, QToolButton)))
    ] == []


@pytest.mark.parametrize("width", [420, 640, 900])
def test_nothing_is_cut_off_at_the_side(filled, width):
    heading(filled, "runSection").click()
    filled.show_problems((SpecProblem("block", "Far too many threads for any GPU." * 4),))
    filled.set_suggestion(256, 1.0)
    filled.resize(width, 500)
    QApplication.processEvents()
    scroll = filled.findChild(QScrollArea)
    assert scroll.widget().width() <= scroll.viewport().width()
    # Not the words on the button of the suggestion: they are of their own length.
    assert scroll.widget().minimumSizeHint().width() <= scroll.viewport().width()


def test_a_wide_form_has_two_columns(filled):
    def left_of(name):
        section = filled.findChild(QWidget, name)
        return section.mapTo(filled, QPoint()).x()

    assert left_of("checkSection") == left_of("argumentsSection")
    filled.resize(1000, 600)
    QApplication.processEvents()
    assert left_of("checkSection") > left_of("argumentsSection")
    assert left_of("configurationSection") == left_of("argumentsSection")


def test_a_form_says_which_launch_of_the_host_code_it_begins_with(form, specs):
    assert form.findChild(QLabel, "argumentsOrigin").isHidden()
    host = HostLaunch("saxpy", "", "k.cu", 57, (4,), (256,), 0, (2.0, None, None, 1000))
    specs.set_forms((replace(SAXPY, host_launch=host),))
    origin = form.findChild(QLabel, "argumentsOrigin")
    begun, unknown = words_on_host_launch(specs.form)
    assert "line 57 of k.cu: grid 4, block 256, a = 2.0 and n = 1000." in begun
    assert unknown.endswith("form: x and y.")
    assert origin.text() == f"{begun}\n{unknown}"
    assert not origin.isHidden()
    assert dict(specs.spec.arguments)["n"] == "1000"


@pytest.fixture
def checks(qtbot):
    checks = CheckForm()
    qtbot.addWidget(checks)
    checks.show()
    return checks


def lines(checks):
    return checks.findChild(QPlainTextEdit, "expectationsField")


@pytest.mark.parametrize("spec", [FULL, LaunchSpec(), LaunchSpec(expectations=("a = 1", "b = 2"))])
def test_gives_back_what_it_shows(checks, spec, qtbot):
    with qtbot.assertNotEmitted(checks.changed):
        checks.show_spec(spec)
    bare = LaunchSpec(relative=9.0, absolute=9.0)
    own = ("expectations", "relative", "absolute", "integer_tolerance")
    wanted = replace(bare, **{name: getattr(spec, name) for name in own})
    assert checks.apply_to(bare) == wanted


def test_each_line_is_an_expectation(checks, qtbot):
    with qtbot.waitSignal(checks.changed):
        QTest.keyClicks(lines(checks), "y = a * x")
    QTest.keyClick(lines(checks), Qt.Key.Key_Return)
    QTest.keyClick(lines(checks), Qt.Key.Key_Return)
    QTest.keyClicks(lines(checks), " z = x ")
    assert checks.apply_to(LaunchSpec()).expectations == ("y = a * x", "z = x")


def test_showing_the_same_keeps_what_is_being_typed(checks):
    QTest.keyClicks(lines(checks), "y = a ")
    checks.show_spec(checks.apply_to(LaunchSpec()))
    assert lines(checks).toPlainText() == "y = a "


def test_the_example_is_about_this_kernel(checks):
    assert lines(checks).placeholderText() == "out = out * out + 1"
    checks.show_form(SAXPY)
    assert lines(checks).placeholderText() == "y = x * x + 1"


@pytest.mark.parametrize("text", ["", "often", "-1", "inf"])
def test_a_tolerance_that_is_none_is_said_and_not_taken(checks, text):
    field = checks.findChild(QLineEdit, "relativeField")
    field.setText(text + " ")
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    told = checks.findChild(QLabel, "relativeProblem")
    assert told.text() == f"Relative tolerance: '{text}' is not a number from 0 on."
    assert told.isVisible()
    assert checks.apply_to(LaunchSpec()).relative == 1e-5


def test_problems_of_expectations_stand_below_them(checks):
    checks.show_problems((SpecProblem("expectations", "'z' is not a buffer.", "Write y."),))
    assert checks.findChild(QLabel, "expectationsProblem").text() == "'z' is not a buffer. Write y."


def test_tab_leaves_the_lines(checks):
    checks.activateWindow()
    lines(checks).setFocus()
    QTest.keyClick(lines(checks), Qt.Key.Key_Tab)
    assert QApplication.focusWidget().objectName() == "relativeField"
