"""What is unusual in a project, and what is remembered of it."""

import json
import os
from dataclasses import replace

import pytest

from jitstudio.commands.project_files import read_project
from jitstudio.commands.trust import OWN, RESTRICTED, TrustError, TrustStore, concerns
from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.core.code import CodeKind
from jitstudio.core.options.safety import refused
from jitstudio.core.plan import misnamed
from jitstudio.core.project.format import dump
from jitstudio.core.project.project import Member, Project

KERNEL = Member("k.cu", CodeKind.CUDA, "__global__ void k() {}\n")
UNUSUAL = Project((KERNEL,), options="-lineinfo --time=t")


@pytest.fixture
def store(tmp_path):
    return TrustStore(tmp_path / "settings" / "trusted.json")


@pytest.fixture
def opened(tmp_path):
    (tmp_path / "p").mkdir()
    path = tmp_path / "p" / "p.jitproj"

    def write(project=UNUSUAL):
        path.write_bytes(dump(project))
        return read_project(path)

    return write


def test_an_ordinary_project_has_nothing_unusual(opened, tmp_path):
    (tmp_path / "p" / "sub").mkdir()
    (tmp_path / "p" / "sub" / "f.cu").write_text('#include "../x.h"\n')
    text = '#include "x.h"\n#include <sub/../x.h>\n#include <cuda_fp16.h>\n'
    project = Project(
        (Member("a.cu", CodeKind.CUDA, text), Member("f.cu", CodeKind.CUDA, None, "sub/f.cu")),
        options="-I. -O3",
        sweeps=(VariantDraft("k", (AxisText(AxisKind.OPTIONS, "", "; -G"),)),),
    )
    assert concerns(opened(project)) == ()


def test_all_that_is_unusual_is_told_with_its_place(opened):
    sweep = VariantDraft("k", (AxisText(AxisKind.OPTIONS, "", "-G; -Xopt"),))
    text = '#include "/etc/passwd"\n#include "../y.h"\n'
    project = Project(
        (Member("../a.cu", CodeKind.CUDA, text, options="-load=x"),),
        options="--time=t 'open",
        sweeps=(sweep,),
    )
    assert concerns(opened(project)) == (
        f"options of '../a.cu': {next(refused(['-load=x'], (), ''))}",
        f"sweep of 'k': {next(refused(['-Xopt'], (), ''))}",
        f"modules: {misnamed('../a.cu')}.",
        "../a.cu: includes '../y.h', outside the project's folder.",
        "../a.cu: includes '/etc/passwd', outside the project's folder.",
    )
    assert concerns(opened()) == ("options: '--time=t' writes a file.",)


def test_of_very_many_the_last_are_told_together_and_still_ask_anew(opened, store):
    def project(last):
        return opened(Project((KERNEL,), options=" ".join(f"--b{n}" for n in range(3000)) + last))

    found = concerns(project(" --x"))
    assert len(found) == 1001
    assert found[-1].startswith("There are 2001 more (")
    store.trust(project(" --x").path, None, found)
    assert store.standing(project(" --x")).trusted
    assert not store.standing(project(" --y")).trusted


def test_what_is_too_much_to_look_at_is_unusual(opened):
    text = "".join(f'#include "a/../{n}.h"\n' for n in range(20_000))
    project = opened(Project((Member("k.cu", CodeKind.CUDA, text),), options="-DA " * 100_000))
    assert concerns(project) == (
        "options: more than anybody can read.",
        "k.cu: includes 20,000 files by paths that may lead anywhere.",
    )


def test_trust_is_remembered_until_something_else_is_unusual(opened, store):
    project = opened()
    found = concerns(project)
    assert store.standing(project) == replace(RESTRICTED, concerns=found)
    store.trust(project.path, None, found)
    assert store.standing(project) == replace(OWN, concerns=found)
    # What is ordinary may change.
    assert store.standing(opened(replace(UNUSUAL, options="--time=t -G"))).trusted
    # Nothing of it is left to be trusted: it is built like any other.
    assert store.standing(opened(replace(UNUSUAL, options="-G"))) == RESTRICTED
    assert not store.standing(opened(replace(UNUSUAL, options="--time=t2"))).trusted
    store.distrust(project.path)
    assert not store.standing(opened()).trusted


def test_trust_is_that_of_one_project(opened, store, tmp_path):
    project = opened()
    store.trust(project.path, None, concerns(project))
    (tmp_path / "q").mkdir()
    other = tmp_path / "q" / "p.jitproj"
    other.write_bytes(project.content)
    assert not store.standing(read_project(other)).trusted


def test_what_the_user_has_saved_himself_is_trusted_as_it_is(opened, store):
    project = opened()
    store.trust(project.path, project.content, ())
    assert store.standing(project).trusted
    assert not store.standing(opened(replace(UNUSUAL, options="--time=t2"))).trusted


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\xff", b"[]", b"[" * 100_000),
        b'{"version": 2, "trusted": {}}',
        b'{"version": 1, "trusted": 3}',
        b'{"version": 1, "trusted": {"/p": {"content": 1}}}',
    ],
)
def test_a_damaged_file_trusts_nothing_and_is_written_anew(content, opened, store):
    project = opened()
    store.trust(project.path, None, concerns(project))
    store._path.write_bytes(content)
    assert not store.standing(project).trusted
    store.trust(project.path, None, concerns(project))
    assert store.standing(project).trusted


def test_the_file_is_private_and_nobody_elses_is_believed(opened, store, tmp_path):
    project = opened()
    store.trust(project.path, None, concerns(project))
    assert store._path.stat().st_mode & 0o777 == 0o600
    assert store._path.parent.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in store._path.parent.iterdir()] == ["trusted.json"]
    store._path.chmod(0o666)
    assert not store.standing(project).trusted
    store._path.chmod(0o600)
    moved = tmp_path / "moved.json"
    store._path.rename(moved)
    store._path.symlink_to(moved)
    assert not store.standing(project).trusted
    store.trust(project.path, None, concerns(project))
    assert not store._path.is_symlink()
    assert json.loads(moved.read_text())["trusted"] != {}


def test_what_cannot_be_written_is_told(opened, tmp_path):
    (tmp_path / "file").touch()
    store = TrustStore(tmp_path / "file" / "trusted.json")
    project = opened()
    with pytest.raises(TrustError, match="trusted until it is closed"):
        store.trust(project.path, None, concerns(project))
    assert not store.standing(project).trusted


def test_the_folder_can_be_chosen(opened, monkeypatch, tmp_path):
    monkeypatch.setenv("JITSTUDIO_CONFIG_DIR", str(tmp_path / "chosen"))
    project = opened()
    TrustStore().trust(project.path, None, concerns(project))
    assert os.listdir(tmp_path / "chosen") == ["trusted.json"]
