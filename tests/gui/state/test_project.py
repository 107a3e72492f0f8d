"""Which project is open, without a window."""

import json
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtGui import QTextCursor

from jitstudio.commands.project_files import read_project
from jitstudio.commands.trust import TrustLevel
from jitstudio.core.arch import Arch
from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.project.format import ProjectFormatError, dump, load
from jitstudio.core.project.project import Member, Project
from jitstudio.core.request import LinkMode
from jitstudio.gui.state import session_format
from jitstudio.gui.state.build_controller import linked_modules, request_for
from jitstudio.gui.state.build_settings import CodeTrust, Switch
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_specs import LaunchSpecs, VariantDrafts
from jitstudio.gui.state.project import ProjectState, outside
from jitstudio.gui.state.session_format import SavedProject, SavedSession
from tests.gui.own_settings import own_settings

LAUNCH = LaunchSpec("k", (("x", "n:file(data/x.npy)"), ("n", "4")))
PROJECT = Project(
    modules=(
        Member("k.cu", CodeKind.CUDA, "int k;\r\n", name_expressions=("k<int>",), included=False),
        Member("file.ptx", CodeKind.PTX, None, "code/file.ptx"),
        Member("lib.ll", CodeKind.LLVM_IR, "; lib\n", is_library=True),
    ),
    headers=(Member("h.cuh", CodeKind.CUDA, "#define H\n"),),
    arch=Arch(80),
    options="-G",
    link=LinkMode.LTO,
    libdevice=True,
    keep_host_code=True,
    toolchain="13.0",
    launches=(LAUNCH,),
    kernel="k",
    sweeps=(VariantDraft("k", (AxisText(values="1,2"),)),),
    layout="compare",
    current="h.cuh",
)


class Desk:
    """A project with all that it is about."""

    def __init__(self):
        self.documents = Documents()
        self.settings = own_settings(self.documents)
        self.launches = LaunchSpecs(self.documents)
        self.sweeps = VariantDrafts(self.documents)
        self.project = ProjectState(
            self.documents, self.settings, self.launches, self.sweeps, self.documents
        )

    def add(self, name, content=b"x\n", path=None):
        document = Document(name, CodeKind.CUDA, content, path)
        self.documents.add(document)
        return document

    def is_modified(self):
        self.project.compare()
        return self.project.is_modified

    def save(self, path):
        captured = self.project.capture(path)
        path.write_bytes(dump(captured))
        self.project.mark_saved(path, captured, b"")


@pytest.fixture
def desk(qapp):
    return Desk()


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "project"
    (made / "code").mkdir(parents=True)
    (made / "code" / "file.ptx").write_bytes(b".version 8.0\n")
    return made


def _write(folder, project=PROJECT):
    path = folder / "p.jitproj"
    path.write_bytes(dump(project))
    return path


def _type(document, text="y"):
    QTextCursor(document.text).insertText(text)


def test_a_project_comes_back_as_it_was(desk, folder):
    path = _write(folder)
    desk.project.open(read_project(path))
    assert [d.name for d in desk.documents] == ["k.cu", "file.ptx", "lib.ll", "h.cuh"]
    assert desk.documents.current.name == "h.cuh"
    assert desk.documents.named("file.ptx").path == folder / "code" / "file.ptx"
    assert desk.settings.arch == Arch(80)
    given = {Switch.LIBDEVICE, Switch.KEEP_HOST_CODE}
    assert desk.settings.switches == {*given, Switch.CACHE, Switch.PRECOMPILE}
    assert desk.launches.specs[0].arguments[0][1] == f"n:file({folder}/data/x.npy)"
    assert desk.launches.spec.kernel == "k"
    assert not desk.is_modified()
    assert desk.project.capture(path) == PROJECT


def test_what_changes_a_project_is_told_and_untold(desk, folder):
    desk.project.open(read_project(_write(folder)))
    for change, back in (
        (lambda: setattr(desk.settings, "options", "-O1"), "options"),
        (lambda: setattr(desk.settings, "arch", Arch(90)), "arch"),
        (lambda: setattr(desk.settings, "link", LinkMode.PTX), "link"),
    ):
        before = getattr(desk.settings, back)
        change()
        assert desk.is_modified(), back
        setattr(desk.settings, back, before)
        assert not desk.is_modified(), back
    for switch in (Switch.DRIVER_JIT, Switch.NVCC):
        desk.settings.turn(switch, True)
        assert desk.is_modified()
        desk.settings.turn(switch, False)
    desk.settings.turn(Switch.CACHE, False)
    assert not desk.is_modified()


def test_edits_of_all_kinds_are_changes(desk, folder):
    path = _write(folder)
    desk.project.open(read_project(path))
    for change in (
        lambda: _type(desk.documents.named("k.cu")),
        lambda: setattr(desk.documents.named("k.cu"), "included", True),
        lambda: desk.documents.remove(desk.documents.named("h.cuh")),
        lambda: desk.add("new.cu"),
        lambda: desk.launches.edit(replace(desk.launches.spec, block="7")),
        lambda: desk.sweeps.remember("k", VariantDraft("k", ())),
        lambda: desk.documents.reorder(list(desk.documents)[::-1]),
    ):
        assert not desk.is_modified()
        change()
        assert desk.is_modified()
        desk.save(path)
    assert not desk.is_modified()


def test_looking_at_it_changes_nothing(desk, folder):
    desk.project.open(read_project(_write(folder)))
    desk.documents.current = desk.documents.named("k.cu")
    desk.project.layout = "edit"
    assert not desk.is_modified()


def test_undoing_an_edit_is_no_change(desk, folder):
    desk.project.open(read_project(_write(folder)))
    document = desk.documents.named("k.cu")
    _type(document)
    assert desk.is_modified()
    document.text.undo()
    assert not desk.is_modified()


def test_a_file_of_the_folder_is_its_own_business(desk, folder):
    desk.project.open(read_project(_write(folder)))
    document = desk.documents.named("file.ptx")
    assert not desk.project.keeps(document)
    _type(document)
    assert document.is_modified
    assert not desk.is_modified()


def test_no_disk_is_asked_while_somebody_types(desk, folder, monkeypatch):
    desk.project.open(read_project(_write(folder)))
    spec = LaunchSpec("k", (("x", f"n:file({folder}/code/../x.npy)"),))
    desk.launches.edit(spec)
    path = desk.project.path
    assert desk.project.paths(path) >= {folder, folder / "x.npy", folder / "code/file.ptx"}

    def ask(*_, **__):
        raise AssertionError("the disk is asked")

    for owner, name in ((Path, "resolve"), (os.path, "realpath"), (os, "stat"), (os, "lstat")):
        monkeypatch.setattr(owner, name, ask)
    _type(desk.documents.named("k.cu"))
    assert desk.is_modified()
    assert not desk.project.keeps(desk.documents.named("file.ptx"))
    assert len(list(desk.project.files_in(folder))) == 1
    captured = desk.project.capture(path, lambda path: path)
    (launch,) = (launch for launch in captured.launches if launch.kernel == "k")
    assert dict(launch.arguments)["x"] == "n:file(x.npy)"


def test_a_file_elsewhere_is_kept_as_a_copy(desk, folder, tmp_path):
    elsewhere = tmp_path / "x.cu"
    elsewhere.write_bytes(b"one\r\ntwo")
    document = desk.add("x.cu", b"one\r\ntwo", elsewhere)
    path = folder / "p.jitproj"
    desk.save(path)
    assert desk.project.keeps(document)
    (member,) = load(path.read_bytes()).modules
    assert (member.text, member.path) == ("one\r\ntwo", "")
    assert document.path == elsewhere
    _type(document)
    assert desk.is_modified()
    desk.save(path)
    # The copy is saved; the file is not.
    assert not desk.is_modified()
    assert document.is_modified


def test_machine_code_elsewhere_is_named_and_told(desk, folder, tmp_path):
    elsewhere = tmp_path / "x.cubin"
    desk.documents.add(Document("x.cubin", CodeKind.CUBIN, b"\x7fELF", elsewhere))
    project = desk.project.capture(folder / "p.jitproj")
    assert project.modules[0].path == elsewhere.as_posix()
    assert list(outside(project)) == ["x.cubin"]


@pytest.mark.parametrize("content", [b"", b"a", b"a\r\nb\n", b"\xef\xbb\xbfa\n", b"a\rb\r"])
def test_texts_are_kept_to_the_byte(desk, folder, content):
    desk.add("x.cu", content)
    desk.save(folder / "p.jitproj")
    other = Desk()
    other.project.open(read_project(folder / "p.jitproj"))
    assert other.documents.current.held.encode() == content


def test_saving_a_text_without_a_file_makes_it_unmodified(desk, folder):
    document = desk.add("x.cu")
    _type(document)
    desk.save(folder / "p.jitproj")
    assert not document.is_modified
    assert b"yx" in (folder / "p.jitproj").read_bytes()


def test_what_was_not_read_is_written_back(desk, folder):
    launch = replace(LAUNCH, arguments=(("x", "n:file(/etc/hostname)"), ("n", "4")))
    outside_module = Member("out.cu", CodeKind.CUDA, None, "../out.cu")
    unknown = {("", ""): {"later": 1}, ("modules", "k.cu"): {"colour": "blue"}}
    project = replace(
        PROJECT,
        modules=(*PROJECT.modules, outside_module),
        launches=(launch,),
        unknown=unknown,
    )
    path = _write(folder, project)
    desk.project.open(read_project(path))
    assert desk.documents.named("out.cu") is None
    assert desk.launches.specs[0].arguments == (("n", "4"),)
    assert not desk.is_modified()
    assert desk.project.capture(path) == project
    desk.launches.edit(replace(desk.launches.specs[0], arguments=(("x", "n"), ("n", "4"))))
    assert desk.project.capture(path).launches[0].arguments == (("x", "n"), ("n", "4"))


def _partly_read(**fields):
    """A project of which a module, an argument and an axis lie outside."""
    launch = replace(LAUNCH, arguments=(("x", "n:file(/etc/hostname)"), ("n", "4")))
    secret = AxisText(AxisKind.ARGUMENT, "x", "n:file(in.npy); n:file(../secret.npy)")
    sweep = VariantDraft("k", (secret, AxisText(values="1,2")))
    lost = Member("out.cu", CodeKind.CUDA, None, "../out.cu")
    return replace(PROJECT, modules=(lost,), launches=(launch,), sweeps=(sweep,), **fields)


def test_an_axis_with_a_file_outside_is_left_out_and_written_back(desk, folder):
    project = _partly_read()
    path = _write(folder, project)
    desk.project.open(read_project(path))
    assert desk.sweeps.drafts == (VariantDraft("k", (AxisText(values="1,2"),)),)
    assert desk.project.capture(path).sweeps == project.sweeps
    other = Desk()
    other.project.resume(desk.project.remembered())
    assert other.sweeps.drafts == desk.sweeps.drafts
    assert other.project.capture(path).sweeps == project.sweeps


def test_the_files_of_an_axis_are_used_from_the_root_on_and_kept_from_the_folder_on(desk, folder):
    axis = AxisText(AxisKind.ARGUMENT, "x", "n:file(a.npy), n:file(b.npy)")
    project = replace(PROJECT, sweeps=(VariantDraft("k", (axis,)),))
    path = _write(folder, project)
    desk.project.open(read_project(path))
    values = f"n:file({folder}/a.npy), n:file({folder}/b.npy)"
    assert desk.sweeps.drafts[0].axes == (replace(axis, values=values),)
    assert not desk.is_modified()
    assert desk.project.capture(path) == project


def test_saved_into_another_folder_it_names_no_other_files(desk, folder, tmp_path):
    unknown = {("", ""): {"later": 1}}
    desk.project.open(read_project(_write(folder, _partly_read(unknown=unknown))))
    beside, elsewhere = folder / "q.jitproj", tmp_path / "other" / "p.jitproj"
    elsewhere.parent.mkdir()
    assert desk.project.left_behind(beside) == ()
    assert desk.project.left_behind(elsewhere) == ("out.cu", "k: x", "k: x")
    desk.save(elsewhere)
    for project in (load(elsewhere.read_bytes()), desk.project.capture(beside)):
        assert project.modules == ()
        assert project.launches[0].arguments == (("n", "4"),)
        assert project.sweeps[0].axes == (AxisText(values="1,2"),)
        assert project.unknown == unknown
    assert not desk.is_modified()


def test_the_next_start_goes_on_with_it(desk, folder):
    path = _write(folder, replace(PROJECT, unknown={("", ""): {"later": 1}}))
    assert desk.project.remembered() is None
    desk.project.open(read_project(path))
    remembered = desk.project.remembered()
    assert (remembered.path, remembered.modified) == (str(path), False)
    desk.settings.options = "-O1"
    desk.project.compare()
    assert desk.project.remembered().modified
    other = Desk()
    other.project.resume(remembered)
    assert other.sweeps.drafts == PROJECT.sweeps
    assert other.project.path == path
    assert not other.is_modified()
    assert other.project.capture(path).unknown == {("", ""): {"later": 1}}
    other.project.resume(SavedProject(str(path), True, *(2 * [dump(Project()).decode()])))
    assert other.is_modified()
    other.save(path)
    assert not other.is_modified()


def test_what_changed_a_moment_before_the_end_is_remembered_as_unsaved(desk, folder):
    desk.project.open(read_project(_write(folder)))
    desk.settings.options = "-O1"
    assert desk.project.remembered().modified


def test_a_session_file_holds_what_is_remembered(desk, folder):
    lost = Member("out.cu", CodeKind.CUDA, None, "../out.cu")
    desk.project.open(
        read_project(
            _write(folder, replace(PROJECT, modules=(lost,), unknown={("", ""): {"x": 1}}))
        )
    )
    remembered = desk.project.remembered()
    assert load(remembered.carried.encode()).modules == (lost,)
    session = SavedSession((), None, Arch(90), "", LinkMode.NONE, frozenset())
    data = session_format.dump(session._replace(project=remembered))
    assert session_format.load(data).project == remembered
    assert session_format.load(session_format.dump(session)).project is None
    older = data.replace(b'"sweeps"', b'"no_sweeps"')
    assert session_format.load(older).project.sweeps == remembered.carried
    damaged = session_format.load(data.replace(b"out.cu", b"")).project
    other = Desk()
    with pytest.raises(ProjectFormatError, match="name"):
        other.project.resume(damaged)
    assert (other.project.path, other.project.remembered()) == (None, None)


def test_a_closed_project_is_neither_modified_nor_remembered(desk, folder):
    desk.settings.arch = Arch(75)
    desk.project.open(read_project(_write(folder)))
    desk.settings.options = "-O1"
    desk.project.close()
    assert not desk.is_modified()
    assert (desk.project.path, desk.project.title) == (None, "")
    desk.settings.options = "-O2"
    desk.project.reset()
    assert desk.settings.options == ""
    assert desk.settings.link is LinkMode.NONE
    assert (desk.launches.specs, desk.sweeps.drafts) == ((), ())
    assert desk.project.capture(Path("/p.jitproj")).arch == Arch(75)


def test_a_project_holds_the_program_that_it_was_saved_of_whatever_is_looked_at(desk, folder):
    for name, program in (("mine.cu", ""), ("theirs.cu", "Sample")):
        document = Document(name, CodeKind.CUDA, b"")
        document.program = program
        desk.documents.add(document)
    desk.settings.set_link("Sample", LinkMode.LTO)
    desk.settings.turn_to("Sample")
    path = folder / "p.jitproj"
    saved = desk.project.capture(path)
    assert saved.link is LinkMode.LTO
    assert {member.name for member in saved.modules if member.is_linked} == {"theirs.cu"}
    # Another tab is looked at while the disk is slow.
    desk.settings.turn_to("")
    desk.project.mark_saved(path, saved, b"")
    assert desk.settings.link is LinkMode.NONE
    assert not desk.is_modified()
    assert desk.project.capture(path).link is LinkMode.LTO
    other = Desk()
    other.project.resume(desk.project.remembered())
    other.settings.set_link("Sample", LinkMode.PTX)
    assert other.project.capture(path).link is LinkMode.PTX
    desk.settings.set_link("Sample", LinkMode.PTX)
    assert desk.is_modified()


def _programs(desk):
    """How each tab is built: its name, whether it is ticked, its link, and what is in that."""
    return {
        document.name: (
            document.included,
            desk.settings.link_of(document.program),
            [module.name for module in linked_modules(desk.documents, document.program)],
        )
        for document in desk.documents
    }


@pytest.mark.parametrize("looked_at", ["", "pair"])
def test_programs_of_their_own_come_back_as_they_were_saved(desk, folder, looked_at):
    for name, program in (
        ("one.cu", ""),
        ("two.cu", ""),
        ("call.cu", "pair"),
        ("body.cu", "pair"),
        ("out.cu", "pair"),
        ("alone.cu", "alone"),
    ):
        desk.add(name).program = program
    desk.documents.named("two.cu").included = desk.documents.named("out.cu").included = False
    desk.settings.set_link("", LinkMode.LTO)
    desk.settings.set_link("pair", LinkMode.PTX)
    desk.settings.turn_to(looked_at)
    before, path = _programs(desk), folder / "p.jitproj"
    desk.save(path)
    assert not desk.is_modified()
    other = Desk()
    other.project.open(read_project(path))
    assert _programs(other) == before
    assert not other.is_modified()
    captured = other.project.capture(path)
    assert dump(captured) == path.read_bytes()
    linked = {member.name for member in captured.modules if member.is_linked}
    assert linked == set(before["call.cu" if looked_at else "one.cu"][2])
    other.settings.set_link(other.documents.named("call.cu").program, LinkMode.LTO)
    assert other.is_modified()


def test_a_program_whose_file_was_not_read_keeps_its_link(desk, folder):
    gone = Member("gone.cu", CodeKind.CUDA, None, "gone.cu", program="apart")
    project = replace(PROJECT, modules=(gone,), links={"apart": LinkMode.PTX})
    path = _write(folder, project)
    desk.project.open(read_project(path))
    assert desk.project.capture(path).links == {"apart": LinkMode.PTX}


def _own(desk):
    settings = desk.settings
    return settings.arch, settings.options, settings.link, settings.switches


def test_closing_a_project_restores_the_settings_from_before_it(desk, folder):
    desk.settings.arch, desk.settings.options = Arch(75), "-DMINE"
    desk.settings.link = LinkMode.PTX
    desk.settings.turn(Switch.JOIN_IR, True)
    desk.settings.turn(Switch.CACHE, False)
    before = _own(desk)
    desk.project.open(read_project(_write(folder)))
    assert _own(desk) == (
        Arch(80),
        "-G",
        LinkMode.LTO,
        frozenset({Switch.LIBDEVICE, Switch.KEEP_HOST_CODE, Switch.PRECOMPILE}),
    )
    desk.settings.options += " -Xnvvm=-Xopt"
    desk.project.open(read_project(_write(folder)))
    desk.project.close()
    assert _own(desk) == before
    assert desk.settings.trust == CodeTrust()


def test_closing_restores_the_settings_after_a_restart(desk, folder):
    desk.settings.options = "-DMINE"
    desk.project.open(read_project(_write(folder)))
    saved = desk.project.remembered()
    session = SavedSession((), None, Arch(80), "-G", LinkMode.LTO, frozenset(), (), True, saved)
    data = session_format.dump(session)
    other = Desk()
    other.settings.options = "-G"
    other.project.resume(session_format.load(data).project)
    other.project.close()
    assert other.settings.options == "-DMINE"


def test_a_project_of_an_older_session_is_not_trusted_and_leaves_nothing_set(desk, folder):
    desk.project.open(read_project(_write(folder)))
    told = desk.project.remembered()._asdict()
    older = {key: told[key] for key in ("path", "modified", "carried", "sweeps", "on_disk")}
    other = Desk()
    other.settings.take_from(PROJECT)
    data = session_format.dump(
        SavedSession((), None, Arch(80), "-G", LinkMode.LTO, frozenset(), ())
    )
    state = json.loads(data) | {"project": older}
    other.project.resume(session_format.load(json.dumps(state).encode()).project)
    assert other.settings.trust == CodeTrust(str(folder), is_trusted=False)
    other.project.close()
    assert (other.settings.options, other.settings.link) == ("", LinkMode.NONE)


def test_the_restriction_stays_over_a_restart(desk, folder):
    concern = "options: '--time=f' writes a file."
    for standing in (TrustLevel(False, (concern,)), TrustLevel(True, (concern,))):
        desk.project.open(read_project(_write(folder)), standing)
        other = Desk()
        other.project.resume(desk.project.remembered())
        assert other.project.standing == standing
        assert other.settings.trust == CodeTrust(str(folder), standing.trusted)


def test_a_project_that_cannot_be_brought_back_leaves_no_options(desk, folder):
    desk.project.open(read_project(_write(folder)))
    other = Desk()
    other.settings.take_from(PROJECT)
    with pytest.raises(ProjectFormatError):
        other.project.resume(desk.project.remembered()._replace(carried="{}"))
    assert other.settings.options == ""
    assert not other.settings.trust.is_trusted


def test_what_the_user_saves_as_a_project_is_trusted_and_no_other(desk, folder):
    desk.add("mine.cu")
    desk.settings.options = "-DMINE"
    assert desk.project.standing.trusted
    desk.save(folder / "mine.jitproj")
    assert desk.settings.trust == CodeTrust(str(folder), is_trusted=True)
    desk.project.close()
    assert desk.settings.options == "-DMINE"
    desk.project.open(read_project(_write(folder)))
    desk.save(folder / "elsewhere.jitproj")
    assert not desk.project.standing.trusted


def test_builds_are_confined_until_the_project_is_trusted(desk, folder, tmp_path):
    (tmp_path / "own").mkdir()
    desk.project.open(read_project(_write(folder)))
    mine = desk.add("own.cu", path=tmp_path / "own" / "own.cu")
    build = partial(request_for, (mine,), desk.documents, desk.settings, frozenset())
    assert build().confined_to == (str(folder), str(tmp_path / "own"))
    assert build().folder == str(folder)
    desk.project.trust(True)
    assert (build().confined_to, build().folder) == (None, str(folder))
    desk.project.trust(False)
    assert build().confined_to is not None
    desk.project.close()
    assert (build().confined_to, build().folder) == (None, "")


def test_what_is_typed_while_the_project_is_written_stays_unsaved(desk, tmp_path):
    for name in ("a.cu", "b.cu"):
        desk.documents.add(Document(name, CodeKind.CUDA, b"int x;\n"))
    first, second = desk.documents
    path = tmp_path / "p.jitproj"
    captured = desk.project.capture(path)
    QTextCursor(first.text).insertText("more ")
    desk.project.mark_saved(path, captured, dump(captured))
    assert (first.is_modified, second.is_modified, desk.project.is_modified) == (True, False, True)
    desk.save(path)
    assert (first.is_modified, desk.project.is_modified) == (False, False)
