"""Other versions of the compilers: what they make is what they make alone."""

import os
import re
import subprocess
import sys
import sysconfig
import time
from dataclasses import replace
from pathlib import Path

import pytest

from jitstudio.cache.store import Store
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.disk import TICK_NS
from jitstudio.core.launch.choice import build_for_launch
from jitstudio.core.launch.limits import newest_ptx
from jitstudio.core.request import BuildRequest, ProbeRequest
from jitstudio.core.result import Outcome
from jitstudio.core.toolchain_folders import ToolchainFolder, toolchain_in
from jitstudio.core.tools import USUAL_TOOLKITS, Tool
from jitstudio.listing.includes import includes
from jitstudio.ptx.skimming import entries, ptx_version
from jitstudio.worker.builder import Builder
from jitstudio.worker.sandbox.access import NOTHING, Need, SandboxAccess
from tests import bare_tools
from tests.support import SAMPLES
from tests.wheels import BETWEEN, OLDEST, VERSIONS, nvrtc_of

pytestmark = pytest.mark.tools

OTHER = "JITSTUDIO_TEST_TOOLCHAIN"
"""The environment variable that names a folder with another version of the compilers."""

ALONE = [SAMPLES / name for name in ("vector_add.cu", "histogram.cu", "user_transform.cu")]
"""The samples that need no other module."""
HEADERS = (Header("atomic_ops.cuh", (SAMPLES / "atomic_ops.cuh").read_bytes()),)

_CUDA = b"""#include <cuda_fp16.h>
extern "C" __global__ void scale(const __half *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sinf(__half2float(x[i])) * y[i];
}
"""
_IR = b"""target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-\
f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
define void @twice(float addrspace(1)* %x) {
  %v = load float, float addrspace(1)* %x
  %d = fmul float %v, 2.0
  store float %d, float addrspace(1)* %x
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (float addrspace(1)*)* @twice, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0, i32 3, i32 1}
"""
_PTX = b""".version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 p)
{
    .reg .b64 %a;
    ld.param.u64 %a, [p];
    cvta.to.global.u64 %a, %a;
    st.global.u32 [%a], 1;
    ret;
}
"""
_SOURCES = {
    Tool.NVRTC: Source("scale.cu", CodeKind.CUDA, _CUDA),
    Tool.NVVM: Source("twice.ll", CodeKind.LLVM_IR, _IR),
    Tool.NVJITLINK: Source("one.ptx", CodeKind.PTX, _PTX),
}


@pytest.fixture(scope="module")
def another() -> ToolchainFolder:
    """Another version of the compilers, as far as this machine has one."""
    own = toolchain_in(sysconfig.get_path("purelib"))
    places = (os.environ.get(OTHER, ""), *USUAL_TOOLKITS)
    found = [toolchain_in(place) for place in places if place]
    for toolchain in found:
        if not toolchain.problem and toolchain.version != own.version:
            return toolchain
    pytest.skip(f"no other version than {own.version} here; {OTHER} names the folder of one")


def _source(tool: Tool, toolchain: ToolchainFolder) -> Source:
    """Returns a module for a tool; without NVIDIA's headers where the toolchain has none."""
    source = _SOURCES[tool]
    if tool is not Tool.NVRTC or toolchain.headers:
        return source
    plain = source.content.replace(b"#include <cuda_fp16.h>\n", b"").replace(b"__half2float", b"")
    return replace(source, content=plain.replace(b"__half", b"float"))


def _request(tool: Tool, toolchain: ToolchainFolder) -> BuildRequest:
    kind = CodeKind.PTX if tool is Tool.NVVM else CodeKind.CUBIN
    return BuildRequest(
        (_source(tool, toolchain),),
        Arch(90),
        frozenset({kind}),
        # Otherwise libNVVM is given a copy with a line table.
        options=("nvvm:-opt=0",) if tool is Tool.NVVM else (),
        toolchain=toolchain.folder,
        use_cache=False,
    )


@pytest.mark.parametrize("tool", _SOURCES)
@pytest.mark.parametrize("which", ["twin", "another"])
def test_a_version_makes_what_it_makes_alone(tool, which, builder, request, tmp_path):
    toolchain = request.getfixturevalue(which)
    if tool not in toolchain.files:
        pytest.skip(f"'{toolchain.folder}' has no {tool.value}")
    built = builder.build(_request(tool, toolchain))
    if tool is Tool.NVJITLINK and toolchain.version in ("12.0", "12.1", "12.2"):
        assert "older than that of CUDA 12.3" in built.diagnostics[0].message
        return
    assert built.outcome is Outcome.BUILT, built.diagnostics
    (made,) = built.artifacts
    stage = built.stages[0]
    source = tmp_path / _SOURCES[tool].name
    source.write_bytes(_source(tool, toolchain).content)
    options = [option for option in stage.options if not option.startswith("--time")]
    alone = subprocess.run(
        [sys.executable, "-I", "-S", bare_tools.__file__, toolchain.files[tool], source, *options],
        capture_output=True,
        check=False,
    )
    assert alone.returncode == 0, alone.stderr
    assert made.content == alone.stdout
    if which == "another" and tool is not Tool.NVVM:  # whose own version is that of NVVM IR
        assert stage.version == toolchain.version


@pytest.mark.slow
@pytest.mark.parametrize(
    "version",
    [
        pytest.param(version, marks=() if version in (OLDEST, BETWEEN) else pytest.mark.bench)
        for version in VERSIONS
    ],
)
def test_no_version_is_sent_an_option_of_ours_that_it_does_not_know(version, builder):
    toolchain = nvrtc_of(version)
    assert toolchain.version == version
    request = _request(Tool.NVRTC, toolchain)
    kinds = frozenset({CodeKind.PTX, CodeKind.CUBIN, CodeKind.LTOIR})
    sources = [_source(Tool.NVRTC, toolchain)]
    if version not in (OLDEST, BETWEEN):
        sources += [Source(path.name, CodeKind.CUDA, path.read_bytes()) for path in ALONE]
    for source in sources:
        result = builder.build(replace(request, sources=(source,), emit=kinds, headers=HEADERS))
        assert result.outcome is Outcome.BUILT, result.diagnostics
        assert {made.kind for made in result.artifacts} == kinds
        assert {stage.version for stage in result.stages} == {version}
        ptx = next(made.text for made in result.artifacts if made.kind is CodeKind.PTX)
        assert tuple(map(int, ptx_version(ptx).split("."))) == newest_ptx(version)
    # It is sent what it does know.
    cubin = next(
        s.options for s in result.stages if s.options and "--ptxas-options=-v" in s.options
    )
    assert ("--no-cache" in cubin) is (version not in (OLDEST, "12.4", BETWEEN))


@pytest.mark.parametrize("kind", [CodeKind.PTX, CodeKind.CUBIN, CodeKind.LTOIR])
def test_each_nvrtc_is_sent_what_it_knows(kind, builder, another):
    if Tool.NVRTC not in another.files:
        pytest.skip(f"'{another.folder}' has no NVRTC")
    request = replace(_request(Tool.NVRTC, another), emit=frozenset({kind}))
    assert builder.build(request).outcome is Outcome.BUILT
    # What is wrong with a name expression is found out by other compiles, with other options.
    (source,) = request.sources
    wrong = replace(source, name_expressions=("scale", "nothing"))
    failed = builder.build(replace(request, sources=(wrong,)))
    assert [name.lowered for name in failed.lowered_names] == ["scale", ""]
    assert not any("option" in d.message for d in failed.diagnostics)


# Clang's layout, and the one of manuals before CUDA 9.
@pytest.mark.parametrize(
    "layout",
    [
        "e-i64:64-i128:128-v16:16-v32:32-n16:32:64",
        (
            "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64"
            "-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
        ),
    ],
)
def test_each_libnvvm_builds_what_has_another_layout_and_no_mark(layout, builder, another):
    if Tool.NVVM not in another.files:
        pytest.skip(f"'{another.folder}' has no libNVVM")
    lines = [line for line in _IR.decode().splitlines() if "nvvm.annotations" not in line]
    text = re.sub(r'(?<=datalayout = ").*(?=")', layout, "\n".join(lines))
    source = Source("twice.ll", CodeKind.LLVM_IR, text.encode())
    request = replace(_request(Tool.NVVM, another), sources=(source,), options=())
    result = builder.build(build_for_launch(replace(request, emit=frozenset({CodeKind.PTX})), ""))
    ptx = next((made.text for made in result.artifacts if made.kind is CodeKind.PTX), "")
    assert entries(ptx) == ("twice",), result.diagnostics


def test_a_probe_tells_of_the_tools_in_the_folder(builder, twin):
    info = builder.probe(ProbeRequest(toolchain=twin.folder))
    found = {tool.tool: tool for tool in info.tools if tool.tool in twin.files}
    paths = {tool: each.path for tool, each in found.items()}
    assert paths == twin.files
    assert {each.found_via for each in found.values()} == {"toolchain"}
    own = builder.probe(ProbeRequest())
    assert info.archs == own.archs
    assert not set(paths.values()) & {tool.path for tool in own.tools}


def test_results_of_two_toolchains_are_kept_apart(twin, tmp_path):
    store = Store(tmp_path / "cache")
    builder = Builder(store=store)
    own = BuildRequest((_SOURCES[Tool.NVJITLINK],), Arch(90), frozenset({CodeKind.CUBIN}))
    try:
        cached = [
            builder.build(request).stages[0].cached
            for request in (own, replace(own, toolchain=twin.folder)) * 2
        ]
    finally:
        builder.close()
    assert cached == [False, False, True, True]


_CUB = b"""#include <cub/block/block_reduce.cuh>
extern "C" __global__ void k(int *p)
{
    typedef cub::BlockReduce<int, 128> Reduce;
    __shared__ typename Reduce::TempStorage room;
    int sum = Reduce(room).Sum(p[threadIdx.x]);
    if (threadIdx.x == 0) *p = sum;
}
"""


_ASKS = re.compile(
    r"#[ \t]*define[ \t]+(\w+)\([ \t]*(\w+)[ \t]*\)[ \t]*__has_include\([ \t]*\2[ \t]*\)"
)


def test_a_macro_of_nvidia_s_that_asks_for_a_file_says_so_in_its_name(another):
    texts = [
        file.read_text("utf-8", "replace")
        for folder in another.headers
        for file in Path(folder).rglob("*")
        if file.is_file()
    ]
    if len(texts) < 1000:
        pytest.skip(f"'{another.folder}' has no NVRTC, or no CUB")
    macros = {match[1] for text in texts for match in _ASKS.finditer(text)}
    assert macros
    assert all("HAS_INCLUDE" in macro for macro in macros)
    for text in texts:
        asked = re.sub(r"define \w*HAS_INCLUDE\(\w+\)", "", _ASKS.sub("", text).replace("\\\n", ""))
        assert not includes(re.sub(r"#[^\n]*\binclude\b[^\n]*", "", asked).encode()).computed


def test_headers_on_disk_that_ask_by_a_macro_are_kept_track_of(another, tmp_path):
    if Tool.NVRTC not in another.files or not any("cccl" in at for at in another.headers):
        pytest.skip(f"'{another.folder}' has no NVRTC, or no CUB")
    (tmp_path / "include").mkdir()
    time.sleep(3 * TICK_NS / 1e9)
    builder = Builder(store=Store(tmp_path / "cache"))
    request = BuildRequest(
        (Source("cub.cu", CodeKind.CUDA, _CUB),),
        Arch(90),
        frozenset({CodeKind.PTX}),
        options=(f"-I{tmp_path}/include",),
        toolchain=another.folder,
    )
    try:
        first, second = (builder.build(request).stages[0] for _ in range(2))
        # What CUB asks for by `_CCCL_HAS_INCLUDE`, in a folder that is searched before its own.
        (tmp_path / "include" / "cuda_fp8.h").touch()
        third = builder.build(request).stages[0]
    finally:
        builder.close()
    assert [stage.cached for stage in (first, second, third)] == [False, True, False]
    assert "header yet: " in first.log


def test_what_the_folder_lacks_is_not_taken_from_elsewhere(builder, twin, tmp_path):
    (tmp_path / "libnvvm.so.4").symlink_to(twin.files[Tool.NVVM])
    partial = toolchain_in(str(tmp_path))
    built = builder.build(_request(Tool.NVRTC, partial))
    assert built.outcome is Outcome.MISSING
    assert f"no NVRTC in the toolchain '{tmp_path}'" in built.diagnostics[0].message
    # The assembler of PTX is a compiler, too.
    assert builder.build(_request(Tool.NVJITLINK, partial)).outcome is Outcome.MISSING
    assert builder.build(_request(Tool.NVVM, partial)).outcome is Outcome.BUILT


def test_a_process_works_with_one_toolchain():
    has = SandboxAccess(("/data",), toolchain="/a")
    assert Need(SandboxAccess(("/data",), toolchain="/a")).met_by(has)
    assert not Need(SandboxAccess(toolchain="/b")).met_by(has)
    assert not Need(SandboxAccess()).met_by(has)
    # What loads nothing may be asked of any.
    assert NOTHING.met_by(has)
    other = Need(SandboxAccess(("/more",), toolchain="/b"))
    assert other.of_new_process(has) == other.least
