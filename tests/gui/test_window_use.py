"""Files, views, sessions and the end of a real window with a real worker."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.log.view import LogView
from jitstudio.gui.kit.theme import ThemeMode, current_theme
from jitstudio.gui.services.request_queue import WorkerService
from tests.gui.driver import Driver, pause
from tests.gui.processes import children


def test_a_file_that_is_not_there_is_told(started, tmp_path):
    started.files.open_paths([tmp_path / "gone.cu"])
    assert "gone.cu" in started.shell.notices.text


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_utf_8_is_refused_in_words(driver, tmp_path):
    # Without its last byte it would be the name of another file.
    (tmp_path / "k.cu").write_text("int other;\n")
    (tmp_path / "k.jitproj").write_text("{}")
    code, project = (
        os.fsdecode(bytes(tmp_path) + b"/k\xff" + end) for end in (b".cu", b".jitproj")
    )
    for path in (code, project):
        Path(path).write_text("__global__ void odd() {}\n")
    driver.start([Path(code)])
    told = driver.shell.notices.text
    assert "k\\xff.cu' cannot be opened: its name is not in UTF-8. Rename it first." in told
    driver.files.open_paths([Path(project)])
    driver.wait(lambda: "k\\xff.jitproj' cannot be opened: its name" in driver.shell.notices.text)
    _drop(driver, QUrl.fromEncoded(b"file://" + bytes(tmp_path) + b"/k%FF.cu"))
    assert "k\ufffd.cu' cannot be opened: its name is" in driver.shell.notices.text
    assert driver.state.preferences.recent_files == []
    assert all(document.path is None for document in driver.state.documents)


def test_files_dropped_on_the_window_open(started, tmp_path):
    path = tmp_path / "dropped.cu"
    path.write_text('extern "C" __global__ void dropped() {}\n')
    result = started.next_result(lambda: _drop(started, QUrl.fromLocalFile(str(path))))
    assert [kernel.name for kernel in result.kernels] == ["dropped"]


def _drop(driver, url):
    data = QMimeData()
    data.setUrls([url])
    event = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    driver.window.dropEvent(event)


TYPES_AND_DIES = """
import os, signal, sys
from pathlib import Path
from jitstudio.gui.window.application import make_application
from tests.gui.driver import Driver, pause
driver = Driver(make_application(), Path(sys.argv[1]))
driver.start()
driver.type("// not saved anywhere ")
driver.state.session.save()
driver.state.session.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_typed_is_back_after_a_kill(qapp, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", TYPES_AND_DIES, str(tmp_path)], timeout=90, check=False
    )
    assert done.returncode == -signal.SIGKILL
    driver = Driver(qapp, tmp_path)
    try:
        driver.start()
        assert driver.document.content.startswith(b"// not saved anywhere")
        assert driver.document.is_modified
    finally:
        driver.close()


def test_find_goes_to_the_view_that_has_the_keyboard(started):
    started.window.activateWindow()
    started.trigger("focusPtxAction")
    started.trigger("findAction")
    bar = started.listings[CodeKind.PTX].find_bar
    assert bar.isVisible()
    QTest.keyClicks(bar.field, "ld.param")
    started.wait(lambda: "of 4" in bar.status)
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert QApplication.focusWidget() is started.listing("ptxView")


def test_logs_are_set_in_the_font_of_code(started):
    log = started.find(LogView, "logView")
    for name in ("logInfo", "logErrors", "logOptions"):
        font = log.findChild(QWidget, name).font()
        assert font.families()[0] == started.editor.font().families()[0]


def test_zoom_is_the_same_in_all_code(started):
    before = started.editor.font_size
    started.trigger("zoomInAction")
    assert started.editor.font_size == before + 1
    assert started.listing("sassView").font_size == before + 1
    assert started.state.preferences.font_size == before + 1


def test_a_change_of_theme_reaches_everything(started):
    started.keeper.set_mode(ThemeMode.DARK)
    assert started.editor.theme.dark
    assert started.window.palette().window().color() == current_theme().ui.window


def test_the_results_can_be_saved(started, tmp_path, monkeypatch):
    folder = tmp_path / "results"
    folder.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    started.trigger("saveOutputsAction")
    assert sorted(path.name for path in folder.iterdir()) == [
        "vector_add.cubin",
        "vector_add.ptx",
        "vector_add.sass",
    ]
    assert b"vector_add" in Path(folder, "vector_add.ptx").read_bytes()


def test_closing_ends_the_worker_and_the_thread(qapp, tmp_path):
    driver = Driver(qapp, tmp_path)
    driver.start()
    pid = driver.state.service.worker_pid
    begin = time.monotonic()
    driver.close()
    assert time.monotonic() - begin < 12  # when what hangs is given up
    assert not Path(f"/proc/{pid}").exists() or sys.platform != "linux"


def test_at_three_times_the_size_menus_target_and_build_are_within_reach(started):
    window = started.window
    switch = started.find(QWidget, "layoutSwitch")
    bar = started.listing("sassView").verticalScrollBar()
    header = started.listings[CodeKind.SASS].header
    before, left = bar.sizeHint().width(), header.layout().contentsMargins().left()
    assert switch.isVisible()
    while started.shell.layout.zoom < 3:
        started.trigger("windowZoomInAction")
    started.wait(lambda: bar.sizeHint().width() > 1.5 * before)
    assert window.width() == 1440
    assert header.layout().contentsMargins().left() > 1.5 * left
    for name in ("archCombo", "optionsEdit", "optionsFormButton"):
        field = started.find(QWidget, name)
        assert not field.visibleRegion().isEmpty(), name
        assert field.mapTo(window, field.rect().bottomRight()).x() < 1440, name
    extension = started.find(QWidget, "qt_toolbar_ext_button")
    assert not extension.isVisible()
    # The layouts are in a menu, too; the menus are nowhere else.
    menus = window.menuBar()
    assert not switch.isVisible()
    for action in menus.actions():
        assert menus.rect().contains(menus.actionGeometry(action)), action.text()
    # What has even less room is in the extension of the tool bar.
    window.resize(1024, 700)
    pause(50)
    assert extension.isVisible() or started.find(QWidget, "archCombo").isVisible()
    started.trigger("windowZoomResetAction")
    started.wait(lambda: bar.sizeHint().width() == before)
    assert header.layout().contentsMargins().left() == left
    window.resize(1440, 900)
    pause(50)
    assert switch.isVisible()


def test_the_end_ends_all_workers_though_nothing_can_be_kept(qapp, tmp_path, monkeypatch):
    before = children()
    driver = Driver(qapp, tmp_path)
    driver.start()
    assert children() - before
    services = [x for x in vars(driver.state).values() if isinstance(x, WorkerService)]
    threads = [service._thread for service in services]
    assert len(threads) > 4
    assert any(thread.isRunning() for thread in threads)

    def fail():
        raise OSError("disk full")

    with monkeypatch.context() as during:
        during.setattr(driver.window.frame.layout, "save", fail)
        during.setattr(driver.state.session, "close", fail)
        with pytest.raises(OSError, match="disk full"):
            driver.end()
    assert not any(thread.isRunning() for thread in threads)
    assert children() <= before
