"""Films of passes, against the bare libraries at the same limits."""

import os
import signal
import subprocess
import sys
import sysconfig
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from jitstudio.analysis.passes import origins, shape
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source, kind_of
from jitstudio.core.passes import Film, PassesRequest
from jitstudio.core.request import BuildRequest, CudaCompiler, LinkMode
from jitstudio.core.toolchain_folders import toolchain_in
from jitstudio.core.tools import Tool
from jitstudio.worker.passes import PassFilmer, build_for_film, why_no_passes
from tests import bare_tools
from tests.support import ROOT, SAMPLES, one_in

pytestmark = [pytest.mark.tools, pytest.mark.slow, pytest.mark.usefixtures("own_workers")]

OTHER = os.environ.get("JITSTUDIO_TEST_TOOLCHAIN", "")
LOOP = b"""extern "C" __global__ void scale(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += x[i * 4 + k] * a;
    if (i < n) y[i] = sum;
}
"""
SM_90 = Arch(90)
LESSONS = sorted((ROOT / "resources/lessons").glob("*/*.cu"))
CASES = [
    ("loop.cu", LOOP, Arch(90)),
    ("loop.cu", LOOP, Arch(100)),
    ("fill_typed.ll", (SAMPLES / "fill_typed.ll").read_bytes(), Arch(80)),
    ("fill_opaque.ll", (SAMPLES / "fill_opaque.ll").read_bytes(), Arch(100)),
    *(
        pytest.param(path.name, path.read_bytes(), Arch(number), marks=pytest.mark.bench)
        for path in LESSONS[:15]
        for number in (90, 100)
    ),
]


@pytest.fixture(scope="module")
def filmer():
    made = PassFilmer()
    yield made
    made.close()


@pytest.fixture(scope="module")
def filmed(filmer):
    """Films each module once, and gives the run along."""
    films = {}

    def film(builder, name="loop.cu", content=LOOP, arch=SM_90, toolchain=""):
        key = (name, arch, toolchain)
        if key not in films:
            job = job_of(builder, one_module(name, content, arch, toolchain=toolchain))
            films[key] = job, filmer.film(PassesRequest(job), timeout=600)
        return films[key]

    return film


def job_of(builder, request):
    result, jobs = build_for_film(builder, request)
    assert result.ok, result.diagnostics
    (job,) = jobs
    return job


def one_module(name, content, arch=SM_90, **more):
    return BuildRequest((Source(name, kind_of(name), content),), arch, **more)


def words(job, limit):
    limited = f"-opt-bisect-limit={limit}"
    if job.tool is Tool.NVVM:
        return ("-Xopt", limited)
    return ("-Xnvvm=-Xopt", f"-Xnvvm={limited}")


def bare(job, limit, folder, toolchain=""):
    """The PTX of the library at a limit, without jitstudio and NVIDIA's bindings."""
    ((ref, content),) = job.inputs
    (folder / ref.name).write_bytes(content)
    own = toolchain_in(toolchain or sysconfig.get_path("purelib"))
    options = [word for word in job.options if not word.startswith("--time")]
    ran = subprocess.run(
        [
            *(sys.executable, "-I", "-S", bare_tools.__file__, own.files[job.tool]),
            *(folder / ref.name, *options, *words(job, limit)),
        ],
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-500:]
    return ran.stdout.decode(), ran.stderr.decode().count(": running pass")


@pytest.mark.parametrize("toolchain", one_in(2, ["", OTHER or None]))
@pytest.mark.parametrize(("name", "content", "arch"), CASES)
def test_each_limit_makes_what_the_library_makes(
    name, content, arch, toolchain, filmed, builder, tmp_path
):
    if toolchain is None:
        pytest.skip("JITSTUDIO_TEST_TOOLCHAIN names no other version")
    if toolchain and arch.number >= 100:
        pytest.skip("older versions do not know the target")
    job, film = filmed(builder, name, content, arch, toolchain)
    assert not film.problem
    count = len(film.passes)
    if arch.number < 100:
        assert count > 50
        assert film.pass_list.has_mid_end
    changing = [step.passes[-1].number for step in film.steps][:: max(1, len(film.steps) // 4)]
    for limit in {0, count, *changing, *(number - 1 for number in changing)} & film.ptx.keys():
        ptx, ran = bare(job, limit, tmp_path, toolchain)
        assert film.ptx[limit] == ptx
        assert ran == limit
    ordinary = builder.build(one_module(name, content, arch, toolchain=toolchain))
    (made,) = (a for a in ordinary.artifacts if a.kind is CodeKind.PTX)
    assert film.ptx[count] == made.text


@pytest.mark.parametrize(("name", "content", "arch"), CASES)
def test_the_pass_of_a_line_makes_it(name, content, arch, filmed, builder, tmp_path):
    job, film = filmed(builder, name, content, arch)
    made = [origin for origin in origins(film) if origin.step and not origin.is_moved]
    for origin in made[:2]:
        counts = []
        for limit in (origin.step.passes[0].number - 1, origin.step.passes[-1].number):
            lines = bare(job, limit, tmp_path)[0].splitlines()
            counts.append(Counter(shape(line.strip()) for line in lines)[shape(origin.text)])
        assert counts[0] < counts[1], origin


def test_what_is_left_out_between_equal_limits_changes_nothing(filmer, filmed, builder):
    job, quick = filmed(builder)
    every = filmer.film(PassesRequest(job, True))
    assert every.is_whole
    assert not every.notes
    assert [step.title for step in every.steps] == [step.title for step in quick.steps]
    assert every.steps == quick.steps


def test_remarks_have_their_lines(filmed, builder):
    for arch in (Arch(90), Arch(100)):
        _, film = filmed(builder, arch=arch)
        unrolled = [r for r in film.pass_list.remarks if "completely unrolled" in r.message]
        assert [(r.file, r.line) for r in unrolled] == [("loop.cu", 5)]


def test_of_newer_targets_the_back_end_is_shown(filmed, builder):
    _, film = filmed(builder, arch=Arch(100))
    assert any("cannot be distinguished" in note for note in film.notes)
    changed = [code for code in film.pass_list.back_end if code.text]
    assert len(film.pass_list.back_end) > 40
    assert any("loop.cu:5" in code.text for code in changed)
    assert {code.unit for code in changed} == {"scale"}


def test_a_link_by_lto_is_filmed(filmer, builder):
    names = ("apply_transform.cu", "user_transform.cu")
    sources = [Source(name, CodeKind.CUDA, (SAMPLES / name).read_bytes()) for name in names]
    job = job_of(builder, BuildRequest(tuple(sources), Arch(90), link=LinkMode.LTO))
    assert job.tool is Tool.NVJITLINK
    film = filmer.film(PassesRequest(job))
    assert "Function Integration/Inlining" in {step.passes[0].name for step in film.steps}
    assert "transform" in film.ptx[0]


def test_host_code_of_a_pasted_program_is_set_aside(filmer, builder):
    text = b"#include <vector>\n" + LOOP + b"int main() { std::vector<int> v; return 0; }\n"
    film = filmer.film(PassesRequest(job_of(builder, one_module("pasted.cu", text))))
    assert not film.problem
    assert film.steps


@pytest.mark.parametrize("count", one_in(2, [20, 1000]))
def test_builds_between_films_are_as_before(count, filmer, builder):
    request = one_module("loop.cu", LOOP, emit=frozenset({CodeKind.PTX}), use_cache=False)
    before = builder.build(request).artifacts
    job = job_of(builder, request)
    for number in range(count):
        if number % 500 == 1:
            filmer.film(PassesRequest(job))
        assert builder.build(request).artifacts == before


def test_a_compiler_that_ends_early_costs_one_limit(builder):
    filmer, killed = PassFilmer(), []

    def kill_one(film):
        children = Path(f"/proc/{filmer.pid}/task/{filmer.pid}/children").read_text().split()
        # A child may have ended already, without being waited for yet.
        if children and not film.errors:
            killed.append(int(children[-1]))
            os.kill(killed[-1], signal.SIGKILL)

    job = job_of(builder, one_module("loop.cu", LOOP))
    film = filmer.film(PassesRequest(job), kill_one)
    filmer.close()
    assert killed
    assert not film.problem
    assert 1 <= len(film.errors) <= len(killed)
    for limit, error in film.errors.items():
        assert error == "The compiler crashed (SIGKILL)."
        assert len(film.errors) > 3 or f"After pass {limit:,}: {error}" in film.notes
    assert film.steps


def test_a_stop_keeps_what_was_filmed(builder):
    filmer, job = PassFilmer(), job_of(builder, one_module("loop.cu", LOOP))
    film = filmer.film(
        PassesRequest(job), lambda film: filmer.cancel(7) if len(film.ptx) > 4 else None, ticket=7
    )
    assert film.problem.startswith("Stopped.")
    assert 4 < len(film.ptx) < len(film.passes)
    assert film.steps
    # The next one is whole.
    assert not filmer.film(PassesRequest(job), ticket=8).problem
    filmer.close()


def test_a_time_limit_is_said(builder):
    filmer, job = PassFilmer(), job_of(builder, one_module("loop.cu", LOOP))
    assert "time limit" in filmer.film(PassesRequest(job), timeout=0.2).problem
    filmer.close()


def test_an_option_that_is_refused_is_said(filmer, builder):
    job = job_of(builder, one_module("loop.cu", LOOP))
    film = filmer.film(PassesRequest(replace(job, options=(*job.options, "--no-such-option"))))
    assert film.problem.startswith("NVRTC does not stop after a pass: ")
    assert not film.passes


def test_without_optimiser_there_are_no_passes(filmer, builder):
    assert "PTX is what it makes" in why_no_passes(one_module("k.ptx", b"x"))
    nvcc = one_module("loop.cu", LOOP, compiler=CudaCompiler.NVCC)
    assert "Compile with NVRTC" in why_no_passes(nvcc)


def test_the_pass_that_is_asked_for_is_tried_first(filmer, builder):
    job = job_of(builder, one_module("loop.cu", LOOP))
    film = filmer.film(PassesRequest(job, number=40))
    assert len(film.ptx) > 4
    assert {39, 40} <= set(list(film.ptx)[:4])


def test_files_of_the_build_stay(filmer, builder, tmp_path):
    trace, times = tmp_path / "trace", tmp_path / "times.csv"
    options = (f"--fdevice-time-trace={trace}", f"--time={times}")
    job = job_of(builder, one_module("loop.cu", LOOP, options=options, use_cache=False))
    files = [trace.with_name("trace.json"), times]
    before = [file.read_bytes() for file in files]
    assert filmer.film(PassesRequest(job)).steps
    assert [file.read_bytes() for file in files] == before


def test_older_targets_are_not_said_to_lack_the_mid_end(filmer, builder):
    text = b"__device__ int f() { return 3; }"
    job = job_of(builder, one_module("f.cu", text))
    film = filmer.film(PassesRequest(job))
    assert film.passes
    assert "Promote Memory to Register" not in {item.name for item in film.passes}
    assert not any("sm_100" in note for note in film.notes)


def test_many_failures_are_counted():
    errors = dict.fromkeys(range(10), "It crashed.")
    notes = Film("k.cu", Tool.NVRTC, errors=errors).notes
    assert notes[-2:] == ("After pass 2: It crashed.", "The compiler failed at 7 more limits.")
