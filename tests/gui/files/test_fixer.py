from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Fix, FixKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import LinkMode
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.files.fixer import Fixer
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.state.build_controller import linked_modules
from jitstudio.gui.state.build_settings import Switch
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.tab_options import TabOptions
from tests.gui.own_settings import own_settings
from tests.support import SAMPLES

TEXT = "// \U0001f600\n#include <cstdint>\nint x;\n"


class Answers(Dialogs):
    """A user who has made up his mind."""

    def __init__(self):
        self.folder = None
        self.files = []
        self.asked = []

    def folder_of_header(self, header):
        self.asked.append(header)
        return self.folder

    def files_to_open(self, folder):
        return self.files


class Desk:
    """A fixer with all that it works on, and what it has told."""

    def __init__(self, window, folder):
        self.window = window
        self.documents = Documents(window)
        self.settings = own_settings(window)
        self.launch_specs = LaunchSpecs(window)
        self.answers = Answers()
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        preferences = Preferences(store)
        files = FileCommands(self.documents, self.settings, preferences, window, self.answers)
        self.fixer = Fixer(
            self.documents,
            self.settings,
            TabOptions(self.documents, self.settings, lambda: self.documents.current, window),
            self.launch_specs,
            files,
            window,
            lambda: self.trusted.append(True),
            self.answers,
        )
        self.trusted = []
        self.applied = 0
        self.refused = []
        self.fixer.applied.connect(self._on_applied)
        self.fixer.refused.connect(self.refused.append)

    def _on_applied(self):
        self.applied += 1

    def open(self, text=TEXT, name="k.cu", kind=CodeKind.CUDA):
        document = Document(name, kind, text.encode())
        self.documents.add(document)
        return document

    def apply(self, kind, value="", **more):
        """Whether the fix was carried out."""
        before = self.applied
        self.fixer.apply(Fix("Do it", kind, value, **more))
        return self.applied > before


@pytest.fixture
def desk(qtbot, tmp_path):
    window = QWidget()
    qtbot.addWidget(window)
    return Desk(window, tmp_path)


def test_there_is_a_way_for_every_kind(desk):
    assert set(desk.fixer._ways) == set(FixKind)


def test_sets_target_and_link(desk):
    assert desk.apply(FixKind.SET_ARCH, "sm_100")
    assert desk.apply(FixKind.SET_LINK_MODE, "lto")
    assert (desk.settings.arch, desk.settings.link) == (Arch(100), LinkMode.LTO)


def test_links_two_tabs_and_no_others(desk):
    module, other, bystander = (desk.open(name=name) for name in ("a.cu", "b.cu", "c.cu"))
    assert desk.apply(FixKind.LINK_WITH, "b.cu", file="a.cu")
    assert linked_modules(desk.documents, module.program) == (module, other)
    assert desk.settings.link_of(module.program) is LinkMode.PTX
    assert desk.settings.link_of(bystander.program) is LinkMode.NONE
    assert desk.apply(FixKind.LINK_WITH, "c.cu", file="a.cu")
    assert linked_modules(desk.documents, module.program) == (module, other, bystander)
    assert not desk.apply(FixKind.LINK_WITH, "gone.cu", file="a.cu")
    assert "'gone.cu' is not open" in desk.refused[0]


def test_adds_and_removes_options(desk):
    desk.settings.options = "-lineinfo"
    assert desk.apply(FixKind.ADD_OPTION, "-DNAME=two words")
    assert desk.settings.options == "-lineinfo '-DNAME=two words'"
    assert desk.apply(FixKind.REMOVE_OPTION, "-lineinfo")
    assert desk.settings.options == "'-DNAME=two words'"


def test_options_that_cannot_be_read_are_left_alone(desk):
    desk.settings.options = "-DNAME='open"
    assert not desk.apply(FixKind.REMOVE_OPTION, "-lineinfo")
    assert desk.settings.options == "-DNAME='open"
    assert "Check the quotes" in desk.refused[0]


def test_turns_switches(desk):
    desk.settings.turn(Switch.DRIVER_JIT, True)
    assert desk.apply(FixKind.USE_LIBDEVICE)
    assert desk.apply(FixKind.USE_NVJITLINK)
    assert desk.apply(FixKind.USE_NVCC)
    assert Switch.LIBDEVICE in desk.settings.switches
    assert Switch.NVCC in desk.settings.switches
    assert Switch.DRIVER_JIT not in desk.settings.switches


def test_trusts_the_project(desk):
    assert desk.apply(FixKind.TRUST_PROJECT)
    assert desk.trusted == [True]


def test_adds_a_name_expression_in_the_place_of_another(desk):
    document = desk.open()
    document.name_expressions = ("k", "f<int>")
    kind = FixKind.ADD_NAME_EXPRESSION
    assert desk.apply(kind, "k<float>", file="k.cu", replaces="k")
    assert document.name_expressions == ("f<int>", "k<float>")


def test_replaces_text_as_one_step_of_undo(desk):
    document = desk.open()
    other = desk.open(name="other.cu")
    assert desk.documents.current is other
    more = {"file": "k.cu", "line": 2, "replaces": "<cstdint>"}
    assert desk.apply(FixKind.REPLACE_TEXT, "<cuda/std/cstdint>", **more)
    assert document.content.decode() == TEXT.replace("cstdint", "cuda/std/cstdint")
    assert desk.documents.current is document
    document.text.undo()
    assert document.content.decode() == TEXT


def test_inserts_lines_at_the_end(desk):
    document = desk.open("define void @k()", "k.ll", CodeKind.LLVM_IR)
    assert desk.apply(FixKind.INSERT_TEXT, "\n!a = !{}\n!0 = !{}", file="k.ll")
    assert document.content == b"define void @k()\n\n!a = !{}\n!0 = !{}\n"
    document.text.undo()
    assert document.content == b"define void @k()"


def test_text_that_has_changed_since_is_left_alone(desk):
    document = desk.open()
    assert not desk.apply(FixKind.REPLACE_TEXT, "b", file="k.cu", line=1, replaces="a")
    assert document.content.decode() == TEXT
    assert desk.refused[0].startswith("The text has changed since that build")


def test_a_document_that_was_closed_is_told(desk):
    assert not desk.apply(FixKind.INSERT_TEXT, "b", file="gone.cu")
    assert desk.refused == ["'gone.cu' is not open any more. Open it and build again."]


def test_the_user_chooses_an_include_folder(desk):
    desk.answers.folder = Path("/home/me/my headers")
    assert desk.apply(FixKind.ADD_INCLUDE_FOLDER, "mine.h")
    assert desk.answers.asked == ["mine.h"]
    assert desk.settings.options == "'--include-path=/home/me/my headers'"


def test_the_user_opens_a_module(desk):
    desk.answers.files = [SAMPLES / "multiply.ptx"]
    assert desk.apply(FixKind.OPEN_FILES)
    assert desk.documents.named("multiply.ptx")


@pytest.mark.parametrize("kind", [FixKind.ADD_INCLUDE_FOLDER, FixKind.OPEN_FILES])
def test_a_user_who_thinks_better_of_it_changes_nothing(desk, kind):
    assert not desk.apply(kind)
    assert (desk.settings.options, desk.refused) == ("", [])


def test_all_at_once_is_one_step_of_undo_for_each_text(desk):
    document, other = desk.open(), desk.open(name="other.cu")
    replaced = Fix("", FixKind.REPLACE_TEXT, "long x;", "k.cu", 3, "int x;")
    inserted = Fix("", FixKind.INSERT_TEXT, "#include <a>", "k.cu", 1)
    gone = Fix("", FixKind.REPLACE_TEXT, "b", "k.cu", 1, "not there")
    elsewhere = Fix("", FixKind.INSERT_TEXT, "// end", "other.cu")
    option = Fix("", FixKind.ADD_OPTION, "-DA")
    desk.fixer.apply_all((replaced, inserted, gone, elsewhere, option))
    assert desk.applied == 1
    assert document.content.decode() == "#include <a>\n" + TEXT.replace("int x", "long x")
    assert other.content.decode() == f"{TEXT}// end\n"
    assert desk.settings.options == "-DA"
    document.text.undo()
    assert document.content.decode() == TEXT


def test_an_argument_of_the_launch_is_set(desk):
    specs = desk.launch_specs
    specs.replace_all([LaunchSpec(kernel="k", arguments=(("n", "9"), ("x", "n:random")))], "k")
    assert desk.apply(FixKind.SET_ARGUMENT, "4", replaces="n")
    assert specs.spec.arguments == (("n", "4"), ("x", "n:random"))
    assert not desk.apply(FixKind.SET_ARGUMENT, "4", replaces="m")
