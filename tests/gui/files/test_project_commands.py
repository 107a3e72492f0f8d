"""What replaces all that is open, or ends the program, without a window."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextCursor

from jitstudio.core.code import CodeKind
from jitstudio.gui.files.project_commands import ProjectCommands
from jitstudio.gui.kit.dialogs import UnsavedChoice
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_specs import LaunchSpecs, VariantDrafts
from jitstudio.gui.state.project import ProjectState
from tests.gui.own_settings import own_settings


class Files(QObject):
    """Saves a document, while the user types into another."""

    recent_changed = Signal()
    project_wanted = Signal(object)

    def __init__(self, documents):
        super().__init__()
        self._documents = documents
        self.saved = []

    def save_document(self, document, *, elsewhere=False):
        document.save(document.path, lambda *_: None)
        self.saved.append(document.name)
        if document.name == "b.cu":
            QTextCursor(self._documents.named("a.cu").text).insertText("more ")
        return not document.is_modified


class Actions(dict):
    def __missing__(self, _name):
        return SimpleNamespace(setEnabled=lambda _: None, setChecked=lambda _: None)

    def bind(self, _commands):
        pass


@pytest.mark.parametrize("answer", [UnsavedChoice.KEEP_OPEN, UnsavedChoice.SAVE])
@pytest.mark.parametrize("at_the_end", [False, True])
def test_text_typed_while_the_rest_is_saved_is_asked_about_again(
    qapp, tmp_path, at_the_end, answer
):
    documents = Documents()
    settings, launches, sweeps = own_settings(), LaunchSpecs(), VariantDrafts()
    project = ProjectState(documents, settings, launches, sweeps)
    session = SimpleNamespace(keep=lambda: "the disk is full", is_passing=False, save=lambda: None)
    build_controller = SimpleNamespace(release=lambda: None)
    for name in ("a.cu", "b.cu"):
        document = Document(name, CodeKind.CUDA, b"int x;\n", tmp_path / name)
        documents.add(document)
        QTextCursor(document.text).insertText("mine ")
    answers, asked = [UnsavedChoice.SAVE, answer], []

    def ask(names, *_problem):
        asked.append(names)
        return answers.pop(0)

    dialogs = SimpleNamespace(about_all_unsaved=ask, about_unkept=ask)
    files = Files(documents)
    projects = ProjectCommands(
        project, documents, None, session, build_controller, files, dialogs, Actions()
    )
    if at_the_end:
        assert projects.may_end() is (answer is UnsavedChoice.SAVE)
    else:
        projects.close()
        assert len(documents) == (0 if answer is UnsavedChoice.SAVE else 2)
    assert asked == [["a.cu", "b.cu"], ["a.cu"]]
    assert files.saved == ["a.cu", "b.cu", "a.cu"][: 3 if answer is UnsavedChoice.SAVE else 2]
