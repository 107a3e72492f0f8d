"""What is not of the newest text is marked in every pane alike, and nothing moves meanwhile."""

import pytest
from PySide6.QtWidgets import QFrame

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.request import LinkMode
from jitstudio.gui.kit.parts import Banner
from jitstudio.gui.kit.theme import STALE_BAR
from jitstudio.gui.shell.pane_registry import PaneGroup, names_of

# Compare marks one of its sides.
_BUILT = (*names_of(PaneGroup.LISTINGS, PaneGroup.READING, PaneGroup.RESULTS), "names")
# Neither passes nor Tile IR have anything here that could be old.
PANES = tuple(name for name in _BUILT if name not in ("compare", "passes", "tileir"))
GOOD, BAD = "a[i] + b[i]", "a[i] + c[i]"
LISTS = ("problems", "log")


def marked(driver):
    """The panes with a bar, and all that their banners say."""
    bars, told = set(), set()
    for name in (*PANES, "link", "compare", *LISTS):
        view = driver.pane(name)
        if not view.findChild(QFrame, "staleBar").isHidden():
            bars.add(name)
        banner = view.findChild(QFrame, "staleBanner")
        if not banner.isHidden():
            told.add(banner.findChild(Banner).text())
    return bars, told


@pytest.fixture
def unhurried(started):
    """No time goes by unless `stop_typing` says so."""
    quiet = started.state.staleness._quiet
    assert quiet.interval() == 2000
    quiet.setInterval(10**8)
    yield started
    quiet.setInterval(2000)


def stop_typing(driver):
    quiet = driver.state.staleness._quiet
    assert quiet.isActive()
    quiet.timeout.emit()
    quiet.stop()


def picture(view):
    """All but the caret's line, which blinks in no listing but has a ground, and the bar."""
    return view.grab(view.viewport().geometry().adjusted(0, STALE_BAR, 0, 0)).toImage()


def test_a_failed_build_marks_every_pane_and_moves_nothing(unhurried):
    driver = unhurried
    sass = driver.listing("sassView")
    driver.show_output("SASS")
    driver.wait(lambda: driver.state.disassembly.current is not None)
    driver.wait(lambda: driver.state.correlations.tied is not None)
    before = picture(sass)
    kernels = driver.pane("kernels").table.rows
    assert marked(driver) == (set(), set())

    driver.next_result(lambda: driver.replace(GOOD, BAD))
    assert marked(driver) == (set(PANES), set())
    # Typing goes on, and fails again.
    driver.next_result(lambda: driver.replace(BAD, f"{BAD} +"))
    assert marked(driver) == (set(PANES), set())
    sass.line_colours.show_matched(())
    assert picture(sass) == before
    assert driver.pane("kernels").table.rows == kernels != ()

    stop_typing(driver)
    bars, (told,) = marked(driver)
    assert bars == set(PANES)
    assert "line 9" in told
    assert "Shown is the" in told
    driver.next_result(lambda: driver.replace(f"{BAD} +", GOOD))
    assert marked(driver) == (set(), set())


def test_what_is_not_built_by_itself_is_old_at_once(unhurried):
    driver, settings = unhurried, unhurried.state.settings
    settings.auto_build = False
    driver.trigger("pressureAction")
    assert not driver.editor.pressure.is_old
    driver.replace(GOOD, BAD)
    assert marked(driver) == ({*PANES, *LISTS}, set())
    assert driver.editor.pressure.is_old
    stop_typing(driver)
    _, (told,) = marked(driver)
    assert told.startswith("This has changed and is not built yet. Shown is the build of")
    driver.editor.undo()
    assert driver.next_result(lambda: driver.trigger("buildAction")).ok
    assert marked(driver) == (set(), set())
    assert not driver.editor.pressure.is_old
    settings.options = "--use_fast_math"
    assert marked(driver)[0] == {*PANES, *LISTS}
    # Another tab has never been built, so nothing of it is old; and this one still is.
    documents, front = driver.state.documents, driver.document
    driver.files.new_ptx()
    assert marked(driver)[0] == set()
    documents.current = front
    bars, told = marked(driver)
    assert bars == {*PANES, *LISTS}
    assert len(told) == 1


def test_of_a_failed_build_only_what_was_not_made_is_old(unhurried):
    driver = unhurried
    driver.open_sample("Link by PTX or LTO")
    document = driver.state.documents.named("user_transform.cu")
    driver.next_result(lambda: setattr(driver.state.settings, "link", LinkMode.PTX))
    driver.next_result(lambda: setattr(document, "included", False))
    bars, _ = marked(driver)
    ptx = driver.listings[CodeKind.PTX]
    ptx.choose("apply_transform.cu")
    assert not ptx.is_old
    assert "sass" in bars
    assert "report" in bars
    # The link itself has failed, and says so.
    assert "link" not in bars


def test_what_came_of_a_launch_is_marked_in_another_tab(started, tmp_path):
    driver, path = started, tmp_path / "one.cu"
    path.write_text('extern "C" __global__ void one(int* p) { p[threadIdx.x] += 1; }\n')
    driver.next_result(lambda: driver.files.open_paths([path]))
    launches, results = driver.state.launches, driver.pane("launch").results
    driver.launch_form()
    driver.wait(lambda: launches.devices is not None)
    launches.choose_device(SIMULATOR)
    assert driver.launch().simulation is not None
    columns = driver.listings[CodeKind.PTX].columns
    mark = results.findChild(QFrame, "staleBar")
    assert mark.isHidden()
    assert columns.fitting.shown
    first, second = driver.state.documents
    driver.state.documents.current = first
    driver.wait(lambda: not mark.isHidden())
    assert "of another tab" in results.findChild(QFrame, "staleBanner").findChild(Banner).text()
    assert launches.simulated is None
    # Of the tab that one comes back to they are right again, next to its PTX, too.
    driver.state.documents.current = second
    driver.wait(mark.isHidden)
    driver.wait(lambda: launches.simulated is not None)
    driver.next_result(lambda: driver.replace("+= 1", "+= 2"))
    driver.wait(lambda: not mark.isHidden())
