"""Choosing a file of a folder."""

import json

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListView

from jitstudio.core.arch import Arch
from jitstudio.gui.shell.palette.view import Palette


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
    shared_driver.wait(lambda: "There is no file in" in notices.text)
    notices.withdraw("")
