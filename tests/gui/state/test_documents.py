import os
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCursor

from jitstudio.core.code import CodeKind
from jitstudio.gui.state.documents import (
    Document,
    DocumentError,
    Documents,
    ReadOnlyReason,
    kind_of_file,
    read_file,
    takes_part_alone,
)

BOM = b"\xef\xbb\xbf"


def cuda(content=b"int x;\n", name="kernel.cu", **more):
    return Document(name, CodeKind.CUDA, content, **more)


def append(document, text):
    cursor = QTextCursor(document.text)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText(text)


def test_a_new_document_is_unmodified_and_edits_modify_it(qtbot):
    document = cuda()
    assert not document.is_modified
    with qtbot.waitSignals([document.edited, document.changed]):
        append(document, "int y;\n")
    assert document.is_modified
    assert document.content == b"int x;\nint y;\n"


def test_undoing_all_edits_is_no_modification():
    document = cuda()
    append(document, "y")
    document.text.undo()
    assert not document.is_modified


class _Painter(QSyntaxHighlighter):
    def highlightBlock(self, text):
        self.setFormat(0, len(text), QColor("red"))


def test_colouring_is_no_edit(qtbot):
    document = cuda()
    painter = _Painter(document.text)
    with qtbot.waitSignal(document.text.contentsChanged), qtbot.assertNotEmitted(document.edited):
        painter.rehighlight()
    assert not document.is_modified


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a\nb",
        b"a\r\nb\r\n",
        BOM + b"a\n",
        BOM + b"a\r\nb\r\n",
        "no\u00a0break\u2028here 🚀\n".encode(),
    ],
)
def test_a_file_is_saved_as_it_was_found(tmp_path, content):
    path = tmp_path / "k.cu"
    path.write_bytes(content)
    document = Document("k.cu", CodeKind.CUDA, read_file(path), path)
    document.save(path)
    assert path.read_bytes() == content


def test_new_lines_end_as_the_others_do(tmp_path):
    document = cuda(BOM + b"a\r\nb\r\n")
    append(document, "c\n")
    assert document.content == b"a\nb\nc\n"
    document.save(tmp_path / "k.cu")
    assert (tmp_path / "k.cu").read_bytes() == BOM + b"a\r\nb\r\nc\r\n"


def test_mixed_newlines_become_the_more_frequent_one():
    assert cuda(b"a\r\nb\nc\n").file_content == b"a\nb\nc\n"
    assert cuda(b"a\r\nb\r\nc\n").file_content == b"a\r\nb\r\nc\r\n"


def test_saving_gives_the_document_its_file(tmp_path, qtbot):
    document = cuda()
    append(document, "int y;\n")
    with qtbot.waitSignal(document.changed):
        document.save(tmp_path / "k.cu")
    assert document.path == tmp_path / "k.cu"
    assert not document.is_modified


@pytest.mark.parametrize("path", [Path("/proc/kernel.cu"), Path("/nowhere/at/all/kernel.cu")])
def test_a_folder_that_cannot_be_written_changes_nothing(path):
    document = cuda()
    append(document, "y")
    with pytest.raises(DocumentError, match=f"^'{path}' cannot be written: .*another name"):
        document.save(path)
    assert document.is_modified
    assert document.path is None


def test_a_full_disk_leaves_the_old_file_alone(tmp_path, full_disk):
    path = tmp_path / "k.cu"
    path.write_bytes(b"old\n")
    document = cuda(b"old\n", path=path)
    append(document, "new\n")
    with full_disk(), pytest.raises(DocumentError, match="cannot be written"):
        document.save(path)
    assert path.read_bytes() == b"old\n"
    assert document.is_modified
    assert os.listdir(tmp_path) == ["k.cu"]


LONG = b"x" * 10_000_000


@pytest.mark.parametrize(
    ("kind", "content", "reason"),
    [
        (CodeKind.CUDA, LONG, ReadOnlyReason.TOO_LARGE),
        (CodeKind.PTX, b"x\n" * 1_000_000, ReadOnlyReason.TOO_LARGE),
        (CodeKind.CUDA, b"caf\xe9", ReadOnlyReason.NOT_TEXT),
        (CodeKind.CUDA, b"a\0b", ReadOnlyReason.NOT_TEXT),
        (CodeKind.LLVM_IR, b"BC\xc0\xde\x35\x14", ReadOnlyReason.BINARY),
        (CodeKind.CUBIN, b"\x7fELF", ReadOnlyReason.BINARY),
        (CodeKind.CUBIN, b"text", ReadOnlyReason.BINARY),
    ],
)
def test_what_cannot_be_edited_is_kept_byte_for_byte(tmp_path, kind, content, reason):
    document = Document("k", kind, content)
    assert document.read_only is reason
    assert document.text is None
    assert not document.is_modified
    assert document.content == document.file_content == content
    document.save(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == content


def test_what_the_user_has_typed_can_be_edited_whatever_it_holds():
    document = cuda(b"x" * 30_000, typed=True)
    assert document.read_only is None
    assert document.content == b"x" * 30_000


def test_a_document_is_a_source_of_its_name_and_folder(tmp_path):
    document = cuda(path=tmp_path / "k.cu")
    document.name_expressions = ("f<int>",)
    source = document.as_source()
    assert (source.name, source.content, source.folder) == (
        "kernel.cu",
        b"int x;\n",
        str(tmp_path),
    )
    assert source.name_expressions == ("f<int>",)
    assert cuda().as_source().folder == ""


def test_only_cuda_has_name_expressions():
    document = Document("k.ptx", CodeKind.PTX, b"")
    document.name_expressions = ("f<int>",)
    assert document.as_source().name_expressions == ()


@pytest.mark.parametrize(
    ("attribute", "value"), [("name_expressions", ("f<int>",)), ("included", False)]
)
def test_what_it_is_built_with_counts_as_an_edit_once(qtbot, attribute, value):
    document = cuda()
    with qtbot.waitSignal(document.edited):
        setattr(document, attribute, value)
    with qtbot.assertNotEmitted(document.edited):
        setattr(document, attribute, value)
    assert not document.is_modified


@pytest.mark.parametrize(
    ("name", "kind", "header", "alone"),
    [
        ("k.cu", CodeKind.CUDA, False, True),
        ("k.cuh", CodeKind.CUDA, True, False),
        ("k.h", CodeKind.HEADER, True, False),
        ("k.ll", CodeKind.LLVM_IR, False, True),
        ("k.cubin", CodeKind.CUBIN, False, True),
        ("k.sass", CodeKind.SASS, False, False),
    ],
)
def test_headers_and_modules_are_told_apart(name, kind, header, alone):
    document = Document(name, kind, b"")
    assert document.is_header is header
    assert takes_part_alone(document) is alone


def test_reading_a_folder_or_nothing_is_told(tmp_path):
    with pytest.raises(DocumentError, match="cannot be opened: it is a folder"):
        read_file(tmp_path)
    with pytest.raises(DocumentError, match=r"no\.cu' cannot be opened"):
        read_file(tmp_path / "no.cu")


def test_an_unknown_ending_is_told_with_the_known_ones():
    assert kind_of_file(Path("K.CU")) is CodeKind.CUDA
    with pytest.raises(DocumentError, match=r"'notes\.txt' has no ending.*\.cu, "):
        kind_of_file(Path("notes.txt"))


@pytest.fixture
def documents():
    return Documents()


def test_an_opened_document_is_last_and_current(documents, qtbot):
    first, second = cuda(name="a.cu"), cuda(name="b.cu")
    documents.add(first)
    with qtbot.waitSignal(documents.added) as added, qtbot.waitSignal(documents.current_changed):
        documents.add(second)
    assert added.args == [second, 1]
    assert list(documents) == [first, second]
    assert documents.current is second


def test_edits_and_changes_name_their_document(documents, qtbot):
    first = cuda(name="a.cu")
    documents.add(first)
    documents.add(cuda(name="b.cu"))
    with qtbot.waitSignal(documents.edited) as edited, qtbot.waitSignal(documents.changed):
        append(first, "y")
    assert edited.args == [first]


@pytest.mark.parametrize(
    ("current", "removed", "next_one"),
    [("b.cu", "b.cu", "c.cu"), ("c.cu", "c.cu", "b.cu"), ("a.cu", "b.cu", "a.cu")],
)
def test_closing_goes_to_the_right_neighbour_or_else_the_last(
    documents, qtbot, current, removed, next_one
):
    for name in ("a.cu", "b.cu", "c.cu"):
        documents.add(cuda(name=name))
    documents.current = documents.named(current)
    with qtbot.waitSignal(documents.removed):
        documents.remove(documents.named(removed))
    assert documents.current.name == next_one
    assert len(documents) == 2


def test_closing_the_last_leaves_none(documents):
    documents.add(cuda())
    documents.remove(documents.current)
    assert documents.current is None
    assert list(documents) == []


def test_names_are_unique(documents):
    for expected in ("kernel.cu", "kernel-2.cu", "kernel-3.cu"):
        name = documents.unique_name("kernel.cu")
        assert name == expected
        documents.add(cuda(name=name))
    documents.rename(documents.named("kernel-3.cu"), "kernel.cu")
    assert [document.name for document in documents] == ["kernel.cu", "kernel-2.cu", "kernel-3.cu"]
    documents.rename(documents.named("kernel-2.cu"), "saxpy.cu")
    assert documents.named("saxpy.cu") is list(documents)[1]


def test_a_document_is_found_by_its_file(documents, tmp_path):
    document = cuda(path=tmp_path / "k.cu")
    documents.add(document)
    assert documents.at_path(tmp_path / "k.cu") is document
    assert documents.at_path(tmp_path / "other.cu") is None


def test_a_new_order_is_told_once(documents, qtbot):
    for name in ("a.cu", "b.cu"):
        documents.add(cuda(name=name))
    order = list(documents)[::-1]
    with qtbot.waitSignal(documents.moved):
        documents.reorder(order)
    assert [document.name for document in documents] == ["b.cu", "a.cu"]
    with qtbot.assertNotEmitted(documents.moved):
        documents.reorder(list(documents))
