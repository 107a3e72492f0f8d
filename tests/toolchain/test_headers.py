import os
from pathlib import Path

import pytest
from cuda.bindings import nvrtc as bindings

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.job import Job
from jitstudio.core.plan import Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import headers, nvrtc

K = CodeKind
INCLUDED = {
    "cuda_fp16.h": "__half",
    "cuda_bf16.h": "__nv_bfloat16",
    "cuda_fp8.h": "__nv_fp8_e4m3",
    "mma.h": "nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>",
    "cooperative_groups.h": "cooperative_groups::grid_group",
    "cuda/std/cstdint": "cuda::std::uint32_t",
    "cuda/std/array": "cuda::std::array<int, 3>",
    "cuda/barrier": "cuda::barrier<cuda::thread_scope_block>",
    "cub/block/block_reduce.cuh": "cub::BlockReduce<int, 128>::TempStorage",
}


def job(text, *options, **more):
    source = ((Ref(K.CUDA, "k.cu"), text.encode()),)
    return Job(Tool.NVRTC, "k.cu", source, (K.PTX,), ("-arch=compute_90", *options), **more)


def compiled(text, *options, **more):
    return nvrtc.compile_cuda(job(text, *options, **more))


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Nothing is remembered of where headers were unpacked before, nor afterwards."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for function in (headers._options, headers.header_folders):
        function.cache_clear()
    yield tmp_path / "cache"
    for function in (headers._options, headers.header_folders):
        function.cache_clear()


@pytest.mark.parametrize("header", INCLUDED)
def test_nvidia_s_headers_are_found_without_a_setting(header):
    text = f"#include <{header}>\n__global__ void k() {{ (void)sizeof({INCLUDED[header]}); }}\n"
    report = compiled(text)
    assert report.ok, report.error_log
    assert report.options[1].startswith(("--use-bundled-headers=", "--include-path="))


def test_a_module_without_includes_gets_no_header_option():
    assert headers.header_options(job("// #include nothing\nint x;"), nvrtc.version()) == ()


@pytest.mark.parametrize(
    "wish",
    [
        job('  # include "a.h"'),
        job("", headers=(Header("a.h", b"#include <b.h>"),)),
        job("", "--pre-include=a.h"),
    ],
)
def test_whatever_includes_gets_one(wish):
    assert headers.header_options(wish, nvrtc.version())


def test_the_user_s_own_choice_of_bundled_headers_is_left_alone(tmp_path):
    wish = job("#include <cuda_fp16.h>", f"--use-bundled-headers={tmp_path}")
    assert headers.header_options(wish, nvrtc.version()) == ()


def test_the_user_s_folders_are_searched_first(tmp_path):
    (tmp_path / "cuda_fp16.h").write_text("#define MINE 42\n")
    text = "#include <cuda_fp16.h>\n__global__ void k(int* p) { *p = MINE; }\n"
    report = compiled(text, f"--include-path={tmp_path}")
    assert report.ok, report.error_log
    assert b"42" in report.made[K.PTX]


def test_headers_are_unpacked_into_the_cache_folder(fresh):
    (option,) = headers.header_options(job("#include <mma.h>"), nvrtc.version())
    folder = Path(option.partition("=")[2])
    assert fresh in folder.parents
    assert (folder / "cuda_fp16.h").is_file()
    assert str(folder / "cccl") in headers.header_folders(nvrtc.version())


def test_a_cache_folder_that_cannot_be_made_is_no_obstacle(fresh):
    fresh.write_text("a file where a folder should be")
    (option,) = headers.header_options(job("#include <mma.h>"), nvrtc.version())
    assert os.path.isfile(os.path.join(option.partition("=")[2], "mma.h"))


def test_without_bundled_headers_those_of_an_installation_are_searched(fresh, monkeypatch):
    monkeypatch.delattr(bindings, "nvrtcGetBundledHeadersInfo")
    options = headers.header_options(job("#include <mma.h>"), nvrtc.version())
    assert all(option.startswith("--include-path=") for option in options)
    assert headers.header_folders(nvrtc.version()) == tuple(
        dict.fromkeys(option.partition("=")[2] for option in options)
    )
