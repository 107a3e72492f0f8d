import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.project.project import BreakLine, Project
from jitstudio.core.request import LinkMode
from jitstudio.gui.state import session, session_files
from jitstudio.gui.state.build_controller import request_for
from jitstudio.gui.state.document_files import digest
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_specs import LaunchSpecs, VariantDrafts
from jitstudio.gui.state.project import ProjectState
from jitstudio.gui.state.session import Session
from jitstudio.gui.state.session_format import load
from jitstudio.gui.state.session_owners import give_launches, give_project
from jitstudio.system.paths import passing_data_folder
from tests.gui.own_settings import own_settings


class Start:
    """One start of the program, as far as sessions go."""

    def __init__(self, folder, attached=True, elsewhere=None):
        self.documents = Documents()
        self.settings = own_settings()
        self.launches = LaunchSpecs()
        self.project = ProjectState(self.documents, self.settings, self.launches, VariantDrafts())
        self.session = Session(folder, self.documents, self.settings, elsewhere=elsewhere)
        if attached:
            self.attach()
        self.told = []
        self.session.save_failed.connect(self.told.append)
        self.session.restore_failed.connect(self.told.append)
        self.recovered = []
        self.session.recovered.connect(self.recovered.append)

    def attach(self):
        give_launches(self.session, self.launches)
        give_project(self.session, self.project)

    def open(self, name, content=b"int x;\n", path=None, kind=CodeKind.CUDA):
        document = Document(name, kind, content, path)
        self.documents.add(document)
        return document


@pytest.fixture
def start(tmp_path):
    """Starts the program on the same folder, or on another one."""
    starts = []

    def begin(folder=tmp_path / "sessions", attached=True):
        starts.append(Start(folder, attached))
        return starts[-1]

    yield begin
    for one in starts:
        one.session.close()


def type_into(document, text):
    cursor = QTextCursor(document.text)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText(text)


def holds(path, word):
    return path.exists() and word in path.read_bytes()


def session_file(tmp_path, slot=1):
    return tmp_path / "sessions" / f"session-{slot}.json"


def test_a_first_start_restores_nothing(start):
    first = start()
    assert not first.session.restore()
    assert first.told == []


def test_everything_is_back_at_the_next_start(start, tmp_path):
    file = tmp_path / "saxpy.cu"
    file.write_bytes(b"from disk\n")
    first = start()
    typed = first.open("kernel.cu", b"")
    type_into(typed, "int y;\n")
    typed.name_expressions = ("f<int>",)
    first.open("saxpy.cu", b"from disk\n", file).included = False
    first.documents.current = typed
    first.settings.arch = Arch(100, "a")
    first.settings.options = "-lineinfo"
    first.settings.link = LinkMode.PTX
    saxpy = first.documents.named("saxpy.cu")
    saxpy.program = "A sample"
    first.settings.set_link("A sample", LinkMode.LTO)
    first.session.close()

    second = start()
    assert second.session.restore()
    kernel, saxpy = second.documents
    assert (kernel.program, saxpy.program) == ("", "A sample")
    assert second.settings.link_of("A sample") is LinkMode.LTO
    assert second.documents.current is kernel
    assert (kernel.name, kernel.content, kernel.is_modified) == ("kernel.cu", b"int y;\n", True)
    assert kernel.name_expressions == ("f<int>",)
    assert (saxpy.path, saxpy.content, saxpy.included) == (file, b"from disk\n", False)
    assert not saxpy.is_modified
    settings = second.settings
    assert (settings.arch, settings.options) == (Arch(100, "a"), "-lineinfo")
    assert settings.link is LinkMode.PTX
    assert second.told == []


@pytest.mark.parametrize("attached", [True, False])
def test_launches_and_project_are_back_whether_they_come_before_the_texts_or_after(
    start, tmp_path, attached
):
    spec, path = LaunchSpec(kernel="tick", grid="4711"), tmp_path / "p.jitproj"
    first = start()
    first.open("kernel.cu")
    first.launches.edit(spec)
    first.project.mark_saved(path, first.project.capture(path), b"")
    first.session.close()

    second = start(attached=attached)
    assert second.session.restore()
    # What is written before they are there loses nothing.
    second.session.save()
    assert second.session.flush() == ""
    saved = load(session_file(tmp_path).read_bytes())
    assert (saved.launches, saved.project.path) == ((spec,), str(path))
    second.attach()
    assert second.launches.specs == (spec,)
    assert (second.project.path, second.project.is_modified) == (path, False)
    assert second.told == []


@pytest.mark.parametrize("is_early", [True, False])
def test_breakpoints_are_back_whether_their_owner_comes_before_the_texts_or_after(start, is_early):
    points = ((BreakLine("kernel.cu", 3), "n > 1"),)
    first = start()
    first.open("kernel.cu")
    first.session.breakpoints.give(lambda: (*points, (BreakLine("gone.cu", 1), "")), id)
    first.session.close()

    second, taken = start(), []
    if is_early:
        second.session.breakpoints.give(lambda: (), taken.append)
    assert second.session.restore()
    if not is_early:
        assert second.session.breakpoints.value == points
        second.session.breakpoints.give(lambda: (), taken.append)
    assert taken[-1] == points
    assert second.session.breakpoints.value == ()


def test_a_change_is_written_by_itself(start, qtbot, tmp_path):
    first = start()
    first.session.watch()
    type_into(first.open("kernel.cu"), "int y;\n")
    qtbot.waitUntil(lambda: holds(session_file(tmp_path), b"int y"), timeout=10_000)


def test_a_launch_that_is_typed_is_written_by_itself(start, qtbot, tmp_path):
    first = start()
    first.session.watch()
    first.launches.edit(LaunchSpec(kernel="tick", grid="4711"))
    qtbot.waitUntil(lambda: holds(session_file(tmp_path), b"4711"), timeout=10_000)


_TYPE_AND_HANG = """
import sys, time
from pathlib import Path
from PySide6.QtWidgets import QApplication
from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor
from jitstudio.core.code import CodeKind
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.session import Session
from jitstudio.gui.state.session_format import load
from tests.gui.own_settings import own_settings
app = QApplication([])
documents = Documents()
session = Session(Path(sys.argv[1]), documents, own_settings())
documents.add(Document("kernel.cu", CodeKind.CUDA, b""))
QTextCursor(documents.current.text).insertText("typed before the kill")
session.save()
session.flush()
print("saved", flush=True)
time.sleep(60)
"""


def test_unsaved_text_outlives_a_kill(start, tmp_path):
    folder = tmp_path / "sessions"
    child = subprocess.Popen(
        [sys.executable, "-c", _TYPE_AND_HANG, str(folder)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    with child:
        assert child.stdout.readline() == b"saved\n"
        meanwhile = start()
        assert not meanwhile.session.restore()
        meanwhile.session.save()
        meanwhile.session.flush()
        child.send_signal(signal.SIGKILL)
    assert session_file(tmp_path, 2).exists()

    after = start()
    assert after.session.restore()
    (kernel,) = after.documents
    assert (kernel.content, kernel.is_modified) == (b"typed before the kill", True)
    (message,) = after.recovered
    assert message.startswith("jitstudio was ended unexpectedly. One tab with unsaved text is back")
    after.session.close()
    again = start()
    assert again.session.restore()
    assert again.recovered == []


def test_two_at_once_have_a_session_each(start, tmp_path):
    first, second = start(), start()
    first.open("a.cu")
    second.open("b.cu")
    first.session.close()
    second.session.close()
    names = [
        [entry["name"] for entry in json.loads(session_file(tmp_path, n).read_text())["documents"]]
        for n in (1, 2)
    ]
    assert names == [["a.cu"], ["b.cu"]]


def test_unsaved_text_of_a_file_keeps_newlines_and_mark(start, tmp_path):
    file = tmp_path / "k.cu"
    file.write_bytes(b"\xef\xbb\xbfa\r\n")
    first = start()
    type_into(first.open("k.cu", file.read_bytes(), file), "b\n")
    first.session.close()

    second = start()
    second.session.restore()
    (document,) = second.documents
    assert document.is_modified
    document.save(file)
    assert file.read_bytes() == b"\xef\xbb\xbfa\r\nb\r\n"


def test_unsaved_text_too_long_to_be_edited_is_kept(start):
    first = start()
    type_into(first.open("kernel.cu", b""), "x" * 2_000_000)
    first.session.close()
    second = start()
    second.session.restore()
    second.session.close()
    third = start()
    third.session.restore()
    (document,) = third.documents
    assert document.content == b"x" * 2_000_000
    assert document.is_modified


def test_text_of_a_project_nobody_trusts_stays_confined_when_another_window_takes_it_over(
    start, tmp_path
):
    folder = tmp_path / "theirs"
    killed = start()
    killed.project.mark_saved(folder / "p.jitproj", Project(), b"")
    killed.project.trust(False)
    type_into(killed.open("theirs.cu", b""), '#include "/etc/passwd"\n')
    killed.session.save()
    killed.session.flush()
    other = session_file(tmp_path, 7)
    session_file(tmp_path).rename(other)
    killed.session.close()
    session_file(tmp_path).unlink()

    for _ in range(2):  # It is also so at the start after that.
        again = start()
        assert again.session.restore()
        (theirs,) = again.documents
        assert (theirs.is_modified, theirs.confined_to) == (True, str(folder))
        assert (again.project.path, other.exists()) == (None, False)
        emit = frozenset({CodeKind.PTX})
        request = request_for([theirs], again.documents, again.settings, emit)
        assert request.confined_to == (str(folder),)
        own = again.open("own.cu")
        assert request_for([own], again.documents, again.settings, emit).confined_to is None
        theirs.name = "theirs.cuh"  # As a header it is given to builds of other tabs.
        request = request_for([own], again.documents, again.settings, emit)
        assert request.confined_to == (str(folder),)
        again.documents.remove(own)
        theirs.name = "theirs.cu"
        again.session.close()


def test_an_unmodified_file_is_read_anew(start, tmp_path):
    file = tmp_path / "k.cu"
    file.write_bytes(b"old\n")
    first = start()
    first.open("k.cu", b"old\n", file)
    first.session.close()
    file.write_bytes(b"\xff\xfe\0 not text any more")
    second = start()
    second.session.restore()
    (document,) = second.documents
    assert document.content == b"\xff\xfe\0 not text any more"
    assert document.text is None


def test_a_file_that_has_gone_is_told_and_the_rest_is_back(start, tmp_path):
    gone = tmp_path / "gone.cu"
    gone.write_bytes(b"")
    first = start()
    first.open("gone.cu", b"", gone)
    first.open("a.cu")
    first.documents.current = first.open("b.cu")
    first.session.close()
    gone.unlink()
    second = start()
    assert second.session.restore()
    assert [document.name for document in second.documents] == ["a.cu", "b.cu"]
    assert second.documents.current.name == "b.cu"
    (message,) = second.told
    assert message.startswith(f"'{gone}' cannot be opened")


def test_thousands_of_files_that_have_gone_make_no_endless_notice(start, tmp_path):
    first = start()
    for number in range(100):
        first.open(f"k{number}.cu", b"", tmp_path / f"k{number}.cu")
    first.session.close()
    second = start()
    assert not second.session.restore()
    assert len(second.told) == 9
    assert second.told[-1] == "There are 92 more."


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "its file is damaged"),
        (b'{"version": 99}', "a newer jitstudio has written it (version 99)"),
    ],
)
def test_a_session_that_cannot_be_read_is_set_aside(start, tmp_path, data, reason):
    session_file(tmp_path).parent.mkdir()
    aside = [session_file(tmp_path).with_name(f"session-1-unread-{n}.json") for n in (1, 2)]
    for path in aside:
        session_file(tmp_path).write_bytes(data)
        one = start()
        assert not one.session.restore()
        assert list(one.documents) == []
        (message,) = one.told
        assert message.startswith(f"The last session cannot be brought back: {reason}")
        assert message.endswith(f"It is kept as '{path}'.")
        one.session.save()
        one.session.close()
    assert [path.read_bytes() for path in aside] == [data, data]


@pytest.mark.parametrize("slot", [1, 2])
def test_an_error_of_no_kind_foreseen_stops_one_start_of_a_session_only(
    start, tmp_path, monkeypatch, slot
):
    # The second slot is that of a window that is closed meanwhile.
    ones = [start() for _ in range(slot)]
    ones[-1].open("typed.cu")
    type_into(ones[-1].open("other.cu", b""), "typed")
    for one in ones:
        one.session.close()
    with monkeypatch.context() as broken:
        broken.setattr(session, "Document", lambda *_: {}[0])
        second = start()
        assert not second.session.restore()
    (message,) = second.told
    aside = session_file(tmp_path).with_name(f"session-{slot}-unread-1.json")
    assert message.endswith(f": 0. It is kept as '{aside}'.")
    assert b"typed" in aside.read_bytes()
    second.session.watch()
    second.session.close()
    third = start()
    assert not third.session.restore()
    assert third.told == []


def test_what_keeping_the_session_tells_can_be_translated(start, tmp_path, bracketing):
    session_file(tmp_path).parent.mkdir()
    session_file(tmp_path).write_bytes(b"{")
    one = start()
    one.session.restore()
    assert one.told[0].startswith("[The last session ")
    assert "[It is kept as " in one.told[0]
    (tmp_path / "file").write_bytes(b"")
    blocked = start(tmp_path / "file" / "sessions")
    blocked.session.save()
    assert blocked.told[0].startswith("[Unsaved text ")
    assert ": ['" in blocked.told[0]


def test_half_a_session_is_not_restored(start, tmp_path):
    first = start()
    first.settings.options = "-lineinfo"
    first.open("a.cu")
    first.open("b.cu")
    first.session.close()
    state = json.loads(session_file(tmp_path).read_text())
    del state["documents"][1]["kind"]
    session_file(tmp_path).write_text(json.dumps(state))
    second = start()
    assert not second.session.restore()
    assert list(second.documents) == []
    assert second.settings.options == ""


@pytest.mark.parametrize("where", ["file", "/proc"])
def test_a_folder_that_cannot_be_written_is_told_once(start, tmp_path, where):
    (tmp_path / "file").write_bytes(b"")
    folder = Path("/proc") if where == "/proc" else tmp_path / "file" / "sessions"
    one = start(folder)
    assert not one.session.restore()
    one.session.watch()
    one.session.save()
    (message,) = one.told
    assert message.startswith(f"Unsaved text is not kept: '{folder}' cannot be ")
    assert message.endswith("Save your files yourself before you quit.")


def test_a_full_disk_is_told_and_leaves_the_last_session_alone(start, tmp_path, full_disk):
    one = start()
    one.session.save_works.connect(lambda: one.told.append("works"))
    one.open("a.cu")
    one.session.save()
    assert one.session.flush() == ""
    one.open("b.cu")
    with full_disk():
        for _ in range(2):
            one.session.save()
            assert one.session.flush()
    (message,) = one.told
    assert f": '{session_file(tmp_path)}' cannot be" in message
    assert len(json.loads(session_file(tmp_path).read_text())["documents"]) == 1
    one.session.save()
    one.session.flush()
    assert len(json.loads(session_file(tmp_path).read_text())["documents"]) == 2
    assert one.told[1:] == ["works"]
    one.open("c.cu")
    with full_disk():
        one.session.save()
        one.session.flush()
    assert len(one.told) == 3


def test_a_disk_that_was_full_is_tried_again(start, qtbot, tmp_path, full_disk):
    one = start()
    one.session.set_interval(0.05)
    type_into(one.open("a.cu"), "typed\n")
    with full_disk():
        one.session.save()
        one.session.flush()
    assert not session_file(tmp_path).exists()
    qtbot.waitUntil(lambda: holds(session_file(tmp_path), b"typed"), timeout=5000)


def test_the_end_tells_whether_the_session_can_be_kept(start, tmp_path, full_disk, monkeypatch):
    one = start()
    type_into(one.open("a.cu"), "kept early\n")
    assert one.session.keep() == ""
    type_into(one.documents.current, "typed on a full disk\n")
    with full_disk():
        assert "too large" in one.session.keep()
    assert holds(session_file(tmp_path), b"kept early")
    # The end was put off: what is written now has not come to it.
    one.session.save()
    one.session.flush()
    assert not load(session_file(tmp_path).read_bytes()).closed

    # Without room for a second file there is still that of the first.
    type_into(one.documents.current, "at the very end\n")
    monkeypatch.setattr(session_files, "replace_file", lambda *_: "No space left on device")
    assert one.session.keep() == ""
    assert holds(session_file(tmp_path), b"at the very end")
    assert load(session_file(tmp_path).read_bytes()).closed
    nowhere = start(Path("/proc"))
    assert nowhere.session.keep().startswith("'/proc' cannot be ")


def test_the_next_start_says_only_what_is_so(start, tmp_path, full_disk):
    """A session whose end could not be written, and one whose process was killed."""
    for was_killed, ended in (
        (False, "The last session could not be kept to its end. "),
        (True, "jitstudio was ended unexpectedly. "),
    ):
        one = start()
        one.session.restore()
        type_into(one.open("a.cu"), "kept early\n")
        one.session.save()
        one.session.flush()
        type_into(one.documents.current, "lost\n")
        with full_disk():
            one.session.close()
        if was_killed:
            # No process has a number as high.
            session_file(tmp_path).with_suffix(".lock").write_text("99999999\nx\n\n\n\n")
        again = start()
        again.session.restore()
        (told,) = again.recovered
        assert told.startswith(f"{ended}{'2 tabs' if was_killed else 'One tab'} with unsaved text")
        assert "kept at" in told
        again.session.close()


def test_a_session_is_back_though_nothing_can_be_written(start, tmp_path, full_disk):
    one = start()
    type_into(one.open("a.cu"), "kept\n")
    one.session.close()
    before = session_file(tmp_path).read_bytes()
    with full_disk():
        again = start()
        assert again.session.restore()
        assert again.documents.current.content.endswith(b"kept\n")
        again.session.save()
        assert again.session.keep() == f"'{tmp_path / 'sessions'}' cannot be written to"
        again.session.close()
    assert session_file(tmp_path).read_bytes() == before


def test_what_was_kept_for_a_while_comes_home(start, tmp_path, monkeypatch):
    """Kept in the folder that took the place of a home that could not be written to."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    elsewhere = passing_data_folder() / "sessions"
    away = start(elsewhere)
    assert away.session.is_passing
    type_into(away.open("a.cu"), "typed without a home\n")
    away.session.close()
    home = Start(tmp_path / "sessions", elsewhere=elsewhere)
    assert not home.session.is_passing
    assert home.session.restore()
    assert home.documents.current.content.endswith(b"typed without a home\n")
    home.session.close()
    assert list(elsewhere.iterdir()) == []
    assert holds(session_file(tmp_path), b"typed without a home")


def test_what_is_opened_by_itself_leaves_the_last_project_alone(start, tmp_path):
    first = start()
    first.settings.options = "--mine"
    first.open("a.cu")
    path = tmp_path / "p.jitproj"
    first.project.mark_saved(path, first.project.capture(path), b"")
    first.settings.options = "--of-the-project"
    type_into(first.documents.current, "typed in the project\n")
    first.session.close()
    before = session_file(tmp_path).read_bytes()

    alone = start()
    assert not alone.session.restore(by_itself=True)
    assert list(alone.documents) == []
    assert (alone.project.path, alone.settings.options) == (None, "--mine")
    (told,) = alone.recovered
    assert told.startswith("'p.jitproj', which was open last, has unsaved changes.")
    type_into(alone.open("b.cu"), "typed alone\n")
    alone.session.close()
    assert session_file(tmp_path).read_bytes() == before
    # Its own session comes back as ever, as does the project where no file is asked for.
    again = start()
    assert again.session.restore(by_itself=True)
    assert again.documents.current.content.endswith(b"typed alone\n")
    again.session.close()
    last = start()
    assert last.session.restore()
    assert (last.project.path, last.settings.options) == (path, "--of-the-project")
    assert [d.name for d in last.documents if d.is_modified] == ["a.cu", "b.cu"]


def test_typing_on_and_on_does_not_put_it_off(start, qtbot, tmp_path):
    one = start()
    one.session.watch()
    one.session.set_interval(0.3)
    document = one.open("a.cu", b"")
    typing = QTimer(interval=20)
    typing.timeout.connect(lambda: type_into(document, "x"))
    typing.start()
    qtbot.waitUntil(lambda: holds(session_file(tmp_path), b"xxxxx"), timeout=2000)
    typing.stop()


def test_changes_can_be_written_at_once_and_what_follows_waits_for_it(start, qtbot, tmp_path):
    one = start()
    one.session.watch()
    one.session.flush()
    before = session_file(tmp_path).stat().st_mtime_ns
    one.session.save_changes()
    one.session.flush()
    assert session_file(tmp_path).stat().st_mtime_ns == before
    type_into(one.open("a.cu"), "typed before the launch\n")
    one.session.save_changes()
    one.session.flush()
    assert holds(session_file(tmp_path), b"typed before the launch")
    type_into(one.documents.current, "and after\n")
    kept = []
    one.session.save_before(lambda: kept.append(holds(session_file(tmp_path), b"and after")))
    assert kept == []
    qtbot.waitUntil(lambda: bool(kept))
    assert kept == [True]


def test_what_follows_happens_even_if_nothing_can_be_written(start, qtbot, tmp_path, full_disk):
    nowhere = start(Path("/proc"))
    done = []
    nowhere.session.save_before(lambda: done.append("no folder"))
    assert done == ["no folder"]
    full = start()
    with full_disk():
        full.session.save_before(lambda: done.append("full disk"))
        qtbot.waitUntil(lambda: len(done) == 2)
    assert done == ["no folder", "full disk"]


def test_more_windows_than_there_are_places_is_told(start):
    ones = [start() for _ in range(17)]
    for one in ones:
        one.session.save()
        one.session.flush()
    assert [len(one.told) for one in ones] == [0] * 16 + [1]
    assert "16 windows keep their text in" in ones[-1].told[0]


def test_text_that_its_encoding_has_not_is_kept(start, tmp_path):
    file = tmp_path / "k.cu"
    file.write_bytes(b"caf\xe9\r\n")
    first = start()
    type_into(first.open("k.cu", file.read_bytes(), file), "→\n")
    first.session.close()
    second = start()
    second.session.restore()
    (document,) = second.documents
    assert document.content == "café\n→\n".encode()
    assert (document.encoding_name, document.line_end_name) == ("Windows-1252", "CRLF")
    assert document.is_modified


def test_the_cursor_and_what_the_text_began_from_come_back(start, tmp_path):
    file = tmp_path / "k.cu"
    file.write_bytes(b"one\ntwo\n")
    first = start()
    document = first.open("k.cu", file.read_bytes(), file)
    type_into(document, "three\n")
    document.cursor = 9
    first.session.close()
    file.write_bytes(b"by somebody else\n")
    second = start()
    second.session.restore()
    (document,) = second.documents
    assert document.cursor == 9
    assert document.content == b"one\ntwo\nthree\n"
    assert document.on_disk == digest(b"one\ntwo\n")


def test_what_changes_after_the_end_is_not_written(start, tmp_path):
    one = start()
    one.session.watch()
    one.open("a.cu")
    one.session.close()
    before = session_file(tmp_path).read_bytes()
    one.documents.remove(one.documents.current)
    one.session.save()
    assert session_file(tmp_path).read_bytes() == before
    assert one.told == []


def test_what_was_typed_in_a_second_window_comes_back_in_the_next_single_one(start, tmp_path):
    first, second = start(), start()
    first.open("one.cu", b"from the first\n")
    type_into(second.open("two.cu", b""), "typed in the second\n")
    second.open("unchanged.cu", b"as a template\n")
    first.session.close()
    second.session.close()

    third = start()
    assert third.session.restore()
    assert {d.name: d.content for d in third.documents} == {
        "one.cu": b"from the first\n",
        "two.cu": b"typed in the second\n",
    }
    assert third.documents.named("two.cu").is_modified
    assert not session_file(tmp_path, 2).exists()
    assert b"typed in the second" in session_file(tmp_path, 1).read_bytes()


def test_a_window_that_is_still_open_keeps_its_own(start, tmp_path):
    first, second = start(), start()
    type_into(second.open("two.cu", b""), "typed in the second\n")
    second.session.save()
    second.session.flush()
    first.session.close()
    third = start()
    third.session.restore()
    assert len(third.documents) == 0
    assert session_file(tmp_path, 2).exists()
