import os
from pathlib import Path
from threading import Event, current_thread, main_thread

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind
from jitstudio.core.plain_files import read_file
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.files import file_commands as files
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.dialogs import ChangedFile, Dialogs, UnsavedChoice
from jitstudio.gui.state import document_files as state_files
from jitstudio.gui.state import file_reader
from jitstudio.gui.state.build_controller import linked_modules
from jitstudio.gui.state.document_files import write_file
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_text import ReadOnlyReason
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.previews import open_preview
from jitstudio.help.samples import Sample, SampleFile, samples
from tests.gui.own_settings import own_settings
from tests.support import SAMPLES, refusal


class Answers(Dialogs):
    """A user whose answers are known beforehand; `asked` is what the questions were about."""

    def __init__(self):
        self.paths = []
        self.unsaved = UnsavedChoice.KEEP_OPEN
        self.replace = False
        self.changed = ChangedFile.LEAVE
        self.as_utf_8 = False
        self.asked = []

    def files_to_open(self, folder):
        self.asked.append(folder)
        return self.paths

    def file_to_save(self, proposed):
        self.asked.append(proposed)
        return self.paths[0] if self.paths else None

    def folder_for_results(self, folder):
        self.asked.append(folder)
        return self.paths[0] if self.paths else None

    def about_unsaved(self, name):
        self.asked.append(name)
        return self.unsaved

    def about_changed_file(self, path):
        self.asked.append(path)
        return self.changed

    def may_save_as_utf_8(self, name, problem):
        self.asked.append((name, problem))
        return self.as_utf_8

    def may_replace(self, names, folder):
        self.asked.append((names, folder))
        return self.replace


class Desk:
    """File commands with all that they work on."""

    def __init__(self, window, folder):
        self.window = window
        self.documents = Documents(window)
        self.settings = own_settings(window)
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        self.preferences = Preferences(store)
        self.user = Answers()
        self.files = FileCommands(
            self.documents, self.settings, self.preferences, window, self.user
        )
        self.failures, self.news = [], []
        self.files.failed.connect(self.failures.append)
        self.files.reported.connect(self.news.append)

    @property
    def current(self):
        return self.documents.current

    @property
    def names(self):
        return [document.name for document in self.documents]

    def type(self, text):
        QTextCursor(self.current.text).insertText(text)


@pytest.fixture
def desk(qtbot, tmp_path):
    window = QWidget()
    qtbot.addWidget(window)
    return Desk(window, tmp_path)


def write(path, content=b"int x;\n"):
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("command", "names", "kind"),
    [
        ("new_cuda", ["kernel.cu", "kernel-2.cu"], CodeKind.CUDA),
        ("new_header", ["header.cuh", "header-2.cuh"], CodeKind.CUDA),
        ("new_ptx", ["kernel.ptx", "kernel-2.ptx"], CodeKind.PTX),
        ("new_llvm", ["kernel.ll", "kernel-2.ll"], CodeKind.LLVM_IR),
    ],
)
def test_a_new_tab_has_a_name_of_its_own(desk, command, names, kind):
    getattr(desk.files, command)()
    getattr(desk.files, command)()
    assert desk.names == names
    assert desk.current.kind is kind
    assert not desk.current.is_modified


def test_new_llvm_ir_is_in_the_dialect_of_the_target(desk):
    desk.files.new_llvm()
    desk.settings.arch = Arch(120)
    desk.files.new_llvm()
    typed, opaque = (document.content for document in desk.documents)
    assert b"i32 addrspace(1)*" in typed
    assert b"ptr addrspace(1)" in opaque


def test_files_are_opened_in_order_and_remembered(desk, tmp_path, qtbot):
    desk.user.paths = [write(tmp_path / "a.cu"), write(tmp_path / "b.ptx", b"//\n")]
    with qtbot.waitSignal(desk.files.recent_changed):
        desk.files.open()
    assert desk.names == ["a.cu", "b.ptx"]
    assert desk.current.name == "b.ptx"
    assert desk.current.content == b"//\n"
    assert desk.preferences.recent_files == desk.user.paths[::-1]
    desk.files.open()
    assert desk.user.asked == ["", str(tmp_path)]


def test_a_file_that_is_open_already_becomes_current(desk, tmp_path):
    one, two = write(tmp_path / "a.cu"), write(tmp_path / "b.cu")
    desk.files.open_paths([one, two])
    desk.files.open_paths([tmp_path / "sub" / ".." / "a.cu"])
    assert desk.names == ["a.cu", "b.cu"]
    assert desk.current.path == one


def test_a_header_that_was_only_looked_at_takes_part_once_it_is_opened(desk, tmp_path):
    path = write(tmp_path / "a.cuh")
    assert not open_preview(desk.documents, path, FileReader()).is_header
    desk.files.open_paths([path])
    assert desk.names == ["a.cuh"]
    assert desk.current.is_header


def test_a_header_that_was_only_looked_at_stays_open_once_its_file_is_gone(desk, tmp_path):
    path = write(tmp_path / "a.cuh")
    document = open_preview(desk.documents, path, FileReader())
    path.unlink()
    desk.files.open_paths([path])
    assert desk.current is document
    document.lose_file()
    desk.files.open_paths([path])
    assert desk.current is document


def test_files_of_one_name_are_told_apart(desk, tmp_path):
    (tmp_path / "sub").mkdir()
    desk.files.open_paths([write(tmp_path / "a.cu"), write(tmp_path / "sub" / "a.cu")])
    assert desk.names == ["a.cu", "sub/a.cu"]
    # A project names it by its place in there, and saving changes nothing of that.
    desk.documents.remove(desk.documents.named("a.cu"))
    desk.current.text.setPlainText("int changed;")
    assert desk.files.save()
    assert desk.names == ["sub/a.cu"]


def test_what_cannot_be_opened_is_told_and_the_rest_is_open(desk, tmp_path):
    folder = tmp_path / "folder.cu"
    folder.mkdir()
    desk.files.open_paths(
        [tmp_path / "gone.cu", folder, write(tmp_path / "notes.txt"), write(tmp_path / "a.cu")]
    )
    assert desk.names == ["a.cu"]
    gone, is_folder, unknown = desk.failures
    assert gone.startswith(f"'{tmp_path / 'gone.cu'}' cannot be opened: ")
    assert is_folder == f"'{folder}' cannot be opened: {refusal(read_file, folder)}."
    assert unknown.startswith("'notes.txt' has no file extension that shows what it holds.")


def test_names_that_lead_nowhere_are_told(desk, tmp_path):
    loop, pipe, long = tmp_path / "loop.cu", tmp_path / "pipe.cu", tmp_path / f"{'x' * 300}.cu"
    loop.symlink_to(loop)
    os.mkfifo(pipe)
    desk.files.open_paths([loop, pipe, long, write(tmp_path / "a.cu")])
    assert desk.names == ["a.cu"]
    of_loop, of_pipe, of_long = desk.failures
    # Since Python 3.13 it is the system that tells.
    assert of_loop.startswith(f"'{loop}' cannot be opened: ")
    assert of_pipe == f"'{pipe}' cannot be opened: {refusal(read_file, pipe)}."
    assert of_long.startswith(f"'{long}' cannot be opened: ")


def test_saving_where_something_else_stands_by_now_is_told(desk, tmp_path):
    path = write(tmp_path / "a.cu")
    desk.files.open_paths([path])
    desk.type("mine ")
    path.unlink()
    path.mkdir()
    assert not desk.files.save()
    assert desk.failures == [f"'{path}' cannot be opened: {refusal(read_file, path)}."]
    assert desk.current.is_modified


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe\0\xd8", ReadOnlyReason.NOT_TEXT),
        (b"a\0b\n", ReadOnlyReason.NOT_TEXT),
        (b"x" * 10_000_000, ReadOnlyReason.TOO_LARGE),
    ],
)
def test_strange_text_opens_read_only_and_saving_it_is_refused(desk, tmp_path, content, reason):
    path = write(tmp_path / "a.cu", content)
    desk.files.open_paths([path])
    assert desk.current.read_only is reason
    assert not desk.files.save()
    assert not desk.files.save_as()
    assert desk.failures == ["'a.cu' cannot be edited, so there is nothing to save."] * 2
    assert desk.user.asked == []


def test_saving_writes_to_the_file(desk, tmp_path):
    path = write(tmp_path / "a.cu")
    desk.files.open_paths([path])
    desk.type("// typed\n")
    assert desk.files.save()
    assert path.read_bytes() == b"// typed\nint x;\n"
    assert not desk.current.is_modified
    assert desk.news == [f"Saved {path}"]
    assert desk.user.asked == []


def test_a_disk_that_does_not_answer_keeps_no_window_waiting_that_saves(
    desk, tmp_path, monkeypatch, patience
):
    monkeypatch.setattr(file_reader, "MOMENT", patience)
    path = write(tmp_path / "a.cu")
    looks, writes, typed = Event(), Event(), Event()
    desk.files.open_paths([path])
    desk.type("mine ")
    document = desk.current

    def slow_look(*_):
        assert looks.wait(60)

    def slow_write(*file):
        writes.set()
        assert typed.wait(60)
        write_file(*file)

    def act():
        if not looks.is_set():
            assert path.read_bytes() == b"int x;\n"
            assert not desk.files.save()
            looks.set()
        elif writes.is_set():
            timer.stop()
            desk.type("more ")
            typed.set()

    monkeypatch.setattr(files, "has_changed", slow_look)
    monkeypatch.setattr(files, "write_file", slow_write)
    timer = QTimer(interval=10)
    timer.timeout.connect(act)
    timer.start()
    assert not desk.files.save()
    assert ["not answered yet" in failure for failure in desk.failures] == [True]
    assert "Waiting for the disk" in desk.news
    assert path.read_bytes() == b"mine int x;\n"
    # What was typed meanwhile is in no file yet.
    assert document.is_modified
    assert desk.files.save()
    assert path.read_bytes() == b"more mine int x;\n"
    assert desk.user.asked == []


@pytest.mark.parametrize(
    ("answer", "saved", "content", "other"),
    [
        (ChangedFile.LEAVE, False, b"theirs\n", None),
        (ChangedFile.REPLACE, True, b"mine int x;\n", None),
        (ChangedFile.SAVE_AS, True, b"theirs\n", b"mine int x;\n"),
    ],
)
def test_a_file_that_has_changed_is_not_replaced_unasked(
    desk, tmp_path, answer, saved, content, other
):
    path = write(tmp_path / "a.cu")
    desk.files.open_paths([path])
    desk.type("mine ")
    write(path, b"theirs\n")
    desk.user.changed, desk.user.paths = answer, [tmp_path / "b.cu"]
    assert desk.files.save() is saved
    assert desk.user.asked[0] == path
    assert path.read_bytes() == content
    assert ((tmp_path / "b.cu").read_bytes() if other else None) == other
    assert desk.current.is_modified is not saved
    if saved:
        desk.user.asked.clear()
        assert desk.files.save()
        assert desk.user.asked == []


def test_a_file_that_is_gone_is_written_again_without_a_question(desk, tmp_path):
    path = write(tmp_path / "a.cu")
    desk.files.open_paths([path])
    path.unlink()
    assert desk.files.save()
    assert path.read_bytes() == b"int x;\n"
    assert desk.user.asked == []


@pytest.mark.parametrize("agreed", [False, True])
def test_what_its_encoding_has_not_is_saved_as_utf_8_only_if_the_user_agrees(
    desk, tmp_path, agreed
):
    path = write(tmp_path / "a.cu", b"caf\xe9\n")
    desk.files.open_paths([path])
    desk.type("→")
    desk.user.as_utf_8 = agreed
    assert desk.files.save() is agreed
    assert desk.user.asked == [("a.cu", "Windows-1252 has no →")]
    assert path.read_bytes() == ("→café\n".encode() if agreed else b"caf\xe9\n")
    assert desk.current.encoding_name == ("UTF-8" if agreed else "Windows-1252")
    assert desk.failures == []


def test_saving_what_has_no_file_asks_for_one(desk, tmp_path):
    desk.files.new_cuda()
    desk.user.paths = [tmp_path / "saxpy.cu"]
    assert desk.files.save()
    assert desk.user.asked == [Path("kernel.cu")]
    assert desk.names == ["saxpy.cu"]
    assert desk.current.path == tmp_path / "saxpy.cu"
    assert desk.preferences.recent_files == [tmp_path / "saxpy.cu"]


def test_thinking_better_of_saving_changes_nothing(desk):
    desk.files.new_cuda()
    assert not desk.files.save_as()
    assert (desk.current.path, desk.failures, desk.news) == (None, [], [])


def test_another_ending_makes_it_another_kind(desk, tmp_path):
    desk.files.new_cuda()
    desk.user.paths = [tmp_path / "kernel.ptx"]
    assert desk.files.save_as()
    assert desk.current.kind is CodeKind.PTX


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kernel.cubin", "'kernel.cubin' would be taken for a cubin, but this is text."),
        ("kernel", "'kernel' has no file extension"),
        ("a.cu", "open in another tab"),
    ],
)
def test_a_name_that_makes_no_sense_is_refused_in_words(desk, tmp_path, name, message):
    desk.files.open_paths([write(tmp_path / "a.cu")])
    desk.files.new_cuda()
    desk.user.paths = [tmp_path / name]
    assert not desk.files.save_as()
    assert message in desk.failures[0]
    assert desk.current.path is None
    assert not list(tmp_path.glob("kernel*"))
    assert (tmp_path / "a.cu").read_bytes() == b"int x;\n"


def test_a_folder_that_cannot_be_written_is_told(desk, tmp_path):
    desk.files.new_cuda()
    desk.type("// typed\n")
    desk.user.paths = [Path("/proc/kernel.cu")]
    assert not desk.files.save()
    assert desk.failures[0].startswith("'/proc/kernel.cu' cannot be written: ")
    assert desk.current.is_modified
    # Once it is saved, elsewhere or there, what was told is no longer so.
    mended = []
    desk.files.mended.connect(mended.append)
    desk.user.paths = [tmp_path / "kernel.cu"]
    assert desk.files.save()
    assert mended == desk.failures
    assert desk.files.save()
    assert len(mended) == 1


def test_saving_through_a_link_writes_what_it_points_to(desk, tmp_path):
    target, link = write(tmp_path / "a.cu"), tmp_path / "link.cu"
    link.symlink_to(target)
    desk.files.new_cuda()
    desk.user.paths = [link]
    assert desk.files.save()
    assert link.is_symlink()
    assert target.read_bytes() == desk.current.content


def test_nothing_open_is_nothing_to_save(desk):
    assert not desk.files.save()
    assert desk.failures == []


def test_an_unmodified_tab_closes_without_a_question(desk):
    desk.files.new_cuda()
    assert desk.files.close(desk.current)
    assert desk.names == []
    assert desk.user.asked == []


@pytest.mark.parametrize(
    ("answer", "names", "files"),
    [
        (UnsavedChoice.KEEP_OPEN, ["kernel.cu"], []),
        (UnsavedChoice.DISCARD, [], []),
        (UnsavedChoice.SAVE, [], ["k.cu"]),
    ],
)
def test_a_modified_tab_asks_before_it_closes(desk, tmp_path, answer, names, files):
    (tmp_path / "out").mkdir()
    desk.files.new_cuda()
    desk.type("// typed\n")
    desk.user.unsaved = answer
    desk.user.paths = [tmp_path / "out" / "k.cu"]
    desk.files.close(desk.documents.current)
    assert desk.user.asked[0] == "kernel.cu"
    assert desk.names == names
    assert os.listdir(tmp_path / "out") == files


def test_a_tab_whose_text_could_not_be_saved_stays_open(desk):
    desk.files.new_cuda()
    desk.type("// typed\n")
    desk.user.unsaved = UnsavedChoice.SAVE
    desk.user.paths = [Path("/proc/kernel.cu")]
    assert not desk.files.close(desk.current)
    assert desk.names == ["kernel.cu"]


def slow_once(monkeypatch, desk, act):
    """The disk is slow to answer the next question, and the user does this meanwhile."""
    outcome, acts = FileReader.outcome, [act]

    def slow(reader, work):
        if acts:
            acts.pop()()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return outcome(reader, work)

    monkeypatch.setattr(FileReader, "outcome", slow)


def test_save_as_saves_the_tab_it_was_asked_about_though_another_is_current_by_then(
    desk, tmp_path, monkeypatch
):
    first, other, there = write(tmp_path / "a.cu"), write(tmp_path / "b.cu"), tmp_path / "c.cu"
    desk.files.open_paths([first, other])
    one, two = desk.documents
    desk.documents.current = one
    desk.type("mine ")
    write(first, b"theirs\n")
    desk.user.unsaved, desk.user.changed = UnsavedChoice.SAVE, ChangedFile.SAVE_AS
    desk.user.paths = [there]
    slow_once(monkeypatch, desk, lambda: setattr(desk.documents, "current", two))
    assert desk.files.close(one)
    assert there.read_bytes() == b"mine int x;\n"
    assert (desk.names, two.path) == (["b.cu"], other)


def test_what_is_typed_or_closed_while_others_are_saved_is_asked_about_again(
    desk, tmp_path, monkeypatch
):
    paths = [write(tmp_path / name) for name in ("a.cu", "b.cu", "c.cu")]
    desk.files.open_paths(paths)
    one, two, three = desk.documents
    for document in desk.documents:
        QTextCursor(document.text).insertText("mine ")
    answers, asked = [UnsavedChoice.SAVE, UnsavedChoice.KEEP_OPEN], []
    monkeypatch.setattr(
        desk.user,
        "about_all_unsaved",
        lambda names: asked.append(names) or answers.pop(0),
        raising=False,
    )
    monkeypatch.setattr(
        desk.user, "about_unsaved", lambda name: asked.append([name]) or answers.pop(0)
    )

    outcome = FileReader.outcome

    def slow(reader, work):
        found = outcome(reader, work)
        if desk.current is two and three in list(desk.documents):
            QTextCursor(one.text).insertText("more ")
            desk.documents.remove(three)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return found

    monkeypatch.setattr(FileReader, "outcome", slow)
    assert not desk.files.close_all([one, two, three])
    assert asked == [["a.cu", "b.cu", "c.cu"], ["a.cu"]]
    assert (desk.names, one.is_modified, two.is_modified) == (["a.cu", "b.cu"], True, False)
    answers.append(UnsavedChoice.SAVE)
    assert desk.files.close_all([one, two, three])
    assert (desk.names, paths[0].read_bytes()) == ([], b"more mine int x;\n")


def test_renaming_keeps_the_folders_of_a_name_and_the_window_alive(desk, tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    old, new = write(tmp_path / "sub" / "x.cuh"), tmp_path / "sub" / "y.cuh"
    desk.files.open_paths([old])
    desk.documents.rename(desk.current, "sub/x.cuh")
    desk.documents.add(Document("sub/text.cuh", CodeKind.CUDA, b""))
    of_file, of_text = desk.documents
    threads, asked = [], []

    def rename_file(*paths):
        threads.append(current_thread())
        state_files.rename_file(*paths)

    monkeypatch.setattr(files, "rename_file", rename_file)
    monkeypatch.setattr(
        desk.user, "new_name", lambda name: asked.append(name) or "y.cuh", raising=False
    )
    desk.files.rename(of_file)
    assert (of_file.name, of_file.path, new.exists()) == ("sub/y.cuh", new, True)
    assert main_thread() not in threads
    monkeypatch.setattr(desk.user, "new_name", lambda name: asked.append(name) or "z.cuh")
    desk.files.rename(of_text)
    assert (of_text.name, asked) == ("sub/z.cuh", ["x.cuh", "text.cuh"])
    assert desk.failures == []


def test_only_a_file_of_the_users_own_can_be_renamed(desk, tmp_path):
    packages = tmp_path / "site-packages"
    packages.mkdir()
    desk.files.open_paths([write(tmp_path / "a.cu")])
    assert desk.files.can_rename(desk.current)
    for path in (write(packages / "found.cuh"), write(tmp_path / "looked_at.cuh")):
        assert not desk.files.can_rename(open_preview(desk.documents, path, FileReader()))
    desk.type("mine ")
    assert desk.files.can_rename(desk.current)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.title)
def test_a_sample_opens_with_its_target_and_its_link(desk, sample):
    desk.files.new_cuda()
    desk.files.open_sample(sample)
    files = [file.path.name for file in sample.files]
    assert desk.names[1:] == files
    assert desk.current.name == files[0]
    assert all(document.included for document in desk.documents)
    # A tab of the user's own is linked with none of a sample.
    assert linked_modules(desk.documents, "")[0].name == desk.names[0]
    assert desk.settings.link is sample.link
    assert desk.settings.link_of("") is LinkMode.NONE
    assert desk.settings.arch == (sample.arch or Arch(90))
    assert not any(document.is_modified for document in desk.documents)


SAXPY = Sample(
    "saxpy", "", (SampleFile(SAMPLES / "saxpy.cu", ("saxpy<float>",)),), LinkMode.NONE, None
)


def test_a_sample_that_is_open_is_not_opened_twice(desk):
    desk.files.open_sample(SAXPY)
    assert desk.current.name_expressions == ("saxpy<float>",)
    desk.files.open_sample(SAXPY)
    assert desk.names == ["saxpy.cu"]
    desk.type("// mine\n")
    desk.files.open_sample(SAXPY)
    assert desk.names == ["saxpy.cu", "saxpy-2.cu"]
    assert not desk.current.is_modified


RESULT = BuildResult(
    Outcome.BUILT,
    Arch(90),
    artifacts=(
        Artifact(CodeKind.PTX, "k.cu", b"ptx of CUDA"),
        Artifact(CodeKind.PTX, "k.ll", b"ptx of LLVM IR"),
        Artifact(CodeKind.PTX, "sub/k.cu", b"ptx of its namesake"),
        Artifact(CodeKind.CUBIN, "k.cu", b"\x7fELF"),
    ),
)


def test_results_are_written_under_names_that_do_not_clash(desk, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    desk.user.paths = [out]
    desk.files.save_results(RESULT)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {
        "k.ptx": b"ptx of CUDA",
        "k.ll.ptx": b"ptx of LLVM IR",
        "sub_k.cu.ptx": b"ptx of its namesake",
        "k.cubin": b"\x7fELF",
    }
    assert desk.news == [f"4 files written to {out}"]


@pytest.mark.parametrize(("replace", "content"), [(False, b"by hand"), (True, b"ptx of CUDA")])
def test_a_file_is_only_replaced_if_the_user_says_so(desk, tmp_path, replace, content):
    by_hand = write(tmp_path / "k.ptx", b"by hand")
    desk.user.paths = [tmp_path]
    desk.user.replace = replace
    desk.files.save_results(RESULT)
    assert desk.user.asked[-1] == (["k.ptx"], tmp_path)
    assert by_hand.read_bytes() == content
    assert (tmp_path / "k.cubin").exists() is replace


@pytest.mark.parametrize("result", [None, BuildResult(Outcome.FAILED, Arch(90))])
def test_without_results_there_is_nothing_to_save(desk, result):
    desk.files.save_results(result)
    assert desk.failures == ["There is nothing to save: build something first."]
    assert desk.user.asked == []


def test_results_that_cannot_be_written_are_told(desk):
    desk.user.paths = [Path("/proc")]
    desk.files.save_results(RESULT)
    assert desk.failures[0].startswith("The results cannot be written to '/proc': ")
    assert desk.news == []


def test_a_captured_kernel_is_saved_as_it_is_under_another_name(desk, tmp_path):
    sample = next(one for one in samples() if one.script is not None)
    desk.files.open_sample(sample)
    document, content = desk.current, sample.files[0].path.read_bytes()
    # A session keeps no bytes: at the next start it comes from its file.
    assert document.path == sample.files[0].path
    desk.user.paths = [tmp_path / "k.cubin"]
    assert not desk.files.save_as()
    (failure,) = desk.failures
    assert "this is a captured kernel. Save it with the extension .jitkernel." in failure
    desk.user.paths = [path := tmp_path / "k.jitkernel"]
    assert desk.files.save_as()
    assert (document.path, document.name) == (path, "k.jitkernel")
    assert path.read_bytes() == document.content == content
