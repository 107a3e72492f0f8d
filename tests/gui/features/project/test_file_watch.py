import os

import pytest
from PySide6.QtGui import QTextCursor

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.project.file_watch import FileWatch
from jitstudio.gui.state.document_files import digest
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_text import ReadOnlyReason
from tests.gui.driver import pause


class Watched:
    """Open documents that are watched, and what was told of them."""

    def __init__(self, folder):
        self.folder = folder
        self.documents = Documents()
        self.watch = FileWatch(self.documents)
        self.told = []
        self.watch.reloaded.connect(lambda document: self.told.append(("reloaded", document.name)))
        self.watch.gone.connect(lambda document: self.told.append(("gone", document.name)))
        self.watch.uneditable.connect(lambda document, reason: self.told.append(reason))
        self.watch.conflicts_changed.connect(
            lambda documents: self.told.append([document.name for document in documents])
        )

    def open(self, content=b"one\ntwo\n", name="k.cu", kind=CodeKind.CUDA):
        path = self.folder / name
        path.write_bytes(content)
        document = Document(name, kind, content, path)
        self.documents.add(document)
        return document


def type_into(document, text):
    cursor = QTextCursor(document.text)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText(text)


def replace(path, content):
    """As most editors save: another file takes the name."""
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.replace(path)


def write(path, content):
    path.write_bytes(content)


@pytest.fixture
def watched(tmp_path):
    return Watched(tmp_path)


@pytest.fixture
def until(qtbot):
    return lambda what: qtbot.waitUntil(lambda: bool(what()))


@pytest.mark.parametrize("change", [write, replace])
def test_a_clean_document_follows_its_file_again_and_again(watched, until, change):
    document = watched.open()
    for content in (b"one\n2\n", b"", b"caf\xe9\r\n"):
        watched.told.clear()
        change(document.path, content)
        until(lambda: watched.told)
        assert document.held.encode() == content
        assert not document.is_modified
        assert document.on_disk == digest(content)
        assert watched.told == [("reloaded", "k.cu")]
    document.text.undo()
    assert document.content == b""


def test_a_file_replaced_while_somebody_holds_the_old_one_is_still_followed(watched, until):
    document = watched.open()
    with document.path.open("rb"):
        for content in (b"first\n", b"second\n"):
            replace(document.path, content)
            until(lambda content=content: document.content == content)


def test_many_writes_end_with_the_last(watched, until):
    document = watched.open()
    for number in range(40):
        write(document.path, f"{number}\n".encode())
        pause(0)
    until(lambda: document.content == b"39\n")
    assert len(watched.told) < 5


def test_own_saving_is_no_news(watched):
    document = watched.open()
    type_into(document, "three\n")
    document.save(document.path)
    pause(500)
    assert watched.told == []
    assert not document.is_modified


@pytest.mark.parametrize("answer", ["reload", "keep"])
def test_unsaved_text_stays_until_somebody_decides(watched, until, answer):
    document = watched.open()
    type_into(document, "mine\n")
    replace(document.path, b"theirs\n")
    until(lambda: watched.watch.conflicts)
    assert document.content == b"one\ntwo\nmine\n"
    assert document.on_disk == digest(b"one\ntwo\n")
    type_into(document, "more\n")
    getattr(watched.watch, answer)()
    until(lambda: not watched.watch.conflicts)
    assert document.on_disk == digest(b"theirs\n")
    assert watched.told[0] == ["k.cu"]
    if answer == "reload":
        assert (document.content, document.is_modified) == (b"theirs\n", False)
        document.text.undo()
    assert document.content == b"one\ntwo\nmine\nmore\n"
    assert document.is_modified


def test_a_conflict_that_goes_away_is_none(watched, until):
    document = watched.open()
    type_into(document, "mine\n")
    write(document.path, b"theirs\n")
    until(lambda: watched.watch.conflicts)
    write(document.path, b"one\ntwo\n")
    until(lambda: not watched.watch.conflicts)
    assert document.content == b"one\ntwo\nmine\n"
    write(document.path, b"one\ntwo\nmine\n")
    until(lambda: not document.is_modified)
    write(document.path, b"theirs\n")
    until(lambda: document.content == b"theirs\n")


def test_a_closed_document_is_no_conflict(watched, until):
    document = watched.open()
    type_into(document, "mine\n")
    write(document.path, b"theirs\n")
    until(lambda: watched.watch.conflicts)
    watched.documents.remove(document)
    assert watched.told == [["k.cu"], []]


def test_a_file_that_is_gone_leaves_unsaved_text_until_it_is_back(watched, until):
    document = watched.open()
    document.path.unlink()
    until(lambda: watched.told)
    assert watched.told == [("gone", "k.cu")]
    assert document.is_modified
    assert document.on_disk is None
    write(document.path, b"one\ntwo\n")
    until(lambda: not document.is_modified)
    document.path.unlink()
    until(lambda: document.is_modified)
    write(document.path, b"another\n")
    until(lambda: watched.watch.conflicts)
    assert document.content == b"one\ntwo\n"


def test_a_whole_folder_may_go(watched, until):
    (watched.folder / "sub").mkdir()
    document = watched.open(name="sub/k.cu")
    (watched.folder / "sub").rename(watched.folder / "gone")
    write(watched.folder / "gone" / "k.cu", b"elsewhere\n")
    until(lambda: document.is_modified)
    assert document.content == b"one\ntwo\n"


def test_binary_files_follow_too(watched, until):
    document = watched.open(b"\x7fELF", "k.cubin", CodeKind.CUBIN)
    replace(document.path, b"\x7fELF2")
    until(lambda: document.content == b"\x7fELF2")
    assert watched.told == [("reloaded", "k.cubin")]


def test_what_cannot_be_edited_does_not_take_the_place_of_text(watched, until):
    document = watched.open()
    write(document.path, b"a\0b")
    until(lambda: watched.told)
    assert watched.told == [ReadOnlyReason.NOT_TEXT]
    assert (document.content, document.is_modified) == (b"one\ntwo\n", True)
    assert document.on_disk == digest(b"one\ntwo\n")


def test_a_file_that_changed_while_nobody_watched_is_found(watched, until):
    path = watched.folder / "k.cu"
    path.write_bytes(b"theirs\n")
    document = Document("k.cu", CodeKind.CUDA, b"one\n", path)
    type_into(document, "mine\n")
    watched.documents.add(document)
    until(lambda: watched.watch.conflicts)
    assert document.content == b"one\nmine\n"


def test_a_document_follows_the_file_it_was_saved_to(watched, until):
    document = watched.open()
    document.save(watched.folder / "new.cu")
    watched.documents.changed.emit(document)
    write(watched.folder / "k.cu", b"no longer ours\n")
    write(watched.folder / "new.cu", b"ours\n")
    until(lambda: document.content == b"ours\n")
    assert watched.told == [("reloaded", "k.cu")]


def test_a_file_that_may_not_be_read_is_left_alone(watched):
    document = watched.open()
    document.path.unlink()
    os.mkdir(document.path)
    pause(400)
    assert (watched.told, document.content) == ([], b"one\ntwo\n")
