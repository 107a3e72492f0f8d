"""The command of a build, launch or sweep is read back by the command line as the same."""

import shlex
from dataclasses import replace

import pytest

from jitstudio.cli.arguments import command_line
from jitstudio.commands.build import build_request, request_of
from jitstudio.commands.launch_spec import spec_from
from jitstudio.commands.sweep import sweep_plan
from jitstudio.core.arch import Arch
from jitstudio.core.axes import AxisKind, AxisText, VariantDraft
from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.launch.arguments import first_launch
from jitstudio.core.launch.c_types import named, struct_of
from jitstudio.core.launch.request import (
    FormParameter,
    HostBuffer,
    HostLaunch,
    ModuleVariable,
    ParameterSlot,
)
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from jitstudio.core.launch.types import Array, Pointer
from jitstudio.core.request import Assembler, BuildRequest, CudaCompiler, LinkMode
from jitstudio.export.command import build_command, run_command, sweep_command
from jitstudio.variants.plan import VariantPlan
from tests.core.launch.forms import form
from tests.support import SAMPLES


def test_the_command_builds_the_same(tmp_path):
    files = {"a b.cu": "int a;", "-c.ptx": ".version 8.0", "h'.cuh": "int h;", "lib.ll": "; l"}
    paths = {}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        paths[name] = str(tmp_path / name)

    def source(name, kind, names=(), options=None):
        return Source(paths[name], kind, files[name].encode(), str(tmp_path), names, options)

    cuda = source("a b.cu", CodeKind.CUDA, ("f<int, 2>", "&g"))
    plain = BuildRequest((cuda,), Arch.parse("sm_90a"))
    full = BuildRequest(
        sources=(cuda, source("-c.ptx", CodeKind.PTX, options=("-O0", "-DB=a 'b"))),
        arch=Arch.parse("sm_100"),
        link=LinkMode.LTO,
        options=("-DTEXT=a b'c", "-I", str(tmp_path), "nvjitlink:-O0"),
        headers=(Header("h'.cuh", b"int h;"),),
        libraries=(source("lib.ll", CodeKind.LLVM_IR),),
        libdevice=True,
        join_ir=True,
        compiler=CudaCompiler.NVCC,
        assembler=Assembler.DRIVER,
        use_cache=False,
        unsafe_options=True,
    )
    by_path = {path: path for path in paths.values()} | paths
    bare = replace(full, sources=(replace(cuda, options=()),), link=LinkMode.PTX, options=())
    for request in (plain, full, bare):
        program, *words = shlex.split(build_command(request, by_path))
        assert program == "jitstudio"
        read = build_request(command_line(words).options)
        assert replace(read, emit=request.emit, precompile_headers=True) == request


def test_a_command_reads_no_flags_in_a_text_that_the_build_does_not_take(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text("// jitstudio: -DN=2\n")
    source = Source(str(path), CodeKind.CUDA, path.read_bytes())
    request = BuildRequest((source,), Arch.parse("sm_90"), options=("-DN=1",))
    _, *words = shlex.split(build_command(request, {str(path): str(path)}))
    read = build_request(command_line(words).options)
    assert read.options_of(read.sources[0]) == ("-DN=1",)


def test_options_of_a_project_lead_to_its_folder(tmp_path):
    source = Source("k.cu", CodeKind.CUDA, b"", "")
    request = BuildRequest((source,), Arch.parse("sm_90"), options=("-Iinclude",))
    command = build_command(replace(request, folder="/home/me/project"), {"k.cu": "/work/k.cu"})
    assert command.endswith("/home/me/project/include")


SPEC = LaunchSpec(
    kernel="ns::scale<float, (3 > 2)>",
    arguments=(("out", "n:expr(np.ones(n) * 2)"), ("a", "-2.5"), ("p", "{x=1, y='b c'}")),
    cover="n,4",
    block="16,8",
    cluster="2",
    shared="sizeof(float) * 64",
    cooperative=True,
    load=LoadMode.DRIVER_JIT,
    expectations=("out = a * 2", "-a < 0"),
    warmup=0,
    repeats=3,
    flush_l2=True,
    relative=1e-300,
    absolute=0.1 + 0.2,
    poison=False,
    guards=False,
    sanitizer=Sanitizer.RACECHECK,
    timeout=2.5,
)


@pytest.fixture
def built(tmp_path):
    """A build of one file, and its paths by name."""
    path = tmp_path / "k.cu"
    path.write_text("int k;")
    source = Source(str(path), CodeKind.CUDA, b"int k;", str(tmp_path))
    return BuildRequest((source,), Arch.parse("sm_90")), {str(path): str(path)}


@pytest.mark.parametrize("spec", [LaunchSpec(), SPEC, LaunchSpec(kernel="k", grid="8", block="")])
def test_the_command_launches_the_same(built, spec):
    request, paths = built
    program, *words = shlex.split(run_command(request, spec, paths, device=1))
    assert program == "jitstudio"
    command, options = command_line(words)
    assert command == "run"
    assert spec_from(options) == spec
    assert options.device == 1
    read = request_of(options, options.sources)
    assert replace(read, emit=request.emit, precompile_headers=True) == request


def test_the_command_reads_the_same_files_from_any_folder(built, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = LaunchSpec(kernel="k", arguments=(("x", "n:file(x.npz::a)"), ("y", "")))
    words = shlex.split(run_command(built[0], spec, built[1]))[1:]
    read = spec_from(command_line(words).options)
    assert read.arguments == (("x", f"n:file({tmp_path}/x.npz::a)"),)


def test_the_command_sweeps_the_same(built):
    request, paths = built
    axes = (
        AxisText(AxisKind.BLOCK, "", "16,8; 32,8"),
        AxisText(AxisKind.TEMPLATE, "T", "float, double"),
        AxisText(AxisKind.MACRO, "UNROLL", "1,2"),
        AxisText(AxisKind.OPTIONS, "", "; -use_fast_math"),
        AxisText(AxisKind.ARGUMENT, "n", "1000,2000"),
        AxisText(AxisKind.TARGET, "", "sm_80,sm_90"),
    )
    spec = replace(SPEC, kernel="scale<float>")
    command = sweep_command(request, spec, VariantDraft("scale<{T}>", axes), paths)
    plan = sweep_plan(command_line(shlex.split(command)[1:]).options)
    build = replace(plan.build, emit=request.emit, precompile_headers=True)
    assert replace(plan, build=build) == VariantPlan(
        tuple(axis.axis() for axis in axes), request, replace(spec, kernel="scale<{T}>")
    )


INT, FLOATS = named("int"), Pointer(named("float"))
VIEW = struct_of("View", (("data", FLOATS), ("n", INT)))


def module_variable(name, kind, **more):
    variable = ModuleVariable(name, "__device__", writes=True, **more)
    return FormParameter(name, kind, ParameterSlot(0, kind.size, kind.align), variable=variable)


HOST = HostLaunch(
    "conv", "", "k.cu", 9, (4,), (128,), 1024, (HostBuffer(1024), HostBuffer(1024), None, 256),
    cooperative=True, inside=(("mask", "{1, 2, 1}"), ("hits:out", "")),
)  # fmt: skip
FORM = replace(
    form(("in", FLOATS), ("out", FLOATS), ("v", VIEW), ("n", "int"), title="conv"),
    variables=(
        module_variable("mask", Array(named("float"), 3)),
        module_variable("hits", INT),
        module_variable("a::view", VIEW),
        module_variable("::n", INT),
        module_variable("rows", Array(FLOATS, 2)),
    ),
)
ARGUMENTS = {"in": "n:range", "out": "n:zeros:out", "v": "{n=2}", "v.data": "4", "n": "256"}
VARIABLES = ("mask", "hits", "a::view", "::n", "rows")
STATES = {
    "as it begins": {},
    "variables": {
        "mask": "{1, 2, 1}",
        "hits": "out",
        "a::view": "{n=4}",
        "a::view.data": "4:range",
    },
    "read back": {"hits": "0:out", "mask": "inout", "::n": "7", "rows[1]": "n:zeros"},
    "one buffer": {"out": "same(in+n/2)", "v.data": "same(in)", "rows[0]": "same(out)"},
    "emptied": {"mask": "", "hits": "", "v.data": "", "v": "{data=n, n=3}"},
    "equals signs": {"in": "n:expr((i == 0) + 1)", "mask": "expr(i >= 1):in"},
}
CHECKS = ("out[1:-1] = in[i - 1]", "hits = 254", "mask[i == 1] = 2", "in == 2")


@pytest.mark.parametrize("host", [None, HOST])
@pytest.mark.parametrize("state", STATES)
def test_each_state_of_a_form_becomes_the_command_of_the_same_launch(built, state, host):
    request, paths = built
    of = replace(FORM, host_launch=host)
    first = first_launch(of)
    usual = LaunchSpec(kernel="conv", cover="n")
    for spec in (
        first,
        replace(first, block="256", shared="0", cooperative=False, grid="3", cover=""),
        replace(first, expectations=CHECKS, shared="n * 4", cluster="2", both=True),
        replace(usual, block="64", cooperative=True),
        usual,
    ):
        texts = dict(first.arguments) | ARGUMENTS | STATES[state]
        spec = replace(spec, arguments=tuple(texts.items()))
        words = shlex.split(run_command(request, spec, paths, form=of))[1:]
        base = first if host else None
        read = spec_from(command_line(words).options, base)
        given = {name: text for name, text in texts.items() if text}
        assert {name: text for name, text in read.arguments if text} == given
        assert replace(read, arguments=()) == replace(spec, arguments=())
        of_arguments = [word.removeprefix("--arg=") for word in words if word.startswith("--arg=")]
        assert not any(word.startswith(VARIABLES) for word in of_arguments)
        if texts["hits"] == "out":
            assert "--set=hits:out" in words


@pytest.mark.parametrize("device", ["sim", "0", "1"])
def test_an_exported_command_launches_on_the_device_of_the_export(run, device):
    words = ("--cover", "n", "--arg", "n=64", "--arg", "sum=n:zeros:out", "--expect", "sum = a + b")
    more = ("--arg", "a=n:random", "--arg", "b=n:random", "--device", device)
    source = str(SAMPLES / "vector_add.cu")
    ran = run("export", "command", source, *words, *more)
    assert ran.code == 0
    command, options = command_line(shlex.split(ran.out)[1:])
    assert (command, str(options.device)) == ("run", device)
    if device == "sim":
        again = run(*shlex.split(ran.out)[1:])
        assert again.code == 0
        assert "all 64 elements as expected" in again.out
