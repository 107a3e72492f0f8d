"""The compilers that a session or a project names, found among those that the user has added."""

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.project.format import ProjectFormatError, dump, load
from jitstudio.core.project.project import Project
from jitstudio.core.toolchain_folders import AddedToolchains
from jitstudio.gui.services.build_service import BuildService
from jitstudio.gui.services.request_queue import close_all
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.toolchain import OtherToolchains
from tests.gui.own_settings import own_settings


@pytest.fixture
def added(tmp_path):
    folders = []
    for name, version in (("old", "12.9"), ("new", "13.0"), ("newer", "13.0"), ("none", "")):
        folder = tmp_path / name
        folder.mkdir()
        for file in ("libnvrtc.so.13", *([f"libnvrtc-builtins.so.{version}"] if version else [])):
            (folder / file).touch()
        folders.append(str(folder))
    kept = AddedToolchains(tmp_path / "toolchains.json")
    kept.keep(folders)
    return kept


@pytest.fixture
def documents(qapp):
    return Documents()


@pytest.fixture
def settings(documents):
    return own_settings(documents)


HINTS = {"12.9": "old", "13.0 (newer)": "newer", "12.9 (gone)": "old", "13.0": "", "14.1": ""}


@pytest.mark.parametrize(("name", "folder"), HINTS.items())
def test_a_name_means_what_the_user_has_added(settings, added, tmp_path, qtbot, name, folder):
    toolchains = OtherToolchains(settings, added=added)
    assert not toolchains.lacking
    with qtbot.waitSignal(settings.toolchain_settled):
        settings.take_from(Project(toolchain=name))
        assert (settings.awaits_toolchain, settings.toolchain) == (True, "")
    assert settings.toolchain == (str(tmp_path / folder) if folder else "")
    # What was wanted is kept, whatever there is on this machine.
    assert settings.toolchain_name == name
    assert toolchains.lacking == ("" if folder else name)


def test_no_project_names_a_folder(settings, added, tmp_path, qtbot):
    toolchains = OtherToolchains(settings, added=added)
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "libnvrtc.so.13").touch()
    for name in (str(evil), "../evil", "evil"):
        with qtbot.waitSignal(settings.toolchain_settled):
            settings.take_from(Project(toolchain=name))
        assert settings.toolchain == ""
        assert toolchains.lacking == name
    toolchains.choose(str(tmp_path / "none"))
    assert settings.toolchain == str(tmp_path / "none")
    with pytest.raises(ProjectFormatError, match="toolchain: a text belongs"):
        load(dump(Project()).replace(b'"version": 1', b'"version": 1, "toolchain": ["13.0"]'))


def test_what_is_chosen_goes_by_its_name_and_one_that_comes_later_is_taken(
    settings, added, tmp_path, qtbot
):
    toolchains = OtherToolchains(settings, added=added)
    with qtbot.waitSignal(toolchains.changed):
        toolchains.read()
    toolchains.choose(str(tmp_path / "new"))
    assert (settings.toolchain_name, settings.toolchain) == ("13.0 (new)", str(tmp_path / "new"))
    toolchains.choose("")
    assert (settings.toolchain_name, settings.toolchain) == ("", "")
    settings.want_toolchain("13.1")
    later = tmp_path / "later"
    later.mkdir()
    for file in ("libnvrtc.so.13", "libnvrtc-builtins.so.13.1"):
        (later / file).touch()
    with qtbot.waitSignal(toolchains.changed):
        toolchains.add(str(later))
    assert (settings.toolchain, toolchains.lacking) == (str(later), "")


def test_a_build_waits_for_its_compilers_and_what_is_held_stays_held(documents, settings):
    documents.add(Document("k.cu", CodeKind.CUDA, b"__global__ void k() {}"))
    service = BuildService()
    controller = BuildController(documents, settings, Outputs(), service)
    began = []
    controller.began.connect(lambda *_: began.append(settings.toolchain))
    settings.want_toolchain("13.0")
    ended = []
    controller.build_ended.connect(lambda: ended.append(controller.is_busy))
    controller.build()
    assert began == []
    # A launch waits for it, as for any build.
    assert controller.is_busy
    settings.settle_toolchain("")
    assert began == [""]
    controller.hold()
    ended.clear()
    settings.want_toolchain("12.9")
    controller.build()
    controller.hold()
    assert ended == [False]
    settings.settle_toolchain("")
    assert controller.is_held
    assert not controller.is_busy
    assert began == [""]
    close_all((service,))


def test_what_was_not_asked_for_is_not_run_once_the_compilers_are_found(documents, settings):
    kernel = Document("k.cu", CodeKind.CUDA, b"__global__ void k() {}")
    script = Document("x.py", CodeKind.PYTHON, b"print(1)")
    documents.add(kernel)
    service = BuildService()
    controller = BuildController(documents, settings, Outputs(), service)
    began = []
    controller.began.connect(lambda subject, *_: began.append(subject))
    settings.want_toolchain("13.0")
    controller.start()
    documents.add(script)
    documents.current = script
    settings.settle_toolchain("found")
    assert began == []
    # One for which the user has pressed Build still waits, and runs.
    settings.want_toolchain("12.9")
    controller.build()
    settings.settle_toolchain("another")
    assert began == [script]
    close_all((service,))
