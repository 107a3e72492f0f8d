"""Choosing a file of a folder."""

import json

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListView, QPushButton, QWidget

from jitstudio.core.arch import Arch
from jitstudio.gui.features.folder.controller import FlagsController
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.shell.notice_bar import NoticeBar
from jitstudio.gui.shell.palette.view import Palette
from jitstudio.gui.state.build_settings import BuildSettings, CodeTrust
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.tab_options import TabOptions


def test_a_file_of_a_folder_is_opened_with_its_flags(started, tmp_path, monkeypatch):
    (tmp_path / "src").mkdir()
    for name in ("b.cu", "a.cu", "k.ptx", "notes.txt", "k.h", "k.o"):
        (tmp_path / "src" / name).write_text("__global__ void k() {}")
    entry = {"directory": str(tmp_path), "file": "src/b.cu", "command": "nvcc -arch=sm_86 -DN=9 -c"}
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([entry]))
    monkeypatch.setattr(
        "jitstudio.gui.kit.dialogs.Dialogs.folder_to_open", lambda self, folder: tmp_path
    )
    started.trigger("openFolderAction")
    started.wait(lambda: started.find(Palette, "folderPalette").isVisible())
    rows = started.find(QListView, "folderPaletteList").model()
    assert [rows.index(row, 0).data() for row in range(rows.rowCount())] == [
        "b.cu",
        "a.cu",
        "k.ptx",
    ]
    QTest.keyClick(started.find(QLineEdit, "folderPaletteField"), Qt.Key.Key_Return)
    started.wait(lambda: started.state.settings.options == "-DN=9")
    assert started.state.settings.arch == Arch(86)
    assert started.document.path == tmp_path / "src" / "b.cu"


def test_a_folder_without_code_is_said_in_words(shared_driver, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "jitstudio.gui.kit.dialogs.Dialogs.folder_to_open", lambda self, folder: tmp_path
    )
    notices = shared_driver.shell.notices
    shared_driver.trigger("openFolderAction")
    shared_driver.wait(lambda: f"There is no file in {tmp_path} that can be built" in notices.text)
    notices.withdraw("")


# ---- What is offered for a file that is built elsewhere, too


class Desk:
    """What opens files and offers their flags."""

    def __init__(self, window, folder):
        documents = Documents(window)
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        preferences = Preferences(store)
        self.settings = BuildSettings(preferences, window)
        self.files = FileCommands(documents, self.settings, preferences, window)
        self.notices = NoticeBar(window)
        options = TabOptions(documents, self.settings, lambda: documents.current, window)
        self.flags = FlagsController(documents, self.settings, options, self.files, self.notices)

    @property
    def offer(self):
        return self.notices.findChild(QPushButton, "takeFlags")


@pytest.fixture
def desk(qtbot, tmp_path):
    window = QWidget()
    qtbot.addWidget(window)
    desk = Desk(window, tmp_path)
    yield desk
    qtbot.waitUntil(lambda: not desk.flags._search.is_busy)


@pytest.fixture
def kernel(tmp_path):
    """A file with a command in a database beside it."""
    entry = {"directory": str(tmp_path), "file": "k.cu"}
    command = {"command": "nvcc -arch=sm_80 -DN=2 --odd -c k.cu"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry | command]))
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k() {}")
    return path


def test_the_flags_of_an_opened_file_are_offered_and_taken(qtbot, desk, kernel):
    desk.settings.options = "-lineinfo -DN=1"
    desk.files.open_paths([kernel])
    qtbot.waitUntil(lambda: desk.offer is not None)
    message = desk.notices.text
    assert message.startswith("k.cu has flags in ")
    assert "compile_commands.json: sm_80 -DN=2" in message
    assert "or it writes files: --odd" in message
    desk.offer.click()
    assert desk.settings.arch == Arch(80)
    assert desk.settings.options == "-lineinfo -DN=1 -DN=2"
    assert desk.notices.text == ""


def test_what_is_set_already_is_not_offered(qtbot, desk, kernel):
    desk.settings.arch = Arch(80)
    desk.settings.options = "-DN=2"
    with qtbot.waitSignal(desk.flags._search.done):
        desk.files.open_paths([kernel])
    assert desk.notices.text == ""


def test_the_comment_of_a_file_comes_first(qtbot, desk, kernel):
    kernel.write_text("// jitstudio: -DFROM_TEXT\n")
    desk.files.open_paths([kernel])
    qtbot.waitUntil(lambda: desk.offer is not None)
    desk.offer.click()
    assert desk.settings.options == "-DFROM_TEXT"


def test_a_project_that_nobody_trusts_gets_no_offer(desk, kernel):
    desk.settings.trust = CodeTrust(str(kernel.parent), is_trusted=False)
    desk.files.open_paths([kernel])
    desk.files._reader.settle()
    assert not desk.flags._search.is_busy


def test_what_is_chosen_in_a_folder_is_taken_and_nothing_after_it(qtbot, desk, kernel):
    other = kernel.with_name("k.ptx")
    other.write_text(".version 8.0")
    entry = json.loads(kernel.with_name("compile_commands.json").read_text())[0]
    entry["command"] = entry["command"].replace("--odd", "")
    kernel.with_name("compile_commands.json").write_text(json.dumps([entry]))
    # It has no flags: the file that is opened next is not the one that was chosen.
    desk.flags.open(other)
    desk.files.open_paths([kernel])
    qtbot.waitUntil(lambda: desk.offer is not None)
    assert desk.settings.options == ""
    desk.notices.withdraw("flags")
    desk.flags.open(kernel)
    qtbot.waitUntil(lambda: desk.settings.options == "-DN=2")
