from pathlib import PurePosixPath

import pytest

from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.project.project import outside_reason, project_path, with_buffer_files


@pytest.mark.parametrize("path", ["a.cu", "in/a.cu", "./a", "a..b/c", "..a", "a~", "é b.cu"])
def test_a_path_in_the_folder_is_no_reason(path):
    assert outside_reason(path) == ""


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/etc/passwd", "root"),
        ("\\\\server\\x", "root"),
        ("C:/x", "drive"),
        ("c:x", "drive"),
        ("~/x", "home"),
        ("~root/x", "home"),
        ("..", "'..'"),
        ("../x", "'..'"),
        ("a/../../x", "'..'"),
        ("a/..", "'..'"),
        ("a\n/../x", "'..'"),
        ("a\\..\\x", "backslash"),
        ("a\0b", "control"),
    ],
)
def test_a_path_that_may_lead_out_says_how(path, reason):
    assert reason in outside_reason(path)


@pytest.mark.parametrize("path", ["~x.cu", "a\\b.cu", "C:x.cu", "a\nb", "\udc80.cu", "/x", "../x"])
def test_a_file_whose_name_cannot_be_written_has_no_path(path):
    assert project_path(PurePosixPath(path)) is None


def test_a_file_is_named_from_the_folder_on():
    assert project_path(PurePosixPath("in/a b.cu")) == "in/a b.cu"


def _launch(**arguments):
    return LaunchSpec("k", tuple(arguments.items()))


@pytest.mark.parametrize(
    ("text", "path", "changed"),
    [
        ("n:file(x.npy)", "x.npy", "n:file(NEW)"),
        ("x:file(x):in", "x", "x:file(NEW):in"),
        ("n * (2): file ( 'a b.npz::x' ) : inout", "a b.npz::x", "n * (2): file ( 'NEW' ) : inout"),
        ("float4[n]:file(a)b)", "a)b", "float4[n]:file(NEW)"),
        ("file(x.npy)", "x.npy", "file(NEW)"),
        ("{1, 2}: file(a:file(b)):out", "a:file(b)", "{1, 2}: file(NEW):out"),
    ],
)
def test_the_file_of_a_buffer_is_found_and_changed(text, path, changed):
    seen = []

    def change(name, old):
        seen.append((name, old))
        return "NEW"

    spec = with_buffer_files(_launch(x=text, n="4"), change)
    assert seen == [("x", path)]
    assert spec == _launch(x=changed, n="4")


@pytest.mark.parametrize("text", ["n:random", "null", "2.5", "n:file(", "n:expr(file(x))", ""])
def test_other_arguments_stay_as_they_are(text):
    assert with_buffer_files(_launch(x=text), lambda _name, _path: "NEW") == _launch(x=text)


def test_an_argument_can_be_left_out():
    spec = with_buffer_files(_launch(x="n:file(x)", n="4"), lambda _name, _path: None)
    assert spec == _launch(n="4")


@pytest.mark.parametrize(
    "text",
    [
        "n:file({})",
        "float[n]:file({}):in",
        "float[4,4]:file({}):linear,clamp",
        "int[4]:file({}):out",
    ],
)
def test_the_file_of_any_buffer_is_found(text):
    """Also of textures and surfaces, or a project could fill them from outside its folder."""
    spec = LaunchSpec(arguments=(("a", text.format("../secret:linear.bin")),))
    seen = []
    changed = with_buffer_files(spec, lambda name, path: seen.append((name, path)) or "inside.npy")
    assert seen == [("a", "../secret:linear.bin")]
    assert changed.arguments == (("a", text.format("inside.npy")),)
    assert with_buffer_files(spec, lambda _, path: None).arguments == ()
