"""`jitstudio build`, `run` and `sweep` of a project, with the real compilers."""

from dataclasses import replace

import pytest

from jitstudio.cli.arguments import command_line
from jitstudio.command_options.values import UsageError
from jitstudio.commands.build import build_request
from jitstudio.commands.launch_spec import base_launch, base_sweep
from jitstudio.commands.project_request import project_of
from jitstudio.core.arch import Arch
from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.project.format import dump
from jitstudio.core.project.project import Member, Project
from jitstudio.core.request import LinkMode
from jitstudio.core.toolchain_folders import AddedToolchains

SCALE = Member(
    "scale.cu",
    CodeKind.CUDA,
    '#include "factor.cuh"\ntemplate <class T> __global__ void scale(T* out, int n)\n'
    "{ if (threadIdx.x < n) out[threadIdx.x] *= FACTOR; }\n",
    name_expressions=("scale<float>",),
)
LAUNCH = LaunchSpec(
    "scale<float>", (("out", "n:range:inout"), ("n", "64")), cover="n", block="64", repeats=2
)
PROJECT = Project(
    modules=(
        SCALE,
        Member("other.cu", CodeKind.CUDA, None, "code/other.cu", included=False),
    ),
    headers=(Member("factor.cuh", CodeKind.CUDA, "#define FACTOR 2"),),
    arch=Arch(80),
    options="-lineinfo --std=c++17 -DA",
    launches=(LAUNCH, replace(LAUNCH, kernel="scale<double>")),
    kernel="scale<float>",
    sweeps=(VariantDraft("scale<{T}>", (AxisText(AxisKind.TEMPLATE, "T", "float, double"),)),),
)


@pytest.fixture
def write(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "other.cu").write_text("__global__ void other() {}\n")

    def written(project=PROJECT):
        path = tmp_path / "p.jitproj"
        path.write_bytes(dump(project))
        return path

    return written


def _request(path, *words):
    return build_request(command_line(["build", str(path), *words]).options)


def test_compilers_that_nobody_has_added_are_not_looked_for(write, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("JITSTUDIO_CONFIG_DIR", str(tmp_path / "settings"))
    folder = tmp_path / "13.0"
    folder.mkdir()
    for file in ("libnvrtc.so.13", "libnvrtc-builtins.so.13.0"):
        (folder / file).touch()
    for name in ("13.0", str(folder)):
        assert _request(write(replace(PROJECT, toolchain=name))).toolchain == ""
        assert "which were not added" in capsys.readouterr().err
    AddedToolchains().keep([str(folder)])
    path = write(replace(PROJECT, toolchain="13.0"))
    assert _request(path).toolchain == str(folder)
    assert _request(path, "--toolchain", "own").toolchain == ""
    assert capsys.readouterr().err == ""


def test_the_build_is_that_of_the_project(write):
    path = write(replace(PROJECT, libdevice=True, join_ir=True))
    request = _request(path)
    assert [source.name for source in request.sources] == ["scale.cu", "other.cu"]
    assert request.sources[0].name_expressions == ("scale<float>",)
    assert request.sources[1].folder == str(path.parent / "code")
    assert [header.name for header in request.headers] == ["factor.cuh"]
    assert request.arch == Arch(80)
    assert request.options == ("-lineinfo", "--std=c++17", "-DA")
    assert (request.libdevice, request.join_ir) == (True, True)
    assert request.link is LinkMode.NONE


def test_host_code_is_kept_where_the_project_or_a_flag_says_so(write):
    path = write(replace(PROJECT, keep_host_code=True))
    assert _request(path).keep_host_code
    assert not _request(path, "--host-code", "aside").keep_host_code
    assert not _request(write()).keep_host_code
    assert _request(write(), "--host-code=keep").keep_host_code


def test_flags_change_what_they_name_and_nothing_else(write, tmp_path):
    (tmp_path / "new.cuh").write_text("#define FACTOR 3")
    request = _request(
        write(),
        *("--arch", "sm_90", "--option=--std=c++20", "--option=-DB", "--lto"),
        *("--header", f"factor.cuh={tmp_path}/new.cuh", "--name-expression", "scale<int>"),
    )
    assert request.arch == Arch(90)
    assert request.options == ("-lineinfo", "-DA", "--std=c++20", "-DB")
    assert request.link is LinkMode.LTO
    # In a link only the modules that take part in it.
    assert [source.name for source in request.sources] == ["scale.cu"]
    assert [header.content for header in request.headers] == [b"#define FACTOR 3"]
    assert request.sources[0].name_expressions == ("scale<float>", "scale<int>")


def test_a_module_of_another_program_is_out_of_the_link(write):
    scale, other = PROJECT.modules
    apart = replace(other, program="apart", included=True)
    path = write(replace(PROJECT, modules=(scale, apart), link=LinkMode.PTX))
    assert [source.name for source in _request(path).sources] == ["scale.cu"]


def test_a_project_is_built(run, write):
    ran = run("build", write(), "--json")
    assert ran.code == 0
    assert ran.json["arch"] == "sm_80"
    assert {artifact["name"] for artifact in ran.json["artifacts"]} == {"scale.cu", "other.cu"}
    assert [name["expression"] for name in ran.json["lowered_names"]] == ["scale<float>"]


def test_modules_of_a_project_are_compiled_with_their_own_options_and_linked_with_its(run, write):
    scale = replace(SCALE, text="__global__ void scale(float* o) { o[0] *= FACTOR; }\n")
    modules = (replace(scale, name_expressions=()), replace(PROJECT.modules[1], included=True))
    own = (replace(modules[0], options="-DFACTOR=2"), modules[1])
    project = replace(PROJECT, headers=(), link=LinkMode.PTX, options="-maxrregcount=32 -DA")
    ran = run("build", write(replace(project, modules=own)), "--json")
    sent = {stage["source"]: set(stage["options"]) for stage in reversed(ran.json["stages"])}
    assert sent["scale.cu"] & {"-DFACTOR=2", "-DA"} == {"-DFACTOR=2"}
    assert sent["other.cu"] & {"-DFACTOR=2", "-DA"} == {"-DA"}
    assert ran.code == 0
    assert "-maxrregcount=32" in sent["linked"]
    words = ("--options-for", "scale.cu=-DFACTOR=3", "--json")
    ran = run("build", write(replace(project, modules=modules)), *words)
    assert any("-DFACTOR=3" in stage["options"] for stage in ran.json["stages"])


def test_a_project_is_launched_as_it_says(run, write):
    path = write()
    has_gpu = run("devices").code == 0
    ran = run("run", path, "--json")
    assert ran.code == (0 if has_gpu else 3)
    assert ran.json["kernel"].startswith("scale<float>")
    ran = run("run", path, "--kernel", "scale<double>", "--json")
    assert ran.code == (0 if has_gpu else 3)
    assert ran.json["kernel"].startswith("scale<double>")
    assert ran.json["build"]["arch"] == "sm_80"


def test_a_project_is_swept_over_its_own_axes(run, write):
    path = write()
    has_gpu = run("devices").code == 0
    ran = run("sweep", path, "--json", "--jobs", "1")
    assert ran.code == (0 if has_gpu else 3)
    assert [axis["name"] for axis in ran.json["axes"]] == ["T"]
    assert [variant["label"] for variant in ran.json["variants"]] == ["T=float", "T=double"]
    assert all(variant["registers"] > 0 for variant in ran.json["variants"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("build", "p.jitproj", "k.cu"), "'p.jitproj' is a project, which names its modules"),
        (("build", "gone"), "no such file, and 'gone' has no file extension"),
        (("build", "p"), "Did you mean the project 'p.jitproj'?"),
        (("build", "gone.jitproj"), "gone.jitproj' cannot be opened: No such file"),
        (("run", "p.jitproj", "--kernel", "scale<int>"), "no launch of 'scale<int>'"),
        (("run", "p.jitproj", "--kernel", "scale<int>"), "--kernel: scale<float>, scale<double>"),
        (("run", "p.jitproj", "--kernel", "scale"), "several launches of 'scale'"),
        (("build", "p.jitproj", "--option="), "--option is empty"),
    ],
)
def test_what_cannot_be_served_is_told(run, write, words, told):
    write()
    ran = run(*words)
    assert ran.code == 2
    assert told in ran.err


def test_no_kernel_in_question_is_told_with_those_there_are(write):
    path = write(replace(PROJECT, kernel=""))
    with pytest.raises(UsageError, match=r"no launch that was worked on last.*scale<double>"):
        base_launch(project_of([str(path)]), "", ())


def test_the_only_launch_needs_no_name(write):
    path = write(replace(PROJECT, kernel="", launches=(LAUNCH,)))
    opened = project_of([str(path)])
    assert base_launch(opened, "", ()) == LAUNCH
    assert base_launch(opened, "scale", ()) == LAUNCH


def test_a_sweep_takes_any_launch_of_its_template(write):
    opened = project_of([str(write())])
    draft = base_sweep(opened, "")
    assert draft == PROJECT.sweeps[0]
    assert base_launch(opened, draft.kernel, ()) == LAUNCH
    assert base_sweep(opened, "other") is None


def test_a_sweep_reads_no_file_outside_the_project(write):
    axes = (AxisText(AxisKind.ARGUMENT, "x", "n:file(../secret.npy)"),)
    opened = project_of([write(replace(PROJECT, sweeps=(VariantDraft("scale", axes),)))])
    with pytest.raises(UsageError, match=r"'\.\./secret\.npy' lies outside .* by --axis\."):
        base_sweep(opened, "")
    assert base_sweep(opened, "", has_axes=True).axes == ()


@pytest.mark.parametrize("path", ["../x.cu", "/etc/hostname", "gone.cu"])
def test_a_module_that_cannot_be_read_is_refused_where_it_takes_part(write, path):
    missing = Member("m.cu", CodeKind.CUDA, None, path, included=False)
    written = write(replace(PROJECT, modules=(SCALE, missing)))
    with pytest.raises(UsageError, match=r"'m.cu' was not read"):
        _request(written)
    assert [source.name for source in _request(written, "--link").sources] == ["scale.cu"]


def test_a_launch_that_reads_outside_is_refused_unless_the_argument_is_given(write):
    outside = replace(LAUNCH, arguments=(("out", "n:file(../x.npy)"), ("n", "64")))
    opened = project_of([str(write(replace(PROJECT, launches=(outside,))))])
    with pytest.raises(UsageError, match=r"leaves out 'out'.*--arg out=TEXT"):
        base_launch(opened, "", ())
    assert base_launch(opened, "", {"out": "n"}).arguments == (("n", "64"),)


def test_a_sweep_of_a_project_loads_no_library_that_the_project_names(run, write, tmp_path):
    axes = (AxisText(AxisKind.TOOLCHAIN, "", str(tmp_path)),)
    path = write(replace(PROJECT, sweeps=(VariantDraft("scale<float>", axes),)))
    ran = run("sweep", path)
    assert ran.code == 2
    assert f"'{tmp_path}' is not a toolchain that was added" in ran.err
