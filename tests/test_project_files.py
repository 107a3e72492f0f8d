import os

import pytest

from jitstudio.commands.project_files import (
    ProjectError,
    file_launch,
    file_sweep,
    path_in_project,
    read_project,
)
from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.core.code import CodeKind, is_project
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.plain_files import read_file
from jitstudio.core.project.format import dump
from jitstudio.core.project.project import Member, Project
from tests.support import refusal


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "project"
    made.mkdir()
    (tmp_path / "secret.cu").write_text("secret")
    (made / "a.cu").write_bytes(b"int a;\r\n")
    return made


def _write(folder, *members, **fields):
    path = folder / "p.jitproj"
    path.write_bytes(dump(Project(members, **fields)))
    return path


def _named(path, name="m.cu"):
    return Member(name, CodeKind.CUDA, None, path)


def test_embedded_texts_and_files_of_the_folder_are_read(folder):
    embedded = Member("e.cu", CodeKind.CUDA, "int e;\r\n")
    opened = read_project(_write(folder, embedded, _named("a.cu")))
    assert opened.path == folder / "p.jitproj"
    assert opened.problems == ()
    assert [(m.content, m.path) for m in opened.members] == [
        (b"int e;\r\n", None),
        (b"int a;\r\n", folder / "a.cu"),
    ]


@pytest.mark.parametrize("path", ["../secret.cu", "sub/../../secret.cu", "/etc/hostname", "~/x"])
def test_a_path_that_leads_out_is_not_read_and_the_rest_is(folder, path):
    opened = read_project(_write(folder, _named(path), _named("a.cu", "a.cu")))
    outside, inside = opened.members
    assert (outside.content, outside.path) == (None, None)
    assert inside.content == b"int a;\r\n"
    assert len(opened.problems) == 1
    assert opened.problems[0].startswith(f"'m.cu' was not read: '{path}' lies outside")


@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_link_that_leads_out_is_not_followed(folder, link):
    if link == "file":
        (folder / "link.cu").symlink_to(folder.parent / "secret.cu")
        path = "link.cu"
    else:
        (folder / "link").symlink_to(folder.parent)
        path = "link/secret.cu"
    opened = read_project(_write(folder, _named(path)))
    assert opened.members[0].content is None
    assert "outside the project's folder: a link leads there" in opened.problems[0]


def test_a_link_within_the_folder_is_followed(folder):
    (folder / "link.cu").symlink_to("a.cu")
    assert read_project(_write(folder, _named("link.cu"))).members[0].content == b"int a;\r\n"


def test_links_in_a_circle_a_pipe_a_folder_and_nothing_are_told(folder):
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    (folder / "sub").mkdir()
    names = ("circle", "pipe", "sub", "gone.cu")
    opened = read_project(_write(folder, *(_named(name, name) for name in names)))
    reasons = ("in a circle", *(refusal(read_file, folder / name) for name in names[1:]))
    for problem, reason in zip(opened.problems, reasons, strict=True):
        assert reason in problem


def test_a_project_that_cannot_be_read_says_so(folder):
    with pytest.raises(ProjectError, match=r"gone\.jitproj' cannot be opened: No such file"):
        read_project(folder / "gone.jitproj")
    (folder / "bad.jitproj").write_bytes(b"{")
    with pytest.raises(ProjectError, match=r"'bad\.jitproj' cannot be opened\. It is damaged"):
        read_project(folder / "bad.jitproj")


def test_the_buffers_of_a_launch_are_read_in_the_folder_only(folder):
    spec = LaunchSpec(
        "k",
        (
            ("x", "n:file(in.npz::x)"),
            ("y", "n:file(../y.npy):in"),
            ("z", "n:file(/etc/passwd)"),
            ("n", "4"),
        ),
    )
    (launch,) = read_project(_write(folder, launches=(spec,))).launches
    assert launch.spec.arguments == (("x", f"n:file({folder}/in.npz::x)"), ("n", "4"))
    assert launch.withheld == (("y", "n:file(../y.npy):in"), ("z", "n:file(/etc/passwd)"))
    assert "The launch of 'k' leaves out 'y': '../y.npy' lies outside" in launch.problems[0]
    assert "leaves out 'z'" in launch.problems[1]


def test_an_axis_fills_buffers_from_files_in_the_folder_only(folder):
    def axis(values, name="x"):
        return AxisText(AxisKind.ARGUMENT, name, values)

    axes = (
        axis("n:file(a,b.npy);"),
        axis("n; n:file(../y.npy); n:file(/etc/passwd)", "y"),
        AxisText(AxisKind.MACRO, "y", "n:file(../y.npy)"),
    )
    (sweep,) = read_project(_write(folder, sweeps=(VariantDraft("k", axes),))).sweeps
    assert sweep.draft.axes == (axis(f"n:file({folder}/a,b.npy);"), axes[2])
    assert sweep.withheld.axes == (axes[1],)
    assert "The sweep of 'k' leaves out 'y': '/etc/passwd' lies outside" in sweep.problems[0]
    assert file_sweep(sweep.draft, folder).axes == (axes[0], axes[2])
    opened = read_project(folder / "p.jitproj")
    assert opened.problems == sweep.problems


def test_a_launch_is_kept_with_the_paths_of_its_own_files_shortened(folder):
    arguments = (("x", f"n:file({folder}/sub/x.npz::a)"), ("y", "n:file(/etc/passwd)"))
    kept = file_launch(LaunchSpec("k", arguments), folder)
    assert kept.arguments == (("x", "n:file(sub/x.npz::a)"), arguments[1])


def test_a_launch_names_other_files_from_the_root_on(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    texts = (("x", "n:file(x.npy)"), ("y", "n:file(project/y.npy)"), ("z", "n:file(~nobody-/z)"))
    kept = file_launch(LaunchSpec("k", texts), folder)
    assert kept.arguments == (
        ("x", f"n:file({folder.parent}/x.npy)"),
        ("y", "n:file(y.npy)"),
        ("z", f"n:file({folder.parent}/~nobody-/z)"),
    )


def test_which_files_a_project_can_name(folder):
    (folder / "out.cu").symlink_to(folder.parent / "secret.cu")
    assert path_in_project(folder, folder / "sub" / "b.cu") == "sub/b.cu"
    assert path_in_project(folder, folder.parent / "secret.cu") is None
    assert path_in_project(folder, folder / "out.cu") is None
    assert path_in_project(folder, folder / "~b.cu") is None
    assert path_in_project(folder, folder / "\0") is None


def test_a_project_is_known_by_its_ending(folder):
    assert is_project(folder / "A.JitProj")
    assert not is_project(folder / "jitproj")
