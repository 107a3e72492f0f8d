"""Comparing with a baseline in a real window with real workers."""

import pytest

from jitstudio.analysis.diff.model import Change
from jitstudio.core.request import LinkMode
from jitstudio.gui.features.compare.model import CompareMode
from tests.gui.driver import pause
from tests.support import SAMPLES

MODULES = [SAMPLES / "apply_transform.cu", SAMPLES / "user_transform.cu"]


def show(driver):
    driver.shell.layout.uncover(driver.pane("compare"))
    return driver.pane("compare")


def linked(driver, mode):
    def change():
        driver.state.settings.link = mode
        driver.state.build_controller.build()

    result = driver.next_result(change)
    assert result.ok
    return result


def choose(driver, matter):
    view = driver.pane("compare")
    view.matters.setCurrentIndex(view.matters.findData(matter))
    driver.wait(lambda: view.compared is not None and view.compared.matter is matter)
    return view.compared


@pytest.fixture(scope="module")
def both(shared_driver):
    """A window where the PTX link is pinned and the LTO link is looked at."""
    driver = shared_driver
    driver.start(MODULES)
    show(driver)
    linked(driver, LinkMode.PTX)
    driver.trigger("pinBaselineAction")
    linked(driver, LinkMode.LTO)
    driver.wait(lambda: driver.pane("compare").compared is not None)
    return driver


@pytest.mark.usefixtures("driver")
def test_the_pane_says_how_to_fill_it(started):
    view = show(started)
    hint = view.hint
    assert hint.startswith("Nothing is pinned yet.\n")
    view.pin.click()
    assert view.baselines.count() == 1
    started.wait(lambda: view.compared is not None)
    assert view.count == "No difference"
    view.remove.click()
    assert view.hint == hint


def test_both_links_stand_side_by_side(both):
    compared = choose(both, CompareMode.NORMALISED)
    calls = [line for line in compared.left.lines if "CALL" in line]
    assert calls
    assert not any("CALL" in line for line in compared.right.lines)
    assert compared.comparison.hunks
    figures = {(delta.name, delta.figure): delta for delta in compared.deltas}
    assert figures["apply_transform", "instructions"].difference < 0
    assert figures["apply_transform", "registers"].difference < 0
    inlined = [
        row
        for row in compared.comparison.rows
        if row.change is Change.REMOVED and "user_transform" in compared.comparison.left[row.left]
    ]
    assert inlined


def test_the_sources_of_both_links_are_the_same(both):
    compared = choose(both, CompareMode.SOURCE)
    assert compared.comparison.equal
    assert any("user_transform.cu" in line for line in compared.left.lines)


def test_the_ptx_of_both_links_differs_by_the_call(both):
    compared = choose(both, CompareMode.PTX)
    assert any("call" in line for line in compared.left.lines)
    assert not any("call" in line for line in compared.right.lines)


def test_keys_go_from_one_difference_to_the_next(both):
    choose(both, CompareMode.SASS)
    view = both.pane("compare")
    view.texts.go_to(0)
    both.trigger("nextDifferenceAction")
    first = view.texts.left.line
    both.trigger("nextDifferenceAction")
    assert view.texts.left.line > first
    both.trigger("previousDifferenceAction")
    assert view.texts.left.line == first


def test_a_baseline_can_be_called_otherwise_and_chosen(both):
    view = both.pane("compare")
    view.baseline_renamed.emit(0, "calls")
    assert view.baselines.itemText(0) == "calls"
    both.trigger("pinBaselineAction")
    assert view.baselines.count() == 2
    both.wait(lambda: view.count == "No difference")
    view.baseline_chosen.emit(0)
    both.wait(lambda: view.count != "No difference")
    assert both.state.baselines.chosen.name == "calls"


@pytest.mark.usefixtures("driver")
def test_names_are_in_cpp_as_in_the_listings(started):
    view = show(started)
    started.open_sample("SAXPY")
    started.trigger("pinBaselineAction")
    started.next_result(lambda: started.replace("a * x[i]", "a * x[i] * x[i]"))
    left, right = view.texts.left, view.texts.right
    # Not yet those of the build that is compared with itself.
    started.wait(lambda: view.deltas.rows)
    assert ".kernel saxpy<double>" in left.toPlainText()
    assert ".kernel saxpy<float>" in right.toPlainText()
    assert "_Z5saxpy" not in left.toPlainText() + right.toPlainText()
    functions = {row.name for row in view.deltas.rows}
    assert functions <= {"saxpy<double>", "saxpy<float>"}
    hunk = view.compared.comparison.hunks[-1].start
    view.texts.go_to(hunk)
    started.trigger("demangleAction")
    started.wait(lambda: ".kernel _Z5saxpyIdEvT_PKS0_PS0_i" in left.toPlainText())
    assert "saxpy<" not in left.toPlainText() + right.toPlainText()
    assert {row.name for row in view.deltas.rows} <= {
        "_Z5saxpyIdEvT_PKS0_PS0_i",
        "_Z5saxpyIfEvT_PKS0_PS0_i",
    }
    # Whoever reads stays where he is.
    assert left.caret.line == hunk


@pytest.mark.usefixtures("driver")
def test_nothing_is_compared_that_nobody_sees(started):
    view = started.pane("compare")
    assert not view.isVisible()
    started.trigger("pinBaselineAction")
    # The code is known, so that it would have been compared by now.
    started.wait(lambda: started.state.disassembly.current)
    pause(300)
    assert view.compared is None
    show(started)
    started.wait(lambda: view.compared is not None)


@pytest.mark.usefixtures("driver")
def test_all_code_has_one_size(started):
    texts = show(started).texts
    before = started.state.preferences.font_size
    texts.left.zoom_in()
    assert started.state.preferences.font_size == before + 1
    started.state.preferences.font_size = before
    assert texts.right.font_size == before
