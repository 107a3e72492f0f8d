"""The build as a picture, while a window builds, fails, links and launches."""

from time import time_ns

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from jitstudio.core.request import LinkMode
from jitstudio.gui.features.pipeline.graph import NodeState, launched
from jitstudio.gui.features.pipeline.view import PipelineCanvas
from jitstudio.gui.kit.dialogs import Dialogs
from tests.gui.driver import pause
from tests.support import SAMPLES


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    """Nothing is built yet: what comes from the cache looks otherwise."""
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def states(driver):
    return {n.title: n.state for n in driver.pane("pipeline").canvas.pipeline.nodes}


def node(driver, title):
    canvas = driver.pane("pipeline").canvas
    return next(n for n in canvas.pipeline.nodes if n.title == title)


def click(driver, title):
    """Click on a node, wherever the pane has it."""
    driver.trigger("focusPipelineAction")
    canvas = driver.find(PipelineCanvas, "pipelineCanvas")
    item = canvas.picture.item(node(driver, title).key)
    canvas.ensureVisible(item)
    place = canvas.mapFromScene(item.sceneBoundingRect().center())
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)


def focused_in(widget):
    focus = QApplication.focusWidget()
    return focus is widget or widget.isAncestorOf(focus)


def test_a_build_is_drawn_opened_saved_outdated_broken_and_mended(started, tmp_path, monkeypatch):
    panes = started
    assert set(states(started).values()) == {NodeState.GIVEN, NodeState.DONE, NodeState.WAITING}
    assert states(started)["Launch"] is NodeState.WAITING

    click(started, "vector_add.ptx")
    assert focused_in(panes.listings[node(started, "vector_add.ptx").code])
    click(started, "vector_add.cubin")
    assert focused_in(panes.pane("kernels"))
    click(started, "nvdisasm")
    assert panes.pane("log").stage.tool.value == "nvdisasm"
    click(started, "Launch")
    assert focused_in(panes.pane("launch"))
    click(started, "vector_add.cu")
    assert focused_in(panes.editors)

    # Saved where the user says, or told why not.
    places = [tmp_path / "no folder" / "build.svg", tmp_path / "build.svg"]
    monkeypatch.setattr(Dialogs, "file_to_save", lambda *_: places.pop(0))
    save = started.find(QToolButton, "pipelineSaveButton")
    started.trigger("focusPipelineAction")
    save.click()
    assert "cannot be written" in panes.shell.notices.text
    save.click()
    assert "vector_add.cubin" in (tmp_path / "build.svg").read_text()

    # Built again without a change, all comes from the cache.
    started.next_result(lambda: started.trigger("buildAction"))
    assert states(started)["NVRTC"] is NodeState.CACHED
    assert states(started)["vector_add.sass"] is NodeState.CACHED

    # What is not built by itself is out of date at once.
    started.trigger("autoBuildAction")
    started.state.settings.options = "--use_fast_math"
    pause(300)
    assert states(started)["vector_add.sass"] is NodeState.STALE
    started.next_result(lambda: started.trigger("buildAction"))
    assert states(started)["NVRTC"] is NodeState.DONE
    started.replace("a[i] + b[i];", "a[i] + b[i]")
    pause(300)
    assert states(started)["NVRTC"] is NodeState.STALE
    assert states(started)["vector_add.cu"] is NodeState.GIVEN

    started.next_result(lambda: started.trigger("buildAction"))
    assert states(started)["NVRTC"] is NodeState.FAILED
    assert states(started)["vector_add.sass"] is NodeState.STALE
    assert node(started, "NVRTC").message == 'expected a ";"'
    click(started, "NVRTC")
    assert started.editor.textCursor().blockNumber() + 1 == 10
    assert focused_in(panes.editors)

    started.replace("a[i] + b[i]", "a[i] * b[i];")
    started.next_result(lambda: started.trigger("buildAction"))
    assert states(started)["NVRTC"] is NodeState.DONE
    assert states(started)["vector_add.sass"] is NodeState.DONE


def test_a_link_is_drawn_and_tabs_show_their_own_builds(start):
    driver = start(SAMPLES / "apply_transform.cu", SAMPLES / "user_transform.cu")
    assert "user_transform.ptx" in states(driver)
    documents = driver.state.documents
    other = documents.named("apply_transform.cu")
    driver.next_result(lambda: setattr(documents, "current", other))
    assert "apply_transform.ptx" in states(driver)

    driver.state.settings.link = LinkMode.LTO
    driver.next_result(lambda: driver.trigger("buildAction"))
    drawn = states(driver)
    assert {"apply_transform.ltoir", "user_transform.ltoir", "linked.sass"} <= drawn.keys()
    assert drawn["nvJitLink"] in (NodeState.DONE, NodeState.CACHED)
    click(driver, "nvJitLink")
    assert focused_in(driver.pane("link"))
    click(driver, "apply_transform.ltoir")
    assert driver.pane("log").stage.source == "apply_transform.cu"
    click(driver, "linked.sass")
    pane = driver.listings[node(driver, "linked.sass").code]
    assert focused_in(pane)
    assert pane.output.listings[0].name == "linked"

    driver.state.settings.link = LinkMode.NONE
    assert "apply_transform.ptx" in states(driver)


def test_what_runs_says_so_and_a_launch_tells_how_it_went(started):
    canvas = started.find(PipelineCanvas, "pipelineCanvas")
    started.trigger("focusPipelineAction")
    assert focused_in(canvas)
    # Code that is in no cache, of an earlier run neither.
    started.replace("a[i] + b[i]", f"a[i] + {time_ns() % 1_000_000} * b[i]")
    started.wait(lambda: canvas.is_ticking)
    assert NodeState.RUNNING in states(started).values()
    started.settle()
    started.wait(lambda: states(started)["vector_add.sass"] is NodeState.DONE)
    assert not canvas.is_ticking

    result = started.launch()
    launch = node(started, "Launch")
    expected = launched(canvas.pipeline, result).node(launch.key)
    assert launch == expected
    assert launch.state is not NodeState.WAITING
    assert bool(launch.message) is not result.ok


def test_the_picture_is_folded_while_the_window_is_small(started):
    view, size = started.pane("pipeline"), started.window.size()
    assert not view.is_folded
    started.window.resize(1000, 600)
    started.wait(lambda: view.is_folded)
    started.window.resize(size)
    started.wait(lambda: not view.is_folded)


def test_a_line_of_stages_leaves_the_room_of_the_picture_and_grows_with_the_letters(started):
    driver, layout = started, started.shell.layout
    driver.trigger("teachLayoutAction")
    view, dock = driver.pane("pipeline"), layout.dock_of(driver.pane("pipeline"))
    fold = driver.find(QToolButton, "foldPipeline")
    if view.is_folded:
        fold.click()
    driver.wait(lambda: dock.height() > 200)
    fold.click()
    driver.wait(lambda: dock.height() < 80)
    layout.zoom_by(5)
    driver.wait(lambda: view.height() >= view.minimumSizeHint().height() > 33)
    layout.zoom_by(0)
    fold.click()
    driver.wait(lambda: dock.height() > 200)
