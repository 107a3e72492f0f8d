import os
import random
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCursor

from jitstudio.core.code import CodeKind
from jitstudio.gui.state.document_files import DocumentError, read_file
from jitstudio.gui.state.documents import Document, Documents, takes_part_alone
from jitstudio.gui.state.file_text import (
    Encoding,
    EncodingError,
    FileText,
    ReadOnlyReason,
    TextForm,
    compare,
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


def test_lines_that_were_not_touched_end_as_before(tmp_path):
    document = cuda(b"a\r\nb\nc\r\n")
    append(document, "d\n")
    document.save(tmp_path / "k.cu")
    assert (tmp_path / "k.cu").read_bytes() == b"a\r\nb\nc\r\nd\r\n"
    append(document, "e\n")
    document.save(tmp_path / "k.cu")
    assert (tmp_path / "k.cu").read_bytes() == b"a\r\nb\nc\r\nd\r\ne\r\n"


@pytest.mark.parametrize(
    ("content", "names", "built"),
    [
        (b"caf\xe9\r\n", ("Windows-1252", "CRLF"), "café\n"),
        ("\ufeffgrün\n".encode("utf-16-le"), ("UTF-16 LE", "LF"), "grün\n"),
        (b"a\r\nb\n", ("UTF-8", "LF, mixed"), "a\nb\n"),
    ],
)
def test_other_encodings_are_edited_named_and_built_as_utf_8(content, names, built):
    document = cuda(content)
    assert document.read_only is None
    assert (document.encoding_name, document.line_end_name) == names
    assert document.content == built.encode()


def test_a_character_its_encoding_has_not_is_not_saved_until_it_is_utf_8(tmp_path, qtbot):
    path = tmp_path / "k.cu"
    path.write_bytes(b"caf\xe9\n")
    document = Document("k.cu", CodeKind.CUDA, read_file(path), path)
    append(document, "→")
    with pytest.raises(EncodingError, match="Windows-1252 has no →"):
        document.save(path)
    assert path.read_bytes() == b"caf\xe9\n"
    assert document.is_modified
    with qtbot.waitSignal(document.changed):
        document.set_encoding(Encoding.UTF_8)
    document.save(path)
    assert path.read_bytes() == "café\n→".encode()


def test_new_fonts_and_wraps_are_no_edit(qtbot):
    document = cuda()
    with qtbot.assertNotEmitted(document.edited):
        document.text.setDefaultFont(QFont("monospace", 30))
        option = document.text.defaultTextOption()
        option.setWrapMode(option.WrapMode.NoWrap)
        document.text.setDefaultTextOption(option)


def reload(document, content):
    document.reload(compare(document.kind, content, document.held))


def test_what_the_file_holds_is_taken_over_as_one_step_of_undo(qtbot):
    document = cuda(b"a\nb\nc\nd\n", path=Path("/k.cu"))
    cursor = QTextCursor(document.text.findBlockByNumber(3))
    with qtbot.waitSignals([document.reloading, document.edited, document.reloaded]):
        reload(document, b"a\r\nnew\r\nlines\r\nB\r\nc\r\nd\r\n")
    assert document.content == b"a\nnew\nlines\nB\nc\nd\n"
    assert not document.is_modified
    assert document.line_end_name == "CRLF"
    assert cursor.block().text() == "d"
    document.text.undo()
    assert document.content == b"a\nb\nc\nd\n"
    assert document.is_modified
    assert not document.text.isUndoAvailable()


def test_any_content_is_taken_over():
    chance = random.Random(7)
    document = cuda(b"")
    for _ in range(200):
        content = "".join(chance.choices(["a\n", "b\n", "🚀\n", "c"], k=chance.randrange(9)))
        reload(document, content.encode())
        assert document.content == content.encode()


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (b"int x = 1;\n", b"int x = 22;\n", ("int x = 22;", 4)),
        (b"a\nint x;\nb\n", b"A\nint xy;\nB\n", ("int xy;", 4)),
        ("// 🚀🚀 x\n".encode(), "// 🚀🚀 yx\n".encode(), ("// 🚀🚀 yx", 4)),
    ],
)
def test_a_cursor_in_a_line_that_changed_stays_there(old, new, place):
    document = cuda(old)
    line = 1 if old.startswith(b"a") else 0
    cursor = QTextCursor(document.text.findBlockByNumber(line))
    cursor.movePosition(QTextCursor.MoveOperation.Right, n=place[1])
    at = cursor.positionInBlock()
    reload(document, new)
    assert document.content == new
    assert (cursor.block().text(), cursor.positionInBlock()) == (place[0], at)


def test_a_binary_is_taken_over_too(qtbot):
    document = Document("k", CodeKind.CUBIN, b"\x7fELF", Path("/k"))
    with qtbot.waitSignals([document.edited, document.reloaded]):
        reload(document, b"\x7fELF2")
    assert document.content == b"\x7fELF2"


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
    assert document.content == content
    document.save(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == content


def test_what_the_user_has_typed_is_kept_whatever_it_holds(tmp_path):
    a_little_more = cuda(FileText("x" * 24_000))
    assert a_little_more.read_only is None
    assert a_little_more.content == b"x" * 24_000
    document = cuda(FileText("é\n" * 300_000, TextForm(Encoding.UTF_16_LE)))
    document.set_modified(True)
    assert (document.text, document.read_only) == (None, ReadOnlyReason.UNSAVED)
    assert document.content == "é\n".encode() * 300_000
    document.lose_file()
    assert document.is_modified
    document.save(tmp_path / "k.cu")
    assert (tmp_path / "k.cu").read_text("utf-16-le") == "\ufeff" + "é\n" * 300_000
    assert not document.is_modified
    assert (document.held, document.read_only) == (None, ReadOnlyReason.TOO_LARGE)


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
