"""Builds that find in the store what was built before, against the real libraries."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from jitstudio.cache.results import Cache
from jitstudio.cache.store import Store
from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.diagnostics import Severity
from jitstudio.core.events import StageFinished, StageStarted
from jitstudio.core.plan import Job, JobDependencies
from jitstudio.core.result import Outcome, StageResult
from jitstudio.core.tools import FileStamp, Tool, ToolFile
from jitstudio.worker.builder import Builder
from tests.cache.scenarios import SLOW
from tests.support import CRASHING, GOOD, KERNEL, cuda, ptx, request, sample

pytestmark = pytest.mark.tools


@pytest.fixture
def fresh(tmp_path):
    """Makes programs that share one store."""
    builders = []

    def program(folder=tmp_path / "cache", workers=2, **words):
        builders.append(Builder(store=Store(folder), workers=workers, **words))
        return builders[-1]

    yield program
    for builder in builders:
        builder.close()


@pytest.fixture
def builder(fresh):
    return fresh()


def cached(result):
    return [stage.cached for stage in result.stages]


def same(one, two):
    """Whether two results tell the same, but for where it came from."""

    def bare(result):
        stages = tuple(replace(s, ms=0.0, phases=(), cached=False) for s in result.stages)
        return replace(result, stages=stages, total_ms=0.0)

    return bare(one) == bare(two)


@pytest.mark.parametrize(
    "wanted",
    [
        request(sample("saxpy.cu", "saxpy<float>"), emit="ptx,sass,cubin,ltoir"),
        request(sample("fill_typed.ll"), emit="ptx,sass"),
        request(sample("scale.ptx"), sample("multiply.ptx"), link="ptx", emit="cubin,sass"),
        request(
            sample("apply_transform.cu"), sample("user_transform.cu"), link="lto", emit="ptx,sass"
        ),
        request(sample("saxpy.cu")),  # a warning of jitstudio's own
        request(cuda("int unused() { int a; return 1; }\n" + KERNEL, "warned.cu")),
    ],
    ids=["cuda", "ir", "ptx link", "lto link", "no kernel", "failing"],
)
def test_built_again_all_is_the_same_and_no_tool_runs(builder, fresh, wanted):
    first = builder.build(wanted)
    events = []
    again = builder.build(wanted, on_event=events.append)
    assert same(first, again)
    if first.ok:
        assert all(cached(again))
        assert again.tool_ms == 0
        assert {type(event) for event in events} == {StageFinished}
        other = fresh()
        assert same(first, other.build(wanted))
        assert other.pid is None  # all of it without a process


def test_messages_on_stderr_are_kept(builder):
    body = ".visible .func f() { ret; }"
    wanted = request(ptx("a.ptx", body), ptx("b.ptx", body), link="ptx", emit="cubin")
    builder.build(wanted)
    again = builder.build(wanted)
    assert cached(again) == [True]
    assert "Multiple definition of 'f'" in again.stages[0].stderr
    assert "Multiple definition of 'f'" in again.diagnostics[0].message
    assert again.diagnostics[0].severity is Severity.WARNING


def test_changing_one_of_several_modules_compiles_one(builder):
    def modules(edit):
        texts = [KERNEL.replace("fine", f"k{n}") for n in range(6)]
        texts[3] = texts[3].replace("= 1", f"= {edit}")
        return [cuda(text, f"m{n}.cu") for n, text in enumerate(texts)]

    builder.build(request(*modules(1), link="ptx", emit="cubin"))
    result = builder.build(request(*modules(2), link="ptx", emit="cubin"))
    assert result.ok
    ran = [stage.source for stage in result.stages if not stage.cached]
    assert ran == ["m3.cu", "linked"]
    back = builder.build(request(*modules(1), link="ptx", emit="cubin"))
    assert all(cached(back))


def test_a_cached_step_is_no_started_step(builder):
    builder.build(GOOD)
    events = []
    builder.build(request(GOOD.sources[0], cuda(KERNEL)), on_event=events.append)
    started = [event for event in events if isinstance(event, StageStarted)]
    assert [(event.source, event.step, event.steps) for event in started] == [("kernel.cu", 2, 2)]


@pytest.mark.parametrize(
    "change",
    [
        {"options": ("--use_fast_math",)},
        {"arch": "sm_80"},
        {"headers": (Header("a.h", b""),)},
        {"emit": "cubin"},
        {"link": "ptx", "emit": "cubin"},
    ],
    ids=str,
)
def test_whatever_else_changes_compiles_anew(builder, change):
    builder.build(request(cuda(KERNEL)))
    assert not any(cached(builder.build(request(cuda(KERNEL), **change))))


def test_the_name_counts_as_it_is_in_every_message(builder):
    builder.build(request(cuda(KERNEL, "a.cu")))
    assert cached(builder.build(request(cuda(KERNEL, "b.cu")))) == [False]


USER = '#include "value.h"\nextern "C" __global__ void k(int* p) { *p = VALUE; }\n'


def test_a_header_that_changes_on_disk_is_seen(builder, tmp_path):
    header = tmp_path / "src" / "value.h"
    header.parent.mkdir()
    wanted = request(Source("k.cu", CodeKind.CUDA, USER.encode(), folder=str(header.parent)))
    for value in (41, 42):
        header.write_text(f"#define VALUE {value}\n")
        result = builder.build(wanted)
        assert cached(result) == [False]
        assert f", {value};" in result.artifacts[0].text
        assert cached(builder.build(wanted)) == [True]
    header.write_text("#define VALUE 41\n")
    back = builder.build(wanted)
    assert cached(back) == [True]
    assert ", 41;" in back.artifacts[0].text


def test_a_header_that_appears_in_an_earlier_folder_is_seen(builder, tmp_path):
    for name, value in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "value.h").write_text(f"#define VALUE {value}\n")
    (tmp_path / "one" / "value.h").rename(tmp_path / "later.h")
    options = tuple(f"--include-path={tmp_path / name}" for name in ("one", "two"))
    wanted = request(cuda(USER), options=options)
    assert ", 2;" in builder.build(wanted).artifacts[0].text
    (tmp_path / "later.h").rename(tmp_path / "one" / "value.h")
    result = builder.build(wanted)
    assert cached(result) == [False]
    assert ", 1;" in result.artifacts[0].text


def test_nvidias_own_headers_do_not_stand_in_the_way(builder):
    text = '#include <cuda_fp16.h>\nextern "C" __global__ void k(__half* p) { *p = *p + *p; }\n'
    assert builder.build(request(cuda(text))).ok
    assert cached(builder.build(request(cuda(text)))) == [True]


def test_failures_are_tried_again(builder):
    wanted = request(cuda("oops", "bad.cu"))
    for _ in range(2):
        result = builder.build(wanted)
        assert result.outcome is Outcome.FAILED
        assert cached(result) == [False]


def test_crashes_are_tried_again(builder):
    for _ in range(2):
        result = builder.build(CRASHING)
        assert result.outcome is Outcome.CRASHED
        assert cached(result) == [False]


def test_without_the_cache_nothing_is_read_or_written(builder, tmp_path):
    off = replace(GOOD, use_cache=False)
    builder.build(off)
    assert not (tmp_path / "cache").exists()
    assert cached(builder.build(GOOD)) == [False]
    assert cached(builder.build(off)) == [False]
    assert cached(builder.build(GOOD)) == [True]


def test_options_with_effects_run_each_time(builder, tmp_path):
    trace = tmp_path / "trace"
    wanted = request(cuda(KERNEL), options=(f"--fdevice-time-trace={trace}",))
    for _ in range(2):
        assert cached(builder.build(wanted)) == [False]
    assert list(tmp_path.glob("trace*"))


def test_a_tool_of_which_any_file_has_changed_is_run_again(tmp_path):
    library, other = tmp_path / "libnvrtc.so", tmp_path / "libnvrtc-builtins.so"
    other.write_bytes(b"same")
    store = Store(tmp_path / "cache")
    job = Job(Tool.NVJITLINK, "k", (), (CodeKind.CUBIN,), ("-arch=sm_90",))
    made = StageFinished(StageResult(Tool.NVJITLINK, "13.4", "k", (), True, 5.0))
    cache = Cache(store)

    def installed(content=None):
        if content is not None:
            library.write_bytes(content)
        return ToolFile(str(library), tuple(FileStamp.of(str(file)) for file in (library, other)))

    def keep(file):
        cache.keep(cache.mark(job), JobDependencies(file, (), "", time.time_ns()), made)

    def found(of=cache):
        return of.find(of.mark(job))

    old = installed(b"old")
    keep(old)
    assert found().stage.cached
    assert found(Cache(store)).stage.cached  # a new program remembers
    newer = installed(b"newer")
    assert found() is None
    # A worker that still runs the old library has more to give, but none of it for the new one.
    keep(old)
    assert found() is None
    keep(newer)
    assert found().stage.cached
    for unseen in (other.write_bytes, lambda content: _replaced(other, content)):
        status = other.stat()
        unseen(b"SAME")
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert found() is None
        keep(installed())
        assert found().stage.cached
    library.unlink()
    assert found() is None
    store.close()


def _replaced(file, content):
    (spare := file.with_suffix(".new")).write_bytes(content)
    spare.replace(file)


def test_a_store_that_cannot_be_used_costs_one_warning_and_no_build(fresh, tmp_path):
    (tmp_path / "file").write_text("in the way")
    builder = fresh(tmp_path / "file" / "cache")
    first = builder.build(GOOD)
    assert first.outcome is Outcome.BUILT
    (warning,) = first.diagnostics
    assert warning.severity is Severity.WARNING
    assert "cannot be used" in warning.message
    again = builder.build(GOOD)
    assert cached(again) == [True]  # from memory
    assert again.diagnostics == ()


def test_a_store_that_is_damaged_costs_one_warning_and_no_build(fresh, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "results.sqlite").write_bytes(b"no database at all" * 100)
    builder = fresh()
    first = builder.build(GOOD)
    assert first.outcome is Outcome.BUILT
    assert ["has been emptied" in d.message for d in first.diagnostics] == [True]
    assert builder.build(GOOD).diagnostics == ()
    assert cached(fresh().build(GOOD)) == [True]


def test_emptied_it_compiles_anew(builder, fresh):
    builder.build(GOOD)
    assert builder.empty_cache() > 0
    assert cached(builder.build(GOOD)) == [False]
    assert Builder().empty_cache() == 0


def test_two_programs_at_work_share_what_they_make(fresh):
    first, second = fresh(), fresh()
    first.build(GOOD)
    assert cached(second.build(GOOD)) == [True]
    second.build(request(cuda(KERNEL)))
    assert cached(first.build(request(cuda(KERNEL)))) == [True]


def test_the_working_directory_is_in_the_line_table(builder, fresh, tmp_path, monkeypatch):
    wanted = request(cuda(KERNEL), options=("-lineinfo",))
    builder.build(wanted)
    monkeypatch.chdir(tmp_path)
    result = fresh().build(wanted)
    assert cached(result) == [False]
    assert str(Path.cwd()) in result.artifacts[0].text


def test_what_nobody_trusts_has_results_of_its_own(builder):
    confined = replace(GOOD, confined_to=("/nowhere",))
    builder.build(confined)
    assert cached(builder.build(confined)) == [True]
    assert cached(builder.build(GOOD)) == [False]
    builder.build(GOOD)
    assert cached(builder.build(replace(GOOD, confined_to=("/elsewhere",)))) == [False]


@pytest.mark.parametrize(
    ("wanted", "options"),
    [
        (request(sample("fill_typed.ll")), ("nvvm:-Xopt", "nvvm:-opt-bisect-limit=0")),
        (
            request(sample("apply_transform.cu"), sample("user_transform.cu"), link="lto"),
            ("-Xnvvm=-Xopt", "-Xnvvm=-opt-bisect-limit=0"),
        ),
        (request(cuda(KERNEL)), ("-Xcudafe", "--display_error_number")),
        (request(sample("vector_add.cu")), ("--optimization-info=inline",)),
    ],
    ids=["LLVM", "LLVM in a link", "front end", "remarks"],
)
def test_options_that_stay_in_a_process_are_not_kept_and_use_it_up(fresh, wanted, options):
    builder = fresh(workers=1)
    untouched = builder.build(wanted)
    assert builder.empty_cache() > 0
    for _ in range(2):
        pid = builder.pid
        stayed = builder.build(replace(wanted, options=options))
        assert stayed.ok
        assert not all(cached(stayed))
        assert builder.pid != pid
    after = builder.build(wanted)
    assert [a.content for a in after.artifacts] == [a.content for a in untouched.artifacts]
    assert [d.message for d in after.diagnostics] == [d.message for d in untouched.diagnostics]


def test_the_time_is_asked_for_anew(builder):
    text = "__device__ const char* t = __TIME__;\n" + KERNEL
    builder.build(request(cuda(text)))
    assert cached(builder.build(request(cuda(text)))) == [False]


def test_a_header_that_changes_while_it_is_built_and_back_is_not_kept(builder, tmp_path):
    header = tmp_path / "value.h"
    header.write_text("#define VALUE 41\n")
    os.utime(header, (1e9, 1e9))
    wanted = request(cuda(f"{SLOW}{USER}"), options=(f"-I{tmp_path}",))

    def change(event):
        if isinstance(event, StageStarted):
            header.write_text("#define VALUE 42\n")
            os.utime(header, (1e9, 1e9))

    assert ", 42;" in builder.build(wanted, on_event=change).artifacts[0].text
    header.write_text("#define VALUE 41\n")
    os.utime(header, (1e9, 1e9))
    again = builder.build(wanted)
    assert cached(again) == [False]
    assert ", 41;" in again.artifacts[0].text
