"""A window is up with its texts before the rest is made: nothing done in between may be lost."""

import sys
import time

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QListView

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.gui.shell.status_line import StatusLine
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import Switch
from jitstudio.gui.state.document_files import digest
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.user_state import UserState
from jitstudio.gui.window import window_builder as builder
from jitstudio.gui.window.pane_maker import COMMANDS
from tests.gui.driver import Driver, pause

USES_HEADER = b'#include "h.cuh"\nextern "C" __global__ void second() { int x = H; }\n'


@pytest.fixture
def session(qapp, tmp_path):
    """Lets a test leave something behind, as an earlier window would have."""
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    user_state = UserState(store, tmp_path / "sessions")
    yield user_state
    user_state.session.close()


@pytest.fixture
def leave(session):
    """Ends the earlier window, with these documents open; the last one is looked at."""

    def left(*documents):
        for document in documents:
            session.documents.add(document)
        session.session.close()

    return left


@pytest.fixture
def make_driver(qapp, tmp_path):
    """A window on what was left, up but not completed."""
    made = []

    def make():
        made.append(Driver(qapp, tmp_path))
        made[-1].window.show()
        made[-1].window.open([])
        return made[-1]

    yield make
    for driver in made:
        driver.end()


@pytest.fixture
def early(make_driver):
    return make_driver()


def _is_complete(driver):
    """The commands that are left have their feature installed."""
    return driver.window.frame.actions.unbound <= {*COMMANDS}


def _editor(driver):
    """The one in sight; asking the driver would make the rest of the window."""
    return driver.window.frame.editors.page.editor


def test_what_is_chosen_early_is_carried_out_in_order_once_all_is_there(early):
    documents, settings = early.window.user_state.documents, early.window.user_state.settings
    for name in ("newCudaAction", "newPtxAction", "driverJitAction", "cacheAction"):
        early.trigger(name)
    early.trigger("buildAction")
    assert not _is_complete(early)
    assert not early.window.frame.actions["driverJitAction"].isChecked()
    assert len(documents) == 1
    early.wait(lambda: len(documents) == 3)
    assert [document.kind for document in documents] == [CodeKind.CUDA, CodeKind.CUDA, CodeKind.PTX]
    # Both looked as if they were off.
    assert {Switch.DRIVER_JIT, Switch.CACHE} <= settings.switches
    assert early.window.frame.actions["driverJitAction"].isChecked()
    early.wait(lambda: early.state.outputs.result is not None)
    assert early.state.build_controller.module is early.document


def _has_row(model, text):
    return any(model.index(row, 0).data() == text for row in range(model.rowCount()))


def test_a_pane_is_made_when_it_is_first_shown(early, make_driver):
    early.wait(lambda: _is_complete(early))
    layout = early.shell.layout
    with_the_window = {pane.name for pane in PANES if pane.is_early}
    assert {"ptx", "sass", "problems"} <= with_the_window == set(layout.panes)
    assert not {"report", "compare", "graph", "options"} & with_the_window
    early.trigger("focusReportAction")
    assert "report" not in layout.panes
    early.wait(lambda: layout.place("report").hasFocus() is False)
    assert set(layout.panes) == {*with_the_window, "report", "kernels"}
    assert layout.panes["report"].isAncestorOf(QApplication.focusWidget())
    early.window.close()
    # In front of the next window it comes with that.
    again = make_driver()
    again.wait(lambda: _is_complete(again))
    assert set(again.shell.layout.panes) == {*with_the_window, "report", "kernels"}
    # The palette offers what is in panes that nobody has opened.
    again.trigger("paletteAction")
    entries = again.window.findChild(QListView, "commandPaletteList").model()
    again.wait(lambda: _has_row(entries, "Copy whole log"))


def test_a_command_that_is_chosen_twice_while_it_is_loaded_asks_once(early):
    early.wait(lambda: _is_complete(early))
    early.wait(lambda: early.state.outputs.result is not None)
    for _ in range(2):
        early.window.frame.actions["exportAction"].trigger()
    early.wait(QApplication.activeModalWidget)
    pause(50)
    (dialog,) = (d for d in early.window.findChildren(QDialog) if d.isVisible())
    dialog.reject()


def test_closing_a_window_that_has_just_come_up_keeps_its_text(early, make_driver):
    QTest.keyClicks(_editor(early), "// typed early ")
    assert not _is_complete(early)
    early.window.close()
    again = make_driver()
    assert not _is_complete(again)
    (document,) = again.window.user_state.documents
    assert document.content.startswith(b"// typed early // Adds two vectors")
    assert document.is_modified


def test_a_damaged_installation_is_told_and_keeps_the_text(make_driver, monkeypatch):
    with monkeypatch.context() as damaged:
        # Python's own way to say that a module cannot be imported.
        damaged.setitem(sys.modules, "jitstudio.gui.window.window_builder", None)
        bare = make_driver()
        notice = bare.window.frame.notices
        bare.wait(lambda: notice.text)
        assert notice.text.startswith("jitstudio is not installed as a whole: import of ")
        QTest.keyClicks(_editor(bare), "// kept ")
        bare.window.close()
    (document,) = make_driver().window.user_state.documents
    assert document.content.startswith(b"// kept ")


def test_closing_a_damaged_window_before_it_knows_keeps_it_open_and_then_the_text(
    make_driver, monkeypatch
):
    with monkeypatch.context() as damaged:
        damaged.setitem(sys.modules, "jitstudio.gui.window.window_builder", None)
        bare = make_driver()
        QTest.keyClicks(_editor(bare), "// kept ")
        with pytest.raises(ImportError):
            bare.window.close()
        assert bare.window.isVisible()
        assert bare.window.close()
    (document,) = make_driver().window.user_state.documents
    assert document.content.startswith(b"// kept ")


def test_a_part_that_cannot_be_made_leaves_an_editor_that_keeps_the_text(
    make_driver, monkeypatch, qtbot, tmp_path
):
    def fail(*_arguments):
        raise RuntimeError("no panes today")

    with monkeypatch.context() as broken, qtbot.captureExceptions() as errors:
        broken.setattr(builder, "installers", lambda: [fail])
        bare = make_driver()
        bare.wait(lambda: errors)
        assert [str(error) for _, error, _ in errors] == ["no panes today"]
        QTest.keyClicks(_editor(bare), "// kept ")
        (file,) = (tmp_path / "sessions").glob("session-*.json")
        bare.wait(lambda: b"// kept" in file.read_bytes())
        assert bare.window.close()
    (document,) = make_driver().window.user_state.documents
    assert document.content.startswith(b"// kept ")


def test_text_is_on_the_disk_before_anything_else_is_there(early, tmp_path):
    QTest.keyClicks(_editor(early), "// typed early ")
    session = early.window.user_state.session
    session.save_changes()
    assert session.flush() == ""
    assert not _is_complete(early)
    (file,) = (tmp_path / "sessions").glob("session-*.json")
    assert b"// typed early" in file.read_bytes()


def test_a_session_that_could_not_be_written_early_is_told(early, full_disk):
    session = early.window.user_state.session
    QTest.keyClicks(_editor(early), "// typed early ")
    with full_disk():
        session.save()
        assert session.flush()
        assert not _is_complete(early)
        assert "Unsaved text is" in early.shell.notices.text


def test_launches_of_the_last_session_outlive_a_window_that_is_closed_early(early, make_driver):
    spec = LaunchSpec(kernel="tick", grid="4711")
    early.state.launch_specs.edit(spec)
    early.window.close()
    make_driver().window.close()
    assert spec in make_driver().state.launch_specs.specs


def test_a_project_of_the_last_session_is_not_built_however_long_the_rest_takes(
    early, make_driver, tmp_path, monkeypatch
):
    path = tmp_path / "p.jitproj"
    state = early.state
    state.project.mark_saved(path, state.project.capture(path), b"")
    preferences = early.window.user_state.preferences
    state.settings.auto_build = False
    state.settings.turn(Switch.PRECOMPILE, False)
    early.window.close()
    # As another window would leave them.
    for key, value in (("build.on_change", True), ("build.precompile", True), ("build.pause", 50)):
        preferences.set_value(key, value)
    builds = []
    every = tuple(builder.installers())
    monkeypatch.setattr(builder, "installers", lambda: (*every[:-1], _late(every[-1])))
    monkeypatch.setattr(
        BuildController, "build", lambda build_controller: builds.append(build_controller)
    )
    again = make_driver()
    again.wait(lambda: _is_complete(again))
    assert again.state.project.path == path
    assert again.state.settings.auto_build
    assert again.state.build_controller.is_held
    assert again.state.build_controller not in builds


def _late(make):
    """The same a while later, as on a machine with much else to do."""

    def made(*arguments):
        time.sleep(0.2)
        return make(*arguments)

    return made


def test_a_header_that_is_looked_at_is_not_what_is_built(leave, make_driver):
    leave(
        Document("a.cu", CodeKind.CUDA, b'extern "C" __global__ void first() {}\n'),
        Document("b.cu", CodeKind.CUDA, USES_HEADER),
        Document("h.cuh", CodeKind.CUDA, b"#define H 1\n"),
    )
    driver = make_driver()
    driver.wait(lambda: driver.state.outputs.result is not None)
    assert driver.document.name == "h.cuh"
    assert driver.state.build_controller.module.name == "b.cu"
    assert [kernel.name for kernel in driver.state.outputs.result.kernels] == ["second"]


def test_texts_that_came_first_have_all_that_later_ones_have(session, leave, make_driver, tmp_path):
    file = tmp_path / "k.cu"
    file.write_bytes(b"\nint one;\n" + b"\n" * 300)
    document = Document("k.cu", CodeKind.CUDA, file.read_bytes(), file)
    document.on_disk = digest(file.read_bytes())
    session.preferences.font_size = 21.0
    leave(document)
    driver = make_driver()
    editor = _editor(driver)
    editor.setFocus()
    assert not _is_complete(driver)
    assert editor.font_size == 21.0
    driver.settle()
    assert editor.font_size == 21.0
    assert editor is driver.editor
    status = driver.find(StatusLine, "statusBar")
    assert status.findChild(QLabel, "positionLabel").text() == "Line 1, column 1"
    # A jump can be taken back.
    editor.go_to(250)
    driver.wait(driver.window.frame.actions["backAction"].isEnabled)
    driver.trigger("backAction")
    assert editor.position() == (1, 1)
    # Words are offered.
    driver.wait(lambda: len(editor.completer._source.words(CodeKind.CUDA)) > 1)
    QTest.keyClicks(editor, "thr")
    assert editor.completer.popup.words[0].text == "threadIdx"
    # The file is watched.
    file.write_bytes(b"int two;\n")
    driver.wait(lambda: driver.shell.notices.text)
    assert "'k.cu'" in driver.shell.notices.text
