"""The names of sources and headers of a build: files that are there, and texts without one."""

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.file_names import FileNames
from jitstudio.core.request import BuildRequest


def test_a_text_is_no_file_that_happens_to_have_its_name(tmp_path, monkeypatch):
    (tmp_path / "k.cu").write_text("")
    monkeypatch.chdir(tmp_path)
    for name in ("k.cu", "sub/k.cu"):
        text = Source(name, CodeKind.CUDA, "")
        names = FileNames(BuildRequest((text,), Arch.parse("sm_90"), folder=str(tmp_path)))
        assert names.path(name) == name
        assert names.is_text(name)
    file = Source("k.cu", CodeKind.CUDA, "", folder=str(tmp_path))
    names = FileNames(BuildRequest((file,), Arch.parse("sm_90"), folder=str(tmp_path)))
    assert names.path("k.cu") == str(tmp_path / "k.cu")
    assert not names.is_text("k.cu")
