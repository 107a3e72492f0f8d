"""Files that would fill the memory, or keep their reader waiting, meet a whole window."""

import json
import os
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtTest import QTest

from jitstudio.core.code import CodeKind
from jitstudio.core.plain_files import LARGEST, read_file
from jitstudio.gui.kit.text_limits import MOST_LINES
from jitstudio.gui.state import file_reader
from jitstudio.gui.state.documents import Document
from tests.bench.memory import resident
from tests.gui.driver import pause
from tests.gui.watchdog import Watchdog, slowness
from tests.support import refusal

HUGE = 3 << 30
MOST_GROWTH = 64 << 20
# Beside other programs the same may take twice as long.
MARGIN = 3
# What holds the window up does so each time, other programs do not.
TRIES = 3
REFUSALS = {
    "huge.cu": "larger than the 256 MiB",
    "huge.a": "larger than the 256 MiB",
    "pipe.cu": "is a pipe",
    "folder.cu": refusal(read_file, os.sep),
    "circle.cu": "its links lead in a circle",
}


@pytest.fixture
def hostile(tmp_path):
    """A folder with a file of each kind."""
    folder = tmp_path / "hostile"
    (folder / "folder.cu").mkdir(parents=True)
    for name in ("huge.cu", "huge.a"):
        with (folder / name).open("wb") as file:
            file.truncate(HUGE)
    os.mkfifo(folder / "pipe.cu")
    (folder / "circle.cu").symlink_to("circle.cu")
    return folder


@pytest.fixture
def watchdog():
    dog = Watchdog()
    yield dog
    dog.stop()


def test_opening_it_is_refused_in_words(started, hostile):
    before, notices = resident(), started.shell.notices
    for name, why in REFUSALS.items():
        started.files.open_paths([hostile / name])
        started.wait(lambda name=name: name in notices.text)
        assert why in notices.text, name
        assert resident() - before < MOST_GROWTH, name
        assert len(started.state.documents) == 1, name


MEGABYTES = {
    "long": "// " + "x" * 12_000_000,
    "list": "__global__ void k(int* p) { *p = 1; }\nint a[] = {" + "1, " * 4_000_000 + "};\n",
    "many": "// one line of many\n" * 900_000,
}


@pytest.mark.bench
@pytest.mark.parametrize("name", ["long.cu", "list.cu", "many.cu", "long.ptx", "many.ptx"])
def test_long_lines_and_many_of_them_stall_nothing(started, tmp_path, watchdog, name):
    tries = []
    for attempt in range(TRIES):
        file = tmp_path / f"{attempt}-{name}"
        # Another text each time, as what was built is kept.
        file.write_text(f"// {attempt}\n{MEGABYTES[name.split('.')[0]]}")
        started.settle()
        pause(300)
        watchdog.reset()
        begin = time.monotonic()
        started.files.open_paths([file])
        started.settle()
        pause(300)
        longest, stalls = watchdog.longest, list(watchdog.stalls)
        assert started.document.text is None
        # A thread that holds Python may itself have to wait for a core, and the window's with it.
        usual = stall_beside_a_busy_thread(watchdog, time.monotonic() - begin)
        if longest < max(100 * slowness() * MARGIN, 2 * usual):
            return
        tries += usual, longest, *stalls
    pytest.fail("\n".join(map(str, tries)))


def stall_beside_a_busy_thread(watchdog, seconds):
    """The longest stall, in milliseconds, beside a thread that gives way as often as Python can."""
    done = threading.Event()

    def count():
        while not done.is_set():
            pass

    thread = threading.Thread(target=count)
    watchdog.reset()
    thread.start()
    pause(round(1000 * seconds))
    done.set()
    thread.join()
    return watchdog.longest


TEXTS = {
    "lines": "a;\n" * (MOST_LINES - 1),
    "long lines": ("int a[] = {" + "1, " * 6_600 + "};\n") * 9,
}


@pytest.mark.bench
@pytest.mark.parametrize("name", TEXTS)
def test_the_largest_texts_that_are_edited_stall_nothing(started, watchdog, name):
    tabs, text = started.state.documents, TEXTS[name]
    started.state.settings.auto_build = False
    pasted = QMimeData()
    pasted.setText(text)

    def paste():
        started.editor.selectAll()
        started.editor.insertFromMimeData(pasted)

    steps = {
        "opening": lambda: tabs.add(Document("k.cu", CodeKind.CUDA, text.encode())),
        "pasting": paste,
        "undoing": lambda: started.editor.undo(),
        "commenting": lambda: (started.editor.selectAll(), started.editor.toggle_comments()),
        "folding": lambda: started.editor.fold_all(),
    }
    found = {}
    for watchdog.doing, step in steps.items():
        watchdog.reset()
        step()
        # Not until all is coloured: that is done in slices.
        QTest.qWait(200)
        found[watchdog.doing] = watchdog.longest / slowness()
    assert max(found.values()) < 100 * MARGIN, (found, watchdog.stalls)
    assert started.document.held.text.count(text[:40].split("\n")[0]) >= text.count("\n")


def test_typed_text_beyond_the_limit_is_kept_and_can_be_saved(driver, tmp_path, monkeypatch):
    session = tmp_path / "sessions" / "session-1.json"
    session.parent.mkdir(exist_ok=True)
    saved, text = _session([]), "// é of many\r\n" * 200_000
    saved["documents"][0] |= {"text": text, "encoding": "UTF-8"}
    session.write_text(json.dumps(saved))
    driver.start()
    document = driver.document
    assert (document.text, document.is_modified) == (None, True)
    assert "too large to edit here, and it is in no file yet" in document.read_only.value
    assert document.content == text.replace("\r\n", "\n").encode()
    driver.state.session.save()
    driver.state.session.flush()
    assert json.loads(session.read_text())["documents"][0]["text"] == text
    monkeypatch.setattr(driver.files._dialogs, "file_to_save", lambda _: tmp_path / "typed.cu")
    driver.trigger("saveAction")
    driver.wait(lambda: not document.is_modified)
    assert (tmp_path / "typed.cu").read_bytes() == text.encode()
    assert "It is built as it is on disk" in document.read_only.value


def test_a_session_of_too_many_tabs_is_set_aside(driver, tmp_path):
    session = tmp_path / "sessions" / "session-1.json"
    session.parent.mkdir(exist_ok=True)
    saved = _session([])
    saved["documents"] *= 1_001
    session.write_text(json.dumps(saved))
    driver.start()
    assert "it names 1,001 tabs, of which 1,000 are opened" in driver.shell.notices.text
    assert json.loads(session.with_name("session-1-unread-1.json").read_text()) == saved


def test_an_open_file_that_grows_beyond_all_measure_leaves_its_text_alone(started, hostile):
    file = hostile / "k.cu"
    file.write_text("__global__ void k() {}\n")
    started.files.open_paths([file])
    before = resident()
    os.truncate(file, HUGE)
    pause(1000)
    assert started.document.held.text == "__global__ void k() {}\n"
    assert resident() - before < MOST_GROWTH
    os.truncate(file, 0)
    started.wait(lambda: started.document.held.text == "")


def test_a_session_comes_up_without_what_cannot_be_read(driver, hostile, tmp_path):
    session = tmp_path / "sessions" / "session-1.json"
    session.parent.mkdir(exist_ok=True)
    files = [str(hostile / name) for name in REFUSALS]
    session.write_text(
        json.dumps(_session([*files, "/dev/zero", "/proc/kmsg\x1b[2J", "a\0b.cu", ""]))
    )
    before = resident()
    driver.start()
    names = [document.name for document in driver.state.documents]
    assert names == ["typed.cu"]
    for name in (*REFUSALS, refusal(read_file, "/dev/zero")):
        assert name in driver.shell.notices.text
    assert resident() - before < 2 * MOST_GROWTH


def test_a_session_comes_up_though_a_disk_does_not_answer(
    driver, hostile, tmp_path, monkeypatch, patience
):
    monkeypatch.setattr(file_reader, "MOMENT", patience)
    answers = threading.Event()
    gone, stat = hostile / "network" / "k.cu", os.stat

    def slow(path, *args, **kwargs):
        if str(path).startswith(str(gone.parent)) and threading.current_thread().daemon:
            answers.wait(60)
        return stat(path, *args, **kwargs)

    gone.parent.mkdir()
    gone.write_text("__global__ void late() {}\n")
    monkeypatch.setattr(os, "stat", slow)
    session = tmp_path / "sessions" / "session-1.json"
    session.parent.mkdir(exist_ok=True)
    session.write_text(json.dumps(_session([str(gone)])))
    driver.start()
    assert [document.name for document in driver.state.documents] == ["typed.cu"]
    assert f"disk does not answer: '{gone}'" in driver.shell.notices.text
    driver.state.session.save()
    driver.state.session.flush()
    # It is not forgotten.
    assert str(gone) in [entry["path"] for entry in json.loads(session.read_text())["documents"]]
    answers.set()
    driver.wait(lambda: len(driver.state.documents) == 2)
    assert driver.document.name == "typed.cu"
    assert driver.state.documents.at_path(gone).held.text == "__global__ void late() {}\n"


def _session(paths):
    entry = {"modified": False, "name_expressions": [], "included": True, "kind": "cuda"}
    return {
        "version": 1,
        "documents": [
            *(entry | {"name": f"{Path(p).name}", "path": p, "text": None} for p in paths),
            entry | {"name": "typed.cu", "path": "", "text": "int x;\n", "modified": True},
        ],
        "current": 0,
        "settings": {"arch": "sm_90", "options": "", "link": "none", "auto_build": True},
    }


def test_the_limit_leaves_room_for_what_is_real():
    assert LARGEST >= 200 << 20
