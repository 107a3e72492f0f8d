"""A build of a project as the options of a command change that, and in nothing else."""

from dataclasses import fields, replace

import pytest

from jitstudio.command_options.build import BuildOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands.module_request import request_with_flags, with_options
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import BuildRequest, CudaCompiler, LinkMode

_SOURCE = Source("k.cu", CodeKind.CUDA, b"__global__ void k() {}")
_PLAIN = BuildRequest((_SOURCE,), precompile_headers=False)
_PROJECT = replace(
    _PLAIN,
    arch=Arch.parse("sm_120"),
    link=LinkMode.LTO,
    options=("-G",),
    compiler=CudaCompiler.NVCC,
    libdevice=True,
    join_ir=True,
    keep_host_code=True,
    toolchain="13.0",
    python="/usr/bin/python3",
)


def changed(base, **options):
    """The fields in which a build differs from the base by some options."""
    request = with_options(base, BuildOptions(sources=("k.cu",), **options))
    names = {field.name for field in fields(BuildRequest)} - {"emit"}
    return {n: getattr(request, n) for n in names if getattr(request, n) != getattr(base, n)}


@pytest.mark.parametrize("base", [_PLAIN, _PROJECT])
@pytest.mark.parametrize(
    ("options", "change"),
    [
        ({}, {}),
        ({"arch": "sm_75"}, {"arch": Arch.parse("sm_75")}),
        ({"link": "ptx"}, {"link": LinkMode.PTX}),
        ({"compiler": "nvrtc"}, {"compiler": CudaCompiler.NVRTC}),
        ({"compiler": "nvcc"}, {"compiler": CudaCompiler.NVCC}),
        ({"libdevice": True}, {"libdevice": True}),
        ({"join_ir": True}, {"join_ir": True}),
        ({"host_code": "keep"}, {"keep_host_code": True}),
        ({"host_code": "aside"}, {"keep_host_code": False}),
        ({"no_cache": True}, {"use_cache": False}),
        ({"unsafe_options": True}, {"unsafe_options": True}),
        ({"toolchain": ("own",)}, {"toolchain": ""}),
        ({"python": "python3"}, {"python": "python3"}),
    ],
)
def test_an_option_changes_its_part_of_a_project_alone(base, options, change):
    expected = {name: value for name, value in change.items() if getattr(base, name) != value}
    assert changed(base, **options) == expected


def test_options_that_are_typed_change_those_of_each_module():
    own = replace(_SOURCE, name="sub/own.cu", options=("-DN=2", "--fmad=false"))
    base = replace(_PLAIN, sources=(_SOURCE, own), options=("--fmad=false", "-G"))
    options = {"options": ("--fmad=true",), "options_for": {}}
    request = with_options(base, BuildOptions(sources=("k.cu",), **options))
    assert request.options == ("-G", "--fmad=true")
    assert [s.options for s in request.sources] == [None, ("-DN=2", "--fmad=true")]
    for_one = {"own.cu": "-lineinfo -DN=3", "k.cu": ""}
    request = with_options(base, BuildOptions(sources=("k.cu",), options_for=for_one))
    assert [s.options for s in request.sources] == [(), ("-lineinfo", "-DN=3")]
    for name in ("other.cu", "sub"):
        with pytest.raises(UsageError, match=r"Name one of k\.cu, sub/own\.cu"):
            with_options(base, BuildOptions(sources=("k.cu",), options_for={name: "-G"}))


def test_each_module_has_the_flags_of_its_own_text_and_a_link_all():
    texts = {"a.cu": b"// jitstudio: -DN=1 -maxrregcount=32", "b.cu": b"// jitstudio: -DN=2"}
    sources = [Source(name, CodeKind.CUDA, text) for name, text in texts.items()]
    request = request_with_flags(BuildOptions(sources=("k.cu",)), (*sources, _SOURCE))
    flags = [("-DN=1", "--maxrregcount=32"), ("-DN=2",), ()]
    assert [request.options_of(source) for source in request.sources] == flags
    assert "--maxrregcount=32" in request.options
    (alone,) = request_with_flags(BuildOptions(sources=("k.cu",)), sources[:1]).sources
    assert alone.options is None


def test_a_path_among_options_begins_where_it_is_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_folder = replace(_PROJECT, folder="/project", options=("-Iown",))
    assert changed(in_folder, options=("-Iinc",)) == {"options": ("-Iown", f"-I{tmp_path}/inc")}
    assert changed(_PLAIN, options=("-Iinc",)) == {"options": ("-Iinc",)}
