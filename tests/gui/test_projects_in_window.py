"""Projects in a real window with a real worker."""

import shutil

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent
from PySide6.QtWidgets import QMenu

from jitstudio.core.code import CodeKind
from jitstudio.core.project.format import VERSION, dump, load
from jitstudio.core.project.project import Member, Project
from jitstudio.core.request import LinkMode
from jitstudio.gui.kit.dialogs import ChangedFile, UnsavedChoice
from jitstudio.gui.listing.hints import output_hint
from tests.gui.driver import KERNEL, Driver, pause, write_project

_CONTROL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


@pytest.fixture
def answers(shared_driver, monkeypatch):
    """What the user says: where to save projects, and what becomes of texts and files."""

    class Answers:
        path = None
        unsaved = UnsavedChoice.KEEP_OPEN
        changed = ChangedFile.LEAVE
        asked: list

    said = Answers()
    said.asked = []

    def about_all_unsaved(names):
        said.asked.append(tuple(names))
        return said.unsaved

    def about_changed_file(path):
        said.asked.append(path)
        return said.changed

    dialogs = shared_driver.projects._dialogs
    monkeypatch.setattr(dialogs, "about_changed_file", about_changed_file)
    monkeypatch.setattr(dialogs, "about_all_unsaved", about_all_unsaved)
    monkeypatch.setattr(dialogs, "project_to_save", lambda _proposed: said.path)
    monkeypatch.setattr(dialogs, "project_to_open", lambda _folder: said.path)
    return said


def _names(driver):
    return [document.name for document in driver.state.documents]


def test_a_project_is_saved_changed_and_opened_again(start, answers, tmp_path):
    folder = tmp_path / "p"
    folder.mkdir()
    beside = folder / "beside.cu"
    beside.write_text("__global__ void beside() {}\n")
    driver = start(beside)
    driver.trigger("newCudaAction")
    driver.settle()
    driver.state.settings.options = "-lineinfo"
    answers.path = folder / "demo.jitproj"
    driver.press(Qt.Key.Key_S, _CONTROL_ALT)
    assert driver.window.windowTitle().endswith("[*] - demo.jitproj - jitstudio")
    saved = load(answers.path.read_bytes())
    assert [(m.name, m.path) for m in saved.modules] == [
        ("beside.cu", "beside.cu"),
        (driver.document.name, ""),
    ]
    assert saved.options == "-lineinfo"

    # A change marks the project; saving saves the files of the folder too.
    driver.type("struct project; ")
    driver.state.documents.current = driver.state.documents.named("beside.cu")
    driver.type("struct file; ")
    driver.wait(lambda: driver.state.project.is_modified)
    assert "demo.jitproj* - " in driver.window.windowTitle()
    driver.press(Qt.Key.Key_S, _CONTROL_ALT)
    assert "demo.jitproj - " in driver.window.windowTitle()
    assert beside.read_text().startswith("struct file; ")
    assert "struct project; " in answers.path.read_text()
    assert not any(document.is_modified for document in driver.state.documents)
    assert driver.document.name == "beside.cu"

    # What another program has put in its place is replaced only if the user lets it.
    other = answers.path.read_bytes() + b"\n"
    answers.path.write_bytes(other)
    driver.type("struct later; ")
    driver.press(Qt.Key.Key_S, _CONTROL_ALT)
    assert answers.path.read_bytes() == other
    assert "struct later; " not in beside.read_text()
    assert driver.document.is_modified
    here, answers.path = answers.path, folder / "mine.jitproj"
    answers.changed = ChangedFile.SAVE_AS
    driver.press(Qt.Key.Key_S, _CONTROL_ALT)
    assert here.read_bytes() == other
    assert driver.state.project.path == answers.path
    assert "struct later; " in beside.read_text()
    mine = answers.path.read_bytes()
    answers.path.write_bytes(other)
    answers.changed = ChangedFile.REPLACE
    driver.press(Qt.Key.Key_S, _CONTROL_ALT)
    assert answers.path.read_bytes() == mine
    assert answers.asked == [here, here, answers.path]
    answers.asked.clear()

    # Closed and opened again by the list of recent ones: nothing to ask, and nothing is built.
    driver.settle()
    driver.trigger("closeProjectAction")
    assert answers.asked == []
    assert _names(driver) == []
    assert driver.window.windowTitle() == "jitstudio"
    recent = driver.find(QMenu, "recentMenu")
    assert recent.actions()[0].text() == str(answers.path)
    seen = len(driver.results)
    recent.actions()[0].trigger()
    driver.wait(lambda: driver.state.project.path == answers.path)
    assert driver.document.name == "beside.cu"
    pause(700)
    assert not driver.state.build_controller.is_busy
    assert len(driver.results) == seen
    hint = output_hint(CodeKind.PTX, driver.state.outputs.output(CodeKind.PTX))
    assert "To build: Ctrl+B." in hint
    assert driver.next_result(lambda: driver.trigger("buildAction")).ok
    listings = driver.state.outputs.output(CodeKind.PTX).listings
    assert [listing.name for listing in listings] == ["beside.cu"]


def test_opening_replaces_what_is_open_if_the_user_lets_it(started, answers, tmp_path):
    driver = started
    path = write_project(tmp_path / "q" / "other.jitproj", link=LinkMode.PTX)
    before = driver.document.name
    driver.type("struct unsaved; ")
    text = driver.editor.toPlainText()
    driver.settle()

    driver.files.open_paths([path])
    driver.wait(lambda: answers.asked)
    assert answers.asked == [(before,)]
    assert _names(driver) == [before]
    assert driver.editor.toPlainText() == text
    assert driver.state.project.path is None

    answers.unsaved = UnsavedChoice.DISCARD
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    left = Qt.MouseButton.LeftButton
    drop = QDropEvent(
        QPointF(9, 9), Qt.DropAction.CopyAction, mime, left, Qt.KeyboardModifier.NoModifier
    )
    driver.window.dropEvent(drop)
    driver.wait(lambda: driver.state.project.path == path)
    assert _names(driver) == ["k.cu"]
    assert driver.state.settings.link is LinkMode.PTX

    # An edit is the user's own: from now on it is built as ever.
    assert driver.state.build_controller.is_held
    assert driver.next_result(lambda: driver.type("struct mine; ")).ok

    # The question names project and text at once, and saving saves both.
    answers.asked.clear()
    answers.unsaved, answers.path = UnsavedChoice.SAVE, path
    driver.wait(lambda: driver.state.project.is_modified)
    driver.trigger("newProjectAction")
    assert answers.asked == [("other.jitproj",)]
    assert "struct mine; " in path.read_text()
    assert driver.state.project.path is None
    assert driver.state.settings.link is LinkMode.NONE
    assert len(_names(driver)) == 1
    assert not driver.state.build_controller.is_held


def test_what_cannot_be_opened_leaves_all_as_it_is(started, answers, tmp_path):
    driver = started
    before = _names(driver)
    state = dump(Project()).replace(f'"version": {VERSION}'.encode(), b'"version": 99')
    newer = tmp_path / "newer.jitproj"
    newer.write_bytes(state)
    damaged = tmp_path / "damaged.jitproj"
    damaged.write_bytes(b'{"version": 1, "modules": [')
    notice = driver.shell.notices
    for path, words in (
        (newer, "format is version 99, and"),
        (damaged, "It is damaged in line 1"),
        (tmp_path / "gone.jitproj", "No such file"),
    ):
        driver.files.open_paths([path])
        driver.wait(lambda words=words: words in notice.text)
        assert path.name in notice.text
    assert _names(driver) == before
    assert driver.state.project.path is None

    # A folder where the file should go: nothing is saved, and nothing is lost.
    answers.path = tmp_path / "folder.jitproj"
    answers.path.mkdir()
    driver.press(Qt.Key.Key_S, _CONTROL_ALT)
    assert "folder.jitproj' cannot be written" in notice.text
    assert driver.state.project.path is None

    outside = tmp_path / "secret.cu"
    outside.write_text("secret")
    path = write_project(
        tmp_path / "r" / "part.jitproj",
        Member("secret.cu", CodeKind.CUDA, None, "../secret.cu"),
        Member("gone.cu", CodeKind.CUDA, None, "gone.cu"),
        Member("k.cu", CodeKind.CUDA, KERNEL),
    )
    driver.open_project(path)
    assert _names(driver) == ["k.cu"]
    assert "'secret.cu' was not read: '../secret.cu' lies outside" in notice.text
    assert "'gone.cu' was not read" in notice.text
    # It is still named by the file when that is saved again.
    driver.press(Qt.Key.Key_S, _CONTROL_ALT)
    assert {m.name for m in load(path.read_bytes()).modules} == {"k.cu", "secret.cu", "gone.cu"}


def test_the_command_line_opens_a_project_and_the_next_start_goes_on(qapp, tmp_path, monkeypatch):
    path = write_project(tmp_path / "s" / "start.jitproj")
    first = Driver(qapp, tmp_path)
    try:
        first.start([path])
        first.wait(lambda: first.state.project.path == path)
        assert _names(first) == ["k.cu"]
        pause(600)
        assert first.results == []
        first.type("struct kept; ")
        first.wait(lambda: first.state.project.is_modified)
    finally:
        first.close()
    # A file that is named is opened by itself, and the project is left for a later start.
    file = tmp_path / "alone.cu"
    file.write_text(KERNEL)
    alone = Driver(qapp, tmp_path)
    try:
        alone.start([file])
        assert _names(alone) == ["alone.cu"]
        assert alone.state.project.path is None
    finally:
        alone.close()
    second = Driver(qapp, tmp_path)
    try:
        # Meanwhile another program has been there.
        other = path.read_bytes().replace(b"kernel_of_project", b"kernel_of_another")
        path.write_bytes(other)
        second.start()
        assert second.state.project.path == path
        assert second.state.project.is_modified
        assert "start.jitproj* - " in second.window.windowTitle()
        assert second.editor.toPlainText().startswith("struct kept; ")
        assert second.results == []
        assert second.find(QAction, "closeProjectAction").isEnabled()
        asked = []
        monkeypatch.setattr(
            second.projects._dialogs,
            "about_changed_file",
            lambda asked_of: asked.append(asked_of) or ChangedFile.LEAVE,
        )
        second.press(Qt.Key.Key_S, _CONTROL_ALT)
        assert asked == [path]
        assert path.read_bytes() == other
        assert second.state.project.is_modified
    finally:
        second.close()


def test_running_a_held_project_builds_it_first(start, tmp_path):
    path = write_project(tmp_path / "t" / "run.jitproj")
    driver = start(path)
    driver.wait(lambda: driver.state.project.path == path)
    result = driver.next_result(lambda: driver.trigger("runAction"))
    assert result.ok
    driver.wait(lambda: driver.state.launch_specs.form is not None)
    assert driver.state.launch_specs.form.title == "kernel_of_project"


def test_what_another_program_writes_builds_no_held_project(start, tmp_path):
    path = write_project(
        tmp_path / "u" / "held.jitproj", Member("k.cu", CodeKind.CUDA, None, "k.cu")
    )
    path.with_name("k.cu").write_text(KERNEL)
    driver = start(path)
    driver.wait(lambda: driver.state.project.path == path)
    path.with_name("k.cu").write_text(f"struct written; {KERNEL}")
    driver.wait(lambda: driver.editor.toPlainText().startswith("struct written; "))
    pause(700)
    assert driver.state.build_controller.is_held
    assert driver.results == []
    assert driver.next_result(lambda: driver.type("struct mine; ")).ok


def test_a_project_that_is_not_opened_after_all_holds_nothing(started, answers, tmp_path):
    driver = started
    path = write_project(tmp_path / "v" / "unwanted.jitproj")
    driver.type("struct unsaved; ")
    driver.settle()
    driver.builder.begin([path], None)
    assert driver.state.build_controller.is_held
    driver.wait(lambda: answers.asked)
    driver.wait(lambda: not driver.state.build_controller.is_held)

    driver.builder.begin([tmp_path / "gone.jitproj"], None)
    assert driver.state.build_controller.is_held
    driver.wait(lambda: not driver.state.build_controller.is_held)
    assert "No such file" in driver.shell.notices.text


def test_saving_into_another_folder_tells_what_stays_behind(start, answers, tmp_path):
    path = write_project(
        tmp_path / "w" / "part.jitproj",
        Member("secret.cu", CodeKind.CUDA, None, "../secret.cu"),
        Member("k.cu", CodeKind.CUDA, KERNEL),
    )
    driver = start(path)
    driver.wait(lambda: driver.state.project.path == path)
    answers.path = tmp_path / "copy.jitproj"
    driver.trigger("saveProjectAsAction")
    assert [m.name for m in load(answers.path.read_bytes()).modules] == ["k.cu"]
    assert "copy.jitproj does not hold" in driver.shell.notices.text
    assert "secret.cu" in driver.shell.notices.text


def _quit(driver, answer, monkeypatch):
    driver.state.preferences.set_value("session.on_quit", "ask")
    monkeypatch.setattr(driver.projects._dialogs, "about_all_unsaved", lambda _names: answer)
    driver.close()


def test_what_is_discarded_at_the_end_is_gone_at_the_next_start(qapp, tmp_path, monkeypatch):
    file = tmp_path / "saved.cu"
    file.write_text(KERNEL)
    first = Driver(qapp, tmp_path)
    first.start([file])
    first.type("struct discarded; ")
    first.trigger("newCudaAction")
    first.type("struct discarded_too; ")
    _quit(first, UnsavedChoice.DISCARD, monkeypatch)
    second = Driver(qapp, tmp_path)
    second.start()
    assert _names(second) == ["saved.cu"]
    assert second.editor.toPlainText() == KERNEL
    assert not second.document.is_modified
    _quit(second, UnsavedChoice.KEEP_OPEN, monkeypatch)


def test_text_that_cannot_be_kept_is_never_left_without_a_question(driver, tmp_path, monkeypatch):
    """Though the user does not want to be asked as long as it is kept."""
    driver.start()
    asked, saved = [], tmp_path / "elsewhere.cu"
    answers = [UnsavedChoice.KEEP_OPEN, UnsavedChoice.SAVE, UnsavedChoice.SAVE]
    paths = [None, saved]
    dialogs = driver.projects._dialogs
    monkeypatch.setattr(
        dialogs, "about_unkept", lambda *about: asked.append(about) or answers.pop(0)
    )
    monkeypatch.setattr(driver.files._dialogs, "file_to_save", lambda _proposed: paths.pop(0))
    driver.state.session.flush()
    shutil.rmtree(tmp_path / "sessions")
    # Nothing typed is nothing to lose, whatever asks for the end.
    assert driver.window.may_end()
    assert asked == []
    driver.type("struct typed; ")
    # Cancel, and a dialog that is left: the window stays.
    for _ in range(2):
        driver.window.close()
        assert driver.window.isVisible()
        assert driver.document.is_modified
    driver.window.close()
    assert not driver.window.isVisible()
    assert saved.read_text().startswith("struct typed; ")
    assert [names for names, _problem in asked] == [["vector_add.cu"]] * 3
    assert all("No such file" in problem for _names, problem in asked)


def test_a_project_that_is_discarded_at_the_end_is_not_there_at_the_next_start(
    qapp, tmp_path, monkeypatch
):
    path = write_project(tmp_path / "x" / "gone.jitproj")
    first = Driver(qapp, tmp_path)
    first.start([path])
    first.wait(lambda: first.state.project.path == path)
    first.type("struct discarded; ")
    _quit(first, UnsavedChoice.DISCARD, monkeypatch)
    second = Driver(qapp, tmp_path)
    second.start()
    assert second.state.project.path is None
    assert "discarded" not in second.editor.toPlainText()
    _quit(second, UnsavedChoice.KEEP_OPEN, monkeypatch)
