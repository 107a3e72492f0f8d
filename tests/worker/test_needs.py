"""What builds may read: with the real compiler, in real sealed processes."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.result import Outcome
from jitstudio.worker.builder import Builder
from jitstudio.worker.sandbox import needs
from tests.core.explaining import is_told
from tests.support import KERNEL, cuda, one_in, request

pytestmark = pytest.mark.tools

USES = "__global__ void k(int* p) { *p = VALUE; }\n"


@pytest.fixture
def builder(monkeypatch, tmp_path):
    """One worker, whose user has his home elsewhere."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    worker = Builder(workers=1)
    yield worker
    worker.close()


@pytest.fixture
def project(tmp_path):
    """A project's folder with a header, and another header beside the folder."""
    folder = tmp_path / "project"
    (folder / "include").mkdir(parents=True)
    (folder / "include" / "inner.h").write_text("#define VALUE 7\n")
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "outer.h").write_text("#define VALUE 8\n")
    return folder


def wanted(folder, include, **more):
    source = replace(cuda(f'#include "{include}"\n{USES}'), folder=str(folder))
    return replace(request(source, arch="sm_90"), **more)


def ptx(result):
    (found,) = (a.content for a in result.artifacts if a.kind is CodeKind.PTX)
    return found.decode()


def without_sandbox(monkeypatch, built):
    with monkeypatch.context() as during:
        during.setenv("JITSTUDIO_SANDBOX", "off")
        free = Builder(workers=1)
        try:
            return free.build(built)
        finally:
            free.close()


@pytest.mark.parametrize(
    "include", one_in(3, ["../common/outer.h", "include/inner.h", "link/outer.h"])
)
def test_a_users_own_build_reads_what_it_includes(builder, project, include, monkeypatch):
    (project / "link").symlink_to("../common")
    built = wanted(project, include)
    result = builder.build(built)
    assert result.ok, result.stages[0].error_log
    assert ptx(result) == ptx(without_sandbox(monkeypatch, built))


def test_folders_of_options_are_read_also_where_they_are_relative(builder, project, monkeypatch):
    monkeypatch.chdir(project)
    (project / "alias").symlink_to("include")
    for option in ("-Iinclude", "--include-path=alias", "--include-path=alias/../include"):
        result = builder.build(replace(wanted("", "inner.h"), options=(option,)))
        assert "7" in ptx(result)


def test_the_headers_of_a_toolkit_made_of_links_are_read(builder, tmp_path, monkeypatch):
    store, view = tmp_path / "store" / "cuda-13.4" / "include", tmp_path / "view"
    store.mkdir(parents=True)
    (store / "answer.h").write_text('#include "digits.h"\n#define VALUE (DIGIT * 10 + 2)\n')
    (store / "digits.h").write_text("#define DIGIT 4\n")
    for folder in ("bin", "nvvm", "include"):
        (view / folder).mkdir(parents=True)
    (view / "bin" / "nvcc").touch()
    for header in store.iterdir():
        (view / "include" / header.name).symlink_to(header)
    built = replace(wanted("", "answer.h"), options=(f"-I{view}/include",))
    for chosen in ("", str(view)):
        monkeypatch.setenv("CUDA_PATH", chosen)
        needs._in_toolkit.cache_clear()
        result = builder.build(replace(built, use_cache=False))
        assert result.ok, result.stages[0].error_log
        assert "42" in ptx(result)
    needs._in_toolkit.cache_clear()


def test_a_computed_include_is_read(builder, project):
    source = cuda(f'#define NAME "../common/outer.h"\n#include NAME\n{USES}')
    result = builder.build(request(replace(source, folder=str(project)), arch="sm_90"))
    assert "8" in ptx(result)


def test_a_header_beside_a_source_in_the_home_folder_is_read_and_nothing_else(builder, project):
    home = Path.home()
    (home / "mine.h").write_text("#define VALUE 9\n")
    (home / "secret").write_text("#error the secret\n")
    assert "9" in ptx(builder.build(wanted(home, "mine.h")))
    # Found by nothing that looks for includes, as a macro hides it only at the second look.
    pid = builder.pid
    assert "9" in ptx(builder.build(wanted(home, "mine.h", use_cache=False)))
    assert builder.pid == pid


def test_a_confined_build_reads_its_folders_and_nothing_beside_them(builder, project):
    (project / "link.h").symlink_to("../common/outer.h")
    confined = {"confined_to": (str(project),)}
    assert "7" in ptx(builder.build(wanted(project, "include/inner.h", **confined)))
    outside = str(project.parent / "common" / "outer.h")
    for include in ("../common/outer.h", "link.h", outside):
        result = builder.build(wanted(project, include, **confined))
        assert result.outcome is Outcome.FAILED
        (told,) = result.diagnostics
        assert "not trusted" in told.message or is_told("header-confined", told)
        # The sandbox refuses what no scan of the text finds.
        built = wanted(project, include, **confined)
        text = f'#define THE_FILE "{include}"\n#include THE_FILE\n{USES}'
        (source,) = built.sources
        hidden = replace(built, sources=(replace(source, content=text.encode()),))
        result = builder.build(hidden)
        assert result.outcome is Outcome.FAILED
        (told,) = result.diagnostics
        assert "open source file" in told.message
        assert is_told("header-confined", told)
        # The user's own build of the same text is none the worse.
        assert "8" in ptx(builder.build(wanted(project, include)))


def test_usual_builds_use_one_process(builder, project):
    plain = request(cuda("#define VALUE 1\n" + USES), arch="sm_90")
    pids = []
    for built in (plain, plain, wanted(project, "include/inner.h"), plain):
        assert builder.build(built).ok
        pids.append(builder.pid)
    assert pids[0] == pids[1]
    assert pids[1] != pids[2] == pids[3]  # the third needed a folder


def test_no_process_works_for_two_that_do_not_trust_each_other(builder):
    plain = request(cuda("#define VALUE 1\n" + USES), arch="sm_90")
    pids = []
    for folders in (None, ("/one",), ("/one",), ("/two",), None):
        assert builder.build(replace(plain, confined_to=folders)).ok
        pids.append(builder.pid)
    assert pids[1] == pids[2]
    assert len(set(pids)) == 4


def test_a_header_that_has_not_changed_is_read_once(builder, project, monkeypatch):
    texts = []
    real = needs.includes
    monkeypatch.setattr(needs, "includes", lambda text: texts.append(text) or real(text))
    for _ in range(3):
        assert builder.build(wanted(project, "include/inner.h")).ok
    assert texts.count((project / "include" / "inner.h").read_bytes()) == 1
    (project / "include" / "inner.h").write_text('#include "../../common/outer.h"\n')
    assert "8" in ptx(builder.build(wanted(project, "include/inner.h")))


def test_options_of_the_users_own_write_their_files(builder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ("--time=phases.csv", "--fdevice-time-trace=trace")
    built = replace(request(cuda("#define VALUE 1\n" + USES), arch="sm_90"), options=options)
    assert builder.build(built).ok
    assert "NVVM Optimizer" in Path("phases.csv").read_text()
    assert "traceEvents" in Path("trace.json").read_text()
    for name in ("phases.csv", "trace.json"):
        os.unlink(name)
    builder.build(replace(built, confined_to=(str(tmp_path),)))
    assert not Path("phases.csv").exists()
    assert not Path("trace.json").exists()


def test_what_no_table_knows_cannot_write(builder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "precious").write_text("precious")
    plain = request(cuda("#define VALUE 1\n" + USES), arch="sm_90")
    for options in (("-Xcudafe", "--list=precious"), ("-Xcudafe", "--xref=precious")):
        builder.build(replace(plain, options=options))
        assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize("kind", ["pipe", "sparse"])
def test_a_header_that_nothing_could_read_is_refused_at_once(builder, project, kind):
    odd = project / "odd.h"
    if kind == "pipe":
        os.mkfifo(odd)
    else:
        with odd.open("wb") as file:
            file.truncate(1 << 40)
    result = builder.build(wanted(project, "odd.h"), timeout=30)
    assert result.outcome is Outcome.FAILED
    (told,) = result.diagnostics
    assert "odd.h' cannot be included: it is" in told.message


def test_of_a_project_in_the_home_folder_only_what_it_includes_is_read(builder, tmp_path):
    home = Path(os.environ["HOME"])
    (home / "near.h").write_text("#define VALUE 9\n")
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id").write_text("#define VALUE 10\n")
    confined = {"confined_to": (str(home),)}
    assert "9" in ptx(builder.build(wanted(home, "near.h", **confined)))
    result = builder.build(wanted(home, ".ssh/id", **confined))
    assert result.outcome is Outcome.FAILED


def test_more_places_than_anybody_needs_are_not_looked_at(builder, project):
    lines = [f'#include "{number}.h"' for number in range(1000)]
    text = "#if 0\n" + "\n".join(lines) + "\n#endif\n#define VALUE 3\n" + USES
    headers = tuple(Header(f"d{number}/x.h", b"\n") for number in range(200))
    built = request(replace(cuda(text), folder=str(project)), arch="sm_90", headers=headers)
    looked = []
    real = os.path.realpath
    with pytest.MonkeyPatch.context() as during:
        during.setattr(os.path, "realpath", lambda path, **how: looked.append(1) or real(path))
        assert builder.build(built).ok
    assert len(looked) < 10_000


@pytest.mark.parametrize("option", ["--time=/dev/null", "-DX=/dev/null", "-DX=/dev/zero"])
def test_what_options_name_is_no_header(builder, option):
    assert builder.build(request(cuda(KERNEL), options=(option,))).ok


def test_what_takes_the_place_of_a_folder_or_file_is_read(builder, project):
    home = Path.home()
    (home / "mine.h").write_text("#define VALUE 7001\n")
    (project / "include" / "inner.h").write_text("#define VALUE 7002\n")
    folder = replace(wanted("", "inner.h"), options=(f"-I{project}/include",))
    assert "7001" in ptx(builder.build(wanted(home, "mine.h")))
    assert "7002" in ptx(builder.build(folder))
    # As editors save, and as a build system makes a folder anew.
    (home / "new.h").write_text("#define VALUE 7003\n")
    (home / "new.h").replace(home / "mine.h")
    (project / "include").rename(project / "old")
    (project / "include").mkdir()
    (project / "include" / "inner.h").write_text("#define VALUE 7004\n")
    assert "7003" in ptx(builder.build(wanted(home, "mine.h")))
    assert "7004" in ptx(builder.build(folder))
    pid = builder.pid
    assert "7004" in ptx(builder.build(replace(folder, use_cache=False)))
    assert builder.pid == pid
