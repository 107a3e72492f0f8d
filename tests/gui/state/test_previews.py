from threading import Event

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor

from jitstudio.core.code import CodeKind
from jitstudio.gui.editor.editor_tabs import part_in_builds
from jitstudio.gui.state import file_reader
from jitstudio.gui.state import previews as asides
from jitstudio.gui.state.build_controller import linked_modules, request_for
from jitstudio.gui.state.document_files import DocumentError
from jitstudio.gui.state.documents import Document, Documents, takes_part_alone
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_text import ReadOnlyReason, compare
from jitstudio.gui.state.launch_specs import LaunchSpecs, VariantDrafts
from jitstudio.gui.state.previews import open_preview
from jitstudio.gui.state.project import ProjectState
from jitstudio.gui.state.session import Session
from jitstudio.gui.state.session_format import load
from jitstudio.system.paths import usual_cache_folder
from tests.gui.own_settings import own_settings


@pytest.fixture
def documents(qapp):
    made = Documents()
    made.add(Document("k.cu", CodeKind.CUDA, b'#include "a/impl.cuh"\n'))
    return made


def header(folder, name="impl.cuh"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("int one;\nint two;\n")
    return folder / name


def names_given(documents):
    request = request_for([next(iter(documents))], documents, own_settings(), frozenset())
    return [header.name for header in request.headers]


def type_into(document):
    QTextCursor(document.text).insertText("// more\n")


def test_a_header_that_is_looked_at_is_not_given_to_builds_until_it_is_edited(documents, tmp_path):
    document = open_preview(documents, header(tmp_path / "a"), FileReader())
    assert documents.current is document
    assert document.read_only is None
    assert names_given(documents) == []
    assert not takes_part_alone(document)
    assert part_in_builds(document) == "Builds read the file itself, until you edit it here"
    told = []
    documents.changed.connect(lambda document: told.append(part_in_builds(document)))
    type_into(document)
    assert names_given(documents) == ["impl.cuh"]
    assert told[-1] == part_in_builds(document) == "Builds take it from here, as 'impl.cuh'"


def test_what_its_file_gets_to_hold_is_no_edit(documents, tmp_path):
    document = open_preview(documents, header(tmp_path), FileReader())
    document.reload(compare(document.kind, b"int one;\nint three;\n", document.held))
    assert document.content == b"int one;\nint three;\n"
    assert names_given(documents) == []


def test_a_module_that_is_looked_at_is_linked_to_nothing(documents, tmp_path):
    document = open_preview(documents, header(tmp_path, "other.cu"), FileReader())
    assert document.kind is CodeKind.CUDA
    assert [module.name for module in linked_modules(documents, "")] == ["k.cu"]


def test_a_file_that_is_open_is_turned_to_as_it_is(documents, tmp_path):
    path = header(tmp_path)
    mine = Document("impl.cuh", CodeKind.CUDA, path.read_bytes(), path.resolve())
    documents.add(mine)
    link = tmp_path / "link.cuh"
    link.symlink_to(path)
    documents.current = None
    assert open_preview(documents, link, FileReader()) is mine
    assert documents.current is mine
    assert names_given(documents) == ["impl.cuh"]


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("lib/site-packages/nvidia/cu13/include/cuda_fp16.hpp", CodeKind.HEADER),
        ("cache/jitstudio/nvrtc-headers-13.4/cccl/cub/block_reduce.cuh", CodeKind.CUDA),
        ("include/cuda/std/span", CodeKind.HEADER),
    ],
)
def test_what_is_not_the_users_to_edit_is_only_shown(documents, tmp_path, monkeypatch, place, kind):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    assert usual_cache_folder() == tmp_path / "cache" / "jitstudio"
    path = tmp_path / place
    document = open_preview(documents, header(path.parent, path.name), FileReader())
    assert document.read_only is ReadOnlyReason.FOUND
    assert document.kind is kind
    assert document.content == b"int one;\nint two;\n"
    assert part_in_builds(document) == "Builds read the file itself"
    assert names_given(documents) == []


def test_a_file_that_is_gone_says_so(documents, tmp_path):
    with pytest.raises(DocumentError, match=r"gone\.cuh"):
        open_preview(documents, tmp_path / "gone.cuh", FileReader())
    assert len(documents) == 1


def test_a_disk_that_does_not_answer_keeps_no_window_waiting(tmp_path, monkeypatch, patience):
    monkeypatch.setattr(file_reader, "MOMENT", patience)
    answers, documents, reader = Event(), Documents(), FileReader()
    reads = asides.read_file

    def slow(path):
        assert answers.wait(60)
        return reads(path)

    monkeypatch.setattr(asides, "read_file", slow)
    QTimer.singleShot(100, answers.set)
    document = open_preview(documents, header(tmp_path), reader)
    assert documents.current is document
    assert document.text is not None


def test_sessions_and_projects_keep_none_of_it_before_it_is_edited(documents, tmp_path):
    settings = own_settings()
    project = ProjectState(documents, settings, LaunchSpecs(), VariantDrafts())
    session = Session(tmp_path / "sessions", documents, settings)
    document = open_preview(documents, header(tmp_path / "a"), FileReader())

    def kept():
        captured = project.capture(tmp_path / "p.jitstudio")
        session.save()
        assert session.flush() == ""
        (file,) = (tmp_path / "sessions").glob("*.json")
        saved = load(file.read_bytes()).documents
        return [m.name for m in (*captured.modules, *captured.headers)], [d.name for d in saved]

    assert kept() == (["k.cu"], ["k.cu"])
    type_into(document)
    assert kept() == (["k.cu", "impl.cuh"], ["k.cu", "impl.cuh"])
    session.close()
