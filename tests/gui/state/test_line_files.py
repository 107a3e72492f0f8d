import os
from dataclasses import replace

import pytest

from jitstudio.analysis.sass.model import SourceLocation
from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.gui.features.correlation.sides import absence_text
from jitstudio.gui.state.correlation import FileAbsence, followed, located
from tests.support import request


@pytest.fixture
def build(tmp_path, monkeypatch):
    """A build in a working directory with files that have the names of tabs by chance."""
    monkeypatch.chdir(tmp_path)
    for name in ("typed.cu", "memory.cuh", "generated.y", "src/saved.cu", "src/beside.cuh"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    typed = Source("typed.cu", CodeKind.CUDA, b"")
    saved = Source("saved.cu", CodeKind.CUDA, b"", str(tmp_path / "src"))
    return request(typed, saved, headers=(Header("memory.cuh", b""),))


@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("src/../src/beside.cuh", "src/beside.cuh"),
        ("generated.y", "generated.y"),
        # What was saved is its file, wherever the build was started.
        ("saved.cu", "src/saved.cu"),
        ("src/saved.cu", "src/saved.cu"),
    ],
)
def test_a_line_table_leads_to_the_file_that_was_read(build, tmp_path, file, found):
    path = located(f"{tmp_path}/{file}", build)
    assert os.path.samefile(path, tmp_path / found)


def test_the_header_of_a_project_is_its_file(build, tmp_path):
    header = Header("beside.cuh", b"")
    project = replace(build, headers=(header,), folder=str(tmp_path / "src"))
    path = located(f"{tmp_path}/beside.cuh", project)
    assert path == tmp_path / "src" / "beside.cuh"


@pytest.mark.parametrize(
    ("file", "absence"),
    [
        ("typed.cu", FileAbsence.CLOSED),
        ("memory.cuh", FileAbsence.CLOSED),
        ("nowhere.inc", FileAbsence.MISSING),
        ("src", FileAbsence.MISSING),
        ("no\0name", FileAbsence.MISSING),
        ("__nv_nvrtc_builtin_header.h", FileAbsence.BUILT_IN),
    ],
)
def test_code_that_is_in_no_file_is_told_apart(build, tmp_path, file, absence):
    assert located(f"{tmp_path}/{file}", build) is absence


def test_the_words_name_the_line_as_it_was_written(build, tmp_path):
    told = absence_text(FileAbsence.MISSING, SourceLocation(f"{tmp_path}/nowhere.inc", 7))
    assert told.startswith("nowhere.inc:7 is in no file here")
    elsewhere = SourceLocation("/elsewhere/a.inc", 7)
    assert absence_text(FileAbsence.MISSING, elsewhere).startswith("/elsewhere/a.inc:7 ")


def test_links_are_followed_and_what_is_no_name_stays_as_it_is(build, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "src")
    real = os.path.realpath(tmp_path)
    assert followed(f"{tmp_path}/link/beside.cuh") == f"{real}/src/beside.cuh"
    assert followed("no\0name") == "no\0name"
