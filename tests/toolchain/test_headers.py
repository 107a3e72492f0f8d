import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cuda.bindings import nvrtc as bindings

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.ptx.skimming import entries
from jitstudio.toolchain import headers, nvrtc

K = CodeKind
INCLUDED = {
    "cuda_fp16.h": "__half",
    "cuda_fp8.h": "__nv_fp8_e4m3",
    "mma.h": "nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>",
    "cooperative_groups.h": "cooperative_groups::grid_group",
    "cuda/std/array": "cuda::std::array<int, 3>",
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
    monkeypatch.delenv("JITSTUDIO_CACHE_DIR", raising=False)
    headers._unpacked.cache_clear()
    yield tmp_path / "cache"
    headers._unpacked.cache_clear()


def test_headers_of_cupy_are_found_where_it_is_installed(tmp_path, monkeypatch):
    text = "#include <cupy/complex.cuh>\n__global__ void k(complex* p) { p->re = 1; }\n"
    assert 'cannot open source file "cupy/complex.cuh"' in compiled(text).error_log
    below = tmp_path / "site-packages" / "cupy" / "_core" / "include" / "cupy"
    below.mkdir(parents=True)
    (below / "complex.cuh").write_text("struct complex { float re, im; };\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site-packages")])
    assert compiled(text).ok
    assert compiled(text, keep_host_code=True).ok is False
    own = tmp_path / "own" / "cupy"
    own.mkdir(parents=True)
    (own / "complex.cuh").write_text("struct complex { double re, im, more; };\n")
    chosen = compiled(text.replace("re = 1", "more = 1"), f"--include-path={own.parent}")
    assert chosen.ok, chosen.error_log


def test_nvidia_s_headers_are_found_without_a_setting():
    lines = [f"#include <{header}>" for header in INCLUDED]
    uses = " ".join(f"(void)sizeof({what});" for what in INCLUDED.values())
    report = compiled("\n".join((*lines, f"__global__ void k() {{ {uses} }}\n")))
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
    only = (f"--include-path={headers.stand_in_folder()}",)
    assert headers.header_options(wish, nvrtc.version()) == only


def test_the_user_s_folders_are_searched_first(tmp_path):
    (tmp_path / "cuda_fp16.h").write_text("#define MINE 42\n")
    text = "#include <cuda_fp16.h>\n__global__ void k(int* p) { *p = MINE; }\n"
    report = compiled(text, f"--include-path={tmp_path}")
    assert report.ok, report.error_log
    assert b"42" in report.code[K.PTX]


def test_headers_are_unpacked_into_the_cache_folder(fresh):
    option, _ = headers.header_options(job("#include <mma.h>"), nvrtc.version())
    folder = Path(option.partition("=")[2])
    assert fresh in folder.parents
    assert (folder / "cuda_fp16.h").is_file()
    assert str(folder / "cccl") in headers.header_folders(nvrtc.version())


def test_headers_of_which_a_cleaner_has_removed_one_are_unpacked_again(fresh, monkeypatch):
    def folder():
        headers._unpacked.cache_clear()
        option, _ = headers.header_options(job("#include <mma.h>"), nvrtc.version())
        return Path(option.partition("=")[2])

    looks, size = [], headers._size
    monkeypatch.setattr(headers, "_size", lambda at: looks.append(at) or size(at))
    header = next(path for path in folder().glob("*/*") if path.is_file())
    inner = header.parent
    assert looks
    looks.clear()
    # Whole ones are not looked at file by file.
    folder()
    assert looks == []
    before = inner.stat()
    header.unlink()
    # As systemd-tmpfiles does behind itself.
    os.utime(inner, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert folder() == inner.parent
    assert looks
    assert header.is_file()


def test_headers_are_unpacked_into_the_folder_that_was_named(fresh, monkeypatch, tmp_path):
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(tmp_path / "own"))
    option, _ = headers.header_options(job("#include <mma.h>"), nvrtc.version())
    assert tmp_path / "own" in Path(option.partition("=")[2]).parents
    assert not fresh.exists()


def test_a_cache_folder_that_cannot_be_made_is_no_obstacle(fresh):
    fresh.write_text("a file where a folder should be")
    option, _ = headers.header_options(job("#include <mma.h>"), nvrtc.version())
    assert os.path.isfile(os.path.join(option.partition("=")[2], "mma.h"))


def test_without_bundled_headers_those_of_an_installation_are_searched(fresh, monkeypatch):
    monkeypatch.delattr(bindings, "nvrtcGetBundledHeadersInfo")
    options = headers.header_options(job("#include <mma.h>"), nvrtc.version())
    assert all(option.startswith("--include-path=") for option in options)
    assert headers.header_folders(nvrtc.version()) == tuple(
        dict.fromkeys(option.partition("=")[2] for option in options)
    )


_UNPACK = """
import sys
from jitstudio.toolchain import headers, nvrtc
if sys.argv[1:]:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
print(headers._options(nvrtc.version()), headers.header_problem(nvrtc.version()), flush=True)
"""


def unpacking(environment, tmp_path, *words):
    more = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    more["JITSTUDIO_CACHE_DIR"] = ""
    code = [sys.executable, "-c", _UNPACK, *words]
    return subprocess.Popen(code, env=environment | more, stdout=subprocess.PIPE, text=True)


def whole_folders(tmp_path):
    return list((tmp_path / "cache" / "jitstudio").glob("nvrtc-headers-*"))


def test_a_process_that_is_killed_while_it_unpacks_leaves_no_half(environment, tmp_path):
    ours = tmp_path / "cache" / "jitstudio"
    killed = 0
    for _ in range(3):
        with unpacking(environment, tmp_path) as child:
            while child.poll() is None and not list(ours.glob("unpacking-*/*/cccl")):
                time.sleep(0.001)
            child.kill()
        if not whole_folders(tmp_path):
            killed += 1
    assert killed
    old = time.time() - 2 * headers._ABANDONED
    for left in ours.glob("unpacking-*"):
        os.utime(left, (old, old))
    with unpacking(environment, tmp_path) as child:
        child.communicate()
    (folder,) = whole_folders(tmp_path)
    _, info, *_ = bindings.nvrtcGetBundledHeadersInfo()
    assert sum(len(files) for _, _, files in os.walk(folder)) >= info.numFiles
    assert list(ours.glob("unpacking-*")) == [] or killed == 0


def test_several_processes_unpack_at_a_time(environment, tmp_path):
    children = [unpacking(environment, tmp_path) for _ in range(2)]
    told = {child.communicate()[0] for child in children}
    assert len(told) == len(whole_folders(tmp_path)) == 1
    assert list((tmp_path / "cache" / "jitstudio").glob("unpacking-*")) == []


def test_a_disk_that_is_full_leaves_no_half_and_is_told(environment, tmp_path):
    with unpacking(environment, tmp_path, "1000") as child:
        told = child.communicate()[0]
    assert "--use-bundled-headers" not in told
    assert "NVRTC's own headers could not be unpacked" in told
    assert whole_folders(tmp_path) == []


def test_nobody_else_may_change_what_is_unpacked(fresh):
    option, _ = headers.header_options(job("#include <mma.h>"), nvrtc.version())
    folder = Path(option.partition("=")[2])
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700
    if os.getuid() == 0:
        headers._unpacked.cache_clear()
        os.chown(folder, 4711, 4711)
        option, _ = headers.header_options(job("#include <mma.h>"), nvrtc.version())
        assert str(folder) not in option


def test_wide_integers_are_the_host_s_also_where_an_own_header_is_included(tmp_path):
    own = tmp_path / "inc"
    own.mkdir()
    (own / "err.cuh").write_text('#include "more.h"\n#include <stdio.h>\n')
    (own / "more.h").write_text("#include <stdlib.h>\n")
    text = (
        '#include "inc/err.cuh"\n#include <stdint.h>\n__global__ void k(uint64_t *p, size_t n) {}\n'
    )

    def name():
        report = compiled(text, f"--include-path={tmp_path}")
        assert report.ok, report.error_log
        return entries(report.code[K.PTX].decode())

    # As nvcc on Linux has it.
    assert name() == ("_Z1kPmm",)
    # NVIDIA's headers have an uint64_t of their own.
    (own / "more.h").write_text("#include <cuda_fp16.h>\n")
    assert name() == ("_Z1kPym",)
